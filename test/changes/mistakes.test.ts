import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, checkChanges } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { Booking, appBetween, ask } from './bookings.ts'
import { text } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Change, VersioningOptions } from '../../types/index.d.ts'
import type { Json } from './kernel.ts'

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

const upgrade = (one: Json) => one
const downgrade = upgrade
const closed = { type: 'object', additionalProperties: false }
const ofRoute = (route: Json): Change => ({ version: 'v2', description: 'A.', routes: { a: route } })

const content = (...types: string[]) => (
  { content: Object.fromEntries(types.map((type) => [type, { schema: closed }])) }
)
const HAL = 'application/hal+json'
const answered = (older: object): Change => ofRoute({ response: { 200: { older, downgrade } } })

/** Apps that do not boot, and why: with the schema of POST /a. */
const MISTAKES: readonly (readonly [title: string, Change, message: RegExp, schema?: Json])[] = [
  ['an older body inside "body"', ofRoute({ body: { older: closed, upgrade } }),
    /routes\.a\.body has no option "older", but upgrade, downgrade\. .* next to it: older: { body: … }\. See/],
  ['an older query inside "query"', ofRoute({ query: { older: closed, upgrade } }),
    /routes\.a\.querystring has no option "older", .* next to it: older: { querystring: … }\. See/],
  ['"lossless" of a part of a route', ofRoute({ older: { body: closed }, body: { upgrade, lossless: true } }),
    /routes\.a\.body has no option "lossless", but upgrade, downgrade\. An older/],
  ['a part of a route that is not an object', ofRoute({ body: upgrade }),
    /Invalid change .*, routes\.a\.body: expected an object, got/],
  ['the older query twice', ofRoute({ older: { query: closed, querystring: closed }, query: { upgrade } }),
    /routes\.a has both "query" and "querystring": they are the same\. See/],
  ['a response that had no schema for a media type', answered(content('application/json')),
    /POST \/a, response 200: its older "content" needs 'application\/hal\+json', which the route can answer with\. See/,
    { response: { 200: content('text/csv', 'application/json', HAL) } }],
  ['a response that had schemas for other media types', answered(content(HAL)),
    /POST \/a, response 200: its older "content" needs 'application\/json', which/, { response: { 200: closed } }],
  ...([
    ['', { required: ['a'] }], ['', { minProperties: 1 }], ['', { not: text }],
    ['/properties/a', { ...closed, properties: { a: { required: ['a'] } } }],
    ['', { anyOf: [closed, { required: ['a'] }] }],
    ['', { allOf: [{ not: text }], anyOf: [true, { anyOf: [{ maxProperties: 1 }] }] }]
  ] as const).map(([place, body]): typeof MISTAKES[number] => [
    `an older body that only limits objects: ${JSON.stringify(body)}`, ofRoute({ older: { body }, body: { upgrade } }),
    new RegExp(`body: the older schema${place && ` at ${place}`} needs "additionalProperties": false`)
  ]),
  ['a typo in a reference', {
    version: 'v2',
    description: 'A.',
    schemas: { A: { older: { ...closed, properties: { b: { $ref: 'Bookin#' } } }, upgrade } }
  }, /body: "\$ref": "Bookin#" leads to no \$id and no JSON pointer\. Did you mean 'Booking'\? See/],
  ['a dynamic reference', ofRoute({ older: { body: { $dynamicRef: '#a' } }, body: { upgrade } }),
    /POST \/a, body: nothing is converted behind "\$dynamicRef"\. See/],
  ['a transformation of Zod', ofRoute({
    older: { body: z.object({ a: z.string().transform(Number) }) }, body: { upgrade }
  }), /POST \/a, body: a transformation .*: describe the value as it is sent, and convert it in "upgrade"\. See/]
]

for (const [title, change, message, schema = {}] of MISTAKES) {
  t.test(`an error at boot is caused by ${title}`, async (t) => {
    await t.rejects(async () => {
      const app = await appBetween(t, change, [{ $id: 'A', ...closed, properties: { a: text } }, Booking])
      app.post('/a', { name: 'a', schema: { body: { $ref: 'A#' }, ...schema } }, ({ body }) => body)
      await app.ready()
    }, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
}

t.test('an older response has schemas for the JSON that the route can answer with', async (t) => {
  const newer = content('application/json', HAL, 'text/csv')
  for (const older of [closed, content('*/*'), content(HAL, 'application/json')]) {
    const change = ofRoute({ response: { 200: { older, downgrade: () => ({}) } } })
    const app = await appBetween(t, change, [])
    const schema = { response: { 200: newer } }
    app.get('/a', { name: 'a', schema }, (_request, reply) => reply.type(HAL).send({ b: 1 }))
    t.equal((await ask(app, 'v1', '/a')).body, '{}')
  }
})

const UNTYPED = { ajv: { customOptions: { strictTypes: false } } } as const
for (const body of [
  { ...closed, anyOf: [{ required: ['a'] }, { anyOf: [{ required: ['b'] }] }] },
  { allOf: [{ $ref: 'A#' }], required: ['a'] },
  { $ref: 'A#', allOf: [{ minProperties: 1 }] },
  { anyOf: [closed, { enum: ['a'] }], oneOf: [{ required: ['a'] }] },
  { ...closed, properties: { a: {}, b: { not: text } } }
]) {
  t.test(`an older body may limit objects that are described elsewhere: ${JSON.stringify(body)}`, async (t) => {
    const app = await appBetween(t, ofRoute({ older: { body }, body: { upgrade } }), [{ $id: 'A', ...closed }], UNTYPED)
    app.post('/a', { name: 'a', schema: { body: { $ref: 'A#' } } }, async ({ body }) => body)
    await t.resolves(async () => { await app.ready() })
  })
}

const LISTS: readonly (readonly [title: string, root: VersioningOptions, child: VersioningOptions, RegExp | null])[] = [
  ['no versions in a child', {}, { allowedVersions: null }, /^The option "changes" needs "allowedVersions": they say/],
  ['another order in a child', {}, { allowedVersions: ['v0', 'v2', 'v1'] },
    /^The "allowedVersions" \[ 'v2', 'v1' \] are in another order than the "changes" have them, \[ 'v1', 'v2' \]\./],
  ['no scheme', { scheme: null }, {}, /touches no route.* Routes without a "scheme" have no version\./],
  ['a scheme in a child', { scheme: null }, { scheme: HeaderVersioning }, null],
  ['no scheme in a child', {}, { scheme: null }, null],
  ['no changes in a child', {}, { changes: null, allowedVersions: ['v2', 'v1'] }, null],
  ['an empty list in a child', {}, { changes: [], allowedVersions: null }, null],
  ['fewer versions in a child', {}, { allowedVersions: ['v2'] }, null]
]

for (const [title, root, child, message] of LISTS) {
  t.test(`a context with changes may have ${title}: ${String(message)}`, async (t) => {
    const shared = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
    const app = await appWith(t, { ...shared, changes: [ofRoute({ body: { upgrade } })], ...root })
    const routes = async (app: FastifyInstance) => {
      app.post('/a', { name: 'a', schema: { body: closed } }, async ({ body }) => body)
    }
    app.register(routes)
    app.register(async (app) => {
      await app.register(versioning, child)
      app.get('/b', async () => 'b')
      if (child.scheme === HeaderVersioning) app.post('/b', { name: 'a', schema: { body: closed } }, async () => 'b')
    })
    const ready = async () => { await app.ready() }
    if (message === null) await t.resolves(ready)
    else await t.rejects(ready, { code: 'FST_ERR_VERSION_CHANGE_OPTION', message })
  })
}
