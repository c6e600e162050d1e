import Fastify from 'fastify'
import createClient from 'openapi-fetch'
import t from 'tap'
import { Agent, Client, request } from 'undici'

import { versionedFetch, versionInterceptor, versionMiddleware } from '../../src/client/index.ts'
import versioning, { NamespaceVersioning } from '../../src/index.ts'
import { urlOf } from './fixtures.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { PathPlace, VersionedFetchOptions, VersionNotice } from '../../types/client.d.ts'

const AT = 'https://api.example.com'
const root: PathPlace = { path: '/api/{version}', unversioned: { v1: '/' } }
const sibling: PathPlace = { path: '/api/{version}', unversioned: { v1: '/api' } }
const gateway: PathPlace = { path: '/gate/way/{version}', unversioned: { v1: '/gate' } }
const several: PathPlace = { path: '/api/{version}', unversioned: { v1: '/old', v2: '/old/second' } }
const short: PathPlace = { path: '/{version}', unversioned: { v1: '/' } }

interface UrlCase { place: PathPlace, url: string, v1: string, v2?: string, v3?: string }

const cases: UrlCase[] = [
  { place: root, url: '/bookings', v1: '/bookings', v2: '/api/v2/bookings' },
  { place: root, url: '/api/v2/bookings', v1: '/bookings', v2: '/api/v2/bookings', v3: '/api/v3/bookings' },
  { place: root, url: '/api/v1/bookings', v1: '/bookings', v2: '/api/v2/bookings' },
  { place: root, url: '/api/v2', v1: '/', v2: '/api/v2' },
  { place: root, url: '/api/v2/', v1: '/', v2: '/api/v2/' },
  { place: root, url: '/', v1: '/', v2: '/api/v2/' },
  { place: root, url: '/bookings/', v1: '/bookings/', v2: '/api/v2/bookings/' },
  { place: root, url: '/api/v2/bookings/', v1: '/bookings/', v2: '/api/v2/bookings/' },
  { place: root, url: '/api/v3?a=/api/v1#/api/v1', v1: '/?a=/api/v1#/api/v1', v3: '/api/v3?a=/api/v1#/api/v1' },
  { place: root, url: '/api/keys', v1: '/api/keys', v2: '/api/v2/api/keys' },
  { place: root, url: '/API/v2/x', v1: '/API/v2/x', v2: '/api/v2/API/v2/x' },
  { place: root, url: '/api/%2e%2e/x', v1: '/x', v2: '/api/v2/x' },
  { place: root, url: '/x/../api/./v3/x', v1: '/x', v2: '/api/v2/x' },
  { place: root, url: '/api/v2//x', v1: '//x', v2: '/api/v2//x' },
  { place: sibling, url: '/api/bookings', v1: '/api/bookings', v2: '/api/v2/bookings' },
  { place: sibling, url: '/api/v2/bookings', v1: '/api/bookings', v2: '/api/v2/bookings' },
  { place: sibling, url: '/api/v2', v1: '/api', v2: '/api/v2' },
  { place: sibling, url: '/api', v1: '/api', v2: '/api/v2' },
  { place: sibling, url: '/api/', v1: '/api/', v2: '/api/v2/' },
  { place: sibling, url: '/apis/v2', v1: '/apis/v2', v2: '/apis/v2' },
  { place: sibling, url: '/health', v1: '/health', v2: '/health' },
  { place: gateway, url: '/gate/bookings', v1: '/gate/bookings', v2: '/gate/way/v2/bookings' },
  { place: gateway, url: '/gate/way/v3/bookings', v1: '/gate/bookings', v2: '/gate/way/v2/bookings' },
  { place: gateway, url: '/bookings', v1: '/bookings', v2: '/bookings' },
  { place: several, url: '/old/x', v1: '/old/x', v2: '/old/second/x', v3: '/api/v3/x' },
  { place: several, url: '/old/second/x', v1: '/old/x', v2: '/old/second/x', v3: '/api/v3/x' },
  { place: several, url: '/api/v3/x', v1: '/old/x', v2: '/old/second/x', v3: '/api/v3/x' },
  { place: several, url: '/api/x', v1: '/api/x', v2: '/api/x', v3: '/api/x' },
  { place: short, url: '/bookings', v1: '/bookings', v2: '/v2/bookings' },
  { place: short, url: '/v2/bookings', v1: '/bookings', v2: '/v2/bookings' },
  { place: short, url: '/v2x/bookings', v1: '/v2x/bookings', v2: '/v2/v2x/bookings' }
]

for (const { place, url, ...versions } of cases) {
  for (const [version, expected] of Object.entries(versions)) {
    t.test(`"${url}" becomes "${expected}" for ${version} by ${JSON.stringify(place)}`, async (t) => {
      t.equal(new URL(await urlOf(place, AT + url, version)).href, AT + expected)
    })
  }
}

t.test('a path stays a path outside a page, even if it begins with two slashes', async (t) => {
  t.equal(await urlOf(root, '/api/v2/bookings?a', 'v1'), '/bookings?a')
  t.equal(await urlOf(root, '/api/v2?a', 'v1'), '/?a')
  t.equal(await urlOf(root, '/bookings', 'v2'), '/api/v2/bookings')
  for (const path of ['/api/v2//other.net/x', '/a/..//api/..//other.net/x', '/api/v2/./\\other.net/x']) {
    const { origin } = new URL(await urlOf(root, path, 'v1'), AT)
    t.equal(origin, AT)
  }
})

t.test('a member name that every object has is not an unversioned version', async (t) => {
  t.equal(await urlOf(root, `${AT}/x`, 'constructor'), `${AT}/api/constructor/x`)
})

/** Calls `path` of an API, whose v1 has no version in its URLs, by one of the ways to call it. */
type Caller = (t: Test, origin: string, path: string, options: VersionedFetchOptions) => Promise<unknown>

const callers: Record<string, Caller> = {
  fetch: async (_t, origin, path, options) => (await versionedFetch(options)(origin + path)).json(),
  'fetch with a Request': async (_t, origin, path, options) => (
    (await versionedFetch(options)(new Request(origin + path))).json()
  ),
  'an Agent of undici': async (t, origin, path, options) => {
    const agent = new Agent()
    t.teardown(() => agent.close())
    return (await request(origin + path, { dispatcher: agent.compose(versionInterceptor(options)) })).body.json()
  },
  'a Client of undici': async (t, origin, path, options) => {
    const client = new Client(origin)
    t.teardown(() => client.close())
    return (await client.compose(versionInterceptor(options)).request({ path, method: 'GET' })).body.json()
  },
  'openapi-fetch': async (_t, origin, path, options) => {
    const client = createClient<Record<string, Record<'get', object>>>({ baseUrl: origin })
    client.use(versionMiddleware(options))
    return (await (client.GET as (path: string) => Promise<{ data?: unknown }>)(path)).data
  }
}

for (const [name, call] of Object.entries(callers)) {
  t.test(`${name} requests either version from the URL of either version`, async (t) => {
    const origin = await listening(t)
    for (const path of ['/bookings/7', '/api/v2/bookings/7']) {
      for (const [version, url] of [['v1', '/bookings/7'], ['v2', '/api/v2/bookings/7']]) {
        const notices: VersionNotice[] = []
        const options = { version, place: root, origins: [origin], onNotice: (one: VersionNotice) => notices.push(one) }
        t.same(await call(t, origin, path, options), { version, url })
        t.same(notices.map(({ version }) => version), version === 'v1' ? ['v1'] : [])
      }
    }
  })
}

t.test('calls to other origins keep their URL', async (t) => {
  const options = { version: 'v2', place: root, origins: [AT] }
  const urls: string[] = []
  const api = versionedFetch(options, async (input) => {
    urls.push(String(input))
    return new Response()
  })
  for (const origin of [AT, 'https://other.example.com']) await api(`${origin}/bookings`)
  t.same(urls, [`${AT}/api/v2/bookings`, 'https://other.example.com/bookings'])
})

/** Returns the origin of an API whose v1, which is deprecated, has URLs without a version. */
async function listening (t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(versioning, {
    scheme: NamespaceVersioning, defaultVersion: 'v1', lifecycle: { v1: { deprecated: '2020-01-01' } }
  })
  const routes = async (scope: FastifyInstance) => {
    scope.get('/bookings/:id', async ({ version, url }) => ({ version, url }))
  }
  app.register(routes)
  app.register(routes, { prefix: '/api/v2', namespace: 'v2' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}
