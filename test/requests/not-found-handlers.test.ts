import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningSchemeClass } from '../../types/index.d.ts'

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...settings }

function callNotFound (_request: FastifyRequest, reply: FastifyReply): void {
  reply.callNotFound()
}

function stateOf ({ version, versioningScheme }: FastifyRequest): object {
  return { version, scheme: versioningScheme?.constructor.name ?? null }
}

async function tellState (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  reply.code(404)
  return stateOf(request)
}

interface Subject {
  scheme: VersioningSchemeClass
  /** The URL of the named route, as it is declared. */
  url: string
  namespace?: string
  /** A URL without a route that specifies a version. */
  unknown: string
  headers: Record<string, string>
  /** The link by the name, into `v2`. */
  link: string
}

const subjects: Subject[] = [
  {
    scheme: AcceptHeaderVersioning,
    url: '/bookings',
    unknown: '/nowhere',
    headers: { accept: 'application/json; version=v2' },
    link: '/bookings'
  },
  { scheme: URLPathVersioning, url: '/:version/bookings', unknown: '/v2/nowhere', headers: {}, link: '/v2/bookings' },
  {
    scheme: NamespaceVersioning,
    url: '/v2/bookings',
    namespace: 'v2',
    unknown: '/v2/nowhere',
    headers: {},
    link: '/v2/bookings'
  },
  {
    scheme: HostNameVersioning,
    url: '/bookings',
    unknown: '/nowhere',
    headers: { host: 'v2.example.com' },
    link: 'http://v2.example.com/bookings'
  },
  {
    scheme: QueryParameterVersioning,
    url: '/bookings',
    unknown: '/nowhere?version=v2',
    headers: {},
    link: '/bookings?version=v2'
  }
]

for (const { scheme, url, namespace, unknown, headers, link } of subjects) {
  t.test(`a not-found handler sees no version from ${scheme.name} on an unknown URL`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setNotFoundHandler(tellState)
    const response = await app.inject({ url: unknown, headers })
    t.equal(response.statusCode, 404)
    t.same(response.json(), { version: null, scheme: null })
  })

  t.test(`a not-found handler links into another version of ${scheme.name} by the link option`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setNotFoundHandler((_request, reply) => reply.send(reply.reverse('bookings', null, { version: 'v2' })))
    app.register(async (scope) => { scope.get(url, { name: 'bookings' }, callNotFound) }, { namespace })
    t.equal((await app.inject({ url: unknown, headers })).body, link)
  })

  t.test(`a not-found handler that a handler called links in the version of ${scheme.name}`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setNotFoundHandler(async (request, reply) => ({
      ...stateOf(request), link: reply.reverse('bookings', null, { absolute: scheme === HostNameVersioning })
    }))
    app.register(async (scope) => { scope.get(url, { name: 'bookings' }, callNotFound) }, { namespace })
    const response = await app.inject({ url: unknown.replace('nowhere', 'bookings'), headers })
    t.same(response.json(), { version: 'v2', scheme: scheme.name, link })
  })
}

interface Lost { says: string, url: string, by: string }

const losts: Lost[] = [
  { says: 'a URL that no route has', url: '/nowhere?version=v9', by: 'app' },
  { says: 'a URL that no route of the context has', url: '/context/nowhere?version=v9', by: 'context' },
  { says: 'what a handler of the app did not find', url: '/bookings?version=v2', by: 'app' },
  { says: 'what a handler of the context did not find', url: '/context/bookings?version=v2', by: 'context' }
]

for (const { says, url, by } of losts) {
  t.test(`the not-found handler of the ${by} answers ${says}, and makes links`, async (t) => {
    const app = await appWith(t, byQuery)
    const handler = (name: string) => async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.code(404)
      return { by: name, link: reply.reverse('bookings', null, { version: 'v1' }) }
    }
    app.setNotFoundHandler(handler('app'))
    app.get('/bookings', { name: 'bookings' }, callNotFound)
    app.register(async (scope) => {
      scope.setNotFoundHandler(handler('context'))
      scope.get('/bookings', callNotFound)
    }, { prefix: '/context' })
    const response = await app.inject(url)
    t.equal(response.statusCode, 404)
    t.same(response.json(), { by, link: '/bookings?version=v1' })
  })
}

t.test('a not-found handler has no current route to link to', async (t) => {
  const app = await appWith(t, byQuery)
  app.setNotFoundHandler((_request, reply) => reply.send(reply.reverse()))
  const response = await app.inject('/nowhere?version=v2')
  t.equal(response.statusCode, 500)
  t.match(response.json(), { code: 'FST_ERR_NO_REVERSE_MATCH', message: 'There is no current route to reverse.' })
})

t.test('a not-found handler does not answer a refusal', async (t) => {
  const app = await appWith(t, byQuery)
  app.setNotFoundHandler(async () => t.fail('must not run'))
  app.get('/bookings', callNotFound)
  t.match((await app.inject('/bookings?version=v9')).json(), { code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('an error of a not-found handler reaches the error handler, without a version', async (t) => {
  const app = await appWith(t, byQuery)
  app.setNotFoundHandler(async () => { throw new Error('broken') })
  app.setErrorHandler<Error>(async (error, request) => ({ ...stateOf(request), message: error.message }))
  t.same((await app.inject('/nowhere?version=v2')).json(), { version: null, scheme: null, message: 'broken' })
})

t.test('hooks of a not-found handler run without a version', async (t) => {
  const app = await appWith(t, byQuery)
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => { reply.send(stateOf(request)) }
  app.setNotFoundHandler({ preHandler }, tellState)
  t.same((await app.inject('/nowhere?version=v2')).json(), { version: null, scheme: null })
})

t.test('a not-found handler outside the context with the plugin answers requests of that context', async (t) => {
  const app = bareApp(t)
  app.setNotFoundHandler(tellState)
  app.register(async (scope) => {
    await scope.register(versioning, byQuery)
    scope.get('/bookings', callNotFound)
  })
  const response = await app.inject('/bookings?version=v2')
  t.equal(response.statusCode, 404)
  t.same(response.json(), { version: 'v2', scheme: 'QueryParameterVersioning' })
})
