import t from 'tap'

import { NamespaceVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'

async function routes (api: FastifyInstance) {
  api.get('/bookings', async () => '')
}

async function pathsOf (app: FastifyInstance, versions = ['v1', 'v2']) {
  await app.ready()
  return Object.fromEntries(versions.map((version) => [version, Object.keys(app.openapi(version).paths ?? {})]))
}

t.test('a document has the routes of the namespace that is its version', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi)
  app.register(routes, { prefix: '/v1', namespace: 'v1' })
  app.register(routes, { prefix: '/v2', namespace: 'v2' })
  t.same(await pathsOf(app), { v1: ['/v1/bookings'], v2: ['/v2/bookings'] })
})

t.test('the first allowed one of nested namespaces is the version of a document', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi)
  app.register(async function admin (api) {
    api.register(routes, { prefix: '/v2', namespace: 'v2' })
  }, { prefix: '/admin', namespace: 'admin' })
  t.same(await pathsOf(app), { v1: [], v2: ['/admin/v2/bookings'] })
})

t.test('a route without a namespace is in the document of the default version', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
  await app.register(openapi)
  app.register(routes)
  t.same(await pathsOf(app), { v1: ['/bookings'], v2: [] })
})
