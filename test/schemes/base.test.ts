import { inspect as show } from 'node:util'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, URLPathVersioning, VersionError
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { schemeContract } from './contract.ts'

import type { FastifyRequest } from 'fastify'
import type {
  RawRequest, ReverseOptions, VersionParameter, VersioningOptions, VersioningScheme, VersioningSettings
} from '../../types/index.d.ts'

/** A scheme as a user writes one. */
class ApiVersionHeader extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version'] }
}

/** A scheme that does the same without saying what it reads. */
class Determining extends BaseVersioning {
  override determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-api-version'] as string | undefined, request)
  }
}

for (const Scheme of [ApiVersionHeader, Determining]) {
  t.test(`${Scheme.name} fulfills the contract of every scheme`, async (t) => {
    schemeContract(t, {
      Scheme,
      routes: (app, probe) => app.route({ ...probe, url: '/probe' }),
      naming: (version) => ({ url: '/probe', headers: { 'x-api-version': version } }),
      unnamed: { url: '/probe' },
      lookalikes: ['V1', 'v10', 'v', 'v1.0', ''],
      refusal: {
        statusCode: 404,
        code: 'FST_ERR_VERSION_NOT_FOUND',
        error: 'Not Found',
        message: 'Invalid version.'
      },
      isDefaultChecked: true,
      link: () => '/probe'
    })
  })
}

t.test('a scheme that only has readVersion() chooses routes, and their responses vary', async (t) => {
  const app = await appWith(t, { scheme: ApiVersionHeader, allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1' })
  app.get('/bookings', { version: 'v1' }, async ({ version }) => `one, ${version}`)
  app.get('/bookings', { version: 'v2' }, async ({ version }) => `two, ${version}`)
  const ask = (version: string) => app.inject({ url: '/bookings', headers: { 'x-api-version': version } })
  t.equal((await app.inject('/bookings')).body, 'one, v1')
  t.equal((await ask('v2')).body, 'two, v2')
  t.match((await ask('v3')).json(), { statusCode: 404, message: 'This URL answers GET in v1, v2.' })
  t.match((await ask('v9')).json(), { statusCode: 404, message: 'Invalid version.' })
  for (const version of ['v1', 'v3', 'v9']) t.equal((await ask(version)).headers.vary, 'X-API-Version')
})

interface Reading { reads: unknown, version?: string, code?: string }

const readings: Reading[] = [
  { reads: 'v2', version: 'v2' },
  { reads: null, version: 'v1' },
  { reads: undefined, version: 'v1' },
  { reads: [], version: 'v1' },
  { reads: ['v2'], version: 'v2' },
  { reads: ['v2', 'v2', 'v2'], version: 'v2' },
  { reads: ['v1', 'v2'], code: 'FST_ERR_VERSION_AMBIGUOUS' },
  { reads: ['v9', 'v9'], code: 'FST_ERR_VERSION_NOT_FOUND' },
  { reads: 'v1, v2', code: 'FST_ERR_VERSION_NOT_FOUND' },
  { reads: ['v1', null], code: 'FST_ERR_VERSION_INVALID' },
  // eslint-disable-next-line no-sparse-arrays
  { reads: [, 'v1'], code: 'FST_ERR_VERSION_INVALID' },
  { reads: new Array(1), code: 'FST_ERR_VERSION_INVALID' },
  { reads: 1, code: 'FST_ERR_VERSION_INVALID' },
  { reads: { version: 'v1' }, code: 'FST_ERR_VERSION_INVALID' }
]

for (const { reads, version, code } of readings) {
  t.test(`${show(reads)} from readVersion() results in ${version ?? code} in requests`, async (t) => {
    class Reading extends BaseVersioning {
      override readVersion () { return reads as string }
    }
    const app = await appWith(t, { scheme: Reading, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
    app.get('/open', async ({ version }) => ({ version }))
    for (const one of ['v1', 'v2']) {
      app.get('/chosen', { version: one }, async ({ version, routeOptions: { config } }) => {
        t.same(config.versions, [version])
        return { version }
      })
    }
    for (const url of ['/open', '/chosen']) {
      const answer = (await app.inject(url)).json()
      if (code === undefined) t.same(answer, { version })
      else t.equal(answer.code, code)
    }
  })
}

interface Permission { settings: VersioningSettings, allowed: Array<string | null>, refused: Array<string | null> }

const permissions: Permission[] = [
  { settings: {}, allowed: ['v1', '', null], refused: [] },
  { settings: { allowedVersions: null, defaultVersion: 'v1' }, allowed: ['v1', 'v2', '', null], refused: [] },
  { settings: { allowedVersions: [], defaultVersion: 'v1' }, allowed: ['v1', 'v2', '', null], refused: [] },
  { settings: { allowedVersions: ['v1'] }, allowed: ['v1'], refused: ['v2', 'V1', 'v', '', 'null', null] },
  { settings: { allowedVersions: ['v1'], defaultVersion: 'v2' }, allowed: ['v1', 'v2'], refused: ['v3', '', null] },
  { settings: { allowedVersions: ['v1'], defaultVersion: '' }, allowed: ['v1', ''], refused: ['v2', null] },
  { settings: { allowedVersions: ['v1', null] }, allowed: ['v1', null], refused: ['v2', '', 'null'] },
  { settings: { allowedVersions: [''] }, allowed: [''], refused: ['v1', null] },
  { settings: { allowedVersions: ['1'] }, allowed: ['1'], refused: ['1.0', '01', ' 1', '1 '] },
  { settings: { allowedVersions: new Set(['v1', 'v2']) }, allowed: ['v1', 'v2'], refused: ['v3'] }
]

for (const { settings, allowed, refused } of permissions) {
  const { allowedVersions, defaultVersion } = settings
  const listed = JSON.stringify(allowedVersions && [...allowedVersions])
  t.test(`isAllowedVersion() takes the list ${listed} or the default ${JSON.stringify(defaultVersion)}`, async (t) => {
    const scheme = new BaseVersioning(settings)
    for (const version of allowed) t.equal(scheme.isAllowedVersion(version), true, JSON.stringify(version))
    for (const version of refused) t.equal(scheme.isAllowedVersion(version), false, JSON.stringify(version))
  })
}

t.test('a request is answered 500 if permit() gets a promise, fulfilled or rejected', async (t) => {
  for (const looked of [async () => 'v1', async () => { throw new Error('no') }]) {
    class Looking extends BaseVersioning {
      override determineVersion (): string | null {
        return this.permit(looked() as never)
      }
    }
    for (const allowedVersions of [null, ['v1']]) {
      const app = await appWith(t, { scheme: Looking, allowedVersions })
      app.get('/probe', async () => '')
      t.match((await app.inject('/probe')).json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
    }
  }
})

for (const [method, returns] of [['isAllowedVersion', 'true or false'], ['linkVersion', 'a string or null']] as const) {
  t.test(`the error about a promise from ${method}() has the name of the method`, async (t) => {
    const looks = async () => { throw new Error('late') }
    class Looking extends ApiVersionHeader {}
    Object.assign(Looking.prototype, { [method]: looks })
    const app = await appWith(t, { scheme: Looking, allowedVersions: ['v1'] })
    app.get('/', { name: 'probe' }, async (_request, reply) => reply.reverse('probe'))
    t.match((await app.inject({ url: '/', headers: { 'x-api-version': 'v1' } })).json(), {
      statusCode: 500, message: `Looking.${method}() must return ${returns}.`
    })
  })
}

/** Its refusal repeats what it gets. */
function repeating (Scheme: typeof BaseVersioning) {
  return class extends Scheme {
    override refusal (message?: string, request?: FastifyRequest) {
      return new VersionError('notFound', `${message} ${request?.url}`)
    }
  }
}
const Repeating = repeating(ApiVersionHeader)
const lateDefault = { header: 'X-Client', version: async () => 'v9' }

interface Repeated { says: string, options: VersioningOptions, version?: string, route?: object, message: string }

const repeateds: Repeated[] = [
  { says: 'a scheme', options: { scheme: Repeating }, version: 'v9', message: 'Invalid version. /' },
  { says: 'a list', options: { scheme: [HeaderVersioning, Repeating] }, version: 'v9', message: 'Invalid version. /' },
  { says: 'a list, by its first scheme,', options: { scheme: [Repeating] }, message: 'Invalid version. /' },
  {
    says: 'a scheme with a late default version',
    options: { scheme: Repeating, defaultVersion: lateDefault },
    message: 'Invalid version. /'
  },
  {
    says: 'a scheme of namespaces',
    options: { scheme: repeating(NamespaceVersioning) },
    message: 'Invalid version in URL path. Does not match any version namespace. /'
  },
  {
    says: 'a route that does not serve the version',
    options: { scheme: Repeating },
    version: 'v2',
    route: { version: 'v1' },
    message: 'This URL answers GET in v1. /'
  }
]

for (const { says, options, version, route = {}, message } of repeateds) {
  t.test(`the refusal of ${says} gets the message and the request`, async (t) => {
    const app = await appWith(t, { allowedVersions: ['v1', 'v2'], ...options })
    app.register(async (child) => { child.get('/', route, async () => '') }, { namespace: 'v9' })
    const headers = version === undefined ? {} : { 'x-api-version': version }
    t.match((await app.inject({ url: '/', headers })).json(), { statusCode: 404, message })
  })
}

for (const scheme of [BaseVersioning, new BaseVersioning()]) {
  t.test(`${scheme === BaseVersioning ? 'the class' : 'an instance of'} BaseVersioning answers 501`, async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'v1' })
    app.get('/probe', async () => '')
    const response = await app.inject('/probe')
    t.equal(response.statusCode, 501)
    t.same(response.json(), {
      statusCode: 501,
      code: 'FST_ERR_VERSION_NOT_IMPLEMENTED',
      error: 'Not Implemented',
      message: 'BaseVersioning.determine_version() must be implemented.'
    })
  })
}

class HalfDone extends BaseVersioning {}

interface Unimplemented { says: string, scheme: unknown, label: string, hint: string }

const unimplementeds: Unimplemented[] = [
  { says: 'a class', scheme: HalfDone, label: 'HalfDone', hint: '' },
  { says: 'an instance', scheme: new HalfDone(), label: 'HalfDone', hint: '' },
  {
    says: 'a class with determine_version()',
    scheme: class Pythonic extends BaseVersioning { determine_version () { return 'v1' } },
    label: 'Pythonic',
    hint: ', but determine_version()'
  },
  {
    says: 'a class with a field determineversion',
    scheme: class Low extends BaseVersioning { determineversion = () => 'v1' },
    label: 'Low',
    hint: ', but determineversion()'
  },
  {
    says: 'a class with ReadVersion() and a label',
    scheme: class Hj extends BaseVersioning {
      override readonly label = 'Labelled'
      ReadVersion () { return 'v1' }
    },
    label: 'Labelled',
    hint: ', but ReadVersion()'
  }
]

for (const { says, scheme, label, hint } of unimplementeds) {
  const why = `${label} has neither readVersion() nor determineVersion()${hint}.`

  t.test(`${says} that cannot determine a version is refused at registration`, async (t) => {
    await t.rejects(async () => appWith(t, { scheme: scheme as VersioningScheme }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: `Invalid "scheme": ${why}`
    })
  })
}

t.test('a scheme has the name of its class as its label, or another one', async (t) => {
  class Hj extends BaseVersioning {
    override readonly label = 'Labelled'
    override readVersion () { return 1 as never }
  }
  t.equal(new HalfDone().label, 'HalfDone')
  const app = await appWith(t, { scheme: Hj })
  app.get('/probe', async () => '')
  t.match((await app.inject('/probe')).json(), {
    message: 'Labelled.readVersion() must return a string, a list of strings, null or undefined.'
  })
})

const careless: Record<string, () => unknown> = {
  'a number': () => 5,
  'an object': () => ({}),
  'a promise': async () => 'v1',
  'a promise that rejects': async () => { throw new Error('not today') },
  'a list of numbers': () => [5]
}

for (const [says, readVersion] of Object.entries(careless)) {
  class Careless extends BaseVersioning {
    override readVersion () { return readVersion() as never }
  }

  t.test(`the error about ${says} from readVersion() has the name of the method`, async (t) => {
    const app = await appWith(t, { scheme: Careless, allowedVersions: ['v1'] })
    app.get('/plain', async () => '')
    app.get('/chosen', { version: 'v1' }, async () => '')
    for (const url of ['/plain', '/chosen']) {
      const { statusCode, body } = await app.inject(url)
      t.equal(statusCode, 500)
      t.match(JSON.parse(body), {
        code: 'FST_ERR_VERSION_INVALID',
        message: 'Careless.readVersion() must return a string, a list of strings, null or undefined.'
      })
    }
  })
}

t.test('the error about a number that determineVersion() passes to permit() has the name of the scheme', async (t) => {
  class Asking extends BaseVersioning {
    override determineVersion () { return this.permit(5 as never) }
  }
  const app = await appWith(t, { scheme: Asking })
  app.get('/', async () => '')
  t.match((await app.inject('/')).json(), {
    message: 'Asking.permit() must get a string, a list of strings, null or undefined.'
  })
})

t.test('reverse() uses the app of the request, then the app in the options, then the app of the scheme', async (t) => {
  const scheme = new BaseVersioning()
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

t.test('reverse() throws for a scheme that no app has registered', async (t) => {
  t.throws(() => new BaseVersioning().reverse('probe'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('reverse() of BaseVersioning refuses an unknown link option', async (t) => {
  class Formatted extends BaseVersioning {
    override readonly linkOptions = ['suffix']
  }
  for (const scheme of [new BaseVersioning(), new Formatted()]) {
    const server = await appWith(t, { scheme: null })
    server.get('/probe', { name: 'probe' }, async () => '')
    await server.ready()
    t.throws(() => scheme.reverse('probe', { server, colour: 'red' } as ReverseOptions), {
      code: 'FST_ERR_REVERSE_OPTION', message: /'colour'/
    })
    const suffixed = () => scheme.reverse('probe', { server, suffix: '.json' } as ReverseOptions)
    if (scheme instanceof Formatted) t.equal(suffixed(), '/probe')
    else t.throws(suffixed, { code: 'FST_ERR_REVERSE_OPTION', message: /'suffix'/ })
  }
})

t.test('a link whose version is neither a string nor null is refused', async (t) => {
  class Looking extends ApiVersionHeader {
    override linkVersion () { return Promise.reject(new Error('late')) as never }
  }
  const scheme = new Looking()
  const server = await appWith(t, { scheme })
  server.get('/probe', { name: 'probe' }, async () => '')
  await server.ready()
  t.throws(() => scheme.reverse('probe'), { code: 'FST_ERR_VERSION_INVALID' })
})

/** Hands to permit() what readVersion() returns, which is a list where the header has a comma. */
class Permitting extends HeaderVersioning {
  override determineVersion (request: FastifyRequest): string | null {
    return this.permit(this.readVersion(request))
  }
}

interface Permitted { header?: string, version?: string, statusCode?: number, code?: string }

const permitted: Permitted[] = [
  { version: 'v1' },
  { header: 'v2', version: 'v2' },
  { header: 'v2, v2', version: 'v2' },
  { header: ',', version: 'v1' },
  { header: 'v1,v2', statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS' },
  { header: 'v9,v9', statusCode: 400, code: 'FST_ERR_VERSION_NOT_SUPPORTED' }
]

for (const { header, version, ...refusal } of permitted) {
  t.test(`permit() makes ${version ?? refusal.code} of ${header ?? 'a missing header'}`, async (t) => {
    const app = await appWith(t, { scheme: Permitting, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    app.get('/', async (request) => ({ version: request.version }))
    const headers = header === undefined ? {} : { 'api-version': header }
    t.match((await app.inject({ url: '/', headers })).json(), version === undefined ? refusal : { version })
  })
}

t.test('a version that is refused by resolveVersion never gets the default version', async (t) => {
  const settings = {
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    resolveVersion: (version: string) => version === 'v2' ? 'v2' : null
  }
  for (const scheme of [HeaderVersioning, Permitting, [HeaderVersioning]]) {
    const app = await appWith(t, { ...settings, scheme })
    app.get('/', async (request) => ({ version: request.version }))
    app.get('/chosen', { version: ['v1', 'v2'] }, async (request) => ({ version: request.version }))
    for (const url of ['/', '/chosen']) {
      const ask = async (version: string) => (await app.inject({ url, headers: { 'api-version': version } })).json()
      t.match(await ask('v1'), { code: 'FST_ERR_VERSION_NOT_SUPPORTED' })
      t.match(await ask('v1, v1'), { code: 'FST_ERR_VERSION_NOT_SUPPORTED' })
      t.same(await ask('v2, v2'), { version: 'v2' })
    }
  }
})

/** Each reads `v1` from everywhere, and overrides determineVersion() in its own way. */
class Read extends BaseVersioning {
  override readVersion (_request: RawRequest | FastifyRequest) { return 'v1' }
}
class Overridden extends Read {
  override determineVersion () { return this.permit('v1') }
}

for (const scheme of [Overridden, [HeaderVersioning, Overridden]]) {
  const label = Array.isArray(scheme) ? `a list with ${Overridden.name}` : scheme.name
  t.test(`${label}, which only overrides determineVersion(), is served by the route of its version`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
    app.get('/', { version: 'v1' }, async (request) => request.version)
    app.get('/', { version: 'v2' }, async (request) => request.version)
    t.equal((await app.inject('/')).body, 'v1')
  })
}

const { determineVersion, isAllowedVersion, reverse } = BaseVersioning.prototype

const others: [says: string, scheme: unknown][] = [
  ['a plain object', { determineVersion, isAllowedVersion, reverse }],
  ['a class that extends nothing', class Own { determineVersion () { return 'v1' } }],
  ['a name', 'HeaderVersioning']
]

for (const [says, scheme] of others) {
  t.test(`${says} is not a scheme`, async (t) => {
    const expected = 'a class that extends BaseVersioning, an instance of one, or a list of them'
    await t.rejects(async () => appWith(t, { scheme: scheme as never }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: `Invalid "scheme": expected ${expected}, or null, got `
    })
    const app = await appWith(t)
    t.throws(() => app.get('/', { versioning: scheme as never }, async () => ''), {
      code: 'FST_ERR_VERSIONING_OPTION', message: `Invalid "versioning": expected ${expected}, or false, got `
    })
  })
}

t.test('a scheme of another copy of the package is refused with the reason', async (t) => {
  // It has what the other copy marks its classes with.
  class Copy {}
  Object.assign(Copy.prototype, { [Symbol.for('fastify-versioning.scheme')]: true })
  for (const scheme of [Copy, new Copy(), class Extending extends Copy {}]) {
    await t.rejects(async () => appWith(t, { scheme: scheme as never }), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: /^Invalid "scheme": .+ extends BaseVersioning of another copy of fastify-versioning\. Install /
    })
  }
})

const fields = [
  'defaultVersion', 'allowedVersions', 'versionParam', 'versionHeader', 'mediaTypes', 'resolveVersion', 'label',
  'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting'
]

for (const name of fields) {
  t.test(`an accessor for ${name} is refused`, async (t) => {
    class Computing extends HeaderVersioning {}
    Object.defineProperty(Computing.prototype, name, { get: () => null, configurable: true })
    class Further extends Computing {}
    const error = { code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`^Invalid "${name}": expected a field of `) }
    for (const Scheme of [Computing, Further]) {
      t.throws(() => new Scheme(), error)
      await t.rejects(async () => appWith(t, { scheme: Scheme }), error)
    }
    const scheme = Object.defineProperty(new HeaderVersioning(), name, { get: () => null })
    await t.rejects(async () => appWith(t, { scheme }), error)
  })
}

t.test('a child context that gives no setting of the scheme has the scheme of its parent', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('/', { version: 'v1' }, async ({ version }) => version)
  app.register(async (child) => {
    await child.register(versioning, { lifecycle: { v2: { deprecated: '2020-01-01' } }, allowedVersions: undefined })
    child.get('/', { version: 'v2' }, async ({ version }) => version)
  })
  t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).body, 'v1')
  const response = await app.inject({ url: '/', headers: { 'api-version': 'v2' } })
  t.equal(response.body, 'v2')
  t.ok('deprecation' in response.headers)
})

interface Misplaced { field: string, value: unknown, expected: string }

const misplaced: Misplaced[] = [
  {
    field: 'refusalKind',
    value: 'forbidden',
    expected: 'one of notFound, notAcceptable, notSupported, unsupportedMediaType, ambiguous, gone'
  },
  { field: 'linkPlace', value: 'nope', expected: 'one of path, namespace, query, host, nowhere' },
  { field: 'linkPlace', value: undefined, expected: 'one of path, namespace, query, host, nowhere' },
  { field: 'linkPlace', value: 'host', expected: 'a scheme that extends HostNameVersioning' },
  ...['tenant', {}, { in: 'path', name: 'v' }, { in: 'query' }, { in: 'query', name: '' }, ['query', 'v'], undefined]
    .map((value) => ({
      field: 'parameter', value, expected: "{ in, name } with 'query', 'header' or 'cookie' as in, or null"
    }))
]

for (const { field, value, expected } of misplaced) {
  t.test(`${show(value)} as ${field} of a scheme is refused`, async (t) => {
    class Misplaced extends BaseVersioning {
      override readVersion () { return 'v1' }
    }
    Object.assign(Misplaced.prototype, { [field]: value })
    await t.rejects(async () => appWith(t, { scheme: Misplaced }), {
      code: 'FST_ERR_VERSIONING_OPTION',
      message: new RegExp(`^Invalid "${field}": expected ${expected.replace(/[{}]/g, '\\$&')}, got `)
    })
  })
}

const taken: Record<string, typeof BaseVersioning | BaseVersioning> = {
  allows: class Helping extends HeaderVersioning { override allows () { return true } },
  find: new class Finding extends URLPathVersioning { override find = () => 'v1' }(),
  members: class Below extends (class Above extends BaseVersioning {
    override readVersion () { return 'v1' }
    override readonly members = []
  }) {}
}

for (const [name, scheme] of Object.entries(taken)) {
  t.test(`a scheme with its own member ${name} is refused, because the plugin has one of this name`, async (t) => {
    await t.rejects(async () => appWith(t, { scheme }), {
      code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`^Invalid "${name}": expected another name for a member `)
    })
  })
}

t.test('an instance that has been used, and the list of a request, can be registered again', async (t) => {
  const scheme = new HeaderVersioning({ allowedVersions: ['v1'] })
  for (const given of [scheme, [scheme]]) {
    const app = await appWith(t, { scheme: given })
    app.get('/', async ({ versioningScheme }) => {
      const other = await appWith(t, { scheme: versioningScheme })
      other.get('/', async ({ version }) => version)
      return (await other.inject({ url: '/', headers: { 'api-version': 'v1' } })).body
    })
    t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).body, 'v1')
  }
})

for (const parameter of [null, { in: 'cookie', name: 'v' }, { in: 'query', get name () { return 'v' } }]) {
  t.test(`${show(parameter)} as parameter of a scheme is taken`, async (t) => {
    class Placed extends BaseVersioning {
      override readonly parameter = parameter as VersionParameter | null
      override readVersion () { return 'v1' }
    }
    await t.resolves(async () => appWith(t, { scheme: Placed }))
  })
}

for (const [settings, option] of [
  [{ allowdVersions: ['v1'] }, 'allowdVersions'], [{ versionheader: 'X' }, 'versionheader'], ['v1', 'settings'],
  [null, 'settings']
] as const) {
  t.test(`an instance with the settings ${show(settings)} is refused, which names ${option}`, async (t) => {
    t.throws(() => new HeaderVersioning(settings as object), {
      code: 'FST_ERR_VERSIONING_OPTION', message: new RegExp(`^Invalid "${option}": `)
    })
  })
}
