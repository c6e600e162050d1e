import t from 'tap'

import versioning, { NamespaceVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'

const NOT_IN_V2 = /^The current route, '.+', has no URL that specifies the version 'v2'\.$/

/** A context by its prefix and namespace, with the paths of its routes; none of them has a name. */
type Context = [prefix: string, namespace: string, ...paths: string[]]

interface Counterpart {
  says: string
  contexts: Context[]
  at: string
  /** In version v2, or null. */
  url: string | null
}

const counterparts: Counterpart[] = [
  {
    says: 'finds it where the path after the prefixes is the same',
    contexts: [['/v1', 'v1', '/rooms/:id'], ['/v2', 'v2', '/rooms/:id']],
    at: '/v1/rooms/7',
    url: '/v2/rooms/7'
  },
  {
    says: 'does not find it where only the texts of the paths are alike',
    contexts: [['/v1', 'v1', '/v1-rooms/:id'], ['/v2', 'v2', '/v2-rooms/:id']],
    at: '/v1/v1-rooms/7',
    url: null
  },
  {
    says: 'does not find it where the parameters have other names',
    contexts: [['/v1', 'v1', '/rooms/:id'], ['/v2', 'v2', '/rooms/:room']],
    at: '/v1/rooms/7',
    url: null
  },
  {
    says: 'finds it in the context whose prefix differs in one segment',
    contexts: [['/rooms/v1', 'v1', '/:id'], ['/beds/v2', 'v2', '/:id'], ['/rooms/v2', 'v2', '/:id']],
    at: '/rooms/v1/7',
    url: '/rooms/v2/7'
  },
  {
    says: 'does not find it in a context whose prefix has one more segment',
    contexts: [['/v1/beds', 'v1', '/:id'], ['/v2', 'v2', '/:id']],
    at: '/v1/beds/7',
    url: null
  },
  {
    says: 'finds it where the prefixes end with the same segments',
    contexts: [['/v1/api/shop', 'v1', '/:id'], ['/v2/api/shop', 'v2', '/:id']],
    at: '/v1/api/shop/7',
    url: '/v2/api/shop/7'
  },
  {
    says: 'does not find it in a context whose prefix has one segment replaced and one added',
    contexts: [['/v1', 'v1', '/:id'], ['/v2/beds', 'v2', '/:id']],
    at: '/v1/7',
    url: null
  },
  {
    says: 'does not find it in a context whose prefix begins and ends alike, but has two fewer segments',
    contexts: [['/api/old/api', 'v1', '/:id'], ['/api', 'v2', '/:id']],
    at: '/api/old/api/7',
    url: null
  },
  {
    says: 'finds it in the first declared of two contexts',
    contexts: [['/v1', 'v1', '/:id'], ['/w2', 'v2', '/:id'], ['/v2', 'v2', '/:id']],
    at: '/v1/7',
    url: '/w2/7'
  },
  {
    says: 'finds it where the prefix ends with a slash',
    contexts: [['/v1', 'v1', '/rooms'], ['/v2/', 'v2', '/rooms']],
    at: '/v1/rooms',
    url: '/v2/rooms'
  },
  {
    says: 'finds it at the root of a prefix',
    contexts: [['/v1', 'v1', '/'], ['/v2', 'v2', '/']],
    at: '/v1/',
    url: '/v2'
  },
  {
    says: 'finds it where the context has no prefix',
    contexts: [['/v1', 'v1', '/rooms'], ['', 'v2', '/rooms']],
    at: '/v1/rooms',
    url: '/rooms'
  }
]

function declare (app: FastifyInstance, [prefix, namespace, ...paths]: Context, version = 'v2'): void {
  app.register(async (context) => {
    for (const path of paths) {
      context.get(path, async (_request, reply: FastifyReply) => reply.reverse(null, null, { version }))
    }
  }, { prefix, namespace })
}

for (const { says, contexts, at, url } of counterparts) {
  t.test(`a link to a route without a name in another namespace ${says}`, async (t) => {
    const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
    for (const context of contexts) declare(app, context)
    const response = await app.inject(at)
    if (url === null) t.match(response.json(), { statusCode: 500, message: NOT_IN_V2 })
    else t.equal(response.body, url)
  })
}

t.test('a route is found by its name in another namespace, even where another route has its path', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  const link = async (_request: unknown, reply: FastifyReply) => reply.reverse(null, null, { version: 'v2' })
  app.register(async (v1) => { v1.get('/rooms', { name: 'rooms' }, link) }, { prefix: '/v1', namespace: 'v1' })
  app.register(async (v2) => {
    v2.get('/rooms', { name: 'suites' }, link)
    v2.get('/beds', { name: 'rooms' }, link)
  }, { prefix: '/v2', namespace: 'v2' })
  t.equal((await app.inject('/v1/rooms')).body, '/v2/beds')
})

t.test('a route without a name is found by path in another namespace, even if the other has a name', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] })
  declare(app, ['/v1', 'v1', '/rooms'])
  app.register(async (v2) => { v2.get('/rooms', { name: 'rooms' }, async () => '') }, {
    prefix: '/v2', namespace: 'v2'
  })
  t.equal((await app.inject('/v1/rooms')).body, '/v2/rooms')
})

t.test('an earlier miss does not hide a namespace whose names make the same text', async (t) => {
  const scheme = new NamespaceVersioning()
  const app = await appWith(t, { scheme })
  const declareInner = async (context: FastifyInstance) => context.register(async (inner) => {
    inner.get('/rooms', async ({ server, params, routeOptions }) => {
      const request = { version: 'none', server, params, routeOptions }
      t.throws(() => scheme.reverse(null, { version: 'a', request }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
      return scheme.reverse(null, { version: 'av', request })
    })
  }, { prefix: '/x', namespace: 'x' })
  for (const version of ['v', 'av']) app.register(declareInner, { prefix: `/${version}`, namespace: version })
  t.equal((await app.inject('/v/x/rooms')).body, '/av/x/rooms')
})

t.test('a route that was declared before the plugin has no version, so that its link has none', async (t) => {
  const app = bareApp(t)
  app.get('/rooms', async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
  await app.register(versioning, { scheme: NamespaceVersioning })
  app.register(async (v2) => { v2.get('/rooms', async () => '') }, { prefix: '/v2', namespace: 'v2' })
  t.equal((await app.inject('/rooms')).body, '/rooms')
})

interface Outside {
  says: string
  /** The path of the route of the default version, v1, which is in no namespace. */
  path: string
  /** The contexts of v2. */
  contexts: Context[]
  at: string
  /** In version v2, or null. */
  url: string | null
}

const outsides: Outside[] = [
  {
    says: 'finds it under the prefix of the version',
    path: '/rooms/:id',
    contexts: [['/v2', 'v2', '/rooms/:id']],
    at: '/rooms/7',
    url: '/v2/rooms/7'
  },
  {
    says: 'does not find it under a prefix of two segments',
    path: '/rooms/:id',
    contexts: [['/api/v2', 'v2', '/rooms/:id']],
    at: '/rooms/7',
    url: null
  },
  {
    says: 'finds it under a prefix whose other segments it has',
    path: '/api/rooms/:id',
    contexts: [['/api/v2', 'v2', '/rooms/:id']],
    at: '/api/rooms/7',
    url: '/api/v2/rooms/7'
  },
  {
    says: 'finds it under the prefix that differs in one segment',
    path: '/api/rooms',
    contexts: [['/v2', 'v2', '/rooms'], ['/x/v2', 'v2', '/api/rooms'], ['/api/v2', 'v2', '/rooms']],
    at: '/api/rooms',
    url: '/api/v2/rooms'
  },
  {
    says: 'finds it at the root of the prefix',
    path: '/',
    contexts: [['/v2', 'v2', '/']],
    at: '/',
    url: '/v2'
  },
  {
    says: 'does not find it under a prefix that does not end with the version',
    path: '/rooms/:id',
    contexts: [['/v2/beds', 'v2', '/rooms/:id']],
    at: '/rooms/7',
    url: null
  },
  {
    says: 'does not find it where it has a segment instead of the version',
    path: '/beds/rooms',
    contexts: [['/v2', 'v2', '/rooms']],
    at: '/beds/rooms',
    url: null
  },
  {
    says: 'does not find it where the rest of the path differs',
    path: '/rooms/:id',
    contexts: [['/api/v2', 'v2', '/rooms/:room/beds']],
    at: '/rooms/7',
    url: null
  }
]

for (const { says, path, contexts, at, url } of outsides) {
  t.test(`a link from a route of the default version into a namespace ${says}`, async (t) => {
    const app = await appWith(t, {
      scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1'
    })
    app.get(path, async (_request, reply) => reply.reverse(null, null, { version: 'v2' }))
    for (const context of contexts) declare(app, context, 'v1')
    const response = await app.inject(at)
    if (url === null) t.match(response.json(), { statusCode: 500, message: NOT_IN_V2 })
    else t.equal(response.body, url)
    if (url !== null) t.equal((await app.inject(url)).body, at)
  })
}

t.test('a route of the default version and its counterpart link to each other as their versions', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01' } }
  const app = await appWith(t, {
    scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', lifecycle
  })
  app.get('/rooms', async () => '')
  app.register(async (v2) => { v2.get('/rooms', async () => '') }, { prefix: '/v2', namespace: 'v2' })
  const { headers } = await app.inject('/rooms')
  t.match(headers.link, /^<\/v2\/rooms>; rel="successor-version"/)
})

t.test('a version other than the default is not searched for outside of namespaces', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  app.get('/rooms', async () => '')
  app.register(async (v2) => {
    v2.get('/rooms', async (_request, reply) => reply.reverse(null, null, { version: 'v1' }))
  }, { prefix: '/v2', namespace: 'v2' })
  t.match((await app.inject('/v2/rooms')).json(), {
    message: "The current route, '/v2/rooms', has no URL that specifies the version 'v1'."
  })
})
