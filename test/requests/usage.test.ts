import t from 'tap'

import versioning, { BaseVersioning, NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RawRequest, VersionUsage, VersioningSchemeClass } from '../../types/index.d.ts'

type Told = Omit<VersionUsage, 'request'>

const shown = ({ request: _request, ...event }: VersionUsage): Told => event

const handler = async () => 'ok'

for (const place of [places.accept, places.path, places.host, places.query, places.header]) {
  t.test(`${place.Scheme.name} reports the outcome of a request once`, async (t) => {
    const events = usageEvents(t)
    const now = clockAt(SUNSET).now
    const scheme = place.Scheme
    const app = await appWith(t, { ...ending, scheme, defaultVersion: 'v2', enforceSunset: true, now })
    const open = await appWith(t, { scheme })
    for (const one of [app, open]) declareIn(one, [place], { method: 'GET', url: '/a', handler })
    for (const version of ['v3', 'v1', 'v9']) await app.inject(requestOf('/a', place.naming(version)))
    await app.inject('/a')
    await open.inject(requestOf('/a', place.naming('x'.repeat(70))))
    const route = place === places.path ? '/:version/a' : '/a'
    const base = { scheme: place.Scheme.name, place: place.place, route, isDefault: false, reason: null }
    t.same(events.map(shown), [
      { ...base, version: 'v3', requested: 'v3', outcome: 'ok' },
      { ...base, version: 'v1', requested: 'v1', outcome: 'gone', reason: 'gone' },
      { ...base, version: null, requested: 'v9', outcome: 'refused', reason: 'unsupported' },
      { ...base, isDefault: true, version: 'v2', requested: null, outcome: 'ok', place: null, route: '/a' },
      { ...base, version: null, requested: 'x'.repeat(64), outcome: 'ok' }
    ])
  })
}

t.test('NamespaceVersioning reports the namespace, or all namespaces if none is allowed', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { ...ending, scheme: NamespaceVersioning })
  const routes = async (scope: FastifyInstance) => { scope.get('/rates', handler) }
  app.register(routes)
  app.register(async (partners) => {
    partners.register(routes, { prefix: '/v1', namespace: 'v1' })
    partners.register(routes, { prefix: '/v9', namespace: 'v9' })
  }, { prefix: '/partners', namespace: 'partners' })
  for (const url of ['/rates', '/partners/v1/rates', '/partners/v9/rates']) await app.inject(url)
  t.same(events.map(({ version, requested, outcome, route }) => [version, requested, outcome, route]), [
    [null, null, 'ok', '/rates'],
    ['v1', 'v1', 'ok', '/partners/v1/rates'],
    [null, 'partners:v9', 'refused', '/partners/v9/rates']
  ])
})

interface Custom { says: string, scheme: VersioningSchemeClass, told: Partial<Told>[] }

class Plain extends BaseVersioning {
  override determineVersion ({ headers }: FastifyRequest): string | null | Promise<string | null> {
    return this.permit(headers['x-version']?.toString())
  }
}

const customs: Custom[] = [
  {
    says: 'has no readVersion()',
    scheme: Plain,
    told: [{ version: 'v3', requested: 'v3', outcome: 'ok' }, { version: null, requested: null, outcome: 'refused' }]
  },
  {
    says: 'reads another version than it determines',
    scheme: class Reading extends Plain { override readVersion () { return 'read' } },
    told: [{ version: 'v3', requested: 'read' }, { version: null, requested: 'read', outcome: 'refused' }]
  },
  {
    says: 'has only readVersion()',
    scheme: class Short extends BaseVersioning {
      override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-version'] }
    },
    told: [{ version: 'v3', requested: 'v3', outcome: 'ok' }, { version: null, requested: 'v9', outcome: 'refused' }]
  },
  {
    says: 'reads a list of versions',
    scheme: class Several extends Plain { override readVersion () { return ['a', 'b'] } },
    told: [{ version: 'v3', requested: 'a, b' }, { version: null, requested: 'a, b', outcome: 'refused' }]
  },
  {
    says: 'reads a list that is empty',
    scheme: class Several extends Plain { override readVersion () { return [] } },
    told: [{ requested: null, place: null }, { requested: null, place: null, outcome: 'refused' }]
  },
  {
    says: 'has a label',
    scheme: class Hj extends Plain { override readonly label = 'Labelled' },
    told: [{ version: 'v3', scheme: 'Labelled' }, { version: null, scheme: 'Labelled', outcome: 'refused' }]
  },
  {
    says: 'fails to read the version',
    scheme: class Failing extends Plain { override readVersion (): string { throw new Error('broken') } },
    told: [{ version: 'v3', requested: null }, { version: null, requested: null, outcome: 'refused' }]
  },
  {
    says: 'reads the version too late',
    scheme: class Late extends Plain { override readVersion () { return Promise.reject(new Error('late')) as never } },
    told: [{ version: 'v3', requested: null }, { version: null, requested: null, outcome: 'refused' }]
  },
  {
    says: 'is asynchronous',
    scheme: class Slow extends Plain {
      override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
    },
    told: [{ version: 'v3', requested: 'v3', outcome: 'ok' }, { version: null, requested: null, outcome: 'refused' }]
  },
  {
    says: 'refuses by a plain status',
    scheme: class Status extends Plain {
      override refusal () { return Object.assign(new Error('no'), { status: 401 }) }
    },
    told: [{ version: 'v3', outcome: 'ok' }, { version: null, outcome: 'refused' }]
  },
  {
    says: 'fails instead of a refusal',
    scheme: class Broken extends Plain { override refusal () { return new Error('broken') } },
    told: [{ version: 'v3', outcome: 'ok' }]
  },
  {
    says: 'throws a value that is not an error instead of a refusal',
    scheme: class Odd extends Plain { override refusal () { return 'no' as never } },
    told: [{ version: 'v3', outcome: 'ok' }]
  }
]

for (const { says, scheme, told } of customs) {
  const outcomes = told.flatMap(({ outcome }) => outcome ?? []).join(' and ')
  t.test(`requests for a scheme that ${says} are reported as ${outcomes || 'nothing'}`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, { ...ending, scheme })
    app.get('/', handler)
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
    context.get('/', { version: 'v1' }, handler)
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

t.test('an allowed version that is not listed is reported as requested only', async (t) => {
  class Lenient extends QueryParameterVersioning {
    override isAllowedVersion () { return true }
  }
  const events = usageEvents(t)
  const app = await appWith(t, { ...ending, scheme: Lenient })
  app.get('/', async (request) => request.version)
  t.equal((await app.inject('/?version=v7')).body, 'v7')
  t.match(events.map(shown), [{ version: null, requested: 'v7', outcome: 'ok' }])
})

t.test('preflights, unknown URLs and routes without versions are not reported', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  app.get('/neutral', { versioning: false }, handler)
  app.options('/', handler)
  await app.inject('/neutral?version=v1')
  await app.inject('/unknown?version=v1')
  await app.inject({ url: '/', method: 'OPTIONS', headers: { origin: 'a', 'access-control-request-method': 'GET' } })
  t.same(events, [])
})
