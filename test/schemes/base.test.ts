import { inspect as show } from 'node:util'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning, VersionError
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { readingApp, versionIn } from './readings.ts'

import type { FastifyRequest } from 'fastify'
import type { AllowedVersions, RawRequest, VersioningOptions } from '../../types/index.d.ts'

const OPTION = 'FST_ERR_VERSIONING_OPTION'
const INVALID = 'FST_ERR_VERSION_INVALID'

/** A scheme as a user writes one. */
class ApiVersionHeader extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version'] }
}

const sending = (version?: string) => ({ url: '/', headers: version === undefined ? {} : { 'x-api-version': version } })

const NOT_READ = 'Reading.readVersion() must return a string, a list of strings, null or undefined.'

for (const [reads, version, code] of [
  ['v2', 'v2'],
  [null, 'v1'],
  [undefined, 'v1'],
  [[], 'v1'],
  [['v2', 'v2', 'v2'], 'v2'],
  [['v1', 'v2'], null, 'FST_ERR_VERSION_AMBIGUOUS'],
  [['v9', 'v9'], null, 'FST_ERR_VERSION_NOT_FOUND'],
  ['v1, v2', null, 'FST_ERR_VERSION_NOT_FOUND'],
  [['v1', null], null, INVALID],
  // eslint-disable-next-line no-sparse-arrays
  [[, 'v1'], null, INVALID],
  [1, null, INVALID],
  [{ version: 'v1' }, null, INVALID],
  [async () => { throw new Error('not today') }, null, INVALID]
] as const) {
  t.test(`${show(reads)} from readVersion() results in ${version ?? code} in requests`, async (t) => {
    class Reading extends BaseVersioning {
      override readVersion () { return (typeof reads === 'function' ? reads() : reads) as string }
    }
    const app = await readingApp(t, { scheme: Reading, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
    for (const one of ['v1', 'v2']) {
      app.get('/chosen', { version: one }, async ({ version, routeOptions: { config } }) => {
        t.same(config.versions, [version])
        return { version }
      })
    }
    for (const url of ['/', '/chosen']) {
      const answer = (await app.inject(url)).json()
      if (code === undefined) t.same(answer, { version })
      else t.match(answer, code === INVALID ? { statusCode: 500, code, message: NOT_READ } : { code })
    }
  })
}

const late = async () => { throw new Error('late') }
const nothing = () => {}

for (const [method, own, message, version = 'v1'] of [
  ['isAllowedVersion', late, 'isAllowedVersion() must return true or false.'],
  ...[late, nothing, () => 'no'].map((returns) => (
    ['refusal', returns, 'refusal() must return an error.', 'v9'] as const
  )),
  ...[late, nothing, () => 5].map((returns) => (
    ['reverse', returns, 'reverse() must return a string or null.'] as const
  )),
  ['linkVersion', late, 'linkVersion() must return a string or null.'],
  ...[() => 5, late].map((returns) => (
    ['determineVersion', function (this: BaseVersioning) { return this.permit(returns() as never) },
      'permit() must get a string, a list of strings, null or undefined.'] as const
  ))
] as const) {
  t.test(`the error about ${show(own)} as ${method}() says what is expected`, async (t) => {
    class Looking extends ApiVersionHeader {}
    Object.assign(Looking.prototype, { [method]: own })
    const app = await appWith(t, { scheme: Looking, allowedVersions: ['v1'] })
    app.get('/', { name: 'probe' }, async (_request, reply) => reply.reverse('probe'))
    const { statusCode, body } = await app.inject(sending(version))
    t.equal(statusCode, 500)
    t.match(JSON.parse(body), { code: INVALID, message: `Looking.${message}` })
  })
}

t.test('an isAllowedVersion() that returns something truthy allows nothing', async (t) => {
  const app = await readingApp(t, { scheme: having('isAllowedVersion', () => 1) })
  t.equal(await versionIn(app, sending('v1')), 'FST_ERR_VERSION_NOT_FOUND')
})

t.test('a getter may say the parameter that links imply, as it may follow from a setting', async (t) => {
  class Tenant extends URLPathVersioning {}
  Object.defineProperty(Tenant.prototype, 'impliedParam', { get () { return this.versionParam } })
  const app = await appWith(t, { scheme: Tenant, versionParam: 'v' })
  app.get('/:v/a', { name: 'a' }, async (_request, reply) => reply.reverse('a'))
  t.equal((await app.inject('/2/a')).body, '/2/a')
})

t.test('the error about a refusal() names it where the URL does not serve the version', async (t) => {
  const app = await readingApp(t, { scheme: having('refusal', late), allowedVersions: ['v1', 'v2'] })
  app.get('/later', { version: 'v2' }, async () => '')
  t.match((await app.inject({ ...sending('v1'), url: '/later' })).json(), { statusCode: 500, code: INVALID })
})

/** Hands to permit() what readVersion() returns, a list where the header has a comma, and no request. */
class Permitting extends HeaderVersioning {
  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(this.readVersion(request))
  }
}

t.test('an error of a scheme keeps its 4xx whatever the response schema of the route is', async (t) => {
  const broken = () => { throw Object.assign(new Error('no such tenant'), { statusCode: 404 }) }
  const app = await appWith(t, { scheme: having('readVersion', broken) })
  const schema = { response: { 404: { type: 'object', required: ['bookingId'], properties: { bookingId: {} } } } }
  app.get('/', { schema }, async () => '')
  app.get('/own', { schema, versioning: false }, broken)
  t.same((await app.inject('/')).json(), { statusCode: 404, error: 'Not Found', message: 'no such tenant' })
  t.equal((await app.inject('/own')).statusCode, 500, 'errors of the app stay as Fastify does it')
})

for (const scheme of [HeaderVersioning, Permitting, [HeaderVersioning], [QueryParameterVersioning, Permitting]]) {
  t.test(`under ${show(scheme)} a version that resolveVersion refuses never gets the default version`, async (t) => {
    const resolveVersion = (version: string) => ({ v2: 'v2', latest: 'v2', v1: null })[version]
    const app = await readingApp(t, { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], resolveVersion })
    app.get('/chosen', { version: ['v1', 'v2'] }, async ({ version }) => ({ version }))
    app.get('/open', { version: 'v1' }, async ({ version }) => ({ version }))
    app.get('/open', async ({ version }) => ({ version }))
    for (const url of ['/', '/chosen', '/open']) {
      const ask = async (version: string) => versionIn(app, { url, headers: { 'api-version': version } })
      for (const version of ['v1', 'v1, v1', 'v9']) t.equal(await ask(version), 'FST_ERR_VERSION_NOT_SUPPORTED')
      for (const version of ['v2, v2', 'latest', 'latest, v2']) t.equal(await ask(version), 'v2')
      t.equal(await versionIn(app, url), 'v1')
    }
  })
}

for (const [says, options, version, message] of [
  ['a version that is not allowed', {}, 'v9', 'Invalid version.'],
  ['a default version that comes late', { defaultVersion: { header: 'X-Client', version: async () => 'v9' } }, null,
    'Invalid version.'],
  ['a version that the route does not serve', {}, 'v2', 'This URL answers GET in v1.']
] as [string, VersioningOptions, string | null, string][]) {
  t.test(`the refusal of ${says} gets the message and the request`, async (t) => {
    class Repeating extends ApiVersionHeader {
      override refusal (message?: string, request?: FastifyRequest) {
        return new VersionError('notFound', `${message} ${request?.url}`)
      }
    }
    const app = await appWith(t, { scheme: Repeating, allowedVersions: ['v1', 'v2'], ...options })
    app.get('/', version === 'v2' ? { version: 'v1' } : {}, async () => '')
    t.match((await app.inject(sending(version ?? undefined))).json(), { statusCode: 404, message: `${message} /` })
  })
}

t.test('BaseVersioning answers 501', async (t) => {
  t.same((await (await readingApp(t, { scheme: BaseVersioning, defaultVersion: 'v1' })).inject('/')).json(), {
    statusCode: 501,
    code: 'FST_ERR_VERSION_NOT_IMPLEMENTED',
    error: 'Not Implemented',
    message: 'BaseVersioning.determine_version() must be implemented.'
  })
})

t.test('reverse() uses the app of the request, then the app in the options, then the app of the scheme', async (t) => {
  const scheme = new BaseVersioning()
  t.throws(() => scheme.reverse('probe'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  const [own, named, asked] = await Promise.all(['/own', '/named', '/asked'].map(async (url) => {
    const app = await appWith(t, url === '/own' ? { scheme } : {})
    app.get(url, { name: 'probe' }, async () => '')
    await app.ready()
    return app
  }))
  t.equal(scheme.reverse('probe', { request: { version: null, server: asked }, server: named }), '/asked')
  t.equal(scheme.reverse('probe', { request: null, server: named }), '/named')
  t.equal(scheme.reverse('probe', { server: own }), '/own')
  t.equal(scheme.reverse('probe'), '/own')
})

// It has what another copy of the package marks its classes with.
class Copy {}
Object.assign(Copy.prototype, { [Symbol.for('fastify-versioning.scheme')]: true })
const COPY = /^The scheme \w+ comes from another copy of fastify-versioning\. Install the package once \("npm ls /

/** A class with a member that is not right. */
function having (name: string, value: unknown, Base: typeof BaseVersioning = ApiVersionHeader) {
  class Having extends Base {}
  Object.assign(Having.prototype, { [name]: value })
  return Having
}

const UNWRITTEN = /^Write \w+\.readVersion\(request\), which returns the version that the client sends\. A scheme that /
const ASYNC = /^Make \w+\.readVersion\(request\) synchronous: the router does not wait for a promise\. A scheme that /
const KINDS = 'one of notFound, notAcceptable, notSupported, unsupportedMediaType, ambiguous, gone'
const PLACES = 'one of path, namespace, query, host, nowhere'

for (const [says, scheme, message] of [
  ['a class with readversion()', having('readversion', () => 'v1', BaseVersioning), UNWRITTEN],
  ...[
    ['hostnameRegExp', 'hostnameRegex', HostNameVersioning], ['linkplace', 'linkPlace', ApiVersionHeader],
    ['invalidVersionMesage', 'invalidVersionMessage', HeaderVersioning],
    ['readversion', 'readVersion', HeaderVersioning]
  ].map(([name, meant, base]) => [
    `the misspelt member ${String(name)}`, having(name as string, () => /^(v1)$/, base as typeof HeaderVersioning),
    new RegExp(`^Unknown member "${String(name)}" of \\w+\\. Did you mean "${String(meant)}"\\? See `)
  ] as const),
  ['an async readVersion()', having('readVersion', async () => 'v1'), ASYNC],
  ['5 as label', Object.assign(new ApiVersionHeader(), { label: 5 }), 'Invalid "label": expected a text, got 5.'],
  ['an instance without a method', new (class Empty extends BaseVersioning {})(), UNWRITTEN],
  ['a class of another copy', Copy, COPY],
  ['an instance of another copy', new Copy(), COPY],
  ['a class that extends one of another copy', class Extending extends Copy {}, COPY],

  ...([
    ['refusalKind', 'forbidden', KINDS],
    ['linkPlace', 'nope', PLACES],
    ['linkPlace', undefined, PLACES],
    ['linkPlace', 'host', 'a scheme that extends HostNameVersioning'],
    ...['place', 'placeText', 'invalidVersionMessage'].flatMap((name) => (
      [5, '', null].map((value) => [name, value, 'a text'] as const)
    )),
    ...['knownAfterRouting', 'impliedParam'].map((name) => [name, true, 'a text or null'] as const),
    ...['tenant', [5]].map((value) => ['linkOptions', value, "a list of names such as ['tenant']"] as const),
    ...['v', { in: 'path', name: 'v' }, { in: 'cookie' }].map((value) => (
      ['parameter', value, "an object such as { in: 'cookie', name: 'v' }, or null"] as const
    )),
    ...['^v1', /^v\d+\./].map((value) => (
      ['hostnameRegex', value, 'a regular expression with a group for the version'] as const
    ))
  ] as const).map(([name, value, expected]) => (
    [`${show(value)} as ${name}`, having(name, value), `Invalid "${name}": expected ${expected}, got `] as const
  ))
] as const) {
  t.test(`a scheme is refused for ${says}`, async (t) => {
    await t.rejects(async () => appWith(t, { scheme: scheme as never }), { code: OPTION, message })
  })
}

t.test('a scheme may have members of any name, and may be frozen', async (t) => {
  class Named extends ApiVersionHeader {
    readonly allows = 1
    readonly find = 2
    readonly members = []
    readonly readVersions = 3
    readonly _readVersion = 4
    readonly parameters = {}
    readonly vari = 'short'
    override readonly label = 'mine'
  }
  const scheme = Object.freeze(new Named({ allowedVersions: ['v1'] }))
  const app = await readingApp(t, { scheme })
  t.equal(await versionIn(app, sending('v1')), 'v1')
  t.equal(await versionIn(app, sending('v9')), 'FST_ERR_VERSION_NOT_FOUND')
})

for (const [given, says, answers] of [
  [new Set(['v1', 'v2']), 'a Set', { v1: 'v1', v9: 'FST_ERR_VERSION_NOT_FOUND', latest: 'v2' }],
  [undefined, 'undefined', { v1: 'v1', v9: 'v9', latest: 'latest' }]
] as const) {
  t.test(`${says} as the class field allowedVersions is read like the setting`, async (t) => {
    class Listing extends ApiVersionHeader {
      override readonly allowedVersions = given as never
      override readonly resolveVersion = (requested: string, allowed: AllowedVersions) => (
        requested === 'latest' ? allowed.at(-1) ?? requested : requested
      )
    }
    const scheme = new Listing()
    const app = await readingApp(t, { scheme })
    for (const [version, answer] of Object.entries(answers)) t.equal(await versionIn(app, sending(version)), answer)
    t.equal(scheme.allowedVersions, given, 'nothing is written into it')
  })
}

for (const scheme of ['chosen', 'refused', 'linked'] as const) {
  t.test(`the versions of a Set in a class field are ${scheme} like listed ones`, async (t) => {
    class Listing extends ApiVersionHeader {
      override readonly allowedVersions = new Set(['v1', 'v2']) as never
    }
    const app = await appWith(t, { scheme: Listing })
    app.get('/', { version: 'v1', name: 'a' }, async (request, reply) => (
      [request.version, reply.reverse('a', null, { version: 'v9' })]
    ))
    app.get('/open', async ({ version }) => version)
    if (scheme === 'chosen') t.equal((await app.inject({ ...sending('v2'), url: '/open' })).body, 'v2')
    const [version, message] = {
      chosen: ['v2', 'This URL answers GET in v1.'],
      refused: ['v9', 'Invalid version.'],
      linked: ['v1', /expected one of \[ 'v1', 'v2' \], or null, got 'v9'/]
    }[scheme]
    t.match((await app.inject(sending(version as string))).json(), { message })
  })
}

t.test('an object that is registered again, after it was changed, has its new fields', async (t) => {
  const scheme = new ApiVersionHeader({ allowedVersions: ['v1'] })
  const before = await appWith(t, { scheme })
  before.get('/', { version: 'v1' }, async ({ version }) => version)
  before.get('/', { versioning: scheme }, async ({ version }) => version)
  await before.ready()
  Object.assign(scheme, { allowedVersions: ['v1', 'v2'], vary: 'X-Other' })
  const after = await appWith(t, { scheme })
  after.get('/', { version: 'v2' }, async ({ version }) => version)
  t.equal((await before.inject(sending('v1'))).headers.vary, 'X-API-Version')
  const { body, headers } = await after.inject(sending('v2'))
  t.equal(body, 'v2')
  t.equal(headers.vary, 'X-Other')
})

t.test('the error for a wrong readVersion() under an own determineVersion() names permit()', async (t) => {
  class Waiting extends ApiVersionHeader {
    override readVersion () { return 5 as never }
    override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
  }
  const app = await readingApp(t, { scheme: Waiting })
  t.match((await app.inject('/')).json(), {
    code: INVALID, message: 'Waiting.permit() must get a string, a list of strings, null or undefined.'
  })
})

t.test('another copy of the package in one app is refused', async (t) => {
  const app = bareApp(t)
  app.addConstraintStrategy({
    name: 'fastifyVersioning', storage: () => ({ get: () => null, set () {} }), deriveConstraint: () => ''
  })
  await t.rejects(async () => app.register(versioning), {
    code: OPTION, message: /^Another copy of fastify-versioning is registered in this app\. /
  })
})

for (const name of [
  'defaultVersion', 'allowedVersions', 'versionParam', 'versionHeader', 'mediaTypes', 'resolveVersion', 'label',
  'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting'
]) {
  t.test(`an accessor for ${name} is refused`, async (t) => {
    class Computing extends HeaderVersioning {}
    Object.defineProperty(Computing.prototype, name, { get: () => null, configurable: true })
    const error = { code: OPTION, message: new RegExp(`^Make "${name}" of \\w* ?a class field, not a getter: `) }
    t.throws(() => new class Further extends Computing {}(), error)
    const scheme = Object.defineProperty(new HeaderVersioning(), name, { get: () => null })
    await t.rejects(async () => appWith(t, { scheme }), error)
  })
}

t.test('the name of a path parameter that Fastify would cut is refused, and left to a query', async (t) => {
  const settings = { versionParam: 'api-version', allowedVersions: ['v1'] }
  await t.rejects(async () => appWith(t, { ...settings, scheme: URLPathVersioning }), {
    code: OPTION, message: /^Invalid "versionParam": expected a name without "-", "\." and "\(", .* got 'api-version'\./
  })
  const app = await readingApp(t, { ...settings, scheme: QueryParameterVersioning })
  t.equal(await versionIn(app, '/?api-version=v1'), 'v1')
  await t.rejects(async () => appWith(t, { scheme: having('impliedParam', 'api.v') }), {
    code: OPTION, message: /^Invalid "impliedParam": expected a name without/
  })
})

t.test('a method in place of a setting, which would hide it, is refused', async (t) => {
  class Computing extends HeaderVersioning {}
  Object.assign(Computing.prototype, { allowedVersions: () => ['v1'] })
  t.throws(() => new Computing(), {
    code: OPTION, message: /^Make "allowedVersions" of Computing a class field, not a method: /
  })
})

t.test('a class of an app may take settings of its own, and an instance the options of a registration', async (t) => {
  class Own extends HeaderVersioning {}
  t.equal(new Own({ prefix: 'v', allowedVersions: ['v1'] } as object).isAllowedVersion('v2'), false)
  t.doesNotThrow(() => new HeaderVersioning({ scheme: HeaderVersioning, lifecycle: null } as object))
})

for (const [settings, option] of [
  [{ allowdVersions: ['v1'] }, 'allowdVersions'], [{ versionheader: 'X' }, 'versionheader'], ['v1', 'settings'],
  [{ versions: ['v1'] }, 'versions'], [{ header: 'X' }, 'header'],
  [null, 'settings'], [['v1'], 'settings']
] as const) {
  t.test(`an instance with the settings ${show(settings)} is refused, which names ${option}`, async (t) => {
    t.throws(() => new HeaderVersioning(settings as object), {
      code: OPTION, message: new RegExp(`^(?:Unknown setting|Invalid) "${option}"`)
    })
  })
}
