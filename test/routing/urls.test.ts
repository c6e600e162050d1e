import Fastify from 'fastify'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { VersioningSchemeClass } from '../../types/index.d.ts'

t.test('a prefix and the prefix with a slash are different URLs', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.get('', { version: 'v1' }, async () => 'without')
    rooms.get('/', { version: 'v1', prefixTrailingSlash: 'slash' }, async () => 'with')
  }, { prefix: '/rooms' })
  t.equal((await app.inject('/rooms?version=v1')).body, 'without')
  t.equal((await app.inject('/rooms/?version=v1')).body, 'with')
})

interface Root { path: '' | '/', prefixTrailingSlash?: 'slash' | 'no-slash' }

/** Every way to declare one URL of a prefix alone. */
const withouts: Root[] = [{ path: '' }, { path: '/', prefixTrailingSlash: 'no-slash' }]
const withs: Root[] = [{ path: '/', prefixTrailingSlash: 'slash' }]
const pairs = withouts.flatMap((without) => withs.flatMap((one) => [[without, one], [one, without]]))

function show ({ path, prefixTrailingSlash }: Root): string {
  return `'${path}'${prefixTrailingSlash === undefined ? '' : ` with '${prefixTrailingSlash}'`}`
}

function textOf (root: Root): string {
  return withs.includes(root) ? 'with' : 'without'
}

function declare (app: FastifyInstance, root: Root, options: RouteShorthandOptions = {}): void {
  const { path, ...trailing } = root
  app.get(path, { ...trailing, ...options }, async (_request, reply) => `${textOf(root)} ${reply.reverse()}`)
}

const schemes: [scheme: VersioningSchemeClass, query: string][] = [
  [AcceptHeaderVersioning, ''], [QueryParameterVersioning, '?version=v1']
]

for (const [scheme, query] of schemes) {
  for (const [first, second] of pairs) {
    t.test(`under ${scheme.name} ${show(first)} declared before ${show(second)} is another URL of v1`, async (t) => {
      const app = Fastify()
      await app.register(versioning, { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
      app.register(async (rooms) => {
        for (const root of [first, second]) {
          declare(rooms, root, { version: 'v1', name: textOf(root) })
        }
      }, { prefix: '/rooms' })
      for (const [url, name] of [['/rooms', 'without'], ['/rooms/', 'with']]) {
        const response = await app.inject(`${url}${query}`)
        t.equal(response.body, `${name} ${url}${query}`)
        t.equal(app.reverse(name), url)
      }
      const refused = await app.inject({ url: '/rooms?version=v2', headers: { accept: '*/*;version=v2' } })
      t.equal(refused.json().message, 'This URL answers GET in v1.')
    })
  }
}

t.test('a version at one URL of a prefix and an open route at the other do not affect each other', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.register(async (rooms) => {
    declare(rooms, withouts[0], { version: 'v1' })
    declare(rooms, withs[0])
  }, { prefix: '/rooms' })
  t.equal((await app.inject('/rooms?version=v1')).body, 'without /rooms?version=v1')
  t.equal((await app.inject('/rooms?version=v2')).statusCode, 404)
  t.equal((await app.inject('/rooms/?version=v2')).body, 'with /rooms/?version=v2')
})

for (const trailing of [{}, { prefixTrailingSlash: 'both' as const }]) {
  t.test(`the path '/' with ${JSON.stringify(trailing)} serves both URLs of a prefix`, async (t) => {
    const app = Fastify()
    await app.register(versioning, { scheme: QueryParameterVersioning })
    app.register(async (rooms) => {
      rooms.get('/', { version: 'v1', ...trailing }, async () => 'both')
    }, { prefix: '/rooms' })
    for (const url of ['/rooms', '/rooms/']) t.equal((await app.inject(`${url}?version=v1`)).body, 'both')
  })

  for (const [path, options] of [['/', { prefixTrailingSlash: 'slash' }], ['', {}]] as const) {
    const second = `${JSON.stringify(path)} with ${JSON.stringify(options)}`
    t.test(`the path '/' with ${JSON.stringify(trailing)} conflicts with ${second}`, async (t) => {
      const app = Fastify()
      await app.register(versioning, { scheme: QueryParameterVersioning })
      app.register(async (rooms) => {
        rooms.get('/', { version: 'v1', ...trailing }, async () => 'both')
        rooms.get(path, { version: ['v1', 'v2'], ...options }, async () => '')
      }, { prefix: '/rooms' })
      await t.rejects(async () => app.ready(), {
        code: 'FST_ERR_VERSIONING_OPTION', message: /both claim version 'v1'|share only one of two paths/
      })
    })
  }
}

t.test('an open route with both URLs of a prefix is not affected by versions elsewhere', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.get('/chosen', { version: 'v1' }, async () => 'chosen')
  app.register(async (rooms) => {
    rooms.get('/', async () => 'both')
    rooms.get('/chosen', { version: 'v1' }, async () => 'chosen')
  }, { prefix: '/rooms' })
  for (const url of ['/rooms', '/rooms/']) t.equal((await app.inject(url)).body, 'both')
})

for (const exposeHeadRoutes of [true, false]) {
  t.test(`a version of both URLs of a prefix conflicts at each, exposeHeadRoutes: ${exposeHeadRoutes}`, async (t) => {
    for (const isFirst of [true, false]) {
      const app = Fastify({ exposeHeadRoutes })
      await app.register(versioning, { scheme: QueryParameterVersioning })
      app.register(async (rooms) => {
        const both = () => rooms.get('/', { version: 'v1' }, async () => 'both')
        if (isFirst) both()
        rooms.get('/', { version: ['v1', 'v2'], prefixTrailingSlash: 'slash' }, async () => '')
        if (!isFirst) both()
      }, { prefix: '/rooms' })
      await t.rejects(async () => app.ready(), {
        code: 'FST_ERR_VERSIONING_OPTION',
        message: /both claim version 'v1'|share only one of two paths/
      })
    }
  })
}

const alones: [says: string, path: string, options: RouteShorthandOptions][] = [
  ["'/' with 'no-slash'", '/', { prefixTrailingSlash: 'no-slash' }],
  ["'' with 'slash'", '', { prefixTrailingSlash: 'slash' }],
  ["'/other'", '/other', {}]
]

for (const [says, path, options] of alones) {
  t.test(`versions at ${says} in a prefix leave the URL with a slash to Fastify`, async (t) => {
    const app = Fastify()
    await app.register(versioning, { scheme: QueryParameterVersioning })
    app.register(async (rooms) => {
      rooms.get(path, { ...options, version: 'v1' }, async () => 'without')
    }, { prefix: '/rooms' })
    const url = path === '/' ? '/rooms/' : `/rooms${path}/`
    app.get(url, async () => 'with')
    await app.ready()
    t.equal(app.hasRoute({ method: 'GET', url }), true)
  })
}

t.test('versions of an explicit HEAD route at a prefix leave the URL with a slash to Fastify', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => { rooms.head('', { version: 'v1' }, async () => '') }, { prefix: '/rooms' })
  app.head('/rooms/', async () => '')
  await app.ready()
  t.equal(app.hasRoute({ method: 'HEAD', url: '/rooms/' }), true)
})

t.test('versions outside of prefixes leave the URL with a slash to Fastify', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.get('/rooms', { version: 'v1' }, async () => 'without')
  app.get('/rooms/', async () => 'with')
  await app.ready()
  t.equal(app.hasRoute({ method: 'GET', url: '/rooms/' }), true)
})

t.test('a route with only HEAD in its methods serves both URLs of a prefix', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: async () => '' })
  }, { prefix: '/rooms' })
  for (const url of ['/rooms', '/rooms/']) {
    t.equal((await app.inject({ method: 'HEAD', url: `${url}?version=v1` })).statusCode, 200)
  }
})

t.test('a route with only HEAD in its methods conflicts with a HEAD route for one URL of a prefix', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.route({ method: ['HEAD'], url: '/', version: 'v1', handler: async () => '' })
    rooms.head('/', { version: ['v1', 'v2'] }, async () => '')
  }, { prefix: '/rooms' })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /both claim version 'v1'|share only one of two paths/
  })
})

t.test('an open route at the root of a prefix is refused next to a version at its URL with a slash', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.get('/', { version: 'v1', prefixTrailingSlash: 'slash' }, async () => 'one')
    rooms.get('/', async () => 'open')
  }, { prefix: '/rooms' })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /GET \/rooms.* share only one of two paths, .* declare a route for each path\./
  })
})

t.test('open routes for each URL of a prefix serve what a version at the URL with a slash leaves', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.get('/', { version: 'v1', prefixTrailingSlash: 'slash' }, async () => 'one')
    rooms.get('/', { prefixTrailingSlash: 'slash' }, async () => 'open')
    rooms.get('', async () => 'open')
  }, { prefix: '/rooms' })
  t.equal((await app.inject('/rooms/?version=v1')).body, 'one')
  t.equal((await app.inject('/rooms/?version=v2')).body, 'open')
  t.equal((await app.inject('/rooms?version=v1')).body, 'open')
})

t.test('a version that a later onRoute hook adds at the other URL of an open route is refused', async (t) => {
  const app = Fastify({ exposeHeadRoutes: false })
  await app.register(versioning, { scheme: QueryParameterVersioning })
  app.register(async (rooms) => {
    rooms.addHook('onRoute', ({ url }) => {
      if (url === '/rooms') app.get('/rooms/', { version: 'v1' }, async () => 'one')
    })
    rooms.get('/', async () => 'open')
  }, { prefix: '/rooms' })
  await t.rejects(async () => app.ready(), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /GET \/rooms.* share only one of two paths, .* declare a route for each path\./
  })
})
