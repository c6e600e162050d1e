import fc from 'fast-check'
import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'

import { Mismatch } from '../fuzzer.ts'
import { frames, messages } from './attacks.ts'

import type { ChildProcess } from 'node:child_process'
import type { Fuzzer } from '../fuzzer.ts'

/** As long as an answer may take. */
const PATIENCE = 20_000

/** The fields of a log line: Fastify's fields, and the plugin's `version`. */
const LOG_FIELDS = new Set([
  'level', 'time', 'pid', 'hostname', 'reqId', 'req', 'res', 'msg', 'responseTime', 'err', 'version'
])

/** The names of the response headers that Node, Fastify and the plugin set. */
const HEADERS = new Set([
  'content-type', 'content-length', 'date', 'connection', 'keep-alive', 'vary', 'deprecation', 'sunset', 'link',
  'api-supported-versions', 'api-deprecated-versions', 'api-version', 'served-version', 'cache-control',
  'transfer-encoding', 'allow', 'upgrade'
])

/** RFC 9113, section 6.7. */
const PING = Buffer.from('\0\0\x08\x06\0\0\0\0\0the fuzz', 'latin1')
const PONG = Buffer.from('\0\0\x08\x06\x01\0\0\0\0the fuzz', 'latin1')
const GOAWAY = 7

function isEnd (answers: Buffer): boolean {
  for (let at = 0; at + 9 <= answers.length; at += 9 + answers.readUIntBE(at, 3)) {
    if (answers[at + 3] === GOAWAY) return true
  }
  return answers.includes(PONG)
}

/** The attacked process, and what has been found wrong with its log. */
class Server {
  readonly #child: ChildProcess
  readonly #ports: readonly number[]
  readonly #pings = new EventEmitter()
  #wrong: string | null = null

  static async start (): Promise<Server> {
    const child = fork(new URL('server.ts', import.meta.url), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    const [ports] = await once(child, 'message')
    return new Server(child, ports)
  }

  private constructor (child: ChildProcess, ports: readonly number[]) {
    this.#child = child
    this.#ports = ports
    createInterface({ input: child.stdout! }).on('line', (line) => { this.#read(line) })
    child.stderr!.on('data', (data) => { if (!/Warning/.test(data)) this.#wrong ??= `on stderr: ${data}` })
    child.on('exit', (code, signal) => {
      this.#wrong ??= `the process has ended: ${code ?? signal}`
      this.#pings.emit('answer')
    })
  }

  #read (line: string): void {
    let content
    try {
      content = JSON.parse(line)
    } catch {
      this.#wrong ??= `a log line that is not JSON: ${line}`
      return
    }
    const unknown = Object.keys(content).find((name) => !LOG_FIELDS.has(name))
    if (content.ping !== undefined) this.#pings.emit('answer')
    else if (unknown !== undefined) this.#wrong ??= `a log line with the field ${unknown}: ${line}`
    else if (content.level >= 50) this.#wrong ??= `an error in the log: ${line}`
  }

  /** @returns what is wrong with the process or its log since the last call, or null */
  async check (): Promise<string | null> {
    if (this.isAlive) {
      const answer = once(this.#pings, 'answer', { signal: AbortSignal.timeout(PATIENCE) })
      this.#child.send('ping')
      await answer.catch(() => { this.#wrong ??= 'it hangs' })
    }
    const wrong = this.#wrong
    this.#wrong = null
    return wrong?.slice(0, 2000) ?? null
  }

  get isAlive (): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async close (): Promise<void> {
    this.#child.removeAllListeners('exit')
    if (!this.isAlive) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }

  /**
   * Sends bytes, and no more after them. By HTTP/2 the answer to a ping ends it, and GOAWAY.
   *
   * @returns what came until the server had closed the connection, or null if it has not
   */
  async send (bytes: Buffer, protocol: 1 | 2): Promise<Buffer | null> {
    const socket = net.connect({ port: this.#ports[protocol - 1]!, host: '127.0.0.1' })
    const chunks: Buffer[] = []
    const isOver = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => { resolve(false) }, PATIENCE)
      socket.on('close', () => { clearTimeout(timer); resolve(true) }).on('error', () => {})
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        if (protocol === 2 && isEnd(Buffer.concat(chunks))) socket.destroy()
      })
      if (protocol === 1) socket.end(bytes)
      else socket.write(Buffer.concat([bytes, PING]))
    })
    socket.destroy()
    return isOver ? Buffer.concat(chunks) : null
  }
}

/** What is wrong with the answers of HTTP/1.1, or null. */
function answersWrong (answers: Buffer): string | null {
  let text = answers.toString('latin1')
  while (text.startsWith('HTTP/1.')) {
    const end = text.indexOf('\r\n\r\n')
    const [start, ...lines] = text.slice(0, end).split('\r\n')
    const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
    const unknown = names.find((name) => !HEADERS.has(name) && name !== '')
    if (start!.split(' ')[1]! >= '500') return `a 5xx: ${text.slice(0, end)}`
    if (unknown !== undefined) return `the response header ${unknown}: ${text.slice(0, end)}`
    const length = /^content-length: (\d+)$/im.exec(text.slice(0, end))?.[1] ?? '0'
    text = text.slice(end + 4 + Number(length))
  }
  return null
}

/** Bytes to the server of HTTP/1.1 or of HTTP/2. */
interface Case { readonly protocol: 1 | 2, readonly bytes: Buffer }

let server: Server | undefined

/** Raw sockets, where the only promise is that nothing breaks. The server is in fuzz/wire/server.ts. */
export const wire: Fuzzer<Case> = {
  name: 'wire',
  batch: 25,
  cases: fc.oneof<fc.WeightedArbitrary<Case>[]>(
    { weight: 10, arbitrary: messages.map((bytes) => ({ protocol: 1, bytes })) },
    { weight: 8, arbitrary: frames.map((bytes) => ({ protocol: 2, bytes })) }
  ),
  async check ({ protocol, bytes }) {
    if (server?.isAlive !== true) server = await Server.start()
    const answers = await server.send(bytes, protocol)
    const wrong = answers === null
      ? 'the connection stays open'
      : (protocol === 1 ? answersWrong(answers) : null) ?? await server.check()
    if (wrong === null) return 1
    const sent = { protocol, bytes: bytes.toString('latin1') }
    throw new Mismatch(sent, 'no 5xx, no crash, no hang, nothing that the client has written', wrong)
  },
  async close () {
    await server?.close()
    server = undefined
  }
}
