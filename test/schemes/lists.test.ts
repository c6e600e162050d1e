import { inspect as show } from 'node:util'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { differing } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'
import { readingApp, versionIn } from './readings.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersionError } from '../../src/index.ts'
import type { LinkOptions, RawRequest, VersioningOptions, VersioningScheme } from '../../types/index.d.ts'

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

for (const [query, code] of [['x', 'FST_ERR_VERSION_NOT_SUPPORTED'], ['v1', 'FST_ERR_VERSION_AMBIGUOUS']] as const) {
  t.test(`x in a header, which no version is, and ${query} in the query are refused by ${code}`, async (t) => {
    const resolveVersion = (version: string) => version === 'x' ? null : version
    const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning], resolveVersion })
    app.get('/', tell)
    const response = await app.inject({ url: `/?version=${query}`, headers: { 'api-version': 'x' } })
    t.equal(response.json().code, code)
  })
}

t.test('a namespace in a list means itself: only what the client writes is resolved', async (t) => {
  const resolveVersion = (version: string) => version === 'v1' ? 'v2' : version
  for (const scheme of [[NamespaceVersioning, HeaderVersioning], [HeaderVersioning, NamespaceVersioning]]) {
    const app = await appWith(t, { scheme, allowedVersions: ['v1', 'v2'], resolveVersion })
    await app.register(async (v1) => { v1.get('/a', tell) }, { prefix: '/v1', namespace: 'v1' })
    t.same((await app.inject('/v1/a')).json(), { version: 'v1' })
    const { statusCode } = await app.inject({ url: '/v1/a', headers: { 'api-version': 'v2' } })
    t.equal(statusCode, 400)
  }
})

async function tell ({ version }: FastifyRequest): Promise<object> {
  return { version }
}

for (const [says, list, message] of [
  ['an empty list', [], /expected at least one scheme, got \[\]/],
  ['a list in a list', [HeaderVersioning, [QueryParameterVersioning]], /^Invalid "OPTION\.1": /],
  [
    'a class, and an instance with its settings',
    [HeaderVersioning, QueryParameterVersioning, new HeaderVersioning(settings)],
    /^Invalid "OPTION": it has HeaderVersioning twice with the same settings\./
  ],
  ['null', [HeaderVersioning, null], /^Invalid "OPTION\.1": expected a class that extends .+, got null/],
  ['null alone', [null], /^Invalid "OPTION\.0": expected a class that extends .+, got null/],
  ['false alone', [false], /^Invalid "OPTION\.0": expected a class that extends .+, got false/],
  ['a scheme that does not read', [Unread, HeaderVersioning], /^Invalid "OPTION\.0": .+ readVersion\(\), got /]
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
      for (const url of ['/', '/own', '/child']) t.equal(await versionIn(app, { url, headers: { host: 'a' } }), null)
    }
  })
}

t.test('a list that is written again is the same one, unless its order is another', async (t) => {
  const list = [HeaderVersioning, QueryParameterVersioning]
  for (const again of [[...list], list.toReversed()]) {
    const app = await appWith(t, settings)
    app.get('/', { version: 'v1', versioning: list }, tell)
    app.get('/', { version: 'v2', versioning: again }, tell)
    if (again[0] === list[0]) t.equal(await versionIn(app, '/?version=v1'), 'v1')
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

for (const [says, readVersion, isAllowed] of [
  ['reads a promise', async () => { throw new Error('no') }, true],
  ['reads a number', () => 1, true],
  ['allows by a promise', () => 'v1', Promise.resolve(true)]
] as const) {
  t.test(`a request for a list with a scheme that ${says} is answered 500`, async (t) => {
    class Broken extends Cookie {
      override readVersion () { return readVersion() as never }
      override isAllowedVersion () { return isAllowed as never }
    }
    const app = await readingApp(t, { ...settings, scheme: [Broken, QueryParameterVersioning] })
    t.match((await app.inject('/')).json(), { statusCode: 500, code: 'FST_ERR_VERSION_INVALID' })
  })
}

t.test('Vary of a list has each header once', async (t) => {
  class Own extends Cookie {
    override readonly vary = 'Accept'
  }
  const scheme = [AcceptHeaderVersioning, HeaderVersioning, Own, QueryParameterVersioning]
  const app = await readingApp(t, { ...settings, scheme, versionHeader: 'X-V' })
  t.equal((await app.inject('/')).headers.vary, 'Accept, X-V')
})

t.test('a usage event has the first place of two, or none if they specify different versions', async (t) => {
  const events = usageEvents(t)
  const app = await readingApp(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  for (const url of ['/?version=v1', '/?version=v2']) await app.inject({ ...byHeader, url })
  t.same(events.map(({ scheme, place, version, outcome }) => [scheme, place, version, outcome]), [
    ['HeaderVersioning, QueryParameterVersioning', 'header', 'v1', 'ok'],
    ['HeaderVersioning, QueryParameterVersioning', null, null, 'refused']
  ])
})

t.test('a list with a scheme that is known after routing chooses no handler', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, NamespaceVersioning] })
  t.throws(() => app.get('/', { version: 'v1' }, tell), {
    code: OPTION, message: /^Invalid "version": expected none, because under NamespaceVersioning the version is /
  })
})

t.test('a list may be the scheme of a context, of a child with its instances, or of a route', async (t) => {
  const scheme = [new HeaderVersioning({ allowedVersions: ['v1'] }), QueryParameterVersioning]
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
      await child.register(versioning, { allowedVersions: ['v3'], defaultVersion: null })
      child.get('/child', handler)
    })
  })
  for (const [url, query] of [['/route', 'v1'], ['/context', 'v1'], ['/child', 'v3']]) {
    t.equal(await versionIn(app, { ...byHeader, url }), 'v1')
    t.equal(await versionIn(app, `${url}?version=${query}`), query)
    t.equal((await app.inject(`${url}?version=v9`)).statusCode, 404)
  }
  t.equal((await app.inject('/child')).statusCode, 400)
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

t.test('a member of a list refuses a request that no version-neutral route takes', async (t) => {
  class Failing extends HeaderVersioning {
    override isAllowedVersion (): boolean { throw new Error('broken') }
  }
  const own = new QueryParameterVersioning({ allowedVersions: ['v1'] })
  const app = await appWith(t, { scheme: [own, Failing], allowedVersions: ['v1', 'v2'] })
  app.get('/', { version: ['v1', 'v2'] }, tell)
  t.equal((await app.inject('/?version=v2')).statusCode, 404)
  t.equal(await versionIn(app, '/?version=v1'), 'v1')
  t.equal((await app.inject(byHeader)).statusCode, 500)
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

async function moving (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
  const app = await appWith(t, { ...settings, ...options })
  const linking = async (_request: FastifyRequest, reply: FastifyReply) => (
    [reply.reverse('items'), reply.reverse('old'), reply.reverse('items', null, { version: 'v1' })]
  )
  for (const url of ['/links', '/:version/links']) app.get(url, linking)
  for (const url of ['/items', '/:version/items']) app.get(url, { name: 'items' }, tell)
  app.get('/:version/old', { name: 'old' }, tell)
  return app
}

for (const [place, request, links] of [
  ['the path', '/v1/links', ['/v1/items', '/v1/old', '/v1/items']],
  ['the header, if the route has such a URL', { ...byHeader, url: '/links' }, ['/items', '/v1/old', '/v1/items']],
  ['the query', '/links?version=v1', ['/items?version=v1', '/v1/old', '/items?version=v1']],
  ['the path, where the request has none', '/links', ['/v2/items', '/v2/old', '/v1/items']]
] as const) {
  t.test(`links of a list have the version in ${place}`, async (t) => {
    const app = await moving(t, { scheme: [HeaderVersioning, URLPathVersioning, QueryParameterVersioning] })
    t.same((await app.inject(request)).json(), links)
  })
}

t.test('a link that no scheme of a list can make fails with the error of the first', async (t) => {
  const app = await moving(t, { scheme: [NamespaceVersioning, URLPathVersioning] })
  await app.ready()
  t.throws(() => app.reverse('old'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('items', null, { verison: 'v1' } as never), { code: 'FST_ERR_REVERSE_OPTION' })
})

t.test('an error that a scheme throws is not hidden by a link of the next one', async (t) => {
  class Failing extends Cookie {
    override reverse (): string { throw new TypeError('broken') }
  }
  const app = await moving(t, { scheme: [Failing, QueryParameterVersioning] })
  t.match((await app.inject('/links')).json(), { statusCode: 500, message: 'broken' })
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

/** The link to the current route in v2, or the message of the error. */
for (const [says, scheme, request, link] of [
  ['in the path, not in the query', [QueryParameterVersioning, URLPathVersioning], '/v1/items?version=v1', '/v2/items'],
  [
    'in the host and in the query',
    [QueryParameterVersioning, HostNameVersioning],
    { url: '/items?version=v1', headers: { host: 'v1.example.com' } },
    'http://v2.example.com/items?version=v2'
  ],
  [
    'in the namespace, where the query has one as well',
    [QueryParameterVersioning, NamespaceVersioning],
    '/ns-v1/items?version=v1',
    '/ns-v2/items'
  ],
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

t.test('a list makes no link by a scheme that does not allow the version', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v3'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/', { name: 'b' }, async (_request, reply) => (
    [reply.reverse('b'), reply.reverse('b', null, { version: 'v3' })]
  ))
  t.same((await app.inject('/')).json(), ['/', '/?v=v3'])
})
