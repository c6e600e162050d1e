import Fastify from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, checkChanges as moved } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { VERSIONS } from '../changes/bookings.ts'
import { Booking, Guest, both, names, object, several, text } from '../changes/kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from '../changes/kernel.ts'
import type { Change } from '../../types/index.d.ts'

const code = 'FST_ERR_VERSION_CHANGE_OPTION'
const response = (schema: unknown) => ({ schema: { response: { 200: schema } } })
const strict = () => Fastify({ ajv: { customOptions: { removeAdditional: false, keywords: ['x-own'] } } })

async function appWith (changes: Change[], declare: Declare, app: FastifyInstance = strict()) {
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes })
  declare(app)
  await app.ready()
  return app
}

/** Shared schemas in a child context, whose parent validates requests. */
const sharing = (...schemas: Record<string, unknown>[]) => (app: FastifyInstance) => {
  app.register(async (api) => {
    for (const schema of schemas) api.addSchema(schema)
    api.post('/bookings', { schema: both({ $ref: `${schemas[0].$id}#` }) }, async () => '')
  })
  app.post('/other', { schema: { body: text } }, async () => '')
}
/** Nothing is validated. */
const answering = (schema: Record<string, unknown>, ...more: Record<string, unknown>[]) => (app: FastifyInstance) => {
  for (const one of [schema, ...more]) app.addSchema(one)
  app.get('/', response({ $ref: `${schema.$id}#` }), async () => '')
}

const ada = { name: 'Ada Lovelace' }
const older = { first: 'Ada', last: 'Lovelace' }
const newest = { id: 1, guests: [ada] }
const examples = {
  Booking: { v1: [{ id: 1, guest: older }], v2: [{ id: 1, guests: [older] }], v3: [newest] }, Guest: [ada]
}
const guestWith = (more: object): Change => ({ ...names, schemas: { Guest: { ...names.schemas.Guest, ...more } } })
const fail = () => { throw new Error('No.') }
const inBoth = { Guest: { v2: [older], v3: [ada] } }
const wrong = { Guest: { v2: [{ first: 'Ada' }], v3: [{ name: [] }] } }
const invalid = { v2: /^The example is not valid: /, v3: /^The example is not valid: / }
const lossy = ({ name }: Json) => ({ first: name, last: '' })
const lenient = guestWith({ downgrade: ({ name = ' ' }: Json) => names.schemas.Guest.downgrade({ name }) })
const odd = { ...Guest, example: ada, properties: { name: { ...text, format: 'name' } } }
const other = (app: FastifyInstance) => { app.post('/other', { schema: { body: text } }, async () => '') }

type Declare = (app: FastifyInstance) => void
type Row = [
  title: string, changes: Change[], declare: Declare, examples: object, problems: Record<string, RegExp>,
  app?: FastifyInstance
]
const guests = sharing(Guest)
const both3 = sharing(Booking, Guest)
/** By version, what is wrong. */
const ROWS: Row[] = [
  ['finds nothing if every version accepts the examples', [several, names], both3, examples, {}],
  ['finds a schema without examples', [names], guests, {}, {
    v3: /^There is no example\. Write checkChanges\(app, { 'Guest': \[an example\] }\), or /
  }],
  ['finds an empty list of examples', [names], guests, { Guest: { v1: [], v2: [] } }, { v3: /^There is no example/ }],
  ['finds functions that throw', [guestWith({ upgrade: fail, downgrade: fail })], guests, inBoth, {
    v2: /^Change 'v3' \(A guest .*\), the schema 'Guest', value: "(?:down|up)grade" of 'Guest' threw "No\."\.$/
  }],
  ['lets an example change on its way', [guestWith({ downgrade: lossy })], guests, { Guest: { v2: [older] } }, {}],
  ['finds what does not come back in a lossless change', [guestWith({ lossless: true, downgrade: lossy })], guests,
    { Guest: { v2: [older] } },
    { v2: /^Upgraded and .*, it is { first: 'Ada Lovelace', last: '' }, although the change is lossless\.$/ }],
  ['finds nothing in a lossless change if all comes back', [guestWith({ lossless: true })], guests, inBoth, {}],
  ['finds an invalid upgrade', [guestWith({ upgrade: () => ({}) })], guests, { Guest: { v1: [older] } }, {
    v1: /The upgrade gives {}, which is not valid in 'v3'/
  }],
  ['finds an invalid way back', [guestWith({ lossless: true, downgrade: () => ({}) })], guests,
    { Guest: { v1: [older] } }, { v1: /The downgrade gives {}, which is not valid in 'v1'/ }],
  ['takes examples in the form of their version', [several], both3, { Booking: { v1: [], v2: [1], v3: [newest] } },
    { v2: /must be object/ }],
  ['checks the example of a version before the change', [names], guests, { Guest: { v1: [1] } }, { v1: /must be obj/ }],
  ['checks inline schemas', [names],
    (app) => { app.post('/guests', { schema: both({ type: 'array', items: Guest }) }, async () => '') },
    { Guest: { v2: [older, { first: 'Ada' }], v3: [ada, { first: 'Ada' }] } }, invalid],
  ['checks schemas of a child context by the options of the app', [several, names],
    (app) => { other(app); app.register(async (api) => answering(Booking, Guest)(api)) },
    { ...examples, Booking: [{ ...newest, more: 1 }] },
    { v3: /^The example is not valid: must NOT have additional properties\.$/ }],
  ...[() => {}, other].map((more): Row => [
    `ignores keywords and formats that validators do not know, with ${more.name || 'no'} routes`, [names],
    (app) => { answering(odd)(app); more(app) }, { Guest: { v2: [older, ...wrong.Guest.v2], v3: [ada, { name: [] }] } },
    invalid, Fastify()
  ]),
  ['needs no upgrade', [guestWith({ upgrade: undefined })], answering(Guest), inBoth, {}],
  ['needs no upgrade to find invalid examples', [guestWith({ upgrade: undefined })], answering(Guest), wrong, invalid],
  ['needs no downgrade', [guestWith({ downgrade: undefined })], (app) => {
    const schema = { body: { $ref: 'Guest#' }, response: { 200: {} } }
    app.addSchema(Guest).post('/', { schema }, async () => '')
  }, inBoth, {}],
  ['uses the compiler of the app, which may return errors', [lenient], answering(Guest),
    { Guest: [ada, { name: 'Grace Hopper' }] }, { v2: /in 'v2': Not Ada\.$/ },
    Fastify().setValidatorCompiler(() => ({ first }: Json) => first === 'Ada' ? { error: Error('Not Ada') } : {})],
  ['uses the compiler of the app, which may say no more than false', [names], answering(Guest),
    { Guest: [1] }, { v3: /^The example is not valid: \.$/ }, Fastify().setValidatorCompiler(() => () => false)],
  ['tries no bounds of a schema that only responses have', [names],
    answering(object({ name: { ...text, maxLength: 12 } }, { $id: 'Guest' })), inBoth, {}]
]

for (const [title, changes, declare, given, problems, own] of ROWS) {
  t.test(`checkChanges() ${title}`, async (t) => {
    const before = JSON.stringify(given)
    const found = checkChanges(await appWith(changes, declare, own), given as never)
    t.same(new Set(found.map(({ version }) => version as string)), new Set(Object.keys(problems)))
    for (const { version, message } of found) t.match(message, problems[version as string])
    t.equal(JSON.stringify(given), before)
  })
}

t.test('checkChanges() names the schema, the older version, the example and the problem', async (t) => {
  t.same(checkChanges(await appWith([guestWith({ downgrade: fail })], guests), { Guest: [ada] }), [{
    schema: 'Guest',
    version: 'v2',
    example: ada,
    message: "Change 'v3' (A guest has one name.), the schema 'Guest', value: \"downgrade\" of 'Guest' threw \"No.\"."
  }])
})

t.test('checkChanges() lets Zod schemas validate where no route validates requests', async (t) => {
  const older = z.object({ first: z.string(), last: z.string() })
  const change = { ...names, schemas: { ZodGuest: { ...names.schemas.Guest, older } } }
  const schema = z.object({ name: z.string().min(1) }).meta({ id: 'ZodGuest' })
  const app = await appWith([change], (app) => {
    app.get('/guests', response(z.array(schema)), async () => [])
  }, Fastify().setSerializerCompiler(serializerCompiler))
  t.same(checkChanges(app, { ZodGuest: inBoth.Guest }), [])
  const wrong = { ZodGuest: { v2: [{ first: 'Ada' }], v3: [{ name: '' }] } }
  t.same(checkChanges(app, wrong).map(({ message }) => message), [
    'The example is not valid: /name Too small: expected string to have >=1 characters.',
    'The example is not valid: /last Invalid input: expected string, received undefined.'
  ])
})

t.test('checkChanges() names a schema that does not compile, unless the app can validate it', async (t) => {
  const odd = object({ name: { ...text, pattern: '(' } }, { $id: 'Guest' })
  const message = /^checkChanges\(\) cannot compile the schema { .* } of 'v3': Invalid regular expression: .*\. See /
  const server = () => Fastify().setSerializerCompiler(() => JSON.stringify)
  const app = await appWith([names], answering(odd), server())
  t.throws(() => checkChanges(app, inBoth), { code, message })
  const other = await appWith([names], answering(odd), server().setValidatorCompiler(() => () => true))
  t.doesNotThrow(() => checkChanges(other, inBoth))
})

/** Compilers of an app that know Zod and nothing else, and look at a schema when it is used first. */
const zodOnly = {
  validator: ({ schema }: { schema: unknown }) => (value: unknown) => {
    const { data, error } = (schema as z.ZodType).safeParse(value)
    return error === undefined ? { value: data } : { error }
  },
  serializer: ({ schema }: { schema: unknown }) => (value: unknown) => (
    JSON.stringify((schema as z.ZodType).parse(value))
  )
}
for (const [title, app, given] of [
  ['requests are in Zod and responses are not', Fastify().setValidatorCompiler(zodOnly.validator as never),
    { body: z.object({}), response: { 200: { $ref: 'Guest#' } } }],
  ...[zodOnly.serializer, serializerCompiler].map((compile) => (
    ['responses are in Zod and requests are not', Fastify().setSerializerCompiler(compile as never),
      { body: { $ref: 'Guest#' }, response: { 200: z.object({}) } }] as const
  ))
] as const) {
  t.test(`checkChanges() compiles a schema that no compiler of the app takes, where ${title}`, async (t) => {
    await appWith([names], (app) => { app.addSchema(Guest).post('/', { schema: given }, async () => '') }, app)
    t.same(checkChanges(app, inBoth), [])
    t.same(checkChanges(app, wrong).map(({ version }) => version), ['v3', 'v2'])
  })
}

t.test('checkChanges() takes the schema of the context that it is given', async (t) => {
  const app = await appWith([lenient], async (app) => {
    for (const [name, more] of [['a', { a: {} }], ['b', {}]] as const) {
      app.register(async (child) => {
        const properties = { ...Guest.properties as object, ...more }
        child.addSchema({ ...Guest, properties, required: Object.keys(more) })
        child.get(`/${name}`, response({ $ref: 'Guest#' }), async () => ({}))
        if (name === 'b') child.addHook('onReady', async () => { t.same(checkChanges(child, inBoth), []) })
      })
    }
  })
  await app.ready()
})

for (const [given, message] of [
  [{ Gest: [] }, /No change has the schema 'Gest'\. Did you mean 'Guest'\?/],
  [null, /Invalid examples: expected an object, got null/],
  [{ Guest: { v4: [] } }, /'v4' is not one of allowedVersions\. Did you mean 'v1'\?/],
  [{ Guest: { v2: ada } }, /Invalid examples of 'Guest': expected an array, or an array for each version, got \{ v2/],
  [{ Guest: ada }, /Invalid examples of 'Guest': expected an array, .* got \{ /],
  [{ Guest: null }, /Invalid examples of 'Guest': expected an array, .* got null/]
] as const) {
  t.test(`checkChanges() refuses the examples ${JSON.stringify(given)}`, async (t) => {
    const app = await appWith([names], guests)
    t.throws(() => checkChanges(app, given as never), { code, message })
  })
}

const optional = (properties: object) => object(properties as Json, { required: [] })
const openA = { ...optional({ a: text }), additionalProperties: true }
const listA = optional({ a: text, list: { type: 'array', items: optional({ d: text }) } })

for (const [version, example, name, older] of [
  ['v1', { b: 'x' }, 'b', optional({ a: text })],
  ['v1', { b: 'x' }, 'b', openA],
  ['v1', { a: 'x', list: [{ c: 1 }] }, 'c', listA],
  ['v3', { b: 'x', a: 'y', _private: 'z' }, null, optional({ a: text })],
  ['v1', { a: 'x', more: 'y' }, null, openA]
] as const) {
  const does = name === null ? 'takes' : 'refuses'
  t.test(`checkChanges() ${does} the example ${JSON.stringify(example)} of ${version}, ${older.additionalProperties}`,
    async (t) => {
      const upgrade = ({ a, ...rest }: Json) => ({ ...rest, b: a })
      const change = { older, upgrade, downgrade: ({ b }: Json) => ({ a: b }) }
      const renamed: Change = { version: 'v2', description: 'b was a.', schemas: { Renamed: change } }
      const Renamed = { $id: 'Renamed', type: 'object', properties: { b: text } }
      const app = await appWith([renamed], sharing(Renamed), Fastify())
      const problems = checkChanges(app, { Renamed: { [version]: [example] } })
      const lacks = `which the schema of '${version}' does not have. Move it to its version.`
      const message = `The example has '${name}', ${lacks}`
      t.same(problems.map((problem) => problem.message), name === null ? [] : [message])
    })
}

t.test('checkChanges of the plugin names the new import', (t) => {
  const message = "Import checkChanges from 'fastify-versioning/testing': servers do not load it."
  t.throws(() => moved({}, {}), { code, message })
  t.end()
})

t.test('checkChanges() refuses an app without changes, and one that is not ready', async (t) => {
  const app = Fastify()
  t.throws(() => checkChanges(app), { code, message: /This instance has no changes/ })
  t.throws(() => checkChanges(null as never), { code, message: /This instance has no changes/ })
  await app.register(versioning, {})
  t.throws(() => checkChanges(app), { code, message: /This instance has no changes/ })
  const other = Fastify()
  await other.register(versioning, { changes: [] })
  t.throws(() => checkChanges(other), { code, message: /^Await app\.ready\(\) before checkChanges\(\)\./ })
  t.throws(() => checkChanges(other.ready() as object), { code, message: /^Await the app: a promise has no changes\./ })
  await other.ready()
  t.same(checkChanges(other), [])
})

const integer = { type: 'integer' }
const list = (more: object = {}) => ({ type: 'array', items: text, ...more })
const some = (a: object) => object({ none: {}, is: {}, a })
for (const [keyword, older, newer, value, place = ''] of [
  ['maxLength', text, { ...text, maxLength: 10 }, 'Ada'],
  ['minLength', text, { ...text, minLength: 2 }, 'Ada'],
  ['maximum', integer, { ...integer, maximum: 5 }, 3],
  ['exclusiveMinimum', integer, { ...integer, exclusiveMinimum: 0 }, 3],
  ['minItems', list(), list({ minItems: 1 }), ['a']],
  ['maxItems', list(), list({ maxItems: 3 }), ['a']],
  ['uniqueItems', list(), list({ uniqueItems: true }), ['a', 'b']],
  ['maxLength of items', list(), { type: 'array', items: { ...text, maxLength: 2 } }, [''], '/0'],
  ['maximum of a property', some(integer), some({ ...integer, maximum: 5 }), { none: null, is: true, a: 1 }, '/a']
] as const) {
  t.test(`checkChanges() finds an older bound that a new ${keyword} has no room for`, async (t) => {
    const changeOf = (clamp: boolean, older: unknown): Change => ({
      version: 'v2',
      description: 'Names changed.',
      schemas: {
        Guest: {
          older: object({ first: older }),
          upgrade: ({ first }) => ({ name: clamp ? value : first }),
          downgrade: ({ name }) => ({ first: name })
        }
      }
    })
    const shared = sharing(object({ name: newer }, { $id: 'Guest' }))
    for (const given of [{ Guest: [{ name: value }] }, { Guest: { v1: [{ first: value }] } }]) {
      const message = new RegExp(`^The example with [^ ]+ at '/first${place}' is valid, too. The upgrade gives `)
      t.match(checkChanges(await appWith([changeOf(false, older)], shared), given), [{ version: 'v1', message }])
      t.same(checkChanges(await appWith([changeOf(true, older)], shared), given), [], 'clamped')
      t.same(checkChanges(await appWith([changeOf(false, newer)], shared), given), [], 'refused')
    }
  })
}

t.test('checkChanges() does not try longer lists of an empty one', async (t) => {
  const same = (one: Json) => one
  const change = guestWith({ older: { type: 'object', additionalProperties: true }, upgrade: same, downgrade: same })
  const app = await appWith([change], sharing(object({ list: list({ maxItems: 2 }) }, { $id: 'Guest' })))
  t.same(checkChanges(app, { Guest: [{ list: [] }] }), [])
})

t.test('a validator of the app may rename what the newest schema describes', async (t) => {
  const sent = ({ name }: Json) => ({ $id: 'Guest', ...object({ [name]: text }, { additionalProperties: false }) })
  for (const [name, problems] of [['name', []], ['nmae', [/returned 'nmae', which the newer schema does not have/]]]) {
    const app = await appWith([{
      version: 'v2',
      description: 'A guest has a name.',
      schemas: {
        Guest: {
          older: object({ guest: text }, { additionalProperties: false }),
          upgrade: ({ guest }: Json) => ({ [name as string]: guest })
        }
      }
    }], (app) => {
      app.addSchema(sent({ name: 'name' }))
      app.post('/guests', { schema: { body: { $ref: 'Guest#' }, response: { 200: {} } } }, async () => '')
    }, Fastify().setValidatorCompiler(({ schema }) => ({ name, nmae: _typo, ...rest }: Json) => (
      { value: JSON.stringify(schema).includes('guest') || name === undefined ? rest : { ...rest, title: name } }
    )))
    const found = checkChanges(app, { Guest: { v1: [{ guest: 'Ada' }] } }).map(({ message }) => message)
    t.match(found, problems, String(name))
    t.equal(found.length, problems.length, found.join())
  }
})

t.test('checkChanges() validates as the routes do that are in a child of the context of the schema', async (t) => {
  const last = { anyOf: [text, { type: 'null' }] }
  const change = {
    version: 'v2',
    description: 'A name has two parts.',
    schemas: {
      Name: {
        older: object({ name: text }, { additionalProperties: false }),
        upgrade: ({ name }: Json) => ({ first: name, last: null })
      }
    }
  }
  const Name = { $id: 'Name', ...object({ first: text, last }) }
  for (const [shared, body] of [[[Name], { $ref: 'Name#' }], [[], Name]]) {
    const app = await appWith([change], (app) => {
      for (const schema of shared as object[]) app.addSchema(schema)
      app.register(async (api) => { api.post('/', { schema: { body, response: { 200: {} } } }, async () => '') })
    }, Fastify())
    t.match(checkChanges(app, { Name: { v1: [{ name: 'Ada' }] } }), [{ message: /something else of '\/last'/ }])
  }
})
