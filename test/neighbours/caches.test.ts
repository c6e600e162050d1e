import compress from '@fastify/compress'
import cors from '@fastify/cors'
import t from 'tap'
import { Agent, cacheStores, interceptors } from 'undici'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import versioning from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { places, requestOf } from '../fixtures/places.ts'
import { fc } from '../fixtures/property.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import type { Naming, Place } from '../fixtures/places.ts'

const COUNT = 400
const CLIENTS = 8

/** What must be the same, with a cache and without. */
const HEADERS = [
  'content-type', 'served-version', 'deprecation', 'sunset', 'link', 'api-supported-versions',
  'api-deprecated-versions', 'access-control-allow-origin'
]

/** The places of each context, and other ways to write a version there. */
const contexts: [name: string, list: Place[], ...others: ((version: string) => Naming)[]][] = [
  ...Object.values(places).map((place): [string, Place[]] => [place.place, [place]]),
  ['several', [places.accept, places.header]],
  ['accept', [], (version) => ({ headers: { accept: `application/json;version=${version}` } })],
  ['query', [], (version) => ({ query: { page: '2', version } })]
]
const namings = contexts.flatMap(([name, list, ...others]) => (
  [...list.map(({ naming }) => naming), ...others].map((naming) => ({ name, naming }))
))

const requests = fc.record({
  method: fc.constantFrom<'GET' | 'HEAD'>('GET', 'GET', 'GET', 'HEAD'),
  naming: fc.constantFrom(...namings),
  version: fc.constantFrom(null, 'v1', 'v2', 'v3', 'v9'),
  path: fc.constantFrom('/bookings', '/rates', '/old', '/nowhere'),
  more: fc.record({
    'accept-encoding': fc.constantFrom('gzip', 'br'), origin: fc.constantFrom('https://a.example', 'https://b.example')
  }, { requiredKeys: [] })
}).map(({ method, naming: { name, naming }, version, path: probe, more }) => {
  const { url, query, headers } = requestOf(probe, version === null ? {} : naming(version))
  const { host = 'api.local', ...own } = headers as Record<string, string>
  const search = query === undefined ? '' : `?${new URLSearchParams(query as Record<string, string>)}`
  return { method, host, path: `/${name}${url as string}${search}`, headers: { ...own, ...more as typeof own } }
})
type Asked = typeof requests extends fc.Arbitrary<infer One> ? One : never

/** An app with a context for each scheme, alone or next to compress and cors. All that it answers may be cached. */
async function originOf (app: FastifyInstance, isCrowded: boolean): Promise<number> {
  app.addHook('onSend', async (_request, reply) => { reply.header('Cache-Control', 'public, max-age=600') })
  if (isCrowded) {
    await app.register(compress, { threshold: 0 })
    await app.register(cors, { origin: true })
  }
  await app.register(versioning, {
    allowedVersions: ['v1', 'v2', 'v3'],
    defaultVersion: 'v1',
    servedVersion: 'Served-Version',
    reportVersions: true,
    lifecycle: { v1: { deprecated: '2026-01-01' }, v3: { sunset: '2026-01-01' } },
    enforceSunset: true
  })
  for (const [name, list] of contexts) {
    const schemes = list.map(({ Scheme }) => Scheme)
    if (schemes.length === 0) continue
    app.register(async (context) => {
      await context.register(versioning, { scheme: schemes.length === 1 ? schemes[0] : schemes })
      declare(context, name)
    }, { prefix: `/${name}` })
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

function declare (app: FastifyInstance, name: string): void {
  if (name === 'path') {
    app.get('/:version/bookings', answer)
  } else if (name === 'namespace') {
    for (const version of ['v1', 'v2', 'v3', 'v9']) {
      app.register(async (app) => { app.get('/bookings', answer) }, { prefix: `/in-${version}`, namespace: version })
    }
  } else {
    app.get('/bookings', answer)
    app.get('/rates', { version: 'v1' }, async (request) => ['the old rates', request.version])
    app.get('/rates', { version: { from: 'v2' } }, async (request) => ['the rates', request.version])
    app.get('/old', { version: 'v1' }, async (request) => ['only in v1', request.version])
  }
}

async function answer ({ version, url }: FastifyRequest) {
  return { version, url, text: 'so long that it is worth to be compressed. '.repeat(4) }
}

/** A shared cache in front of a port. It knows hosts by their names, which all lead there. */
function cacheOf (agent: Agent, port: number) {
  const store = new cacheStores.MemoryCacheStore({ maxCount: 100_000 })
  const cache: Dispatcher = agent.compose(interceptors.cache({ store, type: 'shared' }))
  return async ({ host, path, method, headers }: Asked) => {
    const response = await cache.request({ origin: `http://${host}:${port}`, path, method, headers })
    return answerOf(response.statusCode, response.headers, Buffer.from(await response.body.arrayBuffer()))
  }
}

function answerOf (status: number, headers: Record<string, unknown>, raw: Buffer) {
  // A link has the port that was asked.
  const own = Object.fromEntries(HEADERS.map((name) => [name, String(headers[name] ?? '').replace(/:\d+(?=\/)/g, '')]))
  const { 'content-encoding': encoding } = headers
  const body = raw.length > 0 && encoding === 'gzip'
    ? gunzipSync(raw)
    : raw.length > 0 && encoding === 'br' ? brotliDecompressSync(raw) : raw
  return { status, body: body.toString(), headers: own }
}

for (const isCrowded of [false, true]) {
  const where = isCrowded ? 'with compress and cors' : 'without other plugins'
  t.test(`behind a shared cache no client gets the answer of another version, ${where}`, async (t) => {
    const app = bareApp(t)
    let arrived = 0
    app.server.on('request', () => { arrived++ })
    const port = await originOf(app, isCrowded)
    const lookup = (_host: string, _options: unknown, done: (error: null, addresses: object[]) => void) => (
      done(null, [{ address: '127.0.0.1', family: 4 }])
    )
    const agent = new Agent({ connect: { lookup } as object })
    t.teardown(() => agent.close())
    const send = cacheOf(agent, port)
    const wrong: unknown[] = []
    const statuses = new Set<number>()
    const queue = fc.sample(requests, { numRuns: COUNT, seed: 7 }).values()
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      for (const asked of queue) {
        const found = await send(asked)
        const { method, path: url, headers, host } = asked
        const response = await app.inject({ method, url, headers: { ...headers, host } })
        const wanted = answerOf(response.statusCode, response.headers, response.rawPayload)
        statuses.add(found.status)
        if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push({ asked, found, wanted })
      }
    }))
    t.same(wrong.slice(0, 3), [], 'every answer is the one for this request')
    t.same([200, 400, 404, 406, 410, 415].filter((status) => !statuses.has(status)), [], 'refusals are among them')
    t.ok(COUNT - arrived > COUNT / 10, `${COUNT - arrived} of ${COUNT} are answered by the cache`)
  })
}
