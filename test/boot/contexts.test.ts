import { inspect, isDeepStrictEqual } from 'node:util'
import t from 'tap'

import * as api from '../../src/index.ts'
import versioning, { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

const version = async ({ version, versioningScheme }: FastifyRequest) => (
  { version, scheme: versioningScheme?.constructor.name ?? null }
)

/** An app with `/parent` under the first options, and `/child` in a context under the second. */
async function family (t: Test, parent: VersioningOptions, child: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, parent)
  app.get('/parent', version)
  app.register(async (scope) => {
    await scope.register(versioning, child)
    scope.get('/child', version)
    scope.register(async (inner) => { inner.get('/grandchild', version) })
  })
  await app.ready()
  return app
}

const query = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const accept = (header: string) => ({ headers: { accept: header } })

t.test('the package exports the plugin, its schemes, the error of a refusal, and functions', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning', 'BaseVersioning', 'ContentTypeVersioning', 'HeaderVersioning', 'HostNameVersioning',
    'NamespaceVersioning', 'QueryParameterVersioning', 'URLPathVersioning', 'VersionError', 'byDate', 'checkChanges',
    'default', 'defineChange', 'routeTypes'
  ])
  t.equal((await appWith(t)).hasPlugin('fastify-versioning'), true)
})

/** What a child sets, a URL, and the version in which it is served; undefined if it is refused. */
const inherited: [options: VersioningOptions, url: string, version: string | null | undefined][] = [
  [{}, '/child', 'v1'],
  [{}, '/child?version=v2', 'v2'],
  [{ defaultVersion: 'v2' }, '/child', 'v2'],
  [{ defaultVersion: null, allowedVersions: null }, '/child', null],
  [{ allowedVersions: [] }, '/child?version=v9', 'v9'],
  [{ allowedVersions: ['v3'] }, '/child?version=v3', 'v3'],
  [{ allowedVersions: ['v3'] }, '/child?version=v2', undefined],
  [{ allowedVersions: ['v3'] }, '/parent?version=v2', 'v2'],
  [{ allowedVersions: ['v3'] }, '/parent?version=v3', undefined],
  [{ versionParam: 'v' }, '/child?v=v2&version=v1', 'v2'],
  [{ scheme: null }, '/child?version=v9', null],
  [{ scheme: null }, '/grandchild?version=v9', null],
  [{ scheme: new QueryParameterVersioning() }, '/child?version=v9', 'v9']
]

for (const [options, url, version] of inherited) {
  t.test(`a child that sets ${Object.keys(options).join() || 'nothing'} serves ${url} in ${version}`, async (t) => {
    const app = await family(t, query, options)
    const response = await app.inject(url)
    t.equal(response.statusCode, version === undefined ? 404 : 200)
    t.equal(response.json().version, version)
  })
}

t.test('one instance may be the scheme of two apps, and of a route', async (t) => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['v7'] })
  for (const options of [{ scheme }, { scheme }, {}]) {
    const app = await appWith(t, options)
    const own = options.scheme === undefined ? { versioning: scheme } : {}
    app.get('/a', { name: 'self', ...own }, async (_request, reply) => reply.reverse('self'))
    t.equal((await app.inject('/a?version=v7')).body, '/a?version=v7')
    t.equal((await app.inject('/a?version=v8')).statusCode, 404)
    t.equal(app.reverse('self'), '/a')
    t.equal(scheme.reverse('self'), '/a')
  }
})

t.test('a child context inherits the instance of its parent, or its settings with a scheme class', async (t) => {
  class Aliased extends QueryParameterVersioning {
    #aliases = new Map<string, string>()
    // Of the class, so it is no setting that others inherit.
    override resolveVersion (version: string) { return this.#aliases.get(version) ?? version }
  }
  const scheme = new Aliased({ allowedVersions: ['v7'], defaultVersion: 'v7', versionParam: 'v' })
  const same = await family(t, { scheme }, {})
  t.match((await same.inject('/child?v=v7')).json(), { version: 'v7' })
  t.equal((await same.inject('/child?v=v8')).statusCode, 404)
  const app = await family(t, { scheme }, { scheme: AcceptHeaderVersioning })
  t.match((await app.inject('/child')).json(), { version: 'v7' })
  for (const url of ['/child', '/grandchild']) {
    const { name } = AcceptHeaderVersioning
    t.same((await app.inject({ url, ...accept('a/b;v=v7') })).json(), { version: 'v7', scheme: name })
  }
  t.equal((await app.inject({ url: '/child', ...accept('a/b;v=v8') })).statusCode, 406)
})

t.test('a second registration in a context is refused', async (t) => {
  const app = await appWith(t, query)
  await t.rejects(async () => app.register(versioning), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'fastify-versioning is registered twice in one context. Register it once, or the second time in a child'
  })
})

t.test('a child context that registers before the root determines versions of its own requests, once', async (t) => {
  let count = 0
  class Counting extends BaseVersioning {
    override async determineVersion () { return `v${++count}` }
  }
  const app = bareApp(t)
  app.register(async (scope) => {
    await scope.register(versioning, { scheme: Counting })
    scope.get('/child', { name: 'child' }, version)
    scope.register(async (inner) => { inner.get('/', { name: 'inner' }, version) }, { prefix: '/n', namespace: 'n' })
  })
  app.register(versioning, query)
  app.after(() => app.get('/parent', version))
  t.same((await app.inject('/child')).json(), { version: 'v1', scheme: 'Counting' })
  t.same((await app.inject('/parent?version=v2')).json(), { version: 'v2', scheme: 'QueryParameterVersioning' })
  t.equal(count, 1)
  t.equal(app.reverse('child'), '/child')
  t.equal(app.reverse('n:inner'), '/n')
})

t.test('a route may have its own scheme, with the settings of its context', async (t) => {
  const app = await appWith(t, query)
  app.get('/', { versioning: AcceptHeaderVersioning, config: { mine: true } as object }, version)
  t.match((await app.inject({ url: '/?version=v9', ...accept('a/b;version=v2') })).json(), { version: 'v2' })
  t.equal((await app.inject({ url: '/', ...accept('a/b;version=v9') })).statusCode, 406)
  t.equal((await app.inject({ method: 'HEAD', url: '/', ...accept('a/b;version=v9') })).statusCode, 406)
})

/** The configs of routes, as a later onRoute hook sees them. */
async function configsOf (t: Test, ...routes: readonly RouteShorthandOptions[]): Promise<object[]> {
  const app = await appWith(t, query)
  const seen: object[] = []
  app.addHook('onRoute', ({ method, config }) => {
    if (method === 'GET') seen.push(config as object)
  })
  for (const [i, route] of routes.entries()) app.get(`/${i}`, route, version)
  await app.ready()
  return seen
}

t.test('the config of a route has the versions that it claims, in release order, and its own fields', async (t) => {
  const config = Object.freeze({ own: true }) as object
  const configs = await configsOf(
    t, { config, version: ['v2', 'v1', 'v2'] }, { config, version: { from: 'v1', to: 'v2' } }, { config }
  )
  t.same(JSON.parse(JSON.stringify(configs)), [
    { own: true, versions: ['v1', 'v2'] }, { own: true, versions: ['v1', 'v2'] }, { own: true }
  ])
  t.same(Reflect.ownKeys(config), ['own'])
})

t.test('a config that is printed or compared does not lead into the app', async (t) => {
  const [one, two] = await configsOf(t, { version: 'v1' }, { version: 'v1' })
  t.ok(inspect(one, { depth: Infinity, showHidden: true }).length < 300)
  t.equal(JSON.stringify(one), '{"versions":["v1"]}')
  t.equal(isDeepStrictEqual(one, two), false)
  t.equal(isDeepStrictEqual(one, { ...one }), true)
})

/** An option, and the one that an error suggests, or undefined for none. */
const near: [where: 'plugin' | 'route' | 'register', option: string, own?: string][] = [
  ['plugin', 'defaultVerison', 'defaultVersion'], ['plugin', 'schema', 'scheme'], ['plugin', 'baseURL', 'baseUrl'],
  ['plugin', 'versions'], ['route', 'versions', 'version'], ['route', 'deprecation', 'deprecated'],
  ['route', 'writtenfor', 'writtenFor'], ['route', 'Name', 'name'], ['route', 'versoin', 'version'],
  ['route', 'versionning', 'versioning'], ['register', 'Version', 'version'], ['register', 'Namespace', 'namespace'],
  ['route', 'allowedVersions', 'version'], ['route', 'lifecycle', 'deprecated'], ['route', 'sunset', 'deprecated'],
  ['register', 'writtenfor', 'writtenFor']
]

for (const [where, option, own] of near) {
  t.test(`the option ${option} of a ${where} is refused, and ${own ?? 'no other'} suggested`, async (t) => {
    const app = await appWith(t, query)
    const options = { [option]: 'v1' }
    const hint = own === undefined ? 'The options are [^.]*\\.' : `Did you mean '${own}'\\?`
    const code = 'FST_ERR_VERSIONING_OPTION'
    if (where === 'plugin') {
      const message = new RegExp(`^Unknown option "${option}"\\. ${hint} See `)
      await t.rejects(async () => app.register(async (scope) => scope.register(versioning, options)), { code, message })
      return
    }
    const error = { code, message: `Unknown ${where} option "${option}". Did you mean "${own}"?` }
    if (where === 'route') t.throws(() => app.get('/a', options as RouteShorthandOptions, ok), error)
    else await t.rejects(async () => app.register(async () => {}, options), error)
  })
}

for (const option of ['replicated', 'dedicated', 'versionId', 'versionInfo', 'writtenBy']) {
  t.test(`the option ${option} of a route is left to other plugins`, async (t) => {
    const app = await appWith(t, query)
    t.doesNotThrow(() => app.get('/a', { [option]: 'v1' } as RouteShorthandOptions, ok))
  })
}

t.test('options of routes are refused at a register(), unless their values are those of another plugin', async (t) => {
  const register = async (options: object) => (await appWith(t, query)).register(async () => {}, options)
  for (const [options, message] of [
    [{ versioning: false }, /^Move "versioning" from this register\(\) to its routes, or register fastify-versioning /],
    [{ versioning: QueryParameterVersioning }, /^Move "versioning" /],
    [{ deprecated: { deprecated: '2026-01-01' } }, /^Move "deprecated" .+ fastify-versioning .+ another "lifecycle"\./],
    [{ deprecated: { sunset: '2026-12-31' } }, /^Move "deprecated" /]
  ] as const) {
    await t.rejects(register(options), { code: 'FST_ERR_VERSIONING_OPTION', message }, JSON.stringify(options))
  }
  await t.resolves(register({ versioning: 'yes', deprecated: true }))
})

t.test('options of contexts are refused at a route and at the plugin', async (t) => {
  const app = await appWith(t)
  const message = /^Move "(?:namespace|version)" (?:from this route )?to (?:a route, or to )?the register\(\) of /
  const error = { code: 'FST_ERR_VERSIONING_OPTION', message }
  t.throws(() => app.get('/a', { namespace: 'v1' } as RouteShorthandOptions, ok), error)
  for (const option of ['namespace', 'version']) await t.rejects(appWith(t, { [option]: 'v1' }), error)
})

t.test('options of other plugins are left alone', async (t) => {
  const app = await appWith(t)
  const others = { game: 1, names: 1, session: 1, websocket: false, preParsed: 1, public: true, tags: ['a'], verify: 1 }
  app.get('/a', others as RouteShorthandOptions, ok)
  app.register(async () => {}, { ...others, conversion: 'v1', versions: ['v1'], namespaces: ['a'], prefix: '/a' })
  await t.resolves(async () => app.ready())
})

// Links by a scheme of the app

for (const [says, name, lookUp, error] of [
  ['the plain name, which the scheme does not find', 'bookins', (name: string) => `v1:${name}`,
    { message: /^No route is named 'bookins'\. Did you mean 'bookings'\?/ }],
  ["the scheme's own error", 'bookings', () => { throw new TypeError('broken') }, new TypeError('broken')]
] as const) {
  t.test(`what reverse throws under a custom scheme is ${says}`, async (t) => {
    class Custom extends BaseVersioning {
      override determineVersion () { return 'v1' }
      override reverse (viewName: string, options = {}) { return super.reverse(lookUp(viewName), options) }
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/', { name: 'bookings' }, async (_request, reply) => {
      t.throws(() => reply.reverse(name, { id: 7 }), error)
      return ''
    })
    t.plan(1)
    await app.inject('/')
  })
}

t.test('the options of a link and the request reach the scheme', async (t) => {
  const app = bareApp(t)
  class Spy extends BaseVersioning {
    override readonly linkOptions = ['mine']
    override determineVersion () { return 'v1' }
    override reverse (_viewName: string, { args, kwargs, request, server, ...others }: ReverseOptions = {}) {
      return JSON.stringify({ args, kwargs, isRequest: request?.version === 'v1', isServer: server === app, ...others })
    }
  }
  await app.register(versioning, { scheme: Spy })
  app.get('/', async (_request, reply) => reply.reverse('x', { id: 7 }, { format: 'json', mine: true } as LinkOptions))
  const inRequest = { kwargs: { id: 7 }, isRequest: true, isServer: false, format: 'json', mine: true }
  t.same((await app.inject('/')).json(), inRequest)
  const outside = { args: [7], isRequest: false, isServer: true, mine: true }
  t.same(JSON.parse(app.reverse('x', [7], { mine: true } as LinkOptions)), outside)
})
