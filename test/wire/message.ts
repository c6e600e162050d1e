/** What a client sends, whatever the wire. */
export interface Message {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST'
  readonly path: string
  /** The `Host` of HTTP/1.1, and the `:authority` of HTTP/2. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}
