import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import Fastify from 'fastify'
import { isDeepStrictEqual } from 'node:util'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { Mismatch } from '../fuzzer.ts'
import { MEMBER_OPS, TYPES } from './functions.ts'

import type { Fuzzer, Generated } from '../fuzzer.ts'
import type { MemberOp } from './functions.ts'

const ajv = new Ajv({ strict: false })
ajvFormats.default(ajv)

type Json = ReturnType<JSON['parse']>
type Convert = (value: Json) => Json

/** How the function of a whole object is written; the second half is wrong. */
const SHAPES = [
  'rest', 'rest', 'rest', 'rest', 'explicit', 'assigning',
  'without the others', 'typo', 'reads a typo', 'swapped', 'keeps the old one', 'needs one of two'
] as const
const RIGHT_SHAPES = SHAPES.slice(0, 6) as readonly string[]
const PLACES = ['top', 'top', 'nested', 'items'] as const
const REQUESTS = 60

const member = fc.record({ op: fc.nat(MEMBER_OPS.length - 1), older: fc.boolean(), newer: fc.boolean() })
const cases = fc.record({
  members: fc.array(member, { minLength: 1, maxLength: 3, size: 'max' }),
  shape: fc.constantFrom(...SHAPES),
  /** Which of the functions has the shape, if it is wrong. */
  isDowngrade: fc.boolean(),
  place: fc.constantFrom(...PLACES),
  /** Whether the object inside, or the list, may be absent. */
  isOptional: fc.boolean(),
  isClosed: fc.boolean(),
  answer: fc.constantFrom('plain', 'list', 'data', 'nullable'),
  seed: fc.integer()
})
type Case = Generated<typeof cases>

/** An app with one change: what its functions should do, and what they do. */
class Subject {
  readonly spec: Case
  readonly ops: readonly MemberOp[]

  constructor (spec: Case) {
    this.spec = spec
    this.ops = spec.members.map(({ op }) => MEMBER_OPS[op]!)
  }

  /** Null if it is a matter of taste. */
  get isRight (): boolean | null {
    const { members, shape, place } = this.spec
    const isRight = members.map(({ older, newer }, i) => this.ops[i]!.isRight(older, newer))
    if (!RIGHT_SHAPES.includes(shape) || isRight.includes(false)) return false
    // Only the outermost object is a copy.
    if (shape === 'assigning' && place !== 'top') return false
    return isRight.includes(null) ? null : true
  }

  /** The schema of the object with the members. */
  inner (isOlder: boolean): Json {
    const [name, side] = isOlder ? ['old', 'older'] as const : ['new', 'newer'] as const
    const properties = Object.fromEntries(this.ops.map((op, i) => [`${name}${i}`, TYPES[op[side]].schema]))
    const required = this.spec.members.flatMap((one, i) => one[side] ? [`${name}${i}`] : [])
    const isClosed = isOlder || this.spec.isClosed
    return {
      type: 'object',
      properties: { ...properties, note: { type: 'string' } },
      required,
      ...isClosed && { additionalProperties: false }
    }
  }

  schema (isOlder: boolean): Json {
    const { place, isOptional, isClosed } = this.spec
    const inner = this.inner(isOlder)
    if (place === 'top') return inner
    const properties = { id: { type: 'integer' }, in: place === 'nested' ? inner : { type: 'array', items: inner } }
    const more = (isOlder || isClosed) && { additionalProperties: false }
    return { type: 'object', properties, required: isOptional ? [] : ['in'], ...more }
  }

  /** What the function of the object inside does, as it is meant. */
  meant (isDowngrade: boolean): Convert {
    const [from, to, apply] = isDowngrade ? ['new', 'old', 'down'] as const : ['old', 'new', 'up'] as const
    return (value) => {
      const names = this.ops.map((_op, i) => `${from}${i}`)
      const rest = Object.entries(value).filter(([key]) => !names.includes(key))
      return Object.fromEntries([...rest, ...this.ops.map((op, i) => [`${to}${i}`, op[apply](value[`${from}${i}`])])])
    }
  }

  /** What it does. */
  written (isDowngrade: boolean): Convert {
    const [from, to, apply] = isDowngrade ? ['new', 'old', 'down'] as const : ['old', 'new', 'up'] as const
    const made = (value: Json) => (
      Object.fromEntries(this.ops.map((op, i) => [`${to}${i}`, op[apply](value[`${from}${i}`])]))
    )
    const { shape } = this.spec
    const isMeant = RIGHT_SHAPES.includes(shape) || isDowngrade === this.spec.isDowngrade || shape === 'swapped'
    switch (isMeant ? shape : 'rest') {
      case 'explicit': return (value) => ({ note: value.note, ...made(value) })
      case 'assigning': return (value) => {
        Object.assign(value, made(value))
        for (const i of this.ops.keys()) delete value[`${from}${i}`]
        return value
      }
      case 'without the others': return made
      case 'typo': return (value) => {
        const { [`${to}0`]: first, ...others } = this.meant(isDowngrade)(value)
        return { ...others, [`${to}o0`]: first }
      }
      case 'reads a typo': return (value) => {
        const others = Object.entries(value).filter(([key]) => key !== `${from}0`)
        return this.meant(isDowngrade)({ ...Object.fromEntries(others), [`${from}0`]: value[`${from}s0`] })
      }
      case 'swapped': return this.meant(!isDowngrade)
      case 'keeps the old one': return (value) => ({ ...value, ...made(value) })
      case 'needs one of two': return (value) => {
        if (value[`${from}0`] === undefined && value.note === undefined) throw new Error('Neither.')
        return this.meant(isDowngrade)(value)
      }
      default: return this.meant(isDowngrade)
    }
  }

  /** The function of the whole schema. */
  whole (inner: Convert): Convert {
    const { place } = this.spec
    if (place === 'top') return inner
    return ({ in: given, ...rest }) => ({
      ...rest, in: given === undefined ? given : Array.isArray(given) ? given.map(inner) : inner(given)
    })
  }

  /** A value: the example, or one by chance. */
  value (isOlder: boolean, pick: <Item>(items: readonly Item[]) => Item, isExample: boolean): Json {
    const [name, side] = isOlder ? ['old', 'older'] as const : ['new', 'newer'] as const
    const isIn = (isRequired: boolean) => isRequired || isExample || pick([true, true, false])
    const inner = () => Object.fromEntries([
      ...this.ops.flatMap((op, i) => {
        const { values } = TYPES[op[side]]
        if (!isIn(this.spec.members[i]![side])) return []
        return [[`${name}${i}`, isExample ? values.at(-1) : pick(values as unknown[])]]
      }),
      ...isIn(false) ? [['note', isExample ? 'n' : pick(['', 'n'])]] : []
    ])
    const { place, isOptional } = this.spec
    if (place === 'top') return structuredClone(inner())
    const length = isExample ? 1 : pick([0, 1, 2])
    const value = place === 'nested' ? inner() : Array.from({ length }, inner)
    return structuredClone({ ...isIn(false) && { id: 7 }, ...isIn(!isOptional) && { in: value } })
  }
}

async function check (spec: Case): Promise<number> {
  const subject = new Subject(spec)
  const [upgrade, downgrade] = [false, true].map((isDowngrade) => subject.whole(subject.written(isDowngrade)))
  const [meantUp, meantDown] = [false, true].map((isDowngrade) => subject.whole(subject.meant(isDowngrade)))
  const app = Fastify()
  const change = {
    version: 'v2',
    description: 'Changed.',
    schemas: { B: { older: subject.schema(true), upgrade: upgrade!, downgrade: downgrade! } }
  }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
  app.addSchema({ $id: 'B', ...subject.schema(false) })
  const same = (value: Json) => value
  const wrap = { plain: same, list: (value: Json) => [value], data: (data: Json) => ({ data }), nullable: same }
  const $ref = { $ref: 'B#' }
  const answer = {
    plain: $ref,
    list: { type: 'array', items: $ref },
    data: { type: 'object', properties: { data: $ref } },
    nullable: { anyOf: [$ref, { type: 'null' }] }
  }[spec.answer]
  let row: Json
  app.post('/b', { schema: { body: $ref, response: { 204: {} } } }, async ({ body }, reply) => {
    row = body
    return await reply.code(204).send()
  })
  app.get('/b', { schema: { response: { 200: answer } } }, async () => wrap[spec.answer](row))
  await app.ready()
  try {
    const example = (isOlder: boolean) => [subject.value(isOlder, (items) => items[0]!, true)]
    const problems = checkChanges(app, { B: { v1: example(true), v2: example(false) } })
    const { isRight } = subject
    if (isRight === true && problems.length > 0) throw new Mismatch(described(subject), 'no alarm', problems)
    if (problems.length > 0) return 1
    const pick = pickBy(spec.seed)
    const schema = subject.schema(true)
    const isValid = ajv.compile(schema)
    const send = (method: 'GET' | 'POST', version: string, payload?: object) => (
      app.inject({ method, url: '/b', headers: { 'api-version': version }, ...payload && { payload } })
    )
    for (let i = 0; i < REQUESTS; i++) {
      const isOlder = i % 2 === 0
      const body = subject.value(isOlder, pick, false)
      const written = await send('POST', isOlder ? 'v1' : 'v2', body)
      expect(subject, body, 204, written.statusCode)
      // An open schema lets pass what is not removed.
      const stored = spec.shape === 'keeps the old one' ? project(subject.schema(false), row) : row
      expect(subject, body, isOlder ? json(meantUp!(structuredClone(body))) : body, stored)
      const before = structuredClone(row)
      const read = await send('GET', 'v1')
      expect(subject, before, 200, read.statusCode)
      expect(subject, before, before, row)
      const meant = json(meantDown!(structuredClone(row)))
      const seen = project(schema, meant)
      expect(subject, before, wrap[spec.answer](seen), read.json())
      const [there, wire] = [namesIn(before), namesIn(seen)]
      expect(subject, before, [], [...namesIn(meant)].filter((name) => !there.has(name) && !wire.has(name)))
      expect(subject, before, null, isValid(seen) ? null : isValid.errors)
    }
    return REQUESTS
  } finally {
    await app.close()
  }
}

/**
 * Where `checkChanges` finds nothing, older clients get no 500, nothing is lost, and the handler keeps what it has.
 * Where the functions are right, it finds nothing.
 */
export const sound: Fuzzer<Case> = { name: 'sound', cases, batch: 300, check }

function expect (subject: Subject, value: Json, expected: unknown, got: unknown): void {
  if (!isDeepStrictEqual(got, expected)) throw new Mismatch({ ...described(subject), value }, expected, got)
}

/** An app as a failure shows it. */
function described ({ spec: { seed, members, ...spec }, ops }: Subject): object {
  const functions = members.map(({ older, newer }, i) => {
    const op = ops[i]!
    const sides = [`${op.older}${older ? '' : '?'}`, `${op.newer}${newer ? '' : '?'}`].join(' → ')
    return `${sides}   ${String(op.up)}   ${String(op.down)}`
  })
  return { ...spec, functions }
}

/** What a client of a schema can see of a value. */
function project (schema: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => project(schema.items, item))
  if (typeof value !== 'object' || value === null) return value
  const branches = schema.anyOf ?? [schema]
  const { properties, additionalProperties } = branches.find((one: Json) => (
    one.properties !== undefined && (one.required ?? []).every((key: string) => key in value) &&
      (one.properties.kind === undefined || one.properties.kind.const === value.kind)
  )) ?? {}
  return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => {
    if (properties?.[key] !== undefined) return [[key, project(properties[key], member)]]
    return additionalProperties === true ? [[key, member]] : []
  }))
}

/** The names of all members in a value. */
function namesIn (value: Json, names = new Set<string>()): Set<string> {
  for (const [key, member] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
    names.add(key)
    namesIn(member, names)
  }
  return names
}

function json (value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

/** Picks by chance, always the same for one seed (mulberry32). */
function pickBy (seed: number) {
  let state = seed
  return <Item>(items: readonly Item[]): Item => {
    state = (state + 0x6D2B79F5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)
    return items[((bits ^ (bits >>> 14)) >>> 0) % items.length]!
  }
}
