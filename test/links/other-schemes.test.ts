import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { show } from '../../src/messages.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { LinkOptions, ReverseKwargs, ReverseOptions, VersioningOptions } from '../../types/index.d.ts'

t.test('a route of one scheme links to a route of another', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: AcceptHeaderVersioning })
  app.get('/here', async (_request, reply) => reply.reverse('there'))
  app.register(async (context) => {
    await context.register(versioning, { scheme: URLPathVersioning })
    context.get('/:version/there', { name: 'there' }, async () => '')
  })
  t.equal((await app.inject({ url: '/here', headers: { accept: '*/*;version=v1' } })).body, '/v1/there')
})

const allowedVersions = ['v1', 'v2']

interface Link {
  says: string
  /** The scheme of the route that links. */
  from: VersioningOptions['scheme']
  /** What the context of the other route has. */
  to: VersioningOptions
  path: string
  route?: RouteShorthandOptions
  params?: ReverseKwargs
  options?: LinkOptions
  url: string
}

const toQuery = { to: { scheme: QueryParameterVersioning }, path: '/there' }

const links: Link[] = [
  {
    says: 'in the version of the request',
    from: AcceptHeaderVersioning,
    to: { scheme: URLPathVersioning },
    path: '/:version/there',
    url: '/v1/there'
  },
  {
    says: 'in the version given',
    from: AcceptHeaderVersioning,
    to: { scheme: URLPathVersioning },
    path: '/:version/there',
    options: { version: 'v2' },
    url: '/v2/there'
  },
  {
    says: 'with parameters, query and fragment',
    from: AcceptHeaderVersioning,
    to: { scheme: URLPathVersioning },
    path: '/:version/there/:id',
    params: { id: 7 },
    options: { query: { page: 2 }, hash: 'top' },
    url: '/v1/there/7?page=2#top'
  },
  {
    says: 'in the version that the caller gives as a parameter',
    from: AcceptHeaderVersioning,
    to: { scheme: URLPathVersioning },
    path: '/:version/there',
    params: { version: 'v9' },
    url: '/v9/there'
  },
  {
    says: 'with a parameter of another name',
    from: URLPathVersioning,
    to: { scheme: URLPathVersioning, versionParam: 'v' },
    path: '/:v/there',
    url: '/v1/there'
  },
  {
    says: 'in the path by the scheme of the route',
    from: QueryParameterVersioning,
    to: { scheme: null },
    route: { versioning: URLPathVersioning },
    path: '/:version/there',
    url: '/v1/there'
  },
  {
    says: 'in the query',
    from: URLPathVersioning,
    ...toQuery,
    url: '/there?version=v1'
  },
  {
    says: 'in the query, in the version given',
    from: URLPathVersioning,
    ...toQuery,
    options: { version: 'v2' },
    url: '/there?version=v2'
  },
  {
    says: 'in the query',
    from: NamespaceVersioning,
    ...toQuery,
    url: '/there?version=v1'
  },
  {
    says: 'in the path',
    from: NamespaceVersioning,
    to: { scheme: URLPathVersioning },
    path: '/:version/there',
    url: '/v1/there'
  },
  {
    says: 'without the version of the request where the scheme there does not allow it',
    from: NamespaceVersioning,
    to: { scheme: QueryParameterVersioning, allowedVersions: ['v2'] },
    path: '/there',
    url: '/there'
  },
  {
    says: 'where the version of the request is not allowed, in the version given',
    from: NamespaceVersioning,
    to: { scheme: QueryParameterVersioning, allowedVersions: ['v2'] },
    path: '/there',
    options: { version: 'v2' },
    url: '/there?version=v2'
  },
  {
    says: 'without the version of the request where the path there has no place for it',
    from: NamespaceVersioning,
    to: { scheme: URLPathVersioning },
    path: '/there',
    url: '/there'
  },
  {
    says: 'without a version where the route there has no versions',
    from: URLPathVersioning,
    to: { scheme: null },
    path: '/there',
    url: '/there'
  },
  {
    says: 'without the version, which the client sends in the header',
    from: QueryParameterVersioning,
    to: { scheme: AcceptHeaderVersioning },
    path: '/there',
    url: '/there'
  },
  {
    says: 'in the query',
    from: AcceptHeaderVersioning,
    ...toQuery,
    url: '/there?version=v1'
  },
  {
    says: 'in the query, in the version given',
    from: AcceptHeaderVersioning,
    ...toQuery,
    options: { version: 'v2' },
    url: '/there?version=v2'
  },
  {
    says: 'without a version if null is given',
    from: AcceptHeaderVersioning,
    ...toQuery,
    options: { version: null },
    url: '/there'
  },
  {
    says: 'in the parameter that the route reads',
    from: QueryParameterVersioning,
    to: { scheme: new QueryParameterVersioning({ versionParam: 'v' }) },
    path: '/there',
    url: '/there?v=v1'
  },
  {
    says: 'by a list, in the query of the route',
    from: [AcceptHeaderVersioning, HeaderVersioning],
    ...toQuery,
    url: '/there?version=v1'
  },
  {
    says: 'without a version that the other scheme does not allow',
    from: AcceptHeaderVersioning,
    to: { scheme: QueryParameterVersioning, allowedVersions: ['v2'], defaultVersion: 'v2' },
    path: '/there',
    url: '/there'
  },
  {
    says: 'without a version between two headers',
    from: AcceptHeaderVersioning,
    to: { scheme: HeaderVersioning },
    path: '/there',
    url: '/there'
  },
  {
    says: 'without a version if the other scheme has the route in no namespace',
    from: AcceptHeaderVersioning,
    to: { scheme: NamespaceVersioning },
    path: '/there',
    url: '/there'
  },
  {
    says: 'into the host, with the version given',
    from: AcceptHeaderVersioning,
    to: { scheme: HostNameVersioning },
    path: '/there',
    options: { version: 'v2' },
    url: 'http://v2.example.com/there'
  }
]

/** Declares a route that answers with `call` under each scheme, and has the version v1 when `HERE` is requested. */
function declareHere (app: FastifyInstance, call: (reply: FastifyReply) => string): void {
  app.get('/here', async (_request, reply) => call(reply))
  app.get('/:version/here', async (_request, reply) => call(reply))
  app.register(async (v1) => {
    v1.get('/here', async (_request, reply) => call(reply))
  }, { prefix: '/ns', namespace: 'v1' })
}

const HERE = new Map<unknown, string>([
  [AcceptHeaderVersioning, '/here'],
  [QueryParameterVersioning, '/here?version=v1'],
  [URLPathVersioning, '/v1/here'],
  [NamespaceVersioning, '/ns/here']
])

async function appFor ({ from, to, path, route }: Link, call: (reply: FastifyReply) => string) {
  const app = Fastify()
  await app.register(versioning, { scheme: from, allowedVersions })
  declareHere(app, call)
  app.register(async (context) => {
    await context.register(versioning, to)
    context.get(path, { name: 'there', ...route }, async () => '')
  })
  return app
}

function labelOf (given: unknown): string {
  return (given as { name?: string } | null)?.name ?? 'no scheme'
}

for (const link of links) {
  const { says, from, to, route, params = null, options, url } = link
  const there = labelOf(route?.versioning ?? to.scheme)
  t.test(`a link from ${labelOf(from)} to ${there} is made ${says}`, async (t) => {
    const app = await appFor(link, (reply) => reply.reverse('there', params, options))
    const headers = { accept: '*/*;version=v1', host: 'v1.example.com' }
    t.equal((await app.inject({ url: HERE.get(from) ?? '/here', headers })).body, url)
  })
}

t.test('a link without a version that the path needs is refused where the scheme does not allow it', async (t) => {
  const app = await appFor({
    says: '',
    from: AcceptHeaderVersioning,
    to: { scheme: URLPathVersioning, allowedVersions: ['v2'] },
    path: '/:version/there',
    url: ''
  }, (reply) => reply.reverse('there'))
  const response = await app.inject({ url: '/here', headers: { accept: '*/*;version=v1' } })
  t.match(response.json(), { statusCode: 500, code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a link that the scheme of the other route refuses is refused', async (t) => {
  const app = await appFor({
    says: '',
    from: NamespaceVersioning,
    to: { scheme: QueryParameterVersioning, allowedVersions: ['v1'] },
    path: '/there',
    url: ''
  }, () => '')
  await app.ready()
  t.throws(() => app.reverse('there', null, { version: 'v2' }), {
    code: 'FST_ERR_REVERSE_OPTION', message: /expected one of \[ 'v1' \], or null, got 'v2'/
  })
})

t.test('where versioning is off, the link into a version is made by the scheme of the other route', async (t) => {
  const off = await appFor({ ...links[0], from: null }, () => '')
  await off.ready()
  t.equal(off.reverse('there', null, { version: 'v2' }), '/v2/there')
})

t.test('outside a request the scheme of the other route makes the link in the version given', async (t) => {
  const app = await appFor(links[0], () => '')
  await app.ready()
  t.equal(app.reverse('there', null, { version: 'v2' }), '/v2/there')
  t.throws(() => app.reverse('there'), { code: 'FST_ERR_NO_REVERSE_MATCH', message: /version/ })
})

t.test('a member of a list that has its own reverse leaves the version to the scheme of the other route', async (t) => {
  class Own extends AcceptHeaderVersioning {
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      return super.reverse(viewName, options)
    }
  }
  const from = [Own, HeaderVersioning]
  const app = await appFor({ ...links[0], from, ...toQuery }, (reply) => reply.reverse('there'))
  const headers = { accept: '*/*;version=v1' }
  t.equal((await app.inject({ url: '/here', headers })).body, '/there?version=v1')
})

t.test('under a list, an error says which parameters the plain name takes', async (t) => {
  const scheme = [NamespaceVersioning, AcceptHeaderVersioning]
  const app = await appWith(t, { scheme, allowedVersions, defaultVersion: 'v1' })
  app.get('/here', async (_request, reply) => reply.reverse('there'))
  app.get('/there/:id', { name: 'there' }, async () => '')
  const { message } = (await app.inject('/here')).json()
  t.equal(message, 'Route \'there\' has no URL for {}: /there/:id ("id" missing).')
})

t.test('a request without a version links without a version to a route of another scheme', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning })
  app.get('/here', async (_request, reply) => reply.reverse('there'))
  app.register(async (context) => {
    await context.register(versioning, { scheme: QueryParameterVersioning })
    context.get('/there', { name: 'there' }, async () => '')
  })
  t.equal((await app.inject('/here')).body, '/there')
})

t.test('the scheme of the route is called once for a link where it is the active one', async (t) => {
  let count = 0
  class Counting extends QueryParameterVersioning {
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      count++
      return super.reverse(viewName, options)
    }
  }
  const app = await appWith(t, { scheme: Counting })
  app.get('/:id', { name: 'room' }, async () => '')
  t.throws(() => app.reverse('room'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  t.equal(count, 1)
})

const thrown: unknown[] = [
  null, undefined, 'FST_ERR_NO_REVERSE_MATCH', { code: 'FST_ERR_NO_REVERSE_MATCH' }, new RangeError('of its own')
]

for (const value of thrown) {
  t.test(`an error that a scheme throws for a link is rethrown, even ${show(value)}`, async (t) => {
    class Throwing extends QueryParameterVersioning {
      override reverse (): string {
        throw value
      }
    }
    const app = await appWith(t, { scheme: Throwing })
    app.get('/', { name: 'root' }, async () => '')
    try {
      app.reverse('root')
      t.fail('There must be no link.')
    } catch (error) {
      t.equal(error, value)
    }
  })
}

t.test('an absolute link that a member of a list makes by itself stays as it is', async (t) => {
  class Own extends QueryParameterVersioning {
    override reverse () { return 'https://api.example.com/there?version=v2' }
  }
  const app = await appWith(t, { scheme: [Own, HeaderVersioning], allowedVersions, baseUrl: 'https://example.org' })
  app.get('/here', async (_request, reply) => reply.reverse('there', null, { absolute: true }))
  app.get('/there', { name: 'there' }, async () => '')
  t.equal((await app.inject('/here?version=v2')).body, 'https://api.example.com/there?version=v2')
})
