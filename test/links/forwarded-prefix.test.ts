import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyReply, FastifyServerOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { VersioningOptions } from '../../types/index.d.ts'

const behind = { 'x-forwarded-prefix': '/api' }
const trusting: FastifyServerOptions = { trustProxy: true }
const both = { allowedVersions: ['v1', 'v2'] }

const PREFIXES: [what: string, header: string | string[], server: FastifyServerOptions, expected: string][] = [
  ['a segment', '/api', trusting, '/api'],
  ['several segments', '/api/rooms_1/~a.b-c', trusting, '/api/rooms_1/~a.b-c'],
  ['a slash at its end', '/api/', trusting, '/api'],
  ['several proxies', '/outer, /inner', trusting, '/outer/inner'],
  ['several headers', ['/outer', '/inner'], trusting, '/outer/inner'],
  ['a name with dots', '/..api/a..', trusting, '/..api/a..'],
  ['a slash', '/', trusting, ''],
  ['nothing', '', trusting, ''],
  ['no slash at its start', 'api', trusting, ''],
  ['a host', '//evil.example.com', trusting, ''],
  ['a host behind the path of another proxy', '/, //evil.example.com', trusting, ''],
  ['a list with a slash', '/, /inner/', trusting, '/inner'],
  ['a list with a member that begins with no slash', '/a, bad', trusting, ''],
  ['a list with a member that is not a path', '/a, /b?x=1', trusting, ''],
  ['a list with a step up', '/a, /..', trusting, ''],
  ['a list with steps that a member would hide', '/a/., ./b', trusting, ''],
  ['a list with an empty member', '/a,', trusting, ''],
  ['a URL', 'https://evil.example.com', trusting, ''],
  ['a backslash', '/\\evil.example.com', trusting, ''],
  ['an empty segment', '/a//b', trusting, ''],
  ['a step up', '/a/../b', trusting, ''],
  ['a step up at its end', '/a/..', trusting, ''],
  ['a step that stays', '/./a', trusting, ''],
  ['an escaped step', '/a/%2e%2e', trusting, ''],
  ['a query', '/api?x=1', trusting, ''],
  ['a fragment', '/api#x', trusting, ''],
  ['a quote', "/api'onclick='x", trusting, ''],
  ['markup', '/a"><script>', trusting, ''],
  ['a control character', '/a\u0001', trusting, ''],
  ['a character beyond ASCII', '/caf\u00e9', trusting, ''],
  ['a proxy of a trusted address', '/api', { trustProxy: '127.0.0.1' }, '/api'],
  ['a proxy of another address', '/api', { trustProxy: '10.0.0.1' }, ''],
  ['an app that trusts no proxy', '/api', {}, '']
]

for (const [what, header, server, expected] of PREFIXES) {
  t.test(`X-Forwarded-Prefix with ${what} puts ${JSON.stringify(expected)} in front of a link`, async (t) => {
    const app = await appWith(t, { scheme: HeaderVersioning, ...both }, server)
    app.get('/rooms', { name: 'rooms' }, async (_request, reply) => reply.reverse('rooms'))
    const headers = { 'api-version': 'v1', 'x-forwarded-prefix': header }
    const { statusCode, body } = await app.inject({ url: '/rooms', headers })
    t.strictSame([statusCode, body], [200, `${expected}/rooms`])
  })
}

const LINKS: [what: string, options: VersioningOptions, link: (reply: FastifyReply) => string, expected: string][] = [
  ['the current URL', {}, (reply) => reply.reverse(), '/api/v1/rooms'],
  ['a query', {}, (reply) => reply.reverse('rooms', null, { query: { page: 2 } }), '/api/v1/rooms?page=2'],
  ['another version', {}, (reply) => reply.reverse(null, null, { version: 'v2' }), '/api/v2/rooms'],
  ['an origin', {}, (reply) => reply.reverse('rooms', null, { absolute: true }), 'http://v1.example.com/api/v1/rooms'],
  ['a list of schemes', { scheme: [URLPathVersioning, HeaderVersioning] }, (reply) => reply.reverse(), '/api/v1/rooms'],
  ['baseUrl', { baseUrl: 'https://example.com/own' }, (reply) => reply.reverse(), '/own/v1/rooms'],
  ['baseUrl without a path', { baseUrl: 'https://example.com' }, (reply) => reply.reverse(), '/v1/rooms'],
  ['no request', {}, ({ server }) => server.reverse('rooms', { version: 'v1' }), '/v1/rooms']
]

for (const [what, options, link, expected] of LINKS) {
  t.test(`behind a trusted proxy a link with ${what} is ${expected}`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, ...both, ...options }, trusting)
    app.get('/:version/rooms', { name: 'rooms' }, async (_request, reply) => link(reply))
    const { body } = await app.inject({ url: '/v1/rooms', headers: { host: 'v1.example.com', ...behind } })
    t.equal(body, expected)
  })
}

const SUCCESSORS: [what: string, options: VersioningOptions, url: string, expected: string | null][] = [
  ['the path', { scheme: URLPathVersioning }, '/v1/rooms', '/api/v2/rooms'],
  ['the query', { scheme: QueryParameterVersioning }, '/rooms?version=v1', '/api/rooms?version=v2'],
  // A forwarded host would come into caches.
  ['the host', { scheme: HostNameVersioning }, '/rooms', null],
  [
    'the host, with baseUrl',
    { scheme: HostNameVersioning, baseUrl: 'https://v1.example.com/own' },
    '/rooms',
    'https://v2.example.com/own/rooms'
  ],
  ['the namespace', { scheme: NamespaceVersioning }, '/v1/in/rooms', '/api/v2/in/rooms'],
  ['the path, with baseUrl', { scheme: URLPathVersioning, baseUrl: 'https://a.com/own' }, '/v1/rooms', '/own/v2/rooms']
]

for (const [what, options, url, expected] of SUCCESSORS) {
  t.test(`behind a trusted proxy the successor with the version in ${what} is ${expected}`, async (t) => {
    const lifecycle = { v1: { sunset: '2999-12-31' } }
    const app = await appWith(t, { ...both, lifecycle, ...options }, trusting)
    app.get('/:version/rooms', async () => '')
    app.get('/rooms', async () => '')
    for (const version of both.allowedVersions) {
      const options = { prefix: `/${version}/in`, namespace: version }
      app.register(async (api) => { api.get('/rooms', async () => '') }, options)
    }
    const { headers } = await app.inject({ url, headers: { host: 'v1.example.com', ...behind } })
    const links = `<${expected}>; rel="successor-version", <${expected}>; rel="latest-version"`
    t.equal(headers.link, expected === null ? undefined : links)
  })
}

t.test('a scheme makes links for a request without headers', async (t) => {
  const scheme = new URLPathVersioning(both)
  const app = await appWith(t, { scheme }, trusting)
  app.get('/:version/rooms', { name: 'rooms' }, async () => '')
  await app.ready()
  t.equal(scheme.reverse('rooms', { request: { version: 'v1', server: app } }), '/v1/rooms')
})

t.test('a scheme makes links for a request that is frozen', async (t) => {
  const scheme = new URLPathVersioning(both)
  const app = await appWith(t, { scheme }, trusting)
  app.get('/:version/rooms', { name: 'rooms' }, async () => '')
  await app.ready()
  const request = Object.freeze({ version: 'v1', server: app, headers: behind })
  t.equal(scheme.reverse('rooms', { request }), '/v1/rooms')
})

t.test('behind a gateway that removes a prefix all links of a response work from outside', async (t) => {
  const app = Fastify(trusting)
  await app.register(versioning, { scheme: URLPathVersioning, ...both, lifecycle: { v1: { sunset: '2999-12-31' } } })
  await app.register(openapi)
  app.register(async (rooms) => {
    rooms.get('/:version/rooms', { name: 'rooms' }, async (_request, reply) => reply.reverse('rooms'))
  }, { prefix: '/team' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const gateway = Fastify()
  await gateway.register(httpProxy, {
    upstream: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    prefix: '/api',
    rewritePrefix: '/',
    replyOptions: { rewriteRequestHeaders: (_request, headers) => ({ ...headers, ...behind }) }
  })
  t.teardown(async () => {
    await gateway.close()
    await app.close()
  })
  const { body, headers: { link } } = await gateway.inject('/api/team/v1/rooms')
  const hrefs = [body, ...[...String(link).matchAll(/<([^>]+)>/g)].map(([, href]) => href)]
  t.strictSame(hrefs, ['/api/team/v1/rooms', '/api/team/v2/rooms', '/api/team/v2/rooms'])
  for (const href of hrefs) t.equal((await gateway.inject(href)).statusCode, 200, href)
})
