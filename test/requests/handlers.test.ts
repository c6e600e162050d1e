import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning,
  VersionError
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Naming, Place } from '../fixtures/places.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }

const { accept, header, contentType, query, host } = places
const MISSING = 'The "API-Version" header is missing. Versions: v1, v2.'

/** The bodies of refusals: kinds by schemes. */
const bodies: [list: Place[], namings: Naming[], statusCode: number, kind: string, error: string, message: string][] = [
  [[accept], [accept.naming('v9')], 406, 'NOT_ACCEPTABLE', 'Not Acceptable', 'Invalid version in "Accept" header.'],
  [[query], [query.naming('v9')], 404, 'NOT_FOUND', 'Not Found', 'Invalid version in query parameter.'],
  [[host], [host.naming('v9')], 404, 'NOT_FOUND', 'Not Found', 'Invalid version in hostname.'],
  [[header], [], 400, 'NOT_SUPPORTED', 'Bad Request', MISSING],
  [
    [contentType],
    [contentType.naming('v9')],
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Unsupported Media Type',
    'Invalid version in "Content-Type" header. Versions: v1, v2.'
  ],
  [
    [header, query],
    [header.naming('v1'), query.naming('v2')],
    400,
    'AMBIGUOUS',
    'Bad Request',
    'The request specifies different versions in the "API-Version" header and the query parameter. Versions: v1, v2.'
  ]
]

for (const [list, namings, statusCode, kind, error, message] of bodies) {
  t.test(`a refusal of the kind ${kind} under ${list.map(({ place }) => place).join()} has its body`, async (t) => {
    const scheme = list.length === 1 ? list[0].Scheme : list.map(({ Scheme }) => Scheme)
    const app = await appWith(t, { ...byQuery, scheme })
    app.get('/', async () => '')
    const response = await app.inject(requestOf('/', ...namings))
    t.same(response.json(), { statusCode, code: `FST_ERR_VERSION_${kind}`, error, message })
  })
}

const GONE = { deprecated: '2026-01-01', sunset: '2026-03-01' }
const listed: [says: string, url: string, status: number, allowedVersions: string[]][] = [
  ['a version that is not allowed', '/a?version=v9', 404, ['v2', 'v3']],
  ['a version that the URL does not serve', '/a?version=v4', 404, ['v2', 'v3']],
  ['a version that is gone by its route', '/a?version=v1', 410, ['v2', 'v3']],
  ['no version', '/a', 404, ['v2', 'v3']],
  ['a version that is gone in the whole app', '/b?version=v4', 410, ['v1', 'v2', 'v3']],
  ['a version that is not allowed where another is gone', '/b?version=v9', 404, ['v1', 'v2', 'v3']]
]

for (const [says, url, status, allowedVersions] of listed) {
  t.test(`the refusal of ${says} lists the versions that the URL answers now, and a report, too`, async (t) => {
    const app = await appWith(t, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2', 'v3', 'v4'],
      lifecycle: { v4: { sunset: '2026-03-01' } },
      reportVersions: true,
      enforceSunset: true,
      now: clockAt('2026-06-01').now
    })
    showRefusals(app)
    const seen: unknown[] = []
    app.addHook('onError', async (_request, _reply, error) => { seen.push((error as VersionError).allowedVersions) })
    app.get('/a', { version: 'v1', deprecated: GONE }, async () => '')
    app.get('/a', { version: ['v2', 'v3'] }, async () => '')
    app.get('/b', async () => '')
    const response = await app.inject(url)
    t.match(response.json(), { status, allowedVersions })
    t.same(seen, [allowedVersions])
    t.equal(response.headers['api-supported-versions'], allowedVersions.join(', '))
  })
}

t.test('a refusal lists a version until it is gone, and no versions where every one is allowed', async (t) => {
  const clock = clockAt('2026-12-31T23:59:58Z')
  const app = showRefusals(await appWith(t, { ...ending, enforceSunset: true, now: clock.now }))
  app.get('/', async () => '')
  t.same((await app.inject('/?version=v9')).json().allowedVersions, ['v1', 'v2', 'v3'])
  clock.set(SUNSET)
  t.same((await app.inject('/?version=v9')).json().allowedVersions, ['v2', 'v3'])
  const open = showRefusals(await appWith(t, { scheme: [HeaderVersioning, QueryParameterVersioning] }))
  open.get('/', async () => '')
  const response = await open.inject({ url: '/?version=v1', headers: { 'api-version': 'v2' } })
  t.match(response.json(), { status: 400, allowedVersions: null })
})

t.test('the error handler of the app, of the context or of the route answers refusals and errors', async (t) => {
  const app = await appWith(t, byQuery)
  const by = (name: string) => async (error: Error, _request: FastifyRequest, reply: FastifyReply) => (
    reply.code(200).send([name, error instanceof VersionError])
  )
  const fail = async () => { throw new Error('broken') }
  app.setErrorHandler(by('app'))
  app.get('/app', fail)
  app.register(async (scope) => {
    scope.setErrorHandler(by('context'))
    scope.get('/context', fail)
    scope.get('/route', { errorHandler: by('route') }, fail)
  })
  for (const name of ['app', 'context', 'route']) {
    t.same((await app.inject(`/${name}?version=v9`)).json(), [name, true])
    t.same((await app.inject(`/${name}?version=v2`)).json(), [name, false])
  }
})

t.test('an error handler may link into the allowed versions, or answer by the not-found handler', async (t) => {
  const app = await appWith(t, byQuery)
  app.setNotFoundHandler(async (request, reply) => reply.code(404).send([request.version, reply.reverse('a')]))
  app.setErrorHandler(async (error: VersionError, request, reply) => {
    if (request.url.startsWith('/b')) return reply.callNotFound()
    return reply.send(error.allowedVersions?.map((version) => reply.reverse(null, null, { version })))
  })
  app.get('/a', { name: 'a' }, async () => '')
  app.get('/b', async () => '')
  t.same((await app.inject('/a?version=v9')).json(), ['/a?version=v1', '/a?version=v2'])
  t.same((await app.inject('/b?version=v9')).json(), [null, '/a'])
})

t.test('a not-found handler sees the version of the route that called it, and none on an unknown URL', async (t) => {
  const app = await appWith(t, byQuery)
  app.setNotFoundHandler(async ({ version, versioningScheme }, reply) => (
    reply.code(404).send([version, versioningScheme?.constructor.name ?? null, reply.reverse('a')])
  ))
  app.get('/a', { name: 'a' }, (_request, reply) => { reply.callNotFound() })
  t.same((await app.inject('/nowhere?version=v2')).json(), [null, null, '/a'])
  t.same((await app.inject('/a?version=v2')).json(), ['v2', 'QueryParameterVersioning', '/a?version=v2'])
  t.match((await app.inject('/a?version=v9')).json(), { code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('a version past its sunset is answered unless enforceSunset is set', async (t) => {
  for (const enforceSunset of [false, true]) {
    const app = await appWith(t, { ...ending, enforceSunset, now: clockAt(SUNSET).now })
    app.get('/', async () => 'ok')
    t.equal((await app.inject('/?version=v1')).statusCode, enforceSunset ? 410 : 200)
  }
})

const elsewhere: [says: string, options: VersioningOptions, url: string, allowedVersions: string[] | null][] = [
  ['not acceptable', { scheme: AcceptHeaderVersioning }, '/chosen', ['v2', 'v3']],
  ['in the path', { scheme: URLPathVersioning }, '/v9/path', ['v2', 'v3', 'v4']],
  ['of a namespace that is gone', { scheme: NamespaceVersioning }, '/namespace', []],
  ['not served where all are allowed', { allowedVersions: null }, '/chosen?version=v9', ['v2', 'v3']],
  ['gone where an open route answers all others', { allowedVersions: null }, '/open?version=v1', null]
]

for (const [says, options, url, allowedVersions] of elsewhere) {
  t.test(`the refusal of a version that is ${says} lists ${JSON.stringify(allowedVersions)}`, async (t) => {
    const app = showRefusals(await appWith(t, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2', 'v3', 'v4'],
      enforceSunset: true,
      lifecycle: { v1: GONE },
      now: clockAt('2026-06-01').now,
      ...options
    }))
    const isChosen = options.scheme !== URLPathVersioning && options.scheme !== NamespaceVersioning
    for (const version of ['v1', 'v2', 'v3']) {
      if (isChosen) app.get('/chosen', { version }, async () => '')
    }
    if (isChosen) app.get('/open', { version: 'v1' }, async () => '')
    app.get('/open', async () => '')
    app.get('/:version/path', async () => '')
    app.register(async (v1) => { v1.get('/namespace', async () => '') }, { namespace: 'v1' })
    const response = await app.inject({ url, headers: { accept: '*/*;version=v9' } })
    t.same(response.json().allowedVersions, allowedVersions)
  })
}

for (const [name, place] of Object.entries(places)) {
  t.test(`under ${name} handlers of errors and of unknown URLs link in the version, or into another one`, async (t) => {
    const app = await appWith(t, { scheme: place.Scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    const linked = (_request: FastifyRequest, reply: FastifyReply) => {
      const links = [undefined, 'v2'].map((version) => {
        try {
          return reply.reverse('probe', null, { version })
        } catch {
          return '-'
        }
      })
      return [reply.request.version, ...links]
    }
    app.setErrorHandler(async (_error, request, reply) => reply.code(200).send(linked(request, reply)))
    app.setNotFoundHandler(async (request, reply) => reply.code(200).send(linked(request, reply)))
    const handler = (_request: FastifyRequest, reply: FastifyReply) => { reply.callNotFound() }
    declareIn(app, [place], { method: 'GET', url: '/found', name: 'probe', handler })
    declareIn(app, [place], { method: 'GET', url: '/probe', handler: async () => { throw new Error('broken') } })
    const link = (version: string) => place.link(version).replace('probe', 'found')
    const into = place === places.host ? 'http://v2.example.com/found' : link('v2')
    for (const url of ['/probe', '/found']) {
      t.same((await app.inject(requestOf(url, place.naming('v2')))).json(), ['v2', link('v2'), into], url)
    }
    const refused = (await app.inject(requestOf('/probe', place.naming('v9')))).json()
    t.same([refused[0], refused[2]], [null, into])
    t.equal((await app.inject(requestOf('/nowhere', place.naming('v2')))).json()[0], null)
  })
}

t.test('an error handler of a context links by names of the scheme of the context', async (t) => {
  const app = await appWith(t, byQuery)
  app.register(async (scope) => {
    await scope.register(versioning, { scheme: URLPathVersioning })
    scope.setErrorHandler((_error, _request, reply) => reply.send(reply.reverse('rates')))
    scope.get('/:version/rates', { name: 'rates' }, async () => { throw new Error('broken') })
  })
  t.equal((await app.inject('/v2/rates')).body, '/v2/rates')
})

t.test('a not-found handler has no current route, and its hooks and errors no version', async (t) => {
  const app = await appWith(t, byQuery)
  const seen: unknown[] = []
  app.setErrorHandler<Error>(async (error, { version }) => [version, error.message])
  const preHandler = async ({ version }: FastifyRequest) => { seen.push(version) }
  app.setNotFoundHandler({ preHandler }, (_request, reply) => reply.send(reply.reverse()))
  t.same((await app.inject('/nowhere?version=v2')).json(), [null, 'There is no current route to reverse.'])
  t.same(seen, [null])
})

t.test('a not-found handler outside of the context with the plugin sees the version of its requests', async (t) => {
  const app = bareApp(t)
  app.setNotFoundHandler(async ({ version }, reply) => reply.code(404).send([version]))
  app.register(async (scope) => {
    await scope.register(versioning, byQuery)
    scope.get('/bookings', (_request, reply) => { reply.callNotFound() })
  })
  t.same((await app.inject('/bookings?version=v2')).json(), ['v2'])
})

t.test('concurrent refusals each list the versions of their URL', async (t) => {
  const app = showRefusals(await appWith(t, byQuery))
  app.get('/a', { version: 'v1' }, async () => '')
  app.get('/b', async () => '')
  const responses = await Promise.all(['/a', '/b', '/a'].map((url) => app.inject(`${url}?version=v9`)))
  t.same(responses.map((response) => response.json().allowedVersions), [['v1'], ['v1', 'v2'], ['v1']])
})
