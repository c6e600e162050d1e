import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { differing } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type {
  LinkOptions, RawRequest, VersioningOptions, VersioningScheme, VersioningSource
} from '../../types/index.d.ts'

const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }
const three = { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1' }

/** A scheme of the user's. */
class Cookie extends BaseVersioning {
  override readonly vary: string | null = 'Cookie'
  override readVersion ({ headers }: RawRequest | FastifyRequest): string | null {
    return headers.cookie ?? null
  }
}

/** A handler that shows the version, and the link to its own route. */
async function tell (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return { version: request.version, self: reply.reverse() }
}

const OPTION = 'FST_ERR_VERSIONING_OPTION'

class Unread extends BaseVersioning {
  override determineVersion () { return 'v1' }
}

async function versionOf (app: FastifyInstance, request: InjectOptions | string): Promise<unknown> {
  return (await app.inject(request)).json().version
}

interface Wrong { says: string, list: unknown, message: RegExp }

const wrong: Wrong[] = [
  { says: 'an empty list', list: [], message: /expected at least one scheme, got \[\]/ },
  { says: 'a list in a list', list: [HeaderVersioning, [QueryParameterVersioning]], message: /^Invalid "OPTION\.1": / },
  {
    says: 'a class twice',
    list: [HeaderVersioning, QueryParameterVersioning, HeaderVersioning],
    message: /^Invalid "OPTION": it has HeaderVersioning twice with the same settings\./
  },
  {
    says: 'a class, and an instance with its settings',
    list: [HeaderVersioning, new HeaderVersioning(settings)],
    message: /twice with the same settings/
  },
  { says: 'null', list: [HeaderVersioning, null], message: /^Invalid "OPTION\.1": .+, got null/ },
  { says: 'a number', list: [7], message: /^Invalid "OPTION\.0": expected a class that extends .+, got 7/ },
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

t.test('Vary of a list has each header once', async (t) => {
  class Own extends Cookie {
    override readonly vary = 'Accept'
  }
  const scheme = [AcceptHeaderVersioning, HeaderVersioning, Own, QueryParameterVersioning]
  const app = await appWith(t, { ...settings, scheme, versionHeader: 'X-V' })
  app.get('/', tell)
  t.equal((await app.inject('/')).headers.vary, 'Accept, X-V')
})

t.test('a usage event has the place that specifies the version', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/', tell)
  const headers = { 'api-version': 'v1' }
  for (const request of [
    { url: '/', headers }, { url: '/?version=v1' }, { url: '/?version=v1', headers }, { url: '/' },
    { url: '/?version=v9' }, { url: '/?version=v2', headers }
  ]) await app.inject(request)
  t.same(events.map(({ place, version, outcome }) => [place, version, outcome]), [
    ['header', 'v1', 'ok'], ['query', 'v1', 'ok'], ['header', 'v1', 'ok'], [null, 'v2', 'ok'],
    ['query', null, 'refused'], [null, null, 'refused']
  ])
  t.same(new Set(events.map(({ scheme }) => scheme)), new Set(['HeaderVersioning, QueryParameterVersioning']))
})

t.test('a list with a scheme that is known after routing chooses no handler', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, NamespaceVersioning] })
  t.throws(() => app.get('/', { version: 'v1' }, tell), {
    code: OPTION, message: /^Invalid "version": expected none, because under NamespaceVersioning the version is /
  })
})

t.test('a list may be the scheme of an app, of a context, of a child that inherits it, or of a route', async (t) => {
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, settings)
  const seen: (VersioningScheme | null)[] = []
  const handler = async ({ version, versioningScheme }: FastifyRequest) => {
    seen.push(versioningScheme)
    return { version }
  }
  app.get('/route', { versioning: scheme }, handler)
  app.register(async (context) => {
    await context.register(versioning, { scheme })
    context.get('/context', handler)
    context.register(async (child) => {
      await child.register(versioning, { allowedVersions: ['v3', 'v1'] })
      child.get('/child', handler)
    })
  })
  for (const url of ['/route', '/context', '/child']) {
    t.equal(await versionOf(app, { url, headers: { 'api-version': 'v1' } }), 'v1')
    t.equal(await versionOf(app, `${url}?version=v1`), 'v1')
    t.equal((await app.inject(`${url}?version=v9`)).statusCode, 404)
  }
  t.same(seen[0]?.schemes?.map(({ constructor }) => constructor), scheme)
  t.equal(seen[0], seen[1], 'one object for each context')
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
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, Latest] })
  app.get('/b', async ({ version }) => version)
  t.equal((await app.inject('/b?version=latest')).body, 'v3')
})

t.test('a version that a proxy has changed is refused by the scheme that read it', async (t) => {
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, HostNameVersioning] }, { trustProxy: true })
  for (const version of ['v1', 'v2']) app.get('/b', { version }, async () => version)
  const response = await app.inject({ url: '/b', headers: { host: 'a.b', 'x-forwarded-host': 'v2.a.b' } })
  t.match(response.json(), { statusCode: 404, message: 'Invalid version in hostname.' })
})

t.test('a member of a list refuses a request that no version-neutral route takes', async (t) => {
  class Failing extends HeaderVersioning {
    override isAllowedVersion (): boolean { throw new Error('broken') }
  }
  const own = new QueryParameterVersioning({ allowedVersions: ['v1'] })
  const app = await appWith(t, { scheme: [own, Failing], allowedVersions: ['v1', 'v2'] })
  app.get('/a', { version: ['v1', 'v2'] }, async () => 'any')
  t.equal((await app.inject('/a?version=v2')).statusCode, 404)
  t.equal((await app.inject('/a?version=v1')).body, 'any')
  t.equal((await app.inject({ url: '/a', headers: { 'api-version': 'v1' } })).statusCode, 500)
})

/** What the scheme of a list answers to a request, where the query has versions that no other place has. */
async function askList (
  t: Test, request: InjectOptions | string, call: (list: VersioningScheme, request: FastifyRequest) => unknown
): Promise<unknown> {
  const own = new QueryParameterVersioning({ allowedVersions: ['v9'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/', async (request) => ({ answer: await call(request.versioningScheme as VersioningScheme, request) }))
  return (await app.inject(request)).json().answer
}

t.test('determineVersion() of a list throws where the request specifies different versions', async (t) => {
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const app = await appWith(t, { ...three, scheme })
  app.setErrorHandler(async (_error, request) => {
    t.throws(() => request.versioningScheme?.determineVersion(request), { code: 'FST_ERR_VERSION_AMBIGUOUS' })
    return 'handled'
  })
  app.get('/', async () => '')
  t.equal((await app.inject({ url: '/?version=v2', headers: { 'api-version': 'v1' } })).body, 'handled')
})

for (const { says, passed, code } of [
  { says: 'comes from the place that specifies the version', passed: true, code: 'FST_ERR_VERSION_NOT_FOUND' },
  { says: 'without a request comes from the first scheme', passed: false, code: 'FST_ERR_VERSION_NOT_SUPPORTED' }
]) {
  t.test(`refusal() of a list ${says}`, async (t) => {
    t.match(await askList(t, '/?version=v9', (list, request) => {
      const { code, message } = list.refusal?.('Mine.', passed ? request : undefined) as Error & { code: string }
      return { code, message }
    }), { code, message: 'Mine.' })
  })
}

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
    says: 'the query',
    request: { url: '/links?version=v1' },
    links: ['/items?version=v1', '/v1/old', '/items?version=v1']
  },
  {
    says: 'the path, where the request has none',
    request: { url: '/links' },
    links: ['/v2/items', '/v2/old', '/v1/items']
  }
]

for (const { says, request, links } of linkings) {
  t.test(`links of a list have the version in ${says}`, async (t) => {
    const app = await moving(t, { scheme: [HeaderVersioning, URLPathVersioning, QueryParameterVersioning] })
    t.same((await app.inject(request)).json(), links)
  })
}

t.test('a link that no scheme of a list can make fails with the error of the first', async (t) => {
  const app = await moving(t, { scheme: [NamespaceVersioning, URLPathVersioning] })
  await app.ready()
  t.throws(() => app.reverse('nothing'), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /^No route is named 'nothing'/ })
  t.throws(() => app.reverse('old'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('items', null, { verison: 'v1' } as never), {
    code: 'FST_ERR_REVERSE_OPTION', message: /version/
  })
})

t.test('an error that a scheme throws is not hidden by a link of the next one', async (t) => {
  class Failing extends Cookie {
    override reverse (): string { throw new TypeError('broken') }
  }
  const app = await moving(t, { scheme: [Failing, QueryParameterVersioning] })
  app.get('/failing', async (_request, reply) => reply.reverse('items'))
  t.match((await app.inject('/failing')).json(), { statusCode: 500, message: 'broken' })
})

t.test('a scheme of a list takes its own link options', async (t) => {
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
    says: 'in the path, where the query has one as well',
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
    says: 'in the namespace, where the query has one as well',
    scheme: [QueryParameterVersioning, NamespaceVersioning],
    at: '/ns-v1/items?version=v1',
    link: '/ns-v2/items'
  },
  {
    says: 'in the path and not in a header',
    scheme: [HeaderVersioning, URLPathVersioning],
    at: '/v1/old',
    link: /^The current route, '.+', has no URL for { version: 'v2' }/
  },
  {
    says: 'nowhere, where the path has no place for it',
    scheme: [URLPathVersioning, HeaderVersioning],
    at: '/items',
    header: 'v1',
    link: "The current route, '/items', has no URL that specifies the version 'v2'."
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
  t.test(`under ${list} a link has one version ${says}`, async (t) => {
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

async function links (_request: FastifyRequest, reply: FastifyReply) {
  return [reply.reverse(), reply.reverse(null, null, { version: 'v3' }), reply.reverse('b', null, { version: 'v3' })]
}

t.test('a link of a list has a version that the caller gives, wherever the request has its own', async (t) => {
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/b', { name: 'b' }, links)
  const response = await app.inject({ url: '/b', headers: { 'api-version': 'v2' } })
  t.same(response.json(), ['/b', '/b?version=v3', '/b?version=v3'])
})

t.test('a list makes no link by a scheme that does not allow the version', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v3'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/b', { name: 'b' }, async (_request, reply) => (
    [reply.reverse('b'), reply.reverse('b', null, { version: 'v3' })]
  ))
  t.same((await app.inject('/b')).json(), ['/b', '/b?v=v3'])
})
