import t from 'tap'

import versioning, {
  BaseVersioning, NamespaceVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { RawRequest, VersionUsage, VersioningOptions } from '../../types/index.d.ts'

// Usage events

const shown = ({ request: _request, ...event }: VersionUsage) => event

t.test('a usage event has the outcome and the route of a request', async (t) => {
  const events = usageEvents(t)
  const { now } = clockAt(SUNSET)
  const scheme = URLPathVersioning
  const app = await appWith(t, { ...ending, scheme, defaultVersion: 'v2', enforceSunset: true, now })
  const open = await appWith(t, { scheme })
  for (const one of [app, open]) for (const url of ['/a', '/:version/a']) one.get(url, ok)
  for (const url of ['/v3/a', '/v1/a', '/v9/a', '/a']) await app.inject(url)
  await open.inject(`/${'x'.repeat(70)}/a`)
  const base = { scheme: scheme.name, place: 'path', route: '/:version/a', isDefault: false, reason: null }
  t.same(events.map(shown), [
    { ...base, version: 'v3', requested: 'v3', outcome: 'ok' },
    { ...base, version: 'v1', requested: 'v1', outcome: 'gone', reason: 'gone' },
    { ...base, version: null, requested: 'v9', outcome: 'refused', reason: 'unsupported' },
    { ...base, isDefault: true, version: 'v2', requested: null, outcome: 'ok', place: null, route: '/a' },
    { ...base, version: null, requested: 'x'.repeat(64), outcome: 'ok' }
  ])
})

t.test('NamespaceVersioning reports the namespace, or all namespaces if none is allowed', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...ending, scheme: NamespaceVersioning })
  const routes = async (scope: FastifyInstance) => { scope.get('/rates', ok) }
  app.register(routes)
  app.register(async (partners) => {
    for (const namespace of ['v1', 'v9']) partners.register(routes, { prefix: `/${namespace}`, namespace })
  }, { prefix: '/partners', namespace: 'partners' })
  for (const url of ['/rates', '/partners/v1/rates', '/partners/v9/rates']) await app.inject(url)
  t.same(events.map(({ version, requested, outcome, route }) => [version, requested, outcome, route]), [
    [null, null, 'ok', '/rates'],
    ['v1', 'v1', 'ok', '/partners/v1/rates'],
    [null, 'partners:v9', 'refused', '/partners/v9/rates']
  ])
})

t.test('a version that a member of a list lists for itself is reported', async (t) => {
  const events = usageEvents(t)
  const scheme = [new QueryParameterVersioning({ allowedVersions: ['beta'] }), URLPathVersioning]
  const app = await appWith(t, { scheme, allowedVersions: ['v1'] })
  app.get('/a', ok)
  await app.inject('/a?version=beta')
  t.match(events, [{ version: 'beta', requested: 'beta', outcome: 'ok' }])
})

class Plain extends BaseVersioning {
  override determineVersion ({ headers }: FastifyRequest): string | null | Promise<string | null> {
    return this.permit(headers['x-version']?.toString())
  }
}
class Short extends BaseVersioning {
  override readonly label = 'ours'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-version'] }
}
class Lenient extends Short { override isAllowedVersion () { return true } }
const resolving = new Short({ ...ending, resolveVersion: (version) => version === 'v9' ? 'v2' : null })
const reading = (readVersion: () => unknown) => Object.assign(new Plain(ending), { readVersion }) as Plain
const refusing = (refusal: () => unknown) => Object.assign(new Plain(ending), { refusal }) as Plain

const served = { version: 'v3', outcome: 'ok' }
const refused = { version: null, outcome: 'refused' }
/** The events of a request in v3 and of one in v9, which is not allowed. */
const customs: [says: string, scheme: VersioningOptions['scheme'], told: Partial<VersionUsage>[]][] = [
  ['has no readVersion()', Plain,
    [{ ...served, requested: 'v3' }, { ...refused, requested: null, reason: 'unsupported' }]],
  ['reads another version than it determines', reading(() => 'read'),
    [{ ...served, requested: 'read' }, { ...refused, requested: 'read' }]],
  ['has only readVersion(), and a label', Short,
    [{ ...served, requested: 'v3', scheme: 'ours' }, { ...refused, requested: 'v9', scheme: 'ours' }]],
  ['allows a version that is not listed', Lenient, [served, { version: null, requested: 'v9', outcome: 'ok' }]],
  ['resolves the name that the client sent', resolving, [
    { ...refused, requested: 'v3' }, { version: 'v2', requested: 'v9', outcome: 'ok', isDefault: false, reason: null }
  ]],
  ['reads a list of versions', reading(() => ['a', 'b']),
    [{ ...served, requested: 'a, b' }, { ...refused, requested: 'a, b' }]],
  ['reads a list that is empty', reading(() => []),
    [{ requested: null, place: null }, { requested: null, place: null, outcome: 'refused' }]],
  ['fails to read the version', reading(() => { throw new Error('broken') }),
    [{ ...served, requested: null }, { ...refused, requested: null }]],
  ['reads the version too late', reading(() => Promise.reject(new Error('late'))),
    [{ ...served, requested: null }, { ...refused, requested: null }]],
  ['refuses by a plain status', refusing(() => Object.assign(new Error('no'), { status: 401 })), [served, refused]],
  ['fails instead of a refusal', refusing(() => new Error('broken')), [served]]
] as [string, VersioningOptions['scheme'], Partial<VersionUsage>[]][]

for (const [says, scheme, told] of customs) {
  t.test(`requests for a scheme that ${says} are reported ${told.length === 1 ? 'once' : 'each'}`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, { ...ending, scheme })
    app.get('/', ok)
    for (const version of ['v3', 'v9']) await app.inject({ url: '/', headers: { 'x-version': version } })
    t.match(events.map(shown), told)
    t.equal(events.length, told.length)
  })
}

t.test('a request is reported once, refused at its URL, failing, and with the plugin above its context', async (t) => {
  const events = usageEvents(t)
  const app = bareApp(t)
  app.register(async (context) => {
    await context.register(versioning, ending)
    context.get('/', { version: 'v1' }, ok)
    context.get('/broken', async () => { throw new Error('broken') })
  })
  app.register(versioning, ending)
  await app.inject('/?version=v2')
  await app.inject('/broken?version=v3')
  await app.inject({ url: '/', query: { version: `${'x'.repeat(63)}😀` } })
  t.match(events.map(shown), [
    { version: null, requested: 'v2', outcome: 'refused', route: '/' },
    { version: 'v3', requested: 'v3', outcome: 'ok' },
    { version: null, requested: `${'x'.repeat(63)}\ufffd` }
  ])
  t.equal(events.length, 3)
})

t.test('preflights, unknown URLs and routes without versions are not reported', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/neutral', { versioning: false }, ok)
  app.options('/', ok)
  for (const url of ['/neutral?version=v1', '/unknown?version=v1']) await app.inject(url)
  await app.inject({ url: '/', method: 'OPTIONS', headers: { origin: 'a', 'access-control-request-method': 'GET' } })
  t.same(events, [])
})

// The option logVersion

interface Line { msg: string, level: number, version?: string | null, err?: object }

/** An app, and the lines that it logs. */
async function loggingApp (t: Test, options: VersioningOptions) {
  const lines: Line[] = []
  const app = await appWith(t, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', null], ...options
  }, { logger: { stream: { write (line: string) { lines.push(JSON.parse(line)) } } } })
  app.get('/', async (request, reply) => {
    request.log.info('by request')
    reply.log.info('by reply')
    return ''
  })
  return { app, lines }
}

const READ = 'incoming request'
const ALL = [READ, 'by request', 'by reply', 'request completed']

class Waiting extends BaseVersioning {
  override async determineVersion ({ query }: FastifyRequest) {
    return this.permit((query as { version?: string }).version)
  }
}

const logged: [options: VersioningOptions, url: string, version: string | null][] = [
  [{ logVersion: true }, '/?version=v2', 'v2'],
  [{ logVersion: true, scheme: Waiting }, '/?version=v2', 'v2'],
  [{ logVersion: true }, '/', null],
  [{ logVersion: undefined }, '/?version=v2', 'none'],
  [{ logVersion: true, allowedVersions: null }, '/?version=v1%22%7D%0A%7B%22msg%22%3A%22forged', 'v1"}\n{"msg":"forged']
]

for (const [options, url, version] of logged) {
  t.test(`with ${Object.entries(options).join()} log lines of ${url} have ${version} once it is known`, async (t) => {
    const { app, lines } = await loggingApp(t, options)
    await app.inject(url)
    const versions = lines.map((line) => [line.msg, 'version' in line ? line.version : 'none'])
    t.same(versions, ALL.map((msg) => [msg, msg === READ ? 'none' : version]))
  })
}

t.test('refusals are not logged as errors, and their lines have no stack', async (t) => {
  const { app, lines } = await loggingApp(t, { scheme: Waiting, logVersion: true })
  await app.inject('/?version=v9')
  t.same(lines.filter(({ level }) => level > 30), [])
  t.match(lines.find(({ err }) => err !== undefined)?.err, { code: 'FST_ERR_VERSION_NOT_FOUND', stack: '' })
})
