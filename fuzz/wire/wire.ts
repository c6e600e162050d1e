import fc from 'fast-check'

import { Mismatch } from '../fuzzer.ts'
import { print } from '../source.ts'
import { bytesOf, fields, frames, messages } from './attacks.ts'
import { Server, answersWrong } from './client.ts'

import type { Fuzzer } from '../fuzzer.ts'
import type { Message } from './attacks.ts'

type Case =
  | { readonly message: Message, readonly cut: number }
  | { readonly frames: Buffer }
  | { readonly fields: Record<string, string> }

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
    { weight: 4, arbitrary: fc.record({ frames }) },
    { weight: 4, arbitrary: fc.record({ fields }) }
  ),
  async check (subject) {
    const target = await running()
    const wrong = await attack(target, subject) ?? await target.check()
    if (wrong === null) return 1
    throw new Mismatch(programOf(subject), 'no 5xx, no crash, no hang, nothing that the client has written', wrong)
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
  if ('fields' in subject) return await target.request(subject.fields)
  if ('frames' in subject) return await target.sendFrames(subject.frames) === null ? 'the connection stays open' : null
  const answers = await target.send(cutOff(subject.message, subject.cut))
  return answers === null ? 'the connection stays open' : answersWrong(answers)
}

function cutOff (message: Message, cut: number): Buffer {
  const bytes = bytesOf(message)
  return bytes.subarray(0, Math.ceil(bytes.length * cut))
}

/** A program that sends the same to the server of fuzz/wire/server.ts. */
function programOf (subject: Case): string {
  if ('fields' in subject) return program([`console.log(await server.request(${print(subject.fields)}))`])
  const isFrames = 'frames' in subject
  const bytes = isFrames ? subject.frames : cutOff(subject.message, subject.cut)
  return sending(isFrames ? 'sendFrames' : 'send', print(bytes.toString('latin1')))
}

function sending (method: 'send' | 'sendFrames', text: string): string {
  return program([
    `const answers = await server.${method}(Buffer.from(${text}, 'latin1'))`,
    "console.log(answers?.toString('latin1'), answers && answersWrong(answers))"
  ])
}

function program (lines: readonly string[]): string {
  return [
    "import { Server, answersWrong } from './fuzz/wire/client.ts'",
    '',
    'const server = await Server.start()',
    ...lines,
    'console.log(await server.check())',
    'await server.close()'
  ].join('\n')
}
