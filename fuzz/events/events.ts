import fc from 'fast-check'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'

import versioning, { HeaderVersioning, QueryParameterVersioning, byDate } from '../../src/index.ts'
import { Mismatch } from '../fuzzer.ts'

import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { Change } from '../../types/index.d.ts'
import type { Fuzzer, Generated } from '../fuzzer.ts'

type Value = Record<string, unknown>
interface Member { readonly json: object, readonly zod: z.ZodType, readonly values: readonly unknown[] }

const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const noon = new Date('2026-01-02T12:00:00Z')
const shape = z.object({ v: z.string() })
const kinds = [
  object({ kind: { const: 'a' }, a: text }, { required: ['kind'] }),
  object({ kind: { const: 'b' }, b: integer }, { required: ['kind'] })
]

/** What members of a value are, and values that fit, or nearly do. */
const MEMBERS = {
  text: { json: text, zod: z.string(), values: ['', 'Ada', 7, null, noon, 5n] },
  integer: { json: integer, zod: z.int(), values: [0, -1, 2.5, '7', 5n, 'x'] },
  number: { json: { type: 'number' }, zod: z.number(), values: [0, -0, 19.99, '2', NaN, Infinity] },
  flag: { json: { type: 'boolean' }, zod: z.boolean(), values: [true, false, 'no', null] },
  moment: {
    json: { ...text, format: 'date-time' },
    zod: z.iso.datetime(),
    values: [noon, noon.toISOString(), '2026-01-31T12:00:00+02:00', 'soon', new Date(NaN), null]
  },
  day: { json: { ...text, format: 'date' }, zod: z.iso.date(), values: [noon, '2026-01-02', 'soon', null] },
  time: { json: { ...text, format: 'time' }, zod: z.iso.time(), values: [noon, '12:00:00', 'soon'] },
  maybe: { json: { type: ['string', 'null'] }, zod: z.string().nullable(), values: [null, 'x', 7] },
  nullable: { json: { ...integer, nullable: true }, zod: z.int().nullable(), values: [null, 0, '7'] },
  fallback: { json: { ...text, default: 'none' }, zod: z.string().default('none'), values: ['x', ''] },
  anything: { json: {}, zod: z.any(), values: [null, [noon], { at: noon, deep: [{ x: 1 }] }, 'x', 5n] },
  texts: { json: { type: 'array', items: text }, zod: z.array(z.string()), values: [[], ['a', 7], 'x', [null, noon]] },
  moments: {
    json: { type: 'array', items: { ...text, format: 'date-time' } },
    zod: z.array(z.iso.datetime()),
    values: [[], [noon, noon.toISOString()], [null]]
  },
  map: {
    json: { type: 'object', additionalProperties: integer },
    zod: z.record(z.string(), z.int()),
    values: [{}, { a: 1, b: '2' }, JSON.parse('{"__proto__":1}'), null, []]
  },
  patterns: {
    json: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
    zod: z.record(z.string(), z.string()),
    values: [{}, { 'x-a': 'b', c: 'd' }]
  },
  part: {
    json: object({ v: text, at: { ...text, format: 'date' } }),
    zod: shape,
    values: [{}, { v: 'a', at: noon, z: 1 }, { toJSON: () => ({ v: 'j' }) }, null, 'x']
  },
  closed: {
    json: object({ v: text }, { required: ['v'], additionalProperties: false }),
    zod: z.strictObject({ v: z.string() }),
    values: [{ v: 'a' }, { v: 'a', z: 1 }, {}]
  },
  open: {
    json: object({ v: text }, { additionalProperties: true }),
    zod: z.looseObject({ v: z.string() }),
    values: [{ v: 'a' }, { v: 'a', z: { at: noon } }, {}]
  },
  parts: { json: { type: 'array', items: object({ v: text }) }, zod: z.array(shape), values: [[], [{ v: 'a', z: 1 }]] },
  union: { json: { anyOf: [text, integer] }, zod: z.union([z.string(), z.int()]), values: ['a', 7, {}, null, noon] },
  kinds: {
    json: { anyOf: kinds },
    zod: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }), z.object({ kind: z.literal('b'), b: z.int() })
    ]),
    values: [{ kind: 'a', a: 'x', z: 1 }, { kind: 'b', b: 7 }, { kind: 'c' }, null]
  },
  choice: { json: { enum: ['a', 'b'] }, zod: z.enum(['a', 'b']), values: ['a', 'c', 1] }
} satisfies Record<string, Member>

type Name = keyof typeof MEMBERS
const NAMES = Object.keys(MEMBERS) as Name[]

/** What a change makes of a member: the older schema has another name, another member, or none. */
const OPS = ['keep', 'keep', 'keep', 'rename', 'drop', 'other'] as const

/** Where the changed value stands in the event. */
const PLACES = {
  whole: (thing: object) => thing,
  list: (thing: object) => ({ type: 'array', items: thing }),
  map: (thing: object) => ({ type: 'object', additionalProperties: thing }),
  inside: (thing: object) => object({ thing, things: { type: 'array', items: thing }, id: integer }),
  nullable: (thing: object) => object({ thing: { anyOf: [thing, { type: 'null' }] } })
}
const IN_PLACE: Record<keyof typeof PLACES, (value: unknown) => unknown> = {
  whole: (value) => value,
  list: (value) => [value, value],
  map: (value) => ({ a: value, b: value }),
  inside: (thing) => ({ thing, things: [thing], id: 7, internal: thing }),
  nullable: (thing) => ({ thing })
}
const ZOD_PLACES: Record<keyof typeof PLACES, (thing: z.ZodType) => z.ZodType> = {
  whole: (thing) => thing,
  list: (thing) => z.array(thing),
  map: (thing) => z.record(z.string(), thing),
  inside: (thing) => z.object({ thing, things: z.array(thing), id: z.int() }),
  nullable: (thing) => z.object({ thing: thing.nullable() })
}

const memberArbitrary = fc.record({
  name: fc.constantFrom(...NAMES),
  op: fc.constantFrom(...OPS),
  other: fc.constantFrom(...NAMES),
  changedIn: fc.constantFrom(1, 2),
  isRequired: fc.boolean()
})
const valueArbitrary = fc.record({
  /** For each member: which of its values, any other value, or none. */
  picks: fc.array(fc.oneof(
    { weight: 8, arbitrary: fc.nat(1) },
    { weight: 2, arbitrary: fc.nat(5) },
    { weight: 1, arbitrary: fc.record({ any: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()) }) },
    { weight: 1, arbitrary: fc.constant(null) }
  ), { minLength: 6, maxLength: 6 }),
  extra: fc.constantFrom(null, null, 'internal', 'date', '__proto__', 'toJSON')
})
const eventArbitrary = fc.record({
  kind: fc.constantFrom('json', 'json', 'json', 'typebox', 'zod'),
  hasDates: fc.boolean(),
  scheme: fc.constantFrom('header', 'list'),
  place: fc.constantFrom(...Object.keys(PLACES) as (keyof typeof PLACES)[]),
  isShared: fc.boolean(),
  rest: fc.constantFrom(undefined, true, false, 'integer'),
  members: fc.uniqueArray(memberArbitrary, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
  values: fc.array(valueArbitrary, { minLength: 20, maxLength: 30 })
})
type Model = Generated<typeof eventArbitrary>

/** The members of a value in a version, by their names there. */
function membersIn ({ members }: Model, version: number): [name: string, member: Member, isRequired: boolean][] {
  return members.flatMap(({ name, op, other: olderMember, changedIn, isRequired }): [string, Member, boolean][] => {
    if (version >= changedIn || op === 'keep') return [[name, MEMBERS[name], isRequired]]
    if (op === 'drop') return []
    return op === 'rename' ? [[`old_${name}`, MEMBERS[name], isRequired]] : [[name, MEMBERS[olderMember], isRequired]]
  })
}

function jsonOf (model: Model, version: number): object {
  const members = membersIn(model, version)
  const properties = Object.fromEntries(members.map(([name, { json }]) => [name, json]))
  const required = members.filter(([, , isRequired]) => isRequired).map(([name]) => name)
  const additionalProperties = model.rest === 'integer' ? integer : model.rest
  if (model.kind !== 'typebox') {
    return { ...object(properties, { required }), ...model.rest !== undefined && { additionalProperties } }
  }
  return Type.Object(Object.fromEntries(members.map(([name, { json }, isRequired]) => {
    const member = Type.Unsafe(json) as TSchema
    return [name, isRequired ? member : Type.Optional(member)]
  })), additionalProperties === undefined ? {} : { additionalProperties: additionalProperties as boolean })
}

function zodOf (model: Model, version: number): z.ZodType {
  const members = Object.fromEntries(membersIn(model, version).map(([name, { zod }, isRequired]) => (
    [name, isRequired ? zod : zod.optional()]
  )))
  if (model.rest === true) return z.looseObject(members)
  return model.rest === false ? z.strictObject(members) : z.object(members)
}

function changesOf (model: Model, versions: readonly string[]): Change[] {
  return [1, 2].flatMap((index): Change[] => {
    const changed = model.members.filter(({ changedIn, op }) => changedIn === index && op !== 'keep')
    if (changed.length === 0) return []
    const older = model.kind === 'zod' ? zodOf(model, index - 1) : jsonOf(model, index - 1)
    const downgrade = (value: Value) => {
      const made = { ...value }
      for (const { name, op } of changed) {
        const { [name]: member } = made
        if (op !== 'other') delete made[name]
        if (op === 'rename' && member !== undefined) made[`old_${name}`] = member
      }
      return made
    }
    return [{ version: versions[index], description: `Change ${index}.`, schemas: { Thing: { older, downgrade } } }]
  })
}

function valueOf ({ members, place }: Model, { extra, picks }: Generated<typeof valueArbitrary>): unknown {
  const fields = members.flatMap(({ name }, i) => {
    const [pick, { values }] = [picks[i], MEMBERS[name]]
    if (pick === null) return []
    return [[name, typeof pick === 'number' ? values[pick % values.length] : pick.any]]
  })
  const value = Object.fromEntries(fields)
  if (extra === 'internal') value.internal = { margin: 12 }
  if (extra === 'date') value.internal = noon
  if (extra === '__proto__') Object.defineProperty(value, '__proto__', { value: { x: 1 }, enumerable: true })
  return IN_PLACE[place](extra === 'toJSON' ? { toJSON: () => value } : value)
}

const VERSIONS = ['v1', 'v2', 'v3']
const DATES = ['2025-01-01', '2025-07-01', '2026-01-01']
const ASKED = ['2024-12-31', '2025-01-01', '2025-03-05', '2025-07-01', '2025-12-31', '2026-01-01', '2026-06-30', 'soon']

async function appOf (model: Model, sent: () => unknown): Promise<FastifyInstance> {
  const versions = model.hasDates ? DATES : VERSIONS
  const app = Fastify()
  const isZod = model.kind === 'zod'
  if (isZod) app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const newest = isZod ? zodOf(model, 2).meta({ id: 'Thing' }) : { ...jsonOf(model, 2), $id: 'Thing' }
  // A schema that stands twice in another one is shared.
  const isShared = !isZod && (model.isShared || model.place === 'inside')
  const thing = isShared ? { $ref: 'Thing#' } : newest
  const schema = isZod ? ZOD_PLACES[model.place](newest as z.ZodType) : PLACES[model.place](thing)
  await app.register(versioning, {
    scheme: model.scheme === 'list' ? [HeaderVersioning, QueryParameterVersioning] : HeaderVersioning,
    allowedVersions: versions,
    ...model.hasDates && { resolveVersion: byDate },
    changes: changesOf(model, versions),
    events: { 'thing.made': schema }
  })
  if (isShared) app.addSchema(newest)
  app.get('/', { schema: { response: { 200: schema } } }, async () => sent())
  await app.ready()
  return app
}

/** The text of an event is the body of a response in the same version with the same value, and fails where it fails. */
export const events: Fuzzer<Model> = {
  name: 'events',
  batch: 10,
  cases: eventArbitrary,
  async check (model) {
    let value: unknown
    const app = await appOf(model, () => value)
    let compared = 0
    try {
      for (const source of model.values) {
        value = valueOf(model, source)
        for (const version of model.hasDates ? ASKED : ['v1', 'v2', 'v3', 'v4']) {
          const { body, statusCode } = await app.inject({ url: '/', headers: { 'api-version': version } })
          let text: string | null = null
          let error: unknown = null
          try {
            text = app.event('thing.made', value, version)
          } catch (thrown) {
            error = thrown
          }
          compared++
          const expected = statusCode === 200 ? body : null
          if (text !== expected) throw new Mismatch({ ...model, values: [source], value, version }, body, text ?? error)
        }
      }
    } finally {
      await app.close()
    }
    return compared
  }
}
