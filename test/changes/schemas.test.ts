import Fastify from 'fastify'
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

import {
  Booking, BookingV1, Guest, both, convert, derive, echo, integer, names, object, several, text
} from './fixture.ts'

import type { Json } from './fixture.ts'
import type { Change } from '../../types/index.d.ts'

const shared = [Booking, Guest]
const newest = { id: 1, guests: [{ name: 'Ada Lovelace' }] }
const v1 = { id: 1, guest: { first: 'Ada', last: 'Lovelace' } }
const guestV1 = { first: 'Ada', last: 'Lovelace' }
const guest = { name: 'Ada Lovelace' }

/** Where a Guest may stand in a schema, and a value of it with the guest there. */
const PLACES: { title: string, schema: unknown, value: (guest: unknown) => unknown }[] = [
  { title: 'itself', schema: { $ref: 'Guest#' }, value: (guest) => guest },
  { title: 'a reference without a fragment', schema: { $ref: 'Guest' }, value: (guest) => guest },
  { title: 'a property', schema: object({ at: { $ref: 'Guest#' } }), value: (guest) => ({ at: guest }) },
  { title: 'items', schema: { type: 'array', items: { $ref: 'Guest#' } }, value: (guest) => [guest, guest] },
  {
    title: 'additionalProperties',
    schema: { type: 'object', properties: { id: integer }, additionalProperties: { $ref: 'Guest#' } },
    value: (guest) => ({ id: 1, one: guest, constructor: guest })
  },
  {
    title: 'patternProperties',
    schema: {
      type: 'object',
      patternProperties: { '^g': { $ref: 'Guest#' }, '^t': text },
      additionalProperties: { type: 'array', items: { $ref: 'Guest#' } }
    },
    value: (guest) => ({ g: guest, t: 'a', other: [guest] })
  },
  {
    title: 'allOf',
    schema: { allOf: [{ type: 'object', properties: { at: { $ref: 'Guest#' } } }, { type: 'object' }] },
    value: (guest) => ({ at: guest })
  },
  {
    title: '$defs',
    schema: { $defs: { 'a/b': { $ref: 'Guest#' } }, ...object({ at: { $ref: '#/$defs/a~1b' } }) },
    value: (guest) => ({ at: guest })
  },
  {
    title: 'an escaped pointer',
    schema: { definitions: { 'a b': { $ref: 'Guest#' } }, ...object({ at: { $ref: '#/definitions/a%20b' } }) },
    value: (guest) => ({ at: guest })
  },
  { title: 'an inline schema', schema: object({ at: { ...Guest } }), value: (guest) => ({ at: guest }) },
  {
    title: 'anyOf with null',
    schema: { anyOf: [{ $ref: 'Guest#' }, { type: 'null' }] },
    value: (guest) => guest
  },
  {
    title: 'oneOf with other types',
    schema: { oneOf: [{ type: 'array', items: { $ref: 'Guest#' } }, { type: 'string' }, { $ref: 'Guest#' }] },
    value: (guest) => [guest]
  },
  {
    title: 'oneOf with a constant',
    schema: { oneOf: [object({ kind: { const: 'a' }, at: { $ref: 'Guest#' } }), object({ kind: { const: 'b' } })] },
    value: (guest) => ({ kind: 'a', at: guest })
  }
]

for (const { title, schema, value } of PLACES) {
  t.test(`a changed schema is converted in ${title}`, async (t) => {
    const { up, down } = convert({ changes: [names], schema: both(schema), shared }, 'v2')
    t.same(down(value(guest)), value(guestV1))
    t.same(up(value(guestV1)), value(guest))
  })
}

t.test('the route of an older version validates and serializes by its own schemas', async (t) => {
  const seen: unknown[] = []
  const app = await echo({ changes: [several, names], schema: both({ $ref: 'Booking#' }), shared }, seen)
  const old = await app.inject({ method: 'POST', url: '/v1', payload: v1 })
  t.same(old.json(), v1)
  const between = await app.inject({ method: 'POST', url: '/v2', payload: { id: 1, guests: [guestV1] } })
  t.same(between.json(), { id: 1, guests: [guestV1] })
  t.same((await app.inject({ method: 'POST', url: '/v3', payload: newest })).json(), newest)
  t.same(seen, [newest, newest, newest])
  const refused = await app.inject({ method: 'POST', url: '/v1', payload: newest })
  t.equal(refused.statusCode, 400)
  t.match(refused.json().message, "must have required property 'guest'")
})

t.test('recursive schemas are converted at every level', async (t) => {
  const Tree = object({ label: text, inner: { type: 'array', items: { $ref: '#' } } }, { $id: 'Tree' })
  const TreeV1 = object({ title: text, inner: { type: 'array', items: { $ref: 'Tree#' } } })
  const change = {
    version: 'v2',
    description: 'A title is a label.',
    schemas: {
      Tree: {
        older: TreeV1,
        upgrade: ({ title, ...rest }: Json) => ({ ...rest, label: title }),
        downgrade: ({ label, ...rest }: Json) => ({ ...rest, title: label })
      }
    }
  }
  const options = { changes: [change], schema: both({ $ref: 'Tree#' }), shared: [Tree] }
  const { up, down } = convert(options, 'v1')
  const value = { label: 'a', inner: [{ label: 'b', inner: [{ label: 'c', inner: [] }] }] }
  const older = { title: 'a', inner: [{ title: 'b', inner: [{ title: 'c', inner: [] }] }] }
  t.same(down(value), older)
  t.same(up(older), value)
  const app = await echo(options)
  t.same((await app.inject({ method: 'POST', url: '/v1', payload: older })).json(), older)
})

t.test('a function gets nested values as its own version has them', async (t) => {
  const seen: unknown[] = []
  const watching = {
    ...several,
    version: 'v3',
    schemas: {
      Booking: {
        older: BookingV1,
        upgrade: ({ guest, id }: Json) => { seen.push(guest); return { id, guests: [guest] } },
        downgrade: ({ guests: [guest], id }: Json) => { seen.push(guest); return { id, guest } }
      }
    }
  }
  const { up, down } = convert({ changes: [watching, names], schema: both({ $ref: 'Booking#' }), shared }, 'v1')
  t.same(down(newest), v1)
  t.same(up(v1), newest)
  t.same(seen, [guest, guest])
})

t.test('references by URL are resolved', async (t) => {
  const options = {
    changes: [{
      version: 'v3',
      description: 'A guest has one name.',
      schemas: { 'https://example.com/schemas/guest.json': names.schemas.Guest }
    }],
    schema: both({ $ref: 'https://example.com/schemas/booking.json' }),
    shared: [
      { ...object({ guest: { $ref: 'https://example.com/schemas/guest.json' } }), $id: 'https://example.com/schemas/booking.json' },
      { ...Guest, $id: 'https://example.com/schemas/guest.json' }
    ]
  }
  const { up, down } = convert(options, 'v1')
  t.same(down({ guest }), { guest: guestV1 })
  t.same(up({ guest: guestV1 }), { guest })
})

t.test('TypeBox modules are converted, with schemas of a module as older ones', async (t) => {
  const module = Type.Module({
    Order: Type.Object({ lines: Type.Array(Type.Ref('Line')) }),
    Line: Type.Object({ price: Type.Number(), parent: Type.Optional(Type.Ref('Order')) })
  })
  const older = Type.Module({
    Order: Type.Object({ lines: Type.Array(Type.Ref('Line')) }),
    Line: Type.Object(
      { cents: Type.Integer(), parent: Type.Optional(Type.Ref('Order')) }, { additionalProperties: false }
    )
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
  const options = { changes: [change], schema: both(module.Order) }
  const seen: unknown[] = []
  const value = { lines: [{ price: 2, parent: { lines: [{ price: 3 }] } }] }
  const olderValue = { lines: [{ cents: 200, parent: { lines: [{ cents: 300 }] } }] }
  const apps = [
    await echo(options, seen), await echo(options, seen, Fastify().setValidatorCompiler(TypeBoxValidatorCompiler))
  ]
  for (const app of apps) {
    t.same((await app.inject({ method: 'POST', url: '/v1', payload: olderValue })).json(), olderValue)
    t.equal((await app.inject({ method: 'POST', url: '/v1', payload: value })).statusCode, 400)
  }
  t.same(seen, [value, value])
  const bundle = derive(options).in('v1').edition.bundle(module.Order) as Json
  t.equal(Reflect.get(bundle.$defs.Order, '~kind'), 'Object', 'its kind stays')
})

t.test('Zod schemas are converted by the ids in its registry', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Person' })
  const PersonV1 = z.object({ first: z.string(), last: z.string() })
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
  const change = {
    version: 'v3', description: 'One name.', schemas: { Person: { ...names.schemas.Guest, older: PersonV1 } }
  }
  const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const options = { changes: [change], schema: both(Team) }
  const seen: unknown[] = []
  await echo(options, seen, app)
  const value = (one: unknown) => ({
    people: [one],
    lead: one,
    map: { a: one },
    any: { kind: 'person', person: one },
    both: { at: one, n: 1 },
    inner: [{ people: [one], lead: null, any: { kind: 'other' } }],
    lazy: one
  })
  const response = await app.inject({ method: 'POST', url: '/v1', payload: value(guestV1) })
  t.same(response.json(), value(guestV1))
  t.same(seen, [value(guest)])
  t.equal((await app.inject({ method: 'POST', url: '/v1', payload: value(guest) })).statusCode, 400)
  t.equal((await app.inject({ method: 'POST', url: '/v3', payload: value(guest) })).statusCode, 200)
})

t.test('a Zod schema that transforms is refused where it contains a changed one', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Piped' })
  const change = {
    version: 'v3', description: 'One name.', schemas: { Piped: { ...names.schemas.Guest, older: z.object({}) } }
  }
  t.throws(() => derive({ changes: [change], schema: both(z.object({ a: Person.transform(String) })) }), {
    code: 'FST_ERR_VERSION_CHANGE_OPTION',
    message: /POST \/bookings, body: nothing is converted under "not"/
  })
})

const Doubled = z.number().transform((n) => n * 2)
const TWICE: readonly (readonly [title: string, part: z.ZodType])[] = [
  ['a transformation', Doubled],
  ['an optional transformation in a list', z.array(Doubled).optional()],
  ['a codec', z.codec(z.string(), z.number(), { decode: Number, encode: String })],
  ['stringbool', z.stringbool()],
  ['preprocess', z.preprocess(Number, z.number())]
]

for (const [title, n] of TWICE) {
  const change = { version: 'v2', description: 'One name.', routes: {} }
  const Person = z.object({ name: z.string() }).meta({ id: `Next to ${title}` })
  const schemas = { [`Next to ${title}`]: { ...names.schemas.Guest, older: z.object({ first: z.string() }) } }

  t.test(`${title} that would run before and after an upgrade is refused`, async (t) => {
    const expected = {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      message: /Change 'v2' \(One name\.\), POST \/bookings, body: a transformation of Zod/
    }
    const schema = { body: z.object({ at: Person, n }) }
    t.throws(() => derive({ changes: [{ ...change, schemas }], schema }), expected)
    const older = { body: { content: { 'application/json': { schema: z.object({ n }) } } } }
    const routes = { create: { older, body: { upgrade: (one: Json) => one } } }
    const content = { content: { 'application/json': { schema: z.object({ n, m: z.string() }) } } }
    t.throws(() => derive({ name: 'create', changes: [{ ...change, routes }], schema: { body: content } }), expected)
  })

  t.test(`${title} is refused if only one of both schemas has it, and accepted in a part that is not upgraded`, (t) => {
    const schema = { querystring: z.object({ n }), response: { 200: z.object({ at: Person, n }) } }
    t.equal(derive({ changes: [{ ...change, schemas }], schema }).older.length, 1)
    for (const [before, after] of [[n, z.number()], [z.number(), n]]) {
      const routes = { create: { older: { body: z.object({ n: before }) }, body: { upgrade: (one: Json) => one } } }
      const options = { name: 'create', changes: [{ ...change, routes }], schema: { body: z.object({ n: after }) } }
      t.throws(() => derive(options), { code: 'FST_ERR_VERSION_CHANGE_OPTION' })
    }
    t.end()
  })
}

t.test('coercions and defaults of Zod may run before and after an upgrade', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Next to coercions' })
  const schemas = { 'Next to coercions': { ...names.schemas.Guest, older: z.object({ first: z.string() }) } }
  const body = z.object({ at: Person, n: z.coerce.number(), s: z.string().default('a') })
  t.equal(derive({ changes: [{ version: 'v2', description: 'One name.', schemas }], schema: { body } }).older.length, 1)
})

t.test('the schema of a value is found among alternatives of many kinds', async (t) => {
  const at = { $ref: 'Guest#' }
  const kind = (value: unknown) => ({ const: value })
  const loops = { loop: { $ref: '#/$defs/loop' }, any: true }
  const a = object({ kind: kind('a'), at })
  const choices: { title: string, anyOf: unknown[], value: (guest: unknown) => unknown }[] = [
    { title: 'a constant', anyOf: [{ const: 'none' }, at], value: (guest) => guest },
    { title: 'a number', anyOf: [{ type: 'integer' }, at], value: (guest) => guest },
    { title: 'a nullable object', anyOf: [{ type: ['object'], nullable: true, ...at }, text], value: (guest) => guest },
    {
      title: 'a constant said twice',
      anyOf: [{
        allOf: [a, { ...object({ kind: { enum: ['a', 'z'] } }), additionalProperties: true }]
      }, object({ kind: kind('b') })],
      value: (guest) => ({ kind: 'a', at: guest })
    },
    {
      title: 'schemas that lead to themselves',
      anyOf: [
        {
          allOf: [{ $ref: '#/$defs/loop' }],
          ...object({
            loop: { $ref: '#/$defs/loop' }, any: { $ref: '#/$defs/any' }, kind: kind('a'), at
          })
        },
        object({ loop: text, any: text, kind: kind('b') })
      ],
      value: (guest) => ({ kind: 'a', at: guest, loop: 1, any: 2 })
    }
  ]
  for (const { title, anyOf, value } of choices) {
    const { up, down } = convert({ changes: [names], schema: both({ $defs: loops, anyOf }), shared }, 'v1')
    t.same(down(value(guest)), value(guestV1), title)
    t.same(up(value(guestV1)), value(guest), title)
  }
})

t.test('the schema of a value is found in Zod unions of many kinds', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Human' })
  const change = {
    version: 'v3',
    description: 'One name.',
    schemas: { Human: { ...names.schemas.Guest, older: z.object({ first: z.string(), last: z.string() }) } }
  }
  const unions = [
    z.union([z.array(Person), z.int(), z.boolean(), z.string(), z.number(), z.null()]),
    z.union(
      [z.array(Person), z.union([z.literal('a'), z.object({ b: z.string(), c: z.string().optional() })]).nullable()]
    )
  ]
  for (const union of unions) {
    const { up, down } = convert({ changes: [change], schema: both(union) }, 'v1')
    t.same(down([guest]), [guestV1])
    t.same(up([guestV1]), [guest])
    t.equal(down(null), null)
  }
  t.throws(() => derive(
    { changes: [change], schema: both(z.union([Person, z.date()])) }
  ), { code: 'FST_ERR_VERSION_CHANGE_OPTION' })
})

t.test('schemas that only refer to each other are left to Fastify', async (t) => {
  const change = {
    ...several,
    schemas: {
      Booking: { ...several.schemas.Booking, older: { $ref: 'Guest#' } },
      Guest: { ...several.schemas.Booking, older: { $ref: 'Booking#' } }
    }
  }
  const schema = { body: { type: 'array', items: { $ref: 'Guest#' } } }
  t.equal(derive({ changes: [change], shared: [Booking, Guest], schema }).older.length, 1)
})

t.test('an older schema may contain itself, and bring others along', async (t) => {
  const upgrade = ({ m, ...rest }: Json) => ({ n: m, ...rest })
  const downgrade = ({ n, ...rest }: Json) => ({ m: n, ...rest })
  const older = { ...object({ m: integer }), properties: { m: integer, in: { $id: 'Tree' } } }
  const Tree = { ...object({ n: integer }, { $id: 'Tree' }), properties: { n: integer, in: { $ref: '#' } } }
  const changes = [{ version: 'v2', description: 'n was m.', schemas: { Tree: { older, upgrade, downgrade } } }]
  const { up, down } = convert({ changes, schema: both({ $ref: 'Tree#' }), shared: [Tree] }, 'v1')
  t.same(down({ n: 1, in: { n: 2 } }), { m: 1, in: { m: 2 } })
  t.same(up({ m: 1, in: { m: 2 } }), { n: 1, in: { n: 2 } })

  const brought = {
    $defs: {
      Old: { $id: 'Old', ...object({ in: { $ref: 'Extra' } }) }, Extra: { $id: 'Extra', type: 'integer' }
    },
    $ref: 'Old'
  }
  const schemas = { Tree: { older: brought, downgrade: ({ n }: Json) => ({ in: n }) } }
  const extra = [{ version: 'v2', description: 'It was a module.', schemas }]
  const form = derive({ changes: extra, schema: { response: { 200: { $ref: 'Tree#' } } }, shared: [Tree] }).in('v1')
  const bundle = form.edition.bundle({ $ref: 'Tree#' }) as Json
  t.equal(bundle.$ref, '#/$defs/_0')
  t.same([bundle.$defs._0.properties.in, bundle.$defs._1.type], [{ $ref: '#/$defs/_1' }, 'integer'])
})

const REFUSED: { title: string, change?: Change, schema: unknown, message: RegExp }[] = [
  {
    title: 'alternatives that nothing distinguishes',
    schema: object({ at: { anyOf: [{ $ref: 'Guest#' }, { $ref: 'Booking#' }] } }),
    message: /'v3' \(A guest has one name\.\), POST \/bookings, body: no type and no/
  },
  {
    title: 'alternatives that only an optional property distinguishes',
    schema: {
      anyOf: [
        { ...object({ kind: { const: 1 }, at: { $ref: 'Guest#' } }), required: [] }, object({ kind: { const: 2 } })
      ]
    },
    message: /body: no type and no required "const"/
  },
  {
    title: 'alternatives that are all arrays',
    schema: { anyOf: [{ type: 'array', items: { $ref: 'Guest#' } }, { type: 'array', items: text }] },
    message: /branches of "anyOf" apart/
  },
  {
    title: 'alternatives with the same constant',
    schema: { anyOf: [object({ kind: { const: 1 }, at: { $ref: 'Guest#' } }), object({ kind: { const: 1 } })] },
    message: /branches of "anyOf" apart/
  },
  {
    title: 'a discriminator that inline schemas say nothing of',
    schema: {
      discriminator: { propertyName: 'kind' }, oneOf: [object({ at: { $ref: 'Guest#' } }), object({ kind: text })]
    },
    message: /branches of "oneOf" apart/
  },
  {
    title: 'an alternative that says nothing',
    schema: { anyOf: [true, { $ref: 'Guest#' }] },
    message: /branches of "anyOf" apart/
  },
  {
    title: 'a schema that applies conditionally',
    schema: { if: text, then: { items: { $ref: 'Guest#' } } },
    message: /body: nothing is converted under "then": change it by route/
  },
  {
    title: 'dependent schemas',
    schema: { dependentSchemas: { a: { $ref: 'Guest#' } } },
    message: /nothing is converted under "dependentSchemas"/
  },
  ...Object.entries({
    dependencies: { a: ['b'], b: { properties: { at: { $ref: 'Guest#' } } } },
    contentSchema: { $ref: 'Guest#' },
    contains: { $ref: 'Guest#' },
    not: { $ref: 'Guest#' },
    if: { $ref: 'Guest#' },
    else: { $ref: 'Guest#' },
    propertyNames: { $ref: 'Guest#' },
    prefixItems: [{ $ref: 'Guest#' }],
    items: [{ $ref: 'Guest#' }],
    additionalItems: { $ref: 'Guest#' },
    unevaluatedItems: { $ref: 'Guest#' },
    unevaluatedProperties: { $ref: 'Guest#' },
    owner: { $ref: 'Guest#' },
    owners: [[{ $ref: 'Guest#' }]],
    'x-deep': { a: { b: { $ref: 'Guest#' } } },
    extends: [{ $ref: 'Guest#' }],
    $dynamicRef: 'Guest#',
    $recursiveRef: 'Guest#'
  }).map(([keyword, value]) => ({
    title: `a schema under ${keyword}`,
    schema: { [keyword]: value },
    message: new RegExp(`nothing is converted (?:under|behind) "${keyword.replace('$', '\\$')}"`)
  })),
  ...Object.entries<unknown[]>({
    properties: [{ properties: { at: { $ref: 'Guest#' } } }, { properties: { at: { $ref: 'Booking#' } } }],
    items: [{ items: { $ref: 'Guest#' } }, { items: { title: 'a' } }],
    additionalProperties: [{ properties: { at: text } }, { additionalProperties: { $ref: 'Guest#' } }],
    patterns: [{ patternProperties: { a: { $ref: 'Guest#' }, b: { $ref: 'Guest#' } } }],
    'a property and a pattern': [{ properties: { at: text }, patternProperties: { a: { $ref: 'Guest#' } } }],
    alternatives: [{ properties: { at: { $ref: 'Guest#' } }, anyOf: [{ $ref: 'Guest#' }, { type: 'null' }] }]
  }).map(([what, allOf]) => ({
    title: `two schemas that say what is in a value: ${what}`,
    schema: { allOf },
    message: /several schemas say what is in one value: change it by route/
  })),
  {
    title: 'a reference that leads to no $id and no pointer',
    schema: { $defs: { one: { $anchor: 'guest', $ref: 'Guest#' } }, properties: { at: { $ref: '#guest' } } },
    message: /"\$ref": "#guest" leads to no \$id and no JSON pointer/
  },
  {
    title: 'a reference whose pointer leads nowhere',
    schema: { properties: { at: { $ref: '#/$defs/none' }, guest: { $ref: 'Guest#' } } },
    message: /leads to no \$id and no JSON pointer/
  },
  {
    title: 'a reference with a malformed pointer',
    schema: { $defs: { '%': { $ref: 'Guest#' } }, properties: { at: { $ref: '#/$defs/%' } } },
    message: /leads to no \$id and no JSON pointer/
  },
  {
    title: 'a reference into a schema that the change alters',
    schema: { $ref: 'Guest#/properties/name' },
    message: /body: it refers to Guest#\/properties\/name, a part of a changed schema: change it by route/
  },
  {
    title: 'a body with a schema that cannot be upgraded',
    change: { ...names, schemas: { Guest: { ...names.schemas.Guest, upgrade: undefined } } },
    schema: object({ at: { $ref: 'Guest#' } }),
    message: /body: the change 'v3' .* has no function "upgrade"/
  },
  {
    title: 'a response with a schema that cannot be downgraded',
    change: { ...names, schemas: { Guest: { ...names.schemas.Guest, downgrade: undefined } } },
    schema: { type: 'array', items: { $ref: 'Guest#' } },
    message: /response 200: the change 'v3' .* has no function "downgrade"/
  }
]

for (const { title, change = names, schema, message } of REFUSED) {
  t.test(`a change is refused at boot for ${title}`, async (t) => {
    t.throws(() => derive({ changes: [change], schema: both(schema), shared }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message
    })
  })
}

/** Schemas with a default that is in the words of v3. */
const g = { $ref: 'Guest#' }
const wrapped = (schema: unknown, rest: object = {}) => ({ type: 'object', properties: { at: schema }, ...rest })
const DEFAULTS: [string, unknown][] = [
  ['next to a reference', { ...g, default: guest }],
  ['of allOf', { allOf: [g], default: guest }],
  ['of alternatives', { anyOf: [g, { type: 'array', items: g }, text], default: guest }],
  ['of a list', { type: 'array', items: g, default: [guest] }],
  ['of an object', wrapped(g, { default: { at: guest } })],
  ['of an object with patterns', { type: 'object', patternProperties: { '^a': g }, default: { at: guest } }],
  ['of an object with other properties', {
    type: 'object', properties: { n: integer }, additionalProperties: g, default: { n: 1, at: guest }
  }]
]
for (const [label, schema] of DEFAULTS) {
  t.test(`a default ${label} that holds a changed value is an error at boot`, (t) => {
    t.throws(() => derive({ changes: [names], schema: both(wrapped(schema)), shared }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION',
      message: /its "default" is in the words of the newer version: change it by route/
    })
    t.end()
  })
}

t.test('a default in which nothing changes is accepted', (t) => {
  const kept = [
    { ...integer, default: 1 },
    { anyOf: [g, { type: 'null' }], default: null },
    { type: 'array', items: g, default: [] }
  ]
  for (const schema of kept) {
    const form = derive({ changes: [names], schema: both(wrapped(schema, { required: ['g'] })), shared }).older[0]?.form
    if (form === undefined) continue
    const bundle = form.edition.bundle(form.parts.get('body')?.slices.get(null)?.schema) as Json
    t.same(bundle.properties.at.default, (schema as Json).default)
  }
  t.end()
})

t.test('an older schema may have its own defaults, unless an earlier change affects them', (t) => {
  const older = wrapped({ ...g, default: guest }, { additionalProperties: false })
  const same = (one: Json) => one
  const change: Change = {
    version: 'v3', description: 'Wrapped.', schemas: { Wrapped: { older, upgrade: same, downgrade: same } }
  }
  const Wrapped = { $id: 'Wrapped', ...wrapped(g) }
  const of = (versionOfGuest: string) => derive({
    changes: [change, { ...names, version: versionOfGuest }],
    schema: both({ $ref: 'Wrapped#' }),
    shared: [Guest, Wrapped]
  })
  t.equal(of('v3').older.length, 1)
  t.throws(() => of('v2'), { message: /its "default"/ })
  t.end()
})

t.test('a default of a changed Zod schema is an error at boot', (t) => {
  const Named = z.object({ name: z.string() }).meta({ id: 'Named' })
  const change: Change = {
    ...names, schemas: { Named: { older: z.object({ first: z.string() }), upgrade: ({ first }) => ({ name: first }) } }
  }
  for (const at of [Named.default({ name: 'Ada' }), Named.catch({ name: 'Ada' })]) {
    t.throws(() => derive({ changes: [change], schema: { body: z.object({ at }) } }), { message: /its "default"/ })
  }
  t.end()
})
