import Fastify from 'fastify'
import { inspect as show } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, byDate
} from '../../src/index.ts'
import { appWith, tell, versionOf } from '../fixtures/app-with.ts'
import { declareIn, differing, places, refusalOf, requestOf } from '../fixtures/places.ts'
import { fc, tries } from '../fixtures/property.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { readingApp, versionIn } from './readings.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VersionError } from '../../src/index.ts'
import type { LinkOptions, RawRequest, VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'
import type { Place } from '../fixtures/places.ts'

const OPTION = 'FST_ERR_VERSIONING_OPTION'
const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }
const three = { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1' }
const byHeader = { url: '/', headers: { 'api-version': 'v1' } }

/** A scheme of the user's. */
class Cookie extends BaseVersioning {
  override readonly vary: string | null = 'Cookie'
  override readVersion ({ headers }: RawRequest | FastifyRequest): string | null {
    return headers.cookie ?? null
  }
}

class Unread extends BaseVersioning {
  override determineVersion () { return 'v1' }
}

t.test('a namespace in a list means itself: only what the client writes is resolved', async (t) => {
  const resolveVersion = (version: string) => version === 'v1' ? 'v2' : version
  for (const scheme of [[NamespaceVersioning, HeaderVersioning], [HeaderVersioning, NamespaceVersioning]]) {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], resolveVersion })
    await app.register(async (v1) => { v1.get('/a', tell) }, { prefix: '/v1', namespace: 'v1' })
    t.equal((await app.inject('/v1/a')).body, 'v1')
    const { statusCode } = await app.inject({ url: '/v1/a', headers: { 'api-version': 'v2' } })
    t.equal(statusCode, 400)
  }
})

for (const [says, list, message] of [
  ['an empty list', [], /expected at least one scheme, got \[\]/],
  ['a list in a list', [HeaderVersioning, [QueryParameterVersioning]], /^Invalid "OPTION\.1": /],
  ['a class, and an instance with its settings',
    [HeaderVersioning, QueryParameterVersioning, new HeaderVersioning(settings)],
    /^Remove one HeaderVersioning from "OPTION", or give it other settings\./],
  ['null', [HeaderVersioning, null], /^Invalid "OPTION\.1": expected .+ \(a class or an instance\), got null/],
  ['null alone', [null], /^Invalid "OPTION\.0": expected a scheme such as .+ \(a class or an instance\), got null/],
  ['false alone', [false], /^Invalid "OPTION\.0": expected a scheme such as .+ \(a class or an instance\), got false/],
  ['a scheme that does not read', [Unread, HeaderVersioning], /^Give the scheme Unread a method readVersion\(\): /]
] as const) {
  t.test(`a list with ${says} is refused at boot`, async (t) => {
    const expected = (option: string) => ({
      code: OPTION, message: new RegExp(message.source.replace('OPTION', option))
    })
    await t.rejects(appWith(t, { ...settings, scheme: list as never }), expected('scheme'))
    const app = await appWith(t, settings)
    t.throws(() => app.get('/', { versioning: list as never }, tell), expected('versioning'))
  })
}

t.test('a class of the app may be twice in a list, because nobody sees its private fields', async (t) => {
  class ByHeader extends BaseVersioning {
    override readonly vary: string
    readonly #field: string
    constructor (field: string) {
      super(settings)
      this.vary = 'X-One, X-Two'
      this.#field = field
    }

    override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers[this.#field] }
  }
  const app = await appWith(t, { scheme: [new ByHeader('x-one'), new ByHeader('x-two')] })
  app.get('/', tell)
  t.equal((await app.inject({ url: '/', headers: { 'x-two': 'v1' } })).body, 'v1')
})

t.test('an object of a class of the app is in a list once', async (t) => {
  const scheme = new Cookie(settings)
  await t.rejects(appWith(t, { scheme: [scheme, HeaderVersioning, scheme] }), {
    code: OPTION, message: /^Remove one Cookie from "scheme", or give it other settings\./
  })
})

t.test('a class may be twice in a list with different settings', async (t) => {
  const scheme = ['X-One', 'X-Two'].map((versionHeader) => new HeaderVersioning({ ...settings, versionHeader }))
  const app = await readingApp(t, { ...settings, scheme })
  for (const name of ['x-one', 'x-two']) t.equal(await versionIn(app, { url: '/', headers: { [name]: 'v1' } }), 'v1')
  const { message } = (await app.inject({ url: '/', headers: { 'x-one': 'v1', 'x-two': 'v2' } })).json()
  t.equal(message, differing(['the "X-One" header', 'the "X-Two" header'], settings.allowedVersions))
})

for (const Scheme of [HostNameVersioning, NamespaceVersioning]) {
  t.test(`a list of ${Scheme.name} alone serves what the scheme itself serves`, async (t) => {
    for (const scheme of [Scheme, [Scheme], [new Scheme({ allowedVersions: ['v1'] })]]) {
      const app = await appWith(t, { scheme, allowedVersions: ['v1'] })
      app.get('/', tell)
      app.get('/own', { versioning: scheme }, tell)
      app.register(async (child) => {
        await child.register(versioning, { logVersion: true })
        child.get('/child', tell)
      })
      for (const url of ['/', '/own', '/child']) t.equal(await versionOf(app, { url, headers: { host: 'a' } }), 'null')
    }
  })
}

t.test('a list that is written again is the same one, unless its order is another', async (t) => {
  const list = [HeaderVersioning, QueryParameterVersioning]
  for (const again of [[...list], list.toReversed()]) {
    const app = await appWith(t, settings)
    app.get('/', { version: 'v1', versioning: list }, tell)
    app.get('/', { version: 'v2', versioning: again }, tell)
    if (again[0] === list[0]) t.equal(await versionOf(app, '/?version=v1'), 'v1')
    else await t.rejects(async () => app.ready(), { code: OPTION })
  }
})

class Told extends Cookie {
  override readonly placeText = 'cookie "version"'
}

for (const [Scheme, text] of [[Cookie, 'Cookie'], [Told, 'the cookie "version"']] as const) {
  t.test(`the message of an ambiguity has ${text} for a custom scheme`, async (t) => {
    const app = await readingApp(t, { ...settings, scheme: [QueryParameterVersioning, Scheme] })
    const headers = { cookie: 'v1' }
    t.equal(await versionIn(app, { url: '/', headers }), 'v1')
    const { message } = (await app.inject({ url: '/?version=v2', headers })).json()
    t.equal(message, differing(['the query parameter', text], settings.allowedVersions))
  })
}

t.test('a usage event has the first place of two, or none if they specify different versions', async (t) => {
  const events = usageEvents(t)
  const app = await readingApp(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  for (const url of ['/?version=v1', '/?version=v2']) await app.inject({ ...byHeader, url })
  t.same(events.map(({ scheme, place, version, outcome }) => [scheme, place, version, outcome]), [
    ['HeaderVersioning, QueryParameterVersioning', 'header', 'v1', 'ok'],
    ['HeaderVersioning, QueryParameterVersioning', null, null, 'refused']
  ])
})

t.test('a namespace chooses no handler, alone or in a list, and the error shows how to register routes', async (t) => {
  for (const scheme of [NamespaceVersioning, [HeaderVersioning, NamespaceVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    t.throws(() => app.get('/', { version: 'v1' }, tell), {
      code: OPTION, message: /^Remove "version": under NamespaceVersioning, the namespace is the version\. Write reg/
    })
  }
})

t.test('a list may be the scheme of a context, of a child with its instances, or of a route', async (t) => {
  const scheme = [new HeaderVersioning({ allowedVersions: ['v1'] }), QueryParameterVersioning]
  const app = await appWith(t, settings)
  const seen: (VersioningScheme | null)[] = []
  const handler = async ({ version, versioningScheme }: FastifyRequest) => {
    seen.push(versioningScheme)
    return version
  }
  app.get('/route', { versioning: scheme }, handler)
  app.register(async (context) => {
    await context.register(versioning, { scheme })
    context.get('/context', handler)
    context.register(async (child) => {
      await child.register(versioning, { allowedVersions: ['v3'], defaultVersion: null })
      child.get('/child', handler)
    })
  })
  for (const [url, query] of [['/route', 'v1'], ['/context', 'v1'], ['/child', 'v3']]) {
    t.equal(await versionOf(app, { ...byHeader, url }), 'v1')
    t.equal(await versionOf(app, `${url}?version=${query}`), query)
    t.equal(await versionOf(app, `${url}?version=v9`), '404 FST_ERR_VERSION_NOT_FOUND')
  }
  t.equal(await versionOf(app, '/child'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  t.same(seen[0]?.schemes?.map(({ constructor }) => constructor), [HeaderVersioning, QueryParameterVersioning])
  t.equal(seen[0], seen[2], 'one object for each context')
  t.match(seen[0], settings)
})

t.test('a member of a list determines the version that it has read', async (t) => {
  class Latest extends QueryParameterVersioning {
    override isAllowedVersion (version: string | null) {
      return version === 'latest' || super.isAllowedVersion(version)
    }

    override permit (version: string | null) {
      return version === 'latest' ? 'v3' : super.permit(version)
    }
  }
  const app = await readingApp(t, { ...three, scheme: [HeaderVersioning, Latest] })
  t.equal(await versionIn(app, '/?version=latest'), 'v3')
})

t.test('a version that a proxy has changed is refused by the scheme that read it', async (t) => {
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, HostNameVersioning] }, { trustProxy: true })
  for (const version of ['v1', 'v2']) app.get('/b', { version }, async () => version)
  const response = await app.inject({ url: '/b', headers: { host: 'a.b', 'x-forwarded-host': 'v2.a.b' } })
  t.match(response.json(), { statusCode: 404, message: 'Invalid version in hostname.' })
})

t.test('a member of a list with its own versions refuses the others, whatever the route serves', async (t) => {
  const own = new QueryParameterVersioning({ allowedVersions: ['v1'] })
  const app = await appWith(t, { scheme: [own, HeaderVersioning], allowedVersions: ['v1', 'v2'] })
  app.get('/', { version: ['v1', 'v2'] }, tell)
  t.equal((await app.inject('/?version=v2')).statusCode, 404)
  t.equal(await versionOf(app, '/?version=v1'), 'v1')
})

t.test('a version that one member of a list allows is served where it is read there, next to claims too', async (t) => {
  const own = new HeaderVersioning({ allowedVersions: ['v1', 'beta', null] })
  const app = await appWith(t, { scheme: [own, QueryParameterVersioning], allowedVersions: ['v1'] })
  app.get('/', { version: 'v1' }, tell)
  app.get('/', async (request) => `${request.version} ${request.isVersion('beta')}`)
  t.equal(await versionOf(app, { url: '/', headers: { 'api-version': 'beta' } }), 'beta true')
  t.equal(await versionOf(app, '/?version=beta'), '404 FST_ERR_VERSION_NOT_FOUND')
  t.equal(await versionOf(app, '/'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
})

for (const [says, scheme, options] of [
  ['its members, if the context lists none', [
    new HeaderVersioning({ allowedVersions: ['v2', 'v3'] }),
    new QueryParameterVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  ], {}],
  ['one member, next to a class and to an instance without versions', [
    HeaderVersioning, new QueryParameterVersioning({ allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v2' }),
    new AcceptHeaderVersioning({ versionParam: 'v' })
  ], {}],
  ['the context, for an instance without versions', [
    new HeaderVersioning({ versionHeader: 'API-Version' }), QueryParameterVersioning
  ], { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v2' }]
] as const) {
  t.test(`a list has the versions and the default of ${says}`, async (t) => {
    const app = await appWith(t, { scheme: [...scheme], ...options, reportVersions: true })
    app.get('/', { version: { to: 'v2' } }, tell)
    app.get('/open', async ({ version }, reply) => [version, reply.reverse('a', null, { version: 'v1' })])
    app.get('/a', { name: 'a' }, tell)
    t.equal(await versionOf(app, '/'), 'v2')
    t.equal(await versionOf(app, '/?version=v1'), 'v1')
    t.match((await app.inject('/open')).json(), ['v2', '/a?version=v1'])
    t.equal((await app.inject('/open')).headers['api-supported-versions'], 'v1, v2, v3')
    for (const url of ['/', '/open']) {
      t.equal(await versionOf(app, `${url}?version=v9`), '404 FST_ERR_VERSION_NOT_FOUND')
      const refusal = await app.inject({ url, headers: { 'api-version': 'v9' } })
      t.match(refusal.json(), { statusCode: 400, message: /^Invalid version in "API-Version" header\. Versions: .*v2/ })
    }
  })
}

t.test('without a default a list whose member lists versions refuses a request without one', async (t) => {
  const scheme = [HeaderVersioning, new QueryParameterVersioning({ allowedVersions: ['v1', 'v2'] })]
  const app = await appWith(t, { scheme })
  app.get('/', tell)
  t.match((await app.inject('/')).json(), { message: 'The "API-Version" header is missing. Versions: v1, v2.' })
})

t.test('a default for each client of a member is the default of its list', async (t) => {
  const defaultVersion = { header: 'X-Key', version: (key: string | null) => key }
  const own = new HeaderVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion })
  const app = await appWith(t, { scheme: [own, QueryParameterVersioning] })
  app.get('/', tell)
  const { body, headers } = await app.inject({ url: '/', headers: { 'x-key': 'v2' } })
  t.same([body, headers.vary], ['v2', 'API-Version, X-Key'])
  t.equal(await versionOf(app, { url: '/', headers: { 'x-key': 'v9' } }), '400 FST_ERR_VERSION_NOT_SUPPORTED')
})

t.test('a member without versions reads aliases and dates with those of its list', async (t) => {
  const own = new HeaderVersioning({ resolveVersion: byDate })
  const allowedVersions = ['2025-01-01', '2026-01-01']
  const app = await appWith(t, { scheme: [own, QueryParameterVersioning], allowedVersions })
  app.get('/', tell)
  app.get('/chosen', { version: '2025-01-01' }, tell)
  for (const url of ['/', '/chosen']) {
    const dated = (date: string) => versionOf(app, { url, headers: { 'api-version': date } })
    t.equal(await dated('2025-06-01'), '2025-01-01')
    t.equal(await dated('2024-06-01'), '400 FST_ERR_VERSION_NOT_SUPPORTED')
  }
})

t.test('a member without versions that determines the version itself allows those of its list', async (t) => {
  class Upper extends HeaderVersioning {
    override determineVersion ({ headers }: FastifyRequest) { return String(headers['api-version']) }
  }
  const app = await appWith(t, { scheme: [new Upper(), QueryParameterVersioning], allowedVersions: ['v1'] })
  app.get('/', tell)
  t.equal(await versionOf(app, byHeader), 'v1')
  t.equal(await versionOf(app, { url: '/', headers: { 'api-version': 'v9' } }), '400 FST_ERR_VERSION_NOT_SUPPORTED')
})

t.test('a context below inherits the versions of a list, whatever its scheme is', async (t) => {
  const own = new HeaderVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  const app = await appWith(t, { scheme: [own, QueryParameterVersioning] })
  app.get('/a', { version: 'v1' }, tell)
  app.register(async (child) => {
    await child.register(versioning, { logVersion: true })
    child.get('/a', { version: 'v2' }, tell)
  })
  app.register(async (child) => {
    await child.register(versioning, { scheme: QueryParameterVersioning })
    child.get('/b', tell)
  })
  t.equal(await versionOf(app, '/a'), 'v2')
  t.equal(await versionOf(app, '/b'), 'v2')
  t.equal(await versionOf(app, '/b?version=v9'), '404 FST_ERR_VERSION_NOT_FOUND')
})

t.test('refusal() of a list comes from the place that specifies the version, or from the first scheme', async (t) => {
  const own = new QueryParameterVersioning({ allowedVersions: ['v9'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/', async (request) => {
    const errors = [request, undefined].map((one) => request.versioningScheme?.refusal?.('Mine.', one) as VersionError)
    return errors.map(({ code, message }) => `${code}: ${message}`)
  })
  t.same((await app.inject('/?version=v9')).json(), [
    'FST_ERR_VERSION_NOT_FOUND: Mine.', 'FST_ERR_VERSION_NOT_SUPPORTED: Mine.'
  ])
})

t.test('a list has the link options of its schemes, and the error of the first for others', async (t) => {
  class Formatted extends URLPathVersioning {
    override readonly linkOptions = ['suffix']
    override reverse (...[name, options]: Parameters<URLPathVersioning['reverse']>): string {
      return super.reverse(name, options) + String(Reflect.get({ ...options }, 'suffix') ?? '')
    }
  }
  const app = await appWith(t, { scheme: [HeaderVersioning, Formatted] })
  app.get('/items', { name: 'items' }, tell)
  app.get('/:version/old', { name: 'old' }, tell)
  await app.ready()
  t.equal(app.reverse('items', null, { suffix: '.json' } as LinkOptions), '/items.json')
  t.throws(() => app.reverse('items', null, { verison: 'v1' } as never), { code: 'FST_ERR_REVERSE_OPTION' })
  t.throws(() => app.reverse('old'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('an error that a scheme throws is not hidden by a link of the next one', async (t) => {
  class Failing extends Cookie {
    override reverse (): string { throw new TypeError('broken') }
  }
  const app = await appWith(t, { scheme: [Failing, QueryParameterVersioning] })
  app.get('/', { name: 'self' }, async (_request, reply) => reply.reverse('self'))
  t.match((await app.inject('/')).json(), { statusCode: 500, message: 'broken' })
})

/** The link to the current route in v2, or the message of the error. */
for (const [says, scheme, request, link] of [
  ['in the path, not in the query', [QueryParameterVersioning, URLPathVersioning], '/v1/items?version=v1', '/v2/items'],
  ['in the host and in the query',
    [QueryParameterVersioning, HostNameVersioning],
    { url: '/items?version=v1', headers: { host: 'v1.example.com' } },
    'http://v2.example.com/items?version=v2'],
  ['in the namespace, where the query has one as well', [QueryParameterVersioning, NamespaceVersioning],
    '/ns-v1/items?version=v1', '/ns-v2/items'],
  ['in the path, not in a header', [HeaderVersioning, URLPathVersioning], '/v1/old', /^The current route, '.+', has/]
] as const) {
  t.test(`under ${show(scheme, { depth: 0 })} a link has one version ${says}`, async (t) => {
    const app = await appWith(t, { scheme: [...scheme], allowedVersions: ['v1', 'v2'] })
    const routes = async (api: FastifyInstance) => {
      const into = async (_request: FastifyRequest, reply: FastifyReply) => reply.reverse(null, null, { version: 'v2' })
      api.get('/items', { name: 'items' }, into)
      api.get('/:version/items', into)
      api.get('/:version(^v1$)/old', into)
    }
    app.register(routes)
    for (const namespace of ['v1', 'v2']) app.register(routes, { prefix: `/ns-${namespace}`, namespace })
    const { body } = await app.inject(request)
    if (typeof link === 'string') t.equal(body, link)
    else t.match(JSON.parse(body).message, link)
  })
}

t.test('in a list a link has the version where the request has it, also one that the caller gives', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/', { name: 'a' }, async (_, reply) => [reply.reverse('a'), reply.reverse('a', null, { version: 'v1' })])
  t.same((await app.inject(byHeader)).json(), ['/', '/'])
  t.same((await app.inject({ url: '/', query: 'version=v1' })).json(), ['/?version=v1', '/?version=v1'])
  t.same((await app.inject({ ...byHeader, query: 'version=v1' })).json(), ['/?version=v1', '/?version=v1'])
})

t.test('a list makes no link by a scheme that does not allow the version', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v3'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/', { name: 'b' }, async (_request, reply) => (
    [reply.reverse('b'), reply.reverse('b', null, { version: 'v3' })]
  ))
  t.same((await app.inject('/')).json(), ['/', '/?v=v3'])
})

// A model of lists

/** How a list is given: by its classes, or with instances that have settings of their own. */
type Member = { readonly place: Place, readonly own: readonly string[] | null }

type Settings = { readonly defaultVersion: string | null, readonly allowedVersions: readonly string[] | null }

/** The versions that a request names, by the places of a list in its order, or null where it names none. */
type Named = readonly (string | null)[]

type Answer = { version: string | null, vary: string | undefined } | { code: string, message: string }

const allPlaces = Object.values(places)
const early = allPlaces.filter(({ isKnownBeforeRouting }) => isKnownBeforeRouting)

const versions = fc.constantFrom<readonly string[]>(['v1'], ['v2'], ['v1', 'v2'], ['v2', 'v1'])
const listed = fc.option(versions, { nil: null })
const anyOf: fc.Arbitrary<Settings> = fc.record({
  defaultVersion: fc.constantFrom('v1', 'v2', null), allowedVersions: listed
})

function listsOf (all: readonly Place[], owns: fc.Arbitrary<readonly string[] | null>): fc.Arbitrary<Member[]> {
  return fc.shuffledSubarray([...all], { minLength: 1, maxLength: all.length }).chain((list) => (
    fc.tuple(...list.map((place) => owns.map((own) => ({ place, own }))))
  ))
}

/** Several requests, so that one that is kept from an earlier request is seen; most name few versions. */
function requestsFor (list: readonly Member[]): fc.Arbitrary<Named[]> {
  const maybe = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom('v1', 'v1', 'v2', 'v9'))
  return fc.array(fc.tuple(...list.map(() => maybe)), { minLength: 3, maxLength: 8 })
}

/** The settings of a list: those of the context, or else what its members list, of two versions at most. */
function settingsOf (list: readonly Member[], settings: Settings): Settings {
  const owns = list.map(({ own }) => own ?? [])
  if (list.length === 1 || settings.allowedVersions !== null || owns.flat().length === 0) return settings
  return { ...settings, allowedVersions: owns.find((own) => own.length === 2) ?? [...new Set(owns.flat())] }
}

function schemesOf (list: readonly Member[], { defaultVersion }: Settings) {
  return list.map(({ place: { Scheme }, own }): VersioningSchemeClass | InstanceType<typeof Scheme> => (
    own === null ? Scheme : new Scheme({ allowedVersions: own, defaultVersion })
  ))
}

/** What the documentation says of a list. */
function answerTo (
  list: readonly Member[], { defaultVersion, allowedVersions }: Settings, named: Named, served: readonly string[] | null
): Answer {
  const vary = list.map(({ place }) => place.vary).filter((field) => field !== null).join(', ') || undefined
  const naming = list.map((member, i) => ({ ...member, version: named[i] })).filter(({ version }) => version !== null)
  const [first, ...others] = naming
  if (others.some(({ version }) => version !== first.version)) {
    const texts = naming.map(({ place }) => `the ${place.text}`)
    return { code: 'FST_ERR_VERSION_AMBIGUOUS', message: differing(texts, served ?? allowedVersions ?? []) }
  }
  const { place, own } = first ?? { place: list[0].place, own: list.length === 1 ? list[0].own : null }
  const version = first === undefined ? defaultVersion : first.version
  const allowed = own ?? allowedVersions
  const isUnchecked = first === undefined && list.length === 1 && !place.isDefaultChecked
  const isPermitted = allowed === null || version === null
    ? allowed === null || isUnchecked
    : isUnchecked || version === defaultVersion || allowed.includes(version)
  const listed = served ?? (allowedVersions?.length ? allowedVersions : own ?? [])
  const { code, message } = refusalOf(place.refusal, first?.version ?? null, listed)
  if (!isPermitted) return { code, message }
  if (served === null || (version !== null && served.includes(version))) return { version, vary }
  // The schemes that SPEC.md does not have say that the version is missing.
  const missing = refusalOf(list[0].place.refusal, null, served)
  if (version === null && missing !== list[0].place.refusal) return { code, message: missing.message }
  return { code, message: `This URL answers GET in ${served.join(', ')}.` }
}

async function ask (app: FastifyInstance, list: readonly Member[], named: Named): Promise<Answer> {
  const namings = list.flatMap(({ place }, i) => named[i] === null ? [] : [place.naming(named[i])])
  const response = await app.inject(requestOf('/probe', ...namings))
  const { statusCode, version, code, message } = response.json()
  return statusCode === undefined ? { version, vary: response.headers.vary as string | undefined } : { code, message }
}

/** @param unknown what is not known of a message: the place of a route, or of a scheme, may have other versions */
function compare (answer: Answer, expected: Answer, named: Named, unknown = /^$/): void {
  const [a, b] = [answer, expected].map((one) => JSON.stringify(one).replace(unknown, ''))
  if (a === b) return
  throw new Error(`${JSON.stringify(named)}: ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`)
}

t.test('any list of schemes answers as documented', async () => {
  const cases = fc.tuple(listsOf(allPlaces, fc.oneof(fc.constant(null), listed)), anyOf).chain(([list, given]) => (
    fc.tuple(fc.constant(list), fc.constant(given), requestsFor(list))
  ))
  await fc.assert(fc.asyncProperty(cases, async ([list, given, requests]) => {
    const app = Fastify()
    await app.register(versioning, { scheme: schemesOf(list, given), ...given })
    declareIn(app, list.map(({ place }) => place), {
      url: '/probe', method: 'GET', handler: async (request) => ({ version: request.version })
    })
    for (const named of requests) {
      const expected = answerTo(list, settingsOf(list, given), named, null)
      compare(await ask(app, list, named), expected, named, / Versions: [^.]*\./)
    }
    await app.close()
  }), { numRuns: tries(40) })
})

t.test('any list whose places are known before routing chooses the handler of the version', async () => {
  // URLPathVersioning alone has no URL without a version.
  const any = listsOf(early, fc.oneof(fc.constant(null), listed))
  const lists = any.filter((list) => list.some(({ place }) => place !== places.path))
  const cases = fc.tuple(lists, anyOf, versions).chain(([list, given, served]) => (
    fc.tuple(fc.constant(list), fc.constant(given), fc.constant(served), requestsFor(list))
  ))
  await fc.assert(fc.asyncProperty(cases, async ([list, written, claims, requests]) => {
    const app = Fastify()
    const given = settingsOf(list, written)
    await app.register(versioning, { scheme: schemesOf(list, written), ...written })
    // In the order in which the scheme lists them, or else as they are declared.
    const order = (list.length === 1 ? list[0].own : null) ?? given.allowedVersions ?? claims
    const served = order.filter((version) => claims.includes(version))
    fc.pre(claims.every((version) => order.includes(version)))
    for (const version of claims) {
      declareIn(app, list.map(({ place }) => place), {
        url: '/probe', method: 'GET', version, handler: async (request) => ({ version: request.version })
      })
    }
    for (const named of requests) {
      const unknown = list.some(({ own }) => own !== null) ? /,"message":.*/ : undefined
      compare(await ask(app, list, named), answerTo(list, given, named, served), named, unknown)
    }
    await app.close()
  }), { numRuns: tries(40) })
})
