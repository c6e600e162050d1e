import rateLimit from '@fastify/rate-limit'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Change } from '../../types/index.d.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }

const keyGenerator = (request: FastifyRequest) => `${request.ip} ${request.version}`
const register = (app: FastifyInstance) => app.register(rateLimit, { max: 1, keyGenerator })

/** Two requests for a client, whatever they come to. */
async function limitAll (app: FastifyInstance, keyGenerator = (request: FastifyRequest) => request.ip): Promise<void> {
  await app.register(rateLimit, { global: false, max: 2, keyGenerator })
  app.addHook('onRequest', app.rateLimit())
}

async function version (request: FastifyRequest) {
  return { version: request.version }
}

/** The status of each of several requests, one after the other. */
async function statusesOf (app: FastifyInstance, urls: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const url of urls) statuses.push((await app.inject(url)).statusCode)
  return statuses
}

/** In v2 the user of a login got another name. */
const change: Change = {
  version: 'v2',
  description: 'A user is a name.',
  routes: {
    login: {
      older: { body: { type: 'object', properties: { user: { type: 'string' } }, additionalProperties: false } },
      body: { upgrade: ({ user }) => ({ name: user }) }
    }
  }
}

for (const [says, statuses, limit] of [
  [
    'config.rateLimit has one count for all versions', [200, 429, 429, 429],
    () => ({ config: { rateLimit: { max: 1 } } })
  ],
  ['a hook has one count for all versions', [200, 429, 429, 429], (app) => ({ onRequest: app.rateLimit({ max: 1 }) })]
] satisfies [string, number[], (app: FastifyInstance) => RouteShorthandOptions][]) {
  t.test(`${says} of a route with changes`, async (t) => {
    const app = await appInOrder(t, orders[0], { ...byQuery, changes: [change] }, (app) => (
      app.register(rateLimit, { global: false })
    ))
    const body = { type: 'object', properties: { name: { type: 'string' } } }
    app.post('/login', { name: 'login', schema: { body }, ...limit(app) }, version)
    const found: number[] = []
    for (const version of ['v1', 'v1', 'v2', 'v2']) {
      found.push((await app.inject({ method: 'POST', url: `/login?version=${version}`, payload: {} })).statusCode)
    }
    t.same(found, statuses)
  })
}

for (const order of orders) {
  t.test(`each version has its own limit, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', version)
    const urls = ['/bookings?version=v1', '/bookings?version=v1', '/bookings?version=v2', '/bookings?version=v2']
    t.same(await statusesOf(app, urls), [200, 429, 200, 429])
  })

  t.test(`the limit of a version-neutral route is without a version, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/health', { versioning: false }, version)
    t.same(await statusesOf(app, ['/health?version=v1', '/health?version=v2']), [200, 429])
  })

  t.test(`a refusal does not count, with rate-limit ${order}`, async (t) => {
    const keys: string[] = []
    const app = await appInOrder(t, order, byQuery, (app) => app.register(rateLimit, {
      max: 1,
      keyGenerator (request) {
        keys.push(String(request.version))
        return ''
      }
    }))
    app.get('/bookings', version)
    const urls = ['/bookings?version=v9', '/bookings?version=v9', '/bookings?version=v1']
    t.same(await statusesOf(app, urls), [404, 404, 200])
    t.same(keys, ['v1'])
  })

  t.test(`a route may have its own limit and scheme, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.get('/bookings', {
      name: 'bookings', versioning: AcceptHeaderVersioning, config: { rateLimit: { max: 2 } }
    }, version)
    t.same(await statusesOf(app, ['/bookings', '/bookings', '/bookings']), [406, 406, 406])
    const answers = []
    for (let i = 0; i < 3; i++) {
      answers.push(await app.inject({ url: '/bookings', headers: { accept: 'a/b; version=v2' } }))
    }
    t.same(answers.map(({ statusCode }) => statusCode), [200, 200, 429])
  })

  t.test(`the number of allowed requests may depend on the version, with rate-limit ${order}`, async (t) => {
    const max = (request: FastifyRequest) => request.version === 'v2' ? 2 : 1
    const app = await appInOrder(t, order, byQuery, (app) => app.register(rateLimit, { max, keyGenerator }))
    app.get('/bookings', version)
    const urls = ['/bookings?version=v1', '/bookings?version=v1', '/bookings?version=v2', '/bookings?version=v2']
    t.same(await statusesOf(app, urls), [200, 429, 200, 200])
  })

  t.test(`unknown URLs are limited without a version, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, byQuery, register)
    app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (_request, reply) => reply.code(404).send())
    t.same(await statusesOf(app, ['/nowhere?version=v1', '/nowhere?version=v2']), [404, 429])
  })

  t.test(`a 429 varies on Accept, with rate-limit ${order}`, async (t) => {
    const app = await appInOrder(t, order, { ...byQuery, scheme: AcceptHeaderVersioning }, register)
    app.get('/bookings', version)
    const request = { url: '/bookings', headers: { accept: 'a/b; version=v2' } }
    await app.inject(request)
    const response = await app.inject(request)
    t.equal(response.statusCode, 429)
    t.same(varyOf(response), ['accept'])
  })
}

t.test('a limit in a hook before the plugin counts refusals as well', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, limitAll)
  app.get('/bookings', version)
  t.same(await statusesOf(app, Array(5).fill('/bookings?version=v9')), [404, 404, 429, 429, 429])
})

t.test('a limit in a hook before the plugin counts refusals together with other responses', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, limitAll)
  app.get('/bookings', version)
  const urls = ['/bookings?version=v9', '/bookings?version=v1', '/bookings?version=v1', '/bookings?version=v9']
  t.same(await statusesOf(app, urls), [404, 200, 429, 429])
})

t.test('a limit in a hook before the plugin counts unknown URLs as well', async (t) => {
  const app = await appInOrder(t, 'registered before the plugin', byQuery, limitAll)
  t.same(await statusesOf(app, Array(3).fill('/nowhere')), [404, 404, 429])
})

for (const [own, what] of [[{ max: 9 }, 'its own limit'], [false, 'none']] as const) {
  t.test(`a limit in a hook before the plugin also applies to a route with ${what}`, async (t) => {
    const app = await appInOrder(t, 'registered before the plugin', byQuery, limitAll)
    app.get('/bookings', { config: { rateLimit: own } }, version)
    t.same(await statusesOf(app, Array(3).fill('/bookings?version=v1')), [200, 200, 429])
  })
}

t.test('a limit in a hook before the plugin does not know the version', async (t) => {
  const versions: unknown[] = []
  const app = await appInOrder(t, 'registered before the plugin', byQuery, (app) => limitAll(app, (request) => {
    versions.push(request.version)
    return ''
  }))
  app.get('/bookings', version)
  await app.inject('/bookings?version=v1')
  t.same(versions, [null])
})

class Limits {
  /** A getter, which a copy of the fields would not have. */
  get rateLimit () { return { max: 1, timeWindow: '1 minute' } }
}

for (const order of orders) {
  for (const route of [{}, { version: 'v1' }, { versioning: false as const }]) {
    t.test(`limits of a class in the config of a route with ${JSON.stringify(route)} apply, ${order}`, async (t) => {
      const app = await appInOrder(t, order, byQuery, (app) => app.register(rateLimit, { global: false }))
      app.get('/bookings', { ...route, config: new Limits() }, version)
      t.same(await statusesOf(app, ['/bookings?version=v1', '/bookings?version=v1']), [200, 429])
    })
  }
}
