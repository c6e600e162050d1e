import t from 'tap'

import {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appFor, badHost, option } from './app.ts'

import type { LinkOptions, ReverseKwargs, VersioningOptions } from '../../types/index.d.ts'

interface Link {
  scheme?: VersioningOptions['scheme']
  at: string
  host?: string
  name: string | null
  params?: ReverseKwargs | null
  options?: LinkOptions
  url: string
}

const query = QueryParameterVersioning
const links: Link[] = [
  // Into another version
  {
    scheme: URLPathVersioning,
    at: '/v1/rooms/7',
    name: 'room',
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/v2/rooms/8'
  },
  {
    scheme: URLPathVersioning,
    at: '/v1/rooms/7',
    name: 'room',
    params: { id: 8, version: 'v9' },
    options: { version: 'v2' },
    url: '/v9/rooms/8'
  },
  {
    scheme: URLPathVersioning,
    at: '/v1/rooms/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: null },
    url: '/bookings/8'
  },
  {
    scheme: query,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/bookings/8?version=v2'
  },
  {
    scheme: query,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: null },
    url: '/bookings/8'
  },
  {
    scheme: NamespaceVersioning,
    at: '/ns-v1/seats/7',
    name: 'seat',
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/ns-v2/seats/8'
  },
  {
    scheme: NamespaceVersioning,
    at: '/ns-v1/seats/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: null },
    url: '/bookings/8'
  },
  {
    scheme: AcceptHeaderVersioning,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/bookings/8'
  },
  {
    scheme: HostNameVersioning,
    at: '/bookings/7',
    host: 'v1.example.com:8080',
    name: 'booking',
    params: { id: 8 },
    options: { version: 'v2', query: { a: 1 }, hash: 'top' },
    url: 'http://v2.example.com:8080/bookings/8?a=1#top'
  },
  {
    scheme: HostNameVersioning,
    at: '/bookings/7',
    host: 'v1.example.com',
    name: 'booking',
    params: { id: 8 },
    options: { version: null },
    url: '/bookings/8'
  },
  {
    scheme: null,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/bookings/8'
  },

  // The route of the request
  { scheme: query, at: '/bookings/7?version=v2', name: null, url: '/bookings/7?version=v2' },
  { scheme: query, at: '/bookings/7?version=v2', name: null, params: { id: 8 }, url: '/bookings/8?version=v2' },
  {
    scheme: query,
    at: '/bookings/7?version=v2',
    name: null,
    options: { version: 'v1' },
    url: '/bookings/7?version=v1'
  },
  {
    scheme: query,
    at: '/bookings/7?version=v2&page=1',
    name: null,
    options: { query: { page: 2, version: 'x' } },
    url: '/bookings/7?page=2&version=v2'
  },
  {
    scheme: query,
    at: '/bookings/7?version=v2&page=1',
    name: null,
    options: { version: null, query: { version: 'v2', page: 2, __version: 1 } },
    url: '/bookings/7?page=2&__version=1'
  },
  {
    scheme: query,
    at: '/bookings/7',
    name: null,
    options: { version: null, query: { version: 'v2' }, hash: 'a' },
    url: '/bookings/7#a'
  },
  { scheme: query, at: '/unnamed/7', name: null, url: '/unnamed/7?version=v1' },
  { scheme: query, at: '/unnamed', name: null, url: '/unnamed?version=v1' },
  { scheme: query, at: '/files/a/b%20c', name: null, options: { version: null }, url: '/files/a/b%20c' },
  { scheme: query, at: '/files/', name: null, options: { version: null }, url: '/files/' },
  { scheme: URLPathVersioning, at: '/v1/rooms/7', name: null, url: '/v1/rooms/7' },
  { scheme: URLPathVersioning, at: '/v1/rooms/7', name: null, options: { version: 'v2' }, url: '/v2/rooms/7' },
  { scheme: URLPathVersioning, at: '/v1/rooms/7', name: null, params: { id: 8, version: 'v9' }, url: '/v9/rooms/8' },
  { scheme: NamespaceVersioning, at: '/ns-v1/seats/7', name: null, url: '/ns-v1/seats/7' },
  { scheme: NamespaceVersioning, at: '/ns-v1/seats/7', name: null, options: { version: 'v2' }, url: '/ns-v2/seats/7' },
  {
    scheme: NamespaceVersioning,
    at: '/ns-v1/seats/7',
    name: null,
    params: { id: 8 },
    options: { version: 'v2' },
    url: '/ns-v2/seats/8'
  },
  { scheme: NamespaceVersioning, at: '/api/v1/deep/7', name: null, options: { version: 'v2' }, url: '/api/v2/deep/7' },
  { scheme: NamespaceVersioning, at: '/ns-v1/unnamed', name: null, options: { version: 'v1' }, url: '/ns-v1/unnamed' },
  {
    scheme: HostNameVersioning,
    at: '/bookings/7',
    host: 'v1.a.b',
    name: null,
    options: { version: 'v2' },
    url: 'http://v2.a.b/bookings/7'
  },
  { scheme: AcceptHeaderVersioning, at: '/bookings/7', name: null, options: { version: 'v2' }, url: '/bookings/7' },
  { scheme: null, at: '/unnamed/7', name: null, url: '/unnamed/7' },

  // Query and fragment
  {
    at: '/bookings/7',
    name: null,
    options: { query: { a: [1, 2n, true], b: 'ä&=' } },
    url: '/bookings/7?a=1&a=2&a=true&b=%C3%A4%26%3D'
  },
  {
    at: '/bookings/7',
    name: null,
    options: { query: { a: undefined, b: null, c: [null, ''] } },
    url: '/bookings/7?c='
  },
  {
    at: '/bookings/7',
    name: null,
    options: { query: [['a', 1], ['a', 2], ['b', [3, 4]]] },
    url: '/bookings/7?a=1&a=2&b=3&b=4'
  },
  {
    at: '/bookings/7',
    name: null,
    options: { query: new URLSearchParams('b=1&a=2 3') },
    url: '/bookings/7?b=1&a=2%203'
  },
  { at: '/bookings/7', name: null, options: { query: new Map([['a', 1]]) }, url: '/bookings/7?a=1' },
  { at: '/bookings/7', name: null, options: { query: {} }, url: '/bookings/7' },
  { at: '/bookings/7', name: null, options: { query: null, hash: null }, url: '/bookings/7' },
  { at: '/bookings/7', name: null, options: { query: { '\ud800': '\r\n\0' } }, url: '/bookings/7?%EF%BF%BD=%0D%0A%00' },
  {
    at: '/bookings/7',
    name: null,
    options: { query: JSON.parse('{"__proto__":"x"}') },
    url: '/bookings/7?__proto__=x'
  },
  { at: '/bookings/7', name: null, options: { hash: 'a b' }, url: '/bookings/7#a%20b' },
  { at: '/bookings/7', name: null, options: { hash: '#a#b%' }, url: '/bookings/7#a%23b%25' },
  { at: '/bookings/7', name: null, options: { hash: 'a#b' }, url: '/bookings/7#a%23b' },
  { at: '/bookings/7', name: null, options: { hash: '' }, url: '/bookings/7' },
  { at: '/bookings/7', name: null, options: { hash: '\ud800\r\nü' }, url: '/bookings/7#%EF%BF%BD%0D%0A%C3%BC' },
  { scheme: query, at: '/bookings/7', name: null, options: { hash: 'top' }, url: '/bookings/7?version=v1#top' },

  // Absolute
  {
    at: '/bookings/7',
    host: 'example.com:8080',
    name: null,
    options: { absolute: true },
    url: 'http://example.com:8080/bookings/7'
  },
  { at: '/bookings/7', host: 'a:', name: null, options: { absolute: true }, url: 'http://a:/bookings/7' },
  { at: '/bookings/7', host: '[::1]:80', name: null, options: { absolute: true }, url: 'http://[::1]:80/bookings/7' },
  { at: '/bookings/7', host: 'example.com', name: null, options: { absolute: false }, url: '/bookings/7' },
  {
    scheme: query,
    at: '/bookings/7',
    host: 'example.com',
    name: null,
    options: { absolute: true, hash: 'x' },
    url: 'http://example.com/bookings/7?version=v1#x'
  }
]

for (const { scheme = null, at, host = 'localhost', name, params = null, options, url } of links) {
  const by = scheme === null ? 'no scheme' : (scheme as { name: string }).name
  const asked = [name, params, options === undefined ? {} : Object.keys(options)].map((part) => JSON.stringify(part))
  t.test(`at ${at} on ${host} under ${by}, reverse(${asked.join(', ')}) is ${url}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => reply.reverse(name, params, options))
    const response = await app.inject({ url: at, headers: { host } })
    t.equal(response.body, url)
    t.equal(response.statusCode, 200)
  })
}

interface Refused extends Omit<Link, 'url'> { code: string, statusCode: number, says: RegExp }

const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }

const refused: Refused[] = [
  ...[URLPathVersioning, query, NamespaceVersioning, HostNameVersioning, AcceptHeaderVersioning].map((scheme) => ({
    scheme,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 7 },
    options: { version: 'v9' },
    ...option,
    says: /^Invalid link option "version": expected one of \[ 'v1', 'v2', 'v3\.1' \], or null, got 'v9'\.$/
  })),
  { scheme: query, at: '/bookings/7', name: null, options: { version: 2 as never }, ...option, says: /got 2\.$/ },
  {
    at: '/bookings/7',
    name: null,
    options: { absolute: 'yes' as never },
    ...option,
    says: /^Invalid link option "absolute": expected true or false, got 'yes'\.$/
  },
  { at: '/bookings/7', host: 'a:99999', name: null, options: { absolute: true }, ...badHost, says: /got 'a:99999'/ },
  {
    at: '/bookings/7',
    name: null,
    options: { query: { a: {} as never } },
    ...option,
    says: /option "query".+got { a: {} }/
  },
  { at: '/bookings/7', name: null, options: { query: 'a=1' as never }, ...option, says: /option "query".+got 'a=1'/ },
  { at: '/bookings/7', name: null, options: { query: ['a'] as never }, ...option, says: /option "query".+got 'a'/ },
  { at: '/bookings/7', name: null, options: { query: [[1, 2]] as never }, ...option, says: /option "query"/ },
  { at: '/bookings/7', name: null, options: 'v2' as never, ...option, says: /option "options".+an object, got 'v2'/ },
  {
    at: '/bookings/7',
    name: null,
    options: { hash: 1 as never },
    ...option,
    says: /option "hash": expected a string, got 1\.$/
  },
  {
    scheme: HostNameVersioning,
    at: '/bookings/7',
    host: 'v1.example.com',
    name: null,
    options: { version: 'v3.1' },
    ...option,
    says: /expected a version that fits into the host 'v1\.example\.com', got 'v3\.1'\.$/
  },
  {
    scheme: HostNameVersioning,
    at: '/bookings/7',
    host: 'localhost',
    name: null,
    options: { version: 'v2' },
    ...badHost,
    says: /^The link needs a host with a version, got 'localhost'\.$/
  },
  {
    at: '/bookings/7',
    host: 'a b',
    name: null,
    options: { absolute: true },
    ...badHost,
    says: /^The link needs a host, got 'a b'\.$/
  },
  { at: '/bookings/7', host: 'a/b', name: null, options: { absolute: true }, ...badHost, says: /got 'a\/b'/ },
  { at: '/bookings/7', host: 'user@b', name: null, options: { absolute: true }, ...badHost, says: /got 'user@b'/ },
  {
    at: '/bookings/7',
    name: null,
    params: { id: '..' },
    ...noMatch,
    says: /^The current route, '.+', has no URL for { id: '\.\.' }/
  },
  { at: '/bookings/..%2Fx', name: null, ...noMatch, statusCode: 400, says: /^The current route, '.+', has no URL for/ },
  {
    scheme: URLPathVersioning,
    at: '/v1/rooms/7',
    name: null,
    options: { version: null },
    ...noMatch,
    says: /"version" missing/
  },
  {
    scheme: NamespaceVersioning,
    at: '/bookings/7',
    name: null,
    options: { version: 'v2' },
    ...noMatch,
    says: /^The current route, '\/bookings\/:id', has no URL that specifies the version 'v2'\.$/
  }
]

for (const { scheme = null, at, host = 'localhost', name, params = null, options, says, ...error } of refused) {
  const by = scheme === null ? 'no scheme' : (scheme as { name: string }).name
  t.test(`at ${at} on ${host} under ${by}, the link is refused with ${says}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => reply.reverse(name, params, options))
    const response = await app.inject({ url: at, headers: { host } })
    t.match(response.json(), { ...error, message: says })
  })
}

t.test('without a request there is no current route', async (t) => {
  const app = await appFor(t, { scheme: NamespaceVersioning }, () => '')
  t.throws(() => app.reverse(null as never), { ...noMatch, message: 'There is no current route to reverse.' })
})

t.test('on a URL that no route matches there is no current route', async (t) => {
  const app = await appFor(t, {}, () => '')
  app.setNotFoundHandler(async (_request, reply) => reply.reverse())
  t.match((await app.inject('/nowhere')).json(), { message: 'There is no current route to reverse.' })
})

t.test('the options of a link may be null', async (t) => {
  const app = await appFor(t, { scheme: QueryParameterVersioning }, () => '')
  t.equal(app.reverse('booking', [7], null as never), '/bookings/7')
})
