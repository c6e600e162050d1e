import { isDeepStrictEqual } from 'node:util'
import t from 'tap'

import { tries } from '../fixtures/property.ts'
import { ask } from './ask.ts'
import { comparable, expectedOf } from './expect.ts'
import { count, vectors } from './vectors.ts'

import type { Answer } from './ask.ts'
import type { Vector } from './vectors.ts'

/** Vectors that are left out, or of which a part is: those with the ids, or with all of the tags. */
interface LeftOut {
  readonly ids?: readonly string[]
  readonly tags?: readonly string[]
  /** The one part of the answer that is left out; default: the vector as a whole. */
  readonly part?: 'viaScheme' | 'viaHelper'
}

/**
 * Vectors of the level `excluded` are run where the answer here is the same; none of them must be.
 * A reader can check the reasons in the README, RFC 9110 or Fastify.
 */
const LEFT_OUT: readonly (readonly [which: LeftOut, reason: string])[] = [
  [{ tags: ['drf-negotiation'] },
    'DRF negotiates a media type first, and refuses with its own message. Here only the Accept scheme reads ' +
      'the header, and one with no range left specifies no version: the default version, if allowed.'],
  [{ ids: ['accept-det-d28746bd4f', 'query-det-2e246cb7f0'] },
    'DRF takes ?format= for the name of a renderer, and answers 404 to an unknown one. Fastify has none.'],
  [{ tags: ['format-override', 'helper-differs'], part: 'viaHelper' },
    'The helper of DRF copies ?format= of the request into every link. Fastify has no renderers.'],
  [{ tags: ['invalid-host'] },
    'Django validates the Host header and answers 400. Fastify does not: the scheme takes it as it is.'],
  [{ tags: ['no-request-crash'], part: 'viaScheme' },
    'DRF raises an AttributeError for want of a request. Here a link outside a request has no version.'],
  [{ tags: ['args-kwargs-mix'] },
    'Django raises a ValueError for args next to kwargs. Here args fill what kwargs leave open.'],
  [{ ids: ['query-rev-b64a3c9208'] },
    'A path parameter of Django takes no slash. The router of Fastify decodes %2F to one.'],
  [{ ids: ['query-rev-257cae2e9e'] },
    'Django makes /users/./ of the value ".": another route to URL clients. Here it fits no parameter.'],
  [{ tags: ['invalid-utf8'] },
    'Django decodes bytes that are not UTF-8 to U+FFFD. The query parser of Fastify leaves them: %C3%28.'],
  [{ ids: ['accept-det-3f648b11c7', 'accept-det-d0ab8969a9'] },
    'DRF never finds a VERSION_PARAM with capitals. Here names match in any case (RFC 9110, 5.6.6).'],
  [{ ids: ['accept-det-f5d672f397', 'accept-det-f451a0ab9d', 'accept-det-9896edee5c'] },
    'DRF reads what the grammar does not take for a parameter: a slash or a byte above 127 in a token, space ' +
      'around "=". Here malformed parts are skipped (RFC 9110, 5.6.6).'],
  [{ ids: ['accept-det-48e269b65d', 'accept-det-7ae5a791a1'] },
    'DRF ranks media ranges without their weights. Here q ranks them first, and q=0 is out (RFC 9110, 12.4.2).']
]

/** The vectors of an entry, and what it names that no vector has. */
function select ({ ids, tags = [] }: LeftOut): { selected: Vector[], unmatched: string[] } {
  const selected = vectors.filter((vector) => (
    ids === undefined ? tags.every((tag) => vector.tags.includes(tag)) : ids.includes(vector.id)
  ))
  if (ids === undefined) return { selected, unmatched: selected.length === 0 ? [tags.join(' and ')] : [] }
  return { selected, unmatched: ids.filter((id) => !selected.some((vector) => vector.id === id)) }
}

const entries = LEFT_OUT.map(([which, reason]) => ({ ...which, reason, ...select(which) }))

/** The entry that excludes the vector, or a part of it. */
function entryOf (vector: Vector): LeftOut | undefined {
  return entries.find(({ selected }) => selected.includes(vector))
}

function isLeftOut (vector: Vector): boolean {
  const entry = entryOf(vector)
  return entry !== undefined && entry.part === undefined
}

function without (answer: Answer, part: string | undefined): Answer {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => key !== part))
}

/** What the plugin answered and what was expected; of several answers that are right, the one given. */
async function compare (vector: Vector): Promise<{ found: Answer, wanted: Answer }> {
  const found = comparable(vector, await ask(vector))
  const [first, ...others] = expectedOf(vector).map((answer) => comparable(vector, answer))
  return { found, wanted: others.find((answer) => isDeepStrictEqual(answer, found)) ?? first }
}

function isAsked (_vector: Vector, i: number): boolean {
  return i % (4 / tries(4)) === 0
}

const ran: Vector[] = []
const mandatory = vectors.filter((vector) => !isLeftOut(vector))
/** With fewer tries, a fourth of all is asked. */
const asked = mandatory.filter(isAsked)

for (const group of new Set(asked.map((vector) => vector.group))) {
  t.test(`${group} is answered as by DRF`, async (t) => {
    for (const vector of asked.filter((vector) => vector.group === group)) {
      const part = entryOf(vector)?.part
      const { found, wanted } = await compare(vector)
      t.strictSame(without(found, part), without(wanted, part), vector.id)
      ran.push(vector)
    }
  })
}

t.test('every excluded vector exists, is excluded once and is not in the specification', async (t) => {
  for (const { selected, unmatched, reason } of entries) {
    t.strictSame(unmatched, [], `matches vectors: ${reason}`)
    t.strictSame(selected.filter(({ level }) => level === 'seed'), [], `leaves out nothing of SPEC.md: ${reason}`)
  }
  const selected = entries.flatMap((entry) => entry.selected)
  t.equal(new Set(selected).size, selected.length, 'no vector is in two entries')
})

t.test('every excluded vector is answered differently from DRF', async (t) => {
  for (const { selected, part } of entries) {
    for (const vector of selected.filter(isAsked)) {
      const { found, wanted } = await compare(vector)
      const isStale = part === undefined
        ? isDeepStrictEqual(found, wanted)
        : isDeepStrictEqual(found[part], wanted[part])
      t.notOk(isStale, `${vector.id} is not a stale exclusion`)
    }
  }
})

t.test('every vector was run or is excluded', async (t) => {
  t.equal(vectors.length, count)
  t.equal(ran.length, asked.length, 'run')
  t.equal(mandatory.length + vectors.filter(isLeftOut).length, 400, 'run and left out')
})
