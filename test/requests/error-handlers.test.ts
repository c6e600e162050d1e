import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { VersionError } from '../../src/index.ts'
import type { VersioningSchemeClass } from '../../types/index.d.ts'

const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...settings }

async function fail (): Promise<never> {
  throw new Error('broken')
}

/** Links to the current route in every version that would have been allowed. */
async function answerPermitted (error: VersionError, _request: FastifyRequest, reply: FastifyReply) {
  reply.code(error.statusCode)
  return error.allowedVersions?.map((version) => reply.reverse(null, null, { version }))
}

interface Subject {
  readonly scheme: VersioningSchemeClass
  /** Where the routes are. */
  readonly prefix: string
  readonly namespaces?: readonly string[]
  /** A request of the route that specifies a version. */
  readonly naming: (version: string) => InjectOptions
  /** The link to the route in a version, relative where no other is asked for. */
  readonly link: (version: string) => string
  /** As `link`, with the link option version. */
  readonly into?: (version: string) => string
  /** The link of a refused request to its own route. */
  readonly refusedLink: string
}

const subjects: Subject[] = [
  {
    scheme: AcceptHeaderVersioning,
    prefix: '',
    naming: (version) => ({ url: '/bookings/7', headers: { accept: `application/json; version=${version}` } }),
    link: () => '/bookings/7',
    refusedLink: '/bookings/7'
  },
  {
    scheme: URLPathVersioning,
    prefix: '/:version',
    naming: (version) => ({ url: `/${version}/bookings/7` }),
    link: (version) => `/${version}/bookings/7`,
    refusedLink: '/v9/bookings/7'
  },
  {
    scheme: NamespaceVersioning,
    prefix: '',
    namespaces: ['v1', 'v2', 'v9'],
    naming: (version) => ({ url: `/${version}/bookings/7` }),
    link: (version) => `/${version}/bookings/7`,
    refusedLink: '/v9/bookings/7'
  },
  {
    scheme: HostNameVersioning,
    prefix: '',
    naming: (version) => ({ url: '/bookings/7', headers: { host: `${version}.example.com` } }),
    link: () => '/bookings/7',
    into: (version) => `http://${version}.example.com/bookings/7`,
    refusedLink: '/bookings/7'
  },
  {
    scheme: QueryParameterVersioning,
    prefix: '',
    naming: (version) => ({ url: `/bookings/7?version=${version}` }),
    link: (version) => `/bookings/7?version=${version}`,
    refusedLink: '/bookings/7'
  }
]

for (const { scheme, prefix, namespaces, naming, link, into = link, refusedLink } of subjects) {
  const declare = (app: FastifyInstance): void => {
    const routes = async (scope: FastifyInstance) => { scope.get('/bookings/:id', { name: 'booking' }, fail) }
    if (namespaces === undefined) app.register(routes, { prefix })
    else for (const namespace of namespaces) app.register(routes, { prefix: `/${namespace}`, namespace })
  }

  t.test(`an error handler links by name in the version of ${scheme.name}`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse('booking', { id: 7 })))
    declare(app)
    t.equal((await app.inject(naming('v2'))).body, link('v2'))
  })

  t.test(`an error handler links to the current route in the version of ${scheme.name}`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse()))
    declare(app)
    t.equal((await app.inject(naming('v2'))).body, link('v2'))
  })

  t.test(`an error handler links to the current route that ${scheme.name} refused`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse()))
    declare(app)
    t.equal((await app.inject(naming('v9'))).body, refusedLink)
  })

  t.test(`an error handler links by name into a version that ${scheme.name} would have allowed`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse('booking', { id: 7 }, { version: 'v2' })))
    declare(app)
    t.equal((await app.inject(naming('v9'))).body, into('v2'))
  })

  t.test(`an error handler links into the versions that ${scheme.name} would have allowed`, async (t) => {
    const app = await appWith(t, { scheme, ...settings })
    app.setErrorHandler(answerPermitted)
    declare(app)
    t.same((await app.inject(naming('v9'))).json(), [into('v1'), into('v2')])
  })
}

interface Handled { says: string, url: string, statusCode: number, by: string }

const handleds: Handled[] = [
  { says: 'a refusal in the app', url: '/app?version=v9', statusCode: 404, by: 'app' },
  { says: 'an error in the app', url: '/app?version=v2', statusCode: 500, by: 'app' },
  { says: 'a refusal in the context', url: '/context?version=v9', statusCode: 404, by: 'context' },
  { says: 'an error in the context', url: '/context?version=v2', statusCode: 500, by: 'context' },
  { says: 'a refusal by the route', url: '/route?version=v9', statusCode: 404, by: 'route' },
  { says: 'an error of the route', url: '/route?version=v2', statusCode: 500, by: 'route' }
]

for (const { says, url, statusCode, by } of handleds) {
  t.test(`the error handler of the ${by} handles ${says}`, async (t) => {
    const app = await appWith(t, byQuery)
    const handler = (name: string) => async (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      reply.code(error.statusCode ?? 500)
      return { by: name, message: error.message }
    }
    app.setErrorHandler(handler('app'))
    app.get('/app', fail)
    app.register(async (scope) => {
      scope.setErrorHandler(handler('context'))
      scope.get('/context', fail)
      scope.get('/route', { errorHandler: handler('route') }, fail)
    })
    const response = await app.inject(url)
    t.equal(response.statusCode, statusCode)
    const message = statusCode === 404 ? 'Invalid version in query parameter.' : 'broken'
    t.same(response.json(), { by, message })
  })
}

t.test('an error handler that rethrows the refusal does not change the response', async (t) => {
  const app = await appWith(t, byQuery)
  app.get('/bare', fail)
  app.register(async (scope) => {
    scope.setErrorHandler((error) => { throw error })
    scope.get('/handled', fail)
  })
  const bare = await app.inject('/bare?version=v9')
  const handled = await app.inject('/handled?version=v9')
  t.equal(handled.statusCode, bare.statusCode)
  t.same(handled.json(), bare.json())
})

t.test('an error handler may answer a refusal with the not-found handler', async (t) => {
  const app = await appWith(t, byQuery)
  app.setErrorHandler((_error, _request, reply) => reply.callNotFound())
  app.setNotFoundHandler(async (request, reply) => {
    reply.code(404)
    return { version: request.version, link: reply.reverse('booking', { id: 7 }) }
  })
  app.get('/bookings/:id', { name: 'booking' }, fail)
  const response = await app.inject('/bookings/7?version=v9')
  t.equal(response.statusCode, 404)
  t.same(response.json(), { version: null, link: '/bookings/7' })
})

t.test('an error handler of a context links by names of the context\'s scheme', async (t) => {
  const app = await appWith(t, byQuery)
  app.register(async (scope) => {
    await scope.register(versioning, { scheme: URLPathVersioning })
    scope.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse('rates')))
    scope.get('/:version/rates', { name: 'rates' }, fail)
  })
  t.equal((await app.inject('/v2/rates')).body, '/v2/rates')
})
