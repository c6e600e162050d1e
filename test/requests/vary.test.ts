import { once } from 'node:events'
import http2 from 'node:http2'
import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'

const settings = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

/** What a handler or an onSend hook does, and what remains of it. */
const sets: [says: string, set: (reply: FastifyReply) => unknown, vary: string][] = [
  ['sets another name', (reply) => reply.header('Vary', 'Origin'), 'Origin, Accept'],
  ['sets several headers', (reply) => reply.headers({ vary: 'Origin' }), 'Origin, Accept'],
  ['sets a list', (reply) => reply.header('vary', 'Origin,Cookie'), 'Origin, Cookie, Accept'],
  ['sets an array', (reply) => reply.header('Vary', ['a', 'b'] as never), 'a, b, Accept'],
  ['sets it among others', (reply) => reply.header('Vary', 'a, ACCEPT ,b'), 'a, ACCEPT ,b'],
  ['sets a longer name', (reply) => reply.header('Vary', 'Accept-X'), 'Accept-X, Accept'],
  ['sets an asterisk in a list', (reply) => reply.header('Vary', 'a, *'), '*'],
  ['sets an asterisk', (reply) => reply.header('Vary', '*'), '*'],
  ['sets a name twice', (reply) => reply.header('Vary', 'a, A'), 'a, Accept'],
  ['sets empty names', (reply) => reply.header('Vary', ' , a,, b '), 'a, b, Accept'],
  ['sets null', (reply) => reply.header('Vary', null as never), 'Accept'],
  ['removes it', (reply) => reply.removeHeader('Vary'), 'Accept'],
  ['sets it only on the response of Node', (reply) => reply.removeHeader('Vary').raw.setHeader('Vary', 'Origin'),
    'Origin, Accept'],
  ['sets it on the response of Node as well', (reply) => reply.raw.setHeader('Vary', 'Origin'), 'Origin, Accept'],
  ['sets it on both', (reply) => reply.header('Vary', 'a').raw.setHeader('Vary', ['Origin', 'Accept']),
    'Origin, Accept, a']
]

for (const [says, set, vary] of sets) {
  t.test(`the response varies by ${vary} where a handler or an onSend hook ${says}`, async (t) => {
    const app = await appWith(t, settings)
    const onSend = async (_request: FastifyRequest, reply: FastifyReply) => { set(reply) }
    app.get('/handler', async (_request, reply) => {
      set(reply)
      return ''
    })
    app.get('/route', { onSend }, ok)
    app.get('/appended', { onSend: [async () => {}, onSend] }, ok)
    app.register(async (context) => { context.addHook('onSend', onSend).get('/hook', ok) })
    for (const url of ['/handler', '/route', '/appended', '/hook']) {
      t.equal((await app.inject(url)).headers.vary, vary, url)
    }
  })
}

type Declare = (app: FastifyInstance) => unknown

const origin = async (_request: FastifyRequest, reply: FastifyReply) => { reply.header('vary', 'Origin') }
const sendOrigin = async (_request: FastifyRequest, reply: FastifyReply) => reply.header('vary', 'Origin').send('')
const fail = async () => { throw new Error('failed') }
const broken = () => new Readable({ read () { this.destroy(new Error('broken')) } })
const web = (init: ResponseInit, body: string | null = '') => async () => new Response(body, init)
const BOTH = 'Origin, Accept'

/** What the package on-headers does for compression: it sets all headers on Node's response before it adds its own. */
const appendOrigin = async (_request: FastifyRequest, { raw }: FastifyReply) => {
  const { writeHead } = raw
  raw.writeHead = function (status: number, fields: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(fields)) raw.setHeader(name, value)
    const names = String(raw.getHeader('Vary') ?? '')
    if (!names.includes('Origin')) raw.setHeader('Vary', names === '' ? 'Origin' : `Origin, ${names}`)
    return writeHead.call(raw, status)
  } as never
}

/** What else answers, wherever it does. What writes a head by itself reports the version only if it passes it on. */
const answers: [says: string, declare: Declare, status: number, vary: string | undefined, isBare?: true][] = [
  ['an error with headers', (app) => app.get('/', async () => {
    throw Object.assign(new Error('failed'), { statusCode: 418, headers: { vary: 'Origin' } })
  }), 418, BOTH],
  ['an onSend hook that a later onRoute hook appends', (app) => app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().concat(origin)
  }).get('/', ok), 200, BOTH],
  ['an onSend hook that sends a web response',
    (app) => app.addHook('onSend', web({ headers: { vary: 'Origin' } })).get('/', ok), 200, BOTH],
  ['an onSend hook of the route that fails', (app) => app.get('/', { onSend: fail }, sendOrigin), 500, BOTH],
  ['an error handler', (app) => {
    app.setErrorHandler((_error, _request, reply) => reply.code(418).header('vary', 'Origin').send(''))
    app.get('/', fail)
  }, 418, BOTH],
  ['an onSend hook that fails', (app) => app.addHook('onSend', fail).get('/', sendOrigin), 500, BOTH],
  ['an error handler, and an onSend hook that fails each time', (app) => {
    app.addHook('onSend', fail)
    app.setErrorHandler((_error, _request, reply) => reply.header('vary', 'Origin').send('')).get('/', fail)
  }, 500, BOTH],
  ['a stream that fails',
    (app) => app.get('/', async (_request, reply) => reply.header('vary', 'Origin').send(broken())), 500, BOTH],
  ['a not-found handler', (app) => app.setNotFoundHandler(sendOrigin).get('/', (_request, reply) => {
    reply.callNotFound()
  }), 200, BOTH],
  ['a redirect', (app) => app.get('/', (_request, reply) => { reply.redirect('/ok') }), 302, 'Accept'],
  ['a 204', (app) => app.get('/', (_request, reply) => { reply.code(204).send() }), 204, 'Accept'],
  ['a 304', (app) => app.get('/', (_request, reply) => { reply.code(304).send() }), 304, 'Accept'],
  ['a handler that bypasses the reply', (app) => app.get('/', (_request, reply) => {
    reply.raw.end('')
  }), 200, 'Accept', true],
  ['a handler that takes the reply over', (app) => app.get('/', (_request, reply) => {
    reply.hijack().raw.writeHead(202, reply.getHeaders() as never).end('')
  }), 202, 'Accept'],
  ['a handler that writes the head, and replaces it', (app) => app.get('/', (_request, reply) => {
    reply.hijack().raw.writeHead(202, { vary: 'Origin' }).end()
  }), 202, BOTH, true],
  ['a handler that writes the head as a list, with a reason', (app) => app.get('/', (_request, reply) => {
    reply.hijack().raw.writeHead(202, 'Taken', ['Vary', 'Origin', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end()
  }), 202, BOTH, true],
  ['a handler that writes the head as pairs', (app) => app.get('/', (_request, reply) => {
    reply.hijack().raw.writeHead(202, [['VARY', 'Origin'], ['X-Own', 'own']] as never).end()
  }), 202, BOTH, true],
  ['a stream, and the response of Node', (app) => app.get('/', async (_request, reply) => {
    reply.raw.setHeader('Vary', 'Origin')
    return Readable.from(['own'])
  }), 200, BOTH],
  ['a stream of the web, and the response of Node', (app) => app.get('/', async (_request, reply) => {
    reply.raw.setHeader('Vary', ['Origin'])
    return new Response('own').body
  }), 200, BOTH],
  ['a middleware that completes heads, too', (app) => {
    for (const name of ['onRequest', 'preHandler'] as const) app.addHook(name, appendOrigin)
    app.get('/', async () => 'own')
  }, 200, BOTH],
  ['a middleware that completes heads, and a stream', (app) => {
    app.addHook('preHandler', appendOrigin).get('/', async () => Readable.from(['own']))
  }, 200, BOTH],
  ['a web response', (app) => app.get('/', web({ status: 201, headers: { vary: 'Origin' } }, 'own')), 201, BOTH],
  ['a web response without headers', (app) => app.get('/', web({})), 200, 'Accept'],
  ['a web response that varies by all', (app) => app.get('/', web({ status: 204, headers: { vary: '*' } }, null)), 204,
    '*'],
  ['a route that was declared before the scheme of its context', (app) => app.register(async (outer) => {
    await outer.register(versioning, { scheme: QueryParameterVersioning })
    outer.register(async (context) => {
      context.get('/', { onSend: [async () => {}, async () => {}] }, sendOrigin)
      await context.register(versioning, { scheme: AcceptHeaderVersioning })
    })
  }), 200, BOTH]
]

for (const [says, declare, status, vary, isBare] of answers) {
  t.test(`GET, HEAD and a GET over HTTP/2 vary by ${vary}, and report the version, after ${says}`, async (t) => {
    const reporting = { ...settings, servedVersion: 'API-Version' }
    const [app, http2App] = [await appWith(t, reporting), await appWith(t, reporting, { http2: true } as object)]
    for (const one of [app, http2App]) declare(one)
    const served = isBare ? undefined : 'v1'
    const { statusCode, headers } = await app.inject('/')
    t.same([statusCode, headers.vary, headers['api-version']], [status, vary, served])
    const head = await app.inject({ method: 'HEAD', url: '/' })
    t.equal(head.headers['api-version'], served)
    if (vary?.includes('Accept')) t.match(head.headers.vary, 'Accept')
    const session = http2.connect(await http2App.listen({ port: 0, host: '127.0.0.1' }))
    t.teardown(() => session.destroy())
    const stream = session.request({ ':path': '/' })
    const [answered] = await once(stream, 'response') as [http2.IncomingHttpHeaders]
    await stream.resume().toArray()
    t.same([answered.vary, answered['api-version']], [vary, served])
    t.equal(answered[':status'], status)
  })
}

t.test('what a hook before the plugin answers varies by the scheme of the route, and so does its error', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/busy')) return reply.code(503).send('busy')
  })
  app.addHook('onSend', async (request) => { if (request.url === '/failing') throw new Error('failed') })
  await app.register(versioning, { ...settings, scheme: QueryParameterVersioning })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.get('/busy', { versioning: AcceptHeaderVersioning }, ok)
  app.get('/busy-query', ok)
  app.get('/failing', { versioning: AcceptHeaderVersioning }, sendOrigin)
  app.get('/missing', { versioning: AcceptHeaderVersioning }, (_request, reply) => { reply.callNotFound() })
  for (const [url, status, vary] of [
    ['/busy', 503, 'Accept'], ['/busy-query', 503, undefined], ['/busy-unknown', 503, undefined],
    ['/failing', 500, BOTH], ['/missing', 404, 'Accept'], ['/unknown', 404, undefined]
  ] as const) {
    const { statusCode, headers } = await app.inject(url)
    t.same([statusCode, headers.vary], [status, vary], url)
  }
})

t.test('a not-found handler outside the context answers for its routes, also behind earlier hooks', async (t) => {
  const app = bareApp(t)
  app.setNotFoundHandler(async () => 'none')
  app.register(async (api) => {
    api.addHook('onRequest', async () => {})
    await api.register(versioning, { ...settings, scheme: AcceptHeaderVersioning })
    api.get('/missing', (_request, reply) => { reply.callNotFound() })
    api.get('/neutral', { versioning: false }, (_request, reply) => { reply.callNotFound() })
  })
  for (const [url, vary] of [['/missing', 'Accept'], ['/neutral', undefined]] as const) {
    const { body, headers } = await app.inject(url)
    t.same([body, headers.vary], ['none', vary], url)
  }
})

t.test('a head that a handler writes with the headers of the reply varies by the scheme, too', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', origin)
  await app.register(versioning, settings)
  app.get('/', (_request, reply) => { reply.hijack().raw.writeHead(200, reply.getHeaders() as never).end() })
  t.equal((await app.inject('/')).headers.vary, BOTH)
})

const byHeader = { scheme: [QueryParameterVersioning, HeaderVersioning] }
const byClient = { defaultVersion: { header: 'X-Account', version: () => 'v1' } }

/** Where a link leads to from a neutral route, by which headers the response varies, and its links. */
const linked: [to: VersioningOptions, vary: string, links: [headers: object, link: string][]][] = [
  [byHeader, 'Origin, API-Version', [[{}, '/a?version=v1'], [{ 'api-version': 'v1' }, '/a']]],
  [{ scheme: QueryParameterVersioning, ...byClient }, 'Origin, X-Account', [[{}, '/a?version=v1']]],
  [{ scheme: HostNameVersioning, defaultVersion: 'v1' }, 'Origin, X-Forwarded-Host, X-Forwarded-Prefix', [
    [{ host: 'localhost' }, '/a']
  ]],
  [{ scheme: HeaderVersioning }, 'Origin, X-Forwarded-Prefix', [[{ 'api-version': 'v1' }, '/a']]]
]

for (const [to, vary, links] of linked) {
  t.test(`a link of a route without versions varies by ${vary}`, async (t) => {
    const app = await appWith(t, { ...to, allowedVersions: ['v1', 'v2'] }, { trustProxy: vary.includes('X-F') })
    app.get('/a', { name: 'a' }, ok)
    app.get('/up', { versioning: false }, async (_request, reply) => (
      reply.header('vary', 'Origin').reverse('a', null, { version: 'v1' })
    ))
    for (const [headers, link] of links) {
      const response = await app.inject({ url: '/up', headers: headers as Record<string, string> })
      t.same([response.body, response.headers.vary], [link, vary])
    }
  })
}

t.test('a preflight that fails does not vary', async (t) => {
  const app = await appWith(t, settings)
  app.options('/', fail)
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'GET' }
  const response = await app.inject({ url: '/', method: 'OPTIONS', headers })
  t.same([response.statusCode, response.headers.vary], [500, undefined])
})

t.test('an error has nothing of the web response that was to be sent, or that was thrown', async (t) => {
  const app = await appWith(t, settings)
  const own = web({ status: 418, headers: { 'x-own': 'own', vary: 'Origin' } })
  app.setErrorHandler(async () => 'handled')
  app.get('/failing', { onSend: fail }, own)
  app.get('/thrown', async () => { throw await own() })
  for (const [url, status] of [['/failing', 500], ['/thrown', 200]] as const) {
    const { statusCode, headers } = await app.inject(url)
    t.same([statusCode, headers['x-own'], headers.vary], [status, undefined, 'Accept'], url)
  }
})

t.test('a web response that has been read is the same error as without the plugin', async (t) => {
  const [plain, app] = [bareApp(t), await appWith(t, settings)]
  for (const one of [plain, app]) {
    one.get('/', async () => {
      const response = new Response('text', { headers: { vary: 'Origin' } })
      await response.text()
      return response
    })
  }
  const response = await app.inject('/')
  t.same([response.json(), response.headers.vary], [(await plain.inject('/')).json(), BOTH])
})

class Custom extends BaseVersioning {
  override readonly vary: string | null = 'X-API-Version'
  override readVersion ({ headers }: RawRequest) { return headers['x-api-version'] }
}
class Several extends Custom {
  override readonly vary = 'X-API-Version, Accept'
}

const schemes: [url: string, scheme: VersioningOptions['scheme'], vary: string | undefined][] = [
  ['/several', Several, 'X-API-Version, Accept'],
  ['/list', [Custom, HeaderVersioning, class Again extends Custom {}], 'X-API-Version, API-Version'],
  ['/v1/path', URLPathVersioning, undefined],
  ['/off', null, undefined]
]

for (const [url, scheme, vary] of schemes) {
  t.test(`the responses of ${url} vary by ${vary}, which its scheme or the scheme of its context reads`, async (t) => {
    const app = await appWith(t, settings)
    const path = url.replace('v1', ':version')
    app.get(path, { versioning: scheme ?? false }, ok)
    app.register(async (context) => {
      context.get(`${path}/before`, ok)
      await context.register(versioning, { scheme } as VersioningOptions)
      context.register(async (inner) => { inner.get(`${path}/after`, ok) })
    })
    for (const one of [url, `${url}/before`, `${url}/after`]) {
      for (const method of ['GET', 'HEAD'] as const) {
        t.equal((await app.inject({ method, url: one })).headers.vary, vary, one)
      }
    }
  })
}

t.test('names that a handler sets are merged with several names of a scheme', async (t) => {
  const app = await appWith(t, settings)
  const versioning = class extends Custom { override readonly vary = 'a, B' }
  app.get('/:set', { versioning }, async (request, reply) => reply.header('vary', Object(request.params).set).send(''))
  for (const [set, merged] of [['A', 'A, B'], ['b,c', 'b, c, a'], ['b, a', 'b, a']] as const) {
    t.equal((await app.inject(`/${set}`)).headers.vary, merged)
  }
})

t.test('a header that decides the version and the default version is in Vary once', async (t) => {
  const defaultVersion = { header: 'accept', version: () => 'v1' }
  const app = await appWith(t, { ...settings, defaultVersion })
  app.get('/', ok)
  t.equal((await app.inject('/')).headers.vary, 'Accept')
})

t.test('a refusal, a failed validation and a body that cannot be parsed vary', async (t) => {
  const app = await appWith(t, settings)
  app.post('/', { schema: { querystring: { type: 'object', required: ['x'] } } }, ok)
  for (const [headers, status] of [
    [{ accept: 'a/b;version=v9' }, 406], [{ 'content-type': 'application/json' }, 400],
    [{ 'content-type': 'text/plain' }, 400], [{ 'content-type': 'a/b' }, 415]
  ] as const) {
    const response = await app.inject({ url: '/', method: 'POST', payload: '{', headers })
    t.same([response.statusCode, response.headers.vary], [status, 'Accept'])
  }
})

t.test('a handler sees the Vary of the response, and the response of Node does not have it yet', async (t) => {
  const app = await appWith(t, settings)
  const seen: unknown[] = []
  app.get('/', async (_request, reply) => {
    seen.push(reply.hasHeader('vary'), reply.getHeader('vary'), reply.getHeaders(), reply.raw.getHeader('vary'))
    return ''
  })
  await app.inject('/')
  t.match(seen, [true, 'Accept', { vary: 'Accept' }, undefined])
})

t.test('an app that answers for another one keeps the Vary of both', async (t) => {
  const inner = await appWith(t, { ...settings, scheme: HeaderVersioning, versionHeader: 'X-Inner' })
  inner.get('/', ok)
  inner.get('/stream', async () => Readable.from(['a']))
  await inner.ready()
  const outer = await appWith(t, { ...settings, scheme: HeaderVersioning, versionHeader: 'X-Outer' })
  outer.get('*', (request, reply) => { inner.routing(request.raw, reply.hijack().raw) })
  for (const url of ['/', '/stream']) {
    const { headers, statusCode } = await outer.inject(url)
    t.same([statusCode, headers.vary], [200, 'X-Inner, X-Outer'], url)
  }
})
