import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning, VersionAmbiguousError, VersionNotFoundError, routeTypes
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type {
  LinkOptions, RawRequest, VersioningOptions, VersioningScheme, VersioningSource
} from '../../types/index.d.ts'

const OPTION = 'FST_ERR_VERSIONING_OPTION'
const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }

class Unread extends BaseVersioning {
  override determineVersion () { return 'v1' }
}

/** A scheme of the user's. */
class Cookie extends BaseVersioning {
  override readonly vary: string | null = 'Cookie'
  override readVersion ({ headers }: RawRequest | FastifyRequest): string | null {
    return headers.cookie ?? null
  }
}

async function tell (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return { version: request.version, self: reply.reverse() }
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

t.test('a list may be frozen, and changes nothing later', async (t) => {
  const list = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme: Object.freeze(list) })
  app.get('/', { versioning: list }, tell)
  t.equal(await versionOf(app, '/?version=v1'), 'v1')
})

t.test('a context below inherits instances with their settings', async (t) => {
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

t.test('contexts with the same list and the same settings share the scheme', async (t) => {
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

t.test('a scheme of the user is named by its label, or by what it says', async (t) => {
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

t.test('an object may be a scheme of a list', async (t) => {
  const scheme: VersioningScheme = {
    defaultVersion: null,
    allowedVersions: ['v1'],
    versionParam: 'version',
    invalidVersionMessage: 'no',
    determineVersion ({ headers }) {
      if (headers.cookie !== 'v1') throw new VersionNotFoundError('no')
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
    message: /It is none of args, kwargs, request, server, version, query, hash, absolute, format\.$/
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
  t.test(`a scheme of a list that ${says} is answered 500`, async (t) => {
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

t.test('the message of an ambiguity names four places at most, however many there are', async (t) => {
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

t.test('a header that contradicts itself is ambiguous, whatever another place says', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.get('/', tell)
  const { code, message } = (await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v1, v2' } })).json()
  t.equal(code, 'FST_ERR_VERSION_AMBIGUOUS')
  t.match(message, "'v1' in the \"API-Version\" header, 'v2' in the \"API-Version\" header")
})

t.test('an error handler sees the ambiguity as an error of its class, with the versions allowed', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler<VersionAmbiguousError>(async (error, request, reply) => {
    reply.code(error.statusCode)
    const { allowedVersions, statusCode } = error
    const { version } = request
    return { isAmbiguous: error instanceof VersionAmbiguousError, allowedVersions, statusCode, version }
  })
  app.get('/', tell)
  t.same((await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })).json(), {
    isAmbiguous: true, allowedVersions: ['v1', 'v2'], statusCode: 400, version: null
  })
})

t.test('an error handler may link where the request was ambiguous: without a version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler(async (_error, _request, reply) => ({ self: reply.reverse('home') }))
  app.get('/', { name: 'home' }, tell)
  t.same((await app.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })).json(), { self: '/' })
})

t.test('an error handler may link where one place names two versions: without a version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, HeaderVersioning] })
  app.setErrorHandler(async (_error, _request, reply) => ({ self: reply.reverse('home') }))
  app.get('/', { name: 'home' }, tell)
  t.same((await app.inject({ url: '/', headers: { 'api-version': 'v1, v2' } })).json(), { self: '/' })
})

t.test('Vary names each header once', async (t) => {
  class Own extends Cookie {
    override readonly vary = 'Accept'
  }
  const scheme = [AcceptHeaderVersioning, HeaderVersioning, Own, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme, versionHeader: 'X-V' })
  app.get('/', tell)
  t.equal((await app.inject('/')).headers.vary, 'Accept, X-V')
})

async function moving (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, { ...settings, ...options })
  app.get('/links', linking)
  app.get('/:version/links', linking)
  app.get('/items', { name: 'items' }, tell)
  app.get('/:version/items', { name: 'items' }, tell)
  app.get('/:version/old', { name: 'old' }, tell)
  return app
}

async function linking (_request: FastifyRequest, reply: FastifyReply): Promise<string[]> {
  return [reply.reverse('items'), reply.reverse('old'), reply.reverse('items', null, { version: 'v1' })]
}

interface Linking { says: string, request: InjectOptions, links: string[] }

const linkings: Linking[] = [
  { says: 'the path', request: { url: '/v1/links' }, links: ['/v1/items', '/v1/old', '/v1/items'] },
  {
    says: 'the header, unless the route has no other URL',
    request: { url: '/links', headers: { 'api-version': 'v1' } },
    links: ['/items', '/v1/old', '/v1/items']
  },
  {
    says: 'the path, where the header names it too',
    request: { url: '/v1/links', headers: { 'api-version': 'v1' } },
    links: ['/v1/items', '/v1/old', '/v1/items']
  },
  {
    says: 'the query',
    request: { url: '/links?version=v1' },
    links: ['/items?version=v1', '/v1/old', '/items?version=v1']
  },
  {
    says: 'the path, where it is named nowhere',
    request: { url: '/links' },
    links: ['/v2/items', '/v2/old', '/v1/items']
  }
]

for (const { says, request, links } of linkings) {
  t.test(`links carry the version in ${says}`, async (t) => {
    const app = await moving(t, { scheme: [HeaderVersioning, URLPathVersioning, QueryParameterVersioning] })
    t.same((await app.inject(request)).json(), links)
  })
}

t.test('a link outside a request carries a given version by the first scheme that can', async (t) => {
  const app = await moving(t, { scheme: [HeaderVersioning, QueryParameterVersioning, URLPathVersioning] })
  t.equal(app.reverse('items', null, { version: 'v1' }), '/items?version=v1')
  t.equal(app.reverse('old', null, { version: 'v1' }), '/v1/old')
  t.equal(app.reverse('items'), '/items')
})

t.test('where the host specifies no version, the next scheme carries the version of a link', async (t) => {
  const app = await moving(t, { scheme: [HostNameVersioning, QueryParameterVersioning], allowedVersions: null })
  app.get('/told', async (_request, reply) => reply.reverse('items', null, { version: 'v1' }))
  app.get('/dotted', async (_request, reply) => reply.reverse('items', null, { version: '1.0' }))
  const ask = async (url: string, host: string) => (await app.inject({ url, headers: { host } })).body
  t.equal(await ask('/told', 'v2.example.com'), 'http://v1.example.com/items')
  t.equal(await ask('/told', 'example.com'), '/items?version=v1')
  t.equal(await ask('/dotted', 'example.com'), '/items?version=1.0')
  t.equal(app.reverse('items', null, { version: 'v1' }), '/items?version=v1')
})

t.test('if the host specifies another version and cannot hold the version of a link, there is no link', async (t) => {
  const app = await moving(t, { scheme: [QueryParameterVersioning, HostNameVersioning], allowedVersions: null })
  app.get('/dotted', async (_request, reply) => reply.reverse('items', null, { version: '1.0' }))
  t.match((await app.inject({ url: '/dotted', headers: { host: 'v2.example.com' } })).json(), {
    code: 'FST_ERR_REVERSE_OPTION', message: /expected a version that fits into the host 'v2\.example\.com', got '1\.0'/
  })
})

t.test('a link that no scheme can make is the failure of the first', async (t) => {
  const app = await moving(t, { scheme: [NamespaceVersioning, URLPathVersioning] })
  await app.ready()
  t.throws(() => app.reverse('nothing'), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /^No route is named 'nothing'/ })
  t.throws(() => app.reverse('old'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('items', null, { verison: 'v1' } as never), {
    code: 'FST_ERR_REVERSE_OPTION', message: /version/
  })
})

t.test('another error of a scheme is the error of the link', async (t) => {
  class Failing extends Cookie {
    override readonly isInLinks = true
    override reverse (): string { throw new TypeError('broken') }
  }
  for (const scheme of [[Failing, URLPathVersioning], [URLPathVersioning, Failing]]) {
    const app = await moving(t, { scheme })
    await app.ready()
    t.throws(() => app.reverse(scheme[0] === Failing ? 'items' : 'nothing'), new TypeError('broken'))
  }
})

interface Thrown { says: string, thrown: unknown }

const throwns: Thrown[] = [
  { says: 'an error with another code', thrown: Object.assign(new Error('no'), { code: 'OTHER' }) },
  { says: 'a text', thrown: 'no' },
  { says: 'null', thrown: null },
  { says: 'undefined', thrown: undefined }
]

for (const { says, thrown } of throwns) {
  t.test(`what a scheme throws is not hidden by a link of the next one: ${says}`, async (t) => {
    class Failing extends Cookie {
      override readonly isInLinks = true
      override reverse (): string { throw thrown }
    }
    const app = await moving(t, { scheme: [Failing, QueryParameterVersioning] })
    app.get('/caught', async (_request, reply) => {
      try {
        return reply.reverse('items')
      } catch (error) {
        t.equal(error, thrown)
        return 'caught'
      }
    })
    t.equal((await app.inject('/caught')).body, 'caught')
  })
}

t.test('a link is made by the third scheme, where the first two cannot', async (t) => {
  const scheme = [HostNameVersioning, URLPathVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme })
  app.get('/plain', { name: 'plain' }, tell)
  await app.ready()
  t.equal(app.reverse('plain', null, { version: 'v1' }), '/plain?version=v1')
})

t.test('a link into no version has none in its query, wherever the request names its own', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/items', { name: 'items' }, async (_request, reply) => {
    return reply.reverse('items', null, { version: null, query: { version: 'v9', page: 2 } })
  })
  for (const headers of [{}, { 'api-version': 'v1' }]) {
    t.equal((await app.inject({ url: '/items', headers })).body, '/items?page=2')
  }
})

t.test('in a namespace a link to the current route in another version leads into the namespace of that', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, NamespaceVersioning] })
  for (const namespace of settings.allowedVersions) {
    app.register(async (versioned) => {
      versioned.get('/items', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
    }, { prefix: namespace, namespace })
  }
  t.equal((await app.inject('/v1/items')).body, '/v2/items')
})

t.test('where no place specifies the version, a link leads into the namespace of the default version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, NamespaceVersioning] })
  app.get('/', async (_request, reply) => reply.reverse('items'))
  app.get('/items', { name: 'items' }, tell)
  app.register(async (v2) => { v2.get('/items', { name: 'items' }, tell) }, { prefix: '/v2', namespace: 'v2' })
  t.equal((await app.inject('/')).body, '/v2/items')
})

/** An app, and the scheme of a list that it has registered. */
async function listed (t: Test, list: VersioningOptions['scheme']) {
  const server = await moving(t, { scheme: list })
  let scheme: VersioningScheme | null = null
  server.get('/own', async ({ versioningScheme }) => { scheme = versioningScheme })
  await server.inject('/own')
  return { scheme: scheme as unknown as VersioningScheme, server }
}

/** It can put the version into a link, and no request names it. */
class Unnamed extends BaseVersioning {
  override readonly isInLinks = true
  override readVersion (): string | null { return null }
  override reverse () { return '/unnamed' }
}

/** It can put the version into a link, and every request names it. */
class Always extends Unnamed {
  override readVersion () { return 'v1' }
  override reverse () { return '/always' }
}

t.test('a list asks where a version is named of a request alone that has come to the app', async (t) => {
  const { scheme, server } = await listed(t, [Unnamed, Always])
  for (const request of [null, undefined, { version: 'v1', server }]) {
    t.equal(scheme.reverse('items', { request }), '/unnamed')
  }
  const app = await appWith(t, { ...settings, scheme: [Unnamed, Always] })
  app.get('/', async (_request, reply) => reply.reverse('items'))
  t.equal((await app.inject('/')).body, '/always')
})

for (const list of [[NamespaceVersioning, URLPathVersioning], [URLPathVersioning, NamespaceVersioning]]) {
  t.test(`without a request there is no link to the current route under ${list.map(({ name }) => name)}`, async (t) => {
    const { scheme, server } = await listed(t, list)
    for (const request of [null, undefined]) {
      t.throws(() => scheme.reverse(null, { request, server, version: 'v1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    }
  })
}

t.test('a list makes no link to the current route where the request has none', async (t) => {
  const { scheme, server } = await listed(t, [URLPathVersioning, QueryParameterVersioning])
  const request = { version: 'v1', server }
  t.throws(() => scheme.reverse(null, { request }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a list names successors where a scheme of it says that links carry the version', async (t) => {
  class Marking extends Cookie {
    override reverse (...[name, options]: Parameters<Cookie['reverse']>): string {
      return `${super.reverse(name, options)}?v=${options?.version}`
    }
  }
  class Saying extends Marking {
    override readonly isInLinks = true
  }
  const linkOf = async (scheme: VersioningOptions['scheme']) => {
    const app = await appWith(t, { ...settings, scheme, lifecycle: { v1: { deprecated: '2020-01-01' } } })
    app.get('/items', tell)
    return (await app.inject({ url: '/items', headers: { cookie: 'v1' } })).headers.link
  }
  t.equal(await linkOf([Marking, HeaderVersioning]), undefined)
  t.match(await linkOf([Saying, HeaderVersioning]), /<\/items\?v=v2>; rel="successor-version"/)
})

t.test('a scheme of a list takes the link options of its own', async (t) => {
  class Formatted extends URLPathVersioning {
    override readonly linkOptions = ['suffix']
    override reverse (...[name, options]: Parameters<URLPathVersioning['reverse']>): string {
      return super.reverse(name, options) + String(Reflect.get({ ...options }, 'suffix') ?? '')
    }
  }
  const app = await moving(t, { scheme: [HeaderVersioning, Formatted] })
  await app.ready()
  t.equal(app.reverse('items', null, { suffix: '.json' } as LinkOptions), '/items.json')
})

t.test('a link to the route of a request comes back to it in the same version', async (t) => {
  const app = await moving(t, { scheme: [URLPathVersioning, QueryParameterVersioning, HeaderVersioning] })
  for (const url of ['/v1/items', '/items?version=v1', '/v1/old']) {
    const { body } = await app.inject(url)
    t.same(JSON.parse(body), { version: 'v1', self: url })
    t.equal((await app.inject(JSON.parse(body).self)).body, body)
  }
  const named = { url: '/items', headers: { 'api-version': 'v1' } }
  t.same((await app.inject(named)).json(), { version: 'v1', self: '/items' })
})

interface Single {
  says: string
  scheme: VersioningSource[]
  at: string
  host?: string
  header?: string
  /** The link to the current route in v2, or the message of the error. */
  link: string | RegExp
}

const singles: Single[] = [
  {
    says: 'in the path, where the query names one too',
    scheme: [QueryParameterVersioning, URLPathVersioning],
    at: '/v1/items?version=v1',
    link: '/v2/items'
  },
  {
    says: 'in the host and in the query',
    scheme: [QueryParameterVersioning, HostNameVersioning],
    at: '/items?version=v1',
    host: 'v1.example.com',
    link: 'http://v2.example.com/items?version=v2'
  },
  {
    says: 'in the host and in the path',
    scheme: [URLPathVersioning, HostNameVersioning],
    at: '/v1/items',
    host: 'v1.example.com',
    link: 'http://v2.example.com/v2/items'
  },
  {
    says: 'in the namespace, where the query names one too',
    scheme: [QueryParameterVersioning, NamespaceVersioning],
    at: '/ns-v1/items?version=v1',
    link: '/ns-v2/items'
  },
  {
    says: 'in the namespace after a header',
    scheme: [NamespaceVersioning, HeaderVersioning],
    at: '/items',
    header: 'v1',
    link: '/ns-v2/items'
  },
  {
    says: 'in the path and not in a header',
    scheme: [HeaderVersioning, URLPathVersioning],
    at: '/v1/old',
    link: /^The current route has no URL for { version: 'v2' }/
  },
  {
    says: 'nowhere, where the path has no place for it',
    scheme: [URLPathVersioning, HeaderVersioning],
    at: '/items',
    header: 'v1',
    link: "The current route has no URL that specifies the version 'v2'."
  },
  {
    says: 'nowhere, where no scheme allows it',
    scheme: [new QueryParameterVersioning({ allowedVersions: ['v1'] }), HeaderVersioning],
    at: '/items?version=v1',
    link: /^Invalid link option "version": expected one of \[ 'v1' \], or null, got 'v2'/
  }
]

for (const { says, scheme, at, host = 'example.com', header, link } of singles) {
  const list = scheme.map((one) => 'name' in one ? one.name : 'an instance')
  t.test(`under ${list} a link names one version ${says}`, async (t) => {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
    const routes = async (api: FastifyInstance) => {
      const into = async (_request: FastifyRequest, reply: FastifyReply) => reply.reverse(null, null, { version: 'v2' })
      api.get('/items', { name: 'items' }, into)
      api.get('/:version/items', into)
      api.get('/:version(^v1$)/old', into)
    }
    app.register(routes)
    for (const namespace of ['v1', 'v2']) app.register(routes, { prefix: `/ns-${namespace}`, namespace })
    const headers = { host, ...header && { 'api-version': header } }
    const response = await app.inject({ url: at, headers })
    if (typeof link === 'string' && response.statusCode === 200) t.equal(response.body, link)
    else t.match(response.json().message, link)
  })
}

t.test('a version that the caller writes into a name or a path is the version of the link', async (t) => {
  const scheme = [QueryParameterVersioning, NamespaceVersioning, URLPathVersioning, HostNameVersioning]
  const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })
  app.get('/items', { name: 'items' }, async (_request, reply) => [
    reply.reverse('v2:items'),
    reply.reverse('old', { version: 'v2' }),
    reply.reverse('items', null, { version: 'v2', query: { version: 'v9', page: 2 } }),
    reply.reverse('old', null, { version: 'v2', query: { version: 'v9', page: 2 } }),
    reply.reverse('items', null, { version: 'v2', absolute: true }),
    reply.reverse('outside')
  ])
  app.get('/:version/old', { name: 'old' }, tell)
  app.get('/outside', { name: 'outside', versioning: false }, tell)
  app.register(async (v2) => { v2.get('/items', { name: 'items' }, tell) }, { prefix: '/ns', namespace: 'v2' })
  const url = '/items?version=v1'
  t.same((await app.inject({ url, headers: { host: 'example.com' } })).json(), [
    '/ns/items', '/v2/old', '/items?version=v2&page=2', '/v2/old?version=v2&page=2',
    'http://example.com/items?version=v2', '/outside?version=v1'
  ])
  t.same((await app.inject({ url, headers: { host: 'v1.example.com' } })).json().slice(0, 2), [
    'http://v2.example.com/ns/items', 'http://v2.example.com/v2/old'
  ])
})

t.test('a subclass whose reverse goes on with super.reverse names one version in a list, too', async (t) => {
  class Marking extends QueryParameterVersioning {
    override reverse (...[name, options]: Parameters<QueryParameterVersioning['reverse']>): string {
      return `${super.reverse(name, { ...options, query: { a: 1 } })}&marked`
    }
  }
  const app = await appWith(t, { scheme: [Marking, HostNameVersioning], allowedVersions: ['v1', 'v2'] })
  app.get('/items', { name: 'items' }, async (_request, reply) => reply.reverse('items', null, { version: 'v2' }))
  const ask = async (host: string) => (await app.inject({ url: '/items?version=v1', headers: { host } })).body
  t.equal(await ask('example.com'), '/items?a=1&version=v2&marked')
  t.equal(await ask('v1.example.com'), 'http://v2.example.com/items?a=1&version=v2&marked')
})

t.test('a link that no place can name is refused by its name', async (t) => {
  const { scheme, server } = await listed(t, [HostNameVersioning, HeaderVersioning])
  const request = { version: 'v1', server, host: 'example.com' }
  t.throws(() => scheme.reverse('items', { request }), {
    code: 'FST_ERR_NO_REVERSE_MATCH', message: "Route 'items' has no URL that specifies the version 'v1'."
  })
  t.equal(scheme.reverse('items', { request: { ...request, version: 'v2' } }), '/items')
})

t.test('the version moves from namespaces to a header', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [NamespaceVersioning, HeaderVersioning] })
  const routes = async (context: FastifyInstance) => { context.get('/items', { name: 'items' }, named) }
  const named = async (request: FastifyRequest, reply: FastifyReply) => [request.version, reply.reverse('items')]
  app.register(routes)
  for (const namespace of ['v1', 'v2', 'v9']) app.register(routes, { prefix: `/${namespace}`, namespace })
  const ask = async (url: string, version?: string) => (
    (await app.inject({ url, headers: version === undefined ? {} : { 'api-version': version } })).json()
  )
  t.same(await ask('/v1/items'), ['v1', '/v1/items'])
  t.same(await ask('/items', 'v1'), ['v1', '/items'])
  t.same(await ask('/items'), ['v2', '/v2/items'])
  t.equal((await ask('/v1/items', 'v2')).code, 'FST_ERR_VERSION_AMBIGUOUS')
  t.equal((await ask('/v9/items')).message, 'Invalid version in URL path. Does not match any version namespace.')
  t.equal((await ask('/v9/items', 'v1')).code, 'FST_ERR_VERSION_AMBIGUOUS')
})

t.test('a route of a namespace ends in its own version alone', async (t) => {
  const scheme = [NamespaceVersioning, HeaderVersioning]
  const app = await appWith(t, { ...settings, scheme, reportVersions: true })
  const deprecated = { deprecated: '2026-01-01' }
  app.get('/items', { deprecated }, tell)
  for (const namespace of settings.allowedVersions) {
    app.register(async (context) => { context.get('/items', { deprecated }, tell) }, { prefix: namespace, namespace })
  }
  const report = async (url: string, version?: string) => {
    const { headers } = await app.inject({ url, headers: version === undefined ? {} : { 'api-version': version } })
    return headers['api-deprecated-versions']
  }
  t.equal(await report('/v1/items'), 'v1')
  t.equal(await report('/v2/items'), 'v2')
  t.equal(await report('/v1/items', 'v2'), 'v1')
  t.equal(await report('/items', 'v1'), 'v1, v2')
  t.equal(await report('/items'), 'v1, v2')
})

t.test('the types of routes know the parameter and the short names of the schemes of a list', async (t) => {
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
  { says: 'namespaces next to a header', options: { scheme: [NamespaceVersioning, HeaderVersioning] }, codes: [] },
  {
    says: 'HostNameVersioning next to the query, with a lifecycle',
    options: { scheme: [QueryParameterVersioning, HostNameVersioning], lifecycle },
    codes: ['FST_WARN_VERSION_FORWARDED_HOST']
  },
  {
    says: 'a list without HostNameVersioning, with a lifecycle',
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
  t.test(`${says} ${codes.length === 0 ? 'warns of nothing' : `warns: ${codes}`}`, async (t) => {
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
