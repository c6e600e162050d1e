import t from 'tap'

import { compare } from '../../src/check/index.ts'
import {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const booking = { type: 'object', properties: { guest: { type: 'string' } } }
const schema = { body: booking, response: { 200: booking } }

async function documented (t: Test, options: VersioningOptions, declare: (app: FastifyInstance) => unknown) {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], ...options })
  await app.register(openapi, { ui: false })
  app.register(async (api) => declare(api))
  await app.ready()
  return app
}

const post = (url: string) => (app: FastifyInstance) => {
  app.post(url, { schema }, async () => ({}))
  app.get(url, { schema: { response: schema.response } }, async () => ({}))
}
const vendor = (form: string) => ({ scheme: AcceptHeaderVersioning, mediaTypes: [`application/vnd.acme.${form}+json`] })
const dates = ['2026-01-01', '2026-06-01']

const equals: readonly (readonly [says: string, options: VersioningOptions, url?: string])[] = [
  ['AcceptHeaderVersioning', { scheme: AcceptHeaderVersioning }],
  ['ContentTypeVersioning', { scheme: ContentTypeVersioning }],
  ['HeaderVersioning', { scheme: HeaderVersioning }],
  ['HostNameVersioning', { scheme: HostNameVersioning, baseUrl: 'https://api.example.com' }],
  ['QueryParameterVersioning', { scheme: QueryParameterVersioning }],
  ['URLPathVersioning', { scheme: URLPathVersioning }, '/api/:version/bookings/:id'],
  ['a vendor media type', { ...vendor('{version}'), allowedVersions: ['1', '2'] }],
  ['a vendor media type with a letter', { ...vendor('v{version}'), allowedVersions: ['1', '2'] }],
  ['a vendor media type with a date', { ...vendor('{version}'), allowedVersions: dates }]
]

for (const [says, options, url = '/bookings/:id'] of equals) {
  t.test(`two versions under ${says} that differ in nothing else are reported as equal`, async (t) => {
    const [first = '', second = ''] = options.allowedVersions as string[] | undefined ?? ['v1', 'v2']
    for (const defaultVersion of [null, first, second]) {
      const app = await documented(t, { ...options, defaultVersion }, post(url))
      t.match(Object.keys(app.openapi(first).paths ?? {}), [/\/bookings\/\{id\}$/])
      t.same(compare(app.openapi(first), app.openapi(second)), [])
    }
  })
}

t.test('a released version that clients must specify in another way is breaking', async (t) => {
  const released = { scheme: HeaderVersioning, defaultVersion: 'v1' }
  const rows: [options: VersioningOptions, ...expected: string[]][] = [
    [{ versionHeader: 'X-Version' }, 'breaking: header: "API-Version" was removed',
      'added: header: "X-Version" is new'],
    [{ scheme: QueryParameterVersioning }, 'breaking: header: "API-Version" was removed',
      'added: query: "version" is new'],
    [{ defaultVersion: 'v2' }, 'breaking: header: "API-Version" is required now']
  ]
  const messagesOf = (before: FastifyInstance, after: FastifyInstance) => (
    compare(before.openapi('v1'), after.openapi('v1')).flatMap(({ kind, message }) => (
      /^GET .* {2}(?:header|query)/.test(message) ? [`${kind}: ${message.replace(/.* {2}/, '')}`] : []
    ))
  )
  const before = await documented(t, released, post('/bookings'))
  for (const [options, ...expected] of rows) {
    const after = await documented(t, { ...released, ...options }, post('/bookings'))
    t.strictSame(messagesOf(before, after).slice(0, expected.length), expected)
  }
})

t.test('a new status of success of a released version is breaking, whatever is known of it', async (t) => {
  for (const scheme of [AcceptHeaderVersioning, HeaderVersioning]) {
    const make = (response: object) => documented(t, { scheme }, (app) => {
      app.post('/bookings', { schema: { response: { 200: booking, ...response } } }, async () => ({}))
    })
    const [before, after] = [await make({}), await make({ 202: { description: 'Accepted' } })]
    t.match(compare(before.openapi('v1'), after.openapi('v1')), [{ kind: 'breaking', message: /response 202 is new$/ }])
    t.match(compare(after.openapi('v1'), before.openapi('v1')), [{ kind: 'breaking', message: /202 was removed$/ }])
  }
})

t.test('an operation under NamespaceVersioning that only one version has is reported', async (t) => {
  const app = await documented(t, { scheme: NamespaceVersioning }, (api) => {
    for (const version of ['v1', 'v2']) {
      api.register(async (own) => {
        own.get('/bookings', async () => ({}))
        if (version === 'v2') own.get('/rooms', async () => ({}))
      }, { prefix: `/${version}`, namespace: version })
    }
  })
  t.same(compare(app.openapi('v1'), app.openapi('v2')), [
    { kind: 'added', at: '#/paths/~1v2~1rooms/get', message: 'GET /v2/rooms  is new' }
  ])
})

t.test('a document without x-api-version is compared as it is', async (t) => {
  const make = (path: string, version?: string) => (
    { openapi: '3.1.0', info: { 'x-api-version': version }, paths: { [path]: { get: {} } } }
  )
  const kindsOf = (one: object, other: object) => compare(one, other).map(({ kind, at }) => [kind, at])
  const moved = [['breaking', '#/paths/~1v1~1a/get'], ['added', '#/paths/~1v2~1a/get']]
  t.same(kindsOf(make('/v1/a'), make('/v2/a')), moved)
  t.same(kindsOf(make('/v1/a', ''), make('/v2/a', '')), moved)
  t.same(kindsOf(make('/v1/a', 'v1'), make('/v2/a')), moved)
  t.same(kindsOf(make('/v1/a', 'v1'), make('/v2/a', 'v2')), [])
})

t.test('a path is the same if only one version has a segment for the version', async (t) => {
  const make = (version: string, ...urls: string[]) => {
    const paths = Object.fromEntries(urls.map((url) => [url, { get: {} }]))
    return { openapi: '3.1.0', info: { 'x-api-version': version }, paths }
  }
  const kindsOf = (before: object, after: object) => compare(before, after).map(({ kind, at }) => [kind, at])
  t.same(kindsOf(make('v1', '/api/a'), make('v2', '/api/v2/a')), [])
  t.same(kindsOf(make('v1', '/v1/a/{id}'), make('v2', '/a/{id}')), [])
  t.same(kindsOf(make('2026-01-01', '/a'), make('2026-06-01', '/2026-06-01/a')), [])
  t.same(kindsOf(make('v1', '/a', '/b'), make('v2', '/a', '/v2/a', '/v2/b')), [['added', '#/paths/~1v2~1a/get']])
  t.same(kindsOf(make('v1', '/v1/a'), make('v2', '/v2/a', '/a')), [['added', '#/paths/~1a/get']])
  t.same(kindsOf(make('v1', '/v1/a', '/a'), make('v2', '/a')), [['breaking', '#/paths/~1v1~1a/get']])
})

t.test('a path that both documents have is compared with itself, whatever its segments look like', async (t) => {
  const urls = ['/v1/health', '/v2/health', '/v1/rooms']
  const app = await documented(t, { scheme: HeaderVersioning }, (api) => {
    for (const url of urls) api.get(url, { versioning: false }, async () => ({}))
  })
  t.same(Object.keys(app.openapi('v2').paths ?? {}), urls)
  t.same(compare(app.openapi('v1'), app.openapi('v2')), [])
})

t.test('the end of a version is not reported as a difference', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01', sunset: '2026-12-31', info: 'https://example.com' } }
  const options = { scheme: HeaderVersioning, reportVersions: true }
  const released = (await documented(t, options, post('/bookings'))).openapi('v1')
  const current = (await documented(t, { ...options, lifecycle }, post('/bookings'))).openapi('v1')
  t.match(JSON.stringify(current), 'x-sunset')
  t.same(compare(released, current), [])
  t.same(compare(current, released), [])
})

t.test('texts for readers, and order, are not reported as differences', async (t) => {
  const parameters = [{ in: 'query', name: 'a', schema: { enum: ['x', 'y'] } }, { in: 'query', name: 'b' }]
  const before = documentOf({ parameters, tags: ['a'], operationId: 'a', summary: 'a', 'x-a': 1 })
  const after = documentOf({
    callbacks: { 'x-b': 1 },
    description: 'b',
    externalDocs: { url: 'https://example.com' },
    deprecated: true,
    parameters: [
      { name: 'b', in: 'query', description: 'b', example: 1, deprecated: true },
      { schema: { enum: ['y', 'x'], title: 'b', examples: ['x'], 'x-b': 1 }, name: 'a', in: 'query' }
    ]
  })
  t.same(compare(before, { ...after, info: { title: 'b', version: '2' }, tags: [{ name: 'b' }] }), [])
})

t.test('a property of any name is compared', async (t) => {
  for (const name of ['__proto__', 'constructor', 'description', 'x-name', 'toString', 'a/b~c']) {
    const before = answerOf({ type: 'object', properties: {} })
    const [after, other] = ['string', 'integer'].map((type) => (
      answerOf({ type: 'object', properties: JSON.parse(`{ ${JSON.stringify(name)}: { "type": "${type}" } }`) })
    ))
    const [difference, ...others] = compare(before, after)
    t.match(difference, { kind: 'added', message: `GET /a  response 200: ${JSON.stringify(name)} is new` })
    t.ok(difference?.at.endsWith(name.replace('~', '~0').replace('/', '~1')))
    t.same(others, [])
    for (const changed of [before, other]) t.equal(compare(after, changed)[0]?.kind, 'breaking')
  }
  t.equal(({} as Record<string, unknown>).type, undefined)
})

t.test('a path, a parameter, a schema and a status called __proto__ are compared', async (t) => {
  const [before, after] = ['string', 'integer'].map((type) => JSON.parse(`{
    "openapi": "3.1.0",
    "paths": { "__proto__": { "get": {
      "parameters": [{ "in": "query", "name": "__proto__", "schema": { "$ref": "#/components/schemas/__proto__" } }],
      "responses": { "__proto__": { "content": { "__proto__": { "schema": { "type": "${type}" } } } } },
      "security": [{ "__proto__": [] }]
    } } },
    "components": { "schemas": { "__proto__": { "type": "${type}" } } }
  }`))
  t.same(compare(before, before), [])
  t.same(compare(before, after).map(({ at }) => at), [
    '#/paths/__proto__/get/parameters/query/__proto__/schema',
    '#/paths/__proto__/get/responses/__proto__/content/__proto__/schema'
  ])
})

const text = { type: 'string' }
for (const [$ref, schemas] of [
  ['#/components/schemas/a~1b', { 'a/b': text }], ['#/components/schemas/a~0b', { 'a~b': text }],
  ['#/components/schemas/a%20b', { 'a b': text }], ['#/components/schemas/a/allOf/0', { a: { allOf: [text] } }]
] as const) {
  t.test(`the reference ${$ref} is followed`, async (t) => {
    t.same(compare(answerOf(text), answerOf({ $ref }, schemas)), [])
    t.match(compare(answerOf({ type: 'integer' }), answerOf({ $ref }, schemas)), [{ kind: 'breaking' }])
  })
}

t.test('references to parameters, bodies, responses, headers, paths and security schemes are followed', async (t) => {
  const make = (type: string) => ({
    openapi: '3.1.0',
    paths: { '/a': { $ref: '#/components/pathItems/a' } },
    components: {
      pathItems: {
        a: {
          post: {
            parameters: [{ $ref: '#/components/parameters/a' }],
            requestBody: { $ref: '#/components/requestBodies/a' },
            responses: { 200: { $ref: '#/components/responses/a' } },
            security: [{ a: [] }]
          }
        }
      },
      parameters: { a: { in: 'query', name: 'a', schema: { type } } },
      requestBodies: { a: { content: { 'text/a': { schema: { type } } } } },
      responses: { a: { headers: { A: { $ref: '#/components/headers/a' } } } },
      headers: { a: { schema: { type } } },
      securitySchemes: { a: { $ref: '#/components/securitySchemes/b' }, b: { type } }
    }
  })
  t.same(compare(make('object'), make('array')).map(({ kind, at }) => [kind, at]), [
    ['breaking', '#/paths/~1a/post/security'],
    ['breaking', '#/paths/~1a/post/parameters/query/a/schema'],
    ['breaking', '#/paths/~1a/post/requestBody/content/text~1a/schema'],
    ['breaking', '#/paths/~1a/post/responses/200/headers/A/schema']
  ])
})

t.test('circular references are compared without an endless loop', async (t) => {
  const $ref = '#/components/schemas/a'
  for (const schema of [{ allOf: [{ $ref }] }, { anyOf: [{ items: { $ref } }, {}] }, { not: { items: { $ref } } }]) {
    t.same(compare(answerOf({ $ref }, { a: schema }), answerOf({ $ref }, { a: schema })), [])
    t.ok(compare(answerOf({ $ref }, { a: schema }), answerOf({ type: 'integer' })).length > 0)
    t.ok(compare(answerOf({ type: 'integer' }), answerOf({ $ref }, { a: schema })).length > 0)
  }
})

t.test('a reference that leads only to itself is refused, wherever it is', async (t) => {
  const right = { openapi: '3.0.0', paths: {} }
  const $ref = '#/components/schemas/a'
  for (const document of [
    { openapi: '3.0.0', paths: { '/a': { $ref: '#/paths/~1a' } } }, answerOf(true, { a: { $ref } }),
    answerOf({ $ref }, { a: { $ref: '#/components/schemas/b' }, b: { $ref, title: 'b' } })
  ]) {
    const expected = /^TypeError: The reference "#\/.*" leads only to itself$/
    t.match(errorOf(document, right), expected)
    t.match(errorOf(right, document), expected)
  }
})

const WRONG = [
  [null, 'got null'], ['text', 'got "text"'], [[], 'got no openapi'], [{}, 'got no openapi'],
  [{ swagger: '2.0' }, 'got no openapi'], [{ openapi: '2.0' }, 'got openapi: "2.0"'],
  [{ openapi: '3.3.0' }, 'got openapi: "3.3.0"'], [{ openapi: 3 }, 'got openapi: 3']
] as const

for (const [document, message] of WRONG) {
  t.test(`a value that is not a document is refused with "${message}"`, async (t) => {
    const right = { openapi: '3.0.0', paths: {} }
    t.match(errorOf(document, right), /^TypeError: Expected the first document /)
    t.match(errorOf(right, document), /^TypeError: Expected the second document /)
    t.ok(errorOf(right, document).endsWith(message))
  })
}

const SCHEMA = '#/paths/~1a/get/responses/200/content/application~1json/schema'
const OPERATION = '#/paths/~1a/get'
const dangling = { $ref: '#/components/schemas/a' }
const MALFORMED: readonly (readonly [document: object, at: string, says: string])[] = [
  [{ openapi: '3.1.0', paths: [] }, '#/paths', 'an object, got []'],
  [{ openapi: '3.1.0', paths: { '/a': 'a' } }, '#/paths/~1a', 'an object, got "a"'],
  [{ openapi: '3.1.0', paths: {}, servers: [null] }, '#/servers/0', 'an object, got null'],
  [documentOf({ parameters: 1 }), `${OPERATION}/parameters`, 'an array, got 1'],
  [documentOf({ parameters: [{ name: 'a' }] }), `${OPERATION}/parameters/0`, 'an object with "name" and "in", ' +
    'got {"name":"a"}'],
  [documentOf({ responses: { 200: null } }), `${OPERATION}/responses/200`, 'an object, got null'],
  [documentOf({ callbacks: { a: { b: 1 } } }), `${OPERATION}/callbacks/a/b`, 'an object, got 1'],
  [answerOf('x'), SCHEMA, 'an object, got "x"'],
  [answerOf({ allOf: {} }), `${SCHEMA}/allOf`, 'an array, got {}'],
  [answerOf({ items: [1] }), `${SCHEMA}/items/0`, 'an object, got 1'],
  [answerOf({ properties: { 'x-a': 1 } }), `${SCHEMA}/properties/x-a`, 'an object, got 1'],
  [documentOf({}, { A: { properties: [] } }), '#/components/schemas/A/properties', 'an object, got []'],
  // References that lead to something else, or nowhere.
  [answerOf({ $ref: '#/info/title', maxLength: 1 }), '#/info/title', 'an object, got "A"'],
  [answerOf({ allOf: [dangling] }), dangling.$ref, 'an object, got undefined'],
  [answerOf({ $ref: '#anchor' }), '#anchor', 'an object, got undefined'],
  [answerOf({ $ref: '#/a/%E0' }), '#/a/%E0', 'an object, got undefined'],
  [answerOf({ $dynamicRef: '#a' }), '#a', 'an object, got undefined'],
  [{ openapi: '3.1.0', paths: { '/a': { $ref: 'a.json' } } }, 'a.json', 'an object, got undefined. ' +
    'Bundle the documents']
]

for (const [document, at, says] of MALFORMED) {
  t.test(`a document is refused: expected ${at} to be ${says}`, async (t) => {
    const right = { openapi: '3.1.0', paths: {} }
    t.equal(errorOf(document, right), `TypeError: Expected ${at} in the first document to be ${says}`)
    t.equal(errorOf(right, document), `TypeError: Expected ${at} in the second document to be ${says}`)
    t.equal(errorOf(document, document), `TypeError: Expected ${at} in the first document to be ${says}`)
  })
}

t.test('a document is refused where a value that is too deep to be shown is wrong', async (t) => {
  const right = { openapi: '3.1.0', paths: {} }
  const deep = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000))
  const document = { openapi: '3.1.0', paths: { '/a': deep } }
  // Node 26 can show it.
  const got = errorOf(document, right).replace(/\[+/, '')
  t.equal(got, 'TypeError: Expected #/paths/~1a in the first document to be an object, got ...')
})

t.test('a discriminator tells no alternatives apart but its own', async (t) => {
  const A = { discriminator: { propertyName: 'a' }, anyOf: [{ type: 'object', required: ['a'] }] }
  const $ref = '#/components/schemas/A'
  const differences = compare(answerOf({ oneOf: [{ $ref }, { $ref }] }, { A }), answerOf({ $ref }, { A }))
  t.ok(differences.some(({ kind }) => kind === 'breaking'))
})

t.test('a path that says more beside its reference is refused', async (t) => {
  const document = { openapi: '3.0.0', paths: { '/a': { $ref: '#/paths/~1b', get: {} }, '/b': {} } }
  t.equal(errorOf(document, document), 'TypeError: Expected nothing but a $ref in {"$ref":"#/paths/~1b","get":{}}')
})

for (const schema of [{ required: true }, { enum: 'a' }, { type: 'text' }, { type: [1, 'string'] }]) {
  t.test(`a schema with ${JSON.stringify(schema)} cannot be compared`, async (t) => {
    const message = `GET /a  response 200 cannot be compared because of its ${Object.keys(schema)[0]}`
    t.match(compare(answerOf({ minimum: 1 }), answerOf(schema)), [{ kind: 'breaking', message }])
    t.match(compare(answerOf(schema), answerOf({ minimum: 1 })), [{ kind: 'breaking', message }])
    t.same(compare(answerOf(schema), answerOf({ ...schema, title: 'a' })), [])
  })
}

t.test('a document is compared, or refused in one sentence, whatever values it has', async (t) => {
  const values = [null, 1, 'text', true, [], [null], {}, { $ref: 1 }, { $ref: '#/%E0' }, { a: null }]
  const sane = documentOf({
    parameters: [{ in: 'query', name: 'a', schema: { type: 'string' } }],
    requestBody: { content: { 'a/b': { schema: { type: 'object', properties: { a: {} }, required: ['a'] } } } },
    responses: { 200: { headers: { A: {} }, content: { 'a/b': { schema: { type: 'array', items: {} } } } } },
    callbacks: { a: { a: { get: {} } } }
  }) as object
  for (const path of pathsIn(sane)) {
    for (const value of values) {
      const other = JSON.parse(JSON.stringify(sane))
      const holder = path.slice(0, -1).reduce((node, name) => node[name], other)
      holder[path.at(-1) as string] = value
      if (path[0] === 'openapi') continue
      for (const outcome of [errorOf(sane, other), errorOf(other, sane)]) {
        t.match(outcome, /^(?:TypeError: Expected \S+ in the \w+ document to be an [a-z]+.*, got .+|\[obj.*|)$/)
      }
    }
  }
})

t.test('a security scheme that refers to the document around it is compared without an endless loop', async (t) => {
  const make = (name: string) => ({
    ...documentOf({ security: [{ [name]: [] }] }) as object,
    components: { securitySchemes: { a: { $ref: '#' }, b: { type: 'http' } } }
  })
  t.same(compare(make('a'), make('a')), [])
  t.match(compare(make('a'), make('b')), [{ kind: 'breaking', at: `${OPERATION}/security` }])
})

t.test('what custom keywords and extensions hold is neither read nor refused', async (t) => {
  const make = (required: string) => ({
    ...answerOf({ 'x-a': { schema: 1 }, errorMessage: { required }, default: { $ref: 1 }, examples: 1 }),
    'x-b': { paths: 1 },
    components: { securitySchemes: { a: { type: 'oauth2', flows: { implicit: { scopes: { schema: 'a' } } } } } }
  })
  t.same(compare(make('a'), make('a')), [])
  t.match(compare(make('a'), make('b')), [{ kind: 'breaking', message: /errorMessage/ }])
})

t.test('the time to compare documents grows only with their size', async (t) => {
  const make = (count: number, type: string) => {
    const ref = (i: number) => ({ $ref: `#/components/schemas/s${i % count}` })
    const links = (i: number) => ({ type: 'object', properties: { a: ref(i + 1), b: ref(i + 1), c: ref(7 * i) } })
    const schemas = Object.fromEntries(Array.from({ length: count }, (_, i) => (
      [`s${i}`, { allOf: [links(i), { properties: { d: { type } } }] }]
    )))
    return answerOf(ref(0), schemas)
  }
  t.same(compare(make(500, 'string'), make(500, 'string')), [])
  t.equal(compare(make(500, 'string'), make(500, 'integer')).length, 500)
})

t.test('long chains of references are compared', async (t) => {
  const ref = (i: number) => ({ $ref: `#/components/schemas/s${i}` })
  const make = (type: string) => answerOf(ref(0), Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`s${i}`, i === 2999 ? { type } : ref(i + 1)])
  ))
  t.match(compare(make('string'), make('integer')), [{ kind: 'breaking' }])
})

t.test('nested alternatives do not multiply without a limit', async (t) => {
  const ref = (i: number) => ({ $ref: `#/components/schemas/s${i}` })
  const twice = (i: number) => ({ anyOf: [ref(i), ref(i)] })
  const schemas = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`s${i}`, twice(i + 1)]))
  const make = (type: string) => answerOf(twice(0), { ...schemas, s60: { type } })
  t.same(compare(make('string'), make('string')), [])
  t.match(compare(make('string'), make('integer')).at(-1), { kind: 'breaking' })
})

t.test('a schema that is too large to compare is breaking', async (t) => {
  const make = (type: string) => answerOf({
    type: 'object', properties: Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`p${i}`, { type }]))
  })
  const expected = [{ kind: 'breaking', at: SCHEMA, message: 'GET /a  response 200 is too large to compare' }]
  t.same(compare(make('string'), make('integer')), expected)
  t.same(compare(make('string'), make('string')), [])
  let [deep, other] = [{ type: 'string' }, { type: 'integer' }] as object[]
  for (let i = 0; i < 500; i++) [deep, other] = [{ items: deep }, { items: { items: other } }]
  t.same(compare(answerOf(deep), answerOf(other)), expected)
})

t.test('a schema of many parts is compared, unless each of them says something of all properties', async (t) => {
  const make = (type: string, others: object) => answerOf({
    allOf: Array.from({ length: 1_000 }, (_, i) => ({ properties: { [`p${i}`]: { type } }, ...others }))
  })
  t.equal(compare(make('string', {}), make('integer', {})).length, 1_000)
  const [before, after] = ['string', 'integer'].map((type) => make(type, { additionalProperties: { type } }))
  t.strictSame(compare(before!, after!).map(({ message }) => message), [
    'GET /a  response 200 is too large to compare'
  ])
})

t.test('a difference names the value of an alternative, and shows a long text in part', async (t) => {
  const Room = { type: 'object', properties: { beds: { type: 'integer' } } }
  const make = (value: string) => answerOf({ anyOf: [{ const: value }, Room] })
  t.strictSame(compare(make('all'), make('none')).map(({ message }) => message), [
    'GET /a  response 200 cannot be "all" any more', 'GET /a  response 200 can be "none" now'
  ])
  const [difference] = compare(answerOf({ type: 'string' }), answerOf({ type: 'string', pattern: 'a'.repeat(80) }))
  t.equal(difference?.message, `GET /a  response 200 has pattern "${'a'.repeat(56)}... now`)
})

t.test('a difference shows two long texts where they differ', async (t) => {
  const make = (more: string) => answerOf({ type: 'string', pattern: `${'price|'.repeat(12)}duration${more}` })
  const messages = (before: string, after: string) => compare(make(before), make(after)).map(({ message }) => message)
  t.same(messages('|a', 'Minutes|a'), ['GET /a  response 200 has pattern ' +
    '"...price|price|durationMinutes|a" now, was "...price|price|duration|a"'])
  t.same(messages(`|${'a'.repeat(60)}`, ''), ['GET /a  response 200 has pattern ' +
    `"...price|price|duration" now, was "...price|price|duration|${'a'.repeat(29)}...`])
})

t.test('a value that is never allowed is neither more nor less than the values of a list', async (t) => {
  const messages = (before: unknown, after: unknown) => (
    compare(answerOf(before), answerOf(after)).map(({ kind, message }) => `${kind}: ${message}`)
  )
  const [never, text] = ['never allowed', 'string']
  t.strictSame(messages({ const: 'a' }, false), [`added: GET /a  response 200 is ${never} now, was ${text}`])
  t.strictSame(messages(false, { const: 'a' }), [`breaking: GET /a  response 200 is ${text} now, was ${never}`])
})

t.test('of more than a thousand nested alternatives, the new one is reported', async (t) => {
  const kinds = (first: number, last: number) => ({
    anyOf: Array.from({ length: last - first }, (_, i) => (
      { type: 'object', required: ['kind'], properties: { kind: { const: `k${first + i}` } } }
    ))
  })
  const make = (last: number) => answerOf({ anyOf: [kinds(0, 600), kinds(600, last)] })
  t.strictSame(compare(make(1_200), make(1_200)), [])
  t.strictSame(compare(make(1_200), make(1_201)).map(({ message }) => message), [
    'GET /a  response 200 can be object with "kind" "k1200" now'
  ])
})

function documentOf (operation: object, schemas: object = {}): object {
  const info = { title: 'A', version: '1' }
  return { openapi: '3.1.0', info, paths: { '/a': { get: operation } }, components: { schemas } }
}

function answerOf (schema: unknown, schemas: object = {}): object {
  return documentOf({ responses: { 200: { content: { 'application/json': { schema } } } } }, schemas)
}

function errorOf (before: unknown, after: unknown): string {
  try {
    return String(compare(before as object, after as object))
  } catch (error) {
    return String(error)
  }
}

function pathsIn (value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => [[name], ...pathsIn(field).map((path) => [name, ...path])])
}

t.test('what operations have in the same words is reported for each of them', async (t) => {
  const make = (type: string) => {
    const parameters = ['page', 'size'].map((name) => ({ in: 'query', name, schema: { type } }))
    const schema = { type: 'object', properties: { code: { type }, default: { type } } }
    const responses = { 404: { content: { 'application/json': { schema } } } }
    return { openapi: '3.1.0', paths: { '/a': { get: { parameters, responses }, post: { responses } } } }
  }
  const messages = compare(make('string'), make('integer')).map(({ message }) => message.replace(/ is .*/, ''))
  t.strictSame(messages, [
    'GET /a  query: "page"', 'GET /a  query: "size"', 'GET /a  response 404: "code"', 'GET /a  response 404: "default"',
    'POST /a  response 404: "code"', 'POST /a  response 404: "default"'
  ])
})

t.test('a document that contains itself, is very deep, or holds what is no JSON, is compared', async (t) => {
  const own: { type: string, properties: Record<string, unknown> } = { type: 'object', properties: {} }
  own.properties.own = own
  let deep: object = { type: 'string' }
  for (let i = 0; i < 5000; i++) deep = { properties: { a: deep } }
  for (const value of [{ schema: own }, { schema: deep }, { example: 5n }]) {
    const make = (others: object) => {
      const parameters = [{ in: 'query', name: 'q', ...value, ...others }]
      const responses = { 200: { content: { a: value } } }
      return { openapi: '3.1.0', paths: { '/a': { get: { parameters, responses } } } }
    }
    t.match(compare(make({}), make({ required: true })), [{ message: 'GET /a  query: "q" is required now' }])
  }
})
