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

/** What is expected of an answer; headers that are not named may be anything, or absent. */
export interface Expected {
  readonly status: number
  /** The version as the header `x-version` tells it. */
  readonly version: 'v1' | 'v2' | 'null'
  readonly headers?: Readonly<Record<string, string>>
  /** An object is one in JSON. */
  readonly body: string | object
}

export interface Exchange {
  /** What the message is, for the title of the test. */
  readonly says: string
  readonly message: Message
  readonly expected: Expected
}
