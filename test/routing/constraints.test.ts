import t from 'tap'

import versioning, { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { accept, allowedVersions, byAccept, byQuery, tell } from './app.ts'

import type { FastifyInstance } from 'fastify'

t.test('a URL of a versioned route is not answered by a parametric route next to it', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a/b', { version: 'v1' }, tell('exact'))
  app.get('/a/:x', tell('open'))
  t.match((await app.inject({ url: '/a/b', ...accept('v1') })).json(), { mark: 'exact' })
  t.equal((await app.inject({ url: '/a/b', ...accept('v2') })).statusCode, 406)
  t.match((await app.inject({ url: '/a/c', ...accept('v2') })).json(), { mark: 'open' })
})

t.test('a version that is only served under a constraint is refused without it', async (t) => {
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
  t.match((await ask('b.example', 'v1')).json(), { statusCode: 406, message: 'This URL answers GET in v2.' })
  t.match((await ask('c.example', 'v1')).json(), { statusCode: 406, message: 'This URL answers GET in v3.' })
})

t.test('the routes of another path answer if the constraints of one path do not match', async (t) => {
  const app = await appWith(t, byAccept)
  addConstraints(app, 'tenant')
  app.get('/a/b', { version: 'v1', constraints: { tenant: 'a' } }, tell('a'))
  app.get('/a/b', { version: 'v1', constraints: { tenant: 'b' } }, tell('b'))
  app.get('/a/:x', { version: 'v3' }, tell('x'))
  t.match((await app.inject({ url: '/a/b', ...accept('v3') })).json(), { mark: 'x' })
  t.match((await app.inject({ url: '/a/b', ...accept('v1') })).json(), { message: 'This URL answers GET in v3.' })
})

t.test('the router tries all routes of another URL where versions choose at one', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a/:id', { constraints: { host: 'a.example' } }, tell('host'))
  app.get('/a/:id', tell('all'))
  for (const [host, mark] of [['a.example', 'host'], ['b.example', 'all']]) {
    t.match((await app.inject({ url: '/a/7', headers: { host } })).json(), { mark })
  }
})

t.test('the host chooses among routes with version: null where no route has versions', async (t) => {
  const app = await appWith(t, byAccept)
  for (const host of ['a.example', 'b.example']) {
    app.get('/a', { version: null, constraints: { host } }, tell(host))
  }
  for (const host of ['a.example', 'b.example']) {
    const response = await app.inject({ url: '/a', headers: { host, ...accept('v1').headers } })
    t.match(response.json(), { mark: host, version: 'v1' })
  }
  t.equal((await app.inject({ url: '/a', headers: { host: 'c.example' } })).statusCode, 404)
})

t.test('versions work together with several methods and other constraints', async (t) => {
  const app = await appWith(t, byAccept)
  app.route({ method: ['GET', 'POST'], url: '/a', version: 'v1', handler: tell('old') })
  app.route({ method: ['GET'], url: '/a', version: 'v2', handler: tell('new') })
  app.route({ method: ['POST'], url: '/a', handler: tell('any') })
  app.get('/host', { version: 'v1', constraints: { host: 'a.example' } }, tell('host, one'))
  app.get('/host', { version: 'v1', constraints: { host: 'b.example' } }, tell('one'))
  app.get('/host', { version: { from: 'v1' }, constraints: { host: 'a.example' } }, tell('host, later'))
  const ask = (url: string, version: string, method: 'GET' | 'POST' = 'GET', host = 'localhost') => (
    app.inject({ url, method, headers: { host, accept: `a/b;version=${version}` } })
  )
  t.match((await ask('/a', 'v1', 'POST')).json(), { mark: 'old' })
  t.match((await ask('/a', 'v2', 'POST')).json(), { mark: 'any' })
  t.match((await ask('/a', 'v2')).json(), { mark: 'new' })
  t.equal((await ask('/a', 'v3')).statusCode, 406)
  t.match((await ask('/host', 'v1', 'GET', 'b.example')).json(), { mark: 'one' })
  t.match((await ask('/host', 'v1', 'GET', 'a.example')).json(), { mark: 'host, one' })
  t.match((await ask('/host', 'v3', 'GET', 'a.example')).json(), { mark: 'host, later' })
  t.equal((await ask('/host', 'v3', 'GET', 'b.example')).statusCode, 406)
  t.equal((await ask('/host', 'v3')).statusCode, 404)
})

for (const isFirst of [true, false]) {
  const when = isFirst ? 'before' : 'after'
  t.test(`a route without version and with an optional parameter, declared ${when} others, answers`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a/:id?', tell('open'))
    if (isFirst) open()
    app.get('/a/:other?', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    for (const url of ['/a', '/a/7']) {
      t.match((await app.inject({ url, ...accept('v1') })).json(), { mark: 'one' })
      t.match((await app.inject({ url, ...accept('v3') })).json(), { mark: 'open' })
    }
  })

  t.test(`a version at one URL of a route with an optional parameter, declared ${when} it, is refused`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a/:id?', tell('open'))
    if (isFirst) open()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: /GET \/a.* and GET \/a.* share only one of two paths, so that these are served in different versions: /
    })
  })
}

t.test('an open route at one URL of a version with an optional parameter is refused', async (t) => {
  for (const options of [{}, { constraints: { host: 'a.example' } }]) {
    const app = await appWith(t, byAccept)
    app.get('/a/:id?', { version: 'v1' }, tell('one'))
    app.get('/a', { ...options, name: 'open' }, tell('open'))
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: /one URL, where versions choose|share only one of two paths/
    })
  }
})

t.test('open routes of several hosts, methods and URLs are not duplicates', async (t) => {
  const app = await appWith(t, byAccept)
  const own = (host: string) => ({ version: null, constraints: { host } })
  app.get('/a', own('a.example'), tell('a'))
  app.get('/a', own('b.example'), tell('b'))
  app.post('/a', own('a.example'), tell('post'))
  app.get('/b', own('a.example'), tell('other'))
  app.get('/a', tell('any'))
  for (const [host, mark] of [['a.example', 'a'], ['b.example', 'b'], ['c.example', 'any']]) {
    t.match((await app.inject({ url: '/a', headers: { host } })).json(), { mark })
  }
})

/** Adds constraints to the app, each on a header. */
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

t.test('the refusal at one host lists the versions of that host', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  app.get('/a', { version: 'v2', constraints: { host: 'b.example' } }, tell('b'))
  for (const [host, other, own] of [['a.example', 'v2', 'v1'], ['b.example', 'v1', 'v2']]) {
    const response = await app.inject({ url: '/a', headers: { host, accept: `a/b;version=${other}` } })
    t.match(response.json(), { statusCode: 406, message: `This URL answers GET in ${own}.` })
  }
})

t.test('versions work together with the constraint on Accept-Version', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/a', { version: 'v1', constraints: { version: '1.0.0' } }, tell('one, 1.0.0'))
  app.get('/a', { version: 'v1', constraints: { version: '2.0.0' } }, tell('one, 2.0.0'))
  app.get('/a', { version: 'v2', constraints: { version: '1.0.0' } }, tell('two, 1.0.0'))
  const ask = (version: string, headers = {}) => app.inject({ url: `/a?version=${version}`, headers })
  t.match((await ask('v1', { 'accept-version': '1.x' })).json(), { mark: 'one, 1.0.0', version: 'v1' })
  t.match((await ask('v1', { 'accept-version': '2.x' })).json(), { mark: 'one, 2.0.0' })
  t.match((await ask('v2', { 'accept-version': '1.x' })).json(), { mark: 'two, 1.0.0' })
  const refused = await ask('v2', { 'accept-version': '2.x' })
  t.match(refused.json(), { statusCode: 404, message: 'This URL answers GET in v1.' })
})

t.test('custom constraints of an app keep their names', async (t) => {
  const app = bareApp(t)
  addConstraints(app, 'own')
  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions })
  app.get('/a', { version: 'v1', constraints: { own: 'own' } }, tell('own'))
  app.get('/a', { version: 'v2', constraints: { own: 'own' } }, tell('two'))
  const own = await app.inject({ url: '/a', headers: { 'x-own': 'own', ...accept('v1').headers } })
  t.match(own.json(), { mark: 'own' })
  t.equal((await app.inject({ url: '/a', ...accept('v1') })).statusCode, 404)
})

t.test('a constraints object that routes share is not changed', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { constraints }, tell('open'))
  app.get('/a', { constraints, version: 'v1' }, tell('one'))
  t.same(constraints, { host: 'a.example' })
})

t.test('a host reports its own versions', async (t) => {
  const app = await appWith(t, { ...byAccept, reportVersions: true })
  const retired = { deprecated: { deprecated: '2020-01-01' } }
  app.get('/a', { version: ['v1', 'v2'], constraints: { host: 'b.example' } }, tell('b'))
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' }, ...retired }, tell('a, one'))
  app.get('/a', { version: 'v2', constraints: { host: 'a.example' } }, tell('a, two'))
  for (const [host, deprecated] of [['a.example', 'v1'], ['b.example', undefined]] as const) {
    const { headers } = await app.inject({ url: '/a', headers: { host, ...accept('v2').headers } })
    t.equal(headers['api-deprecated-versions'], deprecated, host)
  }
})
