import fc from 'fast-check'

import { Mismatch } from '../fuzzer.ts'
import { frames, messages } from './attacks.ts'
import { Server, answersWrong } from './client.ts'

import type { Fuzzer } from '../fuzzer.ts'

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
