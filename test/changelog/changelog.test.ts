import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { compare } from '../../src/check/index.ts'
import { runChangelog as run } from '../../src/changelog/command.ts'
import { changelog, changelogOf, guide, toMarkdown } from '../../src/changelog/index.ts'
import openapi from '../../src/openapi/index.ts'
import usage from '../../src/usage/index.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { ROOT, readPage } from '../docs/pages.ts'
import { makeApp } from '../../examples/usage/app.ts'
import { bareApp, ok } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Release } from '../../types/changelog.d.ts'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const now = () => Date.parse('2026-11-28T12:00Z')

async function example (t: Test): Promise<FastifyInstance> {
  const app = await makeApp(now)
  t.teardown(() => app.close())
  return app
}

/** The locations of differences, and those that releases say, each as often as it is said. */
function locations (app: FastifyInstance, releases: readonly Release[]) {
  return releases.filter(({ previous }) => previous !== null).map(({ items, previous, version }) => ({
    said: items.flatMap(({ differences }) => differences.flatMap(({ at }) => at)).toSorted(),
    found: compare(app.openapi(previous as string), app.openapi(version)).flatMap((one) => (
      one.places ?? [one.at]
    )).toSorted()
  }))
}

t.test('every difference of the documents is said once, and every sentence of a change once', async (t) => {
  const app = await example(t)
  const releases = changelog(app)
  for (const { said, found } of locations(app, releases)) t.same(said, found)
  for (const { items, version } of releases) {
    const sentences = items.flatMap(({ sentences }) => sentences)
    t.equal(new Set(sentences).size, sentences.length)
    const written = app.changes.filter((change) => change.version === version).map(({ description }) => description)
    t.same(written.filter((description) => !sentences.includes(description)), [])
  }
})

const KINDS = ['shared', 'list', 'split', 'gone', 'new', 'query']
const schemaArbitrary = fc.record({
  required: fc.subarray(['a', 'b', 'c']),
  types: fc.array(fc.constantFrom('string', 'integer', 'boolean'), { minLength: 3, maxLength: 3 }),
  names: fc.subarray(['a', 'b', 'c'], { minLength: 1 })
})

t.test('every difference of generated apps is said once', async (t) => {
  const arbitrary = fc.record({
    older: schemaArbitrary,
    newer: schemaArbitrary,
    routes: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 5 }),
    isInPath: fc.boolean()
  })
  const toSchema = ({ required, types, names }: { required: string[], types: string[], names: string[] }) => ({
    type: 'object',
    additionalProperties: false,
    required: required.filter((name) => names.includes(name)),
    properties: Object.fromEntries(names.map((name, i) => [name, { type: types[i] }]))
  })
  await fc.assert(fc.asyncProperty(arbitrary, async ({ older, newer, routes, isInPath }) => {
    const app = bareApp(t)
    const isShared = routes.some((kind) => kind === 'shared' || kind === 'list')
    const downgrade = (value: object) => value
    const changes: Change[] = isShared
      ? [{ version: 'v2', description: 'Things change.', schemas: { Thing: { older: toSchema(older), downgrade } } }]
      : []
    const scheme = isInPath ? URLPathVersioning : HeaderVersioning
    await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'], changes })
    await app.register(openapi, { ui: false })
    app.addSchema({ $id: 'Thing', ...toSchema(newer) })
    const thing = { $ref: 'Thing#' }
    const response = (schema: object) => ({ schema: { response: { 200: schema } } })
    for (const [i, kind] of routes.entries()) {
      const url = `${isInPath ? '/:version' : ''}/${kind}${i}/:id`
      const handler = async () => ({})
      if (kind === 'shared') app.get(url, response(thing), handler)
      if (kind === 'list') app.get(url, response({ type: 'array', items: thing }), handler)
      if (kind === 'gone') app.get(url, { version: 'v1', ...response(toSchema(older)) }, handler)
      if (kind === 'new') app.get(url, { version: 'v2', ...response(toSchema(newer)) }, handler)
      if (kind === 'query') {
        app.get(url, { version: 'v1', schema: { querystring: toSchema(older) } }, handler)
        app.get(url, { version: 'v2', schema: { querystring: toSchema(newer) } }, async () => 1)
      }
      if (kind === 'split') {
        app.post(url, { version: 'v1', schema: { body: toSchema(older), response: { 200: toSchema(newer) } } }, handler)
        app.post(url, { version: 'v2', schema: { body: toSchema(newer), response: { 200: toSchema(older) } } }, handler)
      }
    }
    await app.ready()
    for (const { said, found } of locations(app, changelog(app))) {
      if (JSON.stringify(said) !== JSON.stringify(found)) throw new Error(`${said.join()} ${found.join()}`)
    }
    toMarkdown(changelog(app))
    await app.close()
  }), { numRuns: tries(40) })
})

t.test('the same app gives the same text, and releases are JSON', async (t) => {
  const app = await example(t)
  const [first, second] = [changelog(app), changelog(await example(t))]
  t.same(first, second)
  t.equal(toMarkdown(JSON.parse(JSON.stringify(first))), toMarkdown(second))
})

t.test('releases between two versions', async (t) => {
  const app = await example(t)
  const pairs = changelog(app, { from: 'v1' }).map(({ version, previous }) => [version, previous])
  t.same(pairs, [['v3', 'v2'], ['v2', 'v1']])
  t.same(changelog(app, { to: 'v2' }).map(({ version }) => version), ['v2', 'v1'])
  const error = { code: 'FST_ERR_VERSIONING_OPTION' }
  const message = /^Invalid "from": .* got 'v11'\. Did you mean 'v1'\?/
  t.throws(() => changelog(app, { from: 'v11' }), { ...error, message })
  t.throws(() => changelog(app, { to: 'v9' }), { ...error, message: /^Invalid "to"/ })
  t.throws(() => changelog(app, { from: 'v3', to: 'v1' }), {
    ...error, message: /^Invalid "from": expected a version that is not newer than 'v1' \("to"\), got 'v3'\./
  })
  t.same(changelog(app, { from: 'v2', to: 'v2' }), [])
})

for (const [ask, message] of [
  [(app) => changelog(app, { form: 'v1' } as object), /^Unknown option 'form'\. Did you mean 'from'\? .*#functions$/],
  [(app) => changelog(app, 'v1' as never), /^Invalid "options": expected an object \{ from: .* \}, got 'v1'\./],
  [(app) => changelog(app, null as never), /^Invalid "options": .*, got null\./],
  [(app) => (guide as (app: object) => Release)(app), /^Invalid "options": .*, got undefined\./],
  [(app) => guide(app, { from: 'v1', to: 'v3', endpoint: [] } as never), /^Unknown option 'endpoint'\. .*'endpoints'/],
  [(app) => guide(app, { to: 'v3', endpoints: [] } as never), /^Invalid "from": .* got undefined\. See/],
  [(app) => guide(app, { from: 'v1', to: 'v33' }), /^Invalid "to": .* Did you mean 'v3'\? See .*\/changelog\.md#func/],
  [(app) => guide(app, { from: 'v1', to: 'v3', endpoints: 'GET /rooms' as never }),
    /^Invalid "endpoints": expected a list such as \['GET \/bookings'\], got 'GET \/rooms'\./],
  [(app) => guide(app, { from: 'v1', to: 'v3', endpoints: [null, {}] as never }),
    /^Invalid "endpoints": expected a list such as \['GET \/bookings'\], got \[ null, \{\} \]\./]
] as [(app: FastifyInstance) => unknown, RegExp][]) {
  t.test(`an option is refused: ${message.source}`, async (t) => {
    const app = await example(t)
    t.throws(() => ask(app), { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('an app that has only events has no changelog', async (t) => {
  const app = bareApp(t)
  const events = { made: { type: 'object' } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], events })
  await app.ready()
  const error = { code: 'FST_ERR_VERSIONING_OPTION', message: /^Declare a route: .* this app has only events\./ }
  t.throws(() => changelog(app), error)
  t.throws(() => guide(app, { from: 'v1', to: 'v2' }), error)
})

t.test('an app that is not ready has no changelog', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
  app.get('/', async () => 1)
  t.throws(() => changelog(app), { message: /^Await app\.ready\(\) first/ })
  const promised = bareApp(t).ready()
  t.throws(() => changelog(promised), { message: /^Await app\.ready\(\) first/ })
  t.throws(() => changelog(bareApp(t)), { message: /^Await .* in which you registered fastify-versioning/ })
  t.throws(() => changelog(undefined as never), { message: /^Await app\.ready\(\) first/ })
})

t.test('the text names what to change first, what to read, and what is new', async (t) => {
  const text = toMarkdown(changelog(await example(t)), { title: 'What *changed*' })
  for (const part of [
    '# What \\*changed\\*\n\n## v3\n\n### Change your code\n\n' +
    '- **Lists have a cursor instead of pages.** `GET /bookings`\n' +
    '  - do not send `page` in the query any more\n  - you may send `cursor` in the query\n',
    '  - `room` in the body is now an object, not a string (`POST /bookings`)\n',
    '  ```js\n  { "id": 3, "booking": 7, "amount": 129.5 }\n  { "id": 3, "booking": 7, "cents": 12950 }\n  ```\n',
    '- **Answers differently:** `GET /invoices/:id`\n- **Endpoints that are gone:** `GET /search`\n',
    'Deprecated from 1 March 2026. Ends on 31 December 2026. [Leaving v1](</changelog#v2>)\n',
    '- **Prices are per night, not per stay.** `GET /prices`\n  - `perStay` is no longer in the response\n',
    '### New\n\n- **Rooms say how many beds they have.** `GET /rooms`\n  - `items[].beds` is new in the response\n',
    '- **New endpoints:** `GET /guests`\n'
  ]) t.ok(text.includes(part), part)
})

t.test('a guide has what one client calls, straight from one version to another', async (t) => {
  const app = await example(t)
  const endpoints = ['POST /payments', { method: 'GET', url: '/rooms' }]
  const release = guide(app, { from: 'v1', to: 'v3', endpoints })
  t.same(release.items.map(({ urgency, sentences }) => [urgency, ...sentences]), [
    ['breaking', 'Amounts are in cents.'], ['added', 'Rooms say how many beds they have.']
  ])
  t.same(release.items[0].examples, [{
    schema: 'Payment', before: { id: 3, booking: 7, amount: 129.5 }, after: { id: 3, booking: 7, cents: 12950 }
  }])
  t.match(toMarkdown(release), /^# From v1 to v3\n\n## Change your code\n\n/)
  t.match(toMarkdown(guide(app, { from: 'v1', to: 'v3' })), '`GET /invoices/:id`')
  t.match(toMarkdown(guide(app, { from: 'v2', to: 'v3', endpoints: ['DELETE /bookings/:id'] })),
    'Nothing is different for clients of v2.')
  t.same(guide(app, { from: 'v1', to: 'v3', endpoints: endpoints.values() }), release)
  t.throws(() => guide(app, { from: 'v1', to: 'v3', endpoints: ['GET /booking'] }), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "endpoints": .* got 'GET \/booking'\. Did you mean 'GET \/bookings'\?/
  })
})

async function small (
  t: Test, changes: Change[], examples: unknown, more: Partial<VersioningOptions> = {}, hasDocuments = false
): Promise<FastifyInstance> {
  const app = bareApp(t)
  const allowedVersions = ['2026-01-01', '2026-06-01']
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions, changes, ...more })
  if (hasDocuments) await app.register(openapi, { ui: false })
  app.addSchema({ $id: 'Thing', type: 'object', properties: { name: { type: 'string' } }, examples })
  const schema = { response: { 200: { $ref: 'Thing#' } } }
  app.get('/things', { schema, name: 'things' }, async () => ({}))
  await app.ready()
  return app
}

const older = { type: 'object', properties: { title: { type: 'string' } } }
const thing = (description: string, downgrade: (value: { name: string }) => unknown): Change => (
  { version: '2026-06-01', description, schemas: { Thing: { older, downgrade } } }
)

t.test('documents that cannot be compared are logged, and the changes are said without them', async (t) => {
  const lines: string[] = []
  const app = bareApp(t, { logger: { level: 'warn', stream: { write: (line: string) => { lines.push(line) } } } })
  const changes = [{ version: 'v2', description: 'A.', routes: { a: {} } }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  await app.register(openapi, {
    ui: false,
    transformObject (made) {
      const { openapiObject } = made as unknown as { openapiObject: { components: { schemas: object }, paths: object } }
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } }
      openapiObject.components.schemas = { Loop: { $ref: '#/components/schemas/Loop' } }
      openapiObject.paths = { '/a': { get: { responses: { 200: { description: '', content } } } } }
      return openapiObject as object
    }
  })
  app.get('/a', { name: 'a', version: 'v1' }, async () => 'one')
  app.get('/a', { version: 'v2' }, async () => 'two')
  await app.ready()
  const [{ items }] = changelog(app)
  t.match(items, [{ urgency: 'breaking', sentences: ['A.'], differences: [] }])
  t.match(lines.map((line) => JSON.parse(line)), [{
    msg: 'Cannot compare the documents of v1 and v2, so routes are compared alone.', err: { message: /leads only to/ }
  }])
})

t.test('a release is that of lifecycle, or else the version if it is a date that the calendar has', async (t) => {
  const said = await small(t, [thing('A.', ({ name }) => ({ title: name }))], [], {
    lifecycle: { '2026-06-01': { released: '2026-06-15', info: '/new' } }
  })
  const [release, oldest] = changelog(said)
  t.equal(release.released, '2026-06-15T00:00:00.000Z')
  t.equal(oldest.released, '2026-01-01T00:00:00.000Z')
  t.match(toMarkdown([release]), 'Release date: 15 June 2026. [About 2026-06-01](</new>)')
  const documents = ['2026-02-30', '2026-13-01', 'v1'].map((version) => ({ ...base, info: { title: 'A', version } }))
  t.same(changelogOf(documents).map(({ released }) => released), [null, null, null])
})

t.test('without documents the changes are said, and Markdown and HTML in a text are written as text', async (t) => {
  const change = thing(' <b>A *thing* [x](y)</b> & `name`\n# no\n', ({ name }) => ({ title: name }))
  const app = await small(t, [change], [{ name: '```' }])
  const [release] = changelog(app)
  t.match(release, { released: '2026-06-01T00:00:00.000Z', items: [{ urgency: 'breaking', differences: [] }] })
  t.match(toMarkdown([release]), 'Release date: 1 June 2026.')
  t.ok(toMarkdown([release]).includes(
    '- **\\<b\\>A \\*thing\\* \\[x\\](y)\\</b\\> \\& `name` \\# no** `GET /things`\n'
  ), toMarkdown([release]))
  t.ok(toMarkdown([release]).includes('{ "title": "\\u0060\\u0060\\u0060" }'))
})

t.test('without documents, routes of one handler with other schemas answer differently', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  const schema = (name: string) => ({ response: { 200: { type: 'object', properties: { [name]: {} } } } })
  for (const version of ['v1', 'v2']) {
    app.get('/same', { version, schema: schema('a') }, ok)
    app.get('/other', { version, schema: schema(version) }, ok)
  }
  await app.ready()
  t.match(toMarkdown(changelog(app)), /### Change your code\n\n- \*\*Answers differently:\*\* `GET \/other`\n\n## v1/)
})

t.test('an app that lists the newest version first has no changelog', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v2', 'v1'] })
  app.get('/', ok)
  await app.ready()
  t.throws(() => changelog(app), { message: /^Invalid "allowedVersions": expected the oldest version first/ })
})

t.test('an example that no function takes is left out, and a long one has several lines', async (t) => {
  const failing = await small(t, [thing('A.', () => { throw new Error('no') })], [{ name: 'x' }])
  t.same(changelog(failing)[0].items[0].examples, [])
  t.same(changelog(await small(t, [thing('A.', ({ name }) => ({ title: name }))], []))[0].items[0].examples, [])
  t.same(changelog(await small(t, [thing('A.', (value) => value)], [{}]))[0].items[0].examples, [])
  const long = await small(t, [thing('A.', ({ name }) => ({ title: name }))], [{ name: 'x'.repeat(100) }])
  t.match(toMarkdown(changelog(long)), '  {\n    "title": "xxx')
})

t.test('an endpoint that documents do not show makes its change breaking, and a function that fails proves nothing',
  async (t) => {
    const adds = thing('A.', ({ name }) => ({ name }))
    const app = bareApp(t)
    const allowedVersions = ['2026-01-01', '2026-06-01']
    await app.register(versioning, { scheme: HeaderVersioning, allowedVersions, changes: [adds] })
    await app.register(openapi, { ui: false })
    app.addSchema({ $id: 'Thing', type: 'object', properties: { title: { type: 'string' }, name: {} }, examples: [{}] })
    const response = { 200: { $ref: 'Thing#' } }
    app.get('/things', { schema: { response } }, async () => ({}))
    app.get('/hidden', { schema: { response, hide: true } }, async () => ({}))
    await app.ready()
    t.same(changelog(app)[0].items.map(({ urgency, endpoints }) => [urgency, endpoints]), [
      ['breaking', ['GET /things', 'GET /hidden']]
    ])
    const failing = await small(t, [thing('A.', () => { throw new Error('no') })], [{ name: 'x' }], {}, true)
    t.equal(changelog(failing)[0].items[0].urgency, 'breaking')
  })

t.test('a hidden endpoint that is new or gone is not in a changelog', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/gone', { version: 'v1', schema: { hide: true } }, ok)
  app.get('/new', { version: 'v2', schema: { hide: true } }, ok)
  app.get('/shown', { version: 'v2' }, ok)
  await app.ready()
  t.same(changelog(app)[0].items.map(({ endpoints }) => endpoints), [['GET /shown']])
})

t.test('an API that keeps its URLs in v1 has the same endpoints under the prefix of v2', async (t) => {
  const app = bareApp(t)
  const allowedVersions = ['v1', 'v2']
  await app.register(versioning, { scheme: NamespaceVersioning, defaultVersion: 'v1', allowedVersions })
  await app.register(openapi, { ui: false })
  const bookings = (name: string) => async (api: FastifyInstance) => {
    const schema = { response: { 200: { type: 'object', properties: { [name]: { type: 'string' } } } } }
    api.get('/bookings/:id', { schema }, async () => ({}))
  }
  app.register(bookings('guest'), { prefix: '/api' })
  app.register(bookings('name'), { prefix: '/api/v2', namespace: 'v2' })
  await app.ready()
  const [{ differences, endpoints }] = changelog(app)[0].items
  t.same(endpoints, ['GET /api/bookings/:id'])
  t.same(differences.map(({ text }) => text), ['`guest` is no longer in the response', '`name` is new in the response'])
})

for (const [place, register] of [
  ['for each namespace', (app, module) => {
    app.register(module, { prefix: '/api' })
    app.register(module, { prefix: '/api/v2', namespace: 'v2' })
  }],
  ['with and without the version in the path', (app, module) => {
    app.register(module, { prefix: '/api' })
    app.register(module, { prefix: '/:version/api' })
  }]
] as [string, (app: FastifyInstance, module: (api: FastifyInstance) => Promise<void>) => void][]) {
  t.test(`a module that is registered ${place} does not answer differently`, async (t) => {
    const app = bareApp(t)
    const scheme = place === 'for each namespace' ? NamespaceVersioning : URLPathVersioning
    await app.register(versioning, { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    await app.register(openapi, { ui: false })
    register(app, async (api) => {
      api.get('/rooms/:id', { schema: { response: { 200: { type: 'array' } } } }, async () => [])
      api.get('/doors', async () => [])
    })
    await app.ready()
    t.same(changelog(app)[0].items, [])
  })
}

t.test('what a change does in a module for each namespace is said of it, though routes have the schema', async (t) => {
  const app = bareApp(t)
  const of = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
  await app.register(versioning, {
    scheme: NamespaceVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    changes: [{
      version: 'v2',
      description: 'A booking has a name.',
      schemas: { Booking: { older: of('guest'), downgrade: ({ name }) => ({ guest: name }) } }
    }]
  })
  await app.register(openapi, { ui: false })
  async function bookings (api: FastifyInstance) {
    api.get('/bookings', { schema: { response: { 200: { $id: 'Booking', ...of('name') } } } }, async () => ({}))
  }
  app.register(bookings, { prefix: '/api', writtenFor: 'v2' })
  app.register(bookings, { prefix: '/api/v2', namespace: 'v2' })
  await app.ready()
  t.match(changelog(app)[0].items, [{
    sentences: ['A booking has a name.'],
    differences: [{ text: '`guest` is no longer in the response' }, { text: '`name` is new in the response' }]
  }])
  t.equal(changelog(app)[0].items.length, 1)
})

for (const [what, further, text] of [
  ['does not say whether it has other properties', {}, []],
  ['may have other properties', { additionalProperties: true }, ['there may be other properties in the response']]
] as const) {
  t.test(`a response that was closed, and now ${what}`, async (t) => {
    const app = bareApp(t)
    const thing = { type: 'object', properties: { name: { type: 'string' } } }
    const older = { ...thing, additionalProperties: false }
    await app.register(versioning, {
      scheme: HeaderVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{ version: 'v2', description: 'Names are long.', schemas: { Thing: { older, downgrade: (it) => it } } }]
    })
    await app.register(openapi, { ui: false })
    app.addSchema({ $id: 'Thing', ...thing, ...further })
    app.get('/thing', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => ({}))
    await app.ready()
    t.same(changelog(app)[0].items[0].differences.map(({ text }) => text), text)
  })
}

for (const [what, further, texts] of [
  ['does not say whether it takes other properties', {}, []],
  ['takes other properties', { additionalProperties: true }, ['you may send other properties in the body']]
] as const) {
  t.test(`a body that was closed, and now ${what}`, async (t) => {
    const app = bareApp(t)
    const older = { type: 'object', additionalProperties: false }
    await app.register(versioning, {
      scheme: URLPathVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{
        version: 'v2', description: 'A.', routes: { a: { older: { body: older }, body: { upgrade: (it) => it } } }
      }]
    })
    await app.register(openapi, { ui: false })
    const schema = { body: { type: 'object', ...further }, response: { 200: {} } }
    app.post('/:version/a', { name: 'a', schema }, ok)
    await app.ready()
    t.same(changelog(app)[0].items[0].differences.map(({ text }) => text), texts)
  })
}

for (const url of ['/rooms1/:version', '/:version/rooms/1']) {
  t.test(`a body that was closed at ${url} and says nothing now is no difference`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['1', '2'] })
    await app.register(openapi, { ui: false })
    for (const [version, additional] of [['1', { additionalProperties: false }], ['2', {}]] as const) {
      app.post(url, { version, schema: { body: { type: 'object', ...additional }, response: { 204: {} } } }, ok)
    }
    await app.ready()
    t.same(changelog(app)[0].items, [])
  })
}

t.test('a property may be called like a method of objects', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  const toShared = (document: object) => {
    const { info, paths } = document as { info: { 'x-api-version': string }, paths: { '/a': { get: object } } }
    const additional = info['x-api-version'] === 'v1' ? { additionalProperties: false } : {}
    const schema = { type: 'object', properties: { valueOf: { type: 'object', ...additional } } }
    const responses = { A: { description: '', content: { 'application/json': { schema } } } }
    Object.assign(paths['/a'].get, { responses: { 200: { $ref: '#/components/responses/A' } } })
    return { ...document, components: { responses } }
  }
  await app.register(openapi, {
    ui: false, transformObject: (document) => toShared(Reflect.get(document, 'openapiObject')) as never
  })
  app.get('/a', ok)
  await app.ready()
  t.same(changelog(app)[0].items.flatMap(({ differences }) => differences.map(({ text }) => text)),
    ['there may be other properties of `valueOf` in the response'])
})

t.test('a response that had no schema is not said to be new', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { ui: false })
  app.get('/:version/a', { version: 'v1' }, async () => [])
  app.get('/:version/a', { version: 'v2', schema: { response: { 200: { type: 'array' } } } }, async () => [1])
  await app.ready()
  const [{ differences, sentences }] = changelog(app)[0].items
  t.same([sentences, differences], [['Answers differently:'], []])
})

t.test('a response that is open now, without a shared schema, may have other properties', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { ui: false })
  for (const [version, additionalProperties] of [['v1', false], ['v2', true]] as const) {
    const thing = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties }
    app.get('/:version/thing', { version, schema: { response: { 200: thing } } }, ok)
  }
  await app.ready()
  const [{ differences }] = changelog(app)[0].items
  t.same(differences.map(({ text }) => text), ['there may be other properties in the response'])
})

t.test('what another handler answers is not said of a change of a schema in it', async (t) => {
  const app = bareApp(t)
  const address = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    changes: [{
      version: 'v2',
      description: 'The zip is called postcode.',
      schemas: { Address: { older: address('zip'), downgrade: () => ({ zip: '1' }) } }
    }]
  })
  await app.register(openapi, { ui: false })
  app.addSchema({ $id: 'Address', ...address('postcode') })
  const list = { type: 'array', items: { $ref: 'Address#' } }
  const page = { type: 'object', properties: { items: list, total: { type: 'integer' } } }
  app.get('/addresses', { version: 'v1', writtenFor: 'v2', schema: { response: { 200: list } } }, async () => [])
  app.get('/addresses', { version: { from: 'v2' }, schema: { response: { 200: page } } }, async () => ({}))
  app.get('/address', { schema: { response: { 200: { $ref: 'Address#' } } } }, async () => ({}))
  await app.ready()
  const [{ items }] = changelog(app)
  t.same(items.map(({ differences, sentences }) => [sentences, differences.map(({ text }) => text)]), [
    [['The zip is called postcode.'], ['`zip` is no longer in the response', '`postcode` is new in the response']],
    [['Answers differently:'], ['the response is now an object, not a list']]
  ])
})

t.test('handlers of one source and one context may answer differently', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  const price = (name: string) => async () => ({ [name]: 1 })
  app.get('/prices', { version: 'v1' }, price('perStay'))
  app.get('/prices', { version: { from: 'v2' } }, price('perNight'))
  await app.ready()
  t.same(changelog(app)[0].items.map(({ sentences }) => sentences), [['Answers differently:']])
})

t.test('the document of a version lists what changed in it', async (t) => {
  const app = await example(t)
  t.equal(app.openapi('v3').info.description,
    'Changes in this version:\n\n- The room of a booking is an object.\n- Lists have a cursor instead of pages.\n' +
    '- Amounts are in cents.')
  t.notMatch(app.openapi('v1').info.description, 'Changes')
})

t.test('Markdown and HTML in a sentence are text in the document of a version', async (t) => {
  const change = thing('<b>A</b> [x](y)\n# no', ({ name }) => ({ title: name }))
  const app = await small(t, [change], [], {}, true)
  t.match(app.openapi('2026-06-01').info.description, '- \\<b\\>A\\</b\\> \\[x\\](y) \\# no')
})

for (const [what, sentence, text] of [
  ['begins like a list', '- Guests', '- \\- Guests'],
  ['begins like a numbered list', '1. Guests', '- 1\\. Guests'],
  ['begins like a line', '---', '- \\---'],
  ['begins with a number', '1.5 guests', '- 1.5 guests'],
  ['has a URL', 'See https://example.com/a_b#c, or (https://example.com/?d=*).',
    '- See <https://example.com/a_b#c>, or (<https://example.com/?d>=\\*).']
] as const) {
  t.test(`a sentence that ${what} is text in the document of a version`, async (t) => {
    const change = thing(sentence, ({ name }) => ({ title: name }))
    const app = await small(t, [change], [], {}, true)
    t.equal(app.openapi('2026-06-01').info.description?.split('\n').at(-1), text)
  })
}

t.test('a webhook belongs to no endpoint', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, {
    ui: false,
    document: (version) => ({
      openapi: { openapi: '3.1.0', webhooks: version === 'v1' ? {} : { made: { post: { responses: {} } } } }
    })
  })
  app.get('/', async () => 1)
  await app.ready()
  t.match(toMarkdown(changelog(app)), '### New\n\n- Webhook `made` is new.\n')
})

/** An app whose schemas only events have, with a change of each, of which the second only adds. */
async function eventApp (t: Test, documentVersion: string): Promise<FastifyInstance> {
  const app = bareApp(t)
  const text = { type: 'string' }
  const toOlder = ({ guests, ...rest }: { guests: string[] }) => ({ ...rest, guest: guests[0] })
  const changes: Change[] = [
    {
      version: 'v2',
      description: 'A booking has several guests.',
      schemas: { Booking: { older: { type: 'object', properties: { guest: text } }, downgrade: toOlder } }
    },
    {
      version: 'v2',
      description: 'A room has a floor.',
      schemas: { Room: { older: { type: 'object', properties: {} }, downgrade: () => ({}) } }
    }
  ]
  const events = { 'booking/made': { $ref: 'Booking#' }, 'room.closed': { $ref: 'Room#' } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes, events })
  await app.register(openapi, { ui: false, openapi: { openapi: documentVersion, info: { title: 'A', version: '1' } } })
  const guests = { type: 'array', items: text }
  app.addSchema({ $id: 'Booking', type: 'object', properties: { guests }, examples: [{ guests: ['Ada'] }] })
  app.addSchema({ $id: 'Room', type: 'object', properties: { floor: text }, examples: [{ floor: '2' }] })
  app.get('/', async () => 1)
  await app.ready()
  return app
}

t.test('a webhook that differs is said without endpoints, under a change that has some', async (t) => {
  const app = bareApp(t)
  const text = { type: 'string' }
  const guestOnly = { older: { type: 'object', properties: { guest: text } }, downgrade: () => ({ guest: 'Ada' }) }
  const changes = [{ version: 'v2', description: 'Several guests.', schemas: { Booking: guestOnly } }]
  const events = { made: { $ref: 'Booking#' } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes, events })
  await app.register(openapi, { ui: false, openapi: { openapi: '3.1.0', info: { title: 'A', version: '1' } } })
  app.addSchema({ $id: 'Booking', type: 'object', properties: { guests: { type: 'array', items: text } } })
  app.get('/bookings', { schema: { response: { 200: { $ref: 'Booking#' } } } }, ok)
  await app.ready()
  t.match(toMarkdown(changelog(app)), '- **Several guests.** `GET /bookings`\n')
  t.match(toMarkdown(changelog(app)), '\n  - `guest` is no longer in webhook `made`\n')
})

t.test('an event without changes is not in a changelog', async (t) => {
  const app = bareApp(t)
  const events = { made: { type: 'object', properties: { id: { type: 'string' } } } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], events })
  app.get('/', ok)
  await app.ready()
  t.same(changelog(app)[0].items, [])
})

t.test('a webhook is said under the change of its event, and is new where the change only adds', async (t) => {
  const app = await eventApp(t, '3.1.0')
  const releases = changelog(app)
  for (const { said, found } of locations(app, releases)) t.same(said, found)
  t.match(releases[0].items, [
    {
      urgency: 'breaking',
      sentences: ['A booking has several guests.'],
      differences: [
        { kind: 'breaking', text: '`guest` is no longer in webhook `booking/made`' },
        { kind: 'added', text: '`guests` is new in webhook `booking/made`' }
      ],
      examples: [{ schema: 'Booking', before: { guest: 'Ada' } }]
    },
    { urgency: 'added', sentences: ['A room has a floor.'], differences: [{ kind: 'added' }] }
  ])
})

t.test('a change that only events have is said, although documents of OpenAPI 3.0 have no webhooks', async (t) => {
  t.match(changelog(await eventApp(t, '3.0.3'))[0].items, [
    { urgency: 'breaking', sentences: ['A booking has several guests.'], differences: [] },
    { urgency: 'added', sentences: ['A room has a floor.'], differences: [] }
  ])
})

t.test('a guide for some endpoints has no webhooks', async (t) => {
  t.same(guide(await eventApp(t, '3.1.0'), { from: 'v1', to: 'v2', endpoints: ['GET /'] }).items, [])
})

t.test('a preview says that it may change', async (t) => {
  const app = await small(t, [], [], { lifecycle: { '2026-06-01': { preview: true } } })
  t.match(toMarkdown(changelog(app)), 'A preview: it may change before its release. Nothing is different')
})

t.test('documents that cannot be compared leave what the app itself knows', async (t) => {
  const app = await small(t, [thing('A.', ({ name }) => ({ title: name }))], [], {}, true)
  app.openapi = Object.assign(() => ({ openapi: '3.2.0' }), { names: ['2026-01-01', '2026-06-01'] }) as never
  t.match(changelog(app)[0].items, [{ sentences: ['A.'], differences: [] }])
})

t.test('documents alone have an item for each shared schema, and for each endpoint', async (t) => {
  const app = await example(t)
  const documents = ['v3', 'v1', 'v2'].map((version) => app.openapi(version))
  const releases = changelogOf(documents)
  t.same(releases.map(({ version, previous }) => [version, previous]), [['v3', 'v2'], ['v2', 'v1'], ['v1', null]])
  for (const { said, found } of locations(app, releases)) t.same(said, found)
  t.match(toMarkdown(releases), '- **Room:** `GET /rooms`\n  - `items[].beds` is new in the response\n')
  t.match(toMarkdown(releases), '- **Payment:** `POST /payments`\n  - do not send `amount` in the body any more\n')
  t.equal(releases[2].sunset, '2026-12-31T00:00:00.000Z')
})

const text = (type: string) => ({ 'text/plain': { schema: { type } } })
const operation = { responses: { 200: { description: '', content: text('string') } } }
const base = { openapi: '3.1.0', info: { title: 'A', version: '2026-01-01' } }

t.test('documents without x-api-version stay in their order', async (t) => {
  const webhooks = { a: { post: {} }, b: { post: {} } }
  const before = { ...base, paths: { '/a': { get: operation, put: operation } }, webhooks }
  const parameters = [
    { in: 'header', name: 'X-Page', required: true, schema: { type: 'string' } },
    { in: 'query', name: 'page', schema: { type: ['string', 'null'] } }
  ]
  const [number, words] = ['integer', 'string'].map((type) => ({ description: '', content: text(type) }))
  const responses = { 200: number, 400: words }
  const after = {
    ...base,
    info: { title: 'A', version: '2026-06-01' },
    'x-stability-level': 'beta',
    paths: { '/a': { get: { parameters, responses, security: [{ key: [] }] } } }
  }
  const releases = changelogOf([before, after])
  t.match(releases, [
    { version: '2026-06-01', isPreview: true, sunset: null }, { version: '2026-01-01', previous: null }
  ])
  for (const part of [
    'send `X-Page` in the headers: it is required', 'you may send `page` in the query', '`PUT /a`',
    'security needs more now',
    '- Webhook `a` was removed.\n- Webhook `b` was removed.\n'
  ]) t.match(toMarkdown(releases), part)
})

t.test('Markdown lists what is new or was removed in an endpoint, and not that a whole endpoint is', async (t) => {
  const of = (version: string, method: string, name: string) => {
    const schema = { type: 'object', properties: { [name]: { type: 'string' } } }
    const parameters = ['query', 'header'].map((place) => ({ in: place, name, schema: { type: 'string' } }))
    const headers = { [`x-${name}`]: { schema: { type: 'string' } } }
    const answer = { description: '', headers, content: { 'a/json': { schema } } }
    const post = { parameters, responses: { 200: answer, [`40${version}`]: { description: '' } } }
    return { openapi: '3.1.0', info: { title: 'A', version }, paths: { '/a': { post, [method]: operation } } }
  }
  t.equal(toMarkdown(changelogOf([of('1', 'get', 'b'), of('2', 'put', 'c')])[0]), `# From 1 to 2

## Change your code

- **Endpoints that are gone:** \`GET /a\`
- \`POST /a\`
  - do not send \`b\` in the query any more
  - do not send \`b\` in the headers any more
  - \`b\` is no longer in the response
  - header \`x-b\` is no longer in the response
  - you may send \`c\` in the query
  - you may send \`c\` in the headers
  - \`c\` is new in the response
  - header \`x-c\` is new in the response
  - the 401 response was removed
  - the 402 response is new

## New

- **New endpoints:** \`PUT /a\`
`)
})

t.test('an endpoint that ends earlier is not gone, and one that OpenAPI 3.2 calls additional has its method',
  async (t) => {
    const ending = (date: string) => ({ ...operation, deprecated: true, 'x-sunset': date })
    const of = (version: string, paths: object) => ({ openapi: '3.2.0', info: { title: 'A', version }, paths })
    const [release] = changelogOf([
      of('1', { '/a': { get: ending('2027-06-01') } }),
      of('2', { '/a': { get: ending('2027-01-01'), additionalOperations: { COPY: operation } } })
    ])
    t.match(toMarkdown([release]), '- Ends on 2027-01-01 now, was 2027-06-01. `GET /a`\n')
    t.match(toMarkdown([release]), '- **New endpoints:** `COPY /a`\n')
    t.notMatch(toMarkdown([release]), 'gone')
  })

t.test('the command prints a changelog of documents', async (t) => {
  const app = await example(t)
  const directory = await mkdtemp(join(tmpdir(), 'changelog-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const files = ['v1', 'v2'].map((version) => join(directory, `${version}.json`))
  for (const [i, version] of ['v1', 'v2'].entries()) await writeFile(files[i], JSON.stringify(app.openapi(version)))
  const { code, output, errors } = await run(['changelog', ...files, '--title', 'Bookings'])
  t.match({ code, output, errors }, { code: 0, output: /^# Bookings\n\n## v2\n/, errors: '' })
  t.equal(JSON.parse((await run(['changelog', ...files, '--json'])).output).length, 2)
  t.match(await run(['changelog', '--help']), { code: 0, output: /^Usage: fastify-versioning changelog/ })
  t.match(await run(['changelog']), { code: 2, errors: /^Expected documents\n\nUsage/ })
  t.match(await run(['changelog', '--html', ...files]), { code: 2, errors: /Unknown option '--html'.*\n\nUsage/s })
  t.match(await run(['changelog', `${files[0]}x`]), { code: 2, errors: /^Cannot read .*x/ })
  t.match(await run(['changelog', files[0]]), { code: 0, errors: 'Nothing is compared: this is a single document.\n' })
  t.match(await run(['changelog', ...files, files[1]]), {
    code: 2, errors: 'Expected one document of each version, got two of v2\n'
  })
  for (const [i, version] of ['10', '9'].entries()) {
    await writeFile(files[i], JSON.stringify({ ...base, info: { title: 'A', version } }))
  }
  t.match(await run(['changelog', ...files]), {
    code: 0, errors: 'Are the documents in order? 9 comes after 10.\n'
  })
  for (const wrong of [{ a: 1 }, [], null, 5, 'text', { swagger: '2.0', info: base.info }, { ...base, info: {} }]) {
    await writeFile(files[1], JSON.stringify(wrong))
    const { code, errors } = await run(['changelog', ...files])
    t.match([code, errors], [2, /^Expected .*v2\.json to be a document of OpenAPI 3\.0, 3\.1 or 3\.2 with .*\n$/])
  }
  t.throws(() => changelogOf([{}]), { message: /^Expected documents\[0\] to be a document/ })
  t.throws(() => changelogOf(null as never), { message: 'Expected a list of documents, got null' })
})

t.test('toMarkdown() says what it expects if it gets differences', (t) => {
  const differences = compare({ ...base, paths: { '/a': { get: operation } } }, { ...base, paths: {} })
  for (const wrong of [differences, undefined, [null]]) {
    const message = /^Expected what changelog\(\), guide\(\) or /
    t.throws(() => toMarkdown(wrong as never), { name: 'TypeError', message })
  }
  t.end()
})

t.test('toMarkdown() takes no other options than a title', (t) => {
  for (const wrong of ['Title', null, { titel: 'A' }, { title: 5 }]) {
    const message = /^Expected options such as \{ title: 'Changes' \}, got /
    t.throws(() => toMarkdown([], wrong as never), { name: 'TypeError', message })
  }
  t.end()
})

t.test('a guide leads to a version that is not older', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/a', async () => 'a')
  await app.ready()
  t.throws(() => guide(app, { from: 'v2', to: 'v1' }), {
    message: /^Invalid "to": expected a version that is not older than 'v2' \("from"\), got 'v1'\./
  })
})

t.test('the recipe of the page has a guide for each version that a client calls', async (t) => {
  const directory = new URL('.tap/docs-changelog/', ROOT)
  await mkdir(directory, { recursive: true })
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const { blocks } = await readPage('docs/changelog.md')
  const file = new URL('guide.ts', directory)
  await writeFile(file, blocks.find(({ text }) => text.includes('guideOf'))?.text ?? '')
  const { guideOf } = await import(file.href) as { guideOf: (app: object, client: string) => Promise<string> }
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] })
  await app.register(openapi, { ui: false })
  await app.register(usage, { client: ({ headers }) => headers['x-account'] as string })
  const answer = (name: string) => ({
    schema: { response: { 200: { type: 'object', properties: { [name]: { type: 'string' } } } } }
  })
  app.get('/rooms', { version: ['v1', 'v2'], ...answer('size') }, async () => ({}))
  app.get('/rooms', { version: 'v3', ...answer('area') }, async () => ({}))
  app.get('/gone', { version: 'v1', ...answer('a') }, async () => ({}))
  app.get('/prices', { version: 'v1', ...answer('euros') }, async () => ({}))
  app.get('/prices', { version: ['v2', 'v3'], ...answer('cents') }, async () => ({}))
  const calls = [['/rooms', 'v2'], ['/rooms', 'v2'], ['/rooms', 'v2'], ['/gone', 'v1'], ['/prices', 'v1']]
  for (const [url, version] of calls) {
    await app.inject({ url, headers: { 'api-version': version, 'x-account': 'acme' } })
  }
  const text = await guideOf(app, 'acme')
  t.same(text.match(/^# .*/gm), ['# From v2 to v3', '# From v1 to v3'])
  for (const part of ['`size` is no longer', '`GET /gone`', '`euros` is no longer']) t.match(text, part)
  t.equal(await guideOf(app, 'bolt'), 'Nothing to change.')
})

t.test('the change of values that the app itself converts is said', async (t) => {
  const app = bareApp(t)
  const Job = { older: { type: 'object', properties: { name: string } }, downgrade: () => ({}), outside: true }
  const changes = [{ version: 'v2', description: 'Jobs have an id.', schemas: { Job } }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes })
  app.addSchema({ $id: 'Job', type: 'object', properties: { id: string } })
  app.get('/', { schema: { response: { 200: {} } } }, ok)
  await app.ready()
  const said = changelog(app).map(({ items }) => items.map(({ urgency, sentences }) => [urgency, ...sentences]))
  t.same(said, [[], [['breaking', 'Jobs have an id.']], []])
})

/** The sentences with their endpoints, where `/price` of v2 was `/prices` in v1. */
async function saidOfMove (t: Test, change: object, older: object): Promise<unknown> {
  const app = bareApp(t)
  const changes = [{ version: 'v2', description: 'It moved.', ...change }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  app.addSchema({ $id: 'Price', type: 'object', properties: { euros: string } })
  const schema = { response: { 200: { $ref: 'Price#' } } }
  app.get('/prices', { name: 'price', version: 'v1', schema, ...older }, async () => ({}))
  app.get('/price', { name: 'price', version: 'v2', schema }, async () => ({}))
  await app.ready()
  return changelog(app)[0].items.map(({ sentences, endpoints }) => [...sentences, ...endpoints])
}

t.test('the change of an endpoint that has moved is said', async (t) => {
  const Price = { older: { type: 'object', properties: { dollars: string } }, downgrade: () => ({}) }
  const both = [['Endpoints that are gone:', 'GET /prices'], ['New endpoints:', 'GET /price']]
  t.same(await saidOfMove(t, { schemas: { Price } }, { writtenFor: 'v2' }), [['It moved.', 'GET /prices'], ...both])
  t.same(await saidOfMove(t, { routes: { price: {} } }, {}), [both[0], ['It moved.', 'GET /price'], both[1]])
})

t.test('the sentence of an endpoint that has gone is said', async (t) => {
  const app = bareApp(t)
  const changes = [{ version: 'v2', description: 'Prices have moved to /rates.', routes: { prices: {} } }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  app.get('/prices', { name: 'prices', version: 'v1' }, async () => 1)
  app.get('/rates', { version: 'v2' }, async () => 1)
  await app.ready()
  t.same(app.changes[0].routes, [{ method: 'GET', url: '/prices', name: 'prices' }])
  t.same(changelog(app)[0].items.map(({ sentences, endpoints }) => [...sentences, ...endpoints]), [
    ['Prices have moved to /rates.', 'GET /prices'],
    ['Endpoints that are gone:', 'GET /prices'],
    ['New endpoints:', 'GET /rates']
  ])
})

t.test('a guide says which endpoints end in every version, and a changelog says what differs', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/ending', { deprecated: { deprecated: '2026-02-01', sunset: '2027-02-01' } }, async () => 1)
  app.get('/old', { deprecated: { deprecated: '2026-02-01' } }, async () => 1)
  app.get('/rooms', async () => 1)
  await app.ready()
  t.same(changelog(app)[0].items, [])
  const { items } = guide(app, { from: 'v1', to: 'v2' })
  t.same(items.map(({ urgency, sentences, endpoints }) => [urgency, ...sentences, ...endpoints]), [
    ['breaking', 'Endpoints that end on 1 February 2027:', 'GET /ending'],
    ['breaking', 'Deprecated endpoints:', 'GET /old']
  ])
  t.same(guide(app, { from: 'v1', to: 'v2', endpoints: ['GET /rooms'] }).items, [])
})

t.test('what differs in a shared schema is said under its own change, at endpoints and in events', async (t) => {
  const app = bareApp(t)
  const of = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
  const renamed = (id: string, from: string, to: string) => ({
    version: 'v2',
    description: `${id} has ${to}.`,
    schemas: {
      [id]: {
        older: of({ [from]: string, ...id === 'User' && { home: { $ref: 'Address#' } } }),
        downgrade: ({ [to]: value, ...rest }: Record<string, unknown>) => ({ ...rest, [from]: value })
      }
    }
  })
  await app.register(versioning, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    changes: [renamed('User', 'first', 'name'), renamed('Address', 'road', 'street')],
    events: { made: { $ref: 'User#' } }
  })
  await app.register(openapi, { ui: false, document: () => ({ openapi: { openapi: '3.1.0' } }) })
  app.addSchema({ $id: 'Address', ...of({ street: string }) })
  app.addSchema({ $id: 'User', ...of({ name: string, home: { $ref: 'Address#' } }) })
  app.get('/users', { schema: { response: { 200: { type: 'array', items: { $ref: 'User#' } } } } }, async () => [])
  await app.ready()
  t.same(changelog(app)[0].items.map(({ sentences, differences }) => [
    ...sentences, ...differences.map(({ text }) => text)
  ]), [
    [
      'Address has street.',
      '`[].home.road` is no longer in the response',
      '`home.road` is no longer in webhook `made`',
      '`[].home.street` is new in the response',
      '`home.street` is new in webhook `made`'
    ],
    [
      'User has name.',
      '`[].first` is no longer in the response',
      '`first` is no longer in webhook `made`',
      '`[].name` is new in the response',
      '`name` is new in webhook `made`'
    ]
  ])
})

t.test('another handler of a described route is not said to break clients because others are not', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { ui: false })
  const schema = { response: { 200: { type: 'object', properties: { id: string } } } }
  for (const version of ['v1', 'v2']) {
    app.get('/described', { version, schema }, async () => ({ id: version }))
    app.get('/unknown', { version }, async () => version)
  }
  await app.ready()
  t.same(changelog(app)[0].items.map(({ urgency, endpoints }) => [urgency, ...endpoints]), [
    ['breaking', 'GET /unknown'], ['unknown', 'GET /described']
  ])
})

t.test('what has ended by the clock of the app is said in the past', async (t) => {
  for (const [now, text] of [['2026-01-01', 'end'], ['2027-02-01', 'end'], ['2027-02-02', 'ended']]) {
    const app = bareApp(t)
    const retirement = { sunset: '2027-02-01T12:00:00Z' }
    await app.register(versioning, {
      scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle: { v1: retirement }, now: () => Date.parse(now)
    })
    app.get('/', { deprecated: retirement }, ok)
    await app.ready()
    t.match(toMarkdown(changelog(app)), `\n${text === 'end' ? 'Ends' : 'Ended'} on 1 February 2027.\n`)
    t.match(toMarkdown(guide(app, { from: 'v1', to: 'v2' })), `Endpoints that ${text} on 1 February 2027:`)
  }
})

t.test('documents have the version anywhere in a path, and no endpoint has it', async (t) => {
  const of = (version: string, names: readonly string[]) => ({
    openapi: '3.1.0',
    info: { title: 'A', version: '1', 'x-api-version': version },
    paths: Object.fromEntries(['', '/rooms/{id}'].map((path) => [
      `/api/${version}${path}`, { get: { parameters: names.map((name) => ({ in: 'query', name })), responses: {} } }
    ]))
  })
  const [{ items }] = changelogOf([of('v1', []), of('v2', ['page'])])
  t.same(items.flatMap(({ endpoints }) => endpoints), ['GET /api', 'GET /api/rooms/:id'])
})

t.test('documents without an end in info end with their last operation, whatever else their paths have', (t) => {
  const ending = (date: string) => ({ ...operation, deprecated: true, 'x-sunset': date })
  const sunsetOf = (path: object) => {
    const [{ sunset }] = changelogOf([{ ...base, paths: { '/a/{id}': { get: ending('2027-01-01'), ...path } } }])
    return sunset
  }
  const parameters = [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }]
  t.equal(sunsetOf({ summary: 'A', description: 'A', parameters, servers: [{ url: '/' }], 'x-a': { b: 1 } }),
    '2027-01-01T00:00:00.000Z')
  t.equal(sunsetOf({ additionalOperations: { COPY: ending('2027-06-01') } }), '2027-06-01T00:00:00.000Z')
  t.equal(sunsetOf({ query: operation }), null)
  t.equal(sunsetOf({ additionalOperations: { COPY: operation } }), null)
  t.end()
})

t.test('a document ends with its version, whatever the dates of its routes', async (t) => {
  const app = bareApp(t)
  const lifecycle = { v1: { sunset: '2027-01-31' } }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle, now })
  await app.register(openapi, { ui: false })
  app.get('/health', { versioning: false }, ok)
  app.get('/old', { deprecated: { sunset: '2027-06-01' } }, ok)
  await app.ready()
  const documents = ['v1', 'v2'].map((version) => app.openapi(version))
  t.same(changelogOf(documents).map(({ sunset }) => sunset), [null, '2027-01-31T00:00:00.000Z'])
})

/** Three versions of one schema, by what the changes of v2 and v3 do. */
async function threeVersions (t: Test, newest: object, changes: Change[], example: object): Promise<FastifyInstance> {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], events: { renamed: { $ref: 'Thing#' } }, changes
  })
  await app.register(openapi, { openapi: { openapi: '3.1.0' }, ui: false })
  app.addSchema({ $id: 'Thing', type: 'object', properties: newest, examples: [example] })
  app.get('/things', { schema: { response: { 200: { $ref: 'Thing#' } } } }, async () => ({}))
  await app.ready()
  return app
}

const string = { type: 'string' }
const step = <Value>(version: string, description: string, properties: object, downgrade: (it: Value) => unknown) => (
  { version, description, schemas: { Thing: { older: { type: 'object', properties }, downgrade } } }
)

/** The sentences of v2 with what is said under each, of an app in which two changes alter one route. */
async function saidOf (t: Test, response: object, change: Change, unnamed = {}): Promise<unknown> {
  const app = bareApp(t)
  const pages = {
    older: { querystring: { type: 'object', properties: { page: string }, additionalProperties: false } },
    query: { upgrade: () => ({}) }
  }
  const changes = [change, { version: 'v2', description: 'Cursors.', routes: { list: pages } }]
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  await app.register(openapi, { ui: false })
  app.addSchema({ $id: 'Thing', type: 'object', properties: { code: string } })
  const querystring = { type: 'object', properties: { cursor: string } }
  app.get('/things', { name: 'list', schema: { querystring, response } }, async () => ({}))
  app.get('/others', { schema: { response: { 200: unnamed } } }, async () => ({}))
  await app.ready()
  return Object.fromEntries(changelog(app)[0].items.map(({ sentences, differences }) => (
    [sentences.join(' '), differences.map(({ text }) => text)]
  )))
}

const cursors = { 'Cursors.': ['do not send `page` in the query any more', 'you may send `cursor` in the query'] }

t.test('what differs in a class of statuses is said under its change', async (t) => {
  const change = step('v2', 'Errors have codes.', { text: string }, ({ code }: { code: string }) => ({ text: code }))
  t.same(await saidOf(t, { '4xx': { $ref: 'Thing#' } }, change), {
    ...cursors, 'Errors have codes.': ['`text` is no longer in the 4XX response', '`code` is new in the 4XX response']
  })
})

t.test('a change of a route and of a schema is said once', async (t) => {
  const older = { type: 'object', properties: { name: string } }
  const downgrade = ({ title }: { title: string }) => ({ name: title })
  const change = {
    ...step('v2', 'Titles and codes.', { text: string }, ({ code }: { code: string }) => ({ text: code })),
    routes: { list: { response: { 200: { older, downgrade } } } }
  }
  t.same(await saidOf(t, { 200: { type: 'object', properties: { title: string } } }, change, { $ref: 'Thing#' }), {
    ...cursors,
    'Titles and codes.': [
      '`name` is no longer in the response', '`text` is no longer in the response', '`title` is new in the response',
      '`code` is new in the response'
    ]
  })
})

t.test('another status is said under its change, among others of the route', async (t) => {
  const change = { version: 'v2', description: 'Blocked.', routes: { list: { response: { 451: { status: 422 } } } } }
  t.same(await saidOf(t, { 200: {}, 451: { type: 'object', properties: { code: string } } }, change), {
    ...cursors, 'Blocked.': ['the 422 response was removed', 'the 451 response is new']
  })
})

t.test('an item of several changes has an example once', async (t) => {
  const app = await threeVersions(t, { names: { type: 'array', items: string }, cents: { type: 'integer' } }, [
    step('v3', 'Several names.', { name: string, cents: { type: 'integer' } },
      ({ names: [name], ...rest }: { names: string[] }) => ({ ...rest, name })),
    step('v2', 'Cents.', { name: string, euros: { type: 'integer' } },
      ({ cents, ...rest }: { cents: number }) => ({ ...rest, euros: cents / 100 }))
  ], { names: ['Ada'], cents: 100 })
  const { items } = guide(app, { from: 'v1', to: 'v3' })
  t.same(items.map(({ sentences, examples }) => [sentences, examples]), [[['Cents.', 'Several names.'], [
    { schema: 'Thing', before: { name: 'Ada', euros: 1 }, after: { names: ['Ada'], cents: 100 } }
  ]]])
})

t.test('a guide says nothing of what was added and taken back, at endpoints and in events', async (t) => {
  const back = [
    step('v3', 'The note is gone.', { name: string, note: string }, (value: object) => ({ ...value, note: '' })),
    step('v2', 'There is a note.', { name: string }, ({ note, ...value }: { note: string }) => value)
  ]
  const app = await threeVersions(t, { name: string }, back, { name: 'Ada' })
  t.same(guide(app, { from: 'v1', to: 'v3' }).items, [])
  t.match(toMarkdown(guide(app, { from: 'v1', to: 'v3' })), 'Nothing is different for clients of v1.')
  t.same(changelog(app).map(({ items }) => items.flatMap(({ sentences }) => sentences)),
    [['The note is gone.'], ['There is a note.'], []])
})

t.test('a guide says a change that no example shows', async (t) => {
  const quiet = step('v2', 'Names have no spaces.', { name: string }, (value: object) => value)
  const app = await threeVersions(t, { name: string }, [quiet], { name: 'Ada' })
  t.match(guide(app, { from: 'v1', to: 'v3' }).items[0].sentences, ['Names have no spaces.'])
})

t.test('a HEAD route is said with its GET, and alone where it has another handler or is asked for', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) {
    app.route({ method: ['GET', 'HEAD'], url: '/both', version, handler: async () => version })
    app.route({ method: 'HEAD', url: '/own', version, handler: async () => version })
    app.get('/own', { version }, async () => version)
    app.head('/alone', { version }, async () => version)
  }
  app.route({ method: ['GET', 'HEAD'], url: '/new', version: 'v2', handler: async () => 1 })
  await app.ready()
  t.same(changelog(app)[0].items.map(({ endpoints }) => endpoints), [
    ['GET /both', 'HEAD /own', 'GET /own', 'HEAD /alone'], ['GET /new']
  ])
  t.same(guide(app, { from: 'v1', to: 'v2', endpoints: ['HEAD /both'] }).items[0].endpoints, ['HEAD /both'])
})

t.test('the HEAD route that Fastify adds for the root of a prefix, with a slash, is said with its GET', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.register(async (api) => { api.get('/', async () => 1) }, { prefix: '/rooms', version: 'v1' })
  app.register(async (api) => { api.get('/', async () => 2) }, { prefix: '/rooms', version: 'v2' })
  app.head('/doors/', { version: 'v1' }, async () => 1)
  app.head('/doors/', { version: 'v2' }, async () => 2)
  await app.ready()
  t.same(changelog(app)[0].items.map(({ endpoints }) => endpoints), [['HEAD /doors/', 'GET /rooms']])
  t.same(guide(app, { from: 'v1', to: 'v2', endpoints: ['HEAD /rooms/'] }).items[0].endpoints, ['HEAD /rooms/'])
})

t.test('documents that are not in order are a warning, unless the app says their versions', async (t) => {
  const [newer, older] = ['10', '9'].map((version) => ({ ...base, info: { title: 'A', version } }))
  const named = { ...base, info: { ...newer.info, 'x-api-version': '10' } }
  for (const documents of [[newer, older], [named, older]]) {
    t.same(await warningsDuring(t, async () => changelogOf(documents)), [
      'undefined: Are the documents in order? 9 comes after 10.'
    ])
  }
  const both = [named, { ...base, info: { ...older.info, 'x-api-version': '9' } }]
  t.same(await warningsDuring(t, async () => [changelogOf([older, newer]), changelogOf(both)]), [])
})

t.test('a guide does not name a new endpoint under a change of a schema that the endpoint has', async (t) => {
  const change: Change = {
    version: 'v3',
    description: 'Totals are in cents.',
    schemas: { Invoice: { older: { type: 'object' }, downgrade: (invoice) => invoice } }
  }
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], changes: [change], now
  })
  await app.register(openapi, { ui: false })
  app.addSchema({ $id: 'Invoice', type: 'object', properties: { total: { type: 'integer' } } })
  const schema = { response: { 200: { $ref: 'Invoice#' } } }
  app.get('/invoices', { schema }, ok)
  app.get('/totals', { schema, version: { from: 'v2' } }, ok)
  await app.ready()
  const { items } = guide(app, { from: 'v1', to: 'v3' })
  const said = items.map(({ endpoints, sentences }) => [sentences[0], endpoints])
  t.same(said.find(([sentence]) => sentence === 'Totals are in cents.')?.[1], ['GET /invoices'])
  t.same(said.find(([sentence]) => sentence === 'New endpoints:')?.[1], ['GET /totals'])
})
