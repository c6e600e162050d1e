import { Readable } from 'node:stream'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { ending, lifecycle } from '../fixtures/lifecycle.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { VersioningSchemeClass } from '../../types/index.d.ts'

const ENDING = { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' }
const NOTHING = { deprecation: undefined, sunset: undefined, link: undefined }

class PromisedVersioning extends BaseVersioning {
  override async determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-version']?.toString())
  }
}

interface Subject { scheme: VersioningSchemeClass, request: (version: string) => InjectOptions }

const subjects: Subject[] = [
  {
    scheme: AcceptHeaderVersioning,
    request: (version) => ({ url: '/bookings', headers: { accept: `*/*;version=${version}` } })
  },
  { scheme: URLPathVersioning, request: (version) => ({ url: `/path/${version}/bookings` }) },
  { scheme: NamespaceVersioning, request: (version) => ({ url: `/${version}/bookings` }) },
  {
    scheme: HostNameVersioning,
    request: (version) => ({ url: '/bookings', headers: { host: `${version}.example.com` } })
  },
  { scheme: QueryParameterVersioning, request: (version) => ({ url: `/bookings?version=${version}` }) },
  { scheme: PromisedVersioning, request: (version) => ({ url: '/bookings', headers: { 'x-version': version } }) }
]

for (const { scheme, request } of subjects) {
  t.test(`under ${scheme.name} responses have the headers of an ending version`, async (t) => {
    const app = await appWith(t, { ...ending, scheme })
    const routes = async (scope: FastifyInstance) => { scope.get('/bookings', async () => 'ok') }
    app.register(routes)
    app.register(routes, { prefix: '/path/:version' })
    for (const namespace of ['v1', 'v2', 'v3']) app.register(routes, { prefix: `/${namespace}`, namespace })
    t.match((await app.inject(request('v1'))).headers, ENDING)
    t.match((await app.inject(request('v2'))).headers, { deprecation: '@1788220800', sunset: undefined })
    t.match((await app.inject(request('v3'))).headers, NOTHING)
  })
}

async function answersApp (t: Parameters<typeof appWith>[0]): Promise<FastifyInstance> {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } } })
  app.get('/ok', async () => 'ok')
  app.get('/empty', (_request, reply) => { reply.code(204).send() })
  app.get('/unchanged', (_request, reply) => { reply.code(304).send() })
  app.get('/redirect', (_request, reply) => { reply.redirect('/ok') })
  app.get('/stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])))
  app.get('/response', async () => new Response('ok'))
  app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, async () => 'ok')
  app.get('/broken', async () => { throw new Error('broken') })
  app.get('/missing', (_request, reply) => { reply.callNotFound() })
  app.get('/hook', { onRequest: async () => { throw new Error('failed') } }, async () => 'ok')
  app.get('/on-send', { onSend: async () => { throw new Error('failed') } }, async (_request, reply) => {
    return reply.header('link', '</next>; rel="next"').send('ok')
  })
  app.post('/ok', async () => 'ok')
  app.options('/ok', async () => 'ok')
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', async () => { throw new Error('broken') })
  })
  return app
}

interface Answer { says: string, request: InjectOptions, statusCode: number }

const answers: Answer[] = [
  { says: 'a 200', request: { url: '/ok' }, statusCode: 200 },
  { says: 'a HEAD', request: { url: '/ok', method: 'HEAD' }, statusCode: 200 },
  { says: 'a plain OPTIONS', request: { url: '/ok', method: 'OPTIONS' }, statusCode: 200 },
  { says: 'a 204', request: { url: '/empty' }, statusCode: 204 },
  { says: 'a 304', request: { url: '/unchanged' }, statusCode: 304 },
  { says: 'a redirect', request: { url: '/redirect' }, statusCode: 302 },
  { says: 'a stream', request: { url: '/stream' }, statusCode: 200 },
  { says: 'a web response', request: { url: '/response' }, statusCode: 200 },
  { says: 'a validation error', request: { url: '/invalid' }, statusCode: 400 },
  { says: 'an error', request: { url: '/broken' }, statusCode: 500 },
  { says: 'an error of a HEAD', request: { url: '/broken', method: 'HEAD' }, statusCode: 500 },
  { says: 'an error of a later hook', request: { url: '/hook' }, statusCode: 500 },
  { says: 'an error of an onSend hook', request: { url: '/on-send' }, statusCode: 500 },
  { says: 'an error handler', request: { url: '/handled' }, statusCode: 418 },
  { says: 'a handler that finds nothing', request: { url: '/missing' }, statusCode: 404 },
  {
    says: 'a body that cannot be parsed',
    request: { url: '/ok', method: 'POST', headers: { 'content-type': 'application/json' }, payload: '{' },
    statusCode: 400
  }
]

for (const { says, request, statusCode } of answers) {
  t.test(`the response for ${says} has the headers of the ending`, async (t) => {
    const app = await answersApp(t)
    const response = await app.inject({ ...request, query: { version: 'v1' } })
    t.equal(response.statusCode, statusCode)
    t.match(response.headers, { ...ENDING, link: '</leaving>; rel="deprecation", </leaving>; rel="sunset"' })
  })
}

const silences: Answer[] = [
  { says: 'another version', request: { url: '/ok?version=v3' }, statusCode: 200 },
  { says: 'a refusal', request: { url: '/ok?version=v9' }, statusCode: 404 },
  { says: 'an unknown URL', request: { url: '/unknown?version=v1' }, statusCode: 404 },
  { says: 'a version-neutral route', request: { url: '/neutral?version=v1' }, statusCode: 200 },
  { says: 'a context without a scheme', request: { url: '/off?version=v1' }, statusCode: 200 },
  { says: 'a hook that answers first', request: { url: '/ok?version=v1&first' }, statusCode: 418 },
  {
    says: 'a preflight',
    request: {
      url: '/ok?version=v1', method: 'OPTIONS', headers: { origin: 'a', 'access-control-request-method': 'GET' }
    },
    statusCode: 200
  }
]

for (const { says, request, statusCode } of silences) {
  t.test(`the response for ${says} has no headers of an ending`, async (t) => {
    const app = bareApp(t)
    app.addHook('onRequest', async (request, reply) => {
      if (request.url.endsWith('first')) return reply.code(418).send('teapot')
    })
    const settings = { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: { ...lifecycle.v1, info: '/' } } }
    await app.register(versioning, { scheme: QueryParameterVersioning, ...settings })
    app.get('/ok', async () => 'ok')
    app.options('/ok', async () => 'ok')
    app.get('/neutral', { versioning: false }, async () => 'ok')
    app.register(async (context) => {
      await context.register(versioning, { scheme: null })
      context.get('/off', async () => 'ok')
    })
    const response = await app.inject(request)
    t.equal(response.statusCode, statusCode)
    t.match(response.headers, NOTHING)
  })
}

t.test('the headers of an ending are sent over a socket', async (t) => {
  const app = await answersApp(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { headers } = await fetch(`${origin}/ok?version=v1`)
  t.equal(headers.get('deprecation'), ENDING.deprecation)
  t.equal(headers.get('sunset'), ENDING.sunset)
  t.match(headers.get('link'), '</leaving>; rel="deprecation", </leaving>; rel="sunset"')
})

t.test('a hijacked reply gets no headers of an ending', async (t) => {
  const app = await answersApp(t)
  app.get('/own', (_request, reply) => {
    reply.hijack()
    reply.raw.end('own')
  })
  const { headers, body } = await app.inject('/own?version=v1')
  t.equal(body, 'own')
  t.match(headers, NOTHING)
})

t.test('all options of the lifecycle work together', async (t) => {
  const app = await appWith(t, {
    scheme: AcceptHeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: {
      v1: { deprecated: '2026-01-01', sunset: '2026-12-31T23:59:59Z', info: 'https://docs.example.com/leaving-v1' },
      v2: { deprecated: new Date('2026-09-01') }
    },
    reportVersions: true,
    enforceSunset: true,
    now: () => Date.parse('2026-10-01')
  })
  app.get('/', async () => 'ok')
  const { headers, statusCode } = await app.inject({ url: '/', headers: { accept: '*/*;version=v1' } })
  t.equal(statusCode, 200)
  t.match(headers, {
    ...ENDING,
    link: '<https://docs.example.com/leaving-v1>; rel="deprecation", <https://docs.example.com/leaving-v1>; rel="sunset"',
    'api-supported-versions': 'v1, v2, v3',
    'api-deprecated-versions': 'v1, v2',
    vary: 'Accept'
  })
})
