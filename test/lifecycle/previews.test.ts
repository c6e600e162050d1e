import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { clockAt, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const options: VersioningOptions = {
  scheme: QueryParameterVersioning,
  allowedVersions: ['v1', 'v2', 'v3', 'v4'],
  lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { preview: true }, v4: { preview: true, sunset: '2026-12-31' } },
  reportVersions: true
}

const previews = { v3: { preview: true }, v4: { preview: true } }

async function tell (request: FastifyRequest) {
  return String(request.version)
}

async function listsOf (app: FastifyInstance, url: string): Promise<unknown[]> {
  const { headers } = await app.inject(url)
  return ['supported', 'deprecated'].map((list) => headers[`api-${list}-versions`])
}

t.test('a preview is allowed where the client specifies it', async (t) => {
  const app = await appWith(t, options)
  app.get('/', tell)
  t.equal((await app.inject('/?version=v3')).body, 'v3')
  t.equal((await app.inject('/?version=v5')).statusCode, 404)
})

t.test('previews are not reported as supported', async (t) => {
  const app = await appWith(t, options)
  app.get('/', tell)
  for (const version of ['v1', 'v3', 'v9']) {
    t.same(await listsOf(app, `/?version=${version}`), ['v1, v2', 'v1'], version)
  }
})

t.test('a preview past its sunset is refused where that is enforced', async (t) => {
  const { now, set } = clockAt('2026-10-01')
  const app = await appWith(t, { ...options, enforceSunset: true, now })
  app.get('/', tell)
  t.equal((await app.inject('/?version=v4')).statusCode, 200)
  set('2026-12-31')
  t.equal((await app.inject('/?version=v4')).statusCode, 410)
})

t.test('a preview may be deprecated, and its response says so', async (t) => {
  const lifecycle = { v3: { preview: true, deprecated: '2026-01-01', info: '/docs' } }
  const app = await appWith(t, { ...options, lifecycle })
  app.get('/', tell)
  const { headers } = await app.inject('/?version=v3')
  t.equal(headers.deprecation, '@1767225600')
  t.match(headers.link, '</docs>; rel="deprecation"')
})

t.test('a released version may follow a preview, which no link leads to', async (t) => {
  const app = await appWith(t, { ...options, lifecycle: { v1: { deprecated: '2026-01-01' }, v2: { preview: true } } })
  app.get('/', tell)
  const response = await app.inject('/?version=v1')
  t.same(linksOf(response), ['successor-version /?version=v3', 'latest-version /?version=v4'])
  t.equal(response.headers['api-supported-versions'], 'v1, v3, v4')
})

t.test('no version is reported as supported if all are previews', async (t) => {
  const app = await appWith(t, { ...options, allowedVersions: ['v3', 'v4'], lifecycle: previews })
  app.get('/', tell)
  t.same(await listsOf(app, '/?version=v3'), [undefined, undefined])
})

t.test('previews are not reported where versions choose handlers', async (t) => {
  const app = await appWith(t, { ...options, scheme: HeaderVersioning, defaultVersion: 'v2' })
  app.get('/range', { version: { from: 'v2' } }, tell)
  app.get('/old', { version: ['v1', 'v2'] }, tell)
  t.same(await listsOf(app, '/range'), ['v2', undefined])
  t.same(await listsOf(app, '/old'), ['v1, v2', 'v1'])
  t.equal((await app.inject({ url: '/range', headers: { 'api-version': 'v4' } })).body, 'v4')
})

t.test('a route that ends in all versions does not report its previews', async (t) => {
  const app = await appWith(t, options)
  app.get('/', { deprecated: { sunset: '2027-01-01' } }, tell)
  t.same(await listsOf(app, '/?version=v3'), ['v1, v2', undefined])
})

interface Linked {
  what: string
  options: VersioningOptions
  routes: (app: FastifyInstance) => unknown
  from: string
  to: string
}

const linkeds: Linked[] = [
  {
    what: 'QueryParameterVersioning',
    options: {},
    routes: (app) => app.get('/a', tell),
    from: '/a?version=v1',
    to: '/a?version=v2'
  },
  {
    what: 'URLPathVersioning',
    options: { scheme: URLPathVersioning },
    routes: (app) => app.get('/:version/a', tell),
    from: '/v1/a',
    to: '/v2/a'
  },
  {
    what: 'NamespaceVersioning',
    options: { scheme: NamespaceVersioning },
    routes: (app) => ['v1', 'v2', 'v3', 'v4'].forEach((namespace) => {
      app.register(async (context) => context.get('/a', tell), { prefix: `/${namespace}`, namespace })
    }),
    from: '/v1/a',
    to: '/v2/a'
  },
  {
    what: 'a list',
    options: { scheme: [URLPathVersioning, HeaderVersioning] },
    routes: (app) => app.get('/:version/a', tell),
    from: '/v1/a',
    to: '/v2/a'
  }
]

for (const { what, options: own, routes, from, to } of linkeds) {
  t.test(`under ${what} no link leads to a preview unless requested`, async (t) => {
    const app = await appWith(t, { ...options, ...own })
    routes(app)
    await app.ready()
    t.same(linksOf(await app.inject(from)), [`successor-version ${to}`, `latest-version ${to}`])
  })
}

t.test('the latest released version has no successor', async (t) => {
  const app = await appWith(t, { ...options, lifecycle: { v2: { deprecated: '2026-01-01' }, ...previews } })
  app.get('/', tell)
  t.same(linksOf(await app.inject('/?version=v2')), [])
})

t.test('a link leads to a preview where the caller specifies it', async (t) => {
  const app = await appWith(t, options)
  app.get('/', { name: 'root' }, async (_request, reply) => reply.reverse('root', null, { version: 'v3' }))
  t.equal((await app.inject('/?version=v1')).body, '/?version=v3')
})

t.test('the response of a preview has its sunset, and a link to its info', async (t) => {
  const app = await appWith(t, {
    ...options,
    lifecycle: { v3: { preview: true, info: '/docs' }, v4: { preview: true, sunset: '2026-12-31', info: '/docs' } }
  })
  app.get('/', tell)
  const { headers } = await app.inject('/?version=v4')
  t.equal(headers.deprecation, undefined)
  t.equal(headers.sunset, 'Thu, 31 Dec 2026 00:00:00 GMT')
  t.equal(headers.link, '</docs>; rel="sunset"')
  t.equal((await app.inject('/?version=v3')).headers.link, undefined)
})

t.test('a child context inherits previews', async (t) => {
  const app = await appWith(t, options)
  app.register(async (context) => {
    await context.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v2', 'v3'] })
    context.get('/child', tell)
  })
  const { headers } = await app.inject({ url: '/child', headers: { accept: 'application/json;version=v3' } })
  t.equal(headers['api-supported-versions'], 'v2')
})
