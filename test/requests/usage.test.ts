import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending } from '../fixtures/lifecycle.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { RawRequest, VersionUsage, VersioningSchemeClass } from '../../types/index.d.ts'

type Told = Omit<VersionUsage, 'request'>

const shown = ({ request: _request, ...event }: VersionUsage): Told => event

const handler = async () => 'ok'

interface Subject {
  scheme: VersioningSchemeClass
  place: string
  route: string
  request: (version: string) => InjectOptions
  unnamed: InjectOptions
  unnamedRoute?: string
}

const subjects: Subject[] = [
  {
    scheme: AcceptHeaderVersioning,
    place: 'accept',
    route: '/bookings/:id',
    request: (version) => ({ url: '/bookings/7', headers: { accept: `*/*;version="${version}"` } }),
    unnamed: { url: '/bookings/7' }
  },
  {
    scheme: URLPathVersioning,
    place: 'path',
    route: '/path/:version/bookings/:id',
    request: (version) => ({ url: `/path/${encodeURIComponent(version)}/bookings/7` }),
    unnamed: { url: '/bookings/7' },
    unnamedRoute: '/bookings/:id'
  },
  {
    scheme: HostNameVersioning,
    place: 'host',
    route: '/bookings/:id',
    request: (version) => ({ url: '/bookings/7', headers: { host: `${version}.example.com` } }),
    unnamed: { url: '/bookings/7' }
  },
  {
    scheme: QueryParameterVersioning,
    place: 'query',
    route: '/bookings/:id',
    request: (version) => ({ url: '/bookings/7', query: { version } }),
    unnamed: { url: '/bookings/7' }
  }
]

for (const { scheme, place, route, request, unnamed, unnamedRoute = route } of subjects) {
  const base = { scheme: scheme.name, place, route, isDefault: false, reason: null }

  t.test(`${scheme.name} reports the outcome of a request once`, async (t) => {
    const events = usageEvents(t)
    const now = clockAt(SUNSET).now
    const app = await appWith(t, { ...ending, scheme, defaultVersion: 'v2', enforceSunset: true, now })
    app.get('/bookings/:id', handler)
    app.get('/path/:version/bookings/:id', handler)
    await app.inject(request('v3'))
    await app.inject(request('v1'))
    await app.inject(request('v9'))
    await app.inject(unnamed)
    t.same(events.map(shown), [
      { ...base, version: 'v3', requested: 'v3', outcome: 'ok' },
      { ...base, version: 'v1', requested: 'v1', outcome: 'gone', reason: 'gone' },
      { ...base, version: null, requested: 'v9', outcome: 'refused', reason: 'unsupported' },
      { ...base, isDefault: true, version: 'v2', requested: null, outcome: 'ok', place: null, route: unnamedRoute }
    ])
    t.ok(events.every((event) => event.request.server !== undefined))
  })

  t.test(`${scheme.name} does not report a version that is not served as the version`, async (t) => {
    const events = usageEvents(t)
    const app = await appWith(t, { ...ending, scheme, defaultVersion: 'v2', allowedVersions: null })
    app.get('/bookings/:id', handler)
    app.get('/path/:version/bookings/:id', handler)
    const long = 'x'.repeat(70)
    for (const version of ['v2', 'v7', long]) await app.inject(request(version))
    t.same(events.map(({ version, requested }) => [version, requested]), [
      ['v2', 'v2'], [null, 'v7'], [null, 'x'.repeat(64)]
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

t.test('a requested version that would be cut within a surrogate pair ends in U+FFFD', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, ending)
  app.get('/', handler)
  await app.inject({ url: '/', query: { version: `${'x'.repeat(63)}😀` } })
  t.equal(events[0].requested, `${'x'.repeat(63)}\ufffd`)
})

t.test('a version that a URL does not serve is reported as refused', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, ending)
  app.get('/', { version: 'v1' }, handler)
  await app.inject('/?version=v2')
  t.match(events.map(shown), [{ version: null, requested: 'v2', outcome: 'refused', route: '/' }])
  t.equal(events.length, 1)
})

t.test('a request whose handler fails is reported with its version', async (t) => {
  const events = usageEvents(t)
  const app = await appWith(t, ending)
  app.get('/', async () => { throw new Error('broken') })
  await app.inject('/?version=v3')
  t.same(events.map(({ outcome }) => outcome), ['ok'])
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

t.test('a request is reported once if the plugin is later registered above its context as well', async (t) => {
  const events = usageEvents(t)
  const app = bareApp(t)
  app.register(async (context) => {
    await context.register(versioning, ending)
    context.get('/', handler)
  })
  app.register(versioning, ending)
  await app.inject('/?version=v3')
  t.match(events.map(shown), [{ version: 'v3', requested: 'v3', outcome: 'ok' }])
  t.equal(events.length, 1)
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
