import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyReply, RouteShorthandOptions } from 'fastify'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

type Constraints = NonNullable<RouteShorthandOptions['constraints']>

const allowedVersions = ['v1', 'v2', 'v3', null]
const settings = { scheme: AcceptHeaderVersioning, allowedVersions }
const handler = async () => ''

class Unread extends BaseVersioning {
  override determineVersion () { return null }
}

class Late extends BaseVersioning {
  override readonly knownAfterRouting = 'the session has the version'
  override readVersion () { return 'v1' }
}

interface Wrong { version: unknown, says: RegExp, options?: VersioningOptions }

const wrong: Wrong[] = [
  { version: 'v9', says: /one of allowedVersions, \[ 'v1', 'v2', 'v3' \], got 'v9'\. The route is GET \/a\. See / },
  { version: ['v1', 'v9'], says: /got 'v9'\. The route is GET \/a\. See / },
  { version: [], says: /expected a version, a list of versions, or a range .+, got \[\]\. The route is GET \/a\. / },
  {
    version: ['v1', null],
    options: { allowedVersions: ['v1'] },
    says: /expected no null, because .* is refused, got \[ 'v1', null \]/
  },
  {
    version: ['v1', null],
    options: { allowedVersions: ['v1'], scheme: HostNameVersioning },
    says: /expected no null, because .* is refused, got \[ 'v1', null \]/
  },
  {
    version: [null],
    options: { defaultVersion: 'v1' },
    says: /no null, because a request without a version has the default one or is refused, got \[ null \]/
  },
  { version: 2, says: /expected a version, a list of versions, or a range .+, got 2\. The route is GET \/a\. See / },
  { version: [2], options: { allowedVersions: null }, says: /expected a version, a list .+, got 2\. The / },
  { version: {}, says: /got {}\. The route is GET \/a\. See / },
  { version: { from: 'v1', until: 'v2' }, says: /got { from: 'v1', until: 'v2' }\. The route is GET \/a\. See / },
  { version: { from: 'v9' }, says: /got 'v9'\. The route is GET \/a\. See / },
  { version: { to: 9 }, says: /got 9\. The route is GET \/a\. See / },
  {
    version: { from: 'v3', to: 'v1' },
    says: /a range in the order of allowedVersions, .+ got { from: 'v3', to: 'v1' }\. The route is GET \/a\. See /
  },
  {
    version: { to: 'v1' },
    options: { allowedVersions: null },
    says: /a range needs allowedVersions, got { to: 'v1' }\. The route is GET \/a\. See /
  },
  {
    version: 'v1',
    options: { scheme: NamespaceVersioning },
    says: /none, because the version is a namespace: .+ got 'v1'\. The route is GET \/a\. See /
  },
  { version: 'v1', options: { scheme: null }, says: /a scheme that reads one, got 'v1'\. The route is GET \/a\. See / },
  {
    version: 'v1',
    options: { scheme: Late },
    says: /expected none, because the session has the version, got 'v1'\. The route is GET \/a\. See /
  },
  {
    version: 'v1',
    options: { scheme: Unread },
    says: /a scheme that has readVersion\(\), which Unread has not, got 'v1'\. The route is GET \/a\. See /
  }
]

for (const { version, options, says } of wrong) {
  t.test(`a route with the version ${JSON.stringify(version)} is refused with ${says}`, async (t) => {
    const app = await appWith(t, { ...settings, ...options })
    t.throws(() => app.get('/a', { version } as RouteShorthandOptions, handler), {
      code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`^Invalid "version": .*${says.source}`)
    })
  })
}

t.test('a version-neutral route cannot have the option version', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { versioning: false, version: 'v1' }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /expected a scheme that reads one, got 'v1'/
  })
})

const DUPLICATE = { code: 'FST_ERR_DUPLICATED_ROUTE' }

for (const version of ['v1', ['v1', 'v2'], { from: 'v1' }, undefined]) {
  t.test(`two routes for ${JSON.stringify(version)} are a duplicate to Fastify`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/a/:id', { version }, handler)
    t.throws(() => app.get('/a/:other', { version }, handler), DUPLICATE)
  })
}

interface Conflict {
  first: RouteVersions
  second: RouteVersions
  /** The first version that both have by the same right, or null. */
  both: string | null
}

const conflicts: Conflict[] = [
  { first: ['v1'], second: ['v1', 'v3'], both: 'v1' },
  { first: ['v1', 'v2'], second: ['v2', 'v3'], both: 'v2' },
  { first: { from: 'v1', to: 'v2' }, second: { from: 'v1' }, both: 'v1' },
  { first: { to: 'v2' }, second: { to: 'v1' }, both: 'v1' },
  { first: { to: 'v2' }, second: { from: 'v1' }, both: 'v1' },
  { first: 'v1', second: { from: 'v1' }, both: null },
  { first: 'v1', second: ['v2'], both: null }
]

for (const { first, second, both } of conflicts) {
  const [a, b] = [first, second].map((one) => JSON.stringify(one))
  t.test(`routes for ${a} and ${b} ${both === null ? 'do not conflict' : 'conflict'}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/a/:id', { version: first }, handler)
    app.get('/a/:other', { version: second }, handler)
    const ready = async () => app.ready()
    if (both === null) await t.resolves(ready)
    else {
      await t.rejects(ready, {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: `GET /a/:id and GET /a/:other both claim version '${both}': remove '${both}' from the option ` +
          '"version" of one of them. See https://'
      })
    }
  })
}

t.test('the error about a conflict names both routes', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { name: 'first', version: 'v1' }, handler)
  app.get('/a', { version: ['v1', 'v3'] }, handler)
  await t.rejects(async () => app.ready(), {
    message: "GET /a (named 'first') and GET /a both claim version 'v1': remove 'v1' from the option"
  })
})

t.test('routes of other methods, paths and hosts do not conflict', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, handler)
  app.post('/a', { version: 'v1' }, handler)
  app.get('/b', { version: 'v1' }, handler)
  app.get('/a', { version: 'v1', constraints: { host: 'b.example' } }, handler)
  await t.resolves(async () => app.ready())
})

t.test('constraints that are equal only as JSON do not conflict', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', constraints: { host: /^a/ } }, handler)
  app.get('/a', { version: 'v1', constraints: { host: /^b/ } }, handler)
  await t.resolves(async () => app.ready())
})

t.test('constraints whose names are in another order conflict', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', constraints: { host: 'c', version: '1.0.0' } }, handler)
  t.throws(() => app.get('/a', { version: 'v1', constraints: { version: '1.0.0', host: 'c' } }, handler), DUPLICATE)
})

t.test('routes with the same scheme class have the same scheme', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', versioning: QueryParameterVersioning }, handler)
  app.get('/a', { version: 'v2', versioning: QueryParameterVersioning }, handler)
  await t.resolves(async () => app.ready())
})

t.test('an explicit HEAD route has priority over the automatic one of a GET route', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: 'v1' }, async (_request, reply) => reply.header('x-own', 'yes').send())
  app.get('/a', { version: 'v1' }, handler)
  const request = { url: '/a', headers: { accept: 'a/b;version=v1' } }
  t.equal((await app.inject({ ...request, method: 'HEAD' })).headers['x-own'], 'yes')
  t.equal((await app.inject(request)).statusCode, 200)
})

interface Twin { head: RouteVersions, get: RouteVersions, own: string[], twin: string[] }

const twins: Twin[] = [
  { head: ['v1', 'v2'], get: 'v1', own: ['v1', 'v2'], twin: [] },
  { head: 'v1', get: ['v1', 'v2'], own: ['v1'], twin: ['v2'] },
  { head: { from: 'v1' }, get: { from: 'v1', to: 'v2' }, own: ['v1', 'v2', 'v3'], twin: [] },
  { head: { to: 'v1' }, get: { from: 'v1' }, own: ['v1'], twin: ['v2', 'v3'] },
  { head: 'v2', get: { from: 'v1' }, own: ['v2'], twin: ['v1', 'v3'] }
]

for (const { head, get, own, twin } of twins) {
  t.test(`HEAD for ${JSON.stringify(head)} has priority over GET for ${JSON.stringify(get)}`, async (t) => {
    const app = await appWith(t, settings)
    app.head('/a', { version: head }, async (_request, reply) => reply.header('x-own', 'yes').send())
    app.get('/a', { version: get }, handler)
    for (const version of ['v1', 'v2', 'v3']) {
      const { statusCode, headers } = await app.inject({
        url: '/a', method: 'HEAD', headers: { accept: `a/b;version=${version}` }
      })
      t.same([statusCode === 200, headers['x-own']], [
        own.includes(version) || twin.includes(version), own.includes(version) ? 'yes' : undefined
      ], version)
    }
  })
}

t.test('several explicit HEAD routes leave to the automatic one what none of them serves', async (t) => {
  const app = await appWith(t, settings)
  const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
  app.head('/a', { version: { from: 'v1', to: 'v1' } }, mark('first'))
  app.head('/a', { version: { from: 'v2', to: 'v2' } }, mark('second'))
  app.get('/a', { version: ['v1', 'v2', 'v3'] }, mark('get'))
  for (const [version, expected] of [['v1', 'first'], ['v2', 'second'], ['v3', 'get']]) {
    const response = await app.inject({ url: '/a', method: 'HEAD', headers: { accept: `a/b;version=${version}` } })
    t.equal(response.headers['x-mark'], expected, version)
  }
})

t.test('the rest of a range that an explicit HEAD route leaves yields to a GET route with a version', async (t) => {
  const app = await appWith(t, settings)
  const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
  app.head('/a', { version: 'v1' }, mark('own'))
  app.get('/a', { version: { from: 'v1' } }, mark('range'))
  app.get('/a', { version: 'v3' }, mark('list'))
  for (const [version, expected] of [['v1', 'own'], ['v2', 'range'], ['v3', 'list']]) {
    const response = await app.inject({ url: '/a', method: 'HEAD', headers: { accept: `a/b;version=${version}` } })
    t.equal(response.headers['x-mark'], expected, version)
  }
})

for (const version of ['v2', ['v1', 'v2']]) {
  t.test(`an explicit HEAD route and a GET route for ${JSON.stringify(version)} need one scheme`, async (t) => {
    const app = await appWith(t, settings)
    app.head('/a', { version: 'v1', versioning: QueryParameterVersioning }, handler)
    app.get('/a', { version }, handler)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'HEAD /a and HEAD /a (which Fastify adds to GET /a) have one URL, where versions choose: give both ' +
        'the same scheme, not QueryParameterVersioning and AcceptHeaderVersioning. See https://'
    })
  })
}

t.test('an automatic HEAD route without a version left by explicit ones is in no report', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: ['v1', 'v2'] }, handler)
  app.get('/a', { version: 'v1' }, handler)
  await app.ready()
  t.equal(app.printRoutes(), `└── /
    └── a (HEAD) {"fastifyVersioning":["v1","v2"]}
        a (GET, HEAD) {"fastifyVersioning":["v1"]}
`)
  const [head, get] = ['HEAD', 'GET'].map((method) => ({ method, url: '/a', name: null }))
  t.match(app.versions.map(({ version, routes }) => [version, routes]), [['v1', [head, get]], ['v2', [head]]])
  t.equal(app.versions.length, 2)
})

t.test('an explicit HEAD route replaces the automatic one under a RegExp host', async (t) => {
  const app = await appWith(t, settings)
  const constraints = { host: /^a\./ }
  app.head('/a', { version: ['v1', 'v2'], constraints }, async (_request, reply) => reply.header('x-own', 'yes').send())
  app.get('/a', { version: 'v1', constraints }, handler)
  const headers = { host: 'a.example', accept: 'a/b;version=v1' }
  t.equal((await app.inject({ url: '/a', method: 'HEAD', headers })).headers['x-own'], 'yes')
})

for (const method of ['GET', ['GET', 'POST']]) {
  t.test(`an explicit HEAD route has priority over the automatic one of ${String(method)} before it`, async (t) => {
    const app = await appWith(t, settings)
    const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
    app.route({ method, url: '/a', version: { from: 'v1' }, handler: mark('get') })
    app.head('/a', { version: 'v2' }, mark('own'))
    for (const [version, expected] of [['v1', 'get'], ['v2', 'own'], ['v3', 'get']]) {
      const response = await app.inject({ url: '/a', method: 'HEAD', headers: { accept: `a/b;version=${version}` } })
      t.equal(response.headers['x-mark'], expected, version)
    }
  })
}

t.test('an explicit HEAD route at one URL of a GET route with an optional parameter is refused', async (t) => {
  for (const options of [{ version: { from: 'v2' } }, {}]) {
    const app = await appWith(t, settings)
    app.head('/a', { ...options, name: 'own' }, handler)
    app.get('/a/:id?', { version: 'v2' }, handler)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: /HEAD \/a\/:id\? \(which Fastify .*share only one of two paths, .* declare a route for each path\./
    })
  }
})

t.test('an error about the HEAD route of a GET route says to which route it belongs', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { constraints: { host: 'a.example' } }, handler)
  app.head('/a', { version: 'v1' }, handler)
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'HEAD /a (which Fastify adds to GET /a) and HEAD /a have one URL, where versions choose: give both a ' +
      'constraint for host, or leave it out and look at the request in the handler.'
  })
})

t.test('explicit HEAD routes at each URL of a GET route serve its versions there', async (t) => {
  const app = await appWith(t, settings)
  const mark = (text: string) => async (_request: unknown, reply: FastifyReply) => reply.header('x-mark', text).send()
  app.get('/a', { version: { from: 'v1' } }, mark('get'))
  app.get('/a/:id', { version: { from: 'v1' } }, mark('get'))
  app.head('/a', { version: 'v2' }, mark('own'))
  for (const [url, version, expected] of [['/a', 'v1', 'get'], ['/a', 'v2', 'own'], ['/a/7', 'v2', 'get']]) {
    const response = await app.inject({ url, method: 'HEAD', headers: { accept: `a/b;version=${version}` } })
    t.equal(response.headers['x-mark'], expected, `${url} in ${version}`)
  }
})

t.test('two explicit HEAD routes cannot serve the same version, with or without a GET route', async (t) => {
  for (const isBeside of [true, false]) {
    const app = await appWith(t, settings)
    if (isBeside) app.get('/a', { version: 'v3' }, handler)
    app.head('/a', { version: ['v1', 'v2'] }, handler)
    app.head('/a', { version: 'v1' }, handler)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: "HEAD /a and HEAD /a both claim version 'v1': remove 'v1' from the option"
    })
  }
})

t.test('a second route under an equal RegExp host is refused when the app is ready', async (t) => {
  const declare = async (isVersioned: boolean) => {
    const app = await appWith(t, settings)
    app.get('/a', { version: 'v1', constraints: { host: /^a\./ } }, handler)
    app.get('/a', { ...isVersioned && { version: 'v2' }, constraints: { host: /^a\./ }, name: 'late' }, handler)
    await app.ready()
  }
  for (const isVersioned of [true, false]) {
    await t.rejects(declare(isVersioned), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: "GET /a and GET /a (named 'late') have the host /^a\\./, for which the router only finds the first: " +
        'serve both versions by one route, and look at the host in the handler.'
    })
  }
})

t.test('routes under different RegExp hosts, and one for GET and HEAD under one, are reached', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', constraints: { host: /^a\./ } }, async () => 'a')
  app.get('/a', { version: 'v2', constraints: { host: /^b\./ } }, async () => 'b')
  const ask = (host: string, version: string, method: 'GET' | 'HEAD' = 'GET') => (
    app.inject({ method, url: '/a', headers: { host, accept: `a/b;version=${version}` } })
  )
  t.equal((await ask('a.example', 'v1')).body, 'a')
  t.equal((await ask('b.example', 'v2')).body, 'b')
  t.equal((await ask('a.example', 'v1', 'HEAD')).statusCode, 200)
})

t.test('routes without versions under one RegExp host are left to Fastify', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { constraints: { host: /^a\./ } }, handler)
  app.get('/a', { constraints: { host: /^a\./, version: '1.0.0' } }, handler)
  await t.resolves(async () => app.ready())
})

interface Change { does: string, change: (constraints: Constraints) => Constraints | undefined }

const changes: Change[] = [
  { does: 'replaces', change: () => ({ host: 'a.example' }) },
  { does: 'adds to', change: (constraints) => Object.assign(constraints, { host: 'a.example' }) },
  { does: 'copies and adds to', change: (constraints) => ({ ...constraints, host: 'a.example' }) },
  { does: 'removes', change: () => undefined }
]

for (const { does, change } of changes) {
  t.test(`a later onRoute hook that ${does} the constraints that versions choose is refused`, async (t) => {
    const app = await appWith(t, settings)
    app.addHook('onRoute', (route) => {
      Object.assign(route, { constraints: change(route.constraints as Constraints) })
    })
    app.get('/a', { version: 'v1', exposeHeadRoute: false }, handler)
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'A later onRoute hook has replaced the url, the constraints or the config of GET /a. Add that hook '
    })
  })
}

t.test('a later onRoute hook that copies the constraints as they are changes nothing', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onRoute', (route) => { route.constraints = { ...route.constraints } })
  app.get('/a', { version: 'v1' }, async () => 'one')
  app.get('/a', { version: 'v2' }, async () => 'two')
  t.equal((await app.inject({ url: '/a', headers: { accept: 'a/b;version=v2' } })).body, 'two')
})

t.test('a later onRoute hook that changes the url of a route is refused', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onRoute', (route) => { route.url = `/moved${route.url}` })
  app.get('/a', { version: 'v1', exposeHeadRoute: false }, handler)
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'A later onRoute hook has replaced the url, the constraints or the config of GET /a. Add that hook '
  })
})

t.test('the internal constraint of the option version is refused', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { constraints: { fastifyVersioning: 'v1' } as Constraints }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Invalid "constraints.fastifyVersioning": expected the route option "version" instead, got \'v1\'. ' +
      'The route is GET /a.'
  })
})

t.test('constraints that are not an object are left to Fastify', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { constraints: 5 as never }, handler), { message: /Constraints should be an object/ })
})

t.test('long constraints are compared in full', async (t) => {
  const app = await appWith(t, settings)
  const host = (end: string) => ({ host: 'a'.repeat(20_000) + end })
  app.get('/a', { version: 'v1', constraints: host('x') }, handler)
  t.doesNotThrow(() => app.get('/a', { version: 'v1', constraints: host('y') }, handler))
})

t.test('allowedVersions of an instance must be an array', async (t) => {
  const scheme = Object.assign(new QueryParameterVersioning(), { allowedVersions: new Set(['v1']) })
  await t.rejects(async () => appWith(t, { scheme: scheme as never }), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "allowedVersions": expected an array of strings and null/
  })
})

t.test('routes without versions do not count towards the limit of the router', async (t) => {
  const app = await appWith(t)
  for (let i = 0; i < 40; i++) app.get(`/a/${i}`, handler)
  await t.resolves(async () => app.ready())
})

t.test('a scheme registered after routes with versions is refused', async (t) => {
  const app = await appWith(t, settings)
  app.register(async (context) => {
    context.get('/a', { version: 'v1' }, handler)
    await context.register(versioning, { scheme: QueryParameterVersioning })
  })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Register fastify-versioning before declaring GET /a, which has a version.'
  })
})

t.test('the plugin cannot be registered with the option version', async (t) => {
  await t.rejects(async () => appWith(t, { version: 'v1' } as VersioningOptions), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected a version on the register\(\) of a context with routes, got 'v1'\./
  })
})

interface Unlike { says: string, options: RouteShorthandOptions, advice: string }

const unlikes: Unlike[] = [
  { says: 'without a scheme', options: { versioning: false }, advice: 'give both a scheme, or another URL to the one' },
  {
    says: 'under another scheme',
    options: { versioning: QueryParameterVersioning },
    advice: 'give both the same scheme, not AcceptHeaderVersioning and QueryParameterVersioning.'
  },
  {
    says: 'for one host',
    options: { constraints: { host: 'a.example' } },
    advice: 'give both a constraint for host, or leave it out and look at the request in the handler.'
  },
  {
    says: 'for one host, with a version',
    options: { version: 'v2', constraints: { host: 'a.example' } },
    advice: 'give both a constraint for host, or leave it out and look at the request in the handler.'
  }
]

for (const { says, options, advice } of unlikes) {
  for (const isFirst of [true, false]) {
    t.test(`a route ${says}, declared ${isFirst ? 'before' : 'after'} a version, is refused at its URL`, async (t) => {
      const app = await appWith(t, settings)
      if (isFirst) app.get('/a/:id', { ...options, exposeHeadRoute: false }, handler)
      app.get('/a/:other', { version: 'v1', name: 'one', exposeHeadRoute: false }, handler)
      if (!isFirst) app.get('/a/:id', { ...options, exposeHeadRoute: false }, handler)
      await t.rejects(async () => app.ready(), {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: new RegExp(`GET /a/:other .named 'one'.* one URL, where versions choose: ${isFirst ? '.*' : advice}`)
      })
    })
  }
}

const nears: [option: string, own: string][] = [
  ['versions', 'version'], ['Version', 'version'], ['deprecation', 'deprecated'], ['deprecate', 'deprecated'],
  ['writtenfor', 'writtenFor'], ['Name', 'name'], ['versionning', 'versioning']
]

for (const [option, own] of nears) {
  t.test(`the route option ${option} is refused, because it is nearly ${own}`, async (t) => {
    const app = await appWith(t, settings)
    t.throws(() => app.get('/a', { [option]: 'v1' } as RouteShorthandOptions, handler), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: `Invalid "${option}": expected the route option "${own}" instead, got 'v1'. The route is GET /a.`
    })
  })
}

t.test('the option namespace of a route is refused, because it belongs to a context', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { namespace: 'v1' } as RouteShorthandOptions, handler), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Invalid "namespace": expected a namespace on the register() of a context with routes, got \'v1\'. ' +
      'The route is GET /a.'
  })
})

t.test('options of other plugins are left alone', async (t) => {
  const app = await appWith(t, settings)
  const others = { game: 1, names: 1, session: 1, websocket: false, preParsed: 1, public: true, tags: ['a'], verify: 1 }
  t.doesNotThrow(() => app.get('/a', others as RouteShorthandOptions, handler))
  await app.ready()
})
