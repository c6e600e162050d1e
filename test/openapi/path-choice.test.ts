import t from 'tap'

import { HeaderVersioning, URLPathVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

const versions = ['v1', 'v2', 'v3']
const handler = async () => ''

async function documentedApp (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: versions, ...options })
  await app.register(openapi, { versions })
  return app
}

/** Options of a route with a summary in documents. */
const shown = (summary: string, version?: RouteVersions) => ({ version, schema: { summary } })

/** The operations of a document: path, summary, and the parameters. */
function operationsIn (app: FastifyInstance, version: string): string[] {
  const { paths = {} } = app.openapi(version)
  return Object.entries(paths as object).map(([path, { get }]) => {
    const parameters = (get.parameters ?? []).map((one: { name: string, required?: boolean }) => (
      ` ${one.name}${one.required === true ? '' : '?'}`
    ))
    return `${path} ${get.summary}${parameters.join('')}`
  })
}

t.test('a document shows at each path the route of its version', async (t) => {
  const app = await documentedApp(t, { scheme: URLPathVersioning })
  app.get('/:version/bookings', shown('first', 'v1'), handler)
  app.get('/:version/bookings', shown('later', { from: 'v2' }), handler)
  app.get('/:version/rooms', shown('rooms'), handler)
  app.get('/:version/rates/:id?', shown('rates', 'v2'), handler)
  app.get('/:version(^v[13]$)/extras', shown('extras', ['v1', 'v3']), handler)
  await app.ready()
  t.same(operationsIn(app, 'v1'), ['/v1/bookings first', '/v1/rooms rooms', '/v1/extras extras'])
  t.same(operationsIn(app, 'v2'), [
    '/v2/bookings later', '/v2/rooms rooms', '/v2/rates/{id} rates id', '/v2/rates rates'
  ])
  t.same(operationsIn(app, 'v3'), ['/v3/bookings later', '/v3/rooms rooms', '/v3/extras extras'])
})

t.test('a document of a list has the path with the version, and the header elsewhere', async (t) => {
  const app = await documentedApp(t, { scheme: [URLPathVersioning, HeaderVersioning] })
  app.get('/:version/bookings', shown('first', 'v1'), handler)
  app.get('/bookings', shown('first', 'v1'), handler)
  app.get('/:version/bookings', shown('later', { from: 'v2' }), handler)
  app.get('/bookings', shown('later', { from: 'v2' }), handler)
  await app.ready()
  t.same(operationsIn(app, 'v1'), ['/v1/bookings first', '/bookings first API-Version'])
  t.same(operationsIn(app, 'v3'), ['/v3/bookings later', '/bookings later API-Version'])
})

t.test('a route that also serves requests without a version does not require one', async (t) => {
  const app = await documentedApp(t, { scheme: HeaderVersioning, allowedVersions: [null, ...versions] })
  app.get('/bookings', shown('first', ['v1', null]), handler)
  app.get('/bookings', shown('later', { from: 'v2' }), handler)
  app.get('/old', shown('old', [null]), handler)
  await app.ready()
  t.same(operationsIn(app, 'v1'), ['/bookings first API-Version?'])
  t.same(operationsIn(app, 'v2'), ['/bookings later API-Version'])
})
