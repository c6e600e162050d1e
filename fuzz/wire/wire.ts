import fc from 'fast-check'

import { Mismatch } from '../fuzzer.ts'
import { bytesOf, frames, messages } from './attacks.ts'
import { Server, answersWrong } from './client.ts'

import type { Fuzzer } from '../fuzzer.ts'
import type { Message } from './attacks.ts'

type Case = { readonly message: Message, readonly cut: number } | { readonly frames: Buffer }

/** Now and then a message is cut off. */
const cut = fc.oneof(
  { weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) }
)

/** Raw sockets, where the only promise is that nothing breaks. The server is in fuzz/wire/server.ts. */
export const wire: Fuzzer<Case> = {
  name: 'wire',
  batch: 25,
  cases: fc.oneof<fc.WeightedArbitrary<Case>[]>(
    { weight: 10, arbitrary: fc.record({ message: messages, cut }) },
    { weight: 8, arbitrary: fc.record({ frames }) }
  ),
  async check (subject) {
    const target = await running()
    const wrong = await attack(target, subject) ?? await target.check()
    if (wrong === null) return 1
    throw new Mismatch(shown(subject), 'no 5xx, no crash, no hang, nothing that the client has written', wrong)
  },
  close
}

let server: Server | undefined

async function running (): Promise<Server> {
  if (server?.isAlive !== true) server = await Server.start()
  return server
}

async function close (): Promise<void> {
  await server?.close()
  server = undefined
}

async function attack (target: Server, subject: Case): Promise<string | null> {
  if ('frames' in subject) return await target.sendFrames(subject.frames) === null ? 'the connection stays open' : null
  const answers = await target.send(cutOff(subject.message, subject.cut))
  return answers === null ? 'the connection stays open' : answersWrong(answers)
}

function cutOff (message: Message, cut: number): Buffer {
  const bytes = bytesOf(message)
  return bytes.subarray(0, Math.ceil(bytes.length * cut))
}

/** The bytes, as text of latin1. */
function shown (subject: Case): unknown {
  return ('frames' in subject ? subject.frames : cutOff(subject.message, subject.cut)).toString('latin1')
}
