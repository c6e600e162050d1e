export default async function build () {
  return await new Promise(() => undefined)
}
