import t from 'tap'

import { BaseVersioning, VersionGoneError } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending, lifecycle, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyError, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const handler = async () => 'ok'
const enforced: VersioningOptions = { enforceSunset: true, now: clockAt(SUNSET).now }

const GONE = {
  statusCode: 410,
  code: 'FST_ERR_VERSION_GONE',
  error: 'Gone',
  message: "Version 'v1' was retired on Thu, 31 Dec 2026 23:59:59 GMT."
}

t.test('a version is gone from its sunset on', async (t) => {
  const { now, set } = clockAt('2026-12-31T23:59:58.999Z')
  const app = await appWith(t, { ...ending, enforceSunset: true, now })
  app.get('/', handler)
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
  set(SUNSET)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.same(response.json(), GONE)
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
  set('2026-06-01')
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
})

t.test('without the option now the clock is the clock of the machine', async (t) => {
  const lifecycle = { v1: { sunset: '2001-01-01' }, v2: { sunset: '9999-12-31' } }
  const app = await appWith(t, { ...ending, enforceSunset: true, lifecycle })
  app.get('/', handler)
  t.equal((await app.inject('/?version=v1')).statusCode, 410)
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
})

t.test('a version past its sunset is served without enforceSunset', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { sunset: '2001-01-01' } } })
  app.get('/', handler)
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
})

t.test('a default version can be gone', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, defaultVersion: 'v1' })
  app.get('/', handler)
  t.equal((await app.inject('/')).statusCode, 410)
})

t.test('a 410 response has the headers of the ending, and links to successors', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } } })
  app.get('/', handler)
  const response = await app.inject('/?version=v1')
  t.match(response.headers, { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' })
  t.same(linksOf(response), [
    'deprecation /leaving', 'sunset /leaving', 'successor-version /?version=v2', 'latest-version /?version=v3'
  ])
})

t.test('a HEAD of a version that is gone is answered 410', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced })
  app.get('/', handler)
  t.equal((await app.inject({ url: '/?version=v1', method: 'HEAD' })).statusCode, 410)
})

t.test('an error handler knows the version that is gone, and the versions that are left', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced, logVersion: true })
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    reply.code(error.statusCode ?? 500)
    const isGone = error instanceof VersionGoneError
    return { isGone, allowed: isGone && error.allowedVersions, version: request.version, self: reply.reverse() }
  })
  app.get('/', handler)
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
  t.same(seen, [GONE.message])
})

t.test('an asynchronous scheme refuses a version that is gone', async (t) => {
  class Promised extends BaseVersioning {
    override async determineVersion (request: FastifyRequest) {
      return this.permit(request.headers['x-version']?.toString())
    }
  }
  const app = await appWith(t, { ...ending, ...enforced, scheme: Promised })
  app.get('/', handler)
  t.same((await app.inject({ url: '/', headers: { 'x-version': 'v1' } })).json(), GONE)
})

interface Clock { says: string, now: unknown, shown: string }

const clocks: Clock[] = [
  { says: 'throws', now: () => { throw new TypeError('broken') }, shown: 'an error.' },
  { says: 'throws nothing', now: () => { throw null }, shown: 'an error.' }, // eslint-disable-line no-throw-literal
  { says: 'returns no number', now: () => '2026', shown: "'2026'" },
  { says: 'returns NaN', now: () => NaN, shown: 'NaN' },
  { says: 'returns a promise', now: async () => { throw new Error('late') }, shown: 'Promise.' },
  { says: 'returns nothing', now: () => null, shown: 'null.' },
  { says: 'returns an object without a class', now: () => Object.create(null), shown: 'an object.' }
]

for (const { says, now, shown } of clocks) {
  t.test(`a clock that ${says} causes an error of the server`, async (t) => {
    const app = await appWith(t, { ...ending, enforceSunset: true, reportVersions: true, now: now as never })
    app.get('/', handler)
    for (const version of ['v1', 'v9']) {
      const response = await app.inject(`/?version=${version}`)
      t.equal(response.statusCode, 500)
      t.match(response.json(), {
        code: 'FST_ERR_VERSION_CLOCK',
        message: `The option "now" must return milliseconds since the epoch, got ${shown}`
      })
    }
  })
}

t.test('the error that a clock throws is the cause of the error of the server', async (t) => {
  const cause = new TypeError('broken')
  const app = await appWith(t, { ...ending, enforceSunset: true, now: () => { throw cause } })
  app.setErrorHandler<Error>((error, _request, reply) => { reply.send({ isCause: error.cause === cause }) })
  app.get('/', handler)
  t.same((await app.inject('/?version=v1')).json(), { isCause: true })
})

t.test('the clock is not read for a version that does not end', async (t) => {
  const app = await appWith(t, { ...ending, enforceSunset: true, now: () => NaN })
  app.get('/', { version: ['v3'] }, handler)
  t.equal((await app.inject('/?version=v3')).statusCode, 200)
})

t.test('a version past its sunset is served without enforceSunset, even where the clock is read', async (t) => {
  const app = await appWith(t, { ...ending, reportVersions: true, now: clockAt('2027-06-01').now })
  app.get('/', handler)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 200)
  t.equal(response.headers['api-supported-versions'], 'v1, v2, v3')
})
