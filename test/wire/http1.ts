import net from 'node:net'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Answer, Message } from './message.ts'

/** The text of an HTTP/1.1 request. */
export function write ({ method, path, host, headers, body }: Message): string {
  const fields = { host, ...headers, ...body !== '' && { 'content-length': Buffer.byteLength(body) } }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Starts the app, and connects to it; the connection ends with the test. */
export async function connect (t: Test, app: FastifyInstance): Promise<Connection> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const connection = new Connection((app.server.address() as AddressInfo).port)
  t.teardown(() => connection.destroy())
  return connection
}

/** A connection on which HTTP/1.1 is written as it comes, and answers are read one by one. */
export class Connection {
  readonly #socket: net.Socket
  readonly #chunks: AsyncIterator<Buffer>
  #received = Buffer.alloc(0)

  constructor (port: number) {
    this.#socket = net.connect(port, '127.0.0.1')
    this.#chunks = this.#socket[Symbol.asyncIterator]()
  }

  write (text: string): void {
    this.#socket.write(text)
  }

  destroy (): void {
    this.#socket.destroy()
  }

  /** @param method the method of the request: the answer to a HEAD has no body, whatever its headers say */
  async read (method: string): Promise<Answer> {
    const [start, ...lines] = (await this.#takeThrough('\r\n\r\n')).toString('latin1').trimEnd().split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }))
    const status = Number(start.split(' ')[1])
    const hasBody = method !== 'HEAD' && status !== 204
    return { status, headers, body: hasBody ? (await this.#takeBody(headers)).toString() : '' }
  }

  async #takeBody (headers: Record<string, string>): Promise<Buffer> {
    if (headers['transfer-encoding'] !== 'chunked') return this.#take(Number(headers['content-length'] ?? 0))
    const chunks: Buffer[] = []
    let size: number
    do {
      size = parseInt((await this.#takeThrough('\r\n')).toString(), 16)
      chunks.push((await this.#take(size + 2)).subarray(0, size))
    } while (size > 0)
    return Buffer.concat(chunks)
  }

  async #takeThrough (mark: string): Promise<Buffer> {
    while (!this.#received.includes(mark)) await this.#more()
    return this.#take(this.#received.indexOf(mark) + mark.length)
  }

  async #take (length: number): Promise<Buffer> {
    while (this.#received.length < length) await this.#more()
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }

  async #more (): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done === true) throw new Error(`The server hung up after ${JSON.stringify(`${this.#received}`)}.`)
    this.#received = Buffer.concat([this.#received, value])
  }
}
