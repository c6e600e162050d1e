import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { bareApp, ok } from '../fixtures/app-with.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'

import type { FastifyInstance } from 'fastify'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

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
