import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { Type } from 'typebox'
import { z } from 'zod'

import { checkChanges } from '../../src/testing/index.ts'
import { appBetween, ask } from './bookings.ts'
import {
  Booking, BookingV1, Guest, appOf, boots, both, converts, integer, names, object, refuses, several, text
} from './kernel.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
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
  ['additionalProperties', {
    type: 'array', items: { type: 'object', properties: { id: integer }, additionalProperties: g }
  }, (guest) => [{ id: 1 }, { id: 1, one: guest, constructor: guest }]],
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
  ['a nullable object next to null', { anyOf: [{ type: ['object'], nullable: true, ...g }, { type: 'null' }] },
    (guest) => guest],
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

const listOf = (items: unknown) => object({ data: { type: 'array', items } })
for (const [title, ...allOf] of [
  ['a property of any value', object({ data: {} }, { required: [] }), listOf(g)],
  ['a list of any items', listOf(Type.Any()), listOf(g)],
  ['items of any value', { type: 'array', items: {} }, { type: 'array', items: g }]
] as const) {
  t.test(`a changed schema is converted next to a schema that says no more than ${title}`, async (t) => {
    const [older, newer] = [guestV1, guest].map((value) => title.startsWith('items') ? [value] : { data: [value] })
    await converts(t, { changes: [names], schema: both({ allOf }), shared }, older, newer, () => {})
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
  for (const prepare of [() => {}, (app: FastifyInstance) => app.setValidatorCompiler(TypeBoxValidatorCompiler)]) {
    const app = await converts(t, { changes: [change], schema: both(module.Order) }, olderValue, value, prepare)
    t.equal((await ask(app, 'v1', '/bookings', value)).statusCode, 400)
  }
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

/** By what stands beside a changed value: its schema, and a value of it. */
const BESIDE: [title: string, part: z.ZodType, value: unknown][] = [
  ['any JSON', z.json(), { a: [{ b: null }] }],
  ['a lazy schema that contains itself', Chain(), { next: { next: null } }],
  ['a refined list', z.array(z.string()).superRefine(() => {}), ['a']],
  ['strict alternatives that nothing tells apart',
    z.union([z.strictObject({ a: z.int() }), z.strictObject({ a: z.int(), b: z.int() })]), { a: 1, b: 2 }]
]

function Chain (): z.ZodType {
  const chain: z.ZodType = z.lazy(() => z.object({ next: chain.nullable() }))
  return chain
}

for (const [title, part, value] of BESIDE) {
  t.test(`a Zod schema may have ${title} beside a changed one`, async (t) => {
    const { Person, change } = zodPerson(`Beside ${title}`)
    const schema = both(z.object({ at: Person, part }).refine(({ at }) => at.name.includes(' ')))
    const older = { at: guestV1, part: value }
    await converts(t, { changes: [change], schema }, older, { at: guest, part: value }, withZod)
  })
}

/** Refinements by where they are, with a value in v1 that they refuse, and whether the client is to blame. */
const REFINED: [where: string, refined: (person: z.ZodType) => z.ZodType, value: object, status: number][] = [
  ['an object around a changed one', (person) => (
    z.object({ at: person.optional() }).refine(({ at }) => at !== undefined, 'a person is missing')
  ), {}, 400],
  ['a list of changed ones', (person) => z.array(person).superRefine((all, ctx) => {
    if (all.length > 1) ctx.addIssue({ code: 'custom', message: 'a person is too much' })
  }), [guestV1, guestV1], 400],
  ['the changed one itself', (person) => z.object({ at: person }), { at: { first: 'no', last: 'name' } }, 500]
]

/** A compiler of the app that returns errors of Zod as they are. */
const withIssues = (app: FastifyInstance) => withZod(app).setValidatorCompiler<z.ZodType>(({ schema }) => (value) => {
  const { data, error } = schema.safeParse(value)
  return error === undefined ? { value: data } : { error }
})

const COMPILERS = { 'fastify-type-provider-zod': withZod, 'the app': withIssues }

for (const [where, refined, value, status, by] of REFINED.flatMap((row) => (
  (['fastify-type-provider-zod', 'the app'] as const).map((by) => [...row, by] as const)
))) {
  t.test(`what a refinement of ${where} refuses in an older version is a ${status} by ${by}`, async (t) => {
    const id = `Refined ${status} ${where} by ${by}`
    const Person = z.object({ name: z.string() }).refine(({ name }) => name !== 'no name', 'a name is missing')
    const schema = both(refined(Person.meta({ id })))
    const app = await appOf(t, { changes: [zodPerson(id).change], schema }, [], COMPILERS[by])
    const { statusCode, message } = (await ask(app, 'v1', '/bookings', value)).json()
    t.equal(statusCode, status)
    t.match(message, status === 400 ? /^body\/? a person is / : 'A change between versions failed.')
  })
}

t.test('a copy of a changed Zod schema, which has lost its id, is refused', async (t) => {
  const { Person, change } = zodPerson('Copied')
  for (const copy of [Person.describe('a person'), Person.refine(() => true).describe('a person')]) {
    const schema = both(z.object({ at: Person, copy }))
    await refuses(t, { changes: [change], schema }, /schema: a copy of the Zod schema 'Copied' has no id: describe or/)
  }
  await boots(t, { changes: [change], schema: both(z.object({ at: Person.optional().describe('a person') })) })
})

t.test('a Zod schema that transforms is refused where it contains a changed one', async (t) => {
  const { Person, change } = zodPerson('Piped')
  const schema = both(z.object({ a: Person.transform(String) }))
  await refuses(t, { changes: [change], schema }, /POST \/bookings, body: nothing is converted under "not"/)
})

const TWICE: [title: string, part: z.ZodType][] = [
  ['a transformation in an optional list', z.array(z.number().transform((n) => n * 2)).optional()],
  ['a codec', z.codec(z.string(), z.number(), { decode: Number, encode: String })],
  ['stringbool', z.stringbool()],
  ['preprocess', z.preprocess(Number, z.number())]
]

for (const [title, n] of TWICE) {
  t.test(`${title} in the older or in the newest Zod schema of an upgraded part is refused`, async (t) => {
    const { Person, change } = zodPerson(`Next to ${title}`)
    const message = /'v3' \(One name\.\), POST \/bookings, body: a transformation of Zod .* convert it in "upgrade"/
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
  const Extra = { $id: 'Extra', type: 'integer' }
  const properties = { m: { $ref: 'Extra' }, in: { $id: 'Tree' } }
  const Old = { $id: 'Old', ...object({ m: integer }), properties }
  const older = { $defs: { Old, Extra }, $ref: 'Old' }
  const Tree = { ...object({ n: integer }, { $id: 'Tree' }), properties: { n: integer, in: { $ref: '#' } } }
  const changes = [{ version: 'v2', description: 'n was m.', schemas: { Tree: { older, upgrade, downgrade } } }]
  const options = { changes, schema: both({ $ref: 'Tree#' }), shared: [Tree] }
  const app = await converts(t, options, { m: 1, in: { m: 2 } }, { n: 1, in: { n: 2 } }, () => {})
  t.equal((await ask(app, 'v1', '/bookings', { m: 1, in: { m: 'x' } })).statusCode, 400)
})

for (const [says, older] of [
  ['an older value has', object({ name: text, first: text })],
  ['an alternative has', { oneOf: [object({ name: text }), object({ first: text })] }],
  ['a pattern has', { type: 'object', patternProperties: { '^name$': text, '^f': {} }, additionalProperties: false }]
] as const) {
  t.test(`a property that ${says} may be required next to a reference`, async (t) => {
    const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }
    await boots(t, { changes: [change], schema: both({ ...g, required: ['name'] }), shared })
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

// In apps that validate and serialize

const closed = (properties: object, others: object = {}) => (
  { type: 'object', additionalProperties: false, properties, ...others }
)

/** v2: a user has a name. */
const change = {
  version: 'v2',
  description: 'A user has a name.',
  schemas: {
    User: {
      older: object({ login: text }),
      upgrade: ({ login, ...rest }: Json) => ({ ...rest, name: login }),
      downgrade: ({ name, ...rest }: Json) => ({ ...rest, login: name })
    }
  }
} satisfies Change
const user = { $ref: 'User#' }
const User = { $id: 'User', type: 'object', properties: { name: text }, required: ['name'] }

function answer (app: FastifyInstance, schema: object, value: unknown, options: object = {}): void {
  app.get('/', { schema: { response: { 200: schema } } as FastifySchema, ...options }, async () => value)
}

async function inV1 (app: FastifyInstance): Promise<unknown> {
  return (await ask(app, 'v1', '/')).json()
}

const ada = { name: 'Ada', password: 'secret' }
const kind = (value: string, more: object = {}) => (
  { type: 'object', properties: { kind: { const: value }, ...more }, required: ['kind'] }
)
const either = { anyOf: [closed({ a: text }), closed({ b: text })] }
const Tree = { $id: 'Tree', ...closed({ user, in: { allOf: [{ $ref: 'Tree#' }] } }) }
const login = { login: 'Ada' }
/** What v1 gets of a value by its schema. */
const ANSWERS: [title: string, schema: object, value: unknown, older: unknown][] = [
  ['drops what it does not know next to null', { anyOf: [user, { type: 'null' }] }, ada, login],
  ['drops what it does not know in a list', { oneOf: [{ type: 'array', items: user }, text] }, [ada], [login]],
  ['drops what it does not know next to a constant', { oneOf: [kind('a', { of: user, any: true }), kind('b')] },
    { kind: 'a', of: ada, more: 1 }, { kind: 'a', of: login }],
  ['keeps alternatives that only additionalProperties tells apart', closed({ user, either }),
    { user: ada, either: { b: 'b' } }, { user: login, either: { b: 'b' } }],
  ['keeps them where they are references',
    closed({ user, at: { anyOf: [{ $ref: '#/definitions/a' }, { $ref: '#/definitions/b' }] } },
      { definitions: { a: closed({ a: text }), b: closed({ b: text }) } }),
    { user: ada, at: { b: 'b' } }, { user: login, at: { b: 'b' } }],
  ['drops what it does not know next to null, beside such alternatives',
    closed({ at: { anyOf: [user, { type: 'null' }] }, either }), { at: ada, either: { b: 'b' } },
    { at: login, either: { b: 'b' } }],
  ['has schemas that contain themselves by allOf alone', { $ref: 'Tree#' }, { user: ada, in: { user: ada, in: {} } },
    { user: login, in: { user: login, in: {} } }],
  ['may have one object several times in its schema', closed({ a: text, b: text, user }),
    { a: '1', b: '2', user: ada }, { a: '1', b: '2', user: login }],
  ['resolves references within its own schema',
    closed({ a: { $ref: '#/definitions/user' } }, { definitions: { user } }), { a: ada }, { a: login }],
  ['may have an $id that is a fragment, and names nothing', { $id: '#local', ...closed({ user }) },
    { user: ada }, { user: login }]
]
for (const [title, schema, value, older] of ANSWERS) {
  t.test(`an older version ${title}`, async (t) => {
    const app = await appBetween(t, change, [User, Tree])
    answer(app, schema, value)
    t.same(await inV1(app), older)
    t.equal((await ask(app, 'v2', '/')).statusCode, 200)
  })
}

t.test('app.downgrade leaves alone what no change is about', async (t) => {
  const Page = { $id: 'Page', anyOf: [user, { type: 'null' }] }
  const app = await appBetween(t, change, [User, Page, { $id: 'Text', ...text }])
  answer(app, { $ref: 'Page#' }, ada)
  await app.ready()
  t.equal(app.downgrade('Page', undefined, 'v1'), undefined)
  t.equal(app.downgrade('Text', 'a', 'v1'), 'a')
})

t.test('properties beyond a strict older Zod object are dropped', async (t) => {
  const Person = z.object({ name: z.string() }).meta({ id: 'StrictPerson' })
  const schemas = { StrictPerson: { ...change.schemas.User, older: z.strictObject({ login: z.string() }) } }
  const app = await appBetween(t, { ...change, schemas }, [])
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  app.post('/', { schema: { body: Person, response: { 200: z.array(Person) } } }, async () => [ada])
  t.same((await ask(app, 'v1', '/', login)).json(), [login])
  t.equal((await ask(app, 'v1', '/', { ...login, role: 'admin' })).statusCode, 400)
})

t.test('a recursive schema in a union by a constant that changes is converted', async (t) => {
  const entry = { oneOf: [{ $ref: 'Folder#' }, { $ref: 'File#' }] }
  // In alternatives Ajv would remove what another one describes.
  const open = (properties: Record<string, unknown>) => ({ ...object(properties), additionalProperties: true })
  const folder = (kind: string) => open({ kind: { const: kind }, entries: { type: 'array', items: entry } })
  const rename = (kind: string) => (value: Json) => ({ ...value, kind })
  const schemas = { Folder: { older: folder('dir'), upgrade: rename('folder'), downgrade: rename('dir') } }
  const file = { $id: 'File', ...open({ kind: { const: 'file' } }) }
  const shared = [{ $id: 'Folder', ...folder('folder') }, file]
  const tree = (kind: string) => ({ kind, entries: [{ kind, entries: [{ kind: 'file' }] }, { kind: 'file' }] })
  const options = { changes: [{ ...change, schemas }], schema: both(entry), shared }
  const app = await converts(t, options, tree('dir'), tree('folder'), () => {})
  t.same((await ask(app, 'v2', '/bookings', tree('folder'))).json(), tree('folder'))
  t.equal((await ask(app, 'v1', '/bookings', tree('folder'))).statusCode, 400)
})

t.test('an older schema may refer to one of several schemas that the newest version has only inline', async (t) => {
  const schemas = {
    Person: {
      older: object({ address: { $ref: 'Address#' } }),
      upgrade: ({ address }: Json) => ({ addresses: [address] }),
      downgrade: ({ addresses }: Json) => ({ address: addresses[0] })
    }
  }
  const address = (name: string) => ({ $id: 'Address', ...object({ [name]: text }) })
  const optionsWith = (other: object) => {
    const $defs = { phone: { $id: 'Phone', ...object({}) } }
    const Person = object({ addresses: { type: 'array', items: address('city') } }, { $id: 'Person', $defs })
    const querystring = { type: 'object', properties: { other } }
    return { changes: [{ ...change, schemas }], schema: { ...both(Person), querystring } }
  }
  const city = { city: 'Paris' }
  await converts(t, optionsWith(address('city')), { address: city }, { addresses: [city] }, () => {})
  await refuses(t, optionsWith(address('street')), /"\$ref": "Address#" leads to no \$id/)
})

t.test('an invalid body next to a changed query is a 400', async (t) => {
  const search = { older: { querystring: closed({}) }, query: { upgrade: () => ({ page: 1 }) } }
  const app = await appBetween(t, { version: 'v2', description: 'Pages.', routes: { search } }, [])
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  const schema = { body: object({ q: text }), querystring }
  app.post('/', { name: 'search', schema }, async (request) => request.query)
  t.match((await ask(app, 'v1', '/', {})).json(), {
    statusCode: 400, code: 'FST_ERR_VALIDATION', message: "body must have required property 'q'"
  })
  t.same((await ask(app, 'v1', '/', { q: 'a' })).json(), { page: 1 })
})

t.test('a route of an older version alone keeps the schemas that no change has altered', async (t) => {
  const app = await appBetween(t, change, [User])
  answer(app, closed({ a: text }), { a: '1' })
  answer(app, user, ada, { version: 'v2' })
  const body = closed({ user, schema: { $ref: 'http://json-schema.org/draft-07/schema#' } })
  const schema = { body, querystring: object({ a: text }), response: { 200: text } }
  app.post('/old', { version: 'v1', schema }, async ({ body }) => JSON.stringify(body))
  t.same(await inV1(app), { a: '1' })
  const sent = { user: login, schema: { type: 'string' } }
  t.same((await ask(app, 'v1', '/old?a=1', sent)).json(), sent)
  t.equal((await ask(app, 'v1', '/old', sent)).statusCode, 400)
})

t.test('a route for requests without a version has the newest schemas', async (t) => {
  const app = await appBetween(t, change, [User])
  answer(app, user, ada, { version: [null] })
  app.get('/users', { schema: { response: { 200: user } } }, async () => ada)
  t.same((await app.inject('/')).json(), { name: 'Ada' })
})

/** A schema that contains itself, with what its text is called, and by what it refers to others. */
const node = (name: string, reference: string, rest: object = {}): Json => ({
  type: 'object',
  properties: { [name]: text, kids: { type: 'array', items: { $ref: reference } } },
  additionalProperties: false,
  ...rest
})
const title = { upgrade: ({ title, ...rest }: Json) => ({ ...rest, label: title }) }
const label = { downgrade: ({ label, ...rest }: Json) => ({ ...rest, title: label }) }
const labelled = (older: object): Change => (
  { version: 'v2', description: 'A title is a label.', schemas: { Node: { older, ...title, ...label } } }
)

for (const [newer, older] of [['Node#', 'Node#'], ['#', '#'], ['Node', '#'], ['#', 'Node'], ['Twig#', 'Twig#']]) {
  t.test(`a body may contain itself by ${newer}, and by ${older} as it was`, async (t) => {
    const shared = [node('label', newer, { $id: 'Node' }), node('label', 'Node#', { $id: 'Twig' })]
    const app = await appBetween(t, labelled(node('title', older)), shared)
    const schema = { body: { $ref: 'Node#' }, response: { 200: { $ref: 'Node#' } } }
    app.post('/nodes', { schema }, async ({ body }) => body)
    app.post('/older', { schema, version: 'v1' }, async ({ body }) => body)
    const isTwig = older === 'Twig#'
    const tree = (name: string) => ({ [name]: 'a', kids: [{ [isTwig ? 'label' : name]: 'b', kids: [] }] })
    for (const [url, name] of [['/nodes', 'title'], ['/older', 'title'], ['/nodes', 'label']]) {
      const { statusCode, body } = await ask(app, name === 'title' ? 'v1' : 'v2', url, tree(name))
      t.equal(statusCode, 200, body)
      t.same(JSON.parse(body), tree(name))
    }
    const wrong = await ask(app, 'v1', '/nodes', { title: 'a', kids: [{ kids: [{ kids: 1 }] }] })
    t.match(wrong.json(), { statusCode: 400, message: 'body/kids/0/kids/0/kids/0 must be object' })
    t.same(checkChanges(app, { Node: [tree('label')] }), [])
  })
}

const nodeOf = (name: string) => (
  { $id: 'Node', ...object({ [name]: text }), properties: { [name]: text, in: { $ref: 'Node#' } } }
)

t.test('routes may have different inline schemas with one $id that no change names, as in Fastify', async (t) => {
  const app = await appBetween(t, { ...names, version: 'v2' }, [Guest])
  for (const name of ['a', 'b']) {
    const schema = object({ guest: { $ref: 'Guest#' }, at: nodeOf(name) })
    app.get(`/${name}`, { schema: { response: { 200: schema } } }, async () => (
      { guest: { name: 'Ada Lovelace' }, at: { [name]: '1', in: { [name]: '2' } } }
    ))
  }
  for (const name of ['a', 'b']) {
    const guest = { first: 'Ada', last: 'Lovelace' }
    t.same((await ask(app, 'v1', `/${name}`)).json(), { guest, at: { [name]: '1', in: { [name]: '2' } } })
  }
})
