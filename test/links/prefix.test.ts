import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import t from 'tap'

import {
  HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { within } from './app.ts'

import type { FastifyReply, FastifyServerOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { VersioningOptions } from '../../types/index.d.ts'

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
    const app = await appWith(t, { scheme: HeaderVersioning, ...both }, server)
    app.get('/rooms', { name: 'rooms' }, async (_request, reply) => reply.reverse('rooms'))
    const headers = { 'api-version': 'v1', 'x-forwarded-prefix': header }
    t.equal((await app.inject({ url: '/rooms', headers })).body, `${expected}/rooms`)
  })
}

const links: [options: VersioningOptions, link: (reply: FastifyReply) => string, url: string][] = [
  [{}, (reply) => reply.reverse(), '/api/v1/rooms'],
  [{}, (reply) => reply.reverse('rooms', null, { query: { page: 2 } }), '/api/v1/rooms?page=2'],
  [{}, (reply) => reply.reverse(null, null, { version: 'v2' }), '/api/v2/rooms'],
  [{}, (reply) => reply.reverse('rooms', null, { absolute: true }), 'http://v1.example.com/api/v1/rooms'],
  [{ scheme: [URLPathVersioning, HeaderVersioning] }, (reply) => reply.reverse(), '/api/v1/rooms'],
  [{ baseUrl: 'https://example.com/own' }, (reply) => reply.reverse(), '/own/v1/rooms'],
  [{ baseUrl: 'https://example.com' }, (reply) => reply.reverse(), '/v1/rooms'],
  [{}, ({ server }) => server.reverse('rooms', { version: 'v1' }), '/v1/rooms']
]

for (const [options, link, url] of links) {
  t.test(`behind a trusted proxy the link ${link} with ${Object.keys(options).join()} is ${url}`, async (t) => {
    const app = await appWith(t, { scheme: URLPathVersioning, ...both, ...options }, trusting)
    app.get('/:version/rooms', { name: 'rooms' }, async (_request, reply) => link(reply))
    const { body } = await app.inject({ url: '/v1/rooms', headers: { host: 'v1.example.com', ...behind } })
    t.equal(body, url)
  })
}

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
    app.get('/:version/rooms', ok)
    app.get('/rooms', ok)
    for (const version of both.allowedVersions) {
      app.register(async (api) => { api.get('/rooms', ok) }, { prefix: `/${version}/in`, namespace: version })
    }
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
  within(app, ['team'], (team) => {
    team.get('/:version/rooms', { name: 'rooms' }, async (_request, reply) => reply.reverse())
  })
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
