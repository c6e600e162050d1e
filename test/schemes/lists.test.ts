import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, VersionError, routeTypes
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { differing } from '../fixtures/places.ts'
import { Cookie, settings, tell } from './lists.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'

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
  { says: 'a number', list: [7], message: /^Invalid "OPTION\.0": expected a class that extends .+, got 7/ },
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
  t.equal(message, differing(['the "X-One" header', 'the "X-Two" header'], settings.allowedVersions))
})

t.test('a list that is written again is the same one', async (t) => {
  const app = await appWith(t, settings)
  const list = [HeaderVersioning, QueryParameterVersioning]
  app.get('/', { version: 'v1', versioning: list }, tell)
  app.get('/', { version: 'v2', versioning: [...list] }, tell)
  t.equal(await versionOf(app, '/?version=v1'), 'v1')
  const other = await appWith(t, settings)
  other.get('/', { version: 'v1', versioning: list }, tell)
  other.get('/', { version: 'v2', versioning: list.toReversed() }, tell)
  await t.rejects(async () => other.ready(), { code: OPTION })
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

t.test('the message of an ambiguity has the label or the place of a custom scheme', async (t) => {
  class Told extends Cookie {
    override readonly placeText = 'cookie "version"'
  }
  for (const [Scheme, text] of [[Cookie, 'Cookie'], [Told, 'the cookie "version"']] as const) {
    const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, Scheme] })
    app.get('/', tell)
    t.equal(await versionOf(app, { url: '/', headers: { cookie: 'v1' } }), 'v1')
    const { message } = (await app.inject({ url: '/?version=v2', headers: { cookie: 'v1' } })).json()
    t.equal(message, differing(['the query parameter', text], settings.allowedVersions))
  }
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

const contradictions: [says: string, versions: [query: string, path: string]][] = [
  ['control characters', ['a\nb', 'c\0']],
  ['quotes', ["it's", '"x"']],
  ['long versions', ['x'.repeat(90), 'y'.repeat(41)]],
  ['half a surrogate pair', [`${'x'.repeat(39)}😀`, 'y']],
  ['an empty version', ['', 'v1']],
  ['names of what every object has', ['__proto__', 'constructor']]
]

for (const [says, versions] of contradictions) {
  t.test(`the message of an ambiguity repeats nothing of ${says}`, async (t) => {
    const app = await appWith(t, { scheme: [QueryParameterVersioning, URLPathVersioning] })
    app.get('/:version/', tell)
    const [query, path] = versions.map(encodeURIComponent)
    const response = await app.inject(`/${path}/?version=${query}`)
    t.equal(response.json().message, differing(['the query parameter', 'the URL path']))
    t.equal(response.json().code, 'FST_ERR_VERSION_AMBIGUOUS')
  })
}

t.test('a header that contradicts itself is ambiguous, whatever another place has', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.get('/', tell)
  const { code, message } = (await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v1, v2' } })).json()
  t.equal(code, 'FST_ERR_VERSION_AMBIGUOUS')
  t.equal(message, differing(['the query parameter', 'the "API-Version" header'], settings.allowedVersions))
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
