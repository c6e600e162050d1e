import accepts from '@fastify/accepts'
import t from 'tap'

import versioning, { BaseVersioning, QueryParameterVersioning, VersionError } from '../src/index.ts'
import { appWith, bareApp } from './fixtures/app-with.ts'

import type { FastifyRequest } from 'fastify'

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

const INVALID = { code: 'FST_ERR_VERSION_INVALID', message: 'Custom.determineVersion() must return a string or null.' }

const customs: [returns: string, determineVersion: () => unknown, status: number, body: object][] = [
  ['nothing', () => undefined, 500, INVALID],
  ['a promise', async () => 'v2', 200, { version: 'v2' }],
  ['a thenable', () => ({ then: (resolve: (version: string) => void) => resolve('v2') }), 200, { version: 'v2' }],
  ['a number', () => 2, 500, INVALID],
  ['a promise of a list', async () => ['v1'], 500, INVALID],
  ['a refusal, by a promise', async () => { throw new VersionError('notFound', 'gone') }, 404, {
    code: 'FST_ERR_VERSION_NOT_FOUND', message: 'gone'
  }],
  ['an ordinary error, by a promise', async () => { throw new Error('broken') }, 500, { message: 'broken' }],
  ['an ordinary error', () => { throw new Error('broken') }, 500, { message: 'broken' }]
]

for (const [returns, determineVersion, status, body] of customs) {
  t.test(`a request for a custom scheme that returns or throws ${returns} is answered ${status}`, async (t) => {
    class Custom extends BaseVersioning {
      override determineVersion = determineVersion as () => string
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/', version)
    const response = await app.inject('/')
    t.equal(response.statusCode, status)
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
