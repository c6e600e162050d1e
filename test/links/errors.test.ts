import { Writable } from 'node:stream'
import { inspect } from 'node:util'
import t from 'tap'

import { BaseVersioning, NamespaceVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'
import type { ReverseOptions } from '../../types/index.d.ts'

const MESSAGE = "No route is named 'bokings'. Did you mean 'bookings'?"

async function appWithBookings (t: Test): Promise<FastifyInstance> {
  const app = await appWith(t)
  app.get('/bookings', { name: 'bookings' }, async () => '')
  return app
}

/** The error of a link to a name that is not known. */
async function failure (t: Test): Promise<FastifyError> {
  const app = await appWithBookings(t)
  try {
    app.reverse('bokings')
  } catch (error) {
    return error as FastifyError
  }
  throw new Error('There must be no link.')
}

t.test('the error of a link is like the errors of Fastify', async (t) => {
  const error = await failure(t)
  t.ok(error instanceof Error)
  t.equal(error.name, 'FastifyError')
  t.equal(error.message, MESSAGE)
  t.equal(String(error), `FastifyError [FST_ERR_NO_REVERSE_MATCH]: ${MESSAGE}`)
  t.match(error.stack, /^FastifyError: No route is named 'bokings'.+\n(?: +at .+\n)* +at failure \(.*errors\.test\.ts/)
  t.match(inspect(error), MESSAGE)
  t.same(JSON.parse(JSON.stringify(error)), {
    code: 'FST_ERR_NO_REVERSE_MATCH', name: 'FastifyError', statusCode: 500, message: MESSAGE
  })
})

t.test('the message of the error of a link can be changed', async (t) => {
  const error = await failure(t)
  error.message += ' Ask somebody.'
  t.equal(error.message, `${MESSAGE} Ask somebody.`)
  t.equal(String(error), `FastifyError [FST_ERR_NO_REVERSE_MATCH]: ${MESSAGE} Ask somebody.`)
})

t.test('the error of a link is answered and logged like any other', async (t) => {
  const lines: string[] = []
  const stream = new Writable({ write: (chunk, _encoding, done) => { lines.push(String(chunk)); done() } })
  const app = await appWith(t, {}, { logger: { stream } })
  app.get('/', { name: 'bookings' }, async function link (_request, reply) { return reply.reverse('bokings') })
  t.same((await app.inject('/')).json(), {
    statusCode: 500, code: 'FST_ERR_NO_REVERSE_MATCH', error: 'Internal Server Error', message: MESSAGE
  })
  const { err } = lines.map((line) => JSON.parse(line)).find(({ err }) => err !== undefined)
  t.match(err, {
    type: 'FastifyError', message: MESSAGE, code: 'FST_ERR_NO_REVERSE_MATCH', stack: /\n +at .*link/
  })
})

t.test('reverse() of a scheme throws an error with a stack', async (t) => {
  const scheme = new URLPathVersioning()
  await appWith(t, { scheme })
  function ask () { scheme.reverse('nothing') }
  t.throws(ask, { code: 'FST_ERR_NO_REVERSE_MATCH', stack: /\n +at .*ask/ })
})

t.test('the error of a scheme with its own reverse has a stack', async (t) => {
  class Copying extends BaseVersioning {
    override determineVersion () { return null }
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      return super.reverse(viewName, { ...options })
    }
  }
  const app = await appWith(t, { scheme: Copying })
  app.get('/:id', { name: 'room' }, async () => '')
  t.throws(() => app.reverse('room'), { code: 'FST_ERR_NO_REVERSE_MATCH', stack: /\n +at .*errors\.test\.ts/ })
})

t.test('a scheme may read the message of an error of a link, and throw another', async (t) => {
  class Translating extends BaseVersioning {
    override determineVersion () { return null }
    override reverse (viewName: string | null, options: ReverseOptions = {}) {
      try {
        return super.reverse(viewName, options)
      } catch (error) {
        throw new RangeError(`translated: ${(error as Error).message}`)
      }
    }
  }
  const app = await appWith(t, { scheme: Translating })
  app.get('/bookings', { name: 'bookings' }, async () => '')
  t.throws(() => app.reverse('bokings'), new RangeError(`translated: ${MESSAGE}`))
})

t.test('an unknown name is reported without its namespace, and wrong parameters with it', async (t) => {
  const app = await appWith(t, { scheme: NamespaceVersioning })
  app.get('/health/:part', { name: 'health' }, async () => '')
  app.register(async (v1) => { v1.get('/rooms/:id', { name: 'rooms' }, async () => '') }, {
    prefix: '/v1', namespace: 'v1'
  })
  await app.ready()
  const v1 = { version: 'v1' }
  t.throws(() => app.reverse('health', null, v1), { message: /^Route 'health' has no URL/ })
  t.throws(() => app.reverse('rooms', null, v1), { message: /^Route 'v1:rooms' has no URL.*"id" missing/ })
  t.throws(() => app.reverse('room', null, v1), {
    message: "No route is named 'room'."
  })
})

const at = (url: string) => ({ routeOptions: { url, config: {} } })

const unlinked: [says: string, message: RegExp, link: (app: FastifyInstance) => unknown][] = [
  ['no current route', /^There is no current route to reverse\.$/, (app) => app.reverse(null as never)],
  [
    'a scheme that no app has registered', /^Cannot reverse 'bookings' with a scheme that no app has registered\.$/,
    () => new URLPathVersioning().reverse('bookings')
  ],
  [
    'a current route whose parameters do not fit',
    /^The current route, '.+', has no URL for { id: 7 }: \/bookings \("id" unknown\)\.$/,
    (server) => new URLPathVersioning().reverse(null, {
      kwargs: { id: 7 }, request: { version: null, server, ...at('/bookings') }
    })
  ],
  [
    'a current route that is not in another version',
    /^The current route, '\/bookings', has no URL that specifies the version 'v2'\.$/,
    (server) => new NamespaceVersioning().reverse(null, {
      version: 'v2', request: { version: null, server, ...at('/bookings') }
    })
  ]
]

for (const [says, message, link] of unlinked) {
  t.test(`the error about ${says} says so`, async (t) => {
    const app = await appWithBookings(t)
    t.throws(() => link(app), { code: 'FST_ERR_NO_REVERSE_MATCH', message })
  })
}

const reasons: [says: string, name: string, params: object | null, options: object, message: string][] = [
  ['a value that no segment can have', 'w', { '*': '../x' }, {},
    "Route 'w' has no URL for { '*': '../x' }: /w/* (\"*\" cannot be '../x')."],
  ['a version without a place', 'b', null, { version: 'v2' }, "Route 'b' has no URL that specifies the version 'v2'."]
]

for (const scheme of [URLPathVersioning, [URLPathVersioning]]) {
  const settings = { scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const by = Array.isArray(scheme) ? 'a list with URLPathVersioning' : 'URLPathVersioning'

  async function appBy (t: Test, answer: (reply: FastifyReply) => unknown) {
    const app = await appWith(t, settings)
    app.get('/b', { name: 'b' }, async (_request, reply) => answer(reply))
    app.get('/w/*', { name: 'w' }, async () => '')
    app.get('/n', { name: 'n', versioning: false }, async () => '')
    return app
  }

  for (const [says, name, params, options, message] of reasons) {
    t.test(`under ${by} the error of a link to a path without a version is about ${says}`, async (t) => {
      const app = await appBy(t, (reply) => reply.reverse(name, params as never, options))
      t.match((await app.inject('/b')).json(), { statusCode: 500, code: 'FST_ERR_NO_REVERSE_MATCH', message })
    })
  }

  t.test(`under ${by} a path without a version has a link in the default version, a neutral one in any`, async (t) => {
    const app = await appBy(t, (reply) => [
      reply.reverse('b'), reply.reverse('b', null, { version: 'v1' }), reply.reverse('b', null, { version: null }),
      reply.reverse('n', null, { version: 'v2' })
    ])
    t.same((await app.inject('/b')).json(), ['/b', '/b', '/b', '/n'])
    t.throws(() => app.reverse('b', null, { version: 'v2' }), { code: 'FST_ERR_NO_REVERSE_MATCH' })
  })
}
