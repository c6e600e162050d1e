import accepts from '@fastify/accepts'
import t from 'tap'

import versioning, { BaseVersioning, QueryParameterVersioning, VersionError } from '../src/index.ts'
import { appWith, bareApp } from './fixtures/app-with.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseOptions } from '../types/index.d.ts'

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }

async function version (request: FastifyRequest) {
  return { version: request.version }
}

t.test('the plugin has its name and the range of Fastify that it needs', async (t) => {
  const app = await appWith(t)
  t.equal(app.hasPlugin('fastify-versioning'), true)
})

t.test('requests and links have no version without a scheme', async (t) => {
  const app = await appWith(t)
  app.get('/', { name: 'root' }, async (request, reply) => [
    request.version, request.versioningScheme, reply.reverse('root')
  ])
  t.same((await app.inject('/?version=v2')).json(), [null, null, '/'])
})

t.test('an error handler sees the scheme that refused, the allowed versions, and no version', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, ...settings })
  app.setErrorHandler((error, request, reply) => reply.send({
    isRefusal: error instanceof VersionError,
    allowedVersions: (error as VersionError).allowedVersions,
    version: request.version,
    scheme: request.versioningScheme?.constructor.name
  }))
  app.get('/', version)
  t.same((await app.inject('/?version=v9')).json(), {
    isRefusal: true, allowedVersions: ['v1', 'v2'], version: null, scheme: 'QueryParameterVersioning'
  })
})

t.test('an unknown URL is a plain 404, without a call of the scheme', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning, ...settings })
  app.setNotFoundHandler((request, reply) => reply.code(404).send({
    version: request.version, scheme: request.versioningScheme, home: reply.reverse('home')
  }))
  app.get('/', { name: 'home' }, version)
  const response = await app.inject('/nowhere?version=v9')
  t.equal(response.statusCode, 404)
  t.same(response.json(), { version: null, scheme: null, home: '/' })
})

interface Custom { returns: string, determineVersion: () => unknown, statusCode: number, body: object }

const customs: Custom[] = [
  {
    returns: 'nothing',
    determineVersion: () => undefined,
    statusCode: 500,
    body: { message: 'Custom.determineVersion() must return a string or null.' }
  },
  { returns: 'a promise', determineVersion: async () => 'v2', statusCode: 200, body: { version: 'v2' } },
  { returns: 'a promise of null', determineVersion: async () => null, statusCode: 200, body: { version: null } },
  {
    returns: 'a thenable',
    determineVersion: () => ({ then: (resolve: (version: string) => void) => resolve('v2') }),
    statusCode: 200,
    body: { version: 'v2' }
  },
  {
    returns: 'a number',
    determineVersion: () => 2,
    statusCode: 500,
    body: { code: 'FST_ERR_VERSION_INVALID', message: 'Custom.determineVersion() must return a string or null.' }
  },
  {
    returns: 'an object',
    determineVersion: () => ({ v: 2 }),
    statusCode: 500,
    body: { message: 'Custom.determineVersion() must return a string or null.' }
  },
  {
    returns: 'a promise of a list',
    determineVersion: async () => ['v1'],
    statusCode: 500,
    body: { code: 'FST_ERR_VERSION_INVALID' }
  },
  {
    returns: 'a rejection with a refusal',
    determineVersion: async () => { throw new VersionError('notFound', 'gone') },
    statusCode: 404,
    body: { code: 'FST_ERR_VERSION_NOT_FOUND', message: 'gone' }
  },
  {
    returns: 'a rejection with an ordinary error',
    determineVersion: async () => { throw new Error('broken') },
    statusCode: 500,
    body: { message: 'broken' }
  },
  {
    returns: 'never, but throws an ordinary error',
    determineVersion: () => { throw new Error('broken') },
    statusCode: 500,
    body: { message: 'broken' }
  }
]

for (const { returns, determineVersion, statusCode, body } of customs) {
  t.test(`a request for a custom scheme that returns ${returns} is answered ${statusCode}`, async (t) => {
    class Custom extends BaseVersioning {
      override determineVersion = determineVersion as () => string
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/', version)
    const response = await app.inject('/')
    t.equal(response.statusCode, statusCode)
    t.match(response.json(), body)
  })
}

t.test('@fastify/accepts is registered where the app has not done so', async (t) => {
  const app = await appWith(t)
  app.get('/', async (request) => request.accepts().types())
  t.same((await app.inject({ url: '/', headers: { accept: 'text/html' } })).json(), ['text/html'])
})

t.test('@fastify/accepts of the app is left alone', async (t) => {
  const app = bareApp(t)
  await app.register(accepts, { decorateReply: true })
  await app.register(versioning)
  await t.resolves(async () => app.ready())
  t.equal(app.hasReplyDecorator('requestAccepts'), true)
})

t.test('the error about a name that the scheme does not find contains the plain name', async (t) => {
  const { reply } = await replyUnder(t, (viewName) => `v1:${viewName}`)
  t.throws(() => reply.reverse('bookins'), { message: /^No route is named 'bookins'\. Did you mean 'bookings'\?/ })
})

t.test('the error about parameters that do not fit contains the name that the scheme looked up', async (t) => {
  const { reply } = await replyUnder(t, (viewName) => viewName)
  t.throws(() => reply.reverse('bookings', { id: 7 }), { message: /^Route 'bookings' has no URL for { id: 7 }/ })
})

t.test('a scheme\'s own error is not mistaken for a link that was not found', async (t) => {
  const { reply } = await replyUnder(t, () => { throw new TypeError('broken') })
  t.throws(() => reply.reverse('bookings'), new TypeError('broken'))
})

t.test('a thrown value that is not an error is rethrown for a link as well', async (t) => {
  const thrown = { code: 'FST_ERR_NO_REVERSE_MATCH' }
  const { reply } = await replyUnder(t, () => { throw thrown })
  try {
    reply.reverse('bookings')
    t.fail('must throw')
  } catch (error) {
    t.equal(error, thrown)
  }
})

t.test('the options of a link and the request reach the scheme', async (t) => {
  const app = bareApp(t)
  class Spy extends BaseVersioning {
    override readonly linkOptions = ['mine']
    override determineVersion () { return 'v1' }
    override reverse (_viewName: string, { args, kwargs, request, server, ...others }: ReverseOptions = {}) {
      return JSON.stringify({ args, kwargs, isRequest: request?.version === 'v1', isServer: server === app, ...others })
    }
  }
  await app.register(versioning, { scheme: Spy })
  app.get('/', async (_request, reply) => reply.reverse('x', { id: 7 }, { format: 'json', mine: true } as LinkOptions))
  const inRequest = { kwargs: { id: 7 }, isRequest: true, isServer: false, format: 'json', mine: true }
  t.same((await app.inject('/')).json(), inRequest)
  const outside = { args: [7], isRequest: false, isServer: true, mine: true }
  t.same(JSON.parse(app.reverse('x', [7], { mine: true } as LinkOptions)), outside)
})

/** The reply of a request under a scheme with its own look-up of names; in an object, because a reply is thenable. */
async function replyUnder (t: Test, lookUp: (viewName: string) => string): Promise<{ reply: FastifyReply }> {
  class Custom extends BaseVersioning {
    override determineVersion () { return 'v1' }
    override reverse (viewName: string, options = {}) { return super.reverse(lookUp(viewName), options) }
  }
  const app = await appWith(t, { scheme: Custom })
  const seen: FastifyReply[] = []
  app.get('/', { name: 'bookings' }, async (_request, reply) => { seen.push(reply); return '' })
  await app.inject('/')
  return { reply: seen[0] }
}
