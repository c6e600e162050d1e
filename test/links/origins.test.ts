import t from 'tap'

import versioning, { HeaderVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { appFor, badHost, option } from './app.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Call } from './app.ts'

t.test('a link with the version in the host needs a request with a host', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning })
  app.get('/', { name: 'home' }, () => {})
  t.throws(() => app.reverse('home', null, { version: 'v2' }), {
    ...option,
    message: /^Invalid link option "version": expected the option baseUrl or a request to take the origin from, got /
  })
})

t.test('outside a request an absolute link needs baseUrl', async (t) => {
  const app = await appFor(t, {}, () => '')
  t.throws(() => app.reverse('booking', { id: 7 }, { absolute: true }), {
    ...option,
    message: 'Invalid link option "absolute": ' +
      'expected the option baseUrl or a request to take the origin from, got neither.'
  })
})

t.test('a scheme outside a request takes the origin of a link from the baseUrl of its app', async (t) => {
  const scheme = new HostNameVersioning()
  const app = await appWith(t, { scheme, baseUrl: 'https://v1.example.com' })
  app.get('/', { name: 'root' }, async () => '')
  t.equal(scheme.reverse('root', { version: 'v2' }), 'https://v2.example.com/')
})

t.test('a link into another host without a request or a fitting baseUrl is refused', async (t) => {
  const app = await appFor(t, { scheme: HostNameVersioning, baseUrl: 'https://example.com' }, () => '')
  t.throws(() => app.reverse('booking', [7], { version: 'v2' }), option)
})

interface Based { says: string, baseUrl: string, host: string, link: object, url?: string, message?: string }

const into = { version: 'v2' }
const absolute = { absolute: true }
const API = 'https://api.example.com'
const PLAIN = 'https://example.com'
const V2 = 'https://v2.example.com'
const baseds: Based[] = [
  { says: 'into a version', baseUrl: API, host: 'v1.evil.com', link: into, url: `${V2}/bookings/7` },
  { says: 'into a version', baseUrl: `${API}:8443/x`, host: 'v1.evil.com', link: into, url: `${V2}:8443/x/bookings/7` },
  {
    says: 'into a version',
    baseUrl: PLAIN,
    host: 'v1.evil.com',
    link: into,
    message: `Invalid link option "version": expected a baseUrl whose host has a version, got '${PLAIN}'.`
  },
  { says: 'into v1', baseUrl: PLAIN, host: 'v2.evil.com', link: { version: 'v1' }, url: `${PLAIN}/bookings/7` },
  {
    says: 'without a version',
    baseUrl: PLAIN,
    host: 'v2.evil.com',
    link: { ...absolute, version: null },
    url: `${PLAIN}/bookings/7`
  },
  { says: 'absolute', baseUrl: API, host: 'v2.example.com', link: absolute, url: `${V2}/bookings/7` },
  { says: 'absolute', baseUrl: V2, host: 'v1.example.com', link: absolute, url: 'https://v1.example.com/bookings/7' },
  { says: 'absolute', baseUrl: PLAIN, host: 'v1.evil.com', link: absolute, url: `${PLAIN}/bookings/7` },
  { says: 'absolute', baseUrl: PLAIN, host: 'localhost', link: absolute, url: `${PLAIN}/bookings/7` },
  {
    says: 'absolute',
    baseUrl: PLAIN,
    host: 'v2.evil.com',
    link: absolute,
    message: `Invalid link option "absolute": expected a baseUrl whose host has a version, got '${PLAIN}'.`
  },
  { says: 'relative', baseUrl: PLAIN, host: 'v2.evil.com', link: {}, url: '/bookings/7' }
]

for (const { says, baseUrl, host, link, url, message } of baseds) {
  t.test(`the link (${says}) from ${host} with baseUrl ${baseUrl} is ${url ?? 'refused'}`, async (t) => {
    const settings = { scheme: HostNameVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], baseUrl }
    const app = await appFor(t, settings, (reply) => reply.reverse('booking', [7], link))
    const response = await app.inject({ url: '/bookings/7', headers: { host } })
    if (message === undefined) t.equal(response.body, url)
    else t.match(response.json(), { statusCode: 500, code: 'FST_ERR_REVERSE_OPTION', message })
  })
}

for (const [baseUrl, other, url] of [
  [API, HeaderVersioning, `${V2}/bookings/7`], [API, QueryParameterVersioning, `${V2}/bookings/7`],
  [PLAIN, HeaderVersioning, undefined], [PLAIN, QueryParameterVersioning, `${PLAIN}/bookings/7?version=v2`]
] as const) {
  t.test(`with baseUrl ${baseUrl} a list with ${other.name} links without the host of the request`, async (t) => {
    const app = await appFor(t, {
      scheme: [HostNameVersioning, other],
      allowedVersions: ['v1', 'v2'],
      baseUrl,
      lifecycle: { v1: { deprecated: '2025-01-01' } }
    }, (reply) => reply.reverse('booking', [7], into))
    const { statusCode, body, headers } = await app.inject({ url: '/bookings/7', headers: { host: 'v1.evil.com' } })
    if (url === undefined) t.equal(statusCode, 500)
    else t.equal(body, url)
    t.equal(headers.link, url && `<${url}>; rel="successor-version", <${url}>; rel="latest-version"`)
  })
}

for (const [baseUrl, link] of [[API, `<${V2}/>; rel="successor-version", <${V2}/>; rel="latest-version"`], [PLAIN]]) {
  t.test(`the successors of a request have the host of baseUrl ${baseUrl}, or there are none`, async (t) => {
    const app = await appWith(t, {
      scheme: HostNameVersioning,
      allowedVersions: ['v1', 'v2'],
      baseUrl,
      lifecycle: { v1: { deprecated: '2025-01-01' } }
    })
    app.get('/', async () => '')
    const { headers } = await app.inject({ url: '/', headers: { host: 'v1.evil.com' } })
    t.match(headers, { deprecation: '@1735689600' })
    t.equal(headers.link, link)
  })
}

t.test('an absolute link to a version-neutral route has the host of baseUrl unchanged', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, baseUrl: PLAIN })
  app.get('/health', { name: 'health', versioning: false }, async () => '')
  app.get('/', async (_request, reply) => reply.reverse('health', null, absolute))
  t.equal((await app.inject({ url: '/', headers: { host: 'v2.evil.com' } })).body, `${PLAIN}/health`)
})

interface Elsewhere { host: string, baseUrl?: string, link?: object, url?: string, error?: object }

const elsewheres: Elsewhere[] = [
  { host: 'v1.example.com', url: 'http://v2.example.com/ho' },
  { host: 'v1.example.com', link: absolute, url: 'http://v2.example.com/ho' },
  { host: 'v2.example.com', url: '/ho' },
  { host: 'v2.example.com', link: absolute, url: 'http://v2.example.com/ho' },
  { host: 'localhost', url: '/ho' },
  { host: 'localhost', link: absolute, error: { statusCode: 400, code: 'FST_ERR_REVERSE_HOST' } },
  { host: 'v1.evil.com', baseUrl: API, url: `${V2}/ho` },
  {
    host: 'v1.evil.com',
    baseUrl: PLAIN,
    error: { statusCode: 500, message: /^Invalid link option "version": expected a baseUrl whose host has a version/ }
  }
]

for (const { host, baseUrl, link, url, error } of elsewheres) {
  const title = `from ${host}, with ${JSON.stringify({ baseUrl, ...link })}, a link into another scheme is ${url}`
  t.test(title, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], baseUrl })
    app.get('/b', async (_request, reply) => reply.reverse('ho', null, link))
    await app.register(async (child) => {
      await child.register(versioning, { scheme: HostNameVersioning })
      child.get('/ho', { name: 'ho' }, async () => '')
    })
    const response = await app.inject({ url: '/b?version=v2', headers: { host } })
    if (error === undefined) t.equal(response.body, url)
    else t.match(response.json(), error)
  })
}

t.test('a link replaces the version where the pattern matched the host, even if its text occurs earlier', async (t) => {
  class Prefixed extends HostNameVersioning {
    override readonly hostnameRegex = /^api-v1-([a-z0-9]+)\.example\.com$/i
  }
  const app = await appFor(t, { scheme: Prefixed }, (reply) => reply.reverse(null, null, { version: 'v2' }))
  const { body } = await app.inject({ url: '/bookings/7', headers: { host: 'API-v1-v1.example.com' } })
  t.equal(body, 'http://API-v1-v2.example.com/bookings/7')
})

t.test('the pattern of a subclass may match the version elsewhere, or optionally', async (t) => {
  class Suffixed extends HostNameVersioning {
    override readonly hostnameRegex = /^api(?:-(v\d))?\.example\.com$/
  }
  const app = await appFor(t, { scheme: Suffixed }, (reply) => reply.reverse(null, null, { version: 'v2' }))
  const ask = async (host: string) => app.inject({ url: '/bookings/7', headers: { host } })
  t.equal((await ask('api-v1.example.com')).body, 'http://api-v2.example.com/bookings/7')
  t.match((await ask('api.example.com')).json(), badHost)
})

t.test('baseUrl gives absolute links their origin, and every link its path', async (t) => {
  for (const baseUrl of ['https://api.example.com/v/', new URL('https://api.example.com/v')]) {
    const app = await appFor(t, { baseUrl }, (reply) => reply.reverse(null, null, { absolute: true }))
    const { body } = await app.inject({ url: '/bookings/7', headers: { host: 'evil.example' } })
    t.equal(body, 'https://api.example.com/v/bookings/7')
    t.equal(app.reverse('booking', { id: 7 }), '/v/bookings/7')
    t.equal(app.reverse('booking', { id: 7 }, { absolute: true }), 'https://api.example.com/v/bookings/7')
  }
})

t.test('a child context inherits baseUrl, or has its own, or none', async (t) => {
  const app = await appWith(t, { baseUrl: 'https://api.example.com' })
  const contexts: FastifyInstance[] = []
  for (const options of [{}, { baseUrl: 'http://other.example' }, { baseUrl: null }]) {
    app.register(async (scope) => {
      await scope.register(versioning, options)
      contexts.push(scope)
    })
  }
  app.get('/', { name: 'root' }, async () => '')
  await app.ready()
  t.equal(contexts[0].reverse('root', null, { absolute: true }), 'https://api.example.com/')
  t.equal(contexts[1].reverse('root', null, { absolute: true }), 'http://other.example/')
  t.throws(() => contexts[2].reverse('root', null, { absolute: true }), option)
})

t.test('a scheme that a child context has registered links from the app above it, which has no baseUrl', async (t) => {
  const root = bareApp(t)
  const [scheme, hostScheme] = [new QueryParameterVersioning(), new HostNameVersioning()]
  root.register(async (scope) => {
    await scope.register(versioning, { scheme, baseUrl: 'https://v1.example.com/api' })
    scope.get('/', { name: 'root', versioning: hostScheme }, async () => '')
  })
  await root.ready()
  const request = { version: null, server: root, host: 'v1.a.b', protocol: 'http' }
  t.equal(scheme.reverse('root'), '/api/')
  t.equal(scheme.reverse('root', { server: root }), '/')
  t.equal(scheme.reverse('root', { request, absolute: true }), 'http://v1.a.b/')
  t.equal(hostScheme.reverse('root', { request, version: 'v2' }), 'http://v2.a.b/')
})

t.test('X-Forwarded-Host and -Proto are used under trustProxy only', async (t) => {
  const headers = {
    host: 'inner.example', 'x-forwarded-host': 'a.example, outer.example', 'x-forwarded-proto': 'https'
  }
  const call: Call = (reply) => reply.reverse(null, null, { absolute: true })
  const ask = async (server: FastifyServerOptions, more = {}) =>
    (await appFor(t, {}, call, server)).inject({ url: '/bookings/7', headers: { ...headers, ...more } })
  t.equal((await ask({})).body, 'http://inner.example/bookings/7')
  t.equal((await ask({ trustProxy: true })).body, 'https://outer.example/bookings/7')
  t.match((await ask({ trustProxy: true }, { 'x-forwarded-proto': 'javascript' })).json(), badHost)
})

for (const baseUrl of [
  '', 'example.com', '/api', 'ftp://example.com', 'javascript:alert(1)', 'https://user@example.com',
  'https://:pw@example.com', 'https://example.com/?a', 'https://example.com/#a', 'https://example.com//a', 7, {}
]) {
  t.test(`baseUrl cannot be ${JSON.stringify(baseUrl)}`, async (t) => {
    await t.rejects(async () => appWith(t, { baseUrl: baseUrl as never }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "baseUrl"/
    })
  })
}
