import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyServerOptions, RouteShorthandOptions } from 'fastify'

const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const handler = async () => 'refused'
const answer = async () => 'answered'

/** Fastify refuses it after onRoute. */
const noHook = { preHandler: 'none' } as unknown as RouteShorthandOptions

interface Refused {
  says: string
  /** Declares the route that Fastify refuses, with the name `refused`. */
  refuse: (app: FastifyInstance, route: RouteShorthandOptions) => void
  /** Declares what takes its place, with the name `route`, or null if nothing can. */
  mend: ((app: FastifyInstance, route: RouteShorthandOptions) => void) | null
  url: string
  server?: FastifyServerOptions
}

const get = (url: string, more = {}) => (app: FastifyInstance, route: RouteShorthandOptions) => {
  app.get(url, { ...route, ...more }, route.name === 'refused' ? handler : answer)
}
const insensitive = { routerOptions: { caseSensitive: false } }
const anyEnd = { routerOptions: { ignoreTrailingSlash: true } }
const anyDuplicate = { routerOptions: { ignoreDuplicateSlashes: true } }

const refused: Refused[] = [
  { says: 'with a hook that is not a function', refuse: get('/a', noHook), mend: get('/a'), url: '/a' },
  {
    says: 'with a hook that is not a function, of several methods',
    refuse: (app, route) => app.route({ ...route, ...noHook, method: ['GET', 'POST'], url: '/a', handler }),
    mend: (app, route) => app.route({ ...route, method: ['GET', 'PUT'], url: '/a', handler: answer }),
    url: '/a'
  },
  { says: 'with an optional parameter', refuse: get('/a/:id?', noHook), mend: get('/a/:id?'), url: '/a' },
  { says: 'with one optional parameter too many', refuse: get('/a/:id?', noHook), mend: get('/a'), url: '/a' },
  {
    says: 'at the root of a prefix',
    refuse: (app, route) => app.register(async (inner) => {
      t.throws(() => get('/', noHook)(inner, route), { code: 'FST_ERR_HOOK_INVALID_HANDLER' })
      get('/')(inner, { ...route, name: 'route' })
    }, { prefix: '/a' }),
    mend: null,
    url: '/a/'
  },
  { says: 'with a slash at its end', refuse: get('/a/', noHook), mend: get('/a/'), url: '/a', server: anyEnd },
  { says: 'with two slashes', refuse: get('//a', noHook), mend: get('//a'), url: '/a', server: anyDuplicate },
  { says: 'in upper case', refuse: get('/A', noHook), mend: get('/A'), url: '/a', server: insensitive },
  { says: 'whose pattern is never closed', refuse: get('/a/:id('), mend: get('/a'), url: '/a' },
  { says: 'whose pattern is not an expression', refuse: get('/a/:id([)'), mend: get('/a'), url: '/a' }
]

for (const { says, refuse, mend, url, server } of refused) {
  for (const version of ['v1', undefined]) {
    t.test(`a refused route ${says}, ${version ? 'with' : 'without'} a version, leaves nothing behind`, async (t) => {
      const app = await appWith(t, options, server)
      app.get('/other', { version: 'v2' }, handler)
      if (mend === null) refuse(app, { name: 'refused', version })
      else {
        t.throws(() => refuse(app, { name: 'refused', version }))
        mend(app, { name: 'route', version })
      }
      await app.ready()
      t.same(app.namedRoutes.map(({ name }) => name), ['route'])
      t.same([...new Set(app.versions.flatMap(({ routes }) => routes.map(({ name }) => name)))], ['route', null])
      t.equal((await app.inject(`${url}?version=v1`)).body, 'answered')
      t.equal((await app.inject({ method: 'HEAD', url: `${url}?version=v1` })).statusCode, 200)
      t.throws(() => app.reverse('refused'), { message: /^No route is named 'refused'\./ })
    })
  }
}

interface Duplicate { says: string, first: string, second: string, server?: FastifyServerOptions }

const duplicates: Duplicate[] = [
  { says: 'of the same URL', first: '/a', second: '/a' },
  { says: 'of a parameter with another name', first: '/a/:id', second: '/a/:other' },
  { says: 'with an optional parameter', first: '/a/:id?', second: '/a/:id?' },
  { says: 'of the URL with a parameter', first: '/a/:id', second: '/a/:id?' },
  { says: 'of a URL with a slash at its end', first: '/a', second: '/a/', server: anyEnd },
  { says: 'of a parameter with the same pattern', first: '/a/:id(^\\d+$)', second: '/a/:other(\\d+)' },
  { says: 'of a wildcard', first: '/a/*', second: '/a/*' },
  { says: 'of a URL with two slashes', first: '/a', second: '//a', server: anyDuplicate },
  { says: 'of a URL in upper case', first: '/a', second: '/A', server: insensitive }
]

for (const { says, first, second, server } of duplicates) {
  t.test(`a duplicate ${says} leaves nothing behind when it is refused`, async (t) => {
    for (const isBeside of [true, false]) {
      const app = await appWith(t, options, server)
      if (isBeside) app.get(first, { version: 'v1' }, handler)
      app.get(first, { name: 'first' }, answer)
      t.throws(() => app.get(second, { name: 'second' }, handler), { code: 'FST_ERR_DUPLICATED_ROUTE' })
      await app.ready()
      t.same(app.namedRoutes.map(({ name }) => name), ['first'])
      const inV2 = app.versions.find(({ version }) => version === 'v2')
      t.same([...new Set(inV2?.routes.map(({ name }) => name))], ['first'])
      t.equal((await app.inject(`${first.replace(/[:*].*/, '7')}?version=v2`)).body, 'answered')
    }
  })
}

t.test('a duplicate of a route declared before the plugin leaves nothing behind when it is refused', async (t) => {
  const app = bareApp(t)
  app.get('/a/:id', answer)
  await app.register(versioning, options)
  t.throws(() => app.get('/a/:other', { name: 'second' }, handler), { code: 'FST_ERR_DUPLICATED_ROUTE' })
  await app.ready()
  t.same(app.namedRoutes, [])
})

t.test('links that are made before the app is ready do not keep a route that was refused', async (t) => {
  const app = await appWith(t, options)
  t.throws(() => app.get('/refused', { name: 'refused', ...noHook }, handler))
  app.get('/a', { name: 'a' }, handler)
  t.equal(app.reverse('a'), '/a')
  app.get('/b', { name: 'b' }, handler)
  await app.ready()
  t.equal(app.reverse('b'), '/b')
  t.throws(() => app.reverse('refused'), { code: 'FST_ERR_NO_REVERSE_MATCH' })
})

t.test('a version that a refused route has claimed is free for another route', async (t) => {
  const app = await appWith(t, options)
  t.throws(() => app.get('/a', { version: { from: 'v1' }, ...noHook }, handler))
  app.get('/a', { version: { from: 'v1' }, versioning: QueryParameterVersioning }, answer)
  t.equal((await app.inject('/a?version=v2')).body, 'answered')
})

t.test('a route at the path * keeps its name and its versions next to other routes', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] })
  app.get('*', { name: 'rest', version: 'v1' }, async () => 'rest')
  app.get('/a', async () => 'a')
  await app.ready()
  t.same(app.namedRoutes.map(({ name }) => name), ['rest'])
  t.equal((await app.inject('/b?version=v1')).body, 'rest')
  t.equal((await app.inject('/b?version=v2')).statusCode, 404)
})
