import { inspect } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { schemeNames, schemes } from '../fixtures/schemes.ts'
import { appFor, badHost, noMatch, ok, option } from './app.ts'

import type { FastifyError, FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Call } from './app.ts'
import type { LinkOptions, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

type Scheme = VersioningOptions['scheme']

const v2 = { version: 'v2' }
const query = QueryParameterVersioning
const absolute = { absolute: true }

/** A link to the route of a request to `/bookings/7`, or by its name. */
const links: [scheme: Scheme, host: string, options: LinkOptions, url: string][] = [
  // Into a version
  [query, 'a', v2, '/bookings/7?version=v2'],
  [query, 'a', { version: null }, '/bookings/7'],
  [AcceptHeaderVersioning, 'a', v2, '/bookings/7'],
  [HostNameVersioning, 'v1.a.b:8080', { ...v2, query: { a: 1 }, hash: 'top' }, 'http://v2.a.b:8080/bookings/7?a=1#top'],
  [HostNameVersioning, 'v1.a.b', { version: null }, '/bookings/7'],
  [null, 'a', v2, '/bookings/7'],
  [query, 'a', { query: { page: 2, version: 'x' } }, '/bookings/7?page=2&version=v1'],
  [query, 'a', { version: null, query: { version: 'v2', page: 2, __version: 1 } }, '/bookings/7?page=2&__version=1'],
  [query, 'a', { version: null, query: { version: 'v2' }, hash: 'a' }, '/bookings/7#a'],
  // Query and fragment
  [null, 'a', { query: { a: [1, 2n, true], b: 'ä&=' } }, '/bookings/7?a=1&a=2&a=true&b=%C3%A4%26%3D'],
  [null, 'a', { query: { a: undefined, b: null, c: [null, ''] } }, '/bookings/7?c='],
  [null, 'a', { query: [['a', 1], ['a', 2], ['b', [3, 4]]] }, '/bookings/7?a=1&a=2&b=3&b=4'],
  [null, 'a', { query: new URLSearchParams('b=1&a=2 3') }, '/bookings/7?b=1&a=2%203'],
  [null, 'a', { query: new Map([['a', 1]]) }, '/bookings/7?a=1'],
  [null, 'a', { query: {}, hash: null }, '/bookings/7'],
  [null, 'a', { query: { '\ud800': '\r\n\0' } }, '/bookings/7?%EF%BF%BD=%0D%0A%00'],
  [null, 'a', { query: JSON.parse('{"__proto__":"x"}') }, '/bookings/7?__proto__=x'],
  [null, 'a', { hash: '#a#b%' }, '/bookings/7#a%23b%25'],
  [null, 'a', { hash: '' }, '/bookings/7'],
  [null, 'a', { hash: '\ud800\r\nü' }, '/bookings/7#%EF%BF%BD%0D%0A%C3%BC'],
  [query, 'a', { hash: 'top' }, '/bookings/7?version=v1#top'],
  // Absolute
  [null, 'example.com:8080', absolute, 'http://example.com:8080/bookings/7'],
  [null, 'a:', absolute, 'http://a:/bookings/7'],
  [null, '[::1]:80', absolute, 'http://[::1]:80/bookings/7'],
  [null, 'a', { absolute: false }, '/bookings/7'],
  [query, 'a', { ...absolute, hash: 'x' }, 'http://a/bookings/7?version=v1#x']
]

for (const [scheme, host, options, url] of links) {
  const by = (scheme as { name?: string } | null)?.name
  t.test(`on ${host} under ${by} the link with ${inspect(options)} is ${url}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => [
      reply.reverse(null, null, options), reply.reverse('booking', [7], options)
    ])
    t.same((await app.inject({ url: '/bookings/7', headers: { host } })).json(), [url, url])
  })
}

const refused: [scheme: Scheme, host: string, options: object, error: object, says: RegExp | string][] = [
  ...[URLPathVersioning, query, NamespaceVersioning, HostNameVersioning, AcceptHeaderVersioning].map((scheme) => [
    scheme, 'a', { version: 'v9' }, option,
    "Invalid link option \"version\": expected one of [ 'v1', 'v2', 'v3.1' ], or null, got 'v9'."
  ] as [Scheme, string, object, object, string]),
  [query, 'a', { version: 2 }, option, /got 2\.$/],
  [null, 'a', { absolute: 'yes' }, option, "Invalid link option \"absolute\": expected true or false, got 'yes'."],
  [null, 'a', { query: { a: {} } }, option, /option "query".+got { a: {} }/],
  [null, 'a', { query: 'a=1' }, option, /option "query".+got 'a=1'/],
  [null, 'a', { query: ['a'] }, option, /option "query".+got 'a'/],
  [null, 'a', { query: [[1, 2]] }, option, /option "query"/],
  [null, 'a', 'v2' as never, option, /option "options".+an object, got 'v2'/],
  [null, 'a', { hash: 1 }, option, /option "hash": expected a string, got 1\.$/],
  [HostNameVersioning, 'v1.a.b', { version: 'v3.1' }, option, /a version that fits into the host 'v1\.a\.b', got '/],
  [HostNameVersioning, 'localhost', v2, badHost, "The link needs a host with a version, got 'localhost'."],
  [null, 'a b', absolute, badHost, "The link needs a host, got 'a b'."],
  [null, 'a/b', absolute, badHost, /got 'a\/b'/],
  [null, 'user@b', absolute, badHost, /got 'user@b'/],
  [null, 'a:99999', absolute, badHost, /got 'a:99999'/]
]

for (const [scheme, host, options, error, message] of refused) {
  const by = (scheme as { name?: string } | null)?.name
  t.test(`on ${host} under ${by} the link with ${inspect(options)} is refused with ${message}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => reply.reverse('booking', [7], options))
    t.match((await app.inject({ url: '/bookings/7', headers: { host } })).json(), { ...error, message })
  })
}

t.test('outside a request a link has the version given, and its origin from baseUrl', async (t) => {
  const appUnder = async (scheme: Scheme, baseUrl: string | null = null) => appFor(t, { scheme, baseUrl }, () => '')
  t.equal((await appUnder(query)).reverse('booking', { id: 7 }, v2), '/bookings/7?version=v2')
  t.equal((await appUnder(query)).reverse('booking', [7], null as never), '/bookings/7')
  t.equal((await appUnder(URLPathVersioning)).reverse('room', { id: 7 }, v2), '/v2/rooms/7')
  t.equal((await appUnder(NamespaceVersioning)).reverse('seat', { id: 7 }, v2), '/ns-v2/seats/7')
  const hosts = await appUnder(HostNameVersioning, 'https://v1.example.com/api')
  t.equal(hosts.reverse('booking', [7], v2), 'https://v2.example.com/api/bookings/7')
  const app = await appUnder(HostNameVersioning)
  const expected = 'expected the option baseUrl or a request to take the origin from, got neither.'
  for (const options of [v2, absolute]) {
    const message = `Invalid link option "${Object.keys(options)[0]}": ${expected}`
    t.throws(() => app.reverse('booking', [7], options), { ...option, message })
  }
})

t.test('the version given is used where no scheme has determined the version of the request', async (t) => {
  for (const [scheme, url] of [[query, '/bookings/7?version=v2'], [null, '/bookings/7']] as const) {
    const app = await appFor(t, { scheme }, () => '')
    app.setNotFoundHandler(async (_request, reply) => reply.reverse('booking', [7], v2))
    t.equal((await app.inject('/nowhere')).body, url)
  }
})

const API = 'https://api.example.com'
const PLAIN = 'https://example.com'
const V2 = 'https://v2.example.com'
const NO_VERSION = /expected a baseUrl whose host has a version, got 'https:\/\/example\.com'\.$/

const baseds: [options: LinkOptions, baseUrl: string, host: string, url: string | RegExp][] = [
  [v2, API, 'v1.evil.com', `${V2}/bookings/7`],
  [v2, `${API}:8443/x`, 'v1.evil.com', `${V2}:8443/x/bookings/7`],
  [v2, PLAIN, 'v1.evil.com', NO_VERSION],
  [{ version: 'v1' }, PLAIN, 'v2.evil.com', `${PLAIN}/bookings/7`],
  [{ ...absolute, version: null }, PLAIN, 'v2.evil.com', `${PLAIN}/bookings/7`],
  [absolute, API, 'v2.example.com', `${V2}/bookings/7`],
  [absolute, V2, 'v1.example.com', 'https://v1.example.com/bookings/7'],
  [absolute, PLAIN, 'localhost', `${PLAIN}/bookings/7`],
  [absolute, PLAIN, 'v2.evil.com', NO_VERSION],
  [{}, PLAIN, 'v2.evil.com', '/bookings/7']
]

for (const [options, baseUrl, host, url] of baseds) {
  t.test(`from ${host} with baseUrl ${baseUrl} the link with ${inspect(options)} is ${url}`, async (t) => {
    const settings = { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], baseUrl }
    const app = await appFor(t, settings, (reply) => reply.reverse('booking', [7], options))
    const { body } = await app.inject({ url: '/bookings/7', headers: { host } })
    if (typeof url === 'string') t.equal(body, url)
    else t.match(JSON.parse(body), { ...option, message: url })
  })
}

for (const [baseUrl, other, url] of [
  [API, HeaderVersioning, `${V2}/bookings/7`], [API, query, `${V2}/bookings/7`],
  [PLAIN, HeaderVersioning, null], [PLAIN, query, `${PLAIN}/bookings/7?version=v2`], [PLAIN, null, null]
] as const) {
  t.test(`with baseUrl ${baseUrl} links under hosts and ${other?.name} leave the host of the request`, async (t) => {
    const scheme = other === null ? HostNameVersioning : [HostNameVersioning, other]
    const lifecycle = { v1: { deprecated: '2025-01-01' } }
    const app = await appFor(t, { scheme, allowedVersions: ['v1', 'v2'], baseUrl, lifecycle }, (reply) => (
      reply.reverse('booking', [7], v2)
    ))
    const { statusCode, body, headers } = await app.inject({ url: '/bookings/7', headers: { host: 'v1.evil.com' } })
    t.equal(url === null ? statusCode : body, url ?? 500)
    const links = `<${url}>; rel="successor-version", <${url}>; rel="latest-version"`
    t.equal(headers.link, url === null ? undefined : links)
  })
}

const elsewheres: [host: string, baseUrl: string | null, options: LinkOptions, url: string | object][] = [
  ['v1.example.com', null, {}, 'http://v2.example.com/ho'],
  ['v1.example.com', null, absolute, 'http://v2.example.com/ho'],
  ['v2.example.com', null, {}, '/ho'],
  ['v2.example.com', null, absolute, 'http://v2.example.com/ho'],
  ['localhost', null, {}, '/ho'],
  ['localhost', null, absolute, badHost],
  ['v1.evil.com', API, {}, `${V2}/ho`],
  ['v1.evil.com', PLAIN, {}, option]
]

for (const [host, baseUrl, options, url] of elsewheres) {
  const asked = inspect({ baseUrl, ...options })
  t.test(`from ${host} with ${asked} a link to a route with hosts is ${inspect(url)}`, async (t) => {
    const app = await appWith(t, { scheme: query, allowedVersions: ['v1', 'v2'], baseUrl })
    app.get('/b', async (_request, reply) => reply.reverse('ho', null, options))
    app.get('/ho', { name: 'ho', versioning: HostNameVersioning }, ok)
    const { body } = await app.inject({ url: '/b?version=v2', headers: { host } })
    if (typeof url === 'string') t.equal(body, url)
    else t.match(JSON.parse(body), url)
  })
}

t.test('an absolute link to a version-neutral route has the host of baseUrl unchanged', async (t) => {
  for (const baseUrl of [PLAIN, API]) {
    const app = await appWith(t, { scheme: HostNameVersioning, baseUrl })
    app.get('/health', { name: 'health', versioning: false }, ok)
    app.get('/', async (_request, reply) => reply.reverse('health', null, absolute))
    t.equal((await app.inject({ url: '/', headers: { host: 'v2.example.com' } })).body, `${baseUrl}/health`)
  }
})

const patterns: [says: string, pattern: RegExp, host: string, url: string | object][] = [
  ['elsewhere', /^api(?:-(v\d))?\.a\.b$/, 'api-v1.a.b', 'http://api-v2.a.b/bookings/7'],
  ['nowhere in this host', /^api(?:-(v\d))?\.a\.b$/, 'api.a.b', badHost],
  ['behind the same text', /^api-v1-([a-z0-9]+)\.a\.b$/i, 'api-v1-v1.a.b', 'http://api-v1-v2.a.b/bookings/7']
]

for (const [says, hostnameRegex, host, url] of patterns) {
  t.test(`where the pattern of a host has the version ${says}, the link from ${host} is ${inspect(url)}`, async (t) => {
    class Patterned extends HostNameVersioning {
      override readonly hostnameRegex = hostnameRegex
    }
    const app = await appFor(t, { scheme: Patterned }, (reply) => reply.reverse(null, null, v2))
    const { body } = await app.inject({ url: '/bookings/7', headers: { host } })
    if (typeof url === 'string') t.equal(body, url)
    else t.match(JSON.parse(body), url)
  })
}

t.test('X-Forwarded-Host and -Proto are used under trustProxy only', async (t) => {
  const forwarded = { 'x-forwarded-host': 'a.example, outer.example', 'x-forwarded-proto': 'https' }
  const headers = { host: 'inner.example', ...forwarded }
  const call: Call = (reply) => reply.reverse(null, null, absolute)
  const ask = async (server: FastifyServerOptions, more = {}) =>
    (await appFor(t, {}, call, server)).inject({ url: '/bookings/7', headers: { ...headers, ...more } })
  t.equal((await ask({})).body, 'http://inner.example/bookings/7')
  t.equal((await ask({ trustProxy: true })).body, 'https://outer.example/bookings/7')
  t.match((await ask({ trustProxy: true }, { 'x-forwarded-proto': 'javascript' })).json(), badHost)
})

t.test('a context has the baseUrl of the nearest registration above it, or its own, or none', async (t) => {
  const app = await appWith(t, { baseUrl: API })
  const contexts: FastifyInstance[] = []
  for (const options of [{}, { baseUrl: 'http://other.example' }, { baseUrl: null }]) {
    app.register(async (context) => {
      await context.register(versioning, options)
      contexts.push(context)
    })
  }
  app.get('/', { name: 'root' }, ok)
  await app.ready()
  t.equal(contexts[0].reverse('root', null, absolute), `${API}/`)
  t.equal(contexts[1].reverse('root', null, absolute), 'http://other.example/')
  t.throws(() => contexts[2].reverse('root', null, absolute), option)
})

t.test('a scheme that a child context has registered links from the app above it, which has no baseUrl', async (t) => {
  const root = bareApp(t)
  const [scheme, hosts] = [new QueryParameterVersioning(), new HostNameVersioning()]
  root.register(async (scope) => {
    await scope.register(versioning, { scheme, baseUrl: 'https://v1.example.com/api' })
    scope.get('/', { name: 'root', versioning: hosts }, ok)
  })
  await root.ready()
  const request = { version: null, server: root, host: 'v1.a.b', protocol: 'http' }
  t.same([scheme.reverse('root'), scheme.reverse('root', { server: root })], ['/api/', '/'])
  t.equal(scheme.reverse('root', { request, absolute: true }), 'http://v1.a.b/')
  t.equal(hosts.reverse('root', { request, ...v2 }), 'http://v2.a.b/')
})

const typos: [options: object, message: string | RegExp][] = [
  [{ verison: 'v2' }, "Unknown link option 'verison'. Did you mean 'version'?"],
  [{ absolut: true }, /'absolut'\. Did you mean 'absolute'/],
  [{ colour: 'red' }, /'colour'\. The options are args, kwargs, .*, absolute, format\.$/],
  [{ ['b'.repeat(61)]: 1 }, /The options are args/]
]

for (const name of schemeNames) {
  t.test(`under ${name} a link has the known options alone, however it is made`, async (t) => {
    const scheme = new schemes[name]({ defaultVersion: 'v1' })
    const off = await appWith(t)
    let options: LinkOptions = {}
    const app = await appWith(t, { scheme, baseUrl: 'https://v1.example.com' })
    app.get('/self', { name: 'root' }, async (_request, reply) => reply.reverse(null, null, options))
    app.get('/other', async (_request, reply) => reply.reverse('root', null, options))
    app.get('/:a/:b', { name: 'pair' }, ok)
    for (const [typo, message] of typos) {
      options = typo
      for (const one of [app, off]) t.throws(() => one.reverse('root', null, options), { ...option, message })
      for (const url of ['/self', '/other']) t.match((await app.inject(url)).json(), { ...option, message })
    }
    options = { query: { a: 1 }, hash: 'top', absolute: true, format: null, version: 'v1' }
    t.match(app.reverse('root', null, options), /^https:\/\/v1\.example\.com\/self\?a=1(?:&version=v1)?#top$/)
    for (const url of ['/self', '/other']) t.equal((await app.inject(url)).statusCode, 200, url)
    t.equal(scheme.reverse('pair', { args: [1], kwargs: { b: 2 }, request: null, server: app }), '/1/2')
    t.throws(() => scheme.reverse('pair', { kwarg: {} } as ReverseOptions), { ...option, message: /'kwargs'/ })
  })
}

t.test('a scheme of the app takes its own link options, which go to no other scheme', async (t) => {
  class Localized extends BaseVersioning {
    override readonly linkOptions = ['lang']
    override determineVersion () { return null }
    override reverse (viewName: string | null, options: ReverseOptions & { lang?: string } = {}) {
      return `${super.reverse(viewName, options)}#${options.lang}`
    }
  }
  const lang = { lang: 'en', query: { a: 1 } } as LinkOptions
  const app = await appWith(t, { scheme: Localized })
  app.get('/self', { name: 'root' }, async (_request, reply) => reply.reverse(null, null, lang))
  app.get('/there', { name: 'there', versioning: query }, ok)
  t.equal(app.reverse('root', null, lang), '/self?a=1#en')
  t.equal((await app.inject('/self')).body, '/self?a=1#en')
  t.equal(app.reverse('there', null, { ...lang, ...v2 }), '/there?a=1&version=v2')
  t.throws(() => app.reverse('root', null, { lnag: 'en' } as LinkOptions), { ...option, message: /\blang\b/ })
  t.throws(() => new URLPathVersioning().reverse('root', lang), { ...noMatch })
})

t.test('the error of a link is like the errors of Fastify, and a scheme may throw another', async (t) => {
  class Translating extends BaseVersioning {
    override determineVersion () { return null }
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      try {
        return super.reverse(viewName, options)
      } catch (error) {
        throw new RangeError(`translated: ${(error as Error).message}`)
      }
    }
  }
  const message = "No route is named 'bokings'. Did you mean 'bookings'?"
  for (const scheme of [null, Translating]) {
    const app = await appWith(t, { scheme })
    app.get('/bookings', { name: 'bookings' }, async (_request, reply) => reply.reverse('bokings'))
    const [code, text] = scheme === null ? [noMatch.code, message] : [undefined, `translated: ${message}`]
    t.match((await app.inject('/bookings')).json(), { statusCode: 500, code, message: text })
    try {
      app.reverse('bokings')
    } catch (error) {
      t.match((error as FastifyError).stack, /\n +at .*options-and-errors\.test\.ts/)
      if (scheme === null) t.equal(String(error), `FastifyError [${noMatch.code}]: ${message}`)
    }
  }
})

t.test('where every version is allowed, the version of a link is a string', async (t) => {
  const app = await appWith(t, { scheme: query })
  app.get('/a', { name: 'a' }, async () => '')
  await app.ready()
  t.throws(() => app.reverse('a', null, { version: 7 as never }), {
    ...option, message: 'Invalid link option "version": expected a string, or null, got 7.'
  })
})

t.test('before the app is ready a link already leads to the path that serves its version', async (t) => {
  const app = await appWith(t, { scheme: query, allowedVersions: ['v1', 'v2'] })
  app.get('/one', { name: 'a', version: 'v1' }, async () => '')
  app.get('/two', { name: 'a', version: 'v2' }, async () => '')
  t.equal(app.reverse('a', null, { version: 'v1' }), '/one?version=v1')
  t.equal(app.reverse('a', null, { version: 'v2' }), '/two?version=v2')
})
