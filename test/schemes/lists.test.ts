import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, VersionError, routeTypes
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { Cookie, settings, tell } from './lists.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { VersioningOptions, VersioningScheme } from '../../types/index.d.ts'

const OPTION = 'FST_ERR_VERSIONING_OPTION'

class Unread extends BaseVersioning {
  override determineVersion () { return 'v1' }
}

async function versionOf (app: FastifyInstance, request: InjectOptions | string): Promise<unknown> {
  return (await app.inject(request)).json().version
}

const one = new HeaderVersioning()

interface Wrong { says: string, list: unknown, message: RegExp }

const wrong: Wrong[] = [
  { says: 'an empty list', list: [], message: /expected at least one scheme, got \[\]/ },
  { says: 'a list in a list', list: [HeaderVersioning, [QueryParameterVersioning]], message: /^Invalid "OPTION\.1": / },
  { says: 'an empty list in a list', list: [[]], message: /^Invalid "OPTION\.0": / },
  {
    says: 'a class twice',
    list: [HeaderVersioning, QueryParameterVersioning, HeaderVersioning],
    message: /^Invalid "OPTION": it has HeaderVersioning twice with the same settings\./
  },
  { says: 'an instance twice', list: [one, one], message: /twice with the same settings/ },
  { says: 'equal instances', list: [one, new HeaderVersioning()], message: /twice with the same settings/ },
  {
    says: 'a class, and an instance with its settings',
    list: [HeaderVersioning, new HeaderVersioning(settings)],
    message: /twice with the same settings/
  },
  { says: 'null', list: [HeaderVersioning, null], message: /^Invalid "OPTION\.1": .+, got null/ },
  { says: 'false', list: [false], message: /^Invalid "OPTION\.0": .+, got false/ },
  { says: 'undefined', list: [undefined], message: /^Invalid "OPTION\.0": .+, got undefined/ },
  { says: 'a number', list: [7], message: /^Invalid "OPTION\.0": expected the class or .+ versioning scheme, got 7/ },
  { says: 'a name', list: ['header'], message: /^Invalid "OPTION\.0": .+, got 'header'/ },
  { says: 'a scheme that does not read', list: [Unread], message: /^Invalid "OPTION\.0": .+ readVersion\(\), got / },
  { says: 'BaseVersioning', list: [BaseVersioning], message: /^Invalid "OPTION\.0": .+ readVersion\(\), got / }
]

for (const { says, list, message } of wrong) {
  t.test(`a list with ${says} is refused at boot`, async (t) => {
    const expected = (option: string) => ({
      code: OPTION, message: new RegExp(message.source.replace('OPTION', option))
    })
    await t.rejects(appWith(t, { ...settings, scheme: list as never }), expected('scheme'))
    const app = await appWith(t, settings)
    t.throws(() => app.get('/', { versioning: list as never }, tell), expected('versioning'))
  })
}

const headers = { 'x-one': 'v1', 'x-two': 'v2' }

t.test('a class may be twice in a list with different settings', async (t) => {
  const scheme = ['X-One', 'X-Two'].map((versionHeader) => new HeaderVersioning({ ...settings, versionHeader }))
  const app = await appWith(t, { ...settings, scheme })
  app.get('/', tell)
  t.equal(await versionOf(app, { url: '/', headers: { 'x-one': 'v1' } }), 'v1')
  t.equal(await versionOf(app, { url: '/', headers: { 'x-two': 'v1' } }), 'v1')
  const { message } = (await app.inject({ url: '/', headers })).json()
  const named = "'v1' in the \"X-One\" header, 'v2' in the \"X-Two\" header"
  t.equal(message, `The request specifies different versions: ${named}.`)
})

t.test('a list may hold one scheme', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning] })
  app.get('/', tell)
  t.equal(await versionOf(app, { url: '/', headers: { 'api-version': 'v1' } }), 'v1')
  t.equal(await versionOf(app, '/'), 'v2')
})

t.test('a list may be frozen, and modifying it later changes nothing', async (t) => {
  const list = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme: Object.freeze(list) })
  app.get('/', { versioning: list }, tell)
  t.equal(await versionOf(app, '/?version=v1'), 'v1')
})

t.test('a child context inherits the instances of a list with their settings', async (t) => {
  const scheme = [new HeaderVersioning({ versionHeader: 'X-One', allowedVersions: ['v1'] }), QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme })
  app.register(async (child) => {
    await child.register(versioning, { allowedVersions: ['v3'], defaultVersion: null })
    child.get('/', tell)
  })
  t.equal(await versionOf(app, { url: '/', headers: { 'x-one': 'v1' } }), 'v1')
  t.equal(await versionOf(app, '/?version=v3'), 'v3')
  t.equal((await app.inject('/?version=v1')).statusCode, 404)
  t.equal((await app.inject('/')).statusCode, 400)
})

t.test('contexts with the same list and the same settings share the scheme of the list', async (t) => {
  const seen = new Set<VersioningScheme | null>()
  const app = await appWith(t, settings)
  for (const url of ['/a', '/b']) {
    app.register(async (child) => {
      await child.register(versioning, { scheme: [HeaderVersioning, QueryParameterVersioning] })
      child.get(url, async (request) => { seen.add(request.versioningScheme) })
      child.get(`${url}/other`, { versioning: [QueryParameterVersioning, HeaderVersioning] }, async (request) => {
        seen.add(request.versioningScheme)
      })
    })
  }
  for (const url of ['/a', '/b']) await app.inject(url)
  t.equal(seen.size, 1)
  for (const url of ['/a/other', '/b/other']) await app.inject(url)
  t.equal(seen.size, 2)
})

t.test('the message of an ambiguity has the label or the place of a custom scheme', async (t) => {
  class Told extends Cookie {
    override readonly placeText = 'cookie "version"'
  }
  for (const [Scheme, text] of [[Cookie, 'Cookie'], [Told, 'the cookie "version"']] as const) {
    const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, Scheme] })
    app.get('/', tell)
    t.equal(await versionOf(app, { url: '/', headers: { cookie: 'v1' } }), 'v1')
    const { message } = (await app.inject({ url: '/?version=v2', headers: { cookie: 'v1' } })).json()
    t.equal(message, `The request specifies different versions: 'v2' in the query parameter, 'v1' in ${text}.`)
  }
})

t.test('a plain object may be a scheme of a list', async (t) => {
  const scheme: VersioningScheme = {
    defaultVersion: null,
    allowedVersions: ['v1'],
    versionParam: 'version',
    invalidVersionMessage: 'no',
    determineVersion ({ headers }) {
      if (headers.cookie !== 'v1') throw new VersionError('notFound', 'no')
      return 'v1'
    },
    isAllowedVersion: (version) => version === 'v1',
    readVersion: ({ headers }) => headers.cookie,
    reverse: () => '/own'
  }
  const app = await appWith(t, { ...settings, scheme: [scheme, QueryParameterVersioning] })
  app.get('/', { name: 'home' }, async (request, reply) => ({ version: request.version, self: reply.reverse('home') }))
  const own = await app.inject({ url: '/', headers: { cookie: 'v1' } })
  t.same(own.json(), { version: 'v1', self: '/own' })
  t.equal(own.headers.vary, undefined)
  t.same((await app.inject({ url: '/', headers: { cookie: 'v2' } })).json(), {
    statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Not Found', message: 'no'
  })
  t.same((await app.inject('/?version=v1')).json(), { version: 'v1', self: '/?version=v1' })
  t.same(app.namedRoutes.map(({ name, shortName }) => [name, shortName]), [['home', null]])
  t.throws(() => app.reverse('home', null, { xxxxxxxxxxxx: 1 } as never), {
    code: 'FST_ERR_REVERSE_OPTION',
    message: /The options are args, kwargs, request, server, version, query, hash, absolute, format\.$/
  })
})

interface Broken { says: string, scheme: typeof BaseVersioning }

const brokens: Broken[] = [
  {
    says: 'reads a promise',
    scheme: class Broken extends Cookie { override readVersion () { return Promise.reject(new Error('no')) as never } }
  },
  { says: 'reads a number', scheme: class Broken extends Cookie { override readVersion () { return 1 as never } } },
  {
    says: 'allows by a promise',
    scheme: class Broken extends Cookie {
      override readVersion () { return 'v1' }
      override isAllowedVersion () { return Promise.resolve(true) as never }
    }
  }
]

for (const { says, scheme } of brokens) {
  t.test(`a request for a list with a scheme that ${says} is answered 500`, async (t) => {
    const app = await appWith(t, { ...settings, scheme: [scheme, QueryParameterVersioning] })
    app.get('/', tell)
    const { statusCode, code } = (await app.inject('/')).json()
    t.same([statusCode, code], [500, 'FST_ERR_VERSION_INVALID'])
  })
}

interface Told { says: string, versions: string[], shown: string }

const tolds: Told[] = [
  { says: 'control characters', versions: ['a\nb', 'c\0'], shown: "'a\\nb' in the QUERY, 'c\\x00' in the PATH" },
  { says: 'quotes', versions: ["it's", '"x"'], shown: '"it\'s" in the QUERY, \'"x"\' in the PATH' },
  {
    says: 'long versions',
    versions: ['x'.repeat(90), 'y'.repeat(41)],
    shown: `'${'x'.repeat(40)}' in the QUERY, '${'y'.repeat(40)}' in the PATH`
  },
  {
    says: 'half a surrogate pair',
    versions: [`${'x'.repeat(39)}😀`, 'y'],
    shown: `'${'x'.repeat(39)}\\ud83d' in the QUERY, 'y' in the PATH`
  },
  { says: 'an empty version', versions: ['', 'v1'], shown: "'' in the QUERY, 'v1' in the PATH" },
  {
    says: 'names of what every object has',
    versions: ['__proto__', 'constructor'],
    shown: "'__proto__' in the QUERY, 'constructor' in the PATH"
  }
]

for (const { says, versions, shown } of tolds) {
  t.test(`the message of an ambiguity shows ${says}`, async (t) => {
    const app = await appWith(t, { scheme: [QueryParameterVersioning, URLPathVersioning] })
    app.get('/:version/', tell)
    const [query, path] = versions.map(encodeURIComponent)
    const response = await app.inject(`/${path}/?version=${query}`)
    const named = shown.replace('QUERY', 'query parameter').replace('PATH', 'URL path')
    t.equal(response.json().message, `The request specifies different versions: ${named}.`)
    t.equal(response.json().code, 'FST_ERR_VERSION_AMBIGUOUS')
  })
}

t.test('the message of an ambiguity shows at most four places', async (t) => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F']
  const scheme = names.map((versionHeader) => new HeaderVersioning({ versionHeader }))
  const app = await appWith(t, { scheme })
  app.get('/', tell)
  const ask = async (versions: string[]) => (await app.inject({
    url: '/', headers: Object.fromEntries(versions.map((version, i) => [names[i], version]))
  })).json().message
  const text = (...named: string[]) => `The request specifies different versions: ${named.join(', ')}.`
  t.equal(await ask(['1', '2', '3', '4', '5', '6']), text(
    "'1' in the \"A\" header", "'2' in the \"B\" header", "'3' in the \"C\" header", "'4' in the \"D\" header"
  ))
})

t.test('a header that contradicts itself is ambiguous, whatever another place has', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.get('/', tell)
  const { code, message } = (await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v1, v2' } })).json()
  t.equal(code, 'FST_ERR_VERSION_AMBIGUOUS')
  t.match(message, "'v1' in the \"API-Version\" header, 'v2' in the \"API-Version\" header")
})

t.test('an error handler gets the ambiguity as an error of its class, with the allowed versions', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler<VersionError>(async (error, request, reply) => {
    reply.code(error.statusCode)
    const { allowedVersions, statusCode } = error
    const { version } = request
    return { isAmbiguous: error instanceof VersionError, allowedVersions, statusCode, version }
  })
  app.get('/', tell)
  t.same((await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })).json(), {
    isAmbiguous: true, allowedVersions: ['v1', 'v2'], statusCode: 400, version: null
  })
})

t.test('an error handler makes links without a version if the request was ambiguous', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler(async (_error, _request, reply) => ({ self: reply.reverse('home') }))
  app.get('/', { name: 'home' }, tell)
  t.same((await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })).json(), { self: '/' })
})

t.test('an error handler makes links without a version if one place specifies two', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler(async (_error, _request, reply) => ({ self: reply.reverse('home') }))
  app.get('/', { name: 'home' }, tell)
  t.same((await app.inject({ url: '/', headers: { 'api-version': 'v1, v2' } })).json(), { self: '/' })
})

t.test('Vary of a list has each header once', async (t) => {
  class Own extends Cookie {
    override readonly vary = 'Accept'
  }
  const scheme = [AcceptHeaderVersioning, HeaderVersioning, Own, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme, versionHeader: 'X-V' })
  app.get('/', tell)
  t.equal((await app.inject('/')).headers.vary, 'Accept, X-V')
})

t.test('the types of routes have the parameter and the short names of the schemes of a list', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, NamespaceVersioning, URLPathVersioning] })
  app.get('/:version/items/:id', { name: 'item' }, tell)
  app.register(async (v1) => { v1.get('/list', { name: 'list' }, tell) }, { prefix: '/v1', namespace: 'v1' })
  await app.ready()
  const types = routeTypes(app)
  t.match(types, / item: \{ version\?: /)
  t.match(types, / list: /)
  t.match(app.namedRoutes, [{ name: 'item' }, { name: 'v1:list', shortName: 'list' }])
})

interface Warned { says: string, options: VersioningOptions, codes: string[] }

const lifecycle = { v1: { deprecated: '2026-01-01' } }
const warned: Warned[] = [
  { says: 'the path next to a header', options: { scheme: [URLPathVersioning, HeaderVersioning] }, codes: [] },
  { says: 'a namespace next to a header', options: { scheme: [NamespaceVersioning, HeaderVersioning] }, codes: [] },
  {
    says: 'HostNameVersioning with a lifecycle next to the query',
    options: { scheme: [QueryParameterVersioning, HostNameVersioning], lifecycle },
    codes: ['FST_WARN_VERSION_FORWARDED_HOST']
  },
  {
    says: 'a list with a lifecycle, but without HostNameVersioning,',
    options: { scheme: [QueryParameterVersioning, HeaderVersioning], lifecycle },
    codes: []
  },
  {
    says: 'a setting that one of the list reads',
    options: { scheme: [HostNameVersioning, HeaderVersioning], versionHeader: 'X-V' },
    codes: []
  },
  {
    says: 'a setting that none of the list reads',
    options: { scheme: [HostNameVersioning, QueryParameterVersioning], versionHeader: 'X-V' },
    codes: ['FST_WARN_VERSION_SETTING']
  },
  {
    says: 'a setting next to a scheme that may read any',
    options: { scheme: [HostNameVersioning, Cookie], versionHeader: 'X-V' },
    codes: []
  }
]

for (const { says, options, codes } of warned) {
  t.test(`${says} causes ${codes.join() || 'no warning'}`, async (t) => {
    const seen: unknown[] = []
    const note = (warning: Error & { code?: string }) => { seen.push(warning.code) }
    process.on('warning', note)
    t.teardown(() => process.off('warning', note))
    const app = await appWith(t, { ...settings, ...options }, { trustProxy: true })
    app.get('/', tell)
    await app.ready()
    await new Promise((resolve) => setImmediate(resolve))
    t.same(seen, codes)
  })
}
