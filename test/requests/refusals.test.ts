import { inspect } from 'node:util'
import t from 'tap'

import versioning, {
  BaseVersioning, HeaderVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning, VersionError
} from '../../src/index.ts'
import { appWith, bareApp, ok, versionOf } from '../fixtures/app-with.ts'
import { clockAt } from '../fixtures/lifecycle.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'
import type { Place } from '../fixtures/places.ts'

const allowedVersions = ['v1', 'v2', 'v3']
const byQuery = { scheme: QueryParameterVersioning, allowedVersions }
const byHeader = { scheme: HeaderVersioning, allowedVersions }

// What a refusal says

const kinds = {
  notFound: { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Not Found' },
  notAcceptable: { statusCode: 406, code: 'FST_ERR_VERSION_NOT_ACCEPTABLE', error: 'Not Acceptable' },
  notSupported: { statusCode: 400, code: 'FST_ERR_VERSION_NOT_SUPPORTED', error: 'Bad Request' },
  unsupportedMediaType: {
    statusCode: 415, code: 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE', error: 'Unsupported Media Type'
  },
  ambiguous: { statusCode: 400, code: 'FST_ERR_VERSION_AMBIGUOUS', error: 'Bad Request' },
  gone: { statusCode: 410, code: 'FST_ERR_VERSION_GONE', error: 'Gone' }
}

class Own extends HeaderVersioning {
  override readonly invalidVersionMessage = 'Ours.'
}
class Differing extends HeaderVersioning {
  override async determineVersion () { return Promise.reject(new VersionError('ambiguous', 'Ours.')) }
}
class Slow extends HeaderVersioning {
  override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}

const LISTED = 'Versions: v1, v2, v3.'
const MISSING = 'The "API-Version" header is missing.'
const INVALID = 'Invalid version in "API-Version" header.'
const SOME = 'This URL answers GET in v1, v2.'
const ENDED = 'was retired on Wed, 01 Jan 2020 00:00:00 GMT.'
const many = Array.from({ length: 500 }, (_, i) => `version-${i}`)
const longest = 'v'.repeat(254)
const accepting = (version: string) => ({ accept: `a/b;version=${version}` })
const inHeader = (version: string) => ({ 'api-version': version })
const gone = { lifecycle: { v1: { sunset: '2020-01-01' } }, enforceSunset: true }
const enforced = { enforceSunset: true }
const open = { allowedVersions: null }
const { accept, path, host, query, header, contentType } = places
const headerAndQuery = { scheme: [HeaderVersioning, QueryParameterVersioning] }

/** The place whose status a refusal has, unless its reason has its own, and whose text, unless it has another. */
const refused: [
  place: Place, options: VersioningOptions, url: string, headers: Record<string, string>, reason: string,
  message?: string
][] = [
  [query, {}, '/', {}, 'missing'],
  [query, {}, '/?version=', {}, 'unsupported'],
  [query, {}, '/some?version=v3', {}, 'unserved', SOME],
  [query, { defaultVersion: 'v3' }, '/some', {}, 'unserved', SOME],
  [query, open, '/some', {}, 'missing', SOME],
  [query, gone, '/?version=v1', {}, 'gone', `Version 'v1' ${ENDED} Versions: v2, v3.`],
  [query, enforced, '/old?version=v3', {}, 'gone', `This URL ${ENDED}`],
  [query, enforced, '/old-some?version=v3', {}, 'unserved', 'This URL does not answer GET in any version.'],
  [query, gone, '/some?version=v3', {}, 'unserved', 'This URL answers GET in v2.'],
  [host, {}, '/', { host: 'v9.a.b' }, 'unsupported'],
  [path, {}, '/v9/path', {}, 'unsupported'],
  [path, {}, '/v3/some', {}, 'unserved', SOME],
  [accept, {}, '/', {}, 'missing'],
  [accept, {}, '/', accepting('v9'), 'unsupported'],
  [accept, {}, '/some', accepting('v3'), 'unserved', SOME],
  [accept, open, '/some', {}, 'missing', SOME],
  [contentType, {}, '/', {}, 'missing', `The version in the "Content-Type" header is missing. ${LISTED}`],
  [contentType, {}, '/', { 'content-type': 'a/b; version=v9' }, 'unsupported',
    `Invalid version in "Content-Type" header. ${LISTED}`],
  [header, {}, '/', {}, 'missing', `${MISSING} ${LISTED}`],
  [header, {}, '/', inHeader(' '), 'missing', `${MISSING} ${LISTED}`],
  [header, {}, '/', inHeader('x\'b'), 'unsupported', `${INVALID} ${LISTED}`],
  [header, {}, '/', inHeader('v1, v2'), 'ambiguous',
    `The request specifies different versions in the "API-Version" header. ${LISTED}`],
  [header, {}, '/some', inHeader('v9'), 'unsupported', `${INVALID} Versions: v1, v2.`],
  [header, { versionHeader: 'X-V' }, '/', { 'x-v': 'v9' }, 'unsupported', `Invalid version in "X-V" header. ${LISTED}`],
  [header, { allowedVersions: [null, 'v1'] }, '/', inHeader('v9'), 'unsupported', `${INVALID} Versions: v1.`],
  [header, open, '/some', {}, 'missing', `${MISSING} Versions: v1, v2.`],
  [header, { allowedVersions: many }, '/', {}, 'missing',
    `${MISSING} Versions: ${many.slice(0, 22).join(', ')} and 478 more.`],
  [header, { allowedVersions: [longest, 'v2'] }, '/', {}, 'missing', `${MISSING} Versions: ${longest} and 1 more.`],
  [header, { allowedVersions: [`${longest}v`, 'v2'] }, '/', {}, 'missing', MISSING],
  [header, { scheme: Own }, '/', {}, 'missing', 'Ours.'],
  [header, { scheme: Differing }, '/', {}, 'ambiguous', 'Ours.'],
  [header, { scheme: Slow }, '/', {}, 'missing', `${MISSING} ${LISTED}`],
  [header, { ...headerAndQuery, ...open }, '/some', {}, 'missing', `${MISSING} Versions: v1, v2.`],
  [query, { scheme: headerAndQuery.scheme.toReversed(), ...open }, '/some', {}, 'missing', SOME],
  [header, headerAndQuery, '/?version=v1', inHeader('v2'), 'ambiguous',
    `The request specifies different versions in the "API-Version" header and the query parameter. ${LISTED}`]
]

for (const versions of ['v2', [null, 'v2'], ['v2', 'v3']] as const) {
  t.test(`the refusals of HEAD and GET by a route for ${JSON.stringify(versions)} have one length`, async (t) => {
    const app = await appWith(t, { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3', null] })
    app.get('/', { version: versions }, async () => '')
    const [get, head] = await Promise.all((['GET', 'HEAD'] as const).map(async (method) => (
      (await app.inject({ method, url: '/?version=v1' })).headers['content-length']
    )))
    t.equal(head, get)
  })
}

for (const [{ Scheme, refusal }, given, url, headers, reason, message = refusal.message] of refused) {
  const scheme = given.scheme ?? Scheme
  const names = [scheme].flat().map((one) => (one as typeof BaseVersioning).name).join()
  const options = JSON.stringify(given).slice(0, 40)
  t.test(`under ${names} ${options} ${url} with ${JSON.stringify(headers)} is refused: ${reason}`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, { allowedVersions, ...given, scheme })
    const errors: VersionError[] = []
    app.addHook('onError', async (_request, _reply, error) => { errors.push(error as unknown as VersionError) })
    const prefix = scheme === URLPathVersioning ? '/:version' : ''
    const deprecated = { sunset: '2020-01-01' }
    app.get('/', ok)
    app.get('/:version/path', ok)
    app.get('/old', { deprecated }, ok)
    if (url.includes('/some')) app.get(`${prefix}/some`, { version: ['v1', 'v2'] }, ok)
    if (url.includes('/old-some')) app.get('/old-some', { version: 'v1', deprecated }, ok)

    const response = await app.inject({ url, headers })
    t.same(response.json(), { ...refusal, ...kinds[reason as 'gone'], message })
    t.equal(response.headers['api-supported-versions'], undefined)
    t.same(errors.map(({ reason, stack }) => [reason, stack]), [[reason, undefined]])
    const isDefault = given.defaultVersion !== undefined
    t.same(events.map(({ reason, isDefault }) => [reason, isDefault]), [[reason, isDefault]])
  })
}

t.test('a URL that answers only requests without a version says so', async (t) => {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', null] })
  app.get('/', { version: [null] as never }, ok)
  t.equal(await versionOf(app, '/'), 'ok')
  const { message } = (await app.inject({ url: '/', headers: inHeader('v1') })).json()
  t.equal(message, 'This URL answers GET without a version.')
})

t.test('a refusal of a list names the versions that the place allows where the client specified one', async (t) => {
  const app = showRefusals(await appWith(t, {
    ...gone,
    allowedVersions,
    scheme: [new HeaderVersioning({ allowedVersions: ['v1', 'v2'] }), QueryParameterVersioning]
  }))
  app.get('/a', ok)
  app.get('/b', { version: ['v1', 'v3'] }, ok)
  for (const [url, headers, detail, allowedVersions] of [
    ['/a', inHeader('v9'), `${INVALID} Versions: v2.`, ['v2']],
    ['/a', {}, `${MISSING} Versions: v2.`, ['v2']],
    ['/a', inHeader('v1'), `Version 'v1' ${ENDED} Versions: v2.`, ['v2']],
    ['/b', inHeader('v2'), INVALID, []]
  ] as const) {
    const body = (await app.inject({ url, headers: { ...headers } })).json()
    t.same([body.detail, body.allowedVersions], [detail, allowedVersions])
  }
})

t.test('a preview is served, but no refusal and no 410 offers it', async (t) => {
  const lifecycle = { v1: { sunset: '2026-01-01' }, v3: { preview: true } } as const
  const scheme = [HeaderVersioning, QueryParameterVersioning]
  const options = { scheme, allowedVersions, lifecycle, enforceSunset: true, reportVersions: true }
  const app = showRefusals(await appWith(t, options))
  app.get('/a', ok)
  app.get('/b', { version: { from: 'v2' } }, ok)
  app.get('/c', { version: 'v3' }, ok)
  t.equal((await app.inject({ url: '/c', headers: inHeader('v3') })).body, 'ok')
  for (const [url, headers, text, versions] of [
    ['/a', inHeader('v9'), 'Versions: v2.', ['v2']],
    ['/a', {}, 'Versions: v2.', ['v2']],
    ['/a', inHeader('v1'), 'Versions: v2.', ['v2']],
    ['/a?version=v2', inHeader('v3'), 'Versions: v2.', ['v2']],
    ['/b', inHeader('v1'), 'This URL answers GET in v2.', ['v2']],
    ['/c', inHeader('v2'), INVALID, []]
  ] as const) {
    const response = await app.inject({ url, headers: { ...headers } })
    t.match(response.json().detail, text, url)
    t.same(response.json().allowedVersions, versions)
    t.equal(response.headers['api-supported-versions'], versions.join() || undefined)
  }
})

// The versions that the error has

const RETIRED = { deprecated: '2026-01-01', sunset: '2026-03-01' }
const now = clockAt('2026-06-01').now
const v1Gone = { lifecycle: { v1: RETIRED } }
const v4Gone = { lifecycle: { v4: { sunset: '2026-03-01' } } }

const listed: [says: string, options: VersioningOptions, url: string, status: number, versions: string[] | null][] = [
  ['a version that the URL does not serve', v4Gone, '/a?version=v4', 404, ['v2', 'v3']],
  ['a version that is gone by its route', v4Gone, '/a?version=v1', 410, ['v2', 'v3']],
  ['a version that is gone in the whole app', v4Gone, '/b?version=v4', 410, ['v1', 'v2', 'v3']],
  ['a version that is not allowed where another is gone', v4Gone, '/b?version=v9', 404, ['v1', 'v2', 'v3']],
  ['a version in the path', { ...v1Gone, scheme: URLPathVersioning }, '/v9/path', 404, ['v2', 'v3', 'v4']],
  ['a namespace that is gone', { ...v1Gone, scheme: NamespaceVersioning }, '/namespace', 410, []],
  ['a namespace that is gone where all are allowed', { ...v1Gone, scheme: NamespaceVersioning, allowedVersions: null },
    '/namespace', 410, null],
  ['a version of a URL where all are allowed', { allowedVersions: null }, '/a?version=v9', 404, ['v2', 'v3']],
  ['a gone version where an open route answers all others', { allowedVersions: null }, '/open?version=v1', 410, null],
  ['a gone version where neither list nor route has any', { ...v1Gone, allowedVersions: null }, '/b?version=v1', 410,
    null],
  ['different versions of a list without versions', { ...headerAndQuery, ...open }, '/b?version=v1', 400, null]
]

for (const [says, options, url, status, versions] of listed) {
  t.test(`the refusal of ${says} at ${url} lists ${versions?.join(' and ')}, and a report, too`, async (t) => {
    const app = showRefusals(await appWith(t, {
      scheme: QueryParameterVersioning,
      allowedVersions: ['v1', 'v2', 'v3', 'v4'],
      reportVersions: true,
      enforceSunset: true,
      now,
      ...options
    }))
    const isChosen = options.scheme !== URLPathVersioning && options.scheme !== NamespaceVersioning
    if (isChosen) {
      app.get('/a', { version: 'v1', deprecated: RETIRED }, ok)
      app.get('/a', { version: ['v2', 'v3'] }, ok)
      app.get('/open', { version: 'v1', deprecated: RETIRED }, ok)
    }
    app.get('/open', ok)
    app.get('/b', ok)
    app.get('/:version/path', ok)
    app.register(async (v1) => { v1.get('/namespace', ok) }, { namespace: 'v1' })
    const response = await app.inject({ url, headers: { ...accepting('v9'), ...inHeader('v2') } })
    t.match(response.json(), { status })
    t.same(response.json().allowedVersions, versions)
    if (options.allowedVersions !== null) {
      t.equal(response.headers['api-supported-versions'], versions?.join(', ') || undefined)
    }
  })
}

class Beta extends BaseVersioning {
  override readVersion (): string { throw new VersionError('notFound', 'no', ['beta']) }
}
const own = new QueryParameterVersioning({ versionParam: 'v', allowedVersions: ['v1', 'v3'] })

for (const [says, scheme, allowed, versions] of [
  ['versions that no scheme has, if a member refuses with them', [HeaderVersioning, Beta], allowedVersions, ['beta']],
  ['the versions of the URL, even if a member allows others', [HeaderVersioning, own], allowedVersions, ['v3']],
  ['the versions of the URL, even if the only member allows others', [own], null, ['v3']]
] as const) {
  t.test(`the refusal of a list has ${says}`, async (t) => {
    const app = showRefusals(await appWith(t, { allowedVersions: allowed, scheme }))
    app.get('/', { version: 'v3' }, ok)
    t.same((await app.inject('/?v=v9')).json().allowedVersions, versions)
  })
}

class Shared extends HeaderVersioning {
  kept: Error | null = null
  readonly frozen = Object.freeze(new VersionError('notFound', 'No.'))
  readonly fields = Object.assign(new VersionError('gone', 'No.', null), { detail: 'kept' })

  override refusal (message?: string): Error {
    this.kept ??= super.refusal(message ?? 'No.')
    return this.kept
  }

  override readVersion (request: FastifyRequest) {
    if (request.headers['x-throw'] !== undefined) throw this[request.headers['x-throw'] as 'frozen' | 'fields']
    return super.readVersion(request)
  }
}

t.test('nothing is called missing where a scheme without readVersion() refuses', async (t) => {
  class Refusing extends BaseVersioning {
    override determineVersion (): string { throw new VersionError('notFound', 'No.') }
  }
  const app = showRefusals(await appWith(t, { scheme: Refusing, allowedVersions }))
  app.get('/', ok)
  t.equal((await app.inject('/')).json().reason, 'unsupported')
})

t.test('a refusal that a scheme keeps and throws again is not written to', async (t) => {
  const scheme = new Shared({ allowedVersions })
  const app = showRefusals(await appWith(t, { scheme }))
  app.get('/a', { version: 'v1' }, ok)
  app.get('/b', { version: ['v2', 'v3'] }, ok)
  const ask = async (url: string, headers = {}) => {
    const { reason, allowedVersions } = (await app.inject({ url, headers })).json()
    return [reason, allowedVersions]
  }
  for (let i = 0; i < 2; i++) {
    t.same(await ask('/a', inHeader('v2')), ['unserved', ['v1']])
    t.same(await ask('/b', inHeader('v1')), ['unserved', ['v2', 'v3']])
    t.same(await ask('/b', inHeader('v9')), ['unsupported', ['v2', 'v3']])
    t.same(await ask('/a'), ['missing', ['v1']])
    t.same(await ask('/b', { 'x-throw': 'frozen' }), ['missing', ['v2', 'v3']])
    t.same(await ask('/a', { 'x-throw': 'fields' }), ['gone', ['v1']])
  }
  for (const error of [scheme.kept, scheme.frozen, scheme.fields] as VersionError[]) {
    t.match(error, { reason: error === scheme.fields ? 'gone' : null })
    t.ok(error.allowedVersions === null || error.allowedVersions === scheme.allowedVersions)
    t.notMatch(error.message, 'Versions')
  }
})

t.test('an error handler gets the fields of a refusal that a scheme keeps', async (t) => {
  const app = await appWith(t, { scheme: new Shared({ allowedVersions }) })
  app.setErrorHandler(async (error: VersionError, _request, reply) => reply.code(410).send({ ...error }))
  app.get('/', ok)
  const { body } = await app.inject({ url: '/', headers: { 'x-throw': 'fields' } })
  t.match(JSON.parse(body), { kind: 'gone', code: kinds.gone.code, statusCode: 410, detail: 'kept', reason: 'gone' })
})

t.test('a scheme may refuse a version that the URL does not serve by an error of its own', async (t) => {
  class Teapot extends HeaderVersioning {
    override refusal () { return Object.assign(new Error('no coffee'), { statusCode: 418 }) }
  }
  const app = await appWith(t, { scheme: Teapot, allowedVersions })
  app.get('/a', { version: 'v1' }, ok)
  for (const version of ['v2', 'v9']) {
    const refusal = await app.inject({ url: '/a', headers: inHeader(version) })
    t.match(refusal.json(), { statusCode: 418, message: 'no coffee' })
  }
})

// Who answers it

const newest: [answering: string, ...contexts: [name: string, version?: RouteVersions][]][] = [
  ['two', ['one', 'v1'], ['two', 'v2']],
  ['later', ['later', { from: 'v2' }], ['first', 'v1']],
  ['list', ['list', ['v1', 'v3']], ['two', 'v2']],
  ['open', ['open'], ['one', 'v1']],
  ['three', ['three', 'v3'], ['open']],
  // Without a list the version that comes last as text.
  ['v10', ['v2', 'v2'], ['v10', 'v10']]
]

for (const [answering, ...contexts] of newest) {
  t.test(`a refusal is answered in the context of ${answering}, the newest of ${contexts.join(' and ')}`, async (t) => {
    for (const declared of [contexts, contexts.toReversed()]) {
      const app = await appWith(t, { ...byHeader, allowedVersions: answering === 'v10' ? null : allowedVersions })
      for (const [name, version] of declared) {
        await app.register(async (context) => {
          context.setErrorHandler(async (_error, _request, reply) => reply.send(name))
          context.get('/a', { version }, ok)
        })
      }
      for (const version of ['v9', 'v1, v2']) {
        t.equal((await app.inject({ url: '/a', headers: inHeader(version) })).body, answering)
      }
    }
  })
}

for (const [name, place] of Object.entries(places)) {
  t.test(`under ${name} handlers of errors and of unknown URLs link in the version, or into another one`, async (t) => {
    const app = await appWith(t, { scheme: place.Scheme, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    const linked = async ({ version }: FastifyRequest, reply: FastifyReply) => (
      [version, version === null ? null : reply.reverse('probe'), reply.reverse('probe', null, { version: 'v2' })]
    )
    app.setErrorHandler(async (_error, request, reply) => linked(request, reply))
    app.setNotFoundHandler(linked)
    const handler = (_request: FastifyRequest, reply: FastifyReply) => { reply.callNotFound() }
    declareIn(app, [place], { method: 'GET', url: '/found', name: 'probe', handler })
    declareIn(app, [place], { method: 'GET', url: '/probe', handler: async () => { throw new Error('broken') } })
    const link = place.link('v2').replace('probe', 'found')
    const into = place === places.host ? 'http://v2.example.com/found' : link
    for (const url of ['/probe', '/found']) {
      t.same((await app.inject(requestOf(url, place.naming('v2')))).json(), ['v2', link, into], url)
    }
    t.same((await app.inject(requestOf('/probe', place.naming('v9')))).json(), [null, null, into])
  })
}

t.test('a not-found handler sees the version of the route that called it, and none on an unknown URL', async (t) => {
  const app = bareApp(t)
  const seen: unknown[] = []
  const preHandler = async ({ version }: FastifyRequest) => { seen.push(version) }
  app.setErrorHandler((_error, _request, reply) => { reply.callNotFound() })
  app.setNotFoundHandler({ preHandler }, async ({ version, versioningScheme }) => (
    [version, versioningScheme?.label ?? null]
  ))
  await app.register(versioning, byQuery)
  app.register(async (scope) => { scope.get('/a', (_request, reply) => { reply.callNotFound() }) })
  for (const [url, version, label] of [
    ['/nowhere?version=v2', null, null],
    ['/a?version=v2', 'v2', 'QueryParameterVersioning'],
    ['/a?version=v9', null, 'QueryParameterVersioning']
  ]) t.same((await app.inject(url as string)).json(), [version, label])
  t.same(seen, [null, 'v2', null])
})

// VersionError

for (const [kind, { statusCode, code, error }] of Object.entries(kinds)) {
  t.test(`a VersionError of the kind ${kind} has its code and status, and a handler may throw it`, async (t) => {
    const thrown = new VersionError(kind as 'gone', '100%s of it', ['v1'])
    const reason = kind === 'ambiguous' || kind === 'gone' ? kind : null
    t.match(thrown, { kind, code, statusCode, reason, allowedVersions: ['v1'], message: '100%s of it' })
    t.equal(thrown.stack, undefined)
    t.equal(String(thrown), `FastifyError [${code}]: 100%s of it`)
    const short = new VersionError(kind as 'gone')
    t.equal(short.message, kind === 'gone' ? 'This version was retired.' : 'Invalid version.')
    t.equal(short.allowedVersions, null)
    const app = await appWith(t, byQuery)
    app.get('/', async () => { throw thrown })
    t.same((await app.inject('/?version=v1')).json(), { statusCode, code, error, message: '100%s of it' })
  })
}

for (const kind of ['brownout', 'Gone', '__proto__', null, undefined, 410]) {
  t.test(`a VersionError of the kind ${JSON.stringify(kind)} is a TypeError with the list`, async (t) => {
    const message = `Invalid kind of VersionError: expected ${Object.keys(kinds).join(', ')}, got `
    t.throws(() => new VersionError(kind as never, 'No.', null), { name: 'TypeError', message })
  })
}

for (const url of ['/', '/?version=v9', '/?version=v1&version=v9']) {
  t.test(`who prints the refusal of ${url} sees nothing that only the plugin reads`, async (t) => {
    const app = await appWith(t, byQuery)
    let printed = ''
    app.setErrorHandler(async (error) => {
      printed = inspect(error)
      throw error
    })
    app.get('/', ok)
    await app.inject(url)
    t.match(printed, /VersionError/)
    t.notMatch(printed, /Symbol\(/)
  })
}
