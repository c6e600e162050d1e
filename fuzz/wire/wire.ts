import fc from 'fast-check'

import { Mismatch } from '../fuzzer.ts'
import { print } from '../source.ts'
import { bytesOf, fields, floodOf, floods, frames, messages } from './attacks.ts'
import { Server, answersWrong } from './client.ts'

import type { Fuzzer } from '../fuzzer.ts'
import type { Flood, Message } from './attacks.ts'

type Case =
  | { readonly message: Message, readonly cut: number }
  | { readonly frames: Buffer }
  | { readonly fields: Record<string, string> }
  | { readonly flood: Flood }

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
    { weight: 4, arbitrary: fc.record({ fields }) },
    { weight: 1, arbitrary: fc.record({ flood: floods }) }
  ),
  async check (subject) {
    if (server?.isAlive !== true) server = await Server.start()
    const wrong = await attack(server, subject) ?? await server.check()
    if (wrong === null) return 1
    throw new Mismatch(programOf(subject), 'no 5xx, no crash, no hang, nothing that the client has written', wrong)
  },
  async close () {
    await server?.close()
    server = undefined
  }
}

let server: Server | undefined

async function attack (target: Server, subject: Case): Promise<string | null> {
  if ('fields' in subject) return await target.request(subject.fields)
  if ('frames' in subject) return await target.sendFrames(subject.frames) === null ? 'the connection stays open' : null
  if ('flood' in subject) return await growth(target, subject.flood)
  const answers = await target.send(cutOff(subject.message, subject.cut))
  return answers === null ? 'the connection stays open' : answersWrong(answers)
}

function cutOff (message: Message, cut: number): Buffer {
  const bytes = bytesOf(message)
  return bytes.subarray(0, Math.ceil(bytes.length * cut))
}

const [SMALL, LARGE] = [16_000, 64_000]

/**
 * Whether the time grows faster than the input: of the shortest times of some rounds, four times the input may take ten
 * times as long, and some milliseconds. What looks like it is measured again.
 */
async function growth (target: Server, flood: Flood): Promise<string | null> {
  let wrong: string | null = null
  for (const rounds of [3, 6, 12, 24]) {
    const [short, long] = [SMALL, LARGE].map((size) => floodOf(flood, size)) as [Buffer, Buffer]
    let [shortest, longest] = [Infinity, Infinity]
    for (let round = 0; round < rounds; round++) {
      for (const bytes of [short, long]) {
        const start = performance.now()
        const answers = await target.send(bytes)
        const time = performance.now() - start
        const broken = answers === null ? 'the connection stays open' : answersWrong(answers)
        if (broken !== null) return broken
        if (bytes === short) shortest = Math.min(shortest, time)
        else longest = Math.min(longest, time)
      }
    }
    if (longest <= 10 * shortest + 5) return null
    wrong = `${SMALL} bytes take ${shortest} ms, ${LARGE} take ${longest} ms`
  }
  return wrong
}

/** A program that sends the same to the server of fuzz/wire/server.ts. */
function programOf (subject: Case): string {
  const lines = [
    "import { Server, answersWrong } from './fuzz/wire/client.ts'",
    '',
    'const server = await Server.start()'
  ]
  if ('fields' in subject) lines.push(`console.log(await server.request(${print(subject.fields)}))`)
  else {
    const bytes = 'frames' in subject
      ? subject.frames
      : 'flood' in subject ? floodOf(subject.flood, LARGE) : cutOff(subject.message, subject.cut)
    const text = 'flood' in subject ? shortened(subject.flood) : print(bytes.toString('latin1'))
    lines.push(
      `const answers = await server.${'frames' in subject ? 'sendFrames' : 'send'}(Buffer.from(${text}, 'latin1'))`,
      "console.log(answers?.toString('latin1'), answers && answersWrong(answers))"
    )
  }
  return [...lines, 'console.log(await server.check())', 'await server.close()'].join('\n')
}

function shortened (flood: Flood): string {
  return `(await import('./fuzz/wire/attacks.ts')).floodOf(${print(flood)}, ${LARGE})`
}
