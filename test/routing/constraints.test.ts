import t from 'tap'

import versioning, { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { accept, allowedVersions, byAccept, byQuery, tell } from './app.ts'

import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'

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
  t.match((await ask('b.example', 'v1')).json(), { statusCode: 406, message: 'This URL is served in v2.' })
  t.match((await ask('c.example', 'v1')).json(), { statusCode: 406, message: 'This URL is served in v3.' })
})

t.test('the routes of another path answer if the constraints of one path do not match', async (t) => {
  const app = await appWith(t, byAccept)
  addConstraints(app, 'tenant')
  app.get('/a/b', { version: 'v1', constraints: { tenant: 'a' } }, tell('a'))
  app.get('/a/b', { version: 'v1', constraints: { tenant: 'b' } }, tell('b'))
  app.get('/a/:x', { version: 'v3' }, tell('x'))
  t.match((await app.inject({ url: '/a/b', ...accept('v3') })).json(), { mark: 'x' })
  t.match((await app.inject({ url: '/a/b', ...accept('v1') })).json(), { message: 'This URL is served in v3.' })
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
  const options: RouteShorthandOptions = { ...isFirst && { version: null }, constraints: { host: 'a.example' } }
  t.test(`an open route for one host, declared ${when} versions for all hosts, answers all versions`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a', options, tell('open'))
    if (isFirst) open()
    app.get('/a', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    const ask = (host: string, version: string) => (
      app.inject({ url: '/a', headers: { host, accept: `a/b;version=${version}` } })
    )
    t.match((await ask('a.example', 'v1')).json(), { mark: 'open', version: 'v1' })
    t.match((await ask('a.example', 'v3')).json(), { mark: 'open', version: 'v3' })
    t.match((await ask('b.example', 'v1')).json(), { mark: 'one' })
    t.match((await ask('b.example', 'v3')).json(), { statusCode: 406, message: 'This URL is served in v1.' })
  })

  t.test(`a route without version and with an optional parameter, declared ${when} others, answers`, async (t) => {
    const app = await appWith(t, byAccept)
    const open = () => app.get('/a/:id?', tell('open'))
    if (isFirst) open()
    app.get('/a/:other?', { version: 'v1' }, tell('one'))
    if (!isFirst) open()
    t.throws(() => app.get('/a/:id', tell('again')), { code: 'FST_ERR_DUPLICATED_ROUTE' })
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
      message: 'GET /a/:id? has two paths, and GET /a has only one of them, so that they are served in different ' +
        'versions. Declare a route for each path. See https://'
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
      message: "GET /a/:id? has two paths, and GET /a (named 'open') has only one of them, so that they are served " +
        'in different versions. Declare a route for each path. See https://'
    })
  }
})

t.test('an open route for one host that is declared before versions for all hosts is refused', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { constraints: { host: 'a.example' }, name: 'open' }, tell('open'))
  app.get('/a', { version: 'v1' }, tell('one'))
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: "GET /a (named 'open'), constrained by host, is declared before GET /a, which has versions: the router " +
      'would prefer the latter. Declare it after that, or give it the option "version: null". See https://'
  })
})

t.test('an open route with two constraints answers in any order of declaration', async (t) => {
  const app = await appWith(t, byAccept)
  addConstraints(app, 'tenant')
  app.get('/a', { constraints: { host: 'a.example', tenant: 't' } as Record<string, string> }, tell('open'))
  app.get('/a', { version: 'v1' }, tell('one'))
  const headers = { host: 'a.example', ...accept('v1').headers }
  t.match((await app.inject({ url: '/a', headers: { 'x-tenant': 't', ...headers } })).json(), { mark: 'open' })
  t.match((await app.inject({ url: '/a', headers })).json(), { mark: 'one' })
})

for (const options of [{ version: null }, {}]) {
  t.test(`a second open route of one host with ${JSON.stringify(options)} is refused next to versions`, async (t) => {
    const app = await appWith(t, byAccept)
    const constraints = { host: 'a.example' }
    app.get('/a', { version: 'v1' }, tell('one'))
    app.get('/a', { ...options, constraints, name: 'first' }, tell('first'))
    app.get('/a', { version: null, constraints }, tell('second'))
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: "GET /a (named 'first') and GET /a both serve every version that no other route claims. See https://"
    })
  })
}

for (const [first, second] of [
  [{ version: null }, { version: null }], [{ version: null }, {}], [{}, { version: null }],
  [{ version: null }, { versioning: false }], [{ versioning: false }, { version: null }]
] as const) {
  const title = `open routes of one host with ${JSON.stringify([first, second])} are refused without versions`
  t.test(title, async (t) => {
    const app = await appWith(t, byAccept)
    const constraints = { host: 'a.example' }
    app.get('/a', { ...first, constraints, name: 'first' }, tell('first'))
    app.get('/a', { ...second, constraints }, tell('second'))
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: "GET /a (named 'first') and GET /a both serve every version that no other route claims. See https://"
    })
  })
}

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

t.test('an open HEAD route with version: null has priority over the HEAD route that Fastify adds', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
  app.get('/a', { version: 'v1' }, mark('one'))
  app.get('/a', { constraints }, mark('get'))
  app.head('/a', { version: null, constraints }, mark('own'))
  const asked = { ...constraints, ...accept('v2').headers }
  const { headers } = await app.inject({ method: 'HEAD', url: '/a', headers: asked })
  t.equal(headers['x-mark'], 'own')
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

interface Own { says: string, version?: string, constraints: Record<string, string>, kinds: string }

const owns: Own[] = [
  { says: 'has a version', version: 'v1', constraints: { host: 'a.example' }, kinds: 'host' },
  { says: 'has no version', constraints: { host: 'a.example' }, kinds: 'host' },
  {
    says: 'has a version and another constraint',
    version: 'v1',
    constraints: { tenant: 't', region: 'r' },
    kinds: 'region and tenant'
  }
]

for (const { says, version, constraints, kinds } of owns) {
  for (const isFirst of [true, false]) {
    const when = isFirst ? 'before' : 'after'
    t.test(`a route that ${says} next to one with other constraints, declared ${when} it, is refused`, async (t) => {
      const app = await appWith(t, byAccept)
      addConstraints(app, 'tenant', 'region')
      const own = () => app.get('/a', { version, constraints, name: 'own' }, tell('own'))
      if (isFirst) own()
      const tenant = { tenant: 't' } as Record<string, string>
      app.get('/a', { version: 'v2', constraints: tenant, name: 'other' }, tell('other'))
      if (!isFirst) own()
      const routes = [`GET /a (named 'own') is constrained by ${kinds}`, "GET /a (named 'other') by tenant"]
      const others = ["GET /a (named 'other') is constrained by tenant", `GET /a (named 'own') by ${kinds}`]
      const [first, second] = version !== undefined && isFirst ? routes : others
      await t.rejects(async () => app.ready(), {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: `${first}, ${second}. Routes of a URL that has versions need constraints of one kind: give both ` +
          'routes the same kinds, or leave the constraints out and look at the request in the handler. See https://'
      })
    })
  }
}

t.test('routes without versions may have constraints of any kind next to versions for all requests', async (t) => {
  const app = await appWith(t, byAccept)
  addConstraints(app, 'tenant')
  app.get('/a', { version: 'v1' }, tell('one'))
  app.get('/a', { constraints: { host: 'a.example' } }, tell('host'))
  app.get('/a', { constraints: { tenant: 't' } as Record<string, string> }, tell('tenant'))
  const ask = (headers: object) => app.inject({ url: '/a', headers: { ...accept('v1').headers, ...headers } })
  t.match((await ask({})).json(), { mark: 'one' })
  t.match((await ask({ host: 'a.example' })).json(), { mark: 'host' })
  t.match((await ask({ host: 'a.example', 'x-tenant': 't' })).json(), { mark: 'tenant' })
})

t.test('the refusal at one host lists the versions of that host', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  app.get('/a', { version: 'v2', constraints: { host: 'b.example' } }, tell('b'))
  for (const [host, other, own] of [['a.example', 'v2', 'v1'], ['b.example', 'v1', 'v2']]) {
    const response = await app.inject({ url: '/a', headers: { host, accept: `a/b;version=${other}` } })
    t.match(response.json(), { statusCode: 406, message: `This URL is served in ${own}.` })
  }
})

t.test('the refusal at one host lists the versions for all hosts as well', async (t) => {
  const app = await appWith(t, byAccept)
  app.get('/a', { version: 'v2' }, tell('all'))
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, tell('a'))
  const response = await app.inject({ url: '/a', headers: { host: 'a.example', ...accept('v3').headers } })
  t.match(response.json(), { statusCode: 406, message: 'This URL is served in v1, v2.' })
})

for (const everywhere of [{ version: 'v1' }, {}]) {
  t.test(`a host reports its own version, next to a route with ${JSON.stringify(everywhere)} for all`, async (t) => {
    const app = await appWith(t, { ...byAccept, reportVersions: true })
    const constraints = { host: 'a.example' }
    app.get('/a', everywhere, tell('all'))
    app.get('/a', { version: 'v1', constraints, deprecated: { deprecated: '2020-01-01' } }, tell('a, one'))
    app.get('/a', { version: 'v2', constraints }, tell('a, two'))
    for (const [host, deprecated] of [['a.example', 'v1'], ['b.example', undefined]] as const) {
      const { headers } = await app.inject({ url: '/a', headers: { host, ...accept('v2').headers } })
      t.equal(headers['api-deprecated-versions'], deprecated, host)
    }
  })
}

t.test('versions work together with the constraint on Accept-Version', async (t) => {
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

t.test('custom constraints of an app keep their names', async (t) => {
  const app = bareApp(t)
  addConstraints(app, 'own')
  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions })
  app.get('/a', { version: 'v1', constraints: { own: 'own' } }, tell('own'))
  app.get('/a', { version: 'v1' }, tell('plain'))
  const own = await app.inject({ url: '/a', headers: { 'x-own': 'own', ...accept('v1').headers } })
  t.match(own.json(), { mark: 'own' })
  t.match((await app.inject({ url: '/a', ...accept('v1') })).json(), { mark: 'plain' })
})

t.test('a constraints object that routes share is not changed', async (t) => {
  const app = await appWith(t, byAccept)
  const constraints = { host: 'a.example' }
  app.get('/a', { constraints }, tell('open'))
  app.get('/a', { constraints, version: 'v1' }, tell('one'))
  t.same(constraints, { host: 'a.example' })
})
