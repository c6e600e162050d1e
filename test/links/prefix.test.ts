import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import t from 'tap'

import {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { declare, linker } from './app.ts'

import type { FastifyServerOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Asked } from './app.ts'

const behind = { 'x-forwarded-prefix': '/api' }
const trusting: FastifyServerOptions = { trustProxy: true }
const both = { allowedVersions: ['v1', 'v2'] }

const prefixes: [header: string | string[], expected: string, server?: FastifyServerOptions][] = [
  ['/api', '/api'], ['/api/rooms_1/~a.b-c', '/api/rooms_1/~a.b-c'], ['/api/', '/api'],
  ['/outer, /inner', '/outer/inner'],
  [['/outer', '/inner'], '/outer/inner'], ['/..api/a..', '/..api/a..'], ['/, /inner/', '/inner'],
  // What is not a path of plain segments counts for nothing, also among others.
  ...[
    '/', '', 'api', '//evil.example.com', '/, //evil.example.com', '/a, bad', '/a, /b?x=1', '/a, /..', '/a/., ./b',
    '/a,', 'https://evil.example.com', '/\\evil.example.com', '/a//b', '/a/../b', '/a/..', '/./a', '/a/%2e%2e',
    '/api?x=1', '/api#x', "/api'onclick='x", '/a"><script>', '/a\u0001', '/caf\u00e9'
  ].map((header) => [header, ''] as [string, string]),
  ['/api', '/api', { trustProxy: '127.0.0.1' }], ['/api', '', { trustProxy: '10.0.0.1' }], ['/api', '', {}]
]

for (const [header, expected, server = trusting] of prefixes) {
  const title = `${JSON.stringify(header)} under ${JSON.stringify(server)}`
  t.test(`X-Forwarded-Prefix ${title} puts ${JSON.stringify(expected)} in front of a link`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme: HeaderVersioning }, server)
    app.get('/rooms', { name: 'rooms' }, answer)
    const headers = { 'api-version': 'v1', 'x-forwarded-prefix': header }
    t.equal(await link({ url: '/rooms', headers }, 'rooms'), `${expected}/rooms`)
  })
}

const links: [options: VersioningOptions, asked: Asked, url: string][] = [
  [{}, [], '/api/v1/rooms'],
  [{}, ['rooms', null, { query: { page: 2 } }], '/api/v1/rooms?page=2'],
  [{}, [null, null, { version: 'v2' }], '/api/v2/rooms'],
  [{}, ['rooms', null, { absolute: true }], 'http://v1.example.com/api/v1/rooms'],
  [{ scheme: [URLPathVersioning, HeaderVersioning] }, [], '/api/v1/rooms'],
  [{ baseUrl: 'https://example.com/own' }, [], '/own/v1/rooms'],
  [{ baseUrl: 'https://example.com' }, [], '/v1/rooms']
]

for (const [options, asked, url] of links) {
  const given = `${JSON.stringify(asked)} and ${Object.keys(options).join()}`
  t.test(`behind a trusted proxy the link with ${given} is ${url}`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme: URLPathVersioning, ...options }, trusting)
    app.get('/:version/rooms', { name: 'rooms' }, answer)
    t.equal(await link({ url: '/v1/rooms', headers: { host: 'v1.example.com', ...behind } }, ...asked), url)
  })
}

t.test('a link outside a request has the prefix of no proxy, even while one is answered', async (t) => {
  const app = await appWith(t, { scheme: URLPathVersioning, ...both }, trusting)
  app.get('/:version/rooms', { name: 'rooms' }, async () => app.reverse('rooms', { version: 'v1' }))
  t.equal((await app.inject({ url: '/v1/rooms', headers: behind })).body, '/v1/rooms')
})

const successors: [options: VersioningOptions, url: string, expected: string | null][] = [
  [{ scheme: URLPathVersioning }, '/v1/rooms', '/api/v2/rooms'],
  [{ scheme: URLPathVersioning, baseUrl: 'https://a.com/own' }, '/v1/rooms', '/own/v2/rooms'],
  [{ scheme: QueryParameterVersioning }, '/rooms?version=v1', '/api/rooms?version=v2'],
  // A forwarded host would come into caches.
  [{ scheme: HostNameVersioning }, '/rooms', null],
  [{ scheme: HostNameVersioning, baseUrl: 'https://v1.a.com/own' }, '/rooms', 'https://v2.a.com/own/rooms'],
  [{ scheme: NamespaceVersioning }, '/v1/in/rooms', '/api/v2/in/rooms']
]

for (const [options, url, expected] of successors) {
  const { name } = options.scheme as { name: string }
  t.test(`behind a trusted proxy the successor under ${name} with ${options.baseUrl} is ${expected}`, async (t) => {
    const app = await appWith(t, { ...both, lifecycle: { v1: { sunset: '2999-12-31' } }, ...options }, trusting)
    declare(app, [['', '/:version/rooms'], ['', '/rooms'], ['v1', '/in/rooms'], ['v2', '/in/rooms']])
    const { headers } = await app.inject({ url, headers: { host: 'v1.example.com', ...behind } })
    const links = `<${expected}>; rel="successor-version", <${expected}>; rel="latest-version"`
    t.equal(headers.link, expected === null ? undefined : links)
  })
}

t.test('a scheme makes links for a request without headers, and for a frozen one', async (t) => {
  const scheme = new URLPathVersioning(both)
  const server = await appWith(t, { scheme }, trusting)
  server.get('/:version/rooms', { name: 'rooms' }, ok)
  await server.ready()
  for (const request of [{ version: 'v1', server }, Object.freeze({ version: 'v1', server, headers: behind })]) {
    t.equal(scheme.reverse('rooms', { request }), '/v1/rooms')
  }
})

t.test('behind a gateway that removes a prefix all links of a response work from outside', async (t) => {
  const lifecycle = { v1: { sunset: '2999-12-31' } }
  const app = await appWith(t, { scheme: URLPathVersioning, ...both, lifecycle }, trusting)
  declare(app, [['team', '/:version/rooms', 'rooms']], async (_request, reply) => reply.reverse())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const gateway = Fastify()
  t.teardown(() => gateway.close())
  await gateway.register(httpProxy, {
    upstream: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    prefix: '/api',
    rewritePrefix: '/',
    replyOptions: { rewriteRequestHeaders: (_request, headers) => ({ ...headers, ...behind }) }
  })
  const { body, headers: { link } } = await gateway.inject('/api/team/v1/rooms')
  const hrefs = [body, ...[...String(link).matchAll(/<([^>]+)>/g)].map(([, href]) => href as string)]
  t.strictSame(hrefs, ['/api/team/v1/rooms', '/api/team/v2/rooms', '/api/team/v2/rooms'])
  for (const href of hrefs) t.equal((await gateway.inject(href)).statusCode, 200, href)
})
