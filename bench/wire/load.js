import { once } from 'node:events'
import { connect } from 'node:net'

import { BenchError } from '../bench-error.js'
import { readAnswer } from './answer.js'

const CONNECTIONS = 32
const PATIENCE_MS = 10_000

/** The body of every right answer. */
const BODY = '{"id":"7","version":"v1"}'

/** Sends requests over keep-alive connections, one at a time on each. */
export class Load {
  #label
  #toRequest
  #sockets
  #texts
  #left = 0
  #open = 0
  #end

  /** @param toRequest makes the text of the next request */
  static async open (label, port, toRequest) {
    const load = new Load()
    load.#label = label
    load.#toRequest = toRequest
    load.#sockets = Array.from({ length: CONNECTIONS }, () => connect({ host: '127.0.0.1', port, noDelay: true }))
    load.#texts = load.#sockets.map(() => '')
    await Promise.all(load.#sockets.map((socket) => once(socket, 'connect')))
    for (const [i, socket] of load.#sockets.entries()) load.#listen(socket, i)
    return load
  }

  /**
   * Sends a number of requests, and waits for the answers.
   *
   * @throws BenchError when one is wrong, or does not come
   */
  async run (count) {
    const { promise, resolve, reject } = withResolvers()
    const timer = setTimeout(() => this.#fail(`has not answered for ${PATIENCE_MS / 1000} seconds`), PATIENCE_MS)
    this.#left = count
    this.#end = { resolve, reject }
    this.#open = Math.min(CONNECTIONS, count)
    for (const socket of this.#sockets.slice(0, this.#open)) this.#ask(socket)
    this.#stayAwake()
    await promise.finally(() => clearTimeout(timer))
  }

  /** To wake a process that sleeps costs the server more than a scheme does, and happens more or less by chance. */
  #stayAwake = () => {
    if (this.#open > 0) setImmediate(this.#stayAwake)
  }

  close () {
    for (const socket of this.#sockets) socket.destroy()
  }

  #listen (socket, i) {
    socket.setEncoding('latin1')
    socket.on('error', ({ message }) => this.#fail(`broke a connection: ${message}`))
    socket.on('end', () => this.#fail('closed a connection'))
    socket.on('data', (text) => {
      this.#texts[i] += text
      const answer = readAnswer(this.#texts[i])
      if (answer === null) return
      this.#texts[i] = ''
      if (answer.status === 200 && answer.body === BODY) this.#ask(socket)
      else this.#fail(`answers ${answer.status} ${answer.body} instead of 200 ${BODY}`)
    })
  }

  #ask (socket) {
    if (this.#left > 0) {
      this.#left--
      socket.write(this.#toRequest(), 'latin1')
    } else if (--this.#open === 0) {
      this.#end.resolve()
    }
  }

  #fail (what) {
    this.#open = 0
    this.#end?.reject(new BenchError(`${this.#label} ${what}.`))
  }
}

function withResolvers () {
  const deferred = {}
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }))
  return deferred
}
