import swagger from '@fastify/swagger'
import t from 'tap'

import plugin, { HeaderVersioning, defineChange } from '../../src/index.ts'
import { compare } from '../../src/check/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { VERSIONS } from '../changes/bookings.ts'
import { twins } from '../changes/twins.ts'
import { documentOf, ok } from './app.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Place } from '../fixtures/places.ts'
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

t.test('a document shows a schema that changes under one name, in the form of its version', async (t) => {
  const app = await appWith(t, versioning)
  const seen: unknown[] = []
  await app.register(openapi, {
    transform ({ schema, url }) {
      seen.push(schema.hide)
      return { schema, url }
    }
  })
  declare(app)
  app.get('/old', { version: { to: 'v1' }, schema: booking as FastifySchema }, async () => ({ guest: 'Ada' }))
  await app.ready()
  t.strictSame(propertiesIn(documentOf(app, 'v1')), { '/bookings': ['guest'], '/old': ['guest'] })
  t.strictSame(propertiesIn(documentOf(app, 'v2')), { '/bookings': ['guests'] })
  for (const version of ['v1', 'v2']) {
    t.strictSame(Object.keys(documentOf(app, version).components.schemas), ['Booking'])
  }
  t.notOk(seen.includes('older'))
})

for (const isFirst of [true, false]) {
  t.test(`@fastify/swagger ${isFirst ? 'before' : 'after'} the plugin shows the newest form of a change`, async (t) => {
    const app = bareApp(t)
    if (isFirst) await app.register(swagger, { openapi: {} })
    await app.register(plugin, versioning)
    if (!isFirst) await app.register(swagger, { openapi: {} })
    declare(app)
    await app.ready()
    t.strictSame(propertiesIn(app.swagger() as unknown as Doc), { '/bookings': ['guests'] })
  })
}

t.test('what no change has altered stays as it is, next to media types and bodies that are older', async (t) => {
  const app = await appWith(t, { ...versioning, defaultVersion: 'v0' })
  await app.register(openapi, { versions: ['v0', 'v1', 'v2'] })
  const guests = { $id: 'Guests', type: 'array', items: { type: 'string' } }
  app.addSchema({ $id: 'Booking', type: 'object', properties: { guests } })
  const content = { 'application/json': { schema: { $ref: 'Booking#' } } }
  const none = { type: 'object', properties: { error: { type: 'string' } } }
  app.get('/bookings', { schema: { response: { 200: { content }, 404: none } } }, async () => ({ guests: ['Ada'] }))
  const body = { type: 'object', additionalProperties: false, properties: { booking: { $ref: 'Booking#' } } }
  app.post('/check', { schema: { body } }, ok)
  await app.ready()
  // A default version that no list has shows the newest schemas.
  for (const [version, names] of [['v0', ['guests']], ['v1', ['guest']], ['v2', ['guests']]] as const) {
    const { paths: { '/bookings': bookings, '/check': check }, ...others } = documentOf(app, version)
    t.strictSame(propertiesIn({ ...others, paths: { '/bookings': bookings } }), { '/bookings': names })
    t.match(bookings.get.responses[404].content?.['application/json'].schema, none)
    t.match(JSON.stringify(check.post.requestBody), '#/components/schemas/Booking')
  }
})

const { accept, contentType, header, host, path, query } = places
const LISTS: readonly (readonly Place[])[] = [
  [header], [host], [header, query], [host, header], [host, query], [contentType, accept], [path]
]
const lifecycle = { v1: { deprecated: '2025-01-01', sunset: '2099-01-01' } }

for (const list of LISTS) {
  const label = list.map(({ place }) => place).join(', ')
  t.test(`documents with changes are like documents written by hand under ${label}`, async (t) => {
    const [byHand, withChanges] = await twins(t, {
      options: { scheme: list.map(({ Scheme }) => Scheme), lifecycle, servedVersion: 'API-Version' },
      prepare: (app) => app.register(openapi, {}),
      ...list.includes(path) && { prefix: '/:version' },
      hasErrorHandler: true
    })
    for (const version of VERSIONS) {
      const documents = [byHand, withChanges].map((app) => app?.openapi(version) as Record<string, unknown>)
      t.same(documents[1]?.info, documents[0]?.info, version)
      t.same(documents[1]?.servers, documents[0]?.servers, version)
      t.same(compare(...documents as [object, object]), [], version)
      t.same(compare(...documents.reverse() as [object, object]), [], version)
    }
    const [v1, , v3] = VERSIONS.map((version) => withChanges?.openapi(version) as object)
    const changes = compare(v1 as object, v3 as object).filter(({ kind }) => kind === 'breaking')
    t.match(changes.map(({ at }) => at).join(' '), /requestBody.*guest/, 'what breaks clients of v1 in v3 shows')
  })
}
