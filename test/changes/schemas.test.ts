import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

import { ask } from './bookings.ts'
import {
  Booking, BookingV1, Guest, appOf, boots, both, converts, integer, names, object, refuses, several, text
} from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from './kernel.ts'
import type { Change } from '../../types/index.d.ts'

const shared = [Booking, Guest]
const newest = { id: 1, guests: [{ name: 'Ada Lovelace' }] }
const v1 = { id: 1, guest: { first: 'Ada', last: 'Lovelace' } }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const guest = { name: 'Ada Lovelace' }
const g = { $ref: 'Guest#' }

/** Where a Guest may stand in a schema, and a value of it with the guest there. */
const PLACES: [title: string, schema: unknown, value: (guest: unknown) => unknown][] = [
  ['itself', g, (guest) => guest],
  ['a reference without a fragment', { $ref: 'Guest' }, (guest) => guest],
  ['a property', object({ at: g }), (guest) => ({ at: guest })],
  ['items', { type: 'array', items: g }, (guest) => [guest, guest]],
  ['additionalProperties', { type: 'object', properties: { id: integer }, additionalProperties: g },
    (guest) => ({ id: 1, one: guest, constructor: guest })],
  ['patternProperties', {
    type: 'object', patternProperties: { '^g': g, '^t': text }, additionalProperties: { type: 'array', items: g }
  }, (guest) => ({ g: guest, t: 'a', other: [guest] })],
  ['allOf', { allOf: [{ type: 'object', properties: { at: g } }, { type: 'object' }] }, (guest) => ({ at: guest })],
  ['$defs', { $defs: { 'a/b': g }, ...object({ at: { $ref: '#/$defs/a~1b' } }) }, (guest) => ({ at: guest })],
  ['an escaped pointer', { definitions: { 'a b': g }, ...object({ at: { $ref: '#/definitions/a%20b' } }) },
    (guest) => ({ at: guest })],
  ['an inline schema', object({ at: { ...Guest } }), (guest) => ({ at: guest })],
  ['anyOf with null', { anyOf: [g, { type: 'null' }] }, (guest) => guest],
  ['oneOf with other types', { oneOf: [{ type: 'array', items: g }, text, g] }, (guest) => [guest]],
  ['a constant among alternatives', { anyOf: [{ const: 'none' }, g] }, (guest) => guest],
  ['a nullable object', { anyOf: [{ type: ['object'], nullable: true, ...g }, text] }, (guest) => guest],
  ['oneOf with a required constant',
    { oneOf: [object({ kind: { const: 'a' }, at: g }), object({ kind: { const: 'b' } })] },
    (guest) => ({ kind: 'a', at: guest })],
  ['alternatives whose constant is said twice', {
    anyOf: [{
      allOf: [
        object({ kind: { const: 'a' }, at: g }), { properties: { kind: { enum: ['a', 'z'] } }, required: ['kind'] }
      ]
    }, object({ kind: { const: 'b' } })]
  }, (guest) => ({ kind: 'a', at: guest })],
  ['alternatives that lead to themselves', {
    $defs: { loop: { $ref: '#/$defs/loop' }, any: true },
    anyOf: [
      { allOf: [{ $ref: '#/$defs/loop' }], ...object({ any: { $ref: '#/$defs/any' }, kind: { const: 'a' }, at: g }) },
      object({ any: text, kind: { const: 'b' } })
    ]
  }, (guest) => ({ kind: 'a', at: guest, any: 2 })]
]

for (const [title, schema, value] of PLACES) {
  t.test(`a changed schema is converted in ${title}`, async (t) => {
    await converts(t, { changes: [names], schema: both(schema), shared }, value(guestV1), value(guest))
  })
}

t.test('a function gets nested values as its own version has them', async (t) => {
  const seen: unknown[] = []
  const schemas = {
    Booking: {
      older: BookingV1,
      upgrade: ({ guest, id }: Json) => { seen.push(guest); return { id, guests: [guest] } },
      downgrade: ({ guests: [guest], id }: Json) => { seen.push(guest); return { id, guest } }
    }
  }
  const changes = [{ ...several, version: 'v3', schemas }, names]
  await converts(t, { changes, schema: both({ $ref: 'Booking#' }), shared }, v1, newest)
  t.same(seen, [guest, guest])
})

t.test('TypeBox modules are converted, with schemas of a module as older ones', async (t) => {
  const Order = Type.Object({ lines: Type.Array(Type.Ref('Line')) })
  const parent = Type.Optional(Type.Ref('Order'))
  const module = Type.Module({ Order, Line: Type.Object({ price: Type.Number(), parent }) })
  const older = Type.Module({
    Order, Line: Type.Object({ cents: Type.Integer(), parent }, { additionalProperties: false })
  })
  const change = {
    version: 'v2',
    description: 'Prices are decimal.',
    schemas: {
      Line: {
        older: older.Line,
        upgrade: ({ cents, ...rest }: Json) => ({ ...rest, price: cents / 100 }),
        downgrade: ({ price, ...rest }: Json) => ({ ...rest, cents: price * 100 })
      }
    }
  }
  const value = { lines: [{ price: 2, parent: { lines: [{ price: 3 }] } }] }
  const olderValue = { lines: [{ cents: 200, parent: { lines: [{ cents: 300 }] } }] }
  const kinds: unknown[] = []
  for (const prepare of [() => {}, (app: FastifyInstance) => app.setValidatorCompiler((definition) => {
    const { $defs } = definition.schema as Json
    if ($defs !== undefined) kinds.push(Reflect.get($defs.Order, '~kind'))
    return TypeBoxValidatorCompiler(definition as Json)
  })]) {
    const app = await converts(t, { changes: [change], schema: both(module.Order) }, olderValue, value, prepare)
    t.equal((await ask(app, 'v1', '/bookings', value)).statusCode, 400)
  }
  t.match(kinds, ['Object'], 'its kind stays')
})

const withZod = (app: FastifyInstance) => (
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
)

t.test('Zod schemas are converted by the ids in its registry', async (t) => {
  const { Person, change } = zodPerson('Person')
  const Other = z.object({ kind: z.literal('other') }).meta({ id: 'Other' })
  const Team = z.object({
    people: z.array(Person).default([]),
    lead: Person.nullable().optional(),
    map: z.record(z.string(), Person).optional(),
    any: z.union([z.object({ kind: z.enum(['person']), person: Person }), Other, z.null()]).optional(),
    both: z.intersection(z.object({ at: Person }), z.object({ n: z.int() })).optional(),
    get inner () { return z.array(Team).optional() },
    lazy: z.lazy(() => Person).optional()
  })
  const value = (one: unknown) => ({
    people: [one],
    lead: one,
    map: { a: one },
    any: { kind: 'person', person: one },
    both: { at: one, n: 1 },
    inner: [{ people: [one], lead: null, any: { kind: 'other' } }],
    lazy: one
  })
  const app = await converts(t, { changes: [change], schema: both(Team) }, value(guestV1), value(guest), withZod)
  t.equal((await ask(app, 'v1', '/bookings', value(guest))).statusCode, 400)
  t.equal((await ask(app, 'v3', '/bookings', value(guest))).statusCode, 200)
})

/** A Zod schema with one name, and the change before which it had two. */
function zodPerson (id: string) {
  const older = z.object({ first: z.string(), last: z.string() })
  const change = { version: 'v3', description: 'One name.', schemas: { [id]: { ...names.schemas.Guest, older } } }
  return { Person: z.object({ name: z.string() }).meta({ id }), change }
}

t.test('a Zod schema that transforms is refused where it contains a changed one', async (t) => {
  const { Person, change } = zodPerson('Piped')
  const schema = both(z.object({ a: Person.transform(String) }))
  await refuses(t, { changes: [change], schema }, /POST \/bookings, body: nothing is converted under "not"/)
})

const Doubled = z.number().transform((n) => n * 2)
const TWICE: [title: string, part: z.ZodType][] = [
  ['a transformation', Doubled],
  ['an optional transformation in a list', z.array(Doubled).optional()],
  ['a codec', z.codec(z.string(), z.number(), { decode: Number, encode: String })],
  ['stringbool', z.stringbool()],
  ['preprocess', z.preprocess(Number, z.number())]
]

for (const [title, n] of TWICE) {
  t.test(`${title} in the older or in the newest Zod schema of an upgraded part is refused`, async (t) => {
    const { Person, change } = zodPerson(`Next to ${title}`)
    const message = /Change 'v3' \(One name\.\), POST \/bookings, body: a transformation of Zod/
    await refuses(t, { changes: [change], schema: { body: z.object({ at: Person, n }) } }, message)
    for (const [before, after] of [[n, z.number()], [z.number(), n]]) {
      const routes = { bookings: { older: { body: z.object({ n: before }) }, body: { upgrade: (one: Json) => one } } }
      const schema = { body: z.object({ n: after }) }
      await refuses(t, { changes: [{ ...change, schemas: {}, routes }], schema }, message)
    }
    const notUpgraded = { querystring: z.object({ n }), response: { 200: z.object({ at: Person, n }) } }
    await boots(t, { changes: [change], schema: notUpgraded })
  })
}

t.test('coercions and defaults of Zod may run before and after an upgrade', async (t) => {
  const { Person, change } = zodPerson('Next to coercions')
  const body = z.object({ at: Person, n: z.coerce.number(), s: z.string().default('a') })
  await boots(t, { changes: [change], schema: { body } })
})

t.test('the schema of a value is found in Zod unions of many kinds', async (t) => {
  const { Person, change } = zodPerson('Human')
  const unions = [
    z.union([z.array(Person), z.int(), z.boolean(), z.string(), z.number(), z.null()]),
    z.union(
      [z.array(Person), z.union([z.literal('a'), z.object({ b: z.string(), c: z.string().optional() })]).nullable()]
    )
  ]
  for (const union of unions) {
    const app = await converts(t, { changes: [change], schema: both(union) }, [guestV1], [guest], withZod)
    const headers = { 'api-version': 'v1', 'content-type': 'application/json' }
    t.equal((await app.inject({ method: 'POST', url: '/bookings', headers, payload: 'null' })).body, 'null')
  }
  await refuses(t, { changes: [change], schema: both(z.union([Person, z.date()])) }, /./)
})

t.test('an older schema may contain itself, and bring others along', async (t) => {
  const upgrade = ({ m, ...rest }: Json) => ({ n: m, ...rest })
  const downgrade = ({ n, ...rest }: Json) => ({ m: n, ...rest })
  const older = { ...object({ m: integer }), properties: { m: integer, in: { $id: 'Tree' } } }
  const Tree = { ...object({ n: integer }, { $id: 'Tree' }), properties: { n: integer, in: { $ref: '#' } } }
  const changes = [{ version: 'v2', description: 'n was m.', schemas: { Tree: { older, upgrade, downgrade } } }]
  const tree = both({ $ref: 'Tree#' })
  await converts(t, { changes, schema: tree, shared: [Tree] }, { m: 1, in: { m: 2 } }, { n: 1, in: { n: 2 } })
  const brought = {
    $defs: {
      Old: { $id: 'Old', ...object({ in: { $ref: 'Extra' } }) }, Extra: { $id: 'Extra', type: 'integer' }
    },
    $ref: 'Old'
  }
  const schemas = { Tree: { older: brought, downgrade: ({ n }: Json) => ({ in: n }) } }
  const extra = [{ version: 'v2', description: 'It was a module.', schemas }]
  const compiled: Json[] = []
  const app = await appOf(t, { changes: extra, schema: { response: tree.response }, shared: [Tree] }, [], (app) => (
    app.setSerializerCompiler(({ schema }) => {
      compiled.push(schema)
      return String
    })
  ))
  await app.ready()
  const bundle = compiled.find(({ $defs }) => $defs !== undefined)
  t.same([bundle.properties.in, bundle.$defs._0.type], [{ $ref: '#/$defs/_0' }, 'integer'])
})

const APART = /branches of "(?:any|one)Of" apart/
const NOWHERE = /"\$ref": "#.*" leads to no \$id and no JSON pointer/
const REFUSED: [title: string, schema: unknown, message: RegExp, change?: Change][] = [
  ['alternatives that nothing distinguishes', object({ at: { anyOf: [g, { $ref: 'Booking#' }] } }),
    /'v3' \(A guest has one name\.\), POST \/bookings, body: no type and no .* by the schema 'Guest'/],
  ['alternatives that only an optional property distinguishes', {
    anyOf: [{ ...object({ kind: { const: 1 }, at: g }), required: [] }, object({ kind: { const: 2 } })]
  }, APART],
  ['alternatives that are all arrays', { anyOf: [{ type: 'array', items: g }, { type: 'array', items: text }] }, APART],
  ['alternatives with the same constant', {
    anyOf: [object({ kind: { const: 1 }, at: g }), object({ kind: { const: 1 } })]
  }, APART],
  ['alternatives without a constant in one', { anyOf: [object({ kind: { const: 1 }, at: g }), object({})] }, APART],
  ['a discriminator that inline schemas say nothing of', {
    discriminator: { propertyName: 'kind' }, oneOf: [object({ at: g }), object({ kind: text })]
  }, APART],
  ['an alternative that says nothing', { anyOf: [true, g] }, APART],
  ...Object.entries({
    then: { items: g },
    dependentSchemas: { a: g },
    dependencies: { a: ['b'], b: { properties: { at: g } } },
    contentSchema: g,
    contains: g,
    not: g,
    prefixItems: [g],
    items: [g],
    unevaluatedProperties: g,
    owner: g,
    owners: [[g]],
    'x-deep': { a: { b: g } },
    $dynamicRef: 'Guest#',
    $recursiveRef: 'Guest#'
  }).map(([keyword, value]): typeof REFUSED[number] => [
    `a schema under ${keyword}`, { [keyword]: value },
    new RegExp(`nothing is converted (?:under|behind) "${keyword.replace('$', '\\$')}": change it by route`)
  ]),
  ...Object.entries<unknown[]>({
    properties: [{ properties: { at: g } }, { properties: { at: { $ref: 'Booking#' } } }],
    items: [{ items: g }, { items: { title: 'a' } }],
    additionalProperties: [{ properties: { at: text } }, { additionalProperties: g }],
    patterns: [{ patternProperties: { a: g, b: g } }],
    'a property and a pattern': [{ properties: { at: text }, patternProperties: { a: g } }],
    alternatives: [{ properties: { at: g }, anyOf: [g, { type: 'null' }] }]
  }).map(([what, allOf]): typeof REFUSED[number] => [
    `two schemas that say what is in a value: ${what}`, { allOf },
    /several schemas say what is in one value: change it by route/
  ]),
  ...[
    { ...g, default: guest },
    { allOf: [g], default: guest },
    { type: 'array', items: g, default: [guest] },
    { type: 'object', additionalProperties: g, default: { at: guest } }
  ].map((schema): typeof REFUSED[number] => [
    `a default in ${JSON.stringify(schema)}`, object({ at: schema }),
    /its "default" is in the words of the newer version: change it by route/
  ]),
  ['an anchor', { $defs: { one: { $anchor: 'guest', ...g } }, properties: { at: { $ref: '#guest' } } }, NOWHERE],
  ['a pointer that leads nowhere', { properties: { at: { $ref: '#/$defs/none' }, guest: g } }, NOWHERE],
  ['a malformed pointer', { $defs: { '%': g }, properties: { at: { $ref: '#/$defs/%' } } }, NOWHERE],
  ['a reference into the changed schema', { $ref: 'Guest#/properties/name' },
    /body: it refers to Guest#\/properties\/name, a part of a changed schema: change it by route/],
  ['a body that cannot be upgraded', object({ at: g }), /body: the change 'v3' .* has no function "upgrade"/,
    { ...names, schemas: { Guest: { ...names.schemas.Guest, upgrade: undefined } } }],
  ['a response that cannot be downgraded', { type: 'array', items: g },
    /response 200: the change 'v3' .* has no function "downgrade"/,
    { ...names, schemas: { Guest: { ...names.schemas.Guest, downgrade: undefined } } }]
]

for (const [title, schema, message, change = names] of REFUSED) {
  t.test(`a change is refused at boot for ${title}`, async (t) => {
    await refuses(t, { changes: [change], schema: both(schema), shared }, message)
  })
}

t.test('a default without a changed value is accepted, and so is one of the older schema', async (t) => {
  const nullable = { anyOf: [g, { type: 'null' }], default: null }
  for (const at of [{ ...integer, default: 1 }, nullable, { items: g, default: [] }]) {
    await boots(t, { changes: [names], schema: both(object({ at, guest: g })), shared })
  }
  const same = (one: Json) => one
  const older = object({ at: { ...g, default: guest } })
  const schemas = { Wrapped: { older, upgrade: same, downgrade: same } }
  const of = (version: string) => ({
    changes: [{ version: 'v3', description: 'Wrapped.', schemas }, { ...names, version }],
    schema: both({ $ref: 'Wrapped#' }),
    shared: [Guest, object({ at: g }, { $id: 'Wrapped' })]
  })
  await boots(t, of('v3'))
  await refuses(t, of('v2'), /its "default"/)
})

t.test('a default of a changed Zod schema is an error at boot', async (t) => {
  const { Person, change } = zodPerson('Named')
  for (const at of [Person.default({ name: 'Ada' }), Person.catch({ name: 'Ada' })]) {
    await refuses(t, { changes: [change], schema: { body: z.object({ at }) } }, /its "default"/)
  }
})
