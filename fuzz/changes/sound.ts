import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { Mismatch } from '../fuzzer.ts'
import { MEMBER_OPS, TYPES } from './functions.ts'
import { zodOf } from './zod.ts'

import type { FastifyInstance } from 'fastify'
import type { Fuzzer, Generated } from '../fuzzer.ts'
import type { MemberOp, TypeName } from './functions.ts'

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

/** What is written of one change. */
const written = fc.record({
  shape: fc.constantFrom(...SHAPES),
  /** Which of the functions has the shape, if it is wrong. */
  isDowngrade: fc.boolean()
})
const member = fc.record({
  op: fc.nat(MEMBER_OPS.length - 1),
  older: fc.boolean(),
  newer: fc.boolean(),
  /** What the second change does, of all that begin with what the first one has made. */
  then: fc.record({ op: fc.nat(), newer: fc.boolean() })
})
const cases = fc.record({
  members: fc.array(member, { minLength: 1, maxLength: 3, size: 'max' }),
  first: written,
  second: fc.option(written, { freq: 1 }),
  place: fc.constantFrom(...PLACES),
  /** Whether the object inside, or the list, may be absent. */
  isOptional: fc.boolean(),
  isClosed: fc.boolean(),
  isZod: fc.boolean(),
  answer: fc.constantFrom('plain', 'list', 'data', 'nullable'),
  seed: fc.integer()
})
type Case = Generated<typeof cases>

/** A member of one version. */
interface Member { readonly name: string, readonly type: TypeName, readonly isRequired: boolean }

/** One change: what its functions should do, and what they do. */
class Link {
  readonly shape: typeof SHAPES[number]
  readonly isDowngrade: boolean
  readonly place: Case['place']
  readonly ops: readonly MemberOp[]
  readonly older: readonly Member[]
  readonly newer: readonly Member[]

  constructor (
    { shape, isDowngrade }: Generated<typeof written>, place: Case['place'], ops: readonly MemberOp[],
    older: readonly Member[], newer: readonly Member[]
  ) {
    this.shape = shape
    this.isDowngrade = isDowngrade
    this.place = place
    this.ops = ops
    this.older = older
    this.newer = newer
  }

  /** Null if it is a matter of taste. */
  get isRight (): boolean | null {
    const isRight = this.ops.map((op, i) => op.isRight(this.older[i]!.isRequired, this.newer[i]!.isRequired))
    if (!RIGHT_SHAPES.includes(this.shape) || isRight.includes(false)) return false
    // Only the outermost object is a copy.
    if (this.shape === 'assigning' && this.place !== 'top') return false
    return isRight.includes(null) ? null : true
  }

  /** The names before and after a function, and what it makes of members. */
  #sides (isDowngrade: boolean) {
    const names = [this.older, this.newer].map((members) => members.map(({ name }) => name))
    const [from, to] = isDowngrade ? names.reverse() : names
    return { from: from!, to: to!, apply: isDowngrade ? 'down' as const : 'up' as const }
  }

  /** What the function of the object inside does, as it is meant. */
  meant (isDowngrade: boolean): Convert {
    const { from, to, apply } = this.#sides(isDowngrade)
    return (value) => {
      const rest = Object.entries(value).filter(([key]) => !from.includes(key))
      return Object.fromEntries([...rest, ...this.ops.map((op, i) => [to[i], op[apply](value[from[i]!])])])
    }
  }

  /** What it does. */
  written (isDowngrade: boolean): Convert {
    const { from, to, apply } = this.#sides(isDowngrade)
    const made = (value: Json) => Object.fromEntries(this.ops.map((op, i) => [to[i], op[apply](value[from[i]!])]))
    const { shape } = this
    const isMeant = RIGHT_SHAPES.includes(shape) || isDowngrade === this.isDowngrade || shape === 'swapped'
    switch (isMeant ? shape : 'rest') {
      case 'explicit': return (value) => ({ note: value.note, ...made(value) })
      case 'assigning': return (value) => {
        Object.assign(value, made(value))
        for (const name of from) delete value[name]
        return value
      }
      case 'without the others': return made
      case 'typo': return (value) => {
        const { [to[0]!]: first, ...others } = this.meant(isDowngrade)(value)
        return { ...others, [to[0]!.replace('0', 'o0')]: first }
      }
      case 'reads a typo': return (value) => {
        const others = Object.entries(value).filter(([key]) => key !== from[0])
        return this.meant(isDowngrade)({
          ...Object.fromEntries(others), [from[0]!]: value[from[0]!.replace('0', 's0')]
        })
      }
      case 'swapped': return this.meant(!isDowngrade)
      case 'keeps the old one': return (value) => ({ ...value, ...made(value) })
      case 'needs one of two': return (value) => {
        if (value[from[0]!] === undefined && value.note === undefined) throw new Error('Neither.')
        return this.meant(isDowngrade)(value)
      }
      default: return this.meant(isDowngrade)
    }
  }

  /** The function of the whole schema. */
  whole (inner: Convert): Convert {
    if (this.place === 'top') return inner
    return ({ in: inside, ...rest }) => ({
      ...rest, in: inside === undefined ? inside : Array.isArray(inside) ? inside.map(inner) : inner(inside)
    })
  }
}

/** An app with one change, or with two. */
class Subject {
  readonly spec: Case
  /** The oldest one first. */
  readonly links: readonly Link[]
  /** By version, the oldest one first. */
  readonly members: readonly (readonly Member[])[]

  constructor (spec: Case) {
    this.spec = spec
    const { members, first, second, place } = spec
    const ops = members.map(({ op }) => MEMBER_OPS[op]!)
    const next = members.map(({ then }, i) => {
      const fitting = MEMBER_OPS.filter(({ older }) => older === ops[i]!.newer)
      return fitting[then.op % fitting.length]!
    })
    const older = members.map(({ older }, i) => ({ name: `old${i}`, type: ops[i]!.older, isRequired: older }))
    const newer = members.map(({ newer }, i) => (
      { name: `${second === null ? 'new' : 'mid'}${i}`, type: ops[i]!.newer, isRequired: newer }
    ))
    const newest = members.map(({ then }, i) => ({ name: `new${i}`, type: next[i]!.newer, isRequired: then.newer }))
    this.members = second === null ? [older, newer] : [older, newer, newest]
    this.links = [
      new Link(first, place, ops, older, newer),
      ...second === null ? [] : [new Link(second, place, next, newer, newest)]
    ]
  }

  get isRight (): boolean | null {
    const isRight = this.links.map((link) => link.isRight)
    return isRight.includes(false) ? false : isRight.includes(null) ? null : true
  }

  /** The schema of a version, by its index. */
  schema (version: number): Json {
    const { place, isOptional, isClosed } = this.spec
    const members = this.members[version]!
    const closed = (version < this.links.length || isClosed) && { additionalProperties: false }
    const inner = {
      type: 'object',
      properties: {
        ...Object.fromEntries(members.map(({ name, type }) => [name, TYPES[type].schema])), note: { type: 'string' }
      },
      required: members.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      ...closed
    }
    if (place === 'top') return inner
    const properties = { id: { type: 'integer' }, in: place === 'nested' ? inner : { type: 'array', items: inner } }
    return { type: 'object', properties, required: isOptional ? [] : ['in'], ...closed }
  }

  /** A value of a version: the example, or one by chance. */
  value (version: number, pick: <Item>(items: readonly Item[]) => Item, isExample: boolean): Json {
    const isIn = (isRequired: boolean) => isRequired || isExample || pick([true, true, false])
    const inner = () => Object.fromEntries([
      ...this.members[version]!.flatMap(({ name, type, isRequired }) => {
        const { values } = TYPES[type]
        return isIn(isRequired) ? [[name, isExample ? values.at(-1) : pick(values as unknown[])]] : []
      }),
      ...isIn(false) ? [['note', isExample ? 'n' : pick(['', 'n'])]] : []
    ])
    const { place, isOptional } = this.spec
    if (place === 'top') return structuredClone(inner())
    const length = isExample ? 1 : pick([0, 1, 2])
    const value = place === 'nested' ? inner() : Array.from({ length }, inner)
    return structuredClone({ ...isIn(false) && { id: 7 }, ...isIn(!isOptional) && { in: value } })
  }

  /** What the functions from a version to the newest one should do, or those back. */
  meant (isDowngrade: boolean, version: number): Convert {
    const links = this.links.slice(version)
    const converts = links.map((link) => link.whole(link.meant(isDowngrade)))
    if (isDowngrade) converts.reverse()
    return (value) => converts.reduce((value, convert) => json(convert(value)), value)
  }
}

/** An app, whose route returns what it has been sent last. */
async function appOf (subject: Subject, row: { value: Json }) {
  const { spec: { answer, isZod }, links } = subject
  const versions = ['v1', 'v2', 'v3'].slice(0, links.length + 1)
  const schemaOf = (version: number) => isZod ? zodOf(subject.schema(version)) : subject.schema(version)
  const changes = links.map((link, i) => {
    const [upgrade, downgrade] = [false, true].map((isDowngrade) => link.whole(link.written(isDowngrade)))
    return {
      version: versions[i + 1]!,
      description: 'Changed.',
      schemas: { B: { older: schemaOf(i), upgrade: upgrade!, downgrade: downgrade! } }
    }
  })
  const app = Fastify()
  if (isZod) app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: versions, changes })
  const schemas = isZod ? zodSchemas(schemaOf(links.length) as z.ZodType) : jsonSchemas(app, schemaOf(links.length))
  const wrap = WRAPS[answer]
  app.post('/b', { schema: { body: schemas.plain, response: { 204: schemas.nothing } } }, async ({ body }, reply) => {
    row.value = body
    return await reply.code(204).send()
  })
  app.get('/b', { schema: { response: { 200: schemas[answer] } } }, async () => wrap(row.value))
  await app.ready()
  return { app, versions, wrap }
}

const WRAPS = {
  plain: (value: Json): Json => value,
  list: (value: Json): Json => [value],
  data: (data: Json): Json => ({ data }),
  nullable: (value: Json): Json => value
}

function jsonSchemas (app: FastifyInstance, schema: object) {
  app.addSchema({ $id: 'B', ...schema })
  const plain = { $ref: 'B#' }
  return {
    plain,
    list: { type: 'array', items: plain },
    data: { type: 'object', properties: { data: plain } },
    nullable: { anyOf: [plain, { type: 'null' }] },
    nothing: {}
  }
}

function zodSchemas (schema: z.ZodType) {
  z.globalRegistry.clear()
  const plain = schema.meta({ id: 'B' })
  return { plain, list: z.array(plain), data: z.object({ data: plain }), nullable: plain.nullable(), nothing: z.any() }
}

async function check (spec: Case): Promise<number> {
  const subject = new Subject(spec)
  const row: { value: Json } = { value: undefined }
  const { app, versions, wrap } = await appOf(subject, row)
  try {
    const examples = versions.map((version, i) => [version, [subject.value(i, (items) => items[0]!, true)]])
    const problems = checkChanges(app, { B: Object.fromEntries(examples) })
    if (subject.isRight === true && problems.length > 0) throw new Mismatch(described(subject), 'no alarm', problems)
    if (problems.length > 0) return 1
    const pick = pickBy(spec.seed)
    const older = versions.slice(0, -1).map((version, i) => {
      const schema = subject.schema(i)
      return { version, schema, isValid: ajv.compile(schema), meantDown: subject.meant(true, i) }
    })
    const send = (method: 'GET' | 'POST', version: string, payload?: object) => (
      app.inject({ method, url: '/b', headers: { 'api-version': version }, ...payload && { payload } })
    )
    const keepsOldOnes = subject.links.some(({ shape }) => shape === 'keeps the old one')
    for (let i = 0; i < REQUESTS; i++) {
      const index = i % versions.length
      const body = subject.value(index, pick, false)
      const written = await send('POST', versions[index]!, body)
      expect(subject, body, 204, written.statusCode)
      // An open schema lets pass what is not removed.
      const stored = keepsOldOnes ? project(subject.schema(older.length), row.value) : row.value
      expect(subject, body, subject.meant(false, index)(structuredClone(body)), stored)
      const before = structuredClone(row.value)
      // A handler may keep what nobody can change.
      if (pick([true, false])) freeze(row.value)
      const { version, schema, isValid, meantDown } = pick(older)
      const read = await send('GET', version)
      expect(subject, before, 200, read.statusCode)
      expect(subject, before, before, row.value)
      const meant = meantDown(structuredClone(row.value))
      const seen = project(schema, meant)
      expect(subject, before, wrap(seen), read.json())
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
function described ({ spec: { seed, members, ...spec }, links }: Subject): object {
  const functions = links.map(({ ops, older, newer }) => ops.map((op, i) => {
    const sides = [older, newer].map((members) => `${members[i]!.type}${members[i]!.isRequired ? '' : '?'}`).join(' → ')
    return `${sides}   ${String(op.up)}   ${String(op.down)}`
  }))
  return { ...spec, functions }
}

/** What a client of a schema can see of a value. */
function project (schema: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => project(schema.items, item))
  if (typeof value !== 'object' || value === null) return value
  const branches = schema.anyOf ?? [schema]
  const { properties, additionalProperties } = branches.find((branch: Json) => (
    (branch.properties ?? branch.additionalProperties) !== undefined &&
      (branch.required ?? []).every((key: string) => key in value) &&
      (branch.properties?.kind === undefined || branch.properties.kind.const === value.kind)
  )) ?? {}
  return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => {
    if (properties?.[key] !== undefined) return [[key, project(properties[key], member)]]
    if (typeof additionalProperties === 'object') return [[key, project(additionalProperties, member)]]
    return additionalProperties === true ? [[key, member]] : []
  }))
}

function freeze (value: Json): void {
  for (const member of Object.values(Object.freeze(Object(value)))) if (typeof member === 'object') freeze(member)
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
