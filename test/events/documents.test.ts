import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { z } from 'zod'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { OpenapiOptions } from '../../types/openapi.d.ts'
import type { Change } from '../../types/index.d.ts'

const validator = new Validator()
const text = { type: 'string' }
const Booking = { $id: 'Booking', type: 'object', properties: { guests: { type: 'array', items: text } } }
const BookingV1 = { type: 'object', properties: { guest: text } }
const downgrade = ({ guests, ...rest }: { guests: string[] }) => ({ ...rest, guest: guests[0] })
const changes: Change[] = [
  { version: 'v2', description: 'A booking has several guests.', schemas: { Booking: { older: BookingV1, downgrade } } }
]
const versions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
const events = { 'booking/made': { $ref: 'Booking#' } }

/** The types of @fastify/swagger are of OpenAPI 3.0, which has none. */
function webhooksOf (app: FastifyInstance, version: string): unknown {
  return (app.openapi(version) as { webhooks?: unknown }).webhooks
}

/** What a document says of an event. */
const received = { 200: { description: 'The event has been received.' } }
const webhook = (schema: object) => (
  { post: { requestBody: { required: true, content: { 'application/json': { schema } } }, responses: received } }
)

async function documented (t: Test, version: string): Promise<FastifyInstance> {
  const app = bareApp(t)
  await app.register(versioning, { ...versions, changes, events })
  await app.register(openapi, { openapi: { openapi: version, info: { title: 'Bookings', version: '1' } }, ui: false })
  app.addSchema(Booking)
  await app.ready()
  return app
}

for (const openapiVersion of ['3.1.0', '3.2.0']) {
  t.test(`documents of OpenAPI ${openapiVersion} have an event under "webhooks" in each version`, async (t) => {
    const app = await documented(t, openapiVersion)
    for (const [version, schema] of [['v1', BookingV1], ['v2', Booking]] as const) {
      const { components, paths } = app.openapi(version)
      t.strictSame(webhooksOf(app, version), { 'booking/made': webhook({ $ref: '#/components/schemas/Booking' }) })
      t.match(components?.schemas?.Booking, { properties: schema.properties })
      t.strictSame(paths, {})
    }
  })
}

t.test('documents of OpenAPI 3.0 have no webhooks', async (t) => {
  const app = await documented(t, '3.0.3')
  t.strictSame(app.openapi('v2').paths, {})
  t.notOk('webhooks' in app.openapi('v2'))
})

t.test('a warning at boot names the events that documents leave out, unless OpenAPI 3.0 was chosen', async (t) => {
  const warningsWith = (options: OpenapiOptions) => warningsDuring(t, async () => {
    const app = bareApp(t)
    await app.register(versioning, { ...versions, events: { made: text } })
    await app.register(openapi, { ui: false, ...options })
    await app.ready()
  })
  t.strictSame(await warningsWith({}), [
    "FST_WARN_VERSION_DOCUMENT: Documents leave out the events 'made', because OpenAPI has webhooks from 3.1 on. Set " +
    "openapi: { openapi: '3.1.0' }, or '3.0.3' if they may be left out."
  ])
  t.strictSame(await warningsWith({ openapi: { openapi: '3.0.3' } }), [])
})

t.test('a document shows an inherited event in the versions of its own context', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { ...versions, changes, events })
  app.addSchema(Booking)
  await app.register(async (child) => {
    await child.register(versioning, { allowedVersions: ['1', '2'], changes: [{ ...changes[0], version: '2' }] })
  })
  await app.register(openapi, { openapi: { openapi: '3.1.0', info: { title: 'B', version: '1' } }, ui: false })
  await app.ready()
  t.match(app.openapi('v1').components?.schemas?.Booking, { properties: BookingV1.properties })
})

t.test('events of a context below are in the document, and those of a sibling are not', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, versions)
  app.register(async (bookings) => {
    await bookings.register(openapi, { openapi: { openapi: '3.1.0', info: { title: 'B', version: '1' } }, ui: false })
    bookings.register(async (below) => { await below.register(versioning, { events: { made: Booking } }) })
    bookings.addHook('onReady', async () => {
      t.same(Object.keys(Object(webhooksOf(bookings, 'v1'))), ['made'])
    })
  })
  app.register(async (sibling) => { await sibling.register(versioning, { events: { other: text } }) })
  await app.ready()
})

t.test('a document has no event of a context below that does not have its version', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, versions)
  const info = { title: 'B', version: '1' }
  await app.register(openapi, { openapi: { openapi: '3.1.0', info }, versions: ['v1', '2026'], ui: false })
  await app.register(async (child) => {
    await child.register(versioning, { allowedVersions: ['2026'], events: { made: text } })
    child.get('/a', async () => child.event('made', 'Ada', 'v1'))
  })
  await app.ready()
  const { code } = (await app.inject({ url: '/a', headers: { 'api-version': '2026' } })).json()
  t.equal(code, 'FST_ERR_VERSION_EVENT')
  t.equal(webhooksOf(app, 'v1'), undefined)
  t.same(Object.keys(Object(webhooksOf(app, '2026'))), ['made'])
})

t.test('a webhook that the user describes stays', async (t) => {
  const app = bareApp(t)
  const described = { post: { responses: { 204: { description: 'Got it.' } } } }
  await app.register(versioning, { ...versions, events: { made: text } })
  const webhooks = { made: described }
  const info = { title: 'B', version: '1' }
  await app.register(openapi, { openapi: { openapi: '3.1.0', info, webhooks } as never, ui: false })
  await app.ready()
  t.same(webhooksOf(app, 'v1'), webhooks)
})

t.test('events with Zod schemas are shown by the transform of the app', async (t) => {
  const app = bareApp(t)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(versioning, { ...versions, events: { made: z.object({ guest: z.string() }) } })
  const info = { title: 'B', version: '1' }
  await app.register(openapi, { openapi: { openapi: '3.1.0', info }, transform: jsonSchemaTransform, ui: false })
  await app.ready()
  t.match(webhooksOf(app, 'v1'), { made: webhook({ type: 'object', properties: { guest: text } }) })
})

const described = webhook({ type: 'object', properties: { guest: text } })
const WITH: [what: string, options: OpenapiOptions, shown: object][] = [
  ['a transform that changes the URL',
    { transform: ({ schema, url }) => ({ schema, url: `/api${url}` }) }, { made: described }],
  ['a transform that adds what routes have',
    { transform: ({ schema, url }) => ({ schema: { ...schema, security: [{ Bearer: [] }] } as object, url }) },
    { made: described }],
  ['a transform that drops the response', { transform: ({ url }) => ({ schema: {}, url }) },
    { made: { post: { responses: received } } }],
  ['a transform that drops one status', { transform: ({ url }) => ({ schema: { response: { 201: {} } }, url }) },
    { made: { post: { responses: received } } }],
  ['a transform that hides them',
    { transform: ({ schema, url }) => ({ schema: { ...schema, hide: true } as object, url }) }, {}],
  ['servers that have a path', { openapi: { servers: [{ url: 'https://example.com/x' }] } }, { made: described }],
  ['routes hidden by their tags', { hideUntagged: true }, { made: described }]
]

for (const [what, options, shown] of WITH) {
  t.test(`documents have these webhooks with ${what}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { ...versions, events: { made: { type: 'object', properties: { guest: text } } } })
    const given = { openapi: '3.1.0', info: { title: 'B', version: '1' }, ...options.openapi }
    await app.register(openapi, { ui: false, ...options, openapi: given as never })
    await app.ready()
    t.strictSame(webhooksOf(app, 'v1') ?? {}, shown)
    t.strictSame(app.openapi('v1').paths, {})
    t.match(await validator.validate(structuredClone(app.openapi('v1')) as never), { valid: true })
  })
}

t.test('an event has its own name in documents, and in what keeps them from being made', async (t) => {
  const names = ['booking.*', 'a(b)', 'a:b', 'a/b', '{a}', '__proto__']
  const app = bareApp(t)
  await app.register(versioning, { ...versions, events: Object.fromEntries(names.map((name) => [name, text])) })
  const document = (version: string): OpenapiOptions => version === 'v1' ? {} : { transform: () => null as never }
  const info = { title: 'B', version: '1' }
  await app.register(openapi, { openapi: { openapi: '3.1.0', info }, document, ui: false })
  await app.ready()
  t.strictSame(Object.keys(Object(webhooksOf(app, 'v1'))).sort(), names.toSorted())
  t.throws(() => app.openapi('v2'), {
    code: 'FST_ERR_VERSION_DOCUMENT',
    message: "A transform must return { schema, url } for the event 'booking.*', got null."
  })
})

t.test('a path of the app stands beside webhooks', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { ...versions, events: { made: text } })
  await app.register(openapi, { openapi: { openapi: '3.1.0', info: { title: 'B', version: '1' } }, ui: false })
  app.get('/bookings', async () => [])
  await app.ready()
  t.same(Object.keys(app.openapi('v1').paths ?? {}), ['/bookings'])
  t.same(Object.keys(Object(webhooksOf(app, 'v1'))), ['made'])
})
