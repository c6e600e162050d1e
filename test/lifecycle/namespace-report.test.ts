import Fastify from 'fastify'
import t from 'tap'

import versioning, { NamespaceVersioning } from '../../src/index.ts'

import type { FastifyRequest } from 'fastify'

/** Refuses who has no key. */
class Keyed extends NamespaceVersioning {
  override determineVersion (request: FastifyRequest) {
    if (request.headers['x-key'] === undefined) throw this.refusal()
    return super.determineVersion(request)
  }
}

const deprecated = { deprecated: '2026-01-01' }
const handler = async () => 'ok'

t.test('the ending of a route is reported even if its first request was refused', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: Keyed, allowedVersions: ['v1', 'v2'], reportVersions: true })
  app.register(async (v1) => { v1.get('/b', { deprecated }, handler) }, { prefix: '/v1', namespace: 'v1' })
  t.equal((await app.inject('/v1/b')).statusCode, 404)
  const { statusCode, headers } = await app.inject({ url: '/v1/b', headers: { 'x-key': 'mine' } })
  t.equal(statusCode, 200)
  t.equal(headers['api-supported-versions'], 'v1')
  t.equal(headers['api-deprecated-versions'], 'v1')
})

t.test('a route that is in no allowed version reports none', async (t) => {
  const app = Fastify()
  await app.register(versioning, {
    scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], reportVersions: true, lifecycle: { v1: deprecated }
  })
  app.get('/b', { deprecated }, handler)
  app.register(async (v9) => { v9.get('/b', { deprecated }, handler) }, { prefix: '/v9', namespace: 'v9' })
  for (const [url, status] of [['/b', 200], ['/v9/b', 404]] as const) {
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, status)
    t.equal(headers['api-supported-versions'], undefined)
    t.equal(headers['api-deprecated-versions'], undefined)
  }
})
