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
    title: 'a tuple of draft 7',
    schema: { type: 'array', items: [text, { $ref: 'Guest#' }], additionalItems: { $ref: 'Guest#' } },
    value: (guest) => ['a', guest, guest]
  },
  {
    title: 'prefixItems',
    schema: { type: 'array', prefixItems: [{ $ref: 'Guest#' }], items: text },
    value: (guest) => [guest, 'a']
  },
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
  },
  {
    title: 'anyOf with enums in shared schemas',
    schema: {
      $defs: {
        kind: { enum: ['a', 'b'] },
        one: { allOf: [object({ kind: { $ref: '#/$defs/kind' }, at: { $ref: 'Guest#' } })] }
      },
      anyOf: [{ $ref: '#/$defs/one' }, object({ kind: { anyOf: [{ const: 'c' }, { const: 'd' }] } })]
    },
    value: (guest) => ({ kind: 'b', at: guest })
  },
  {
    title: 'nested alternatives',
    schema: {
      anyOf: [
        { anyOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })] },
        object({ kind: { const: 'c' }, at: { $ref: 'Guest#' } })
      ]
    },
    value: (guest) => ({ kind: 'c', at: guest })
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

t.test('each version of a schema has an $id with the newest version that uses it', async (t) => {
  const derived = derive({ changes: [several, names], schema: both({ $ref: 'Booking#' }), shared })
  t.same(derived.in('v1').sharedSchemas.map(({ $id }) => $id), ['Booking.v1', 'Guest.v2'])
  t.same(derived.in('v2').sharedSchemas.map(({ $id }) => $id), ['Booking.v2', 'Guest.v2'])
  t.same([...derived.in('v1').originalIds], [['Booking.v1', 'Booking'], ['Guest.v2', 'Guest']])
  const [, one] = derived.in('v1').sharedSchemas
  t.equal(derived.in('v2').sharedSchemas[1], one, 'one object in both')
  t.same(one, { $id: 'Guest.v2', ...object({ first: text, last: text }) })
})

t.test('the $id of an older schema is a name that OpenAPI accepts and the app does not use', async (t) => {
  const Taken = { $id: 'Booking.v_201_28b_29', type: 'string' }
  const options = { schema: both({ $ref: 'Booking#' }), versions: ['v 1(b)', 'v2'], shared: [...shared, Taken] }
  const { sharedSchemas } = derive({ ...options, changes: [several] }).in('v 1(b)')
  t.same(sharedSchemas.map(({ $id }) => $id), ['Booking.v_201_28b_29_'])
  const others = derive({ ...options, changes: [several], shared }).in('v 1(b)')
  t.same(others.sharedSchemas.map(({ $id }) => $id), ['Booking.v_201_28b_29'])
})

t.test('two older schemas have different $ids even if names with their versions are the same', async (t) => {
  const shared = [object({ name: text }, { $id: 'Guest' }), object({ name: text }, { $id: 'Guest.v' })]
  const { older, downgrade } = names.schemas.Guest
  const schemas = { Guest: { older, downgrade }, 'Guest.v': { older, downgrade } }
  const schema = { response: { 200: { $ref: 'Guest#' }, 201: { $ref: 'Guest.v#' } } }
  const changes = [
    { version: 'x', description: 'One.', schemas: { 'Guest.v': schemas['Guest.v'] } },
    { version: 'y', description: 'Two.', schemas: { Guest: schemas.Guest } }
  ]
  const { sharedSchemas } = derive({ changes, schema, shared, versions: ['1', 'x', 'v.1', 'y'] }).in('1')
  t.equal(new Set(sharedSchemas.map(({ $id }) => $id)).size, 2)
})

t.test('parts that no change alters stay the same objects', async (t) => {
  const querystring = object({ page: integer })
  const other = object({ message: text })
  const schema = { querystring, body: { $ref: 'Guest#' }, response: { 200: { $ref: 'Guest#' }, 400: other } }
  const { schema: older } = derive({ changes: [names], schema: { ...schema, summary: 'A' }, shared }).in('v1')
  t.equal(older?.querystring, querystring)
  t.equal((older?.response as Json)[400], other)
  t.equal(older?.summary, 'A')
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

t.test('references by URL are resolved, relative ones as well', async (t) => {
  const options = {
    changes: [{
      version: 'v3',
      description: 'A guest has one name.',
      schemas: { 'https://example.com/schemas/guest.json': names.schemas.Guest }
    }],
    schema: both({ $ref: 'https://example.com/schemas/booking.json' }),
    shared: [
      { ...object({ guest: { $ref: 'guest.json' } }), $id: 'https://example.com/schemas/booking.json' },
      { ...Guest, $id: 'https://example.com/schemas/guest.json' }
    ]
  }
  const { up, down } = convert(options, 'v1')
  t.same(down({ guest }), { guest: guestV1 })
  t.same(up({ guest: guestV1 }), { guest })
  t.same(derive(options).in('v1').sharedSchemas.map(({ $id }) => $id), [
    'https://example.com/schemas/booking.json.v2', 'https://example.com/schemas/guest.json.v2'
  ])
})

t.test('a reference to an anchor is resolved', async (t) => {
  const schema = {
    $defs: { one: { $id: '#guest', $ref: 'Guest#' }, two: { $anchor: 'two', $ref: 'Guest#' } },
    ...object({ a: { $ref: '#guest' }, b: { $ref: '#two' } })
  }
  const { down } = convert({ changes: [names], schema: both(schema), shared }, 'v1')
  t.same(down({ a: guest, b: guest }), { a: guestV1, b: guestV1 })
})

t.test('schemas that OpenAPI distinguishes by a discriminator are converted', async (t) => {
  const Dog = object({ kind: text, guest: { $ref: 'Guest#' } }, { $id: 'Dog' })
  const Cat = object({ kind: text }, { $id: 'Cat' })
  for (const [discriminator, kind] of [
    [{ propertyName: 'kind', mapping: { d: 'Dog#', c: 'Cat#', e: 1 } }, 'd'], [{ propertyName: 'kind' }, 'Dog'],
    [{ propertyName: 'kind', mapping: { d: '#/components/schemas/Dog' } }, 'd'],
    [{ propertyName: 'kind', mapping: { d: '#/components/schemas/Dog', c: '#/components/schemas/Cat' } }, 'd']
  ] as const) {
    const schema = { discriminator, oneOf: [{ $ref: 'Dog#' }, { $ref: 'Cat#' }] }
    const options = { changes: [names], schema: both(schema), shared: [Guest, Dog, Cat] }
    t.same(convert(options, 'v1').down({ kind, guest }), { kind, guest: guestV1 })
    const older = derive(options).in('v1').schema.body as Json
    if (!('mapping' in discriminator) || !('e' in discriminator.mapping)) continue
    t.same(older.discriminator.mapping, { d: 'Dog.v2#', c: 'Cat#', e: 1 })
  }
})

t.test('the mapping of a discriminator names schemas by their definition or their $id', async (t) => {
  const mapping = { d: '#/components/schemas/Dog', c: '#/components/schemas/Cat' }
  const Dog = object({ kind: text, guest: { $ref: 'Guest#' } })
  const Cat = object({ kind: text }, { $id: 'Cat' })
  const schema = {
    $defs: { Dog }, discriminator: { propertyName: 'kind', mapping }, oneOf: [{ $ref: '#/$defs/Dog' }, Cat]
  }
  const { up } = convert({ changes: [names], schema: both(schema), shared: [Guest] }, 'v1')
  t.same(up({ kind: 'd', guest: guestV1 }), { kind: 'd', guest })
  t.same(up({ kind: 'c', guest: guestV1 }), { kind: 'c', guest: guestV1 })
})

t.test('TypeBox modules are converted, with schemas of a module as older ones', async (t) => {
  const module = Type.Module({
    Order: Type.Object({ lines: Type.Array(Type.Ref('Line')) }),
    Line: Type.Object({ price: Type.Number(), parent: Type.Optional(Type.Ref('Order')) })
  })
  const older = Type.Module({
    Order: Type.Object({ lines: Type.Array(Type.Ref('Line')) }),
    Line: Type.Object({ cents: Type.Integer(), parent: Type.Optional(Type.Ref('Order')) })
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
  t.equal(Reflect.get((derive(options).in('v1').schema.body as Json).$defs.Order, '~kind'), 'Object', 'its kind stays')
})

t.test('Zod schemas are converted by the ids in its registry', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Person' })
  const PersonV1 = z.object({ first: z.string(), last: z.string() })
  const Other = z.object({ kind: z.literal('other') }).meta({ id: 'Other' })
  const Team = z.object({
    people: z.array(Person).default([]),
    lead: Person.nullable().optional(),
    map: z.record(z.string(), Person).optional(),
    pair: z.tuple([z.string(), Person]).rest(Person).optional(),
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
    pair: ['a', one, one],
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
    message: /POST \/bookings, body at \/properties\/a\/pipe: only validation knows/
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
      message: /Change 'v2' \(One name\.\), POST \/bookings, body: .* transformation .* twice/
    }
    const schema = { body: z.object({ at: Person, n }) }
    t.throws(() => derive({ changes: [{ ...change, schemas }], schema }), expected)
    const older = { body: { content: { 'application/json': { schema: z.object({ n }) } } } }
    const routes = { create: { older, body: { upgrade: (one: Json) => one } } }
    const content = { content: { 'application/json': { schema: z.object({ n, m: text }) } } }
    t.throws(() => derive({ name: 'create', changes: [{ ...change, routes }], schema: { body: content } }), expected)
  })

  t.test(`${title} is accepted in a part that is not upgraded, or where only one of both schemas has it`, async (t) => {
    const schema = { querystring: z.object({ n }), response: { 200: z.object({ at: Person, n }) } }
    t.equal(derive({ changes: [{ ...change, schemas }], schema }).older.length, 1)
    for (const [before, after] of [[n, z.number()], [z.number(), n]]) {
      const routes = { create: { older: { body: z.object({ n: before }) }, body: { upgrade: (one: Json) => one } } }
      const options = { name: 'create', changes: [{ ...change, routes }], schema: { body: z.object({ n: after }) } }
      t.equal(derive(options).older.length, 1)
    }
  })
}

t.test('coercions, defaults and pipes of Zod may run before and after an upgrade', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'Next to coercions' })
  const schemas = { 'Next to coercions': { ...names.schemas.Guest, older: z.object({ first: z.string() }) } }
  const body = z.object({ at: Person, n: z.coerce.number(), s: z.string().default('a').pipe(z.string().min(1)) })
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
      title: 'alternatives with properties of their own',
      anyOf: [a, { anyOf: [object({ kind: kind('b'), one: kind(1) }), object({ kind: kind('c'), two: kind(2) })] }],
      value: (guest) => ({ kind: 'a', at: guest })
    },
    {
      title: 'schemas that lead to themselves, or nowhere',
      anyOf: [
        {
          allOf: [{ $ref: '#/$defs/loop' }, { $ref: '#/$defs/gone' }],
          ...object({
            loop: { $ref: '#/$defs/loop' }, any: { $ref: '#/$defs/any' }, gone: { $ref: '#/gone' }, kind: kind('a'), at
          })
        },
        object({ loop: text, any: text, gone: text, kind: kind('b') })
      ],
      value: (guest) => ({ kind: 'a', at: guest, loop: 1, any: 2, gone: 3 })
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
    z.union([z.tuple([Person]), z.record(z.string(), z.number())]),
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

t.test('references that lead nowhere are left to Fastify', async (t) => {
  const nowhere = {
    a: { $ref: 'Nowhere#' }, b: { $ref: '#nowhere' }, c: { $ref: '#/nowhere/d' }, d: { $ref: '#/%' }, e: true
  }
  const Other = { $id: 'Other', ...object({ ...nowhere, self: { $ref: '#' }, at: { $ref: 'Guest#' } }) }
  const schema = { body: object({ ...nowhere, other: { $ref: 'Other#' } }), querystring: true }
  const variant = derive({ changes: [names], schema, shared: [Guest, Other] }).in('v1')
  t.same(variant.upgrade.body?.forRequest(undefined)?.({ other: { at: guestV1 } }), { other: { at: guest } })
  t.same((variant.schema.body as Json).properties, { ...nowhere, other: { $ref: 'Other.v2#' } })
  t.same((variant.sharedSchemas[0] as Json).properties, { ...(Other as Json).properties, at: { $ref: 'Guest.v2#' } })
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
  const variant = derive({ changes: extra, schema: { response: { 200: { $ref: 'Tree#' } } }, shared: [Tree] }).in('v1')
  t.same(variant.sharedSchemas.map(({ $id }) => $id), ['Tree.v1', 'Extra.v1'])
  t.same((variant.sharedSchemas[0] as Json).properties, { in: { $ref: 'Extra.v1' } })
  const missing = { $defs: {}, $ref: 'Gone' }
  const gone = [{ version: 'v2', description: 'It is not a module.', schemas: { Tree: { older: missing, downgrade } } }]
  const [copy] = derive(
    { changes: gone, schema: { response: { 200: { $ref: 'Tree#' } } }, shared: [Tree] }
  ).in('v1').sharedSchemas
  t.same(copy, { $id: 'Tree.v1', ...missing })
})

const REFUSED: { title: string, change?: Change, schema: unknown, message: RegExp }[] = [
  {
    title: 'alternatives that nothing distinguishes',
    schema: object({ at: { anyOf: [{ $ref: 'Guest#' }, { $ref: 'Booking#' }] } }),
    message: /'v3' \(A guest has one name\.\), POST \/bookings, body at \/properties\/at\/anyOf: no type and no/
  },
  {
    title: 'alternatives that only an optional property distinguishes',
    schema: {
      anyOf: [
        { ...object({ kind: { const: 1 }, at: { $ref: 'Guest#' } }), required: [] }, object({ kind: { const: 2 } })
      ]
    },
    message: /body at \/anyOf: no type and no required property/
  },
  {
    title: 'alternatives that are all arrays',
    schema: { anyOf: [{ type: 'array', items: { $ref: 'Guest#' } }, { type: 'array', items: text }] },
    message: /body at \/anyOf: no type/
  },
  {
    title: 'alternatives with the same constant',
    schema: { anyOf: [object({ kind: { const: 1 }, at: { $ref: 'Guest#' } }), object({ kind: { const: 1 } })] },
    message: /body at \/anyOf: no type/
  },
  {
    title: 'a discriminator that inline schemas say nothing of',
    schema: {
      discriminator: { propertyName: 'kind' }, oneOf: [object({ at: { $ref: 'Guest#' } }), object({ kind: text })]
    },
    message: /body at \/oneOf: no type/
  },
  {
    title: 'an alternative that says nothing',
    schema: { anyOf: [true, { $ref: 'Guest#' }] },
    message: /body at \/anyOf: no type/
  },
  {
    title: 'a schema that applies conditionally',
    schema: { if: text, then: { items: { $ref: 'Guest#' } } },
    message: /body at \/then: only validation knows whether that schema applies: change it by route/
  },
  {
    title: 'dependent schemas',
    schema: { dependentSchemas: { a: { $ref: 'Guest#' } } },
    message: /body at \/dependentSchemas: only validation knows/
  },
  ...Object.entries({
    dependencies: { a: ['b'], b: { properties: { at: { $ref: 'Guest#' } } } },
    contentSchema: { $ref: 'Guest#' },
    extends: [{ $ref: 'Guest#' }],
    $dynamicRef: 'Guest#',
    $recursiveRef: 'Guest#'
  }).map(([keyword, value]) => ({
    title: `a schema under ${keyword}`,
    schema: { [keyword]: value },
    message: new RegExp(`body at /${keyword.replace('$', '\\$')}: only validation knows`)
  })),
  {
    title: 'a reference into a schema that the change alters',
    schema: { $ref: 'Guest#/properties/name' },
    message: /body: it refers to Guest#\/properties\/name, which the change alters: change it by route/
  },
  {
    title: 'a body with a schema that cannot be upgraded',
    change: { ...names, schemas: { Guest: { ...names.schemas.Guest, upgrade: undefined } } },
    schema: object({ at: { $ref: 'Guest#' } }),
    message: /body at \/properties\/at: the change of the schema 'Guest' has no function "upgrade"/
  },
  {
    title: 'a response with a schema that cannot be downgraded',
    change: { ...names, schemas: { Guest: { ...names.schemas.Guest, downgrade: undefined } } },
    schema: { type: 'array', items: { $ref: 'Guest#' } },
    message: /response 200 at \/items: the change of the schema 'Guest' has no function "downgrade"/
  }
]

for (const { title, change = names, schema, message } of REFUSED) {
  t.test(`a change is refused at boot for ${title}`, async (t) => {
    t.throws(() => derive({ changes: [change], schema: both(schema), shared }), {
      code: 'FST_ERR_VERSION_CHANGE_OPTION', message
    })
  })
}

t.test('a reference into a changed schema stays where the part is the same', async (t) => {
  const options = {
    changes: [several],
    schema: {
      body: object({ at: { $ref: 'Booking#' }, id: { $ref: 'Booking#/properties/id' } })
    },
    shared
  }
  const { schema } = derive(options).in('v1')
  t.same((schema?.body as Json).properties.id, { $ref: 'Booking.v1#/properties/id' })
})

/** Schemas with a default that is in the words of v3, and the schemas of v1 without it. */
const g = { $ref: 'Guest#' }
const gV2 = { $ref: 'Guest.v2#' }
const wrapped = (schema: unknown, rest: object = {}) => ({ type: 'object', properties: { at: schema }, ...rest })
const DEFAULTS: [string, unknown, unknown][] = [
  ['next to a reference', { ...g, default: guest }, gV2],
  ['of allOf', { allOf: [g], default: guest }, { allOf: [gV2] }],
  ['of alternatives', {
    anyOf: [g, { type: 'array', items: g }, text], default: guest
  }, { anyOf: [gV2, { type: 'array', items: gV2 }, text] }],
  ['of a list', { type: 'array', items: g, default: [guest] }, { type: 'array', items: gV2 }],
  ['of a tuple', {
    type: 'array', prefixItems: [text, g], items: text, default: ['a', guest]
  }, { type: 'array', prefixItems: [text, gV2], items: text }],
  ['of an object', wrapped(g, { default: { at: guest } }), wrapped(gV2)],
  ['of an object with patterns', {
    type: 'object', patternProperties: { '^a': g }, default: { at: guest }
  }, { type: 'object', patternProperties: { '^a': gV2 } }],
  ['of an object with other properties', {
    type: 'object', properties: { n: integer }, additionalProperties: g, default: { n: 1, at: guest }
  }, { type: 'object', properties: { n: integer }, additionalProperties: gV2 }]
]
for (const [label, schema, older] of DEFAULTS) {
  t.test(`a default ${label} that contains a change is left to the newest schema`, (t) => {
    const variant = derive({ changes: [names], schema: both(wrapped(schema)), shared }).in('v1')
    t.same(variant.schema.body, wrapped(older))
    t.end()
  })
}

t.test('a default in which nothing changes is kept', (t) => {
  const KEPT = [
    { ...integer, default: 1 },
    { anyOf: [g, { type: 'null' }], default: null },
    { type: 'array', items: g, default: [] },
    wrapped(g, { default: { other: 1 } }),
    wrapped(g, { default: 1 }),
    { type: 'object', properties: { n: integer }, additionalProperties: g, default: { n: 1 } }
  ]
  const variant = derive({ changes: [names], schema: both({ prefixItems: [g, ...KEPT] }), shared }).in('v1')
  const { prefixItems } = variant.schema.body as { prefixItems: Json[] }
  t.same(prefixItems.slice(1).map((one) => one.default), KEPT.map((one) => (one as Json).default))
  t.end()
})

t.test('a default of a schema that is one of its own alternatives is kept', (t) => {
  const Tree = { $id: 'Tree', anyOf: [{ $ref: '#' }], ...wrapped(g, { default: { other: 1 } }) }
  const variant = derive({ changes: [names], schema: both({ $ref: 'Tree#' }), shared: [Guest, Tree] }).in('v1')
  t.same((variant.sharedSchemas.find(({ $id }) => $id === 'Tree.v2') as Json).default, { other: 1 })
  t.end()
})

t.test('an older schema keeps its defaults, unless an earlier change affects them', (t) => {
  const older = wrapped({ ...g, default: guest })
  const same = (one: Json) => one
  const change: Change = {
    version: 'v3', description: 'Wrapped.', schemas: { Wrapped: { older, upgrade: same, downgrade: same } }
  }
  const Wrapped = { $id: 'Wrapped', ...wrapped(g) }
  const of = (versionOfGuest: string) => {
    const derived = derive({
      changes: [change, { ...names, version: versionOfGuest }],
      schema: both({ $ref: 'Wrapped#' }),
      shared: [Guest, Wrapped]
    })
    const schema = derived.in('v1').sharedSchemas.find(({ $id }) => $id.startsWith('Wrapped')) as Json
    return schema.properties.at.default
  }
  t.same([of('v3'), of('v2')], [guest, undefined])
  t.end()
})

t.test('the older schema of a part keeps its defaults', (t) => {
  const older = wrapped({ ...g, default: guestV1 })
  const change: Change = {
    version: 'v3',
    description: 'A part.',
    routes: { bookings: { older: { body: older }, body: { upgrade: (one) => one } } }
  }
  const derived = derive({ changes: [change, names], name: 'bookings', schema: { body: wrapped(g) }, shared })
  t.same(derived.in('v1').schema.body, wrapped({ ...gV2, default: guestV1 }))
  t.end()
})

t.test('a default of a changed Zod schema is left to the newest schema', async (t) => {
  const Named = z.object({ name: z.string() }).meta({ id: 'Named' })
  const change: Change = {
    ...names, schemas: { Named: { older: z.object({ first: z.string() }), upgrade: ({ first }) => ({ name: first }) } }
  }
  const schema = { body: z.object({ at: Named.default({ name: 'Ada' }), n: z.number().default(1) }) }
  const body = derive({ changes: [change], schema, shared: [] }).in('v1').schema.body as typeof schema.body
  t.same(body.parse({}), { n: 1 })
  t.same(body.parse({ at: { first: 'Ada' } }), { at: { first: 'Ada' }, n: 1 })
})

t.test('a keyword that is not a schema is not converted', (t) => {
  const schema = { extends: 'Guest#', properties: { at: g } }
  const variant = derive({ changes: [names], schema: both(schema), shared }).in('v1')
  t.same(variant.schema.body, { extends: 'Guest#', properties: { at: gV2 } })
  t.end()
})

t.test('a schema of the newest version keeps its defaults when it is checked', (t) => {
  const { kernel, schemas } = derive({
    changes: [names], schema: both(g), shared: [{ ...Guest, properties: { name: { ...text, default: 'Ada' } } }]
  })
  const { $defs } = kernel.lineageOf(schemas).bundle('Guest', 'v3') as Json
  t.equal($defs.Guest.properties.name.default, 'Ada')
  t.end()
})
