import { make } from './make.ts'

export async function build () {
  return await make()
}
