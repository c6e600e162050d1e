import { once } from 'node:events'
import { connect } from 'node:net'

import { readAnswer } from './answer.js'
import { requestText } from './apps.js'

const CONNECTIONS = 32
const PATIENCE_MS = 60_000

/** Sends requests over keep-alive connections, one at a time on each, and checks every answer. */
export class Load {
  #name
  #app
  #sockets
  #texts
  #sent = 0
  #left = 0
  #open = 0
  #end

  /**
   * @param name what an error calls the app
   * @param app one of the apps
   */
  static async open (name, app, port) {
    const load = new Load()
    load.#name = name
    load.#app = app
    load.#sockets = Array.from({ length: CONNECTIONS }, () => connect({ host: '127.0.0.1', port, noDelay: true }))
    load.#texts = load.#sockets.map(() => '')
    await Promise.all(load.#sockets.map((socket) => once(socket, 'connect')))
    for (const [i, socket] of load.#sockets.entries()) load.#listen(socket, i)
    return load
  }

  /**
   * Sends a number of requests, and waits for the answers.
   *
   * @throws Error if one is wrong, or does not come
   */
  run (count) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(`has not answered for ${PATIENCE_MS / 1000} seconds`), PATIENCE_MS)
      this.#left = count
      this.#end = (error) => {
        clearTimeout(timer)
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#open = Math.min(CONNECTIONS, count)
      for (const socket of this.#sockets.slice(0, this.#open)) this.#ask(socket)
      this.#stayAwake()
    })
  }

  close () {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** To wake a process that sleeps costs the server more than a scheme does, and happens more or less by chance. */
  #stayAwake = () => {
    if (this.#open > 0) setImmediate(this.#stayAwake)
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
      if (answer.status === 200 && answer.body === this.#app.body) this.#ask(socket)
      else this.#fail(`answers ${answer.status} ${answer.body} instead of 200 ${this.#app.body}`)
    })
  }

  #ask (socket) {
    if (this.#left > 0) {
      this.#left--
      socket.write(requestText(this.#app, this.#sent++), 'latin1')
    } else if (--this.#open === 0) {
      this.#end()
    }
  }

  #fail (what) {
    this.#open = 0
    this.#end?.(new Error(`${this.#name} ${what}.`))
  }
}
