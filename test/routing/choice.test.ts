import Fastify from 'fastify'
import { connect } from 'node:http2'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteShorthandOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { RawRequest } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2', 'v3', 'v4']
const settings = { allowedVersions, defaultVersion: 'v2' }
const byAccept = { scheme: AcceptHeaderVersioning, ...settings }
const byQuery = { scheme: QueryParameterVersioning, ...settings }

class HeaderVersioning extends BaseVersioning {
  override readonly vary = 'X-API-Version'

  override determineVersion ({ raw }: FastifyRequest) {
    return this.permit(this.readVersion(raw))
  }

  readVersion ({ headers }: RawRequest) {
    return headers['x-api-version']?.toString()
  }
}

/** How a client names a version under each scheme that can choose. */
const ways = [
  {
    scheme: AcceptHeaderVersioning,
    ask: (version?: string) => ({ headers: version ? { accept: `a/b;version=${version}` } : {} })
  },
  { scheme: QueryParameterVersioning, ask: (version?: string) => ({ query: version ? { version } : {} }) },
  {
    scheme: HostNameVersioning,
    ask: (version?: string) => ({ headers: { host: version ? `${version}.example.com` : 'localhost' } })
  },
  { scheme: HeaderVersioning, ask: (version?: string) => ({ headers: version ? { 'x-api-version': version } : {} }) }
]

/** Answers with its own mark, the version of the request, and what the route declares. */
function tell (mark: string) {
  return async ({ version, routeOptions: { config } }: FastifyRequest) => ({ mark, version, versions: config.versions })
}

type Declared = [version: RouteShorthandOptions['version'], mark: string][]

interface Choice {
  says: string
  routes: Declared
  /** The mark of the route that answers each version; a status where none does. */
  answers: { [version in 'none' | 'v1' | 'v2' | 'v3' | 'v4' | 'v9']?: string }
}

const choices: Choice[] = [
  {
    says: 'one version each',
    routes: [['v1', 'one'], ['v2', 'two']],
    answers: { none: 'two', v1: 'one', v2: 'two', v3: 'unserved: v1, v2', v9: 'refused' }
  },
  {
    says: 'a version and a range from it on',
    routes: [['v1', 'one'], [{ from: 'v2' }, 'later']],
    answers: { none: 'later', v1: 'one', v2: 'later', v3: 'later', v4: 'later', v9: 'refused' }
  },
  {
    says: 'a range up to a version',
    routes: [[{ to: 'v2' }, 'old'], [['v4', 'v3'], 'new']],
    answers: { none: 'old', v1: 'old', v2: 'old', v3: 'new', v4: 'new' }
  },
  {
    says: 'a list with a gap',
    routes: [[['v1', 'v3'], 'odd']],
    answers: { none: 'unserved: v1, v3', v1: 'odd', v2: 'unserved: v1, v3', v3: 'odd' }
  },
  {
    says: 'a range, and a version within it',
    routes: [[{ from: 'v1', to: 'v4' }, 'range'], ['v3', 'exact']],
    answers: { v1: 'range', v2: 'range', v3: 'exact', v4: 'range' }
  },
  {
    says: 'a version, and a range around it',
    routes: [['v3', 'exact'], [{ from: 'v1' }, 'range']],
    answers: { v2: 'range', v3: 'exact' }
  },
  {
    says: 'ranges that overlap',
    routes: [[{ from: 'v2' }, 'early'], [{ from: 'v3' }, 'late'], [{ to: 'v4' }, 'first']],
    answers: { v1: 'first', v2: 'early', v3: 'late', v4: 'late' }
  },
  {
    says: 'a route that takes what no other claims',
    routes: [[undefined, 'rest'], ['v1', 'one']],
    answers: { none: 'rest', v1: 'one', v2: 'rest', v4: 'rest', v9: 'refused' }
  },
  {
    says: 'a route that takes what no other claims, declared last',
    routes: [['v1', 'one'], [null, 'rest']],
    answers: { none: 'rest', v1: 'one', v2: 'rest', v9: 'refused' }
  }
]

for (const { scheme, ask } of ways) {
  for (const { says, routes, answers } of choices) {
    t.test(`under ${scheme.name} ${says} is chosen by the version`, async (t) => {
      const app = await appWith(t, { ...settings, scheme })
      for (const [version, mark] of routes) app.get('/bookings/:id', { version }, tell(mark))
      for (const [version, expected] of Object.entries(answers)) {
        const asked = version === 'none' ? undefined : version
        for (const method of ['GET', 'HEAD'] as const) {
          const response = await app.inject({ method, url: '/bookings/7', ...ask(asked) })
          const status = scheme === AcceptHeaderVersioning ? 406 : 404
          const isServed = expected !== 'refused' && !expected.startsWith('unserved')
          t.equal(response.statusCode, isServed ? 200 : status, `${method} ${version}`)
          if (method === 'HEAD') continue
          if (isServed) t.match(response.json(), { mark: expected, version: asked ?? 'v2' })
          else t.equal(response.json().message, expected === 'refused' ? messageOf(scheme) : servedIn(expected))
        }
      }
    })
  }
}

function messageOf (scheme: typeof BaseVersioning): string {
  return Reflect.construct(scheme, []).invalidVersionMessage
}

function servedIn (expected: string): string {
  return `This URL is served in ${expected.replace('unserved: ', '')}.`
}

const accept = (version: string): InjectOptions => ({ headers: { accept: `a/b;version=${version}` } })

t.test('what a route serves is in its config, in release order', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/list', { version: ['v3', 'v1', 'v3'] }, tell(''))
  app.get('/range', { version: { from: 'v2', to: 'v3' } }, tell(''))
  app.get('/any', tell(''))
  t.same((await app.inject({ url: '/list', ...accept('v1') })).json().versions, ['v1', 'v3'])
  t.same((await app.inject({ url: '/range', ...accept('v3') })).json().versions, ['v2', 'v3'])
  t.equal((await app.inject({ url: '/any', ...accept('v3') })).json().versions, undefined)
})

t.test('a context has a default for its routes', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (legacy) => {
    legacy.get('/a', tell('old'))
    legacy.get('/b', { version: 'v2' }, tell('own'))
    legacy.get('/c', { version: null }, tell('any'))
    legacy.get('/health', { versioning: false }, tell('health'))
    legacy.register(async (inner) => { inner.get('/d', tell('inner')) })
    legacy.register(async (off) => {
      await off.register(versioning, { scheme: null })
      off.get('/e', tell('off'))
    })
  }, { version: 'v1' })
  app.get('/a', { version: { from: 'v2' } }, tell('new'))
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'old' })
  t.match((await app.inject({ url: '/a', ...accept('v3') })).json(), { mark: 'new' })
  t.equal((await app.inject({ url: '/b', ...accept('v1') })).statusCode, 406)
  t.match((await app.inject({ url: '/c', ...accept('v4') })).json(), { mark: 'any' })
  t.match((await app.inject({ url: '/d', ...accept('v1') })).json(), { mark: 'inner', versions: ['v1'] })
  t.equal((await app.inject({ url: '/d', ...accept('v2') })).statusCode, 406)
  t.match((await app.inject({ url: '/health', ...accept('v9') })).json(), { mark: 'health', version: null })
  t.match((await app.inject({ url: '/e', ...accept('v9') })).json(), { mark: 'off', version: null })
})

t.test('an unknown URL and a wrong method stay what they are', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell(''))
  t.match((await app.inject({ url: '/b', ...accept('v9') })).json(), { message: 'Route GET:/b not found' })
  const posted = await app.inject({ url: '/a', method: 'POST', ...accept('v9') })
  t.match(posted.json(), { message: 'Route POST:/a not found' })
})

t.test('a route elsewhere in the tree takes what a versioned one leaves', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a/b', { version: 'v1' }, tell('exact'))
  app.get('/a/:x', tell('open'))
  t.match((await app.inject({ url: '/a/b', ...accept('v1') })).json(), { mark: 'exact' })
  t.equal((await app.inject({ url: '/a/b', ...accept('v2') })).statusCode, 406)
  t.match((await app.inject({ url: '/a/c', ...accept('v2') })).json(), { mark: 'open' })
})

t.test('a version that is served elsewhere under a constraint is refused where it is not', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a/b', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  app.get('/a/b', { version: 'v2', constraints: { host: 'b.example' } }, tell('b'))
  app.get('/a/:x', { version: 'v3' }, tell('x'))
  const ask = (host: string, version: string) => (
    app.inject({ url: '/a/b', headers: { host, ...accept(version).headers } })
  )
  t.match((await ask('a.example', 'v1')).json(), { mark: 'a' })
  t.match((await ask('b.example', 'v2')).json(), { mark: 'b' })
  t.match((await ask('c.example', 'v3')).json(), { mark: 'x' })
  t.match((await ask('b.example', 'v1')).json(), { statusCode: 406, message: 'This URL is served in v2.' })
  t.match((await ask('c.example', 'v1')).json(), { statusCode: 406, message: 'This URL is served in v3.' })
})

t.test('where the routes of one path are out of the question those of another are asked', async (t) => {
  const app = await appWith(t, byAccept)
  addConstraints(app, 'tenant')
  app.get('/a/b', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  app.get('/a/b', { version: 'v1', constraints: { tenant: 'b' } }, tell('b'))
  app.get('/a/:x', { version: 'v3' }, tell('x'))
  t.match((await app.inject({ url: '/a/b', ...accept('v3') })).json(), { mark: 'x' })
  t.match((await app.inject({ url: '/a/b', ...accept('v1') })).json(), { message: 'This URL is served in v3.' })
})

t.test('of a repeated parameter the last one chooses', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  for (const query of ['version=v2&version=v1', 'x&version=%761', 'version=v9&a=b&version=v1#version=v2']) {
    t.match((await app.inject(`/a?${query}`)).json(), { mark: 'one', version: 'v1' })
  }
})

t.test('over HTTP/2 the authority chooses, and without a host the default version', async (t) => {
  const http2 = Fastify({ http2: true })
  const http1 = bareApp(t)
  for (const app of [http1, http2 as unknown as FastifyInstance]) {
    await app.register(versioning, { scheme: HostNameVersioning, allowedVersions, defaultVersion: 'v2' })
    app.get('/a', { version: 'v1' }, async () => 'one')
    app.get('/a', { version: 'v2' }, async () => 'two')
    await app.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => app.close())
  }
  const session = connect(`http://127.0.0.1:${(http2.server.address() as AddressInfo).port}`)
  t.teardown(() => session.close())
  const stream = session.request({ ':path': '/a', ':authority': 'v1.a.b' })
  t.equal(await text(stream), 'one')
  const socket = net.connect((http1.server.address() as AddressInfo).port, '127.0.0.1')
  socket.end('GET /a HTTP/1.0\r\n\r\n')
  t.match(await text(socket), /\r\n\r\ntwo$/)
})

t.test('what a URL serves is told of the method and the scheme of the request alone', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.post('/a', { version: 'v2' }, tell('two'))
  app.get('/a', { version: 'v3', versioning: QueryParameterVersioning }, tell('three'))
  t.match((await app.inject({ url: '/a', ...accept('v4') })).json(), {
    message: /^This URL is served in v[13]\.$/
  })
})

t.test('several methods and other constraints go along', async (t) => {
  const app = await appWith(t, byAccept)
  app.route({ method: ['GET', 'POST'], url: '/a', version: 'v1', handler: tell('old') })
  app.route({ method: ['GET'], url: '/a', version: 'v2', handler: tell('new') })
  app.route({ method: ['POST'], url: '/a', handler: tell('any') })
  app.get('/host', { version: 'v1', constraints: { host: 'a.example' } }, tell('host, one'))
  app.get('/host', { version: 'v1' }, tell('one'))
  app.get('/host', { version: { from: 'v1' }, constraints: { host: 'a.example' } }, tell('host, later'))
  const ask = (url: string, version: string, method: 'GET' | 'POST' = 'GET', host = 'localhost') => (
    app.inject({ url, method, headers: { host, accept: `a/b;version=${version}` } })
  )
  t.match((await ask('/a', 'v1', 'POST')).json(), { mark: 'old' })
  t.match((await ask('/a', 'v2', 'POST')).json(), { mark: 'any' })
  t.match((await ask('/a', 'v2')).json(), { mark: 'new' })
  t.equal((await ask('/a', 'v3')).statusCode, 406)
  t.match((await ask('/host', 'v1')).json(), { mark: 'one' })
  t.match((await ask('/host', 'v1', 'GET', 'a.example')).json(), { mark: 'host, one' })
  t.match((await ask('/host', 'v3', 'GET', 'a.example')).json(), { mark: 'host, later' })
  t.equal((await ask('/host', 'v3')).statusCode, 406)
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'before' : 'after'
  t.test(`an open route of one host, declared ${when} versions of all, takes what they leave there`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a', { constraints: { host: 'a.example' } }, tell('open'))
    if (isFirst) open()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    const ask = (host: string, version: string) => (
      app.inject({ url: '/a', headers: { host, accept: `a/b;version=${version}` } })
    )
    t.match((await ask('a.example', 'v1')).json(), { mark: 'one' })
    t.match((await ask('a.example', 'v3')).json(), { mark: 'open', version: 'v3' })
    t.match((await ask('b.example', 'v1')).json(), { mark: 'one' })
    t.match((await ask('b.example', 'v3')).json(), { statusCode: 406, message: 'This URL is served in v1.' })
  })

  t.test(`an open route with an optional parameter, declared ${when}, takes what versions leave`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a/:id?', tell('open'))
    if (isFirst) open()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    t.throws(() => app.get('/a/:id', tell('again')), { code: 'FST_ERR_DUPLICATED_ROUTE' })
    t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'one' })
    t.match((await app.inject({ url: '/a', ...accept('v3') })).json(), { mark: 'open' })
    t.match((await app.inject({ url: '/a/7', ...accept('v1') })).json(), { mark: 'open' })
  })
}

/** Constraints of the app's own, by a header each. */
function addConstraints (app: FastifyInstance, ...names: string[]): void {
  for (const name of names) {
    const handlers = new Map()
    app.addConstraintStrategy({
      name,
      storage: () => ({ get: (key) => handlers.get(key) ?? null, set: (key, value) => { handlers.set(key, value) } }),
      deriveConstraint: (request) => request.headers[`x-${name}`]
    } as Parameters<typeof app.addConstraintStrategy>[0])
  }
}

interface Rival { says: string, version?: string, constraints: Record<string, string> }

const rivals: Rival[] = [
  { says: 'claims a version', version: 'v1', constraints: { host: 'a.example' } },
  { says: 'takes what is left', constraints: { host: 'a.example' } },
  { says: 'claims a version, and has fewer constraints', version: 'v1', constraints: { region: 'r' } }
]

for (const { says, version, constraints } of rivals) {
  for (const isFirst of [true, false]) {
    const when = isFirst ? 'before' : 'after'
    t.test(`a route that ${says} is not refused by one of other constraints, declared ${when}`, async (t) => {
      const app = await appWith(t, byAccept)
      addConstraints(app, 'tenant', 'region')
      const own = () => app.get('/a', { version, constraints }, tell('own'))
      if (isFirst) own()
      app.get('/a', { version: 'v2', constraints: { host: 'a.example', tenant: 't' } }, tell('other'))
      app.get('/a', { version: 'v2', constraints: { tenant: 't' } }, tell('other'))
      if (!isFirst) own()
      const headers = { host: 'a.example', 'x-tenant': 't', 'x-region': 'r' }
      const ask = (version: string) => app.inject({ url: '/a', headers: { ...headers, ...accept(version).headers } })
      t.match((await ask('v1')).json(), { mark: 'own', version: 'v1' })
      t.match((await ask('v2')).json(), { mark: 'other', version: 'v2' })
    })
  }
}

t.test('a route of one host says what it serves where another host serves more', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  app.get('/a', { version: 'v2', constraints: { host: 'b.example' } }, tell('b'))
  for (const [host, other, own] of [['a.example', 'v2', 'v1'], ['b.example', 'v1', 'v2']]) {
    const response = await app.inject({ url: '/a', headers: { host, accept: `a/b;version=${other}` } })
    t.match(response.json(), { statusCode: 406, message: `This URL is served in ${own}.` })
  }
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`of several schemes the one whose version is named refuses, declared ${when}`, async (t) => {
    const app = await appWith(t, { ...byAccept, defaultVersion: null })
    const byQuery = () => app.get('/a', { version: 'v2', versioning: QueryParameterVersioning }, tell('by query'))
    if (isFirst) byQuery()
    app.get('/a', { version: 'v1' }, tell('by header'))
    if (!isFirst) byQuery()
    t.match((await app.inject('/a?version=v3')).json(), { statusCode: 404, message: 'This URL is served in v2.' })
    t.match((await app.inject({ url: '/a', ...accept('v3') })).json(), { message: 'This URL is served in v1.' })
  })
}

t.test('a request that a handler routes once more is read once more', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, async ({ raw }, reply) => {
    reply.hijack()
    raw.url = '/b?version=v2'
    app.routing(raw, reply.raw)
  })
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', { version: 'v2' }, tell('two'))
  t.match((await app.inject('/a?version=v1')).json(), { mark: 'two', version: 'v2' })
})

t.test('options copied from a route with versions are those of a route of its own', async (t) => {
  const app = await appWith(t, byAccept)
  app.addHook('onRoute', (route) => {
    if (route.url === '/a' && route.method === 'GET') app.route({ ...route, url: '/alias' })
  })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/alias', tell('rest'))
  t.match((await app.inject({ url: '/alias', ...accept('v1') })).json(), { mark: 'one' })
  t.match((await app.inject({ url: '/alias', ...accept('v2') })).json(), { mark: 'rest' })
})

t.test('routes of other methods stay without a constraint', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', tell('get'))
  app.post('/a', { version: 'v1' }, tell('post'))
  t.equal(app.hasRoute({ method: 'GET', url: '/a' }), true)
})

t.test('a URL that versions leave alone may have as many routes as the router takes', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  for (let i = 0; i < 31; i++) app.get('/b', { constraints: { host: `h${i}` } }, tell(''))
  t.throws(() => app.get('/b', { constraints: { host: 'h31' } }, tell('')), { message: /^find-my-way/ })
})

t.test('the root of a prefix is one URL for versions with a slash and without', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    context.get('/', { version: 'v1' }, tell('one'))
    context.get('/', { version: 'v2' }, tell('two'))
  }, { prefix: '/p' })
  app.get('/p/', tell('open'))
  for (const method of ['GET', 'HEAD'] as const) {
    const ask = (url: string, version: string) => app.inject({ method, url, ...accept(version) })
    t.equal((await ask('/p', 'v1')).statusCode, 200)
    t.equal((await ask('/p', 'v3')).statusCode, 406)
    t.equal((await ask('/p/', 'v2')).statusCode, 200)
    t.equal((await ask('/p/', 'v3')).statusCode, 200)
  }
})

t.test('the constraint of Fastify on Accept-Version goes along', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1', constraints: { version: '1.0.0' } }, tell('one, 1.0.0'))
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2', constraints: { version: '1.0.0' } }, tell('two, 1.0.0'))
  const ask = (version: string, headers = {}) => app.inject({ url: `/a?version=${version}`, headers })
  t.match((await ask('v1', { 'accept-version': '1.x' })).json(), { mark: 'one, 1.0.0', version: 'v1' })
  t.match((await ask('v1')).json(), { mark: 'one' })
  t.match((await ask('v2', { 'accept-version': '1.x' })).json(), { mark: 'two, 1.0.0' })
  t.match((await ask('v2')).json(), { statusCode: 404, message: 'This URL is served in v1.' })
})

t.test('other constraints of an app keep their names', async (t) => {
  const app = bareApp(t)
  addConstraints(app, 'own')
  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions })
  app.get('/a', { version: 'v1', constraints: { own: 'own' } }, tell('own'))
  app.get('/a', { version: 'v1' }, tell('plain'))
  const own = await app.inject({ url: '/a', headers: { 'x-own': 'own', ...accept('v1').headers } })
  t.match(own.json(), { mark: 'own' })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'plain' })
})

t.test('each version has its own schema and hooks', async (t) => {
  const app = await appWith(t, byAccept)
  const schema = (required: string) => ({ querystring: { type: 'object', required: [required] } })
  app.get('/a', { version: 'v1', schema: schema('x') }, tell('old'))
  const preHandler = async (_request: unknown, reply: FastifyReply) => reply.send('hook')
  app.get('/a', { version: 'v2', schema: schema('y'), preHandler }, tell(''))
  t.match((await app.inject({ url: '/a?x=1', ...accept('v1') })).json(), { mark: 'old' })
  t.equal((await app.inject({ url: '/a?x=1', ...accept('v2') })).statusCode, 400)
  t.equal((await app.inject({ url: '/a?y=1', ...accept('v2') })).body, 'hook')
})

t.test('contexts with different schemes share a URL', async (t) => {
  const app = await appWith(t, { ...byAccept, defaultVersion: null })
  app.get('/a', { version: 'v1' }, tell('by header'))
  app.register(async (context) => {
    await context.register(versioning, { scheme: QueryParameterVersioning })
    context.get('/a', { version: 'v2' }, tell('by query'))
  })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'by header', version: 'v1' })
  t.match((await app.inject({ url: '/a?version=v2' })).json(), { mark: 'by query', version: 'v2' })
})

t.test('contexts that register the same scheme again choose among the same versions', async (t) => {
  const app = await appWith(t, byAccept)
  app.register(async (context) => {
    await context.register(versioning, { scheme: AcceptHeaderVersioning })
    context.get('/a', { version: 'v2' }, tell('exact'))
  })
  app.register(async (context) => {
    await context.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions })
    context.get('/a', { version: { from: 'v1', to: 'v3' } }, tell('range'))
  })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'range' })
  t.match((await app.inject({ url: '/a', ...accept('v2') })).json(), { mark: 'exact' })
  t.match((await app.inject({ url: '/a', ...accept('v4') })).json(), { message: 'This URL is served in v1, v2, v3.' })
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`a version that is named goes before one by default, declared ${when}`, async (t) => {
    const app = await appWith(t, byAccept)
    const byHeader = () => app.get('/a', { version: 'v2' }, tell('by header'))
    if (isFirst) byHeader()
    app.get('/a', { version: 'v2', versioning: QueryParameterVersioning }, tell('by query'))
    if (!isFirst) byHeader()
    t.match((await app.inject({ url: '/a', ...accept('v2') })).json(), { mark: 'by header' })
    t.match((await app.inject({ url: '/a?version=v2' })).json(), { mark: 'by query' })
    t.match((await app.inject({ url: '/a?version=v3' })).json(), { mark: 'by header' })
    t.equal((await app.inject('/a')).statusCode, 200)
  })
}

t.test('routes of several schemes that leave the version to the default are found by their constraints', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { version: 'v2', constraints, versioning: QueryParameterVersioning }, tell('a'))
  app.get('/a', { version: 'v2' }, tell('rest'))
  t.match((await app.inject({ url: '/a', headers: { host: 'a.example' } })).json(), { mark: 'a' })
  t.match((await app.inject({ url: '/a', headers: { host: 'b.example' } })).json(), { mark: 'rest' })
})

t.test('a parameter behind a thousand others chooses all the same', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  t.match((await app.inject(`/a?${'x=1&'.repeat(1500)}version=v1`)).json(), { mark: 'one', version: 'v1' })
})

t.test('a forwarded host that names another version is refused, never served by the wrong route', async (t) => {
  const app = await appWith(t, { scheme: HostNameVersioning, allowedVersions }, { trustProxy: true })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  app.get('/b', { version: 'v1' }, tell('one'))
  app.get('/b', tell('rest'))
  for (const [url, host, forwarded] of [['/a', 'v1', 'v2'], ['/b', 'v3', 'v1'], ['/b', 'v1', 'v3']]) {
    const headers = { host: `${host}.a.b`, 'x-forwarded-host': `${forwarded}.a.b` }
    t.match((await app.inject({ url, headers })).json(), { statusCode: 404, message: 'Invalid version in hostname.' })
  }
  const headers = { host: 'v1.a.b', 'x-forwarded-host': 'v1.a.b' }
  t.match((await app.inject({ url: '/a', headers })).json(), { mark: 'one' })
})

t.test('a scheme that reads one version and determines another is refused', async (t) => {
  class Inconsistent extends HeaderVersioning {
    override determineVersion () {
      return 'v2'
    }
  }
  class Throwing extends HeaderVersioning {
    override readVersion (): string {
      throw new Error('cannot read')
    }
  }
  const app = await appWith(t, { ...settings, scheme: Inconsistent })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', tell('rest'))
  t.equal((await app.inject({ url: '/a', headers: { 'x-api-version': 'v1' } })).statusCode, 404)
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v2' } })).json(), { mark: 'rest' })
  const throwing = await appWith(t, { ...settings, scheme: Throwing })
  throwing.get('/a', { version: 'v1' }, tell('one'))
  t.match((await throwing.inject('/a')).json(), { statusCode: 500, message: 'cannot read' })
})

for (const method of ['readVersion', 'isAllowedVersion'] as const) {
  t.test(`a scheme whose ${method}() throws is a 500, over a socket as well`, async (t) => {
    const scheme = Object.assign(new HeaderVersioning({ allowedVersions }), {
      [method] () { throw new Error('failed') }
    })
    const app = await appWith(t, { scheme })
    app.get('/a', { version: 'v1' }, tell('one'))
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => app.close())
    t.equal((await fetch(`${address}/a`, { headers: { 'x-api-version': 'v1' } })).status, 500)
  })
}

t.test('a scheme that reads a promise is asked too early, and refuses', async (t) => {
  class Promising extends BaseVersioning {
    override async determineVersion () {
      return 'v1'
    }

    async readVersion () {
      throw new Error('too late')
    }
  }
  const app = await appWith(t, { ...settings, scheme: Promising as never })
  app.get('/a', { version: 'v1' }, tell('one'))
  t.equal((await app.inject('/a')).statusCode, 404)
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'first' : 'last'
  t.test(`whoever answers where versions choose, the answer varies, declared ${when}`, async (t) => {
    const app = await appWith(t, byAccept)
    const tellOrigin = async (_request: unknown, reply: FastifyReply) => reply.header('vary', 'Origin').send('neutral')
    const neutral = () => app.get('/a', { versioning: false }, tellOrigin)
    if (isFirst) neutral()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) neutral()
    const byQuery = { versioning: QueryParameterVersioning, version: 'v3' }
    app.get('/a', byQuery, async () => new Response('three', { headers: { vary: 'Cookie' } }))
    t.equal((await app.inject({ url: '/a', ...accept('v2') })).headers.vary, 'Origin, Accept')
    t.equal((await app.inject({ url: '/a?version=v3' })).headers.vary, 'Cookie, Accept')
  })
}

t.test('a route has URLs where nobody chooses, and there a web response varies as it says itself', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1', versioning: AcceptHeaderVersioning }, tell('one'))
  app.get('/a/:id?', async () => new Response('rest', { headers: { vary: 'Cookie' } }))
  const response = await app.inject('/a/7')
  t.equal(response.statusCode, 200)
  t.equal(response.headers.vary, 'Cookie')
  t.equal((await app.inject('/a?version=v3')).headers.vary, 'Cookie, Accept')
})

t.test('where versions are in the URL or the host no hook looks after Vary', async (t) => {
  const app = await appWith(t, byQuery)
  const hooks: unknown[] = []
  app.addHook('onRoute', ({ method, onSend }) => { if (method === 'GET') hooks.push(onSend) })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', tell('rest'))
  t.same(hooks, [undefined, undefined])
})

t.test('what a handler does to the versions of its route stays with it', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, async ({ routeOptions: { config } }) => Object.isFrozen(config.versions))
  t.equal((await app.inject({ url: '/a', ...accept('v1') })).json(), true)
})

t.test('an asynchronous scheme that can read the version takes part', async (t) => {
  class Slow extends BaseVersioning {
    override async determineVersion ({ raw }: FastifyRequest) {
      return this.permit(this.readVersion(raw))
    }

    readVersion ({ headers }: RawRequest) {
      return headers['x-api-version']?.toString()
    }
  }
  const app = await appWith(t, { ...settings, scheme: Slow })
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v3' }, tell('three'))
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v3' } })).json(), { mark: 'three' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'v4' } })).json(), {
    statusCode: 404, message: 'This URL is served in v1, v3.'
  })
})

t.test('an object that is a scheme refuses in the manner of the others', async (t) => {
  const scheme = {
    defaultVersion: null,
    allowedVersions: null,
    versionParam: 'version',
    invalidVersionMessage: 'No.',
    readVersion: ({ headers }: RawRequest) => headers['x-api-version']?.toString(),
    determineVersion: ({ headers }: FastifyRequest) => headers['x-api-version']?.toString() ?? null,
    isAllowedVersion: () => true,
    reverse: () => ''
  }
  const app = await appWith(t, { scheme })
  app.get('/a', { version: ['b', 'a'] }, tell('it'))
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'a' } })).json(), { mark: 'it' })
  t.match((await app.inject({ url: '/a', headers: { 'x-api-version': 'c' } })).json(), {
    code: 'FST_ERR_VERSION_NOT_FOUND', message: 'This URL is served in b, a.'
  })
})

t.test('answers vary, and preflights are answered without a version', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.options('/a', { version: 'v1' }, tell('options'))
  for (const version of ['v1', 'v2', 'v9']) {
    t.equal((await app.inject({ url: '/a', ...accept(version) })).headers.vary, 'Accept')
  }
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.match((await app.inject({ url: '/a', method: 'OPTIONS', headers })).json(), { mark: 'options', version: null })
})

t.test('a preflight comes to the route that takes what no other claims', async (t) => {
  const app = await appWith(t, byAccept)
  app.options('/a', tell('open'))
  app.options('/a', { version: { from: 'v1' } }, tell('range'))
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  t.match((await app.inject({ url: '/a', method: 'OPTIONS', headers })).json(), { mark: 'open', version: null })
  t.match((await app.inject({ url: '/a', method: 'OPTIONS' })).json(), { mark: 'range', version: 'v2' })
})

t.test('a name stands for all versions of a URL, and is listed once', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a/:id', { name: 'a', version: 'v1' }, async (_request, reply) => reply.reverse('a', { id: 7 }))
  app.get('/a/:id', { name: 'a', version: { from: 'v2' } }, async (_request, reply) => reply.reverse('a', { id: 8 }))
  t.equal((await app.inject('/a/1?version=v1')).body, '/a/7?version=v1')
  t.equal((await app.inject('/a/1?version=v3')).body, '/a/8?version=v3')
  t.equal(app.namedRoutes.length, 1)
})

t.test('the printed routes say what each of them takes', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('old'))
  app.get('/a', { version: { from: 'v2', to: 'v3' } }, tell('new'))
  app.get('/a', tell('rest'))
  app.get('/b', { version: 'v1' }, tell('b'))
  app.get('/b', { version: 'v1', constraints: { host: 'b.example' } }, tell('b'))
  for (const versionParam of ['v', 'w']) {
    app.get('/b', { version: 'v1', versioning: new QueryParameterVersioning({ versionParam }) }, tell('b'))
  }
  app.post('/a', tell('post'))
  app.get('/c', tell('c'))
  await app.ready()
  t.equal(app.printRoutes(), `└── /
    ├── a (GET, HEAD) {"fastifyVersioning":["v1"]}
    │   a (GET, HEAD) {"fastifyVersioning":{"from":"v2","to":"v3"}}
    │   a (GET, HEAD) {"fastifyVersioning":["any other"]}
    │   a (POST)
    ├── b (GET, HEAD) {"fastifyVersioning":["v1"]}
    │   b (GET, HEAD) {"host":"b.example","fastifyVersioning":["v1"]}
    │   b (GET, HEAD) {"fastifyVersioning":{"scheme":"QueryParameterVersioning","version":["v1"]}}
    │   b (GET, HEAD) {"fastifyVersioning":{"scheme":"QueryParameterVersioning (2)","version":["v1"]}}
    └── c (GET, HEAD)
`)
})

t.test('versions that look like a list are told from one', async (t) => {
  const listed = ['a', 'b', 'a, b']
  const app = await appWith(t, { ...byQuery, allowedVersions: listed, defaultVersion: null })
  app.get('/a', { version: 'a, b' }, tell('one'))
  app.get('/a', { version: ['a', 'b'] }, tell('list'))
  t.match((await app.inject({ url: '/a', query: { version: 'a, b' } })).json(), { mark: 'one' })
  t.match((await app.inject({ url: '/a', query: { version: 'b' } })).json(), { mark: 'list' })
})

t.test('constraints that routes share stay what they were', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { constraints }, tell('open'))
  app.get('/a', { constraints, version: 'v1' }, tell('one'))
  t.same(constraints, { host: 'a.example' })
})

t.test('a route that is there twice is refused, whenever versions came to it', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', tell('open'))
  app.post('/a', tell('open'))
  app.get('/a', { version: 'v1' }, tell('one'))
  for (const method of ['GET', 'POST']) {
    t.throws(() => app.route({ method, url: '/a', handler: tell('again') }), { code: 'FST_ERR_DUPLICATED_ROUTE' })
  }
})
