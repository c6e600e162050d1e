import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { RouteOptions, RouteShorthandOptions } from 'fastify'

const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const handler = async () => ''

interface Seen {
  config: RouteOptions['config'] | undefined
  constraints: RouteOptions['constraints'] | undefined
}

/** What a later onRoute hook sees of each route, HEAD routes left out. */
async function seenOf (
  given: typeof options | { scheme: null }, ...routes: readonly RouteShorthandOptions[]
): Promise<Seen[]> {
  const app = await appWith(t, given)
  const seen: Seen[] = []
  app.addHook('onRoute', ({ method, config, constraints }) => {
    if (method === 'GET') seen.push({ config, constraints })
  })
  for (const route of routes) app.get('/a', route, handler)
  await app.ready()
  return seen
}

/** A copy of its fields would not have the getter. */
class Limits {
  max = 3
  get twice (): number { return 2 * this.max }
}

t.test('a later onRoute hook sees the config of a route as it was given', async (t) => {
  for (const given of [options, { scheme: null }]) {
    const config = { own: true } as object
    const [seen] = await seenOf(given, { config })
    t.equal(seen.config, config)
    t.same(Reflect.ownKeys(config), ['own'])
  }
})

t.test('a route without config and constraints has none in later onRoute hooks', async (t) => {
  t.same(await seenOf(options, {}), [{ config: undefined, constraints: undefined }])
})

t.test('a config that routes share is not changed where one of them has versions', async (t) => {
  const config = { own: true } as object
  const [one, rest] = await seenOf(options, { config, version: 'v1' }, { config })
  t.equal(rest.config, config)
  t.match(one.config, { own: true, versions: ['v1'] })
  t.same(Reflect.ownKeys(config), ['own'])
})

t.test('the copy of a config keeps its class, and its getters work', async (t) => {
  const config = new Limits() as object
  const [first, second] = await seenOf(options, { config }, { config, constraints: { host: 'a.example' } })
  const [{ config: versioned }] = await seenOf(options, { config, version: 'v1' })
  t.equal(first.config, config)
  for (const copy of [second.config, versioned]) {
    t.not(copy, config)
    t.ok(copy instanceof Limits)
    t.equal((copy as unknown as Limits).twice, 6)
  }
  t.same(Object.keys(second.config as object), ['max'])
  t.same(Object.keys(versioned as object), ['max', 'versions'])
})

t.test('a route whose config is frozen can have versions', async (t) => {
  const [one] = await seenOf(options, { config: Object.freeze({ own: true }) as object, version: 'v1' })
  t.match(one.config, { own: true, versions: ['v1'] })
})

t.test('routes of one URL that share a config have separate endings', async (t) => {
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
