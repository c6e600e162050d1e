import { Ajv2019 } from 'ajv/dist/2019.js'
import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { EXAMPLES, VERSIONS, appWithChanges, guests, room } from './bookings.ts'
import {
  Booking as Stay, Guest, boots, both, integer, names, object, refuses, several, text as string
} from './kernel.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { Change, RouteChange, VersioningOptions } from '../../types/index.d.ts'

type Json = ReturnType<JSON['parse']>

const scheme = HeaderVersioning
const code = 'FST_ERR_VERSION_CHANGE_OPTION'

// Changes as they are written

const upgrade = () => ({})
const downgrade = upgrade
const base = { version: 'v2', description: 'A.' }
const ofSchema = (schema: unknown) => [{ ...base, schemas: { A: schema } }]
const changesOf = (route: unknown) => [{ ...base, routes: { a: route } }]
const [body] = changesOf({ body: { upgrade } })
const A = "'v2' \\(A\\.\\)"

/** What a schema of a library has by https://standardschema.dev. */
const library = { '~standard': { version: 1, vendor: 'arktype', validate: upgrade } }
const LIBRARIES = [library, Object.assign(() => {}, library), { content: { 'application/json': { schema: library } } }]

const WRONG: [given: unknown, message: string, versions?: readonly (string | null)[] | null][] = [
  [{}, 'Invalid "changes": expected an array of changes, got {}\\.'],
  [[several], 'The option "changes" needs "allowedVersions": they say which version is newer\\.', null],
  [[several], 'The option "changes" needs "allowedVersions"', [null]],
  [[null], 'Invalid change changes\\.0: expected an object, got null\\.'],
  [[{ ...base, version: 2 }], 'Invalid change changes\\.0\\.version: expected one of allowedVersions, got 2\\.'],
  [[{ version: 'v2', schemas: {} }], 'Invalid change changes\\.0\\.description: expected a sentence for the readers'],
  [[{ ...base, version: 'v22' }],
    "Change 'v22' \\(A\\.\\): the version is not one of allowedVersions\\. Did you mean 'v2'\\?"],
  [[{ ...base, version: 'v11' }], "Change 'v11' \\(A\\.\\): the version is not one of allowedVersions\\.(?!.*'v1'\\?)"],
  [[{ ...base, version: 'v1' }],
    "Change 'v1' \\(A\\.\\): write the version that brought the change, because 'v1' is the oldest version\\."],
  [[base], `Change ${A} changes nothing: give it "schemas" or "routes"\\.`],
  [[{ ...base, shemas: {} }], 'Change changes\\.0 has no option "shemas", but .* Did you mean \'schemas\'\\?'],
  [[{ ...base, schemas: [] }], `Invalid change ${A}, schemas: expected an object, got \\[\\]\\.`],
  [ofSchema(null), `Invalid change ${A}, schemas\\.A: expected an object, got null\\.`],
  [changesOf({ response: { downgrade: upgrade } }),
    'Change .*, routes\\.a\\.response: write "downgrade" under a status, such as 200\\.'],
  [changesOf({ response: { 200: false } }), `Invalid change ${A}, .*200: expected an object, got false\\.`],
  [ofSchema({ upgrade }), `Invalid change ${A}, schemas\\.A\\.older: expected a schema, got undefined\\.`],
  [ofSchema({ older: {} }),
    `Invalid change ${A}, schemas\\.A: expected a function "upgrade", "downgrade", or both, got`],
  [ofSchema({ older: {}, upgrade: 1 }), `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function, got 1\\.`],
  [ofSchema({ older: {}, upgrade: async () => ({}) }),
    `Invalid change ${A}, schemas\\.A\\.upgrade: expected a function that is not async`],
  [ofSchema({ older: {}, upgrade, lossless: 1 }),
    `Invalid change ${A}, schemas\\.A\\.lossless: expected true or false, got 1\\.`],
  [ofSchema({ older: {}, upgrad: upgrade }),
    `Change ${A}, schemas\\.A has no option "upgrad", but older, .* Did you mean 'upgrade'\\?`],
  [changesOf({ boddy: { upgrade } }), `Change ${A}, routes\\.a has no option "boddy", .* Did you mean 'body'\\?`],
  [changesOf({ body: { downgrade } }),
    `Invalid change ${A}, routes\\.a\\.body\\.upgrade: expected a function, got undefined\\.`],
  [changesOf({ older: { body: {} }, query: { upgrade } }),
    `Invalid change ${A}, routes\\.a\\.body: expected a function "upgrade"`],
  [changesOf({ older: { body: 1 }, body: { upgrade } }),
    `Invalid change ${A}, routes\\.a\\.body\\.older: expected a schema, got 1\\.`],
  ...LIBRARIES.map((older): [unknown, string] => [ofSchema({ older, upgrade }),
    `Write "${A}, schemas\\.A\\.older" as a JSON Schema, with TypeBox or with Zod 4: changes do not read 'arktype'`]),
  [ofSchema({ older: { _def: { typeName: 'ZodObject' }, safeParse () {} }, upgrade }),
    `Write "${A}, schemas\\.A\\.older" as a JSON Schema, with TypeBox or with Zod 4: changes do not read 'Zod 3'`],
  [ofSchema({ older: { _def: { typeName: 'ZodObject' }, '~standard': { vendor: 'zod' } }, upgrade }),
    `Write "${A}, schemas\\.A\\.older" as a JSON Schema, with TypeBox or with Zod 4: changes do not read 'Zod 3'`],
  [changesOf({ older: { response: {} } }), `Change ${A}, routes\\.a\\.older has no option "response", but body, query`],
  [changesOf({ query: { upgrade }, querystring: { upgrade } }),
    `Change ${A}, routes\\.a has both "query" and "querystring"`],
  [changesOf({ body: { older: {}, upgrade } }),
    'routes\\.a\\.body has no option "older", but upgrade, downgrade\\. .* next to it: older: { body: … }\\.'],
  [changesOf({ older: { body: {} }, body: { upgrade, lossless: true } }),
    'routes\\.a\\.body has no option "lossless", but upgrade, downgrade\\. An older'],
  [changesOf({ older: { query: {}, querystring: {} }, query: { upgrade } }),
    'routes\\.a has both "query" and "querystring": they are the same\\.'],
  [[several, { ...several, description: 'B.' }],
    "Changes 'v2' \\(A booking has several guests\\.\\) and 'v2' \\(B\\.\\) both change the schema 'Booking'\\."],
  [[body, body], "both change the body of the route 'a'\\."],
  [[...changesOf({ response: { '2XX': { downgrade } } }), ...changesOf({ response: { '2xx': { downgrade } } })],
    "both change the response 2xx of the route 'a'\\."]
]

for (const [i, [given, message, allowedVersions = VERSIONS]] of WRONG.entries()) {
  t.test(`the error about invalid changes (${i}) is "${message.replaceAll('\\', '').slice(0, 60)}"`, async (t) => {
    await t.rejects(appWith(t, { scheme, allowedVersions, changes: given as [] }), {
      code, statusCode: 500, message: new RegExp(`^.*${message}.* See https:.*#fst_err_version_change_option$`)
    })
  })
}

const LISTS: readonly (readonly [title: string, root: VersioningOptions, child: VersioningOptions, RegExp | null])[] = [
  ['no versions in a child', {}, { allowedVersions: null }, /^The option "changes" needs "allowedVersions": they say/],
  ['another order in a child', {}, { allowedVersions: ['v0', 'v2', 'v1'] },
    /^The "allowedVersions" \[ 'v2', 'v1' \] are in another order than the "changes" have them, \[ 'v1', 'v2' \]\./],
  ['no scheme', { scheme: null }, {}, /is never used: .* 5\. The context has no "scheme"\./],
  ['a scheme in a child', { scheme: null }, { scheme: HeaderVersioning }, null],
  ['no scheme in a child', {}, { scheme: null }, null],
  ['no changes in a child', {}, { changes: null, allowedVersions: ['v2', 'v1'] }, null],
  ['an empty list in a child', {}, { changes: [], allowedVersions: null }, null],
  ['fewer versions in a child', {}, { allowedVersions: ['v2'] }, null]
]

for (const [title, root, child, message] of LISTS) {
  t.test(`a context with changes may have ${title}: ${String(message)}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], changes: [body as Change], ...root })
    const options = { name: 'a', schema: { body: object({}), response: { 200: {} } } }
    app.register(async (app) => { app.post('/a', options, async () => 'a') })
    app.register(async (app) => {
      await app.register(versioning, child)
      app.get('/b', async () => 'b')
      if (child.scheme === HeaderVersioning) app.post('/b', options, async () => 'b')
    })
    const ready = async () => { await app.ready() }
    if (message === null) await t.resolves(ready)
    else await t.rejects(ready, { code, message })
  })
}

// Changes and routes

const schema = { response: { 200: { $ref: 'Booking#' } } }
const handler = async () => EXAMPLES.v3
const same = (one: unknown) => one

const ofRoute = (name: string, route: RouteChange): Change => (
  { version: 'v2', description: 'By name.', routes: { [name]: route } }
)
const byName = (name: string, older?: object) => ofRoute(name, { response: { 200: { older, downgrade: same } } })
const ofQuery = (older: object) => (
  ofRoute('bookings', {
    older: { querystring: { type: 'object', additionalProperties: true, ...older } }, query: { upgrade: same }
  })
)

const g = { $ref: 'Guest#' }
const shared = [Stay, Guest]
const open = { type: 'object', properties: { n: integer } }
const limited = { required: ['a'] }
const HAL = 'application/hal+json'
const content = (...types: string[]) => (
  { content: Object.fromEntries(types.map((type) => [type, { schema: object({}) }])) }
)
const answered = (older: object): RouteChange => ({ response: { 200: { older, downgrade: same } } })

const Text = { $id: 'Text', type: 'string' }
const text = { schema: { response: { 200: Text } } }
const ofText: Change = {
  version: 'v2',
  description: 'Another text.',
  schemas: { Text: { older: { $id: 'Text', type: 'string' }, downgrade: same } }
}
const named = { name: 'bookings', schema }
const inSpaces = (options: RouteShorthandOptions) => (app: FastifyInstance) => {
  for (const namespace of ['v1', 'v2']) {
    app.register(async (app) => { app.get('/bookings', options, handler) }, { prefix: `/${namespace}`, namespace })
  }
}

/** Apps that do not boot, and why: with the options of GET /bookings, or several routes. */
const FAULTS: [
  string, Change | Change[], RouteShorthandOptions | ((app: FastifyInstance) => void), RegExp, VersioningOptions?
][] = [
  ['a schema that does not exist', { ...guests, schemas: { Bookng: guests.schemas?.Booking as never } }, { schema },
    /^Change 'v2' \(A .* guests\.\): no route uses a schema with the \$id 'Bookng'\. Did you mean 'Booking'\?/],
  ['a schema of routes that the plugin has not seen', ofText, { schema },
    /the \$id 'Text'\. Add the \$id to the schema\. If it is there, declare the routes after "await register/],
  ['a route without a name at the URL of a change', byName('bookings'), (app) => {
    app.get('/bookings', named, handler)
    app.delete('/bookings', handler)
    app.patch('/bookings', { version: { from: 'v2' }, schema }, handler)
    app.put('/bookings', { schema }, handler)
  }, /PUT \/bookings, response 200: the route has no name, and 'bookings' has its URL: give it that name, or another/],
  ['a name with the namespace that is its version', byName('2025-06-01:bookings'), named,
    /no route is named '2025-06-01:bookings'\. Did you mean 'bookings'\?/],
  ['a change that touches no route', guests, { schema, version: 'v3' },
    /Change 'v2' \(A booking has several guests\.\) is never used: no route of an older version/],
  ['explicit handlers for all older versions', guests, (app) => {
    app.register(async (app) => { app.get('/bookings', { version: { to: 'v1' } }, handler) })
    app.register(async (app) => { app.get('/bookings', { schema }, handler) })
  }, /Change 'v2' .* is never used: .*Older versions have other handlers: delete the change/],
  ['a version that only the scheme of the route has', [guests, room], {
    schema, versioning: new QueryParameterVersioning({ allowedVersions: ['v1', 'v4'] })
  }, /GET \/bookings serves 'v4', but its changes are for the versions \[ 'v1', 'v2', 'v3' \]\. Give its context/],
  ['an older body of a route whose requests have none',
    ofRoute('bookings', { older: { body: { type: 'object' } }, body: { upgrade: same } }), named,
    /^Change 'v2' \(By name\.\), GET \/bookings, body: GET requests have no body: give the route that has one /],
  ['a change of a schema that only a route without any version has', ofText, (app) => {
    app.get('/texts', text, handler)
    app.get('/texts', { version: VERSIONS }, handler)
  }, /Change 'v2' \(Another text\.\) is never used/],
  ['an older query that is not a schema', ofQuery({ page: { type: 'integer' } }), { name: 'bookings' },
    /^Change 'v2' \(By name\.\), GET \/bookings, querystring: the older schema does not compile: .*keyword: "page"/],
  ['an older schema with a type that does not exist', {
    ...ofText, schemas: { Text: { older: { type: 'strin' }, downgrade: same } }
  }, text, /^Change 'v2' .*, GET \/bookings, response 200: the older schema does not compile: .*type must be/],
  ['an older schema of Zod in an app without its compilers', {
    ...ofText, schemas: { Text: { older: z.string(), downgrade: same } }
  }, text, /response 200: the older schema does not compile: .*\. Zod schemas, and no others, need the compilers of /],
  ['an older query that refers to nothing', ofQuery({ $ref: 'None#' }), { name: 'bookings' },
    /GET \/bookings, querystring: "\$ref": "None#" leads to no \$id and no JSON pointer\. See/],
  ['different schemas with one $id', ofText, (app) => {
    app.get('/equal', { schema: { response: { 200: { ...Text } } } }, handler)
    app.get('/texts', text, handler)
    app.get('/others', { schema: { response: { 200: { ...Text, maxLength: 9 } } } }, handler)
  }, /: GET \/others has another .* '\w+' than GET \/equal: there, "maxLength" is absent, not 9\. Call/],
  ['a copy of a schema that says less, as fluent-json-schema makes them', ofText, (app) => {
    app.get('/texts', text, handler)
    app.get('/others', { schema: { response: { 200: { ...Text, title: undefined, type: ['string'] } } } }, handler)
  }, /: there, "type" is 'string', not \[ 'string' \]\. Call/],
  ['an older JSON Schema of a Zod schema', ofText, (app) => {
    app.setSerializerCompiler(serializerCompiler)
    app.get('/texts', { schema: { response: { 200: z.string().meta({ id: 'Text' }) } } }, handler)
  }, /response 200: the older schema does not compile: Invalid schema .*\. Zod schemas, and no others, need/],
  ['an older body that the validator compiler of the app does not take',
    ofRoute('bookings', { older: { body: object({}) }, body: { upgrade: same } }), (app) => {
      app.setValidatorCompiler(({ schema }) => (value) => (schema as z.ZodType).safeParse(value))
      app.post('/bookings', { ...named, schema: { body: z.object({}), response: { 200: {} } } }, handler)
    }, /POST \/bookings, body: the older schema does not compile: .*safeParse is not a function\. Zod schemas, a/],
  ['an older body that a validator compiler for another library returns an error for',
    ofRoute('bookings', { older: { body: object({}) }, body: { upgrade: same } }), (app) => {
      app.setValidatorCompiler(({ schema }) => (value) => {
        try {
          return { value: Object(schema).cast(value) }
        } catch (error) {
          return { error: error as Error }
        }
      })
      app.post('/bookings', { ...named, schema: { body: { cast: same }, response: { 200: {} } } }, handler)
    }, /body: the older schema does not compile: .*cast is not a function\. Let the compiler of the app take JSON Sch/],
  ['an older response that the serializer compiler of the app does not take', byName('bookings', object({})), (app) => {
    app.setSerializerCompiler(({ schema }) => (value) => JSON.stringify(Object(schema).cast(value)))
    app.get('/bookings', { ...named, schema: { response: { 200: { cast: same } } } }, handler)
  }, /response 200: the older schema does not compile: .*cast is not a function\. Let the compiler of the app take J/],
  ['different Zod schemas with one id', ofText, (app) => {
    app.setSerializerCompiler(serializerCompiler)
    for (const url of ['/texts', '/others']) {
      app.get(url, { schema: { response: { 200: z.string().meta({ id: 'Text' }) } } }, handler)
    }
  }, /: GET \/others has another schema with the \$id 'Text' than GET \/texts\. Call addSchema\(\) once/],
  ['namespaces without "writtenFor"', guests, inSpaces({ schema }),
    /^Change 'v2' .*: set "writtenFor" for GET \/v1\/bookings, .* 'v3' if all .*, or 'v1' if this .* has its own\./,
    { scheme: NamespaceVersioning }],
  ['a namespace without "writtenFor", and a change by route', byName('bookings'), inSpaces(named),
    /^Change 'v2' \(By name\.\): set "writtenFor" for GET \/v1\/bookings, on the route or on its register\(\)/,
    { scheme: NamespaceVersioning }],
  ['a change of a schema that a change of the route replaces', [ofText, byName('texts', { type: 'object' })],
    { name: 'texts', ...text },
    /Change 'v2' \(Another text\.\) is never used: no route of an older version has its schema or name\./],
  ['a handler of all other versions that speaks an older one', [guests, room], (app) => {
    app.get('/bookings', { schema }, handler)
    app.get('/bookings', { schema, version: 'v3' }, handler)
  }, /^GET \/bookings serves 'v2' at most, but its schemas are those after 'v3' .* Set "version"/],
  ['a route that has lost its namespace', guests, (app) => {
    app.get('/bookings', { schema }, handler)
  }, /^GET \/bookings serves 'v1' at most, .* Set "namespace" on a register\(\) that fastify-plugin does not wrap if/,
  { scheme: NamespaceVersioning, defaultVersion: 'v1' }],
  ...['params', 'headers'].map((part): typeof FAULTS[number] => [
    `a changed schema in ${part}`, ofText, { schema: { [part]: { type: 'object', properties: { a: Text } } } },
    new RegExp(`Change 'v2' .*, GET /bookings, ${part}: nothing is converted there: change it by route`)
  ])
]

for (const [label, changes, declared, message, options = {}] of FAULTS) {
  t.test(`an error at boot is caused by ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [changes].flat(), ...options })
    if (typeof declared === 'function') declared(app)
    else app.get('/bookings', declared, handler)
    await t.rejects(async () => { await app.ready() }, { code, message })
  })
}

/** What a schema describes of a value, without a look at what is missing. */
function written (schema: Json, value: Json): Json {
  if (schema.type === 'array') return value.map((item: unknown) => written(schema.items, item))
  if (schema.type !== 'object') return value
  Object.keys(value)
  const members = Object.entries(schema.properties)
  return Object.fromEntries(members.map(([key, member]) => [key, written(member, value[key])]))
}

const guestList = object({ guests: { type: 'array', items: string } })
for (const [title, compile] of [
  ['reads the names of members, and then a list', (schema) => (value) => written(schema, value)],
  ['takes null for an object', (schema) => (value) => written(schema, { ...value })]
] as [title: string, compile: (schema: Json) => (value: object) => Json][]) {
  t.test(`a serializer that ${title} takes an older schema`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [byName('bookings', guestList)] })
    app.setSerializerCompiler(({ schema }) => (value) => JSON.stringify(compile(schema)(value)))
    app.get('/bookings', { ...named, schema: { response: { 200: guestList } } }, async () => ({ guests: ['Ada'] }))
    const { body } = await app.inject({ url: '/bookings', headers: { 'api-version': 'v1' } })
    t.equal(body, '{"guests":["Ada"]}')
  })
}

t.test('an older Zod schema refuses an answer that is not valid, also after an empty list', async (t) => {
  const listOf = (item: z.ZodType) => z.object({ list: z.array(z.object({ item })).min(0) })
  const change: Change = { ...ofText, schemas: { List: { older: listOf(z.int()), downgrade: same } } }
  const app = await appWithChanges(t, { scheme, changes: [change] })
  app.setSerializerCompiler(serializerCompiler)
  const schema = { response: { 200: listOf(z.number()).meta({ id: 'List' }) } }
  const answers = [[], [{ item: 0.5 }]]
  app.get('/lists', { schema }, async () => ({ list: answers.shift() }))
  for (const status of [200, 500]) {
    const { statusCode, body } = await app.inject({ url: '/lists', headers: { 'api-version': 'v1' } })
    t.equal(statusCode, status, body)
  }
})

/** What the older schema has inside, beside the shared schema `Guest`. */
const INSIDE: [title: string, guest: object, isReferred: boolean, isRefused: boolean][] = [
  ['the same', { type: 'object' }, true, false],
  ['the same, which TypeBox marks as optional', { type: 'object', [Symbol.for('TypeBox.Optional')]: 'Optional' }, true,
    false],
  ['another one that nothing refers to', { type: 'string' }, false, false],
  ['another one beside a reference', { type: 'string' }, true, true],
  ['another one that refers to itself', { type: 'object', properties: { friend: { $ref: 'Guest#' } } }, false, true]
]
for (const [title, guest, isReferred, isRefused] of INSIDE) {
  for (const place of ['schema', 'route']) {
    t.test(`the older schema of a ${place} with the $id of a shared schema inside: ${title}`, async (t) => {
      const properties = { by: { $id: 'Guest', ...guest }, ...isReferred && { at: { $ref: 'Guest#' } } }
      const step = { older: { type: 'object', properties }, downgrade }
      const change = place === 'route' ? changesOf({ response: { 200: step } }) : ofSchema(step)
      const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], changes: change as Change[] })
      app.addSchema({ $id: 'Guest', type: 'object' })
      app.addSchema({ $id: 'A', type: 'object', properties: { at: { $ref: 'Guest#' } } })
      app.get('/', { name: 'a', schema: { response: { 200: { $ref: 'A#' } } } }, handler)
      const ready = async () => { await app.ready() }
      if (!isRefused) return await t.resolves(ready)
      const message = new RegExp(`^Change ${A}: its older schema has another schema with the \\$id 'Guest' than ` +
        "{ \\$ref: 'Guest#' } leads to\\. Give it another \\$id, and refer to that\\.")
      await t.rejects(ready, { code, message })
    })
  }
}

const APART = /which branch of "(?:any|one)Of" a value has/
const NOWHERE = /"\$ref": "#.*" leads to no \$id and no JSON pointer/
const REFUSED: [title: string, schema: unknown, message: RegExp, change?: Change][] = [
  ['alternatives that nothing distinguishes', object({ at: { anyOf: [g, { $ref: 'Booking#' }] } }),
    /'v3' \(A guest has one name\.\), POST \/bookings, body: the plugin cannot tell which branch .* under "routes"/],
  ['alternatives that only an optional property distinguishes', {
    anyOf: [{ ...object({ kind: { const: 1 }, at: g }), required: [] }, object({ kind: { const: 2 } })]
  }, APART],
  ['alternatives that are all arrays', { anyOf: [g, string].map((items) => ({ type: 'array', items })) }, APART],
  ['alternatives with the same constant', {
    anyOf: [object({ kind: { const: 1 }, at: g }), object({ kind: { const: 1 } })]
  }, APART],
  ['alternatives without a constant in one', { anyOf: [object({ kind: { const: 1 }, at: g }), object({})] }, APART],
  ['a discriminator that inline schemas say nothing of', {
    discriminator: { propertyName: 'kind' }, oneOf: [object({ at: g }), object({ kind: string })]
  }, APART],
  ['an alternative that says nothing', { anyOf: [true, g] }, APART],
  ...Object.entries({
    then: { items: g },
    dependencies: { a: ['b'], b: { properties: { at: g } } },
    not: g,
    prefixItems: [g],
    items: [g],
    unevaluatedProperties: g,
    owner: g,
    'x-deep': { a: { b: g } },
    $dynamicRef: 'Guest#',
    $recursiveRef: 'Guest#'
  }).map(([keyword, value]): typeof REFUSED[number] => [
    `a schema under ${keyword}`, { [keyword]: value },
    new RegExp(`nothing is converted (?:under|behind) "${keyword.replace('$', '\\$')}"` +
      `${keyword === 'items' ? ' of a tuple' : ''}. Describe the change under`)
  ]),
  ...Object.entries<unknown[]>({
    properties: [{ properties: { at: g } }, { properties: { at: { $ref: 'Booking#' } } }],
    items: [{ items: g }, { items: { title: 'a' } }],
    additionalProperties: [{ properties: { at: string } }, { additionalProperties: g }],
    patterns: [{ patternProperties: { a: g, b: g } }],
    'a property and a pattern': [{ properties: { at: string }, patternProperties: { a: g } }],
    alternatives: [{ properties: { at: g }, anyOf: [g, { type: 'null' }] }]
  }).map(([what, allOf]): typeof REFUSED[number] => [
    `two schemas that say what is in a value: ${what}`, { allOf },
    new RegExp(`several schemas say what is in ${what === 'properties' ? "'at'" : 'one value'}\\. Describe the ` +
      'change under "routes"')
  ]),
  ...[
    { ...g, default: { name: 'Ada' } },
    { allOf: [g], default: { name: 'Ada' } },
    { type: 'array', items: g, default: [{ name: 'Ada' }] },
    { type: 'object', additionalProperties: g, default: { at: { name: 'Ada' } } }
  ].map((schema): typeof REFUSED[number] => [
    `a default in ${JSON.stringify(schema)}`, object({ at: schema }),
    /its "default" is in the words of the newer version\. Describe the change under "routes"/
  ]),
  ...[{ ...g, required: ['name'] }, { allOf: [g, { required: ['name'] }] }].map((schema): typeof REFUSED[number] => [
    `a property that no older value has: ${JSON.stringify(schema)}`, object({ at: schema }),
    /"required" next to a reference has 'name', which the older schema does not\. Describe the change under "routes"/
  ]),
  ...[{ ...g, properties: { note: string } }, { allOf: [g, { properties: { note: string } }] }]
    .map((schema): typeof REFUSED[number] => [
      `a property that the older schema removes: ${JSON.stringify(schema)}`, schema,
      /body: a schema around the changed one has 'note', which "additionalProperties": false of .+ removes: say true/
    ]),
  ['an anchor', { $defs: { one: { $anchor: 'guest', ...g } }, properties: { at: { $ref: '#guest' } } }, NOWHERE],
  ['a pointer that leads nowhere', { properties: { at: { $ref: '#/$defs/none' }, guest: g } }, NOWHERE],
  ['a malformed pointer', { $defs: { '%': g }, properties: { at: { $ref: '#/$defs/%' } } }, NOWHERE],
  ['a reference into the changed schema', { $ref: 'Guest#/properties/name' },
    /body: it refers to Guest#\/properties\/name, a part of a changed schema\. .* or make the part a shared schema of/],
  ['a typo in a reference', g, /"\$ref": "Bookin#" leads to no \$id and no JSON pointer\. Did you mean 'Booking'\? See/,
    { ...names, schemas: { Guest: { ...names.schemas.Guest, older: object({ b: { $ref: 'Bookin#' } }) } } }],
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

const ADVICE = new Map([['allOf', 'In "allOf", false leaves nothing'], ['anyOf', 'In alternatives say true']])
/** Changes of POST /bookings, and why they are refused. */
const OF_ROUTE: [title: string, route: RouteChange, message: RegExp, schema?: Record<string, unknown>][] = [
  ['a part without a schema', { body: { upgrade: same } },
    /^Change 'v2' \(By name\.\): POST \/bookings has no schema for the body, so there is nothing to change\./],
  ['a response without schemas', { response: { 200: { downgrade: same } } },
    /has no schema for the response 200, so there is nothing to change\. Add one\. It has no other schemas\./],
  ['a status without a schema', { response: { 4190: { downgrade: same } } },
    /has no schema for the response 4190, .* It has schemas for: response 200, response 4xx\./,
    { response: { 200: string, '4XX': string } }],
  ['a dynamic reference', { older: { body: { $dynamicRef: '#a' } }, body: { upgrade: same } },
    /POST \/bookings, body: nothing is converted behind "\$dynamicRef"\. See/],
  ['a response that had no schema for a media type', answered(content('application/json')),
    /response 200: its older "content" needs 'application\/hal\+json', which the route can answer with\. See/,
    { response: { 200: content('text/csv', 'application/json', HAL) } }],
  ['a response that had schemas for other media types', answered(content(HAL)),
    /POST \/bookings, response 200: its older "content" needs 'application\/json', which/,
    { response: { 200: object({}) } }],
  ...([
    ['', {}], ['', { description: 'Anything.' }], ['', { anyOf: [{ type: 'null' }, {}] }],
    ['/content/application/json/schema', { content: { 'application/json': { schema: {} } } }],
    ['', open], ['', { required: ['a'] }], ['', { minProperties: 1 }], ['', { not: string }],
    ['/properties/a', object({ a: open })],
    ['/properties/a', object({ a: limited })],
    ['/properties/a', { allOf: [limited], ...object({ a: limited }) }],
    ['/allOf/1', { allOf: [object({}), open] }],
    ['/allOf/0/properties/a', { unevaluatedProperties: false, allOf: [{ properties: { a: open } }] }],
    ['/items', { type: 'array', items: open }],
    ['/anyOf/0', { anyOf: [open, { type: 'null' }] }],
    ['', { anyOf: [object({}), { required: ['a'] }] }],
    ['', { allOf: [{ not: string }], anyOf: [true, { anyOf: [{ maxProperties: 1 }] }] }],
    ['/then', { if: { required: ['a'] }, then: open }],
    ['/$defs/a', { $defs: { a: open }, $ref: '#/$defs/a' }],
    ['/additionalProperties', { type: 'object', additionalProperties: open }],
    ['/content/application/json/schema', { content: { 'application/json': { schema: open } } }]
  ] as const).map(([place, body]): typeof OF_ROUTE[number] => [
    `an older body that does not say what becomes of other properties: ${JSON.stringify(body)}`,
    { older: { body }, body: { upgrade: same } },
    new RegExp(`in the older schema${place && ` at ${place.replace('$', '\\$')}`}\\. Write .*, ` +
      `older clients .* versions know\\. ${ADVICE.get(place.match(/\w+(?=\/\d$)/)?.[0] ?? '') ?? 'See'}`)
  ])
]
for (const [place, older] of [
  ['', { type: 'object', allOf: [object({ a: string })] }],
  ['', { type: 'object', allOf: [true, { $ref: '#/$defs/a' }], $defs: { a: object({ a: string }) } }],
  [' at /allOf/0', { ...limited, allOf: [open] }],
  [' at /anyOf/0', { anyOf: [open, { type: 'null' }] }]
] as const) {
  t.test(`a message does not advise to remove what siblings describe: ${JSON.stringify(older)}`, async (t) => {
    const message = new RegExp(`in the older schema${place}\\. Write true\\. With true, .* know\\. In "?a`)
    await refuses(t, { changes: [ofRoute('bookings', { older: { body: older }, body: { upgrade: same } })] }, message)
  })
}
const [passing, closed] = [{ additionalProperties: true }, { additionalProperties: false }]
const parts = (...more: object[]) => (
  { allOf: more.map((others, i) => ({ type: 'object', properties: { [`p${i}`]: string }, ...others })) }
)
for (const older of [
  { type: 'object', ...closed, ...parts(passing) },
  { type: 'object', ...passing, ...parts(closed, closed) },
  { type: 'object', ...passing, ...parts(passing, { ...closed, patternProperties: { '^x-': string } }) },
  object({ a: { type: 'object', ...closed, ...parts(passing) } }),
  { type: 'object', ...passing, allOf: [{ $ref: '#/$defs/a' }, parts(closed)], $defs: { a: object({ a: string }) } }
]) {
  t.test(`an older body that removes what its "allOf" describes is refused: ${JSON.stringify(older)}`, async (t) => {
    await refuses(t, { changes: [ofRoute('bookings', { older: { body: older }, body: { upgrade: same } })] },
      /POST \/bookings, body: "additionalProperties": false removes '.+', which another schema of the "allOf" desc/)
  })
}
t.test('an older body may have false in "allOf" if the validator refuses a request and removes nothing', async (t) => {
  const body = { type: 'object', ...passing, ...parts(closed, closed) }
  const changes = [ofRoute('bookings', { older: { body }, body: { upgrade: same } })]
  await boots(t, { changes, schema: { body: {} } }, (app) => (
    app.setValidatorCompiler(({ schema }) => new Ajv2019({ strict: false }).compile(schema as object))
  ))
})

for (const older of [
  { type: 'object', ...passing, ...parts(passing, passing) },
  { type: 'object', properties: { p0: string, p1: string }, ...closed, ...parts(passing, passing) },
  { type: 'object', ...passing, ...parts({ ...closed, patternProperties: { '^p': string } }, passing) }
]) {
  t.test(`an older body whose "allOf" keeps all properties is taken: ${JSON.stringify(older)}`, async (t) => {
    await boots(t, {
      changes: [ofRoute('bookings', { older: { body: older }, body: { upgrade: same } })], schema: { body: {} }
    })
  })
}

for (const [title, route, message, schema = {}] of OF_ROUTE) {
  t.test(`a change of a route is refused at boot for ${title}`, async (t) => {
    await refuses(t, { changes: [ofRoute('bookings', route)], schema }, message)
  })
}

for (const body of [
  object({ a: object({}) }),
  { type: 'object', unevaluatedProperties: false, allOf: [{ properties: { a: string }, additionalProperties: true }] },
  { unevaluatedProperties: false, allOf: [open, { anyOf: [open] }], then: open, dependentSchemas: { n: open } },
  { type: 'object', additionalProperties: true, not: { properties: { a: {} } }, if: { properties: { a: {} } } },
  { type: 'object', additionalProperties: false, properties: { other: { $ref: 'Open#' } } },
  { anyOf: [{ required: ['a'] }, { required: ['b'] }], ...object({ a: string }) },
  { ...object({}), anyOf: [{ required: ['a'] }, { anyOf: [{ required: ['b'] }] }] },
  { allOf: [{ $ref: 'Free#' }], required: ['a'] },
  { $ref: 'Free#', allOf: [{ minProperties: 1 }] },
  { $ref: 'Open#', additionalProperties: true },
  { unevaluatedProperties: false, allOf: [{ $ref: 'Open#' }] },
  { anyOf: [object({}), { enum: ['a'] }], oneOf: [{ required: ['a'] }] },
  object({ a: {}, b: { not: string } })
]) {
  t.test(`an older body says what becomes of other properties: ${JSON.stringify(body)}`, async (t) => {
    const changes = [ofRoute('bookings', { older: { body }, body: { upgrade: same } })]
    const shared = [{ $id: 'Open', ...open }, { $id: 'Free', ...open, additionalProperties: true }]
    await boots(t, { changes, schema: { body: {} }, shared }, (app) => (
      app.setValidatorCompiler(({ schema }) => new Ajv2019({ strict: false }).compile(schema as object))
    ))
  })
}

for (const [place, older] of [
  ['/$ref', { $ref: 'Open#' }],
  ['/$ref', { $ref: 'Anything#' }],
  ['/$ref/$ref', { $ref: 'Reference#' }],
  ['/$ref/properties/a', { $ref: 'Inside#' }],
  ['/allOf/0/$ref', { allOf: [{ $ref: 'Open#' }] }],
  ['/anyOf/1/$ref', { anyOf: [{ type: 'null' }, { $ref: 'Open#' }] }],
  ['/anyOf/0/$ref', { $ref: '#/$defs/a', $defs: { a: { $ref: '#' } }, anyOf: [{ $ref: 'Open#' }] }]
] as const) {
  t.test(`an older schema does not say what becomes of other properties: ${JSON.stringify(older)}`, async (t) => {
    const shared = [
      { $id: 'Open', ...open }, { $id: 'Anything' }, { $id: 'Reference', $ref: 'Open#' }, { $id: 'Guest', ...open },
      { $id: 'Inside', ...object({ a: open }) }
    ]
    const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
    const at = place.replaceAll('$', '\\$')
    await refuses(t, { changes, schema: { body: g }, shared }, new RegExp(`older schema of 'Guest' at ${at}\\. Write`))
    const ofBody = [ofRoute('bookings', { older: { body: older }, body: { upgrade: same } })]
    await refuses(t, { changes: ofBody, schema: { body: g }, shared }, new RegExp(`older schema at ${at}\\. Write`))
  })
}

t.test('an older map has no other properties if each name matches its pattern, as in TypeBox', async (t) => {
  for (const [pattern, isWhole] of [['^.*$', true], ['^(.*)$', true], ['^x-.*$', false]] as const) {
    const more = { type: 'object', patternProperties: { [pattern]: string } }
    const older = object({ first: string, last: string, more })
    const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
    const options = { changes, schema: { body: g }, shared }
    if (isWhole) await boots(t, options)
    else await refuses(t, options, /older schema of 'Guest' at \/properties\/more\. Write/)
  }
})

const priority = {
  version: 'v2',
  description: 'Priorities are numbers.',
  schemas: { Priority: { older: { type: 'string', enum: ['low', 'high'] }, upgrade: Number, downgrade: String } }
}
const ofPriority = { $ref: 'Priority#' }
const nullable = { anyOf: [ofPriority, { type: 'null' }] }
const asMember = (member: object) => ({ changes: [priority], schema: { body: object({ member }) } })
const priorities = [{ $id: 'Priority', type: 'integer' }]

for (const [keyword, member] of [
  ...Object.entries({
    default: 3,
    const: 1,
    enum: [1, 2],
    minimum: 1,
    maximum: 4,
    exclusiveMinimum: 0,
    exclusiveMaximum: 5,
    multipleOf: 2,
    pattern: '1',
    minLength: 1,
    maxLength: 2,
    format: 'date'
  }).map(([keyword, value]) => [keyword, { ...ofPriority, [keyword]: value }] as const),
  ['default', { ...ofPriority, default: '' }],
  ['maximum', { allOf: [ofPriority, { maximum: 4 }] }],
  ['default', { ...nullable, default: 3 }],
  ['const', { ...nullable, const: 3 }],
  ['enum', { ...nullable, enum: [null, 3] }],
  ['default', { type: 'array', items: ofPriority, default: [3] }]
] as const) {
  t.test(`a keyword may not be in the words of the newer version: ${JSON.stringify(member)}`, async (t) => {
    const message = new RegExp(`its "${keyword}" is in the words of the newer version\\. Describe the change under`)
    await refuses(t, { ...asMember(member), shared: priorities }, message)
  })
}

for (const member of [
  { ...ofPriority, default: null },
  { ...nullable, default: null, enum: [null] },
  { type: 'array', items: ofPriority, default: [], minItems: 0 },
  { anyOf: [{ type: ['boolean', 'null'] }, ofPriority], default: true },
  { anyOf: [object({}), ofPriority], pattern: 'a' },
  { oneOf: [object({ a: ofPriority }), { type: ['string', 'integer'] }], default: 'none' }
]) {
  t.test(`a keyword is not in the words of the newer version: ${JSON.stringify(member)}`, async (t) => {
    await boots(t, { ...asMember(member), shared: priorities })
  })
}

t.test('an older shared schema is judged only if a request uses it', async (t) => {
  for (const older of [{ type: 'object', properties: { first: string, last: string } }, {}]) {
    const changes = [{ ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }]
    await boots(t, { changes, schema: { response: { 200: g } }, shared })
    for (const schema of [{ body: g }, { querystring: g }, { body: { items: g } }]) {
      const message = /set "additionalProperties" in the older schema of 'Guest'\. Write false\. With true, .* See /
      await refuses(t, { changes, schema, shared }, message)
    }
  }
})

for (const [what, part, others = []] of [
  ['a reference that only the validator reads', { $ref: 'Other#there' }, [
    { $id: 'Other', $defs: { there: { $id: '#there', type: 'object' } } }
  ]],
  ['a pattern that only the serializer takes', { type: 'object', patternProperties: { '^x\\-': string } }],
  ['a dynamic reference', { type: 'object', properties: { a: { $dynamicRef: '#a' } } }]
] as [string, object, object[]?][]) {
  t.test(`a change leaves a route alone that has ${what}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [ofText] })
    for (const schema of others) app.addSchema(schema)
    app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
    app.get('/texts', text, handler)
    app.get('/others', { schema: { headers: part, response: { 200: part } } }, handler)
    await t.resolves(async () => app.ready())
  })
}

t.test('changes of schemas leave a route alone that refers to an anchor of another schema', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.addSchema({ $id: 'Texts', $defs: { note: { $anchor: 'note', type: 'string' } } })
  app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
  app.get('/', { schema: { response: { 200: { $ref: 'Booking#' } } } }, handler)
  app.post('/note', { schema: { body: { $ref: 'Texts#note' }, response: { 200: { $ref: 'Texts#note' } } } }, handler)
  await t.resolves(async () => app.ready())
})

t.test('changes that a context gets after a route are refused', async (t) => {
  const app = await appWithChanges(t, { scheme })
  const route = { schema: { response: { 200: { $ref: 'Booking#' } } } }
  app.register(async (context) => {
    context.get('/before', route, handler)
    await context.register(versioning, { changes: [guests, room] })
    context.get('/after', route, handler)
  })
  const message = 'GET /before has a version, but a later registration in its context changed the list of changes.'
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
})

t.test('a scheme that a neutral context with changes gets after a route is refused', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const route = { schema: { response: { 200: { $ref: 'Booking#' } } } }
  app.get('/bookings', route, handler)
  app.register(async (neutral) => {
    await neutral.register(versioning, { scheme: null })
    neutral.register(async (context) => {
      context.get('/before', route, handler)
      await context.register(versioning, { scheme })
    })
  })
  const message = 'GET /before has a version, but a later registration in its context changed the list of changes.'
  await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
})

t.test('changes that a context gets after its route for preflights are no mistake', async (t) => {
  const app = await appWithChanges(t, { scheme })
  app.register(async (context) => {
    context.options('*', handler)
    await context.register(versioning, { changes: [guests, room] })
    context.get('/after', { schema: { response: { 200: { $ref: 'Booking#' } } } }, handler)
  })
  await t.resolves(async () => app.ready())
})
