import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseKwargs, VersioningOptions } from '../../types/index.d.ts'

type Call = (reply: FastifyReply) => string

const allowedVersions = ['v1', 'v2', 'v3.1']

/** An app whose routes, versioned in every way, answer with what `call` makes of their reply. */
async function appFor (t: Test, options: VersioningOptions, call: Call, server: FastifyServerOptions = {}) {
  const app = await appWith(t, { allowedVersions, defaultVersion: 'v1', ...options }, server)
  app.get('/bookings/:id', { name: 'booking' }, async (_request, reply) => call(reply))
  app.get('/:version/rooms/:id', { name: 'room' }, async (_request, reply) => call(reply))
  app.get('/unnamed/:id?', async (_request, reply) => call(reply))
  app.get('/files/*', { name: 'file' }, async (_request, reply) => call(reply))
  for (const version of ['v1', 'v2']) {
    app.register(async (scope) => {
      scope.get('/seats/:id', { name: 'seat' }, async (_request, reply) => call(reply))
      scope.get('/unnamed', async (_request, reply) => call(reply))
    }, { prefix: `/ns-${version}`, namespace: version })
  }
  app.register(async (outer) => outer.register(async (scope) => {
    scope.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  }, { prefix: '/v2', namespace: 'v2' }), { prefix: '/api', namespace: 'api' })
  app.register(async (outer) => outer.register(async (scope) => {
    scope.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  }, { prefix: '/v1', namespace: 'v1' }), { prefix: '/api', namespace: 'api' })
  app.get('/deep/:id', { name: 'deep' }, async (_request, reply) => call(reply))
  return app
}

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
  { scheme: URLPathVersioning, at: '/bookings/7', name: null, options: { version: 'v2' }, url: '/bookings/7' },
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
  t.test(`at ${at} on ${host} under ${by}, (${asked.join(', ')}) is ${url}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => reply.reverse(name, params, options))
    const response = await app.inject({ url: at, headers: { host } })
    t.equal(response.body, url)
    t.equal(response.statusCode, 200)
  })
}

interface Refused extends Omit<Link, 'url'> { code: string, statusCode: number, says: RegExp }

const option = { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500 }
const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }
const badHost = { code: 'FST_ERR_REVERSE_HOST', statusCode: 400 }
const refused: Refused[] = [
  ...[URLPathVersioning, query, NamespaceVersioning, HostNameVersioning, AcceptHeaderVersioning].map((scheme) => ({
    scheme,
    at: '/bookings/7',
    name: 'booking',
    params: { id: 7 },
    options: { version: 'v9' },
    ...option,
    says: /^Invalid "version" of a link: expected one of \[ 'v1', 'v2', 'v3\.1' \], or null, got 'v9'\.$/
  })),
  { scheme: query, at: '/bookings/7', name: null, options: { version: 2 as never }, ...option, says: /got 2\.$/ },
  {
    at: '/bookings/7',
    name: null,
    options: { absolute: 'yes' as never },
    ...option,
    says: /^Invalid "absolute" of a link: expected true or false, got 'yes'\.$/
  },
  { at: '/bookings/7', host: 'a:99999', name: null, options: { absolute: true }, ...badHost, says: /got 'a:99999'/ },
  {
    at: '/bookings/7',
    name: null,
    options: { query: { a: {} as never } },
    ...option,
    says: /^Invalid "query".+got { a: {} }/
  },
  { at: '/bookings/7', name: null, options: { query: 'a=1' as never }, ...option, says: /^Invalid "query".+got 'a=1'/ },
  { at: '/bookings/7', name: null, options: { query: ['a'] as never }, ...option, says: /^Invalid "query".+got 'a'/ },
  { at: '/bookings/7', name: null, options: { query: [[1, 2]] as never }, ...option, says: /^Invalid "query"/ },
  { at: '/bookings/7', name: null, options: 'v2' as never, ...option, says: /^Invalid "options".+an object, got 'v2'/ },
  { at: '/bookings/7', name: null, options: { hash: 1 as never }, ...option, says: /^Invalid "hash".+got 1/ },
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
    says: /^The current route has no URL for { id: '\.\.' }/
  },
  { at: '/bookings/..%2Fx', name: null, ...noMatch, statusCode: 400, says: /^The current route has no URL for/ },
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
    says: /^The current route, 'booking', is not in 'v2'\.$/
  }
]

for (const { scheme = null, at, host = 'localhost', name, params = null, options, says, ...error } of refused) {
  const by = scheme === null ? 'no scheme' : (scheme as { name: string }).name
  t.test(`at ${at} on ${host} under ${by}, the link is refused: ${says}`, async (t) => {
    const app = await appFor(t, { scheme }, (reply) => reply.reverse(name, params, options))
    const response = await app.inject({ url: at, headers: { host } })
    t.match(response.json(), { ...error, message: says })
  })
}

t.test('the counterpart of a route in another version may be in no version', async (t) => {
  const app = await appFor(t, { scheme: NamespaceVersioning }, (reply) => reply.reverse(null, null, { version: null }))
  t.match((await app.inject('/api/v1/deep/7')).json(), { message: "The current route, 'deep', is not in 'api'." })
  t.equal((await app.inject('/deep/7')).body, '/deep/7')
})

t.test('where every version is permitted a link may be told any string', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/', { name: 'home' }, () => {})
  t.equal(app.reverse('home', null, { version: 'any' }), '/?version=any')
  t.throws(() => app.reverse('home', null, { version: 5 as never }), {
    ...option, message: 'Invalid "version" of a link: expected a string, or null, got 5.'
  })
})

t.test('a context without versioning links into a version by the nearest scheme above', async (t) => {
  for (const [scheme, url] of [[QueryParameterVersioning, '/q?version=v2'], [URLPathVersioning, '/v2/q']] as const) {
    const app = await appWith(t, { scheme })
    app.get(scheme === URLPathVersioning ? '/:version/q' : '/q', { name: 'q' }, () => {})
    app.register(async (context) => {
      await context.register(versioning, { scheme: null })
      context.get('/told', async (_request, reply) => reply.reverse('q', null, { version: 'v2' }))
      t.equal(context.reverse('q', null, { version: 'v2' }), url)
    })
    t.equal((await app.inject('/told')).body, url)
  }
})

t.test('a context without versioning asks no scheme for a link that is told no version', async (t) => {
  class Marking extends QueryParameterVersioning {
    override reverse (viewName: string | null, options = {}) {
      return `${super.reverse(viewName, options)}#marked`
    }
  }
  const app = await appWith(t, { scheme: Marking })
  app.get('/q', { name: 'q' }, () => {})
  app.register(async (context) => {
    await context.register(versioning, { scheme: null })
    context.get('/untold', async (_request, reply) => reply.reverse('q'))
    t.equal(context.reverse('q'), '/q')
    t.equal(context.reverse('q', null, { version: 'v2' }), '/q?version=v2#marked')
  })
  t.equal((await app.inject('/untold')).body, '/q')
  t.equal(app.reverse('q'), '/q#marked')
})

t.test('a version in a host needs a host', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning })
  app.get('/', { name: 'home' }, () => {})
  t.throws(() => app.reverse('home', null, { version: 'v2' }), {
    ...option,
    message: /^Invalid "version" of a link: expected the option baseUrl or a request to take the origin from, got /
  })
})

t.test('a link to a route without versions costs no explanation, however many names there are', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, defaultVersion: 'v1' })
  const links: string[] = []
  for (let i = 0; i < 20; i++) app.get(`/r${i}`, { name: `r${i}` }, () => {})
  app.get('/', async (_request, reply) => {
    const { captureStackTrace } = Error
    let explanations = 0
    Error.captureStackTrace = (...args) => {
      explanations++
      captureStackTrace(...args)
    }
    for (let i = 0; i < 20; i++) links.push(reply.reverse(`r${i}`))
    Error.captureStackTrace = captureStackTrace
    return explanations
  })
  t.equal((await app.inject('/')).json(), 0)
  t.same(links, Array.from({ length: 20 }, (_, i) => `/r${i}`))
})

t.test('without a request there is no current route', async (t) => {
  const app = await appFor(t, { scheme: NamespaceVersioning }, () => '')
  t.throws(() => app.reverse(null as never), { ...noMatch, message: 'There is no current route to reverse.' })
})

t.test('on a URL that no route matches there is no current route', async (t) => {
  const app = await appFor(t, {}, () => '')
  app.setNotFoundHandler(async (_request, reply) => reply.reverse())
  t.match((await app.inject('/nowhere')).json(), { message: 'There is no current route to reverse.' })
})

t.test('outside a request an absolute link needs baseUrl', async (t) => {
  const app = await appFor(t, {}, () => '')
  t.throws(() => app.reverse('booking', { id: 7 }, { absolute: true }), {
    ...option,
    message: 'Invalid "absolute" of a link: ' +
      'expected the option baseUrl or a request to take the origin from, got neither.'
  })
})

t.test('outside a request a link may go into a version', async (t) => {
  const into = async (scheme: VersioningOptions['scheme'], options: VersioningOptions = {}) =>
    (await appFor(t, { scheme, ...options }, () => '') as FastifyInstance)
  const v2 = { version: 'v2' }
  t.equal((await into(query)).reverse('booking', { id: 7 }, v2), '/bookings/7?version=v2')
  t.equal((await into(URLPathVersioning)).reverse('room', { id: 7 }, v2), '/v2/rooms/7')
  t.equal((await into(NamespaceVersioning)).reverse('seat', { id: 7 }, v2), '/ns-v2/seats/7')
  const baseUrl = 'https://v1.example.com/api'
  const app = await into(HostNameVersioning, { baseUrl })
  t.equal(app.reverse('booking', [7], v2), 'https://v2.example.com/api/bookings/7')
})

t.test('a scheme on its own links into another host by the baseUrl of its app', async (t) => {
  const scheme = new HostNameVersioning()
  const app = await appWith(t, { scheme, baseUrl: 'https://v1.example.com' })
  app.get('/', { name: 'root' }, async () => '')
  t.equal(scheme.reverse('root', { version: 'v2' }), 'https://v2.example.com/')
})

t.test('a link into another host without a request or a fitting baseUrl is refused', async (t) => {
  const app = await appFor(t, { scheme: HostNameVersioning, baseUrl: 'https://example.com' }, () => '')
  t.throws(() => app.reverse('booking', [7], { version: 'v2' }), option)
})

t.test('where baseUrl has no place for a version, the host of the request has', async (t) => {
  const app = await appFor(
    t, { scheme: HostNameVersioning, baseUrl: 'https://example.com' },
    (reply) => reply.reverse('booking', [7], { version: 'v2' })
  )
  t.equal((await app.inject({ url: '/bookings/7', headers: { host: 'v1.a.b' } })).body, 'http://v2.a.b/bookings/7')
})

t.test('the version is replaced in its own place, also where its text stands before', async (t) => {
  class Prefixed extends HostNameVersioning {
    override readonly hostnameRegex = /^api-v1-([a-z0-9]+)\.example\.com$/i
  }
  const app = await appFor(t, { scheme: Prefixed }, (reply) => reply.reverse(null, null, { version: 'v2' }))
  const { body } = await app.inject({ url: '/bookings/7', headers: { host: 'API-v1-v1.example.com' } })
  t.equal(body, 'http://API-v1-v2.example.com/bookings/7')
})

t.test('where no scheme judged the request, a link that is told its version has it', async (t) => {
  const app = await appFor(t, { scheme: query }, () => '')
  app.setNotFoundHandler(async (_request, reply) => reply.reverse('booking', [7], { version: 'v2' }))
  t.equal((await app.inject('/nowhere')).body, '/bookings/7?version=v2')
  const off = await appFor(t, { scheme: null }, () => '')
  off.setNotFoundHandler(async (_request, reply) => reply.reverse('booking', [7], { version: 'v2' }))
  t.equal((await off.inject('/nowhere')).body, '/bookings/7')
})

t.test('options may be null', async (t) => {
  const app = await appFor(t, { scheme: query }, () => '')
  t.equal(app.reverse('booking', [7], null as never), '/bookings/7')
})

t.test('a subclass may have the version elsewhere in the host, or optional', async (t) => {
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

t.test('X-Forwarded-Host and -Proto count under trustProxy only', async (t) => {
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
