import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { RouteShorthandOptions } from 'fastify'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

type Constraints = NonNullable<RouteShorthandOptions['constraints']>

const allowedVersions = ['v1', 'v2', 'v3', null]
const settings = { scheme: AcceptHeaderVersioning, allowedVersions }
const handler = async () => ''

class Unread extends BaseVersioning {}

interface Wrong { version: unknown, says: RegExp, options?: VersioningOptions }

const wrong: Wrong[] = [
  { version: 'v9', says: /expected one of allowedVersions, \[ 'v1', 'v2', 'v3' \], got 'v9'\.$/ },
  { version: ['v1', 'v9'], says: /got 'v9'\.$/ },
  { version: [], says: /expected a version, a list of versions, or a range .+, got \[\]\.$/ },
  { version: [null], says: /got null\.$/ },
  { version: 2, says: /expected a version, a list of versions, or a range .+, got 2\.$/ },
  { version: {}, says: /got {}\.$/ },
  { version: { from: 'v1', until: 'v2' }, says: /got { from: 'v1', until: 'v2' }\.$/ },
  { version: { from: 'v9' }, says: /got 'v9'\.$/ },
  { version: { to: 9 }, says: /got 9\.$/ },
  {
    version: { from: 'v3', to: 'v1' },
    says: /a range in the order of allowedVersions, .+ got { from: 'v3', to: 'v1' }\.$/
  },
  {
    version: { to: 'v1' },
    options: { allowedVersions: null },
    says: /a range needs allowedVersions, got { to: 'v1' }\.$/
  },
  {
    version: 'v1',
    options: { scheme: URLPathVersioning },
    says: /none, for the version is in the path: .+ got 'v1'\.$/
  },
  {
    version: 'v1',
    options: { scheme: NamespaceVersioning },
    says: /none, for the version is a namespace: .+ got 'v1'\.$/
  },
  { version: 'v1', options: { scheme: null }, says: /expected a scheme that reads one, got 'v1'\.$/ },
  {
    version: 'v1',
    options: { scheme: Unread },
    says: /a scheme that has readVersion\(\), which Unread has not, got 'v1'\.$/
  }
]

for (const { version, options, says } of wrong) {
  t.test(`a route cannot serve ${JSON.stringify(version)}, where it is ${says}`, async (t) => {
    const app = await appWith(t, { ...settings, ...options })
    t.throws(() => app.get('/a', { version } as RouteShorthandOptions, handler), {
      code: 'FST_ERR_VERSIONING_OPTION', message: says
    })
  })
}

t.test('a version-neutral route cannot have the option version', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { versioning: false, version: 'v1' }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /expected a scheme that reads one, got 'v1'/
  })
})

interface Conflict { first: RouteVersions, second: RouteVersions, both: string | null }

const conflicts: Conflict[] = [
  { first: 'v1', second: 'v1', both: "'v1'" },
  { first: ['v1', 'v2'], second: ['v2', 'v3'], both: "'v2'" },
  { first: { from: 'v1', to: 'v2' }, second: { from: 'v1' }, both: "[ 'v1', 'v2' ]" },
  { first: { to: 'v2' }, second: { to: 'v1' }, both: "'v1'" },
  { first: { to: 'v2' }, second: { from: 'v1' }, both: "[ 'v1', 'v2' ]" },
  { first: 'v1', second: { from: 'v1' }, both: null },
  { first: 'v1', second: ['v2'], both: null }
]

for (const { first, second, both } of conflicts) {
  const [a, b] = [first, second].map((one) => JSON.stringify(one))
  t.test(`${a} and ${b} ${both === null ? 'do not conflict' : 'conflict'}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/a/:id', { version: first }, handler)
    const declare = () => app.get('/a/:other', { version: second }, handler)
    if (both === null) t.doesNotThrow(declare)
    else {
      t.throws(declare, {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: `Invalid "version": expected a version of GET /a/:other that GET /a/:id does not claim, got ${both}.`
      })
    }
  })
}

t.test('the error names the route that serves the version already', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { name: 'first', version: 'v1' }, handler)
  t.throws(() => app.get('/a/:id?', { version: ['v1', 'v3'] }, handler), {
    message: /expected a version of GET \/a\/:id\? that GET \/a, named 'first', does not claim, got 'v1'\.$/
  })
})

t.test('contexts that permit different versions by one scheme cannot serve the same one', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1' }, handler)
  app.register(async (context) => {
    await context.register(versioning, { allowedVersions: ['v1', 'v5'] })
    context.get('/a', { version: 'v5' }, handler)
    context.get('/a', { version: { to: 'v1' } }, handler)
  })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /expected a version of GET \/a that GET \/a does not claim, got 'v1'\.$/
  })
})

t.test('routes of other methods, paths, constraints and schemes do not conflict', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1' }, handler)
  t.doesNotThrow(() => app.post('/a', { version: 'v1' }, handler))
  t.doesNotThrow(() => app.get('/b', { version: 'v1' }, handler))
  t.doesNotThrow(() => app.get('/a', { version: 'v1', constraints: { host: 'a.example' } }, handler))
  t.doesNotThrow(() => app.get('/a', { version: 'v1', versioning: new QueryParameterVersioning() }, handler))
  await app.ready()
})

t.test('constraints that are equal only as JSON do not conflict, and the order of the names is ignored', async (t) => {
  const app = await appWith(t, settings)
  const route = (constraints: Constraints) => app.get('/a', { version: 'v1', constraints }, handler)
  route({ host: /^a/ })
  t.doesNotThrow(() => route({ host: /^b/ }))
  route({ host: 'c', version: '1.0.0' })
  t.throws(() => route({ version: '1.0.0', host: 'c' }), { code: 'FST_ERR_VERSIONING_OPTION' })
})

t.test('routes that name the same class have the same scheme', async (t) => {
  const app = await appWith(t, settings)
  app.get('/a', { version: 'v1', versioning: QueryParameterVersioning }, handler)
  t.throws(() => app.get('/a', { version: 'v1', versioning: QueryParameterVersioning }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION'
  })
})

t.test('an explicit HEAD route has priority over the automatic one of a GET route', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: 'v1' }, async (_request, reply) => reply.header('x-own', 'yes').send())
  app.get('/a', { version: 'v1' }, handler)
  const request = { url: '/a', headers: { accept: 'a/b;version=v1' } }
  t.equal((await app.inject({ ...request, method: 'HEAD' })).headers['x-own'], 'yes')
  t.equal((await app.inject(request)).statusCode, 200)
  t.match(app.printRoutes(), /a \(HEAD, GET\) {"fastifyVersioning":\["v1"\]}/)
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

t.test('two explicit HEAD routes cannot serve the same version', async (t) => {
  const app = await appWith(t, settings)
  app.head('/a', { version: ['v1', 'v2'] }, handler)
  t.throws(() => app.head('/a', { version: 'v1' }, handler), { code: 'FST_ERR_VERSIONING_OPTION' })
})

const likes = [
  { says: 'of one class with other defaults', first: AcceptHeaderVersioning, options: { defaultVersion: 'v2' } },
  {
    says: 'made of the same class',
    first: new AcceptHeaderVersioning({ allowedVersions }),
    options: { scheme: new AcceptHeaderVersioning({ allowedVersions }) }
  }
]

for (const { says, first, options } of likes) {
  t.test(`routes under schemes ${says} conflict`, async (t) => {
    const app = await appWith(t, { ...settings, scheme: first })
    app.get('/a', { version: 'v2' }, handler)
    app.register(async (context) => {
      await context.register(versioning, options)
      context.get('/a', { version: { from: 'v1' } }, handler)
    })
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message: /got 'v2'\.$/ })
  })
}

t.test('routes under schemes of one class with different parameters do not conflict', async (t) => {
  const app = await appWith(t, { ...settings, scheme: new QueryParameterVersioning({ versionParam: 'v' }) })
  app.get('/a', { version: 'v1' }, handler)
  const other = new QueryParameterVersioning({ versionParam: 'w' })
  t.doesNotThrow(() => app.get('/a', { version: 'v1', versioning: other }, handler))
  await app.ready()
})

t.test('the internal constraint of the option version is refused', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { constraints: { fastifyVersioning: 'v1' } as Constraints }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Invalid "constraints.fastifyVersioning": expected the route option "version" instead, got \'v1\'.'
  })
})

t.test('constraints that are no object are left to Fastify', async (t) => {
  const app = await appWith(t, settings)
  t.throws(() => app.get('/a', { constraints: 5 as never }, handler), { message: /Constraints should be an object/ })
})

t.test('long constraints are compared to their end', async (t) => {
  const app = await appWith(t, settings)
  const host = (end: string) => ({ host: 'a'.repeat(20_000) + end })
  app.get('/a', { version: 'v1', constraints: host('x') }, handler)
  t.doesNotThrow(() => app.get('/a', { version: 'v1', constraints: host('y') }, handler))
})

t.test('allowedVersions of an object that is a scheme has to be an array', async (t) => {
  const scheme = Object.assign(new QueryParameterVersioning(), { allowedVersions: new Set(['v1']) })
  await t.rejects(async () => appWith(t, { scheme: scheme as never }), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "allowedVersions": expected an array of strings and null/
  })
})

t.test('more routes than the router can hold are refused with the advice to use ranges', async (t) => {
  const versions = Array.from({ length: 40 }, (_, i) => `v${i}`)
  const app = await appWith(t, { ...settings, allowedVersions: versions })
  for (const version of versions.slice(0, 31)) app.get('/a', { version }, handler)
  t.throws(() => app.get('/a', { version: 'v31' }, handler), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /: expected at most 31 routes for GET \/a; a range { from, to } serves several versions, got 'v31'\.$/
  })
  t.throws(() => app.get('/a', handler), { code: 'FST_ERR_VERSIONING_OPTION', message: /at most 31 routes for GET/ })
})

t.test('routes without versions are not counted', async (t) => {
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
    message: /: expected the registration before GET \/a, which has a version, got QueryParameterVersioning\.$/
  })
})

t.test('the plugin cannot be registered with the option version', async (t) => {
  await t.rejects(async () => appWith(t, { version: 'v1' } as VersioningOptions), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "version": expected a version on the register\(\) of a context with routes, got 'v1'\.$/
  })
})
