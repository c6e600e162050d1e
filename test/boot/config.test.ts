import { inspect, isDeepStrictEqual } from 'node:util'
import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { RouteOptions, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'

const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const handler = async () => ''

/** The configs of routes, as a later onRoute hook sees them. */
async function configsOf (t: Test, ...routes: readonly RouteShorthandOptions[]): Promise<object[]> {
  const app = await appWith(t, options)
  const seen: object[] = []
  app.addHook('onRoute', ({ method, config }) => {
    if (method === 'GET') seen.push(config as object)
  })
  for (const [i, route] of routes.entries()) app.get(`/${i}`, route, handler)
  await app.ready()
  return seen
}

t.test('the config of a route has the versions that it claims, next to its own fields', async (t) => {
  const config = Object.freeze({ own: true }) as object
  const [one, open] = await configsOf(t, { config, version: ['v2', 'v1'] }, { config })
  t.match(one, { own: true, versions: ['v1', 'v2'] })
  t.same(Object.keys(open), ['own'])
  t.same(Reflect.ownKeys(config), ['own'])
})

t.test('a config that is printed or compared does not lead into the app', async (t) => {
  const [one, two] = await configsOf(t, { version: 'v1' }, { version: 'v1' })
  t.ok(inspect(one, { depth: Infinity, showHidden: true }).length < 300)
  t.equal(JSON.stringify(one), '{"versions":["v1"]}')
  t.equal(isDeepStrictEqual(one, two), false)
  t.equal(isDeepStrictEqual(one, { ...one }), true)
})

t.test('a route made with the options of another one has its own record', async (t) => {
  const app = await appWith(t, options)
  const copies: RouteOptions[] = []
  app.addHook('onRoute', (route) => { if (route.url === '/a' && route.method === 'GET') copies.push({ ...route }) })
  app.get('/a', { version: 'v1', config: { own: true } as object }, async ({ routeOptions: { config } }) => config)
  const { version: _version, ...copy } = copies[0] as RouteOptions & { version?: unknown }
  app.route({ ...copy, url: '/b' })
  t.match((await app.inject('/a?version=v1')).json(), { own: true, versions: ['v1'] })
  const { url, method, ...config } = (await app.inject('/b?version=v2')).json()
  t.same(config, { own: true })
})

t.test('routes of one URL that share a config have separate retirements', async (t) => {
  const app = await appWith(t, options)
  const config = {}
  for (const host of ['a.example', 'b.example']) {
    const deprecated = host[0] === 'a' ? { deprecated: '2026-01-01' } : undefined
    app.get('/a', { config, constraints: { host }, deprecated }, handler)
  }
  for (const [host, isDeprecated] of [['a.example', true], ['b.example', false]] as const) {
    t.equal('deprecation' in (await app.inject({ url: '/a', headers: { host } })).headers, isDeprecated, host)
  }
})
