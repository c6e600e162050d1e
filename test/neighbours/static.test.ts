import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, HeaderVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Test } from 'tap'

const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }
const style = 'body { color: black }'
const root = mkdtempSync(join(tmpdir(), 'fastify-versioning-static-'))
writeFileSync(join(root, 'index.html'), '<title>Bookings</title>')
writeFileSync(join(root, 'style.css'), style)
writeFileSync(join(root, 'style.css.gz'), gzipSync(style))
t.teardown(() => rmSync(root, { recursive: true }))

const inV2 = { 'api-version': 'v2' }

/** An app whose files at `/files/` are version-neutral, as docs/plugins.md says. */
async function appWithFiles (t: Test, options: Partial<FastifyStaticOptions> = {}): Promise<FastifyInstance> {
  const app = bareApp(t)
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/files')) route.versioning = false
  })
  await app.register(versioning, { ...byHeader, lifecycle: { v1: { deprecated: '2026-01-01' } }, defaultVersion: 'v1' })
  await app.register(fastifyStatic, { root, prefix: '/files/', ...options })
  return app
}

for (const order of orders) {
  t.test(`a file needs a version unless its route is version-neutral or unseen, with static ${order}`, async (t) => {
    const app = await appInOrder(t, order, byHeader, (app) => app.register(fastifyStatic, { root }))
    // What the plugin has not seen, it leaves alone.
    const isSeen = order !== 'registered before the plugin'
    t.equal((await app.inject('/style.css')).statusCode, isSeen ? 400 : 200)
    t.equal((await app.inject({ url: '/style.css', headers: inV2 })).statusCode, 200)
  })
}

const file = { url: '/files/style.css' }
const requests: [title: string, request: InjectOptions, status: number, type: string][] = [
  ['a file', file, 200, 'text/css; charset=utf-8'],
  ['HEAD for a file', { ...file, method: 'HEAD' }, 200, 'text/css; charset=utf-8'],
  ['a file in an unknown version', { ...file, headers: { 'api-version': 'v9' } }, 200, 'text/css; charset=utf-8'],
  ['the index of a folder', { url: '/files/' }, 200, 'text/html; charset=utf-8'],
  ['a missing file', { url: '/files/missing.css' }, 404, 'application/json; charset=utf-8']
]
for (const [title, request, status, type] of requests) {
  for (const wildcard of [true, false]) {
    t.test(`${title} is answered with ${status} and no header of a version, with wildcard: ${wildcard}`, async (t) => {
      const app = await appWithFiles(t, { wildcard })
      const { statusCode, headers } = await app.inject(request)
      t.equal(statusCode, status)
      t.equal(headers['content-type'], type)
      t.same([headers.vary, headers.deprecation], [undefined, undefined])
    })
  }
}

t.test('a request for the folder without a slash is redirected', async (t) => {
  const app = await appWithFiles(t, { prefix: '/files', redirect: true })
  const { statusCode, headers } = await app.inject('/files')
  t.same([statusCode, headers.location], [301, '/files/'])
})

t.test('a route with versions sends a file, with the headers of its version', async (t) => {
  const app = await appWithFiles(t)
  app.get('/style', { version: 'v1' }, (_request, reply) => reply.sendFile('style.css'))
  const { body, headers } = await app.inject('/style')
  t.equal(body, style)
  t.equal(headers.deprecation, '@1767225600')
  t.same(varyOf({ headers }), ['api-version'])
  t.equal((await app.inject({ url: '/style', headers: inV2 })).statusCode, 400)
})

t.test('a context with another scheme sends a file', async (t) => {
  const app = await appWithFiles(t)
  app.register(async (partners) => {
    await partners.register(versioning, { scheme: AcceptHeaderVersioning })
    partners.get('/style', (_request, reply) => reply.download('style.css'))
  }, { prefix: '/partners' })
  const { body, headers } = await app.inject('/partners/style')
  t.equal(body, style)
  t.same(varyOf({ headers }), ['accept'])
})

t.test('a route with versions sends a compressed file that varies on the encoding and the version', async (t) => {
  const app = await appWithFiles(t, { preCompressed: true })
  app.get('/style', (_request, reply) => reply.sendFile('style.css'))
  const { headers } = await app.inject({ url: '/style', headers: { ...inV2, 'accept-encoding': 'gzip' } })
  t.equal(headers['content-encoding'], 'gzip')
  t.same(varyOf({ headers }), ['accept-encoding', 'api-version'])
})

t.test('a route with versions that finds no file answers 404, which varies on the version', async (t) => {
  const app = await appWithFiles(t)
  app.get('/style', (_request, reply) => reply.sendFile('missing.css'))
  const response = await app.inject({ url: '/style', headers: inV2 })
  t.equal(response.statusCode, 404)
  t.same(varyOf(response), ['api-version'])
})

t.test('an onRoute hook makes the pages of Swagger UI version-neutral', async (t) => {
  const app = bareApp(t)
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/documentation')) route.versioning = false
  })
  await app.register(versioning, byHeader)
  await app.register(swagger)
  await app.register(swaggerUi)
  for (const url of ['/documentation', '/documentation/json', '/documentation/static/swagger-ui.css']) {
    t.equal((await app.inject(url)).statusCode, 200, url)
  }
})
