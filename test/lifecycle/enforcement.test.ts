import t from 'tap'

import versioning, { AcceptHeaderVersioning, URLPathVersioning, VersionError } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending, lifecycle, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyError } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const enforced: VersioningOptions = { enforceSunset: true, now: clockAt(SUNSET).now }
const GONE = "Version 'v1' was retired on Thu, 31 Dec 2026 23:59:59 GMT. Versions: v2, v3."

t.test('a version is gone from its sunset on', async (t) => {
  const { now, set } = clockAt('2026-12-31T23:59:58.999Z')
  const app = await appWith(t, { ...ending, enforceSunset: true, now, defaultVersion: 'v1' })
  app.get('/', ok)
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
  set(SUNSET)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.match(response.json(), { code: 'FST_ERR_VERSION_GONE', message: GONE })
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
  t.equal((await app.inject('/')).statusCode, 410, 'the default version')
  set('2026-06-01')
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
})

t.test('the clock is by default that of the machine, and without enforceSunset nothing is gone', async (t) => {
  const past = { v1: { deprecated: '2001-01-01' }, v2: { sunset: '2001-01-01' }, v3: { sunset: '9999-12-31' } }
  for (const enforceSunset of [true, false]) {
    const app = await appWith(t, { ...ending, lifecycle: past, enforceSunset, reportVersions: true })
    app.get('/', ok)
    t.equal((await app.inject('/?version=v2')).statusCode, enforceSunset ? 410 : 200)
    const response = await app.inject('/?version=v1')
    t.equal(response.headers['api-supported-versions'], enforceSunset ? 'v1, v3' : 'v1, v2, v3')
    t.equal(linksOf(response)[0], `successor-version /?version=${enforceSunset ? 'v3' : 'v2'}`)
    t.equal((await app.inject('/?version=v3')).statusCode, 200)
  }
})

t.test('a 410 response has retirement headers, and links to successors', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } } })
  app.get('/', ok)
  const response = await app.inject('/?version=v1')
  t.match(response.headers, { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' })
  t.same(linksOf(response), [
    'deprecation /leaving', 'sunset /leaving', 'successor-version /?version=v2', 'latest-version /?version=v3'
  ])
})

t.test('an error handler knows the version that is gone, and the versions that are left', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, logVersion: true })
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    reply.code(error.statusCode ?? 500)
    const isGone = error instanceof VersionError
    return { isGone, allowed: isGone && error.allowedVersions, version: request.version, self: reply.reverse() }
  })
  app.get('/', ok)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.same(response.json(), { isGone: true, allowed: ['v2', 'v3'], version: 'v1', self: '/?version=v1' })
})

t.test('no later hook and no handler runs for a version that is gone', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced })
  const seen: string[] = []
  app.addHook('onRequest', async () => { seen.push('onRequest') })
  app.addHook('onError', async (_request, _reply, error) => { seen.push(error.message) })
  app.get('/', async () => { seen.push('handler') })
  await app.inject('/?version=v1')
  t.same(seen, [GONE])
})

t.test('a 410 of a version must not be stored, whoever throws it', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced })
  app.get('/', ok)
  app.get('/hook', { onRequest: async () => { throw new VersionError('gone', 'No more.') } }, ok)
  app.get('/handler', async () => { throw new VersionError('gone', 'No more.') })
  app.get('/own', async () => { throw Object.assign(new Error('No more.'), { statusCode: 410 }) })
  app.get('/other', async () => { throw new VersionError('notFound', 'Not here.') })
  app.register(async (child) => {
    child.setErrorHandler(async (_error, _request, reply) => reply.code(410).send('mine'))
    child.get('/handled', ok)
  })
  for (const [path, cache] of [
    ['/?version=v1', 'no-store'],
    ['/handled?version=v1', 'no-store'],
    ['/hook?version=v2', 'no-store'],
    ['/handler?version=v2', 'no-store'],
    ['/own?version=v2', undefined],
    ['/?version=v9', undefined],
    ['/other?version=v2', undefined]
  ] as const) t.equal((await app.inject(path)).headers['cache-control'], cache, path)
})

t.test('a registration applies to routes declared before it in its context', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: null })
  app.register(async (context) => {
    context.get('/', async (_request, reply) => reply.header('link', '</next>; rel="next"').send('ok'))
    await context.register(versioning, { lifecycle, ...enforced })
  })
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.same(linksOf(await app.inject('/?version=v2')), [
    'next /next', 'successor-version /?version=v3', 'latest-version /?version=v3'
  ])
})

t.test('the retirement of a route has priority over the retirement of its version', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, scheme: URLPathVersioning })
  const deprecated = { deprecated: '2026-02-01', info: '/moved' }
  app.get('/:version/old', { deprecated }, ok)
  for (const [version, links] of [
    ['v1', ['successor-version /v2/old', 'latest-version /v3/old']],
    ['v2', ['successor-version /v3/old', 'latest-version /v3/old']],
    ['v3', []]
  ]) {
    const response = await app.inject(`/${version as string}/old`)
    t.equal(response.statusCode, 200)
    t.match(response.headers, { deprecation: '@1769904000', sunset: undefined })
    t.same(linksOf(response), ['deprecation /moved', ...links])
  }
})

t.test('the retirement of a route is enforced, whichever version is requested', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, lifecycle: null })
  app.get('/', { deprecated: { sunset: SUNSET } }, ok)
  app.get('/other', ok)
  const response = await app.inject('/?version=v3')
  t.equal(response.statusCode, 410)
  t.equal(response.json().message, 'This URL was retired on Thu, 31 Dec 2026 23:59:59 GMT.')
  t.equal((await app.inject({ url: '/?version=v3', method: 'HEAD' })).statusCode, 410)
  t.same(linksOf(await app.inject('/?version=v1')), [], 'no version of it follows')
  t.equal((await app.inject('/other?version=v3')).statusCode, 200)
})

t.test('the retirement of a route that has its own scheme is applied', async (t) => {
  const app = await appWith(t, { ...ending, scheme: null, lifecycle: null })
  const deprecated = { deprecated: '2026-01-01', info: '/moved' }
  app.get('/', { versioning: AcceptHeaderVersioning, deprecated }, async (_request, reply) => {
    return reply.header('link', '</next>; rel="next"').send('')
  })
  const response = await app.inject({ url: '/', headers: { accept: '*/*;version=v1' } })
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), ['next /next', 'deprecation /moved'])
})
