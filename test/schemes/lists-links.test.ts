import t from 'tap'

import {
  BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { Cookie, settings, tell } from './lists.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, VersioningOptions, VersioningScheme, VersioningSource } from '../../types/index.d.ts'

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
    says: 'the path, where the header has it as well',
    request: { url: '/v1/links', headers: { 'api-version': 'v1' } },
    links: ['/v1/items', '/v1/old', '/v1/items']
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

t.test('a link outside a request has a given version by the first scheme that can write it', async (t) => {
  const app = await moving(t, { scheme: [HeaderVersioning, QueryParameterVersioning, URLPathVersioning] })
  t.equal(app.reverse('items', null, { version: 'v1' }), '/items?version=v1')
  t.equal(app.reverse('old', null, { version: 'v1' }), '/v1/old')
  t.equal(app.reverse('items'), '/items')
})

t.test('the next scheme writes the version of a link where the host specifies none', async (t) => {
  const app = await moving(t, { scheme: [HostNameVersioning, QueryParameterVersioning], allowedVersions: null })
  app.get('/told', async (_request, reply) => reply.reverse('items', null, { version: 'v1' }))
  app.get('/dotted', async (_request, reply) => reply.reverse('items', null, { version: '1.0' }))
  const ask = async (url: string, host: string) => (await app.inject({ url, headers: { host } })).body
  t.equal(await ask('/told', 'v2.example.com'), 'http://v1.example.com/items')
  t.equal(await ask('/told', 'example.com'), '/items?version=v1')
  t.equal(await ask('/dotted', 'example.com'), '/items?version=1.0')
  t.equal(app.reverse('items', null, { version: 'v1' }), '/items?version=v1')
})

t.test('there is no link if the host has another version and cannot have the version of the link', async (t) => {
  const app = await moving(t, { scheme: [QueryParameterVersioning, HostNameVersioning], allowedVersions: null })
  app.get('/dotted', async (_request, reply) => reply.reverse('items', null, { version: '1.0' }))
  t.match((await app.inject({ url: '/dotted', headers: { host: 'v2.example.com' } })).json(), {
    code: 'FST_ERR_REVERSE_OPTION', message: /expected a version that fits into the host 'v2\.example\.com', got '1\.0'/
  })
})

t.test('a link that no scheme of a list can make fails with the error of the first', async (t) => {
  const app = await moving(t, { scheme: [NamespaceVersioning, URLPathVersioning] })
  await app.ready()
  t.throws(() => app.reverse('nothing'), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /^No route is named 'nothing'/ })
  t.throws(() => app.reverse('old'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.throws(() => app.reverse('items', null, { verison: 'v1' } as never), {
    code: 'FST_ERR_REVERSE_OPTION', message: /version/
  })
})

t.test('a path of a namespace may have the version a second time', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [NamespaceVersioning, URLPathVersioning] })
  app.register(async (v1) => {
    v1.get('/:version/bookings/:id', { name: 'booking' }, async (_request, reply) => [
      reply.reverse('booking', { id: 7 }), reply.reverse('v1:booking', { id: 7, version: 'v1' })
    ])
  }, { prefix: '/v1', namespace: 'v1' })
  t.same((await app.inject('/v1/v1/bookings/1')).json(), ['/v1/v1/bookings/7', '/v1/v1/bookings/7'])
})

t.test('a link to a route of a namespace needs all of its parameters', async (t) => {
  const app = await appWith(t, { ...settings, scheme: NamespaceVersioning })
  app.register(async (v1) => {
    v1.get('/bookings/:id', { name: 'booking' }, async (_request, reply) => reply.reverse('booking'))
  }, { prefix: '/v1', namespace: 'v1' })
  t.match((await app.inject('/v1/bookings/1')).json(), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /'v1:booking'/ })
})

t.test('any other error of a scheme of a list is the error of the link', async (t) => {
  class Failing extends Cookie {
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
  t.test(`${says} that a scheme throws is not hidden by a link of the next one`, async (t) => {
    class Failing extends Cookie {
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

t.test('a link into no version has none in its query, wherever the request has its own', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/items', { name: 'items' }, async (_request, reply) => {
    return reply.reverse('items', null, { version: null, query: { version: 'v9', page: 2 } })
  })
  for (const headers of [{}, { 'api-version': 'v1' }]) {
    t.equal((await app.inject({ url: '/items', headers })).body, '/items?page=2')
  }
})

t.test('a link to the current route in another version leads into the namespace of that version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [QueryParameterVersioning, NamespaceVersioning] })
  for (const namespace of settings.allowedVersions) {
    app.register(async (versioned) => {
      versioned.get('/items', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
    }, { prefix: namespace, namespace })
  }
  t.equal((await app.inject('/v1/items')).body, '/v2/items')
})

t.test('a link leads into the namespace of the default version where no place specifies one', async (t) => {
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
  override readVersion (): string | null { return null }
  override reverse () { return '/unnamed' }
}

/** It can put the version into a link, and every request names it. */
class Always extends Unnamed {
  override readVersion () { return 'v1' }
  override reverse () { return '/always' }
}

t.test('a list only determines the place of the version for requests that came to the app', async (t) => {
  const { scheme, server } = await listed(t, [Unnamed, Always])
  for (const request of [null, undefined, { version: 'v1', server }]) {
    t.equal(scheme.reverse('items', { request }), '/unnamed')
  }
  const app = await appWith(t, { ...settings, scheme: [Unnamed, Always] })
  app.get('/', async (_request, reply) => reply.reverse('items'))
  t.equal((await app.inject('/')).body, '/always')
})

for (const list of [[NamespaceVersioning, URLPathVersioning], [URLPathVersioning, NamespaceVersioning]]) {
  t.test(`there is no link to the current route outside a request under ${list.map(({ name }) => name)}`, async (t) => {
    const { scheme, server } = await listed(t, list)
    for (const request of [null, undefined]) {
      t.throws(() => scheme.reverse(null, { request, server, version: 'v1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
    }
  })
}

t.test('a list makes no link to the current route if the request has no route', async (t) => {
  const { scheme, server } = await listed(t, [URLPathVersioning, QueryParameterVersioning])
  const request = { version: 'v1', server }
  t.throws(() => scheme.reverse(null, { request }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a list has successors if one of its schemes makes its links itself', async (t) => {
  class Marking extends Cookie {
    override reverse (...[name, options]: Parameters<Cookie['reverse']>): string {
      return `${super.reverse(name, options)}?v=${options?.version}`
    }
  }
  const linkOf = async (scheme: VersioningOptions['scheme']) => {
    const app = await appWith(t, { ...settings, scheme, lifecycle: { v1: { deprecated: '2020-01-01' } } })
    app.get('/items', tell)
    return (await app.inject({ url: '/items', headers: { cookie: 'v1' } })).headers.link
  }
  t.equal(await linkOf([Cookie, HeaderVersioning]), undefined)
  t.match(await linkOf([Marking, HeaderVersioning]), /<\/items\?v=v2>; rel="successor-version"/)
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

t.test('a link of a list to the current route leads back to it in the same version', async (t) => {
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
    says: 'in the host and in the path',
    scheme: [URLPathVersioning, HostNameVersioning],
    at: '/v1/items',
    host: 'v1.example.com',
    link: 'http://v2.example.com/v2/items'
  },
  {
    says: 'in the namespace, where the query has one as well',
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

t.test('a version that the caller writes into a name or a path is the version of a link of a list', async (t) => {
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
    'http://example.com/items?version=v2', '/outside'
  ])
  t.same((await app.inject({ url, headers: { host: 'v1.example.com' } })).json().slice(0, 2), [
    'http://v2.example.com/ns/items', 'http://v2.example.com/v2/old'
  ])
})

t.test('a link of a subclass that calls super.reverse() has one version in a list as well', async (t) => {
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

t.test('a list makes no link by the plain name if it would be in another version', async (t) => {
  const app = await appWith(t, { ...settings, scheme: [URLPathVersioning, HeaderVersioning] })
  app.get('/only', { name: 'only' }, tell)
  await app.ready()
  t.throws(() => app.reverse('only', null, { version: 'v1' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('the error about a link whose version no place can have shows its name', async (t) => {
  const { scheme, server } = await listed(t, [HostNameVersioning, HeaderVersioning])
  const request = { version: 'v1', server, host: 'example.com' }
  t.throws(() => scheme.reverse('items', { request }), {
    code: 'FST_ERR_NO_REVERSE_MATCH', message: "Route 'items' has no URL that specifies the version 'v1'."
  })
  t.equal(scheme.reverse('items', { request: { ...request, version: 'v2' } }), '/items')
})

t.test('a link of a list moves the version from a namespace to a header', async (t) => {
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

t.test('a route of a namespace ends only in its own version', async (t) => {
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

const three = { allowedVersions: ['v1', 'v2', 'v3'], defaultVersion: 'v1' }

async function links (_request: FastifyRequest, reply: FastifyReply) {
  return [reply.reverse(), reply.reverse(null, null, { version: 'v3' }), reply.reverse('b', null, { version: 'v3' })]
}

t.test('a link of a list has a version that the caller gives, wherever the request has its own', async (t) => {
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/b', { name: 'b' }, links)
  const response = await app.inject({ url: '/b', headers: { 'api-version': 'v2' } })
  t.same(response.json(), ['/b', '/b?version=v3', '/b?version=v3'])
})

for (const first of [URLPathVersioning, NamespaceVersioning, HostNameVersioning]) {
  t.test(`a list with ${first.name} links to the current route by the scheme that has a place there`, async (t) => {
    const app = await appWith(t, { ...three, scheme: [first, QueryParameterVersioning] })
    app.get('/b', { name: 'b' }, async (_request, reply) => [reply.reverse(), reply.reverse('b')])
    t.same((await app.inject('/b')).json(), ['/b?version=v1', '/b?version=v1'])
  })
}

t.test('a list makes no link by a scheme that does not allow the version', async (t) => {
  const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v3'] })
  const app = await appWith(t, { ...three, scheme: [HeaderVersioning, own] })
  app.get('/b', { name: 'b' }, async (_request, reply) => (
    [reply.reverse('b'), reply.reverse('b', null, { version: 'v3' })]
  ))
  t.same((await app.inject('/b')).json(), ['/b', '/b?v=v3'])
})

t.test('a list has successors where a link can have the version', async (t) => {
  const lifecycle = { v1: { deprecated: '2020-01-01' } }
  const app = await appWith(t, { ...three, lifecycle, scheme: [HeaderVersioning, QueryParameterVersioning] })
  app.get('/b', async () => '')
  t.match((await app.inject('/b?version=v1')).headers.link, /<\/b\?version=v2>; rel="successor-version"/)
})
