import t from 'tap'

import * as api from '../src/index.ts'
import versioning, { BaseVersioning, QueryParameterVersioning, VersionError } from '../src/index.ts'
import { appWith, bareApp } from './fixtures/app-with.ts'

import type { FastifyRequest } from 'fastify'
import type { LinkOptions, ReverseOptions } from '../types/index.d.ts'

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }

async function version (request: FastifyRequest) {
  return { version: request.version }
}

t.test('the package exports the plugin, its schemes, the error of a refusal, and functions', async (t) => {
  t.same(Object.keys(api).sort(), [
    'AcceptHeaderVersioning',
    'BaseVersioning',
    'ContentTypeVersioning',
    'HeaderVersioning',
    'HostNameVersioning',
    'NamespaceVersioning',
    'QueryParameterVersioning',
    'URLPathVersioning',
    'VersionError',
    'byDate',
    'checkChanges',
    'default',
    'defineChange',
    'routeTypes'
  ])
})

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

const thrown = { code: 'FST_ERR_NO_REVERSE_MATCH' }
const lookUps: [says: string, name: string, lookUp: (viewName: string) => string, error: object][] = [
  ['the plain name, which the scheme does not find', 'bookins', (name) => `v1:${name}`, {
    message: /^No route is named 'bookins'\. Did you mean 'bookings'\?/
  }],
  ['the name that the scheme looked up', 'bookings', (name) => name, {
    message: /^Route 'bookings' has no URL for { id: 7 }/
  }],
  ["the scheme's own error", 'bookings', () => { throw new TypeError('broken') }, new TypeError('broken')],
  ['a thrown value that is not an error', 'bookings', () => { throw thrown }, thrown]
]

for (const [says, name, lookUp, error] of lookUps) {
  t.test(`what reverse throws under a custom scheme is ${says}`, async (t) => {
    class Custom extends BaseVersioning {
      override determineVersion () { return 'v1' }
      override reverse (viewName: string, options = {}) { return super.reverse(lookUp(viewName), options) }
    }
    const app = await appWith(t, { scheme: Custom })
    app.get('/', { name: 'bookings' }, async (_request, reply) => {
      try {
        reply.reverse(name, { id: 7 })
      } catch (caught) {
        if (error === thrown) t.equal(caught, thrown)
        else t.match(caught, error)
      }
      return ''
    })
    t.plan(1)
    await app.inject('/')
  })
}

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
