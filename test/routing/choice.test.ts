import Fastify from 'fastify'
import { connect } from 'node:http2'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { HeaderVersioning, accept, allowedVersions, byAccept, byQuery, settings, tell } from './app.ts'

import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { BaseVersioning, VersionError } from '../../src/index.ts'

/** How a client specifies a version under each scheme that can choose. */
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
    t.test(`under ${scheme.name} the version chooses the handler with ${says}`, async (t) => {
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
  return `This URL answers GET in ${expected.replace('unserved: ', '')}.`
}

t.test('the config of a route has the versions that it serves, in release order', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/list', { version: ['v3', 'v1', 'v3'] }, tell(''))
  app.get('/range', { version: { from: 'v2', to: 'v3' } }, tell(''))
  app.get('/any', tell(''))
  t.same((await app.inject({ url: '/list', ...accept('v1') })).json().versions, ['v1', 'v3'])
  t.same((await app.inject({ url: '/range', ...accept('v3') })).json().versions, ['v2', 'v3'])
  t.equal((await app.inject({ url: '/any', ...accept('v3') })).json().versions, undefined)
})

t.test('the option version of a context applies to routes without their own', async (t) => {
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

t.test('an unknown URL and a wrong method are plain 404s', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell(''))
  t.match((await app.inject({ url: '/b', ...accept('v9') })).json(), { message: 'Route GET:/b not found' })
  const posted = await app.inject({ url: '/a', method: 'POST', ...accept('v9') })
  t.match(posted.json(), { message: 'Route POST:/a not found' })
})

t.test('the last value of a repeated parameter chooses the route', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  for (const query of ['version=v2&version=v1', 'x&version=%761', 'version=v9&a=b&version=v1#version=v2']) {
    t.match((await app.inject(`/a?${query}`)).json(), { mark: 'one', version: 'v1' })
  }
})

t.test('the authority specifies the version over HTTP/2, and the default version is used without a host', async (t) => {
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

t.test('the refusal lists only the versions of the method of the request', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.post('/a', { version: 'v2' }, tell('two'))
  app.get('/a', { version: 'v3' }, tell('three'))
  t.match((await app.inject({ url: '/a', ...accept('v4') })).json(), { message: 'This URL answers GET in v1, v3.' })
})

t.test('the refusal lists the versions of an open route without null, which no client can specify', async (t) => {
  const app = await appWith(t, { ...byQuery, allowedVersions: ['v1', 'v2', null] })
  app.setErrorHandler(async (error) => ({ listed: (error as VersionError).allowedVersions }))
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', tell('rest'))
  t.same((await app.inject('/a?version=v9')).json(), { listed: ['v1', 'v2'] })
})

t.test('a HEAD request comes to the HEAD route of the GET route that its version chooses', async (t) => {
  const app = await appWith(t, byAccept)
  const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
  app.get('/a', { version: { from: 'v1' } }, mark('range'))
  app.get('/a', { version: { from: 'v3' } }, mark('late range'))
  app.get('/a', { version: 'v2' }, mark('exact'))
  for (const [version, expected] of [['v1', 'range'], ['v2', 'exact'], ['v3', 'late range'], ['v4', 'late range']]) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { headers } = await app.inject({ method, url: '/a', ...accept(version) })
      t.equal(headers['x-mark'], expected, `${method} ${version}`)
    }
  }
})

t.test('the version is read again for a request that a handler routes again', async (t) => {
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

t.test('the version parameter is found after a thousand others', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { version: 'v2' }, tell('two'))
  t.match((await app.inject(`/a?${'x=1&'.repeat(1500)}version=v1`)).json(), { mark: 'one', version: 'v1' })
})

t.test('a version with a comma is not read as a list of versions', async (t) => {
  const listed = ['a', 'b', 'a, b']
  const app = await appWith(t, { ...byQuery, allowedVersions: listed, defaultVersion: null })
  app.get('/a', { version: 'a, b' }, tell('one'))
  app.get('/a', { version: ['a', 'b'] }, tell('list'))
  t.match((await app.inject({ url: '/a', query: { version: 'a, b' } })).json(), { mark: 'one' })
  t.match((await app.inject({ url: '/a', query: { version: 'b' } })).json(), { mark: 'list' })
})

t.test('concurrent requests that wait in an earlier hook each keep their chosen route', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async () => { await setImmediate() })
  await app.register(versioning, byQuery)
  app.get('/bookings', { version: 'v1' }, async () => 'a')
  app.get('/bookings', { version: 'v2' }, async () => 'b')
  const answers = await Promise.all(['v1', 'v2', 'v1', 'v2'].map(async (version) => (
    (await app.inject(`/bookings?version=${version}`)).body
  )))
  t.same(answers, ['a', 'b', 'a', 'b'])
})

t.test("the router leaves a path with versions for a route of Fastify's own versions", async (t) => {
  const app = bareApp(t)
  await app.register(versioning, byQuery)
  app.get('/bookings', { version: 'v1' }, async () => 'a')
  app.get('/:any', { versioning: false, constraints: { version: '1.0.0' } }, async ({ version }) => ({ version }))
  const headers = { 'accept-version': '1.0.0' }
  t.same((await app.inject({ url: '/bookings?version=v1', headers })).json(), { version: null })
  t.equal((await app.inject('/bookings?version=v1')).body, 'a')
})
