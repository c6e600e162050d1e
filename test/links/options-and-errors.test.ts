import { inspect } from 'node:util'
import t from 'tap'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { badHost, leads, linker, nameOf, option } from './app.ts'

import type { FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, VersioningOptions } from '../../types/index.d.ts'
import type { Scheme } from './app.ts'

const v1 = { version: 'v1' }
const v2 = { version: 'v2' }
const absolute = { absolute: true }
const accept = AcceptHeaderVersioning
const hosts = HostNameVersioning
const query = QueryParameterVersioning

/** An app that answers `/bookings/7` with links. */
async function bookings (t: Test, options: VersioningOptions, server: FastifyServerOptions = {}) {
  const settings = { allowedVersions: ['v1', 'v2', 'v3.1'], defaultVersion: 'v1', ...options }
  const made = await linker(t, settings, server)
  made.app.get('/bookings/:id', { name: 'booking' }, made.answer)
  return made
}

/** The error of an option. */
const says = (message: string | RegExp) => ({ ...option, message })
const noHost = (message: string | RegExp) => ({ ...badHost, message })

class Patterned extends HostNameVersioning {
  override readonly hostnameRegex: RegExp = /^api(?:-(v\d))?\.a\.b$/
}

class Repeating extends HostNameVersioning {
  override readonly hostnameRegex = /^api-v1-([a-z0-9]+)\.a\.b$/i
}

const API = 'https://api.example.com'
const PLAIN = 'https://example.com'
const V2 = 'https://v2.example.com'
const noVersion = says(`Write a version into the host of "baseUrl", '${PLAIN}': the link puts 'v2' in its place.`)

/** The link to the route of a request to `/bookings/7`, and by its name, or the error. */
type Row = [scheme: Scheme, host: string, options: LinkOptions, expected: string | object, baseUrl?: string]

const links: Row[] = [
  // Into a version
  [query, 'a', v2, '/bookings/7?version=v2'],
  [accept, 'a', v2, '/bookings/7'],
  [hosts, 'v1.a.b:8080', { ...v2, query: { a: 1 }, hash: 'top' }, 'http://v2.a.b:8080/bookings/7?a=1#top'],
  [hosts, 'v1.a.b', { version: null }, '/bookings/7'],
  [query, 'a', { query: { page: 2, version: 'x' } }, '/bookings/7?page=2&version=v1'],
  [query, 'a', { version: null, query: { version: 'v2', page: 2, __version: 1 } }, '/bookings/7?page=2&__version=1'],
  // Query and fragment
  [null, 'a', { query: { a: [1, 2n, true], b: 'ä&=' } }, '/bookings/7?a=1&a=2&a=true&b=%C3%A4%26%3D'],
  [null, 'a', { query: { a: undefined, b: null, c: [null, ''] } }, '/bookings/7?c='],
  [null, 'a', { query: [['a', 1], ['a', 2], ['b', [3, 4]]] }, '/bookings/7?a=1&a=2&b=3&b=4'],
  [null, 'a', { query: {}, hash: null }, '/bookings/7'],
  [null, 'a', { query: JSON.parse('{"__proto__":"x"}') }, '/bookings/7?__proto__=x'],
  [null, 'a', { hash: '' }, '/bookings/7'],
  [null, 'a', { hash: '#a#b%' }, '/bookings/7#a%23b%25'],
  [null, 'a', { hash: '\ud800\r\nü' }, '/bookings/7#%EF%BF%BD%0D%0A%C3%BC'],
  // Absolute
  [null, 'example.com:8080', absolute, 'http://example.com:8080/bookings/7'],
  [null, 'a:', absolute, 'http://a:/bookings/7'],
  [null, '[::1]:80', absolute, 'http://[::1]:80/bookings/7'],
  [query, 'a', { ...absolute, hash: 'x' }, 'http://a/bookings/7?version=v1#x'],
  // Where the pattern of a host has the version elsewhere, nowhere, and behind the same text
  [Patterned, 'api-v1.a.b', v2, 'http://api-v2.a.b/bookings/7'],
  [Patterned, 'api.a.b', v2, badHost],
  [Repeating, 'api-v1-v1.a.b', v2, 'http://api-v1-v2.a.b/bookings/7'],
  // With baseUrl
  [hosts, 'v1.evil.com', v2, `${V2}/bookings/7`, API],
  [hosts, 'v1.evil.com', v2, `${V2}:8443/x/bookings/7`, `${API}:8443/x`],
  [hosts, 'v1.evil.com', v2, noVersion, PLAIN],
  [hosts, 'v2.evil.com', v1, `${PLAIN}/bookings/7`, PLAIN],
  [hosts, 'v2.evil.com', { ...absolute, version: null }, `${PLAIN}/bookings/7`, PLAIN],
  [hosts, 'v1.example.com', absolute, 'https://v1.example.com/bookings/7', V2],
  [hosts, 'localhost', absolute, `${PLAIN}/bookings/7`, PLAIN],
  [hosts, 'v2.evil.com', absolute, noVersion, PLAIN],
  // Refused
  [query, 'a', { version: 'v9' },
    says("Invalid link option \"version\": expected one of [ 'v1', 'v2', 'v3.1' ], or null, got 'v9'.")],
  [query, 'a', { version: 2 as never }, says(/got 2\.$/)],
  [null, 'a', { absolute: 'y' as never }, says("Invalid link option \"absolute\": expected true or false, got 'y'.")],
  [null, 'a', { query: { a: {} as never } }, says(/option "query".+got { a: {} }/)],
  [null, 'a', { query: { a: NaN } }, says(/option "query".+got { a: NaN }/)],
  [null, 'a', { query: { a: [-Infinity] } }, says(/option "query".+got { a: -Infinity }/)],
  [null, 'a', { query: 'a=1' as never }, says(/option "query".+got 'a=1'/)],
  [null, 'a', 'v2' as never, says(/option "options".+an object, got 'v2'/)],
  [null, 'a', { hash: 1 as never }, says(/option "hash": expected a string, got 1\.$/)],
  [hosts, 'v1.a.b', { version: 'v3.1' }, says(/a version that fits into the host 'v1\.a\.b', got '/)],
  [hosts, 'localhost', v2, noHost("The link needs a host with a version, got 'localhost'.")],
  [null, 'a b', absolute, noHost("The link needs a host, got 'a b'.")],
  [null, 'user@b', absolute, noHost(/got 'user@b'/)]
]

for (const [scheme, host, options, expected, baseUrl = null] of links) {
  const asked = inspect([host, options, baseUrl])
  t.test(`under ${nameOf(scheme)} the link with ${asked} is ${inspect(expected)}`, async (t) => {
    const { link } = await bookings(t, { scheme, baseUrl })
    const request = { url: '/bookings/7', headers: { host } }
    leads(t, await link(request, null, null, options), expected)
    leads(t, await link(request, 'booking', [7], options), expected)
  })
}

t.test('outside a request a link has the version given, and its origin from baseUrl', async (t) => {
  const { app: plain } = await bookings(t, { scheme: query })
  t.equal(plain.reverse('booking', [7], v2), '/bookings/7?version=v2')
  t.equal(plain.reverse('booking', [7], null as never), '/bookings/7')
  const { app: based } = await bookings(t, { scheme: hosts, baseUrl: 'https://v1.example.com/api' })
  t.equal(based.reverse('booking', [7], v2), 'https://v2.example.com/api/bookings/7')
  const { app } = await bookings(t, { scheme: hosts })
  const { app: every } = await bookings(t, { scheme: query, allowedVersions: null })
  t.throws(() => every.reverse('booking', [7], { version: 7 as never }), says(/expected a string, or null, got 7\.$/))
  for (const options of [v2, absolute]) {
    const message = 'Set "baseUrl": outside a request, this link has no host.'
    t.throws(() => app.reverse('booking', [7], options), says(message))
  }
})

for (const [baseUrl, other, url, successor] of [
  [API, HeaderVersioning, `${V2}/bookings/7`], [API, query, `${V2}/bookings/7`],
  [PLAIN, HeaderVersioning, null], [PLAIN, query, `${PLAIN}/bookings/7?version=v2`, null], [PLAIN, null, null]
] as [string, typeof HeaderVersioning | typeof query | null, string | null, null?][]) {
  t.test(`with baseUrl ${baseUrl} links under hosts and ${nameOf(other)} leave the host of the request`, async (t) => {
    const scheme = other === null ? hosts : [hosts, other]
    const lifecycle = { v1: { deprecated: '2025-01-01' } }
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', baseUrl, lifecycle })
    app.get('/bookings/:id', async (_request, reply) => reply.reverse(null, null, v2))
    const { statusCode, body, headers } = await app.inject({ url: '/bookings/7', headers: { host: 'v1.evil.com' } })
    t.equal(url === null ? statusCode : body, url ?? 500)
    const links = `<${url}>; rel="successor-version", <${url}>; rel="latest-version"`
    // In a list the member that reads the version makes successors.
    t.equal(headers.link, url === null || successor === null ? undefined : links)
  })
}

const toHosts: [host: string, baseUrl: string | null, options: LinkOptions, url: string | object][] = [
  ['v1.example.com', null, {}, 'http://v2.example.com/ho'],
  ['v1.example.com', null, absolute, 'http://v2.example.com/ho'],
  ['v2.example.com', null, {}, '/ho'],
  ['v2.example.com', null, absolute, 'http://v2.example.com/ho'],
  ['localhost', null, {}, '/ho'],
  ['localhost', null, absolute, badHost],
  ['v1.evil.com', API, {}, `${V2}/ho`],
  ['v1.evil.com', PLAIN, {}, option]
]

for (const [host, baseUrl, options, url] of toHosts) {
  const asked = inspect({ host, baseUrl, ...options })
  t.test(`a link of a request with ${asked} to a route with hosts is ${inspect(url)}`, async (t) => {
    const { app, answer, link } = await linker(t, { scheme: query, baseUrl })
    app.get('/b', answer)
    app.get('/ho', { name: 'ho', versioning: hosts }, ok)
    leads(t, await link({ url: '/b?version=v2', headers: { host } }, 'ho', null, options), url)
  })
}

t.test('X-Forwarded-Host and -Proto are used under trustProxy only', async (t) => {
  const forwarded = { 'x-forwarded-host': 'a.example, outer.example', 'x-forwarded-proto': 'https' }
  for (const [trustProxy, more, expected] of [
    [false, {}, 'http://inner.example/bookings/7'], [true, {}, 'https://outer.example/bookings/7'],
    [true, { 'x-forwarded-proto': 'javascript' }, badHost]
  ] as const) {
    const { link } = await bookings(t, { scheme: null }, { trustProxy })
    const headers = { host: 'inner.example', ...forwarded, ...more }
    leads(t, await link({ url: '/bookings/7', headers }, null, null, absolute), expected)
  }
})

t.test('a link has the known options alone, however it is made', async (t) => {
  const scheme = new QueryParameterVersioning({ defaultVersion: 'v1' })
  const off = await appWith(t)
  const { app, answer, link } = await linker(t, { scheme, allowedVersions: null })
  app.get('/self', { name: 'root' }, answer)
  app.get('/:a/:b', { name: 'pair' }, ok)
  for (const [typo, message] of [
    [{ verison: 'v2' }, "Unknown link option 'verison'. Did you mean 'version'?"],
    [{ colour: 'red' }, /'colour'\. The options are args, kwargs, .*, absolute, format\.$/],
    [{ ['b'.repeat(61)]: 1 }, /The options are args/]
  ] as [object, string | RegExp][]) {
    for (const one of [app, off]) t.throws(() => one.reverse('root', null, typo), says(message))
    for (const name of [null, 'root']) t.match(await link('/self', name, null, typo), says(message))
    t.throws(() => scheme.reverse('pair', typo), says(message))
  }
  t.equal(scheme.reverse('pair', { args: [1], kwargs: { b: 2 }, format: null, request: null, server: app }), '/1/2')
})

for (const [option, says] of [
  [{ request: { headers: { authorization: 'secret' } } }, /^Give the link option "request" the request of Fastify, /],
  [{ request: 'v1' }, /^Give the link option "request" the request of Fastify, /],
  [{ args: 7 }, /^Invalid link option "args": expected a list, got 7\.$/]
] as [object, RegExp][]) {
  t.test(`${inspect(option)} is no option of a link, not even one without a version`, async (t) => {
    const scheme = new QueryParameterVersioning({ allowedVersions: ['v1'] })
    const app = await appWith(t, { scheme })
    app.get('/a', { name: 'a' }, async (_request, reply) => reply.reverse('a', null, option))
    t.match((await app.inject('/a?version=v1')).json().message, says)
    t.throws(() => scheme.reverse('a', option), { code: 'FST_ERR_REVERSE_OPTION', message: says })
  })
}

for (const [returned, query, says] of [
  [{ page: { of: 1 } }, { cursor: 'c3' }, /^Change 'v2' \(Cursors\), GET \/list, querystring of a link: /],
  [null, { cursor: 'c3' }, /its function "downgrade" returned what is no query\.$/],
  [{}, { cursor: { of: 1 } }, null]
] as const) {
  t.test(`${inspect(query)} of which a change makes ${inspect(returned)} is the fault of whom it is`, async (t) => {
    const older = { type: 'object', properties: { page: { type: 'string' } }, additionalProperties: false }
    const change = { upgrade: () => ({}), downgrade: () => returned }
    const app = await appWith(t, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2'],
      changes: [{
        version: 'v2',
        description: 'Cursors',
        routes: { list: { older: { querystring: older }, query: change as never } }
      }]
    })
    app.get('/list', { name: 'list', schema: { querystring: { type: 'object' } } }, ok)
    await app.ready()
    const link = () => app.reverse('list', null, { ...v1, query: query as never })
    if (says === null) t.throws(link, option)
    else t.throws(link, { code: 'FST_ERR_VERSION_CHANGE', cause: { message: says } })
  })
}

for (const params of [7, 'v1', true] as never[]) {
  t.test(`the parameters of a link are not ${params}`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning })
    app.get('/list', { name: 'list' }, ok)
    t.throws(() => app.reverse('list', params), says(/"params": expected an object such as { id: 7 }, got/))
  })
}

for (const [place, asked, status] of [
  [URLPathVersioning, '..', 400], [URLPathVersioning, 'v1', 200], [HostNameVersioning, 'a_b', 400],
  [HeaderVersioning, 'v1', 500]
] as const) {
  t.test(`where any version is allowed, a link into ${asked} is ${status} under ${place.name}`, async (t) => {
    const scheme = place === HeaderVersioning ? place : [HeaderVersioning, place]
    const app = await appWith(t, { scheme, baseUrl: 'https://v1.a.b' })
    app.get('/b', async (_request, reply) => reply.reverse('c', null, absolute))
    // Without its parameter the link is the app's mistake.
    app.get(place === URLPathVersioning ? '/:version/c' : place === hosts ? '/c' : '/c/:id', { name: 'c' }, ok)
    t.equal((await app.inject({ url: '/b', headers: { 'api-version': asked } })).statusCode, status)
  })
}

t.test('a listed version that no URL can have is the mistake of the app', async (t) => {
  const app = await appWith(t, { scheme: [HeaderVersioning, URLPathVersioning], allowedVersions: ['v1', 'v2'] })
  app.get('/b', async (_request, reply) => reply.reverse('c', null, absolute))
  app.get('/:version(^v1$)/c', { name: 'c' }, ok)
  t.equal((await app.inject({ url: '/b', headers: { 'api-version': 'v2' } })).statusCode, 500)
})

t.test('a link outside of a request has its version in the query, if the list has a host as well', async (t) => {
  const app = await appWith(t, { scheme: [hosts, query], allowedVersions: ['v1', 'v2'] })
  app.get('/a', { name: 'a' }, ok)
  await app.ready()
  t.equal(app.reverse('a', null, v2), '/a?version=v2')
})
