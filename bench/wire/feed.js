import { Duplex } from 'node:stream'

import { apps, requestText } from './apps.js'
import { readAnswer } from './answer.js'

/** A connection without a network: requests go to Node's own parser, one at a time, and every answer is checked. */
export class Feed {
  #app
  #socket
  #text = ''
  #sent = 0
  #left = 0
  #end

  constructor ({ server }, name) {
    this.#app = apps[name]
    this.#socket = new Duplex({
      read () {},
      write: (chunk, _encoding, done) => {
        this.#take(chunk.latin1Slice())
        done()
      }
    })
    server.emit('connection', this.#socket)
  }

  run (count) {
    return new Promise((resolve, reject) => {
      this.#left = count
      this.#end = (error) => error === undefined ? resolve() : reject(error)
      this.#ask()
    })
  }

  #ask = () => {
    if (this.#left-- === 0) this.#end()
    else this.#socket.push(requestText(this.#app, this.#sent++), 'latin1')
  }

  #take (text) {
    this.#text += text
    const answer = readAnswer(this.#text)
    if (answer === null) return
    this.#text = ''
    const { status, body } = answer
    if (status === 200 && body === this.#app.body) process.nextTick(this.#ask)
    else this.#end(new Error(`The answer is ${status} ${body} instead of 200 ${this.#app.body}.`))
  }
}
