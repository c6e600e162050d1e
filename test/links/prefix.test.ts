import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import t from 'tap'

import {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declare, linker, nameOf } from './app.ts'

import type { FastifyServerOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Asked } from './app.ts'

const behind = { 'x-forwarded-prefix': '/api' }
const trusting: FastifyServerOptions = { trustProxy: true }

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

/** A request, the link to `rooms`, and the successor of its version, which is retired. */
const links: [options: VersioningOptions, url: string, link: string, successor: string | null, asked?: Asked][] = [
  [{ scheme: URLPathVersioning }, '/v1/rooms', '/api/v1/rooms', '/api/v2/rooms'],
  [{ scheme: URLPathVersioning }, '/v1/rooms', '/api/v2/rooms?page=2', '/api/v2/rooms',
    ['rooms', null, { version: 'v2', query: { page: 2 } }]],
  [{ scheme: URLPathVersioning }, '/v1/rooms', 'http://v1.example.com/api/v1/rooms', '/api/v2/rooms', [
    'rooms', null, { absolute: true }
  ]],
  [{ scheme: [URLPathVersioning, HeaderVersioning] }, '/v1/rooms', '/api/v1/rooms', '/api/v2/rooms'],
  [{ scheme: URLPathVersioning, baseUrl: 'https://a.com/own' }, '/v1/rooms', '/own/v1/rooms', '/own/v2/rooms'],
  [{ scheme: URLPathVersioning, baseUrl: 'https://a.com' }, '/v1/rooms', '/v1/rooms', '/v2/rooms'],
  [{ scheme: QueryParameterVersioning }, '/rooms?version=v1', '/api/rooms?version=v1', '/api/rooms?version=v2'],
  // A forwarded host would come into caches.
  [{ scheme: HostNameVersioning }, '/rooms', '/api/rooms', null],
  [{ scheme: HostNameVersioning, baseUrl: 'https://v1.a.com/o' }, '/rooms', '/o/rooms', 'https://v2.a.com/o/rooms'],
  [{ scheme: NamespaceVersioning }, '/v1/in/rooms', '/api/v1/in/rooms', '/api/v2/in/rooms']
]

for (const [options, url, expected, successor, asked = [] as Asked] of links) {
  const by = `${nameOf(options.scheme)} with ${options.baseUrl}`
  t.test(`behind a trusted proxy ${url} under ${by} has the links ${expected} and ${successor}`, async (t) => {
    const lifecycle = { v1: { sunset: '2999-12-31' } }
    const { app, answer, link } = await linker(t, { lifecycle, ...options }, trusting)
    const name = { name: 'rooms' }
    declare(app, [['', '/:version/rooms', name], ['', '/rooms'], ['v1', '/in/rooms'], ['v2', '/in/rooms']], answer)
    const headers = { host: 'v1.example.com', ...behind }
    t.equal(await link({ url, headers }, ...asked), expected)
    const { headers: { link: sent } } = await app.inject({ url, headers })
    const links = `<${successor}>; rel="successor-version", <${successor}>; rel="latest-version"`
    t.equal(sent, successor === null ? undefined : links)
  })
}

t.test('a link outside a request, or of one without headers, has the prefix of no proxy', async (t) => {
  const scheme = new URLPathVersioning({ defaultVersion: 'v1' })
  const app = await appWith(t, { scheme }, trusting)
  app.get('/:version/rooms', { name: 'rooms' }, async () => app.reverse('rooms', { version: 'v1' }))
  app.get('/self', async ({ routeOptions }) => (
    scheme.reverse(null, { request: { version: 'v1', server: app, routeOptions } })
  ))
  t.equal((await app.inject({ url: '/v1/rooms', headers: behind })).body, '/v1/rooms')
  t.equal((await app.inject({ url: '/self', headers: behind })).body, '/self')
  t.equal(scheme.reverse('rooms', { request: { version: 'v1', server: app } }), '/v1/rooms')
})

t.test('behind a gateway that removes a prefix all links of a response can be followed', async (t) => {
  const lifecycle = { v1: { sunset: '2999-12-31' } }
  const { app, answer } = await linker(t, { scheme: URLPathVersioning, lifecycle }, trusting)
  app.get('/team/:version/rooms', answer)
  const gateway = Fastify()
  t.teardown(() => gateway.close())
  await gateway.register(httpProxy, {
    upstream: await app.listen({ host: '127.0.0.1', port: 0 }),
    prefix: '/api',
    rewritePrefix: '/',
    replyOptions: { rewriteRequestHeaders: (_request, headers) => ({ ...headers, ...behind }) }
  })
  const { body, headers: { link } } = await gateway.inject('/api/team/v1/rooms')
  const urls = [body, ...String(link).match(/(?<=<)[^>]+/g) as string[]]
  t.same(urls, ['/api/team/v1/rooms', '/api/team/v2/rooms', '/api/team/v2/rooms'])
  for (const url of urls) t.equal((await gateway.inject(url)).statusCode, 200, url)
})
