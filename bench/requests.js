/**
 * What a request costs under each scheme, beside the same app with an empty onRequest hook: CPU time of the process, by
 * inject, in turns. Vary, preflights and the rest of it must not slow a route whose version is in the URL.
 */
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

import versioning, {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../dist/index.js'

const ROUNDS = Number(process.env.ROUNDS ?? 60)
const CALLS = Number(process.env.CALLS ?? 1_000)

const contestants = [
  { name: 'without any hook', app: await appWith(() => {}), request: { url: '/v1/rooms/7' } },
  { name: 'URLPathVersioning', app: await appUnder(URLPathVersioning), request: { url: '/v1/rooms/7' } },
  { name: 'NamespaceVersioning', app: await appUnder(NamespaceVersioning), request: { url: '/ns/rooms/7' } },
  {
    name: 'HostNameVersioning',
    app: await appUnder(HostNameVersioning),
    request: { url: '/v1/rooms/7', headers: { host: 'v1.example.com' } }
  },
  {
    name: 'QueryParameterVersioning',
    app: await appUnder(QueryParameterVersioning),
    request: { url: '/v1/rooms/7?version=v1' }
  },
  {
    name: 'AcceptHeaderVersioning',
    app: await appUnder(AcceptHeaderVersioning),
    request: { url: '/v1/rooms/7', headers: { accept: 'application/json;version=v1' } }
  },
  {
    name: 'beside a version that ends',
    app: await appUnder(URLPathVersioning, { lifecycle: { v2: { deprecated: '2026-01-01' } } }),
    request: { url: '/v1/rooms/7' }
  },
  {
    name: 'of a version that ends',
    app: await appUnder(URLPathVersioning, { lifecycle: { v1: { deprecated: '2026-01-01' } } }),
    request: { url: '/v1/rooms/7' }
  },
  {
    name: 'version-neutral route',
    app: await appUnder(AcceptHeaderVersioning),
    request: { url: '/neutral/7', headers: { accept: 'application/json;version=v1' } }
  }
]

const baseline = await appWith((app) => app.addHook('onRequest', (_request, _reply, done) => done()))

for (const { name, app, request } of contestants) {
  const isVersioned = app.hasRequestDecorator('version') && !request.url.startsWith('/neutral')
  assert.equal((await app.inject(request)).body, isVersioned ? '{"version":"v1"}' : '{"version":null}')
  await time(app, request)
  await time(baseline, request)
  const ratios = []
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [app, baseline] : [baseline, app]
    const times = new Map()
    for (const one of order) times.set(one, await time(one, request))
    ratios.push(times.get(app) / times.get(baseline))
  }
  ratios.sort((a, b) => a - b)
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => ratios[Math.floor(ratios.length * part)].toFixed(3))
  console.log(`${name.padEnd(25)} ${middle} × an empty hook (quartiles ${low} to ${high})`)
}

/** Microseconds of CPU time, user and system, for a row of requests. */
async function time (app, request) {
  const start = process.cpuUsage()
  for (let i = 0; i < CALLS; i++) {
    await app.inject(request)
    // Without a turn of the event loop now and then nothing that a request leaves behind is collected.
    if (i % 50 === 0) await setImmediate()
  }
  const { user, system } = process.cpuUsage(start)
  return user + system
}

function appUnder (scheme, options) {
  return appWith((app) => app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'], ...options }))
}

async function appWith (prepare) {
  const app = Fastify()
  await prepare(app)
  const tell = async (request) => ({ version: request.version ?? null })
  app.get('/:version/rooms/:room', tell)
  app.get('/neutral/:room', { versioning: false }, tell)
  app.register(async (scope) => { scope.get('/rooms/:room', tell) }, { prefix: '/ns', namespace: 'v1' })
  await app.ready()
  return app
}
