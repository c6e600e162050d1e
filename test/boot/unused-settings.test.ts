import { inspect } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, byDate
} from '../../src/index.ts'
import { bareApp, ok } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Change, RawRequest, RouteVersions, VersioningOptions } from '../../types/index.d.ts'

const allowedVersions = ['v1', 'v2']
const change: Change = {
  version: 'v2',
  description: 'A schema that no route has.',
  schemas: { Missing: { older: {}, downgrade: String } }
}
const lifecycle = { v1: { sunset: '2020-01-01' } }
const deprecated = { sunset: '2030-01-01' }

/** What the error says of settings that no scheme uses. */
const without = (names: string, where = '') => (
  `Set "scheme" where fastify-versioning is registered${where}, such as HeaderVersioning: without a scheme, no ` +
  `request has a version, and ${names} would have no effect.`
)

const refused: [settings: VersioningOptions, names: string][] = [
  [{ defaultVersion: 'v1', allowedVersions, lifecycle, enforceSunset: true },
    '"defaultVersion", "allowedVersions", "lifecycle", "enforceSunset"'],
  [{ allowedVersions, changes: [change] }, '"allowedVersions", "changes"'],
  [{ scheme: undefined, resolveVersion: String }, '"resolveVersion"'],
  [{ versionHeader: 'X-Version', versionParam: 'v', mediaTypes: ['a/b'] },
    '"versionHeader", "versionParam", "mediaTypes"'],
  [{ logVersion: true, reportVersions: true, servedVersion: 'X-Version' },
    '"logVersion", "reportVersions", "servedVersion"'],
  [{ enforceSunset: true, now: () => 0 }, '"enforceSunset", "now"']
]

for (const [settings, names] of refused) {
  t.test(`an app without a scheme does not start with ${names}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    app.get('/bookings', ok)
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_VERSIONING_OPTION', message: without(names) })
  })
}

const below = (options: VersioningOptions) => (app: FastifyInstance) => {
  app.register(async (context) => {
    await context.register(versioning, options)
    context.get('/below', ok)
  }, { prefix: '/below' })
}

const accepted: [says: string, settings: VersioningOptions, declare?: (app: FastifyInstance) => unknown][] = [
  ['without settings', {}],
  ['with the defaults', {
    allowedVersions: [], changes: null, enforceSunset: false, versionParam: 'version', defaultVersion: undefined
  }],
  ['for absolute links', { baseUrl: 'https://example.com/api' }],
  ['whose context below has a scheme', { allowedVersions, lifecycle }, below({ scheme: HeaderVersioning })],
  ['whose route has a scheme', { allowedVersions }, (app) => app.get('/b', { versioning: HeaderVersioning }, ok)],
  ['that switches versioning off', { scheme: null, allowedVersions, lifecycle }],
  ['whose route is retired by itself', { enforceSunset: true, now: () => 0 }, (app) => (
    app.get('/b', { deprecated }, ok)
  )]
]

for (const [says, settings, declare] of accepted) {
  t.test(`an app starts with a registration ${says}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    app.get('/bookings', ok)
    declare?.(app)
    t.equal((await app.inject('/bookings')).statusCode, 200)
  })
}

for (const [says, declare, message] of [
  ['a context without a scheme', below({ allowedVersions }), without('"allowedVersions"', ' at /below')],
  ['a context next to one with a scheme', (app) => {
    below({ scheme: HeaderVersioning })(app)
    app.register(async (context) => { await context.register(versioning, { lifecycle }) }, { prefix: '/off' })
  }, without('"lifecycle"', ' at /off')],
  ['settings but for those of a retired route', async (app) => {
    await app.register(versioning, { enforceSunset: true, logVersion: true })
    app.get('/b', { deprecated }, ok)
  }, without('"logVersion"')],
  ['the option version of a register()', async (app) => {
    await app.register(versioning)
    app.register(async (context) => { context.get('/b', ok) }, { version: 'v1' })
  }, without('"version"')]
] satisfies [string, (app: FastifyInstance) => unknown, string][]) {
  t.test(`an app does not start with ${says}`, async (t) => {
    const app = bareApp(t)
    await declare(app)
    await t.rejects(async () => app.ready(), { message })
  })
}

const moved = (names: string, label: string) => (
  `FST_WARN_VERSION_SETTINGS: Move ${names} into the constructor of ${label}, or give its class instead of an ` +
  'instance: an instance has its own settings, and reads none of a registration. If it has no "allowedVersions", ' +
  'it serves every version.'
)
const versionHeader = 'X-Version'

for (const [says, settings, message] of [
  ['versions next to an instance that has none', {
    scheme: new HeaderVersioning(), defaultVersion: 'v1', allowedVersions
  }, moved('"defaultVersion", "allowedVersions"', 'HeaderVersioning')],
  ['a header next to an instance that reads another one', {
    scheme: new HeaderVersioning({ allowedVersions }), versionHeader
  }, moved('"versionHeader"', 'HeaderVersioning')],
  ['versions next to the only instance of a list', {
    scheme: [new QueryParameterVersioning()], allowedVersions
  }, moved('"allowedVersions"', 'QueryParameterVersioning')]
] satisfies [string, VersioningOptions, string][]) {
  t.test(`an app is warned of ${says}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    t.same(await warningsDuring(t, async () => app.ready()), [message])
  })
}

t.test('an app is warned of versions of a context below an instance', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: new HeaderVersioning({ allowedVersions }) })
  below({ allowedVersions: ['v1'] })(app)
  t.same(await warningsDuring(t, async () => app.ready()), [moved('"allowedVersions"', 'HeaderVersioning')])
})

for (const [says, settings] of [
  ['that has the same settings', {
    scheme: new HeaderVersioning({ versionHeader, allowedVersions }), versionHeader, allowedVersions
  }],
  ['whose default depends on the client', {
    scheme: new HeaderVersioning({ defaultVersion: { header: 'X-Key', version: () => 'v1' } }), defaultVersion: 'v1'
  }],
  ['in a list, whose versions it gets', {
    scheme: [new HeaderVersioning(), QueryParameterVersioning], allowedVersions
  }]
] satisfies [string, VersioningOptions][]) {
  t.test(`an app is not warned of settings next to an instance ${says}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    t.same(await warningsDuring(t, async () => app.ready()), [])
  })
}

class Silent extends HeaderVersioning {
  constructor () { super({ versionHeader }) }
}
class Strict extends HeaderVersioning {
  override readonly defaultVersion = null
}
class Listing extends Silent {
  override readonly allowedVersions = ['v2']
}
const kept = (label = 'Silent') => (
  'FST_WARN_VERSION_SETTINGS: Pass "allowedVersions" to "super(settings)" in the class, or to the constructor of the ' +
  'instance (null to allow all). These schemes serve every version, although their context lists some: ' +
  `${label}.`
)

for (const [says, settings, declare, ...warnings] of [
  ['a scheme of a context does not pass on', { scheme: Silent, allowedVersions, defaultVersion: 'v1' }, ok,
    kept()],
  ['a scheme of a route does not pass on', { scheme: HeaderVersioning, allowedVersions },
    (app: FastifyInstance) => app.get('/a', { versioning: Silent }, ok), kept()],
  ['a scheme does not need, because it has its own versions',
    { scheme: Listing, allowedVersions, defaultVersion: 'v1', resolveVersion: String }, ok],
  ['an instance of a context lacks', { scheme: HeaderVersioning, allowedVersions },
    below({ scheme: new QueryParameterVersioning() }), kept('QueryParameterVersioning')],
  ['instances of routes lack, one of which is to allow all', { scheme: HeaderVersioning, allowedVersions },
    (app: FastifyInstance) => {
      app.get('/a', { versioning: new QueryParameterVersioning() }, ok)
      app.get('/b', { versioning: new HeaderVersioning({ allowedVersions: null }) }, ok)
      app.get('/:version/c', { versioning: new URLPathVersioning({ allowedVersions: ['v3'] }) }, ok)
    }, kept('QueryParameterVersioning')],
  ['a context below an instance does not need', { scheme: new HeaderVersioning({ allowedVersions }) },
    below({ logVersion: true })],
  ['a scheme replaces', { scheme: Strict, allowedVersions, defaultVersion: 'v1' }, ok],
  ['a list has for its member', { scheme: [Silent, QueryParameterVersioning], allowedVersions }, ok],
  ['a scheme could not get, because there are none', { scheme: Silent }, ok]
] satisfies [string, VersioningOptions, (app: FastifyInstance) => unknown, ...string[]][]) {
  t.test(`there is ${warnings.length === 0 ? 'no' : 'a'} warning about settings that ${says}`, async (t) => {
    const app = bareApp(t)
    t.same(await warningsDuring(t, async () => {
      await app.register(versioning, settings)
      declare(app)
      await app.ready()
    }), warnings)
  })
}

const unread = (names: string, labels: string, where = '') => (
  `FST_WARN_VERSION_SETTINGS: Remove ${names} where fastify-versioning is registered${where}, or use a scheme that ` +
  `reads it: it has no effect on ${labels}.`
)
const namesOfPlaces = { versionHeader, versionParam: 'v', mediaTypes: ['a/b'] }
class Custom extends BaseVersioning {
  override readVersion () { return this.versionParam }
}

for (const [says, settings, names, declare] of [
  ['a header under URLPathVersioning', { scheme: URLPathVersioning, versionHeader }, '"versionHeader"'],
  ['all names under NamespaceVersioning', { scheme: NamespaceVersioning, ...namesOfPlaces },
    '"versionHeader", "versionParam", "mediaTypes"'],
  ['media types and a parameter under HeaderVersioning', { scheme: HeaderVersioning, ...namesOfPlaces },
    '"versionParam", "mediaTypes"'],
  ['a header next to an instance that reads a path', { scheme: new URLPathVersioning(), versionHeader },
    '"versionHeader"'],
  ['a header under a list of schemes that read other places', {
    scheme: [URLPathVersioning, QueryParameterVersioning], versionHeader
  }, '"versionHeader"'],
  ['a header that a context below without a scheme inherits', { scheme: URLPathVersioning, versionHeader },
    '"versionHeader"', below({ logVersion: true })]
] satisfies [string, VersioningOptions, string, ((app: FastifyInstance) => unknown)?][]) {
  t.test(`an app is warned of ${says}, because no scheme reads it`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    declare?.(app)
    const [label] = [settings.scheme].flat().map((scheme) => 'label' in scheme ? scheme.label : scheme.name)
    const labels = Array.isArray(settings.scheme) ? 'URLPathVersioning, QueryParameterVersioning' : label
    t.same(await warningsDuring(t, async () => app.ready()), [unread(names, labels)])
  })
}

t.test('an app is warned of a header of a context, although a scheme next to it reads one', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, versionHeader })
  below({ scheme: QueryParameterVersioning, versionHeader: 'X-Other' })(app)
  t.same(await warningsDuring(t, async () => app.ready()), [
    unread('"versionHeader"', 'QueryParameterVersioning', ' at /below')
  ])
})

for (const [says, settings, declare] of [
  ['a scheme of the app, which may read all of them,', { scheme: Custom, ...namesOfPlaces }],
  ['a class below one of the plugin', { scheme: class extends URLPathVersioning {}, ...namesOfPlaces }],
  ['the schemes of a list', {
    scheme: [new HeaderVersioning({ versionHeader }), AcceptHeaderVersioning], ...namesOfPlaces
  }],
  ['a context below', { scheme: URLPathVersioning, versionHeader }, below({ scheme: HeaderVersioning })],
  ['the scheme of a route', { scheme: NamespaceVersioning, versionParam: 'v' }, (app: FastifyInstance) => (
    app.get('/b', { versioning: QueryParameterVersioning }, ok)
  )]
] satisfies [string, VersioningOptions, ((app: FastifyInstance) => unknown)?][]) {
  t.test(`an app is not warned of names of places that ${says} can read`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, settings)
    declare?.(app)
    t.same(await warningsDuring(t, async () => app.ready()), [])
  })
}

const SEEN_NONE = (where: string) => (
  'FST_WARN_VERSION_SETTINGS: Wrap the plugin that registers fastify-versioning in fastify-plugin, or declare the ' +
  `routes inside it: fastify-versioning is registered in a context${where} without routes, so no route of the app ` +
  'has a version.'
)
const registering = (scheme: VersioningOptions['scheme'], prefix = '') => (app: FastifyInstance) => {
  app.register(async (context) => { await context.register(versioning, { scheme }) }, { prefix })
}
const neutralBelow = (app: FastifyInstance) => app.register(async (context) => {
  await context.register(versioning, { scheme: HeaderVersioning })
  context.get('/', { versioning: false }, ok)
}, { prefix: '/neutral' })
const routeBeside = (app: FastifyInstance) => app.get('/b', ok)
const routeBelow = (app: FastifyInstance) => app.register(async (context) => { context.get('/c', ok) })

for (const [says, declare, ...warnings] of [
  ['a context without routes in an app with some', [registering(HeaderVersioning), routeBeside], SEEN_NONE('')],
  ['a context without routes next to one with some', [routeBelow, registering(HeaderVersioning, '/api')],
    SEEN_NONE(' at /api')],
  ['a context without routes in an app without any', [registering(HeaderVersioning)]],
  ['a context without routes and without a scheme', [registering(undefined), routeBeside]],
  ['a context without routes next to one with the plugin and routes', [
    registering(HeaderVersioning), below({ scheme: HeaderVersioning })
  ]],
  ['a context with neutral routes in an app with others', [neutralBelow, routeBeside],
    SEEN_NONE(' at /neutral').replace('without routes', 'without routes that have versions')],
  ['a context with neutral routes in an app without others', [neutralBelow]],
  ['a context with routes in an app with others', [below({ scheme: HeaderVersioning }), routeBeside]]
] satisfies [string, ((app: FastifyInstance) => unknown)[], ...string[]][]) {
  t.test(`${warnings.length === 0 ? 'no warning is' : 'a warning is'} emitted for the plugin in ${says}`, async (t) => {
    const app = bareApp(t)
    for (const step of declare) step(app)
    t.same(await warningsDuring(t, async () => app.ready()), warnings)
  })
}

t.test('an app is not warned of routes that were declared before the plugin, which it names itself', async (t) => {
  const app = bareApp(t)
  routeBeside(app)
  const warnings = await warningsDuring(t, async () => {
    await app.register(versioning, { scheme: HeaderVersioning })
    await app.ready()
  })
  t.equal(warnings.length, 1)
  t.match(warnings[0], 'FST_WARN_VERSION_UNSEEN')
})

const scheme = HeaderVersioning
const VERSIONS = "[ 'v1', 'v2' ]"
const NO_SUNSET = 'Write a "sunset" into "lifecycle", or remove "enforceSunset": no version and no route has a ' +
  'sunset, so none of them ever answers 410.'
const PAST = 'Set "enforceSunset": true to answer 410, or false to go on: the sunset of \'v1\' has passed, and ' +
  'requests are served as before.'
const preview = { v2: { preview: true } }
const soon = { v1: { sunset: '2030-01-01' } }
const now = () => Date.parse('2026-01-01')

const unreadable = (versions: string, label: string) => (
  `Rename ${versions} in allowedVersions, because clients cannot send it where ${label} reads it: a host has ` +
  'lower-case letters and digits, a header has ASCII without commas.'
)

/** Settings that do not what they seem to, and settings that do. */
const MEANT: [
  says: string, settings: VersioningOptions, message?: string | undefined, declare?: (app: FastifyInstance) => unknown
][] = [
  ['enforceSunset without dates', { scheme, allowedVersions, enforceSunset: true }, NO_SUNSET],
  ['enforceSunset with a deprecation alone', {
    scheme, allowedVersions, enforceSunset: true, lifecycle: { v1: { deprecated: '2020-01-01' } }
  }, NO_SUNSET],
  ['enforceSunset with a sunset', { scheme, allowedVersions, enforceSunset: true, lifecycle: soon }],
  ['enforceSunset with a sunset below', { scheme, allowedVersions, enforceSunset: true }, undefined,
    below({ lifecycle: soon })],
  ['enforceSunset with the sunset of a route', { scheme, allowedVersions, enforceSunset: true }, undefined,
    (app) => app.get('/b', { deprecated }, ok)],
  ['reportVersions without versions', { scheme, reportVersions: true },
    'Add "allowedVersions", or remove "reportVersions": without a list, no response reports versions.'],
  ['reportVersions with versions', { scheme, allowedVersions, reportVersions: true }],
  ['reportVersions with versions below', { scheme, reportVersions: true }, undefined, below({ allowedVersions })],
  ['reportVersions with the versions of an instance', {
    scheme: new HeaderVersioning({ allowedVersions }), reportVersions: true
  }],
  ['a past sunset', { scheme, allowedVersions, lifecycle, now }, PAST],
  ['a past sunset that is not enforced on purpose', { scheme, allowedVersions, lifecycle, now, enforceSunset: false }],
  ['a past sunset of a route', { scheme, allowedVersions, lifecycle, now: () => Date.parse('2031-01-01') },
    PAST.replace("'v1'", "'v1', GET /b"), (app) => {
      app.get('/b', { deprecated }, ok)
      app.register(async (context) => {
        await context.register(versioning, { enforceSunset: false })
        context.get('/c', { deprecated }, ok)
      })
    }],
  ['a sunset to come', { scheme, allowedVersions, lifecycle: { ...soon, v2: { released: '2020-01-01' } }, now }],
  ['a preview by default', { scheme, allowedVersions, defaultVersion: 'v2', lifecycle: preview },
    'Choose another "defaultVersion", or remove "preview" of \'v2\': requests without a version get the preview, ' +
    'although it is not released.'],
  ['a preview beside the default', { scheme, allowedVersions, defaultVersion: 'v1', lifecycle: preview }],
  ['a version in baseUrl', { scheme, allowedVersions, baseUrl: 'https://example.com/api/v1' },
    'Remove \'v1\' from "baseUrl": its path begins every link, so links of other versions begin with /api/v1, too.'],
  ['the only version in baseUrl', { scheme, allowedVersions: ['v1'], baseUrl: 'https://example.com/v1' }],
  ['a path that baseUrl and all routes with a name have', { scheme, allowedVersions, baseUrl: 'http://a/api/' },
    'Remove \'/api\' from "baseUrl", unless a gateway removes it from each request: links begin with it, and so do ' +
    'the paths of all routes with a name, so that links are such as /api/api/b.', (app) => {
      app.register(async (context) => {
        for (const url of ['/b', '']) context.get(url, { name: `rooms${url}` }, ok)
        await context.register(versioning, { baseUrl: null })
        context.get('/c', { name: 'c' }, ok)
      }, { prefix: '/api' })
    }],
  ['a path of baseUrl that a route with a name lacks', { scheme, allowedVersions, baseUrl: 'http://a/api' }, undefined,
    (app) => { for (const url of ['/api/b', '/apis']) app.get(url, { name: url }, ok) }],
  ['a baseUrl without a path', { scheme, allowedVersions, baseUrl: 'http://a/' }, undefined,
    (app) => app.get('/b', { name: 'b' }, ok)],
  ['no version in baseUrl', { scheme, allowedVersions, baseUrl: 'https://example.com/api' }],
  ['byDate without dates', { scheme, allowedVersions, resolveVersion: byDate },
    "Begin versions with a date, such as '2026-03-01', or remove byDate: none of allowedVersions has a date, " +
    `${VERSIONS}, so every date is refused.`],
  ['byDate with a date', { scheme, allowedVersions: ['v1', '2026-01-01.acacia'], resolveVersion: byDate }],
  ['byDate with a malformed date', { scheme, allowedVersions: ['2025-1-5', '2026-01-01'], resolveVersion: byDate },
    "Write '2025-1-5' in allowedVersions with a date such as '2026-03-01': byDate does not read it as a date."],
  ['a malformed date without byDate', { scheme, allowedVersions: ['2025-1-5', '2026-01-01'] }],
  ['mediaTypes with a version that is written out', {
    scheme: AcceptHeaderVersioning, allowedVersions, mediaTypes: ['application/json', 'application/vnd.acme.v2+json']
  }, "Write {version} instead of the version into 'application/vnd.acme.v2+json' of mediaTypes: nothing reads a " +
    'version that is written out.'],
  ['mediaTypes with a version that is written out beside {version}', {
    scheme: AcceptHeaderVersioning,
    allowedVersions,
    mediaTypes: ['application/vnd.acme.v2+json', 'application/vnd.acme.{version}+json']
  }],
  ['mediaTypes that an entry before them hides', {
    scheme: AcceptHeaderVersioning,
    allowedVersions,
    mediaTypes: ['application/json', 'application/vnd.{version}+json', 'application/vnd.acme.{version}+json']
  }, "Move 'application/vnd.acme.{version}+json' to the front of mediaTypes, or remove it: an entry before it reads " +
    'the same types.'],
  ['space around a version', { scheme, allowedVersions: ['v1', ' v2'] },
    "Remove the space around ' v2' in allowedVersions: the version without the space is refused."],
  ['a default version by the header that has the version', {
    scheme: [QueryParameterVersioning, HeaderVersioning],
    allowedVersions,
    versionHeader: 'X-Version',
    defaultVersion: { header: 'x-version', version: () => 'v1' }
  }, 'Name another header in "defaultVersion", by which the app knows a client: "x-version" has the version itself, ' +
    'so that requests without a version never have it.'],
  ['a default version by another header', {
    scheme, allowedVersions, defaultVersion: { header: 'X-Key', version: () => 'v1' }
  }],
  ['capital letters and dots in a host', { scheme: HostNameVersioning, allowedVersions: ['v1', 'V2', '3.0'] },
    unreadable("'V2', '3.0'", 'HostNameVersioning')],
  ['a comma and a letter beyond ASCII in a header', { scheme, allowedVersions: ['1,0', 'é', '2;0'] },
    unreadable("'1,0', 'é'", 'HeaderVersioning')],
  ['a comma in a media type', { scheme: AcceptHeaderVersioning, allowedVersions: ['1,0', '2 0'] }],
  ['a version that another scheme of the list reads', {
    scheme: [HeaderVersioning, QueryParameterVersioning], allowedVersions: ['1,0', 'é']
  }],
  ['a default version that no host has', {
    scheme: HostNameVersioning, allowedVersions: ['pre-2020', 'v2'], defaultVersion: 'pre-2020'
  }],
  ['versions of known clients that no header has', {
    scheme, allowedVersions: ['é', 'v2'], defaultVersion: { header: 'X-Key', version: () => 'é' }
  }],
  ['an alias of a version that no header has', { scheme, allowedVersions: ['é'], resolveVersion: () => 'é' }],
  ['a host of a class of the app', { scheme: class extends HostNameVersioning {}, allowedVersions: ['V1'] }],
  ['releases in another order than the versions', {
    scheme,
    allowedVersions: ['v0', 'v1', 'v2', 'v3'],
    lifecycle: {
      v3: { released: '2024-06-01' }, v1: { released: '2025-01-01' }, v2: { released: '2024-01-01' }
    }
  }, 'Correct "released" of \'v2\', \'v3\' in "lifecycle", or the order of allowedVersions, oldest first: a version ' +
    'before it in the list is released later.'],
  ['releases in the order of the versions', {
    scheme,
    allowedVersions,
    lifecycle: {
      v1: { released: '2025-01-01' }, v2: { released: '2025-01-01' }
    }
  }],
  ['resolveVersion under NamespaceVersioning', { scheme: NamespaceVersioning, allowedVersions, resolveVersion: String },
    'Remove "resolveVersion" where fastify-versioning is registered, or use a scheme that reads it: it has no effect ' +
    'on NamespaceVersioning.'],
  ['writtenFor without changes', { scheme, allowedVersions },
    'Remove "writtenFor", or set "changes": without changes, nothing reads it. The routes: GET /b.',
    (app) => app.get('/b', { version: 'v1', writtenFor: 'v2' }, ok)]
]

for (const [says, settings, message, declare] of MEANT) {
  t.test(`there is ${message === undefined ? 'no' : 'a'} warning about ${says}`, async (t) => {
    const app = bareApp(t)
    t.same(await warningsDuring(t, async () => {
      await app.register(versioning, settings)
      app.get('/a', ok)
      declare?.(app)
      await app.ready()
    }), message === undefined
      ? []
      : [`FST_WARN_VERSION_${says.startsWith('a preview') ? 'DEFAULT' : 'SETTINGS'}: ${message}`])
  })
}

const strict = { type: 'object', properties: { id: {} }, additionalProperties: false }
const STRICT: [says: string, settings: VersioningOptions, schema: object, part: string | null, removes?: boolean][] = [
  ['path', { scheme: URLPathVersioning, allowedVersions }, { params: strict }, 'params'],
  ['query', { scheme: QueryParameterVersioning, allowedVersions }, { querystring: strict }, 'querystring'],
  ['query under its other name', { scheme: QueryParameterVersioning, allowedVersions }, { query: strict },
    'querystring'],
  ['path with the version', { scheme: URLPathVersioning, allowedVersions }, {
    params: { ...strict, properties: { id: {}, version: {} } }
  }, null],
  ['path with the version by a pattern', { scheme: URLPathVersioning, allowedVersions }, {
    params: { ...strict, patternProperties: { '^vers': {} } }
  }, null],
  ['query with another pattern', { scheme: QueryParameterVersioning, allowedVersions }, {
    querystring: { ...strict, patternProperties: { '^x-': {} } }
  }, 'querystring'],
  ['path of an open schema', { scheme: URLPathVersioning, allowedVersions }, { params: { type: 'object' } }, null],
  ['path where the validator removes members', { scheme: URLPathVersioning, allowedVersions }, { params: strict },
    null, true],
  ['path under a header', { scheme, allowedVersions }, { params: strict }, null]
]

for (const [says, settings, schema, part, removes = false] of STRICT) {
  t.test(`there is ${part === null ? 'no' : 'a'} warning about a strict schema of the ${says}`, async (t) => {
    const app = bareApp(t, { ajv: { customOptions: { removeAdditional: removes } } })
    await app.register(versioning, settings)
    for (const id of ['a', 'b']) app.get(`/rooms/:version/${id}/:id`, { schema }, ok)
    app.get('/neutral', { versioning: false, schema }, ok)
    t.same(await warningsDuring(t, async () => app.ready()), part === null
      ? []
      : ['FST_WARN_VERSION_SETTINGS: Add \'version\' to the properties of these schemas: they have ' +
        '"additionalProperties": false, so the validator of this app refuses the version there: ' +
        `${part} of GET /rooms/:version/a/:id, ${part} of GET /rooms/:version/b/:id.`])
  })
}

t.test('there is no warning about a strict schema if the compiler takes other schemas', async (t) => {
  const app = bareApp(t)
  app.setValidatorCompiler(({ schema }) => {
    if (!('ours' in Object(schema))) throw new Error('Not a schema of ours.')
    return () => true
  })
  await app.register(versioning, { scheme: URLPathVersioning, allowedVersions })
  app.get('/:version/a', { schema: { params: { ...strict, ours: true } } }, ok)
  t.same(await warningsDuring(t, async () => app.ready()), [])
})

const SCHEMES: [says: string, read: (request: RawRequest) => string | null | undefined, shown: string | null][] = [
  ['reads a header', ({ headers }) => headers['x-client'] as string, "'x-client'"],
  ['reads two headers', ({ headers }) => `${headers['x-client']}${String(headers.Cookie)}`, "'x-client, cookie'"],
  ['reads cookies', (request) => (request as { cookies?: { v?: string } }).cookies?.v, "'cookie'"],
  ['reads the host', ({ headers }) => headers.host, null],
  ['reads a forwarded host', ({ headers }) => headers['x-forwarded-host'] as string, "'x-forwarded-host'"],
  ['lists the headers', ({ headers }) => Object.keys(headers)[0], null],
  ['asks whether there is a header', ({ headers }) => (
    // eslint-disable-next-line no-prototype-builtins
    headers.hasOwnProperty('host') ? String(headers['x-client']) : null
  ), null],
  ['asks for the text of a header', ({ headers }) => `${headers.toString()}${headers['x-client']}`, "'x-client'"],
  ['looks a symbol up', ({ headers }) => Reflect.get(headers, Symbol.iterator) as string, null],
  ['needs more of a request', (request) => String(Reflect.get(Reflect.get(request, 'socket'), 'servername')), null]
]

for (const [vary, shown] of [['X-Other', "'X-Other, x-client'"], ['x-client', null], ['*', null]]) {
  t.test(`there is ${shown === null ? 'no' : 'a'} warning about vary ${vary} of what reads X-Client`, async (t) => {
    class Varying extends BaseVersioning {
      override readonly vary = vary
      override readVersion ({ headers }: RawRequest) { return headers['x-client'] as string }
    }
    const app = bareApp(t)
    await app.register(versioning, { scheme: Varying, allowedVersions })
    app.get('/a', ok)
    const messages = await warningsDuring(t, async () => app.ready())
    t.equal(messages.length, shown === null ? 0 : 1)
    if (shown !== null) t.match(messages[0], `Write vary = ${shown} into the class Varying`)
  })
}

t.test('there is no warning about a scheme for hosts that reads a forwarded host, because Vary has it', async (t) => {
  class Forwarded extends HostNameVersioning {
    override readVersion ({ headers }: RawRequest) { return (headers['x-forwarded-host'] as string)?.split('.')[0] }
  }
  const app = bareApp(t, { trustProxy: true })
  await app.register(versioning, { scheme: Forwarded, allowedVersions })
  app.get('/a', ok)
  t.same(await warningsDuring(t, async () => app.ready()), [])
  const { headers } = await app.inject({ url: '/a', headers: { 'x-forwarded-host': 'v1.a.b' } })
  t.equal(headers.vary, 'X-Forwarded-Host')
})

for (const [says, read, shown] of SCHEMES) {
  t.test(`there is ${shown === null ? 'no' : 'a'} warning about a scheme without vary that ${says}`, async (t) => {
    class Own extends BaseVersioning {
      override readVersion (request: RawRequest) { return read(request) }
    }
    class Varying extends Own { override readonly vary = 'X-Client, Cookie, X-Forwarded-Host' }
    const app = bareApp(t)
    await app.register(versioning, { scheme: Own, allowedVersions })
    app.get('/a', ok)
    app.get('/b', { versioning: Varying }, ok)
    const which = shown?.includes(',') ? 'these request headers' : 'this request header'
    t.same(await warningsDuring(t, async () => app.ready()), shown === null
      ? []
      : [`FST_WARN_VERSION_HEADER: Write vary = ${shown} into the class Own: it reads ${which}, and without Vary, ` +
        'caches send the response of one version to clients of another.'])
  })
}

t.test('one warning says that determineVersion let a version pass that is not allowed', async (t) => {
  class Passing extends BaseVersioning {
    override readonly vary = 'X-Client'
    override async determineVersion ({ headers }: FastifyRequest) { return (headers['x-client'] as string) ?? null }
  }
  const app = bareApp(t)
  await app.register(versioning, { scheme: Passing, allowedVersions })
  app.get('/a', ok)
  app.get('/b', { versioning: class extends Passing { override readonly allowedVersions = [] } }, ok)
  await app.ready()
  t.same(await warningsDuring(t, async () => {
    for (const version of ['v1', 'v9', 'v8']) await app.inject({ url: '/a', headers: { 'x-client': version } })
    await app.inject('/a')
    await app.inject({ url: '/b', headers: { 'x-client': 'v9' } })
  }), ['FST_WARN_VERSION_SETTINGS: Return this.permit(version, request) from Passing.determineVersion(): it has ' +
    `returned a version that is not in allowedVersions, ${VERSIONS}, and the request was served.`])
})

for (const [name, versions, isWarned] of [
  ['versions', ['v1'], true], ['versions', ['v9'], false], ['versions', [], false], ['versions', 'v1', false],
  ['apiVersion', 'v1', true], ['apiVersions', ['v1', 'v2'], true], ['api_version', 'v2', true],
  ['apiVersion', '2024-01-01', false], ['apiVersions', [], false]
] as const) {
  const says = `register() with ${name}: ${JSON.stringify(versions)}`
  t.test(`there is ${isWarned ? 'a' : 'no'} warning about ${says}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme, allowedVersions })
    app.register(async (api) => { api.get('/a', ok) }, { [name]: versions } as object)
    t.same(await warningsDuring(t, async () => app.ready()), isWarned
      ? [`FST_WARN_VERSION_SETTINGS: Write "version" instead of "${name}" into the options of register(), unless ` +
        `the plugin reads ${inspect(versions)}: nothing else does, so the routes serve every version.`]
      : [])
  })
}

for (const [Scheme, name] of [[HeaderVersioning, 'version'], [NamespaceVersioning, 'namespace']] as const) {
  t.test(`a register() with ${name} may have an apiVersion for its plugin`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme: Scheme, allowedVersions })
    const options = { [name]: 'v1', apiVersion: 'v1' }
    app.register(async (api, { apiVersion }: { apiVersion: string }) => { api.get(`/${apiVersion}/a`, ok) }, options)
    t.same(await warningsDuring(t, async () => app.ready()), [])
  })
}

/** The versions of routes at one URL, and those of the routes to which no request comes. */
const shared: [options: VersioningOptions, versions: (RouteVersions | undefined)[], unreached: string[]][] = [
  [{}, ['v1', 'v2', undefined], ['no "version"']],
  [{}, ['v1', { from: 'v2' }, undefined], ['no "version"']],
  [{}, [{ from: 'v1' }, 'v1', 'v2'], ["version { from: 'v1' }"]],
  [{}, ['v1', undefined], []],
  [{}, ['v1', 'v2'], []],
  [{ allowedVersions: [null, 'v1', 'v2'] }, ['v1', 'v2', undefined], []],
  [{ defaultVersion: 'v3' }, ['v1', 'v2', undefined], []],
  [{ defaultVersion: 'v2' }, ['v1', 'v2', undefined], ['no "version"']],
  [{ defaultVersion: { header: 'X-Key', version: () => 'v1' } }, ['v1', 'v2', undefined], []],
  [{ allowedVersions: [] }, ['v1', 'v2', undefined], []],
  [{ scheme: HostNameVersioning }, ['v1', 'v2', undefined], []],
  [{ scheme: class extends HeaderVersioning { override isAllowedVersion () { return true } } },
    ['v1', 'v2', undefined], []],
  [{ scheme: [scheme, new QueryParameterVersioning({ allowedVersions: ['v3'] })] }, ['v1', 'v2', undefined], []]
]
for (const [options, versions, unreached] of shared) {
  const says = unreached.length === 0 ? 'no route is named' : `the route with ${unreached.join()} is named`
  t.test(`${says} as useless among ${inspect(versions)}, with ${inspect(options)}`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'], ...options })
    for (const version of versions) app.get('/a', { version }, ok)
    const warnings = (await warningsDuring(t, async () => app.ready())).filter((text) => text.includes('Remove these'))
    t.same(warnings, unreached.map((version) => (
      'FST_WARN_VERSION_SETTINGS: Remove these routes, or give them a version that no other route serves: other ' +
      `routes of the URL serve all allowed versions, so no request comes to GET /a (${version}).`
    )))
  })
}

for (const [method, isUseless] of [[['GET', 'POST'], false], [['GET', 'PUT'], true]] as const) {
  t.test(`${isUseless ? 'a' : 'no'} warning names a route with ${method.join()} beside GET and PUT`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'] })
    app.route({ method: [...method], url: '/a', handler: ok })
    for (const version of ['v1', 'v2']) app.route({ method: ['GET', 'PUT'], url: '/a', version, handler: ok })
    t.same(await warningsDuring(t, async () => app.ready()), isUseless
      ? ['FST_WARN_VERSION_SETTINGS: Remove these routes, or give them a version that no other route serves: other ' +
        'routes of the URL serve all allowed versions, so no request comes to GET, PUT /a (no "version").']
      : [])
  })
}

t.test('a route with an option of the registration, or with a scheme, does not start', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme, allowedVersions })
  t.throws(() => app.get('/a', { changes: [] } as object, ok), {
    message: 'Move "changes" from this route to the registration of fastify-versioning. If only this route needs it, ' +
      'register the plugin again in a context of the route. Route: GET /a.'
  })
  t.throws(() => app.get('/a', { scheme: HeaderVersioning } as object, ok), {
    message: /^Unknown route option "scheme"\. Did you mean "versioning"\? Route: GET \/a\./
  })
  app.get('/a', { scheme: 'https' } as object, ok)
})

for (const [prefix, isWarned] of [
  ['/api', true], ['/', false], ['', false], ['/rooms', false], ['/b', false], ['/room', true]
] as const) {
  t.test(`the prefix "${prefix}" of the plugin itself is ${isWarned ? '' : 'not '}warned of`, async (t) => {
    const app = bareApp(t)
    app.register(async (context) => {
      await context.register(versioning, { scheme, allowedVersions, prefix } as object)
      context.get('/rooms/:id', ok)
    }, { prefix: '/b' })
    t.same(await warningsDuring(t, async () => app.ready()), isWarned
      ? ['FST_WARN_VERSION_SETTINGS: Remove "prefix" where fastify-versioning is registered at /b, or move it to the ' +
        `register() of the routes: fastify-versioning declares no routes, so '${prefix}' has no effect.`]
      : [])
  })
}

for (const option of ['apiVersion', 'api_version', 'apiVersions']) {
  t.test(`a route with ${option} does not start`, async (t) => {
    const app = bareApp(t)
    await app.register(versioning, { scheme, allowedVersions })
    t.throws(() => app.get('/a', { [option]: 'v1' } as object, ok), {
      message: new RegExp(`^Unknown route option "${option}"\\. Did you mean "version"\\? Route: GET /a\\.`)
    })
  })
}
