declare module 'negotiator' {
  export default class Negotiator {
    constructor (request: { readonly headers: Readonly<Record<string, string>> })
    mediaTypes (): string[]
  }
}
