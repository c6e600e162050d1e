import { setTimeout } from 'node:timers/promises'
import t from 'tap'

import versioning, { HeaderVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'
import { gatewayOf, missing, originOf } from './gateway.ts'

import type { FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { GatewayName } from './gateway.ts'

const versions = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const MAX_AGE = 'public, max-age=60'
const FORWARDED = 'proxy_set_header X-Forwarded-Prefix "";'

/** An app whose responses may all be stored: of a route at `/a`, whose answers are counted. */
async function appWith (t: Test, options: VersioningOptions, server: FastifyServerOptions = {}) {
  const app = bareApp(t, server)
  const served: (string | null)[] = []
  app.addHook('onSend', async (_request, reply) => { reply.header('cache-control', MAX_AGE) })
  await app.register(versioning, options)
  app.get('/a', { name: 'a' }, async ({ version }, reply) => {
    served.push(version)
    return { version, link: reply.reverse('a') }
  })
  return { app, served }
}

for (const name of ['nginx', 'Varnish'] satisfies GatewayName[]) {
  const skip = missing(name)

  t.test(`behind ${name} clients of alternating versions get theirs under each scheme`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port)
    for (const place of Object.values(places)) {
      let served = 0
      const app = bareApp(t)
      app.addHook('onSend', async (_request, reply) => { reply.header('cache-control', MAX_AGE) })
      await app.register(versioning, { scheme: place.Scheme, allowedVersions: ['v1', 'v2'] })
      declareIn(app, [place], {
        method: 'GET',
        url: `/${place.place}`,
        handler: async ({ version }) => {
          served++
          return version
        }
      })
      await origin.release(app)
      for (const version of ['v1', 'v2', 'v1', 'v9', 'v2', 'v9', 'v1']) {
        const { url, query, headers } = requestOf(`/${place.place}`, place.naming(version))
        const search = query === undefined ? '' : `?${new URLSearchParams(query as Record<string, string>)}`
        const { status, body } = await ask(`${url as string}${search}`, headers as Record<string, string>)
        if (version === 'v9') t.ok(status! >= 400, `${place.text}: v9 is refused`)
        else t.equal(body, version, place.text)
      }
      t.equal(served, 2, `${place.text}: the other answers are the cache's`)
    }
  })

  t.test(`behind ${name} a version is served once it is released, although it was refused`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port)
    const scheme = QueryParameterVersioning
    await origin.release((await appWith(t, { scheme, allowedVersions: ['v1', 'v2'] })).app)
    t.equal((await ask('/a?version=v3')).status, 404)
    await origin.release((await appWith(t, { scheme, allowedVersions: ['v1', 'v2', 'v3'] })).app)
    t.equal((await ask('/a?version=v3')).status, 200)
  })

  t.test(`behind ${name} a version is served again once its sunset is taken back`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port)
    const options: VersioningOptions = {
      scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle: { v1: { sunset: '2020-01-01' } }
    }
    const headers = { 'api-version': 'v1' }
    await origin.release((await appWith(t, { ...options, enforceSunset: true })).app)
    t.equal((await ask('/a', headers)).status, 410)
    await origin.release((await appWith(t, options)).app)
    t.equal((await ask('/a', headers)).status, 200)
  })

  t.test(`behind ${name} hosts have their versions by the key of the page`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port)
    const { app, served } = await appWith(t, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'] })
    await origin.release(app)
    for (const version of ['v1', 'v2', 'v1', 'v2']) {
      t.equal(JSON.parse((await ask('/a', { host: `${version}.example.com` })).body).version, version)
    }
    t.same(served, ['v1', 'v2'])
  })

  t.test(`behind ${name}, which passes on a prefix, each client gets links with its own`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port, (config) => config.replace(FORWARDED, ''))
    const scheme = HeaderVersioning
    const { app, served } = await appWith(t, { scheme, defaultVersion: 'v1' }, { trustProxy: true })
    await origin.release(app)
    for (const prefix of ['/one', '/two', '', '/one', '/two', '']) {
      const headers: Record<string, string> = prefix === '' ? {} : { 'x-forwarded-prefix': prefix }
      t.equal(JSON.parse((await ask('/a', headers)).body).link, `${prefix}/a`)
    }
    t.equal(served.length, 3)
  })

  t.test(`behind ${name} a response without Vary stays until the cache asks for it again`, { skip }, async (t) => {
    const origin = await originOf(t)
    const { ask } = await gatewayOf(t, name, origin.port, (config) => name === 'nginx'
      ? config.replace('proxy_cache api;', 'proxy_cache api;\nproxy_cache_revalidate on;')
      : `${config}\nsub vcl_backend_response { set beresp.grace = 0s; set beresp.keep = 1m; }\n`)
    const revalidated: string[] = []
    const release = async (options: VersioningOptions) => {
      const app = bareApp(t)
      await app.register(versioning, options)
      for (const [path, maxAge] of [['/fresh', 3600], ['/stale', 1]] as const) {
        app.get(path, async ({ headers, version }, reply) => {
          reply.headers({ 'cache-control': `public, max-age=${maxAge}`, etag: '"1"' })
          if (headers['if-none-match'] === undefined) return reply.send(version ?? 'before')
          revalidated.push(path)
          return reply.code(304).send()
        })
      }
      await origin.release(app)
    }
    await release({})
    for (const path of ['/fresh', '/stale']) t.equal((await ask(path)).body, 'before')
    await release({ scheme: HeaderVersioning, ...versions })
    const v2 = { 'api-version': 'v2' }
    t.equal((await ask('/fresh', v2)).body, 'before', 'it must be purged')
    for (let asked = 0; asked < 200 && revalidated.length === 0; asked++) {
      await ask('/stale')
      await setTimeout(50)
    }
    t.equal((await ask('/stale', v2)).body, 'v2', 'the 304 has Vary')
  })
}

t.test('behind nginx all clients get the default version if the name of the header has "_"', {
  skip: missing('nginx')
}, async (t) => {
  const warnings: unknown[] = []
  const note = ({ code }: Error & { code?: string }) => { warnings.push(code) }
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const origin = await originOf(t)
  const { ask } = await gatewayOf(t, 'nginx', origin.port)
  const { app } = await appWith(t, { scheme: HeaderVersioning, versionHeader: 'api_version', ...versions })
  await origin.release(app)
  t.equal(JSON.parse((await ask('/a', { api_version: 'v2' })).body).version, 'v1')
  t.same(warnings, ['FST_WARN_VERSION_HEADER'])
})
