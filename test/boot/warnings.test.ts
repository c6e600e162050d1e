import Fastify from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning, VersionError
} from '../../src/index.ts'
import { bareApp, ok } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyError, FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

type Build = (app: FastifyInstance) => unknown

/** The warnings while an app becomes ready. */
async function warningsOf (t: Test, build: Build): Promise<string[]> {
  const app = bareApp(t)
  return warningsDuring(t, async () => {
    await build(app)
    await app.ready()
  })
}

const DEFAULT = "FST_WARN_VERSION_DEFAULT: Add the default version 'v0' to allowedVersions, [ 'v1' ]. Requests get " +
  'it and may ask for it, but it is missing from lists, ranges and documents.'
const unlisted = { defaultVersion: 'v0', allowedVersions: ['v1'] }
const toWrite = (routes: string) => (
  `Write "await app.register(versioning, …)" before ${routes}, or declare ${routes} in "app.register(async (api) => ` +
  '…)" after that.'
)
const unseen = (routes: string) => (
  'FST_WARN_VERSION_UNSEEN: Routes were declared before fastify-versioning was loaded: they have no version, and ' +
  `their options "name", "version" and "versioning" are not read. ${toWrite('these routes')}\n${routes}`
)
const underscore = (right: string, wrong: string) => (
  `FST_WARN_VERSION_HEADER: Write "${right}" instead of "${wrong}": nginx drops request headers with "_" in their ` +
  'name, so that every client behind it gets the default version, or a refusal.'
)
const inNamespace = (namespace: string) => ({ prefix: `/${namespace}`, namespace })
const before = (outer: string, options: string, inner = 'inside') => (
  `FST_WARN_VERSION_SETTINGS: Register fastify-versioning ${outer}before the contexts inside register it, or write ` +
  `${options} there, too: the registration ${inner} came first.`
)
/** A context with the plugin. */
const withPlugin = (options = {}, declare: Build = () => {}): FastifyPluginAsync => async (context) => {
  await context.register(versioning, options)
  declare(context)
}

/** A context with routes, or with `/b`. */
const below = (options: object, declare: Build = (context) => context.get('/b', ok)): Build => (app) => (
  app.register(async (context) => { declare(context) }, options)
)

const cases: [of: string, build: Build, ...warnings: string[]][] = [
  ['a default version that is not listed', (app) => {
    app.register(versioning, { scheme: AcceptHeaderVersioning, ...unlisted })
  }, DEFAULT],
  ['an instance with a default version that is not listed, in each of two apps', async (app) => {
    const scheme = new AcceptHeaderVersioning(unlisted)
    await app.register(versioning, { scheme })
    const other = Fastify()
    await other.register(versioning, { scheme })
    await other.close()
  }, DEFAULT, DEFAULT],
  ['a route whose default version is not listed, twice', async (app) => {
    const scheme = new AcceptHeaderVersioning(unlisted)
    await app.register(versioning)
    for (const url of ['/a', '/b']) app.get(url, { versioning: scheme }, ok)
  }, DEFAULT],
  ['defaults that are listed, null, or allowed with all others', async (app) => {
    await app.register(versioning, { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1'] })
    for (const own of [{ defaultVersion: null }, { allowedVersions: [] }, { allowedVersions: null }]) {
      app.register(withPlugin(own))
    }
  }],
  ['names of headers with an underscore, each once', async (app) => {
    const list = [AcceptHeaderVersioning, HeaderVersioning]
    await app.register(versioning, {
      scheme: list,
      versionHeader: 'api_version',
      allowedVersions: ['v1'],
      defaultVersion: { header: 'X_Account', version: () => 'v1' }
    })
    app.register(withPlugin({ scheme: HeaderVersioning }))
    app.get('/', { versioning: HeaderVersioning }, ok)
  }, underscore('api-version', 'api_version'), underscore('X-Account', 'X_Account')],
  ['a header with an underscore that no scheme reads', async (app) => {
    await app.register(versioning, { scheme: QueryParameterVersioning, versionHeader: 'api_version' })
  }, 'FST_WARN_VERSION_SETTINGS: Remove "versionHeader" where fastify-versioning is registered, or use a scheme that ' +
    'reads it: it has no effect on QueryParameterVersioning.'],
  ['a version in "config" that a hook moves into the route, as for NestJS', async (app) => {
    app.addHook('onRoute', (route) => {
      const { version } = route.config as { readonly version?: string }
      Object.assign(route, { version })
    })
    await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    const config = { version: 'v1' }
    app.get('/a', { config }, ok)
  }],
  ["Fastify's own constraint where a scheme reads the same header", async (app) => {
    await app.register(versioning, { scheme: HeaderVersioning, versionHeader: 'accept-version' })
    app.get('/rooms', ok)
    app.get('/old', { versioning: false, constraints: { version: '1.0.0' } }, ok)
  }, 'FST_WARN_VERSION_CONSTRAINT: Read another header than Accept-Version ("versionHeader", "defaultVersion", or a ' +
    'scheme of your own), because GET /old has Fastify\'s constraints.version: a request with the header finds only ' +
    'such routes, and gets a plain 404 at all others, such as GET /rooms.'],
  ["Fastify's own constraint on a route of the scheme that reads the same header", async (app) => {
    const defaultVersion = { header: 'Accept-Version', version: () => 'v1' }
    await app.register(versioning, { scheme: QueryParameterVersioning, defaultVersion })
    app.get('/old', { constraints: { version: '1.0.0' } }, ok)
  }, 'FST_WARN_VERSION_CONSTRAINT: Read another header than Accept-Version ("versionHeader", "defaultVersion", or a ' +
    'scheme of your own), because GET /old has Fastify\'s constraints.version: a request with the header finds only ' +
    'such routes, and gets a plain 404 at all others.'],
  ["Fastify's own constraint in a context without the plugin", async (app) => {
    app.register(withPlugin({ scheme: HeaderVersioning, versionHeader: 'Accept-Version' }, (context) => {
      context.get('/rooms', ok)
    }))
    below({}, (context) => context.get('/old', { constraints: { version: '1.0.0' } }, ok))(app)
  }, 'FST_WARN_VERSION_CONSTRAINT: Read another header than Accept-Version ("versionHeader", "defaultVersion", or a ' +
    'scheme of your own), because a route has Fastify\'s constraints.version: a request with the header finds only ' +
    'such routes, and gets a plain 404 at all others, such as GET /rooms.'],
  ["Fastify's own constraint beside another header, or that header without the constraint", async (app) => {
    await app.register(versioning, { scheme: HeaderVersioning })
    app.get('/old', { constraints: { version: '1.0.0', host: 'a.b' } }, ok)
  }],
  ['the header of that constraint where no route has it', async (app) => {
    await app.register(versioning, { scheme: HeaderVersioning, versionHeader: 'Accept-Version' })
    app.get('/old', { constraints: { host: 'a.b' } }, ok)
  }],
  ['more routes below such a prefix than a message shows', async (app) => {
    await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
    below({ prefix: '/v1' }, (v1) => { for (let i = 0; i < 7; i++) v1.get(`/${i}`, ok) })(app)
  }, 'FST_WARN_VERSION_PREFIX: These routes have a version in their prefix, but no such namespace, so nothing ' +
    'reads it: GET /v1/0, GET /v1/1, GET /v1/2, GET /v1/3, GET /v1/4 and 2 more. Set "namespace" next ' +
    'to "prefix". (If you did, the plugin is wrapped in fastify-plugin: register it inside a context that has both ' +
    'options.)'],
  ['the routes of other plugins that answer preflights', async (app) => {
    app.options('*', ok)
    await app.register(versioning)
  }],
  ['routes declared before the plugin is loaded', (app) => {
    app.register(versioning)
    app.route({ method: ['PUT', 'DELETE'], url: '/a', handler: ok })
    app.options('/b', ok)
  }, unseen('└── /\n    ├── a (PUT, DELETE)\n    └── b (OPTIONS)\n')],
  ['a context with routes loaded before the plugin', (app) => {
    below({}, (context) => context.get('/a', { name: 'a' }, ok))(app)
    app.register(versioning)
  }, unseen('└── /\n    └── a (GET, HEAD)\n')],
  ['routes around the child context that has the plugin', async (app) => {
    app.get('/a', ok)
    app.register(withPlugin({}, (context) => context.get('/b', ok)))
  }],
  ['an app whose contexts have the plugin before it has', async (app) => {
    app.register(withPlugin({}, (context) => context.get('/a', ok)))
    await app.register(versioning)
  }],
  ['contexts that have the plugin before the context around them, and lack its options', async (app) => {
    await app.register(withPlugin({ scheme: HeaderVersioning, allowedVersions: ['v1'] }, (context) => {
      context.get('/a', ok)
    }))
    app.register(async (api) => {
      await api.register(withPlugin({}, (context) => context.get('/b', ok)), { prefix: '/inner' })
      await api.register(versioning, { scheme: HeaderVersioning, reportVersions: true, allowedVersions: ['v1'] })
    }, { prefix: '/api' })
    app.after(() => app.register(versioning, { scheme: HeaderVersioning, logVersion: true, allowedVersions: ['v1'] }))
  }, before('at /api ', '"scheme", "reportVersions", "allowedVersions"', 'at /api/inner'), before('', '"logVersion"'),
  before('', '"scheme", "logVersion", "allowedVersions"', 'at /api/inner'), before('', '"logVersion"', 'at /api')],
  ['contexts that have the plugin before it, and what the options do not concern', async (app) => {
    const all = { scheme: HeaderVersioning, allowedVersions: ['v1'], defaultVersion: 'v1', reportVersions: true }
    const scheme = new HeaderVersioning({ allowedVersions: ['v2'] })
    for (const options of [all, { scheme: null }, { scheme, reportVersions: false }]) {
      await app.register(withPlugin(options, (context) => context.get(`/${Object.keys(options).length}`, ok)))
    }
    await app.register(versioning, { ...all, logVersion: false })
  }]
]

for (const [of, build, ...warnings] of cases) {
  t.test(`${warnings.length === 0 ? 'no warning is' : 'a warning is'} emitted for ${of}`, async (t) => {
    t.same(await warningsOf(t, build), warnings)
  })
}

/** Prefixes, and the route that is warned of, or null if none is. */
const prefixes: [says: string, route: string | null, declare: Build, options?: VersioningOptions][] = [
  ['a version in the middle of a prefix', '/api/v1/public/b', below({ prefix: '/api/v1/public' })],
  ['a version in a prefix whose namespace is none', '/v1/b', below({ namespace: 'api' }, below({ prefix: '/v1' }))],
  ['a prefix that is the unlisted default version', '/v0/b', below({ prefix: '/v0' }), { defaultVersion: 'v0' }],
  ['a prefix in the namespace of an outer context', null, below(inNamespace('v1'), below({ prefix: '/seats' }))],
  ...['/v1-beta', '/v10', '/admin'].map((prefix): [string, null, Build] => (
    [`the prefix ${prefix}, which at most begins like a version,`, null, below({ prefix })]
  )),
  ['a context where versioning is switched off', null,
    (app) => app.register(withPlugin({ scheme: null }, (v1) => v1.get('/b', ok)), { prefix: '/v1' })],
  ['a prefix whose routes are all version-neutral', null,
    below({ prefix: '/v1' }, (v1) => v1.get('/b', { versioning: false }, ok))],
  ['an app that allows all', null, below({ prefix: '/v1' }), { allowedVersions: null }]
]

const NAMED = 'has the name of the version (rename it if it is another)'
const unread = (label: string, routes: string, is = 'is') => (
  `FST_WARN_VERSION_PREFIX: A segment of these paths ${is === NAMED ? is : `${is} an allowed version`}, but ` +
  `${label} does not read it there, and the routes serve other versions: ${routes}. Use "/:version" under ` +
  'URLPathVersioning, "namespace" next to "prefix" under NamespaceVersioning, or "versioning: false". If the ' +
  'versions are right, write them as "version" of the routes. Fastify ignores these options on a plugin that is ' +
  'wrapped in fastify-plugin.'
)
const outside = (routes: string) => (
  'FST_WARN_VERSION_PREFIX: These routes have a version in their prefix, but no such namespace, so nothing reads it: ' +
  `${routes}. Set "namespace" next to "prefix". (If you did, the plugin is wrapped in fastify-plugin: register it ` +
  'inside a context that has both options.)'
)
const unreached = (routes: string, param = 'version') => (
  `FST_WARN_VERSION_PREFIX: Write the version into these paths, such as "/:${param}", or set "versioning: false". ` +
  `The routes refuse every request, because nothing reads a version there, and there is no default version: ${routes}.`
)
const inV2 = below({ prefix: '/v2' })
const both = { allowedVersions: ['v1', 'v2'] }

/** Schemes that do not read the segment, and the routes that are named, with the versions that they serve. */
const segments: [says: string, options: VersioningOptions, declare: Build, ...warnings: string[]][] = [
  ['a prefix under URLPathVersioning that serves the default version alone',
    { scheme: URLPathVersioning, ...both, defaultVersion: 'v1' },
    (app) => { for (const v of ['v1', 'v2']) below({ prefix: `/${v}` })(app) },
    unread('URLPathVersioning', 'GET /v2/b (v1)')],
  ['a prefix under URLPathVersioning without a default version', { scheme: URLPathVersioning, ...both }, inV2,
    unread('URLPathVersioning', 'GET /v2/b (none)')],
  ['paths without a place for the version', { scheme: URLPathVersioning, ...both }, (app) => {
    for (const url of ['/health', '/:v/b', '/:version/c']) app.get(url, ok)
    app.get('/up', { versioning: false }, ok)
  }, unreached('GET /health, GET /:v/b')],
  ['paths without a version under a scheme that allows none',
    { scheme: URLPathVersioning, allowedVersions: ['v1', null] }, (app) => app.get('/health', ok)],
  ['a path with v in front of the parameter', { scheme: URLPathVersioning, ...both }, (app) => {
    app.get('/v:version/b', ok)
    app.get('/:version/b', ok)
  }, 'FST_WARN_VERSION_PREFIX: Write "/:version", not "/v:version": \'v1\' would be requested at /vv1/b. The routes: ' +
    'GET /v:version/b.'],
  ['a path with v in front of the parameter of another name',
    { scheme: URLPathVersioning, ...both, versionParam: 'api' }, (app) => app.get('/:tenant/v:api/b', ok),
    'FST_WARN_VERSION_PREFIX: Write "/:api", not "/v:api": \'v1\' would be requested at /:tenant/vv1/b. The routes: ' +
    'GET /:tenant/v:api/b.'],
  ...['v$&', 'v%s'].map((version): typeof segments[number] => (
    [`a path with v in front of the parameter if a version is ${version}`,
      { scheme: URLPathVersioning, allowedVersions: [version] }, (app) => app.get('/v:version/b', ok),
      `FST_WARN_VERSION_PREFIX: Write "/:version", not "/v:version": '${version}' would be requested at ` +
        `/v${version}/b. The routes: GET /v:version/b.`]
  )),
  ['paths that have another parameter than the version', { scheme: URLPathVersioning, ...both, versionParam: 'v' },
    (app) => app.get('/:version/b', ok), unreached('GET /:version/b', 'v')],
  ['a path with v in front of the parameter if versions are numbers',
    { scheme: URLPathVersioning, allowedVersions: ['1', '2'] }, (app) => app.get('/v:version/b', ok)],
  ['a namespace that is not allowed', { scheme: NamespaceVersioning, ...both }, (app) => {
    for (const namespace of ['v1', 'v3']) below({ prefix: `/${namespace}`, namespace })(app)
  }, 'FST_WARN_VERSION_PREFIX: Correct "namespace", or add it to allowedVersions, which has none of the namespaces ' +
    'of these routes. They refuse every request: GET /v3/b.'],
  ['a prefix under HeaderVersioning', { scheme: HeaderVersioning, ...both, defaultVersion: 'v1' }, inV2,
    unread('HeaderVersioning', 'GET /v2/b (v1, v2)')],
  ['a prefix that is written like an allowed version',
    { scheme: URLPathVersioning, ...both, defaultVersion: 'v1' }, (app) => {
      below({ prefix: '/v3/beta' })(app)
      app.get('/:version/b', ok)
    }, unread('URLPathVersioning', 'GET /v3/beta/b (v1)', 'is written like')],
  ['a prefix that is written like an allowed version, without a namespace',
    { scheme: NamespaceVersioning, ...both, defaultVersion: 'v1' }, below({ prefix: '/v3/beta' }),
    outside('GET /v3/beta/b')],
  ['a segment like a version beside the version of the path', { scheme: URLPathVersioning, ...both },
    (app) => app.get('/:version/v10/b', ok)],
  ['a segment like a version inside a namespace with a prefix of its own', { scheme: NamespaceVersioning, ...both },
    below({ prefix: '/first', namespace: 'v1' }, (app) => { app.get('/v10/b', ok) })],
  ['a number in a path if versions are numbers',
    { scheme: URLPathVersioning, allowedVersions: ['1', '2'], defaultVersion: '1' }, (app) => {
      for (const url of ['/rooms/3', '/:version/rooms']) app.get(url, ok)
    }],
  ['a segment of a path under QueryParameterVersioning', { scheme: QueryParameterVersioning, ...both },
    (app) => app.get('/api/v1/b', ok), unread('QueryParameterVersioning', 'GET /api/v1/b (v1, v2)')],
  ['a segment under a list', { scheme: [URLPathVersioning, HeaderVersioning], ...both }, inV2,
    unread('URLPathVersioning, HeaderVersioning', 'GET /v2/b (v1, v2)')],
  ['a parameter that begins a path under HeaderVersioning', { scheme: HeaderVersioning, ...both }, (app) => {
    for (const url of ['/:version/b', '/api/:version', '/packages/:version/c', '/:v/d']) app.get(url, ok)
    app.get('/:version/e', { versioning: false }, ok)
  }, unread('HeaderVersioning', 'GET /:version/b (v1, v2), GET /api/:version (v1, v2)', NAMED)],
  ['a parameter with the name of the setting under a list without the path',
    { scheme: [AcceptHeaderVersioning, QueryParameterVersioning], ...both, versionParam: 'v', mediaTypes: ['a/b'] },
    (app) => app.get('/:v/b', ok),
    unread('AcceptHeaderVersioning, QueryParameterVersioning', 'GET /:v/b (v1, v2)', NAMED)],
  ['a parameter that a class of the app may read', { scheme: class extends HeaderVersioning {}, ...both },
    (app) => app.get('/:version/b', ok)],
  ['a namespace under HeaderVersioning', { scheme: HeaderVersioning, ...both }, (app) => {
    below({ namespace: 'v1' })(app)
    below({ namespace: 'v2', version: 'v2' }, (context) => context.get('/c', ok))(app)
    below({ namespace: 'rooms' }, (context) => context.get('/d', ok))(app)
  }, 'FST_WARN_VERSION_PREFIX: Write "version" next to "namespace", which is only a part of names under their ' +
    'scheme: these routes have a namespace that is an allowed version, and serve others: GET /b.'],
  ['a prefix and a namespace of the version with which the range of the routes begins',
    { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] },
    below({ prefix: '/v2', namespace: 'v2', version: { from: 'v2' } })],
  ['a prefix and a namespace of another version than those of the routes',
    { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] },
    below({ prefix: '/v1', namespace: 'v1', version: { from: 'v2' } }),
    'FST_WARN_VERSION_PREFIX: Write "version" next to "namespace", which is only a part of names under their ' +
    'scheme: these routes have a namespace that is an allowed version, and serve others: GET /v1/b.',
    unread('HeaderVersioning', 'GET /v1/b (v2, v3)')],
  ['segments under two schemes', { scheme: HeaderVersioning, ...both }, (app) => {
    inV2(app)
    app.get('/v1/a', { versioning: AcceptHeaderVersioning }, ok)
  }, unread('AcceptHeaderVersioning', 'GET /v1/a (v1, v2)'), unread('HeaderVersioning', 'GET /v2/b (v1, v2)')],
  ['a plugin with its own prefix that is wrapped in fastify-plugin', { scheme: HeaderVersioning, ...both }, (app) => {
    app.register(fp(async (api, { prefix }: { prefix: string }) => { below({ prefix })(api) }), {
      prefix: '/v2', version: 'v2'
    })
  }, unread('HeaderVersioning', 'GET /v2/b (v1, v2)')],
  ['a path under NamespaceVersioning without a namespace',
    { scheme: NamespaceVersioning, ...both, defaultVersion: 'v1' }, (app) => app.get('/v2/b', ok),
    outside('GET /v2/b')],
  ['a path under NamespaceVersioning that serves this version as the default',
    { scheme: NamespaceVersioning, ...both, defaultVersion: 'v1' }, (app) => app.get('/v1/b', ok)],
  ['a path under NamespaceVersioning that begins with a parameter for the version',
    { scheme: NamespaceVersioning, ...both, defaultVersion: 'v1' }, below({ prefix: '/:version' }),
    outside('GET /:version/b')],
  ['a parameter for another version under NamespaceVersioning', { scheme: NamespaceVersioning, ...both }, (app) => {
    below(inNamespace('v1'), (v1) => v1.get('/packages/:version/b', ok))(app)
    app.get('/packages/:version', ok)
  }],
  ['a namespace in capital letters', { scheme: NamespaceVersioning, ...both },
    below({ prefix: '/v1', namespace: 'V1' }),
    'FST_WARN_VERSION_PREFIX: Correct "namespace", or add it to allowedVersions, which has none of the namespaces of ' +
    'these routes. They refuse every request: GET /v1/b.'],
  ['a namespace inside another version', { scheme: NamespaceVersioning, ...both },
    below(inNamespace('v1'), below(inNamespace('v2'))), unread('NamespaceVersioning', 'GET /v1/v2/b (v1)')],
  ['a namespace of another version than its prefix', { scheme: NamespaceVersioning, ...both }, (app) => {
    below({ prefix: '/v1', namespace: 'v2' })(app)
    below(inNamespace('v2'))(app)
  }, unread('NamespaceVersioning', 'GET /v1/b (v2)')],
  ['a route that only serves the version of its prefix',
    { scheme: HeaderVersioning, allowedVersions: [null, 'v1', 'v2'] }, (app) => {
      below({ prefix: '/v2', version: 'v2' })(app)
      below({ prefix: '/v1', version: ['v1', null] })(app)
    }],
  ['the only version', { scheme: HeaderVersioning, allowedVersions: ['v1'] }, below({ prefix: '/v1' })],
  ['neutral routes', { scheme: HeaderVersioning, ...both }, (app) => {
    app.get('/v1/b', { versioning: false }, ok)
    app.register(withPlugin({ scheme: null }, (v2) => v2.get('/b', ok)), { prefix: '/v2' })
  }],
  ['a version in the place that is read', { scheme: URLPathVersioning, ...both }, (app) => {
    for (const url of ['/:version/b', '/:version(^v1$)/c']) app.get(url, ok)
  }],
  ['names that contain a version, preflights and an empty version',
    { scheme: HeaderVersioning, allowedVersions: ['', 'v1', 'v2'] }, (app) => {
      for (const url of ['/', '/v10', '/v1.json', '/v1-beta/b', '/:v1', '/b/*']) app.get(url, ok)
      app.options('/v1/*', ok)
    }],
  ['an app that allows every version', { scheme: HeaderVersioning, defaultVersion: 'v1' }, inV2]
]

const pathless = (routes: string, param = 'version', label = 'URLPathVersioning') => (
  `FST_WARN_VERSION_SETTINGS: Write the version into paths, such as "/:${param}", where ${label} reads it: no route ` +
  `has it there, so all requests get the default version 'v1'. The routes: ${routes}.`
)
const byPath = { scheme: URLPathVersioning, ...both, defaultVersion: 'v1' }
class Prefixed extends URLPathVersioning {}
class Reading extends URLPathVersioning {
  override readVersion () { return 'v2' }
}
class Determining extends URLPathVersioning {
  override determineVersion () { return 'v2' }
}
const twoPaths: Build = (app) => {
  for (const url of ['/a', '/b/:id']) app.get(url, ok)
  app.options('/a', ok)
  app.get('/up', { versioning: false }, ok)
}

segments.push(
  ['an app in which no path has the version', byPath, twoPaths, pathless('GET /a, GET /b/:id')],
  ['another parameter than that of the version', { ...byPath, scheme: Prefixed, versionParam: 'v' },
    (app) => app.get('/:version/a', ok), pathless('GET /:version/a', 'v', 'Prefixed')],
  ['a path beside one that has the version', byPath, (app) => {
    twoPaths(app)
    app.register(withPlugin({ allowedVersions: ['v1'] }, (context) => context.get('/:version(^v1$)/c', ok)))
  }],
  ['a misspelt parameter beside one that is right', byPath, (app) => {
    for (const url of ['/:version/b', '/:verison/a', '/:Version/a/:id', '/:session/c']) app.get(url, ok)
  }, pathless('GET /:verison/a, GET /:Version/a/:id').replace('no route has', 'these routes do not have')],
  ['a word for the version where other paths have it', byPath, (app) => {
    for (const url of ['/:version/b', '/:apiVersion/a', '/api/:version/b', '/api/:v/a', '/:tenant/a/:ver', '/:v']) {
      app.get(url, ok)
    }
    app.get('/:api_version/d', { versioning: false }, ok)
    app.get('/packages/:v/:ver', ok)
  }, pathless('GET /:apiVersion/a, GET /api/:v/a').replace('no route has', 'these routes do not have')],
  ['such a word where no version is needed', { scheme: URLPathVersioning }, (app) => {
    for (const url of ['/:version/b', '/:ver/a']) app.get(url, ok)
  }, pathless('GET /:ver/a').replace('no route has', 'these routes do not have').replace(/so all requests .*'v1'/,
    'so nothing reads it')],
  ['a class that reads the version elsewhere', { ...byPath, scheme: Reading }, twoPaths],
  ['a class that determines the version itself', { ...byPath, scheme: Determining }, twoPaths],
  ['a list that reads another place, too,', { ...byPath, scheme: [HeaderVersioning, URLPathVersioning] }, twoPaths,
    pathless('GET /a, GET /b/:id').replace(/so all requests .*'v1'/, 'so the scheme has no effect on them')],
  ['a list without a default version',
    { ...byPath, scheme: [URLPathVersioning, HeaderVersioning], defaultVersion: null }, twoPaths,
    pathless('GET /a, GET /b/:id').replace(/so all requests .*'v1'/, 'so the scheme has no effect on them')],
  ['an app whose routes are all neutral', byPath, (app) => app.get('/up', { versioning: false }, ok)]
)

for (const [says, options, declare, ...warnings] of segments) {
  t.test(`${says} causes ${warnings.length === 0 ? 'no warning' : 'a warning'} about a segment`, async (t) => {
    t.same(await warningsOf(t, async (app) => {
      await app.register(versioning, options)
      await declare(app)
    }), warnings)
  })
}

const Numbers = (text: string) => ({ version: Number(new URLSearchParams(text).get('version')) })
const parsers: [what: string, parse: (text: string) => unknown, returned?: string][] = [
  ['a Map', (text) => new Map(new URLSearchParams(text)), "Map(1) { 'version' => '1' }"],
  ['numbers', Numbers, '{ version: 1 }'],
  ['texts', (text) => Object.fromEntries(new URLSearchParams(text))],
  ['lists', (text) => ({ version: [text.split('=')[1]] })],
  ['another grammar', (text) => ({ version: text.split('v:')[1] })],
  ['nothing', () => null],
  ['an error', JSON.parse]
]
for (const [what, parse, returned] of parsers) {
  t.test(`a parser of queries that makes ${what} of them ${returned ? 'is' : 'is not'} warned of`, async (t) => {
    const app = bareApp(t, { routerOptions: { querystringParser: parse as never } })
    await app.register(versioning, {
      scheme: [HeaderVersioning, QueryParameterVersioning], allowedVersions: ['1', '2'], defaultVersion: '1'
    })
    app.get('/b', ok)
    t.same(await warningsDuring(t, async () => app.ready()), returned === undefined
      ? []
      : ['FST_WARN_VERSION_SETTINGS: Return an object of texts from "querystringParser". It returns ' +
        `${returned} for 'version=1', where QueryParameterVersioning finds no version, so that requests get the ` +
        'default version, or a refusal.'])
  })
}

const functions: [says: string, options: () => object, isWarned: boolean][] = [
  ['a version', () => ({ version: 'v2' }), true],
  ['a namespace', () => { const namespace = 'v2'; return { namespace } }, true],
  ['a range', () => ({ prefix: '/v2', version: { from: 'v2' } }), true],
  ['a prefix alone', () => ({ prefix: '/v2' }), false],
  ['versions in a list', () => ({ clients: [{ name: 'a', version: 1 }, { name: 'b', version: 2 }] }), false],
  ['the version of a document', () => ({ openapi: { info: { title: 'Rooms', version: '1.0.0' } } }), false],
  ['other words', () => ({ apiVersion: 1, 'x-version': 2 }), false]
]
for (const [says, options, isWarned] of functions) {
  t.test(`options as a function with ${says} cause ${isWarned ? 'a' : 'no'} warning`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme: HeaderVersioning, ...both })
    app.register(async (context) => { context.get('/b', ok) }, options)
    t.same(await warningsDuring(t, async () => app.ready()), isWarned
      ? ['FST_WARN_VERSION_SETTINGS: Write the options of register() as an object, not as a function: Fastify calls ' +
        'the function too late, so "prefix", "version", "namespace" and "writtenFor" that it returns have no effect.']
      : [])
  })
}

/** Options of a route, and where the warning finds one of ours. */
const inside: [says: string, options: object, ...places: string[]][] = [
  ['a version', { config: { version: 'v1' } }, 'config.version'],
  ['a list with a version, in a schema', { schema: { version: ['v2', 'v9'] } }, 'schema.version'],
  ['ranges', { config: { version: { from: 'v2' } }, schema: { version: { to: 'v1' } } },
    'config.version', 'schema.version'],
  ['false and a scheme', { config: { versioning: false }, schema: { versioning: HeaderVersioning } },
    'config.versioning', 'schema.versioning'],
  ['an instance of a scheme', { config: { versioning: new HeaderVersioning() } }, 'config.versioning'],
  ['a retirement', { config: { deprecated: { sunset: '2030-01-01' } }, schema: { deprecated: { deprecated: true } } },
    'config.deprecated', 'schema.deprecated'],
  ['the version that a handler is written for', { config: { writtenFor: 'v1' } }, 'config.writtenFor'],
  ['what other plugins may mean', {
    config: { version: '1.2.0', versioning: () => {}, writtenFor: 'print', deprecated: 'soon' },
    schema: { version: { from: 'v9' }, deprecated: true, versioning: true, writtenFor: 1 }
  }],
  ['versions that are none of the app', { config: { version: ['v9', 7] }, schema: { version: null } }],
  ['what stands next to the handler, too', { version: 'v1', config: { version: 'v1' } }],
  ['a neutral route', { versioning: false, config: { version: 'v1' } }],
  ['a route without config and schema', {}]
]

for (const [says, options, ...places] of inside) {
  t.test(`${says} in "config" or "schema" causes ${places.length === 0 ? 'no' : 'a'} warning`, async (t) => {
    const shown = places.map((place) => `${place} of GET /a`).join(', ')
    t.same(await warningsOf(t, async (app) => {
      await app.register(versioning, { scheme: HeaderVersioning, ...both })
      app.get('/a', options, ok)
    }), places.length === 0
      ? []
      : ['FST_WARN_VERSION_SETTINGS: Move these options of routes out of "config" or "schema", next to "handler", ' +
        `because nothing reads them inside: ${shown}.`])
  })
}

/** Options of a `register()`, and those that the warning names. */
const registers: [options: object, ...names: string[]][] = [
  [{ scheme: QueryParameterVersioning, allowedVersions: ['v1'], prefix: '/a' }, 'scheme', 'allowedVersions'],
  [{ scheme: null, defaultVersion: 'v2', enforceSunset: true }, 'scheme', 'defaultVersion', 'enforceSunset'],
  [{ lifecycle: { v1: { sunset: '2030-01-01' } } }, 'lifecycle'],
  [{ scheme: 'https', lifecycle: { created: true }, events: {}, now: 1 }],
  // What the registration around them has got, too: an app may give all its plugins the same.
  [{ scheme: HeaderVersioning, ...both }]
]
for (const [options, ...names] of registers) {
  const keys = Object.keys(options).join(', ')
  t.test(`${keys} in the options of register() cause ${names.length === 0 ? 'no' : 'a'} warning`, async (t) => {
    t.same(await warningsOf(t, async (app) => {
      await app.register(versioning, { scheme: HeaderVersioning, ...both })
      // A plugin without routes that have versions, and one that registers the plugin, read the options themselves.
      app.register(async (context) => { context.get('/neutral', { versioning: false }, ok) }, options)
      app.register(withPlugin({}, (context) => context.get('/own', ok)), options)
      app.register(async (context) => { context.get('/b', ok) }, { ...options, prefix: '/a' })
    }), names.length === 0
      ? []
      : ['FST_WARN_VERSION_SETTINGS: Register fastify-versioning with these options inside the plugins that have ' +
        `them in register(), unless the plugins read them: ${names.join(', ')} (GET /a/b).`])
  })
}

for (const [says, route, declare, options] of prefixes) {
  t.test(`${says} causes ${route === null ? 'no' : 'a'} warning about a missing namespace`, async (t) => {
    const messages = await warningsOf(t, async (app) => {
      await app.register(versioning, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], ...options })
      await declare(app)
    })
    const ofPrefix = messages.filter((message) => message.startsWith('FST_WARN_VERSION_PREFIX'))
    t.equal(ofPrefix.length, route === null ? 0 : 1)
    if (route !== null) t.match(ofPrefix[0], `GET ${route}. Set`)
  })
}

t.test('the first request to a route declared before the plugin names it, and ten are named', async (t) => {
  const app = bareApp(t)
  await app.register(async (context) => {
    for (let i = 0; i < 12; i++) context.get(`/early/${i}/:id`, ok)
    context.options('/early', ok)
    await context.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
    context.get('/late', { version: 'v1' }, ok)
  })
  const warnings = await warningsDuring(t, async () => {
    await app.inject({ method: 'OPTIONS', url: '/early' })
    await app.inject('/late?version=v1')
    await app.inject('/missing')
    for (const time of ['first', 'second']) {
      for (let i = 0; i < 12; i++) await app.inject(`/early/${i}/${time}`)
    }
  })
  t.equal(warnings.length, 10)
  t.equal(warnings[0], 'FST_WARN_VERSION_UNSEEN: GET /early/0/:id was declared before fastify-versioning was loaded: ' +
    'it has no version, and its options "name", "version" and "versioning" are not read. ' + toWrite('it'))
  t.match(warnings[9], 'GET /early/9/:id')
})

t.test('a route of a context inside that was made before the plugin is named at its first request', async (t) => {
  const app = bareApp(t)
  app.register(async (api) => {
    await api.register(async (context) => { context.get('/early', ok) })
    await api.register(versioning, refusing)
    api.get('/late', ok)
  })
  const warnings = await warningsDuring(t, async () => {
    for (let i = 0; i < 2; i++) t.equal((await app.inject('/early')).statusCode, 200)
  })
  t.equal(warnings.length, 1)
  t.match(warnings[0], /^FST_WARN_VERSION_UNSEEN: GET \/early was declared before/)
})

t.test('a route with a version at the URL of a route declared before the plugin is refused', async (t) => {
  const app = bareApp(t)
  app.register(async (context) => {
    context.get('/a', ok)
    await context.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1'] })
    context.get('/a', { version: 'v1' }, ok)
  })
  await warningsDuring(t, async () => t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^GET \/a is declared twice, and fastify-versioning has seen only one of .* before both, or declare both i/
  }))
})

t.test('a route with a version at the URL of a route in a context without the plugin is refused', async (t) => {
  const app = bareApp(t)
  app.register(withPlugin({ scheme: HeaderVersioning, allowedVersions: ['v1'] }, (context) => {
    context.get('/a', { version: 'v1' }, ok)
  }))
  app.register(async (context) => { context.get('/a', ok) })
  await warningsDuring(t, async () => t.rejects(async () => app.ready(), {
    message: /2\. If it is in a context next to the one of the plugin, register the plugin in a context above both\./
  }))
})

const pattern = /^Give GET .* the option "version", too, or another path: it differs from GET .* in the pattern of a /
const optional = /^Declare a route for each path of GET .+ and GET .+: they share only one of two\. See /

for (const [open, versioned, message] of [
  ['/x/:id(^\\d+$)', '/x/:name(^[a-z]+$)', pattern],
  ['/X/:id(^\\d+$)/:b?', '/X/:n(^a$)/:c?', pattern],
  ['/a/:id', '/a/:id?', optional],
  ['/a', '/a/:id?', optional]
] as const) {
  t.test(`${open} and ${versioned}, one of them with a version, are an error with the true cause`, async (t) => {
    for (const [first, second] of [[null, 'v1'], ['v1', null]] as const) {
      for (const urls of [[open, versioned], [versioned, open]] as const) {
        const app = bareApp(t)
        await app.register(versioning, refusing)
        app.get(urls[0], { version: first }, ok)
        app.get(urls[1], { version: second }, ok)
        await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message })
      }
    }
  })
}

t.test('routes whose paths differ in a pattern answer by it, if both have a version', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/x/:id(^\\d+$)', { version: ['v1', 'v2'] }, async () => 'digits')
  app.get('/x/:name(^[a-z]+$)', { version: 'v2' }, async () => 'letters')
  for (const [url, version, answer] of [
    ['/x/7', 'v1', 'digits'], ['/x/7', 'v2', 'digits'], ['/x/a', 'v2', 'letters']
  ]) t.equal((await app.inject({ url, headers: { 'api-version': version } })).body, answer)
  t.equal((await app.inject({ url: '/x/a', headers: { 'api-version': 'v1' } })).statusCode, 400)
})

t.test('a context loaded before the plugin has no version, Vary or refusal, and answers as before', async (t) => {
  const app = bareApp(t)
  await app.register(async (context) => {
    context.setNotFoundHandler(async (_request, reply) => reply.code(404).send('none'))
    context.get('/early', async ({ version, versioningScheme }, reply) => (
      { version, scheme: versioningScheme, link: reply.reverse('late') }
    ))
    context.get('/broken', async () => { throw Object.assign(new Error('teapot'), { statusCode: 418 }) })
    await context.register(versioning, {
      scheme: AcceptHeaderVersioning, allowedVersions: ['v1'], reportVersions: true
    })
    context.get('/late', { name: 'late' }, ok)
  })
  await warningsDuring(t, async () => {
    const ask = (url: string) => app.inject({ url, headers: { accept: 'a/b; version=v9' } })
    t.same((await ask('/early')).json(), { version: null, scheme: null, link: '/late' })
    for (const [url, status, vary] of [
      ['/early', 200], ['/broken', 418], ['/nowhere', 404], ['/late', 406, 'Accept']
    ] as const) {
      const { statusCode, headers } = await ask(url)
      t.same([statusCode, headers.vary, 'api-supported-versions' in headers], [status, vary, status === 406], url)
    }
  })
})

const refusing = {
  scheme: HeaderVersioning,
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
  lifecycle: { v1: { sunset: '2020-01-01' } },
  enforceSunset: true
}
const answer500: Parameters<FastifyInstance['setErrorHandler']>[0] = (_error, _request, reply) => {
  reply.code(500).send({ error: 'Internal Server Error' })
}
const toThrow = "import { VersionError } from 'fastify-versioning'\nif (error instanceof VersionError) throw error"
const turned = (route: string, lines = toThrow, status = 500) => (
  `FST_WARN_VERSION_REFUSAL: ${route} refused a request because of its version, and an error handler made a ` +
  `${status} of it, as if ${status < 500 ? 'it had been answered' : 'the server had failed'}. Begin the handler ` +
  `with:\n${lines}`
)
const v9 = { 'api-version': 'v9' }

for (const [says, request] of [['refusal', { url: '/a', headers: v9 }], ['410', { url: '/a' }]] as const) {
  t.test(`an error handler that makes a 500 of a ${says} causes one warning, whatever the route`, async (t) => {
    const app = bareApp(t)
    app.setErrorHandler(answer500)
    await app.register(versioning, refusing)
    for (const url of ['/a', '/b']) app.get(url, ok)
    const warnings = await warningsDuring(t, async () => {
      const all = [app.inject(request), app.inject(request), app.inject({ ...request, url: '/b' })]
      for (const response of await Promise.all(all)) t.equal(response.statusCode, 500)
      await app.inject({ ...request, url: '/b' })
    })
    t.same(warnings, [turned('GET /a')])
  })
}

t.test('an error handler that makes a success of a refusal causes one warning', async (t) => {
  const app = bareApp(t)
  app.setErrorHandler(async ({ message }: Error) => ({ message }))
  await app.register(versioning, refusing)
  app.get('/a', ok)
  const warnings = await warningsDuring(t, async () => {
    for (let i = 0; i < 2; i++) t.equal((await app.inject({ url: '/a', headers: v9 })).statusCode, 200)
  })
  t.same(warnings, [turned('GET /a', toThrow, 200)])
})

t.test('an error handler that redirects a refused request causes no warning', async (t) => {
  const app = bareApp(t)
  app.setErrorHandler((_error, _request, reply) => { reply.redirect('/b') })
  await app.register(versioning, refusing)
  app.get('/a', ok)
  t.same(await warningsDuring(t, async () => {
    t.equal((await app.inject({ url: '/a', headers: v9 })).statusCode, 302)
  }), [])
})

t.test('each error handler that makes a 5xx is warned of, also for a route without versions', async (t) => {
  const refusal = Object.assign(new Error('No.'), { statusCode: 400 })
  class Other extends HeaderVersioning {
    override refusal () { return refusal }
  }
  const app = bareApp(t)
  await app.register(versioning, refusing)
  app.register(async (context) => {
    context.setErrorHandler(async (_error, _request, reply) => reply.code(503).send('down'))
    context.get('/old', { versioning: false, deprecated: { sunset: '2020-01-01' } }, ok)
  })
  app.register(async (context) => {
    context.setErrorHandler(answer500)
    context.get('/other', { versioning: Other }, ok)
  })
  const warnings = await warningsDuring(t, async () => {
    await app.inject('/old')
    await app.inject({ url: '/other', headers: v9 })
  })
  t.same(warnings, [
    turned('GET /old', toThrow, 503), turned('GET /other', 'if (error.statusCode < 500) throw error')
  ])
})

t.test('an error handler that makes a 500 of a VersionError of the app causes the warning, too', async (t) => {
  const app = bareApp(t)
  app.setErrorHandler(answer500)
  await app.register(versioning, { scheme: HeaderVersioning, ...both })
  app.get('/a', { versioning: false, preHandler: async () => { throw new VersionError('gone') } }, ok)
  t.same(await warningsDuring(t, async () => { await app.inject('/a') }), [turned('GET /a')])
})

const handlers: [says: string, handler: Parameters<FastifyInstance['setErrorHandler']>[0]][] = [
  ['throws it on', async (error) => {
    if (error instanceof VersionError) throw error
    return 'handled'
  }],
  ['throws it on without a promise', (error, _request, reply) => {
    if (error instanceof VersionError) throw error
    reply.code(500).send()
  }],
  ['answers it with its status', async (error, _request, reply) => (
    reply.code((error as FastifyError).statusCode as number).send('no')
  )]
]

for (const [says, handler] of handlers) {
  t.test(`an error handler that ${says} causes no warning, and no 5xx`, async (t) => {
    const app = bareApp(t)
    app.setErrorHandler(handler)
    await app.register(versioning, refusing)
    app.get('/a', ok)
    app.get('/broken', async () => { throw new Error('broken') })
    t.same(await warningsDuring(t, async () => {
      t.equal((await app.inject({ url: '/a', headers: v9 })).statusCode, 400)
      t.equal((await app.inject('/a')).statusCode, 410)
      await app.inject({ url: '/broken', headers: { 'api-version': 'v2' } })
    }), [])
  })
}

t.test('a host that begins with a version but does not match causes one warning for each context', async (t) => {
  const app = bareApp(t)
  for (const prefix of ['/a', '/b']) {
    await app.register(async (context) => {
      await context.register(versioning, {
        scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
      })
      context.get('/', async ({ version }) => version)
    }, { prefix })
  }
  const warnings = await warningsDuring(t, async () => {
    for (const host of ['v3.api.example.com', 'v1.example.com', 'api.example', 'v2x.my-company.com']) {
      t.equal((await app.inject({ url: '/a', headers: { host } })).statusCode, 200)
    }
    for (const host of ['v2.my-company.com', 'v2.api.example.com', 'v1.my-company.com:80']) {
      t.equal((await app.inject({ url: '/a', headers: { host } })).body, 'v1')
    }
    await app.inject({ url: '/b', headers: { host: 'v1.my-company.com' } })
  })
  t.equal(warnings.length, 2)
  t.match(warnings[0], /^FST_WARN_VERSION_HOST: .*v2.*hostnameRegex/)
  t.match(warnings[1], /v1.*hostnameRegex/)
  t.notMatch(warnings.join(), 'my-company')
})

/** A gateway that replaces Host, and passes it on. */
const replaced = (version: string) => ({ host: '127.0.0.1:3000', 'x-forwarded-host': `${version}.example.com` })
const REPLACED = "FST_WARN_VERSION_HOST: Let the gateway pass on Host: it has replaced 'v1.example.com' by " +
  "'127.0.0.1:3000', by which the router chooses the handler of GET /a."

for (const [says, server, headers, expected] of [
  ['a gateway that replaces the host', { trustProxy: true }, replaced('v1'), [REPLACED]],
  ['a gateway that passes on the host', { trustProxy: true }, { ...replaced('v1'), host: 'v1.example.com' }, []],
  ['a client that forwards a host to an app that trusts nobody', {}, replaced('v1'), []],
  ['a gateway without HTTP/1.1 hosts', { trustProxy: true }, { host: '', 'x-forwarded-host': 'a.b' }, []]
] as const) {
  t.test(`${says} causes ${expected.length} warnings where versions choose the handler`, async (t) => {
    const app = bareApp(t, server)
    await app.register(versioning, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
    for (const version of ['v1', 'v2']) app.get('/a', { version }, ok)
    app.get('/open', ok)
    const warnings = await warningsDuring(t, async () => {
      for (const url of ['/open', '/a', '/a']) await app.inject({ url, headers })
    })
    t.same(warnings, expected)
  })
}

t.test('the log line of a refusal has both hosts if a gateway has replaced the host', async (t) => {
  const lines: string[] = []
  const app = bareApp(t, { trustProxy: true, logger: { stream: { write: (line: string) => { lines.push(line) } } } })
  await app.register(versioning, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
  for (const version of ['v1', 'v2']) app.get('/a', { version }, ok)
  await warningsDuring(t, async () => {
    const response = await app.inject({ url: '/a', headers: replaced('v1') })
    t.equal(response.statusCode, 404)
    t.notMatch(response.body, '127.0.0.1')
  })
  const refused = lines.map((line) => JSON.parse(line)).find(({ err }) => err !== undefined)
  t.same(refused.hosts, { received: '127.0.0.1:3000', forwarded: 'v1.example.com' })
})

t.test('the log line of another refusal has no hosts', async (t) => {
  const lines: string[] = []
  const app = bareApp(t, { logger: { stream: { write: (line: string) => { lines.push(line) } } } })
  await app.register(versioning, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/a', { version: 'v1' }, ok)
  await app.inject({ url: '/a', headers: { host: 'v2.example.com' } })
  t.notOk(lines.some((line) => line.includes('"hosts"')))
})

for (const ofApp of [true, false]) {
  t.test(`the plugin is not called${ofApp ? ' with the app' : ''}, but registered`, async (t) => {
    const app = bareApp(t)
    const call = versioning as unknown as (...args: object[]) => FastifyPluginAsync
    app.register(call(...ofApp ? [app] : [], { scheme: HeaderVersioning }))
    await t.rejects(async () => app.ready(), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: 'Write "app.register(versioning, options)", not "app.register(versioning(options))".'
    })
  })
}

t.test('an app with its own request decorator "version" does not start', async (t) => {
  const app = bareApp(t)
  app.decorateRequest('version', null as never)
  await t.rejects(async () => app.register(versioning), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Remove or rename your request decorator "version": fastify-versioning adds one.'
  })
})
