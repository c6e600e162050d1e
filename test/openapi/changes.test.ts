import swagger from '@fastify/swagger'
import t from 'tap'

import plugin, { HeaderVersioning, defineChange } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { documentOf, operationsOf } from './app.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Doc } from './app.ts'

const guests = defineChange({
  version: 'v2',
  description: 'A booking has several guests.',
  schemas: {
    Booking: {
      older: { type: 'object', additionalProperties: false, properties: { guest: { type: 'string' } } },
      upgrade: ({ guest }) => ({ guests: [guest] }),
      downgrade: ({ guests }) => ({ guest: guests[0] })
    }
  }
})
const versioning = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [guests] }
const booking = { response: { 200: { $ref: 'Booking#' } } }

function declare (app: FastifyInstance): void {
  app.addSchema({
    $id: 'Booking', type: 'object', properties: { guests: { type: 'array', items: { type: 'string' } } }
  })
  app.get('/bookings', { schema: { ...booking, summary: 'shown' } as FastifySchema }, async () => ({ guests: ['Ada'] }))
  app.get('/hidden', { schema: { ...booking, hide: true } as FastifySchema }, async () => ({ guests: ['Ada'] }))
}

/** The properties of the response of each operation: `{ '/bookings': ['guest'] }`. */
function propertiesIn ({ paths, components }: Doc): Record<string, string[]> {
  const schemas = components.schemas as Record<string, { properties: object }>
  return Object.fromEntries(Object.entries(paths).map(([path, { get }]) => {
    const { schema } = get.responses[200].content?.['application/json'] as { schema: { $ref: string } }
    return [path, Object.keys(schemas[schema.$ref.split('/')[3]].properties)]
  }))
}

function plainDocumentOf (app: FastifyInstance): Doc {
  return (app as unknown as { swagger: () => Doc }).swagger()
}

t.test('documents show routes from changes with the schemas of their version', async (t) => {
  const app = await appWith(t, versioning)
  const seen: unknown[] = []
  await app.register(openapi, {
    transform ({ schema, url }) {
      seen.push(schema.hide)
      return { schema, url }
    }
  })
  declare(app)
  await app.ready()
  t.strictSame(propertiesIn(documentOf(app, 'v1')), { '/bookings': ['guest'] })
  t.strictSame(propertiesIn(documentOf(app, 'v2')), { '/bookings': ['guests'] })
  t.strictSame(operationsOf(app, 'v1'), ['GET /bookings'])
  t.notOk(seen.includes('older'))
})

t.test('documents show a handler of an older version with the schemas of that version', async (t) => {
  const app = await appWith(t, versioning)
  await app.register(openapi)
  declare(app)
  app.get('/old', { version: { to: 'v1' }, schema: booking as FastifySchema }, async () => ({ guest: 'Ada' }))
  await app.ready()
  t.strictSame(propertiesIn(documentOf(app, 'v1')), { '/bookings': ['guest'], '/old': ['guest'] })
  t.strictSame(propertiesIn(documentOf(app, 'v2')), { '/bookings': ['guests'] })
})

for (const isFirst of [true, false]) {
  const order = isFirst ? 'before' : 'after'
  t.test(`@fastify/swagger registered ${order} the plugin shows the newest route of a change`, async (t) => {
    const app = bareApp(t)
    if (isFirst) await app.register(swagger, { openapi: {} })
    await app.register(plugin, versioning)
    if (!isFirst) await app.register(swagger, { openapi: {} })
    declare(app)
    await app.ready()
    t.strictSame(propertiesIn(plainDocumentOf(app)), { '/bookings': ['guests'] })
  })
}

t.test('a schema that changes has one name in all versions, and a document only its own form', async (t) => {
  const app = await appWith(t, versioning)
  await app.register(openapi)
  declare(app)
  await app.ready()
  for (const [version, field] of [['v1', 'guest'], ['v2', 'guests']]) {
    const { schemas } = documentOf(app, version).components as { schemas: Record<string, { properties: object }> }
    t.strictSame(Object.keys(schemas), ['Booking'])
    t.strictSame(Object.keys(schemas.Booking.properties), [field])
  }
})

t.test('what no change has altered stays as it is, next to media types and bodies that are older', async (t) => {
  const app = await appWith(t, versioning)
  await app.register(openapi)
  app.addSchema({
    $id: 'Booking',
    type: 'object',
    properties: { guests: { $id: 'Guests', type: 'array', items: { type: 'string' } } }
  })
  const content = { 'application/json': { schema: { $ref: 'Booking#' } } }
  const none = { type: 'object', properties: { error: { type: 'string' } } }
  app.get('/bookings', { schema: { response: { 200: { content }, 404: none } } }, async () => ({ guests: ['Ada'] }))
  const body = { type: 'object', additionalProperties: false, properties: { booking: { $ref: 'Booking#' } } }
  app.post('/check', { schema: { body } }, async () => '')
  await app.ready()
  for (const [version, names] of [['v1', ['guest']], ['v2', ['guests']]] as const) {
    const { paths, components } = documentOf(app, version)
    const { responses } = paths['/bookings'].get
    t.strictSame(propertiesIn({ paths: { '/bookings': paths['/bookings'] }, components } as unknown as Doc), {
      '/bookings': names
    })
    t.match(responses[404].content?.['application/json'], { schema: { properties: { error: { type: 'string' } } } })
  }
})

t.test('the document of a default version that no list has shows the newest schemas', async (t) => {
  const app = await appWith(t, { ...versioning, defaultVersion: 'v0' })
  await app.register(openapi, { versions: ['v0', 'v1'] })
  declare(app)
  await app.ready()
  t.strictSame(propertiesIn(documentOf(app, 'v0')), { '/bookings': ['guests'] })
})
