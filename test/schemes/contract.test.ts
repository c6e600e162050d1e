import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { declareIn, places, refusalOf, requestOf, unnamedLink } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersionError } from '../../src/index.ts'
import type { RawRequest, VersioningOptions, VersioningSchemeClass } from '../../types/index.d.ts'
import type { Refusal } from '../fixtures/places.ts'

/** What the contract has to know of a scheme, alone or in a list. */
interface Subject {
  readonly Scheme: typeof BaseVersioning
  /** The list that the scheme is in, if it is not alone. */
  readonly list?: readonly VersioningSchemeClass[]
  /** Declares the probe wherever the scheme wants it. */
  readonly routes: (app: FastifyInstance, probe: RouteOptions) => void
  /** A request of the probe that specifies the version. */
  readonly naming: (version: string) => InjectOptions
  /** A request of the probe that names none. */
  readonly unnamed: InjectOptions
  /** Versions that are not `v1`, and differ from it as little as the scheme can carry. */
  readonly lookalikes: readonly string[]
  /** Body of the answer to a version that is not allowed. */
  readonly refusal: Refusal
  /** Body of the answer to a request that names none, where that is not allowed. Default: the same. */
  readonly unnamedRefusal?: Refusal
  /** Whether the default version of a request without a version must be allowed. */
  readonly isDefaultChecked: boolean
  /** The link of the probe to itself. */
  readonly link: (version: string | null) => string
  /** The link of the probe to itself where the request names none. Default: the same. */
  readonly unnamedLink?: (version: string | null) => string
}

/** The route of every subject: it answers with the version of the request and a link to itself. */
const probe: RouteOptions = {
  method: ['GET', 'POST', 'OPTIONS'],
  url: '/probe',
  name: 'probe',
  async handler (request: FastifyRequest, reply: FastifyReply) {
    reply.header('x-version', String(request.version))
    return { version: request.version, self: reply.reverse('probe') }
  }
}

const settings: VersioningOptions = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const ofClients: VersioningOptions = {
  ...settings, defaultVersion: { header: 'X-Client', version: (client) => client }
}

async function probeWith (
  t: Test, { routes }: Pick<Subject, 'routes'>, options: VersioningOptions
): Promise<FastifyInstance> {
  const app = await appWith(t, options)
  routes(app, probe)
  return app
}

/** Makes apps of a list, closed after the test that has all of their tests. The same options make one app. */
function probeApps (t: Test, subject: Pick<Subject, 'routes'> & { readonly list: VersioningOptions['scheme'] }) {
  const apps = new Map<string, Promise<FastifyInstance>>()
  return (options: VersioningOptions): Promise<FastifyInstance> => {
    const key = JSON.stringify(options)
    const app = apps.get(key) ?? probeWith(t, subject, { scheme: subject.list, ...options })
    apps.set(key, app)
    return app
  }
}

/** What every scheme does alike, alone or in a list. */
function sharedContract (
  t: Test, subject: Subject, appFor = probeApps(t, { ...subject, list: subject.list ?? subject.Scheme })
): void {
  const { Scheme, list = Scheme, naming, unnamed, lookalikes, refusal, isDefaultChecked, link } = subject
  const { unnamedRefusal = refusal, unnamedLink = link } = subject
  const refused = (version: string | null, versions = ['v1', 'v2']) => (
    refusalOf(version === null ? unnamedRefusal : refusal, version, versions)
  )
  const unnamedAnswer = (versions?: string[]) => (
    isDefaultChecked ? refused(null, versions) : { version: null, self: unnamedLink(null) }
  )

  t.test('an allowed version that the client specifies is the version of the request', async (t) => {
    t.same(await answer(await appFor(settings), naming('v2')), { version: 'v2', self: link('v2') })
  })

  t.test('a version that is not allowed is refused', async (t) => {
    t.same(await answer(await appFor(settings), naming('v9')), refused('v9'))
  })

  t.test('an error handler sees the refusal, the allowed versions and who refused', async (t) => {
    const app = await appWith(t, { scheme: list, defaultVersion: 'v2', allowedVersions: ['v2', 'v1'] })
    app.setErrorHandler<VersionError>(async (error, request, reply) => {
      reply.code(error.statusCode)
      const { code, message, allowedVersions } = error
      const { version, versioningScheme } = request
      const isScheme = [versioningScheme, ...versioningScheme?.schemes ?? []].some((one) => one instanceof Scheme)
      return { code, message, allowedVersions, version, isScheme }
    })
    subject.routes(app, probe)
    const { code, message } = refused('v9', ['v2', 'v1'])
    const seen = { code, message, allowedVersions: ['v2', 'v1'], version: null, isScheme: true }
    t.same(await answer(app, naming('v9')), seen)
  })

  t.test('a request without a version has the default version', async (t) => {
    const app = await appFor({ ...settings, defaultVersion: 'v2' })
    t.same(await answer(app, unnamed), { version: 'v2', self: unnamedLink('v2') })
  })

  t.test('every version is allowed without a list', async (t) => {
    const app = await appFor({ defaultVersion: 'v1' })
    t.equal((await answer(app, naming('v9'))).version, 'v9')
    t.equal((await answer(app, unnamed)).version, 'v1')
    t.same(await answer(await appFor({ allowedVersions: [] }), unnamed), { version: null, self: unnamedLink(null) })
  })

  for (const lookalike of lookalikes) {
    t.test(`"${lookalike}" is a different version from "v1"`, async (t) => {
      t.equal((await (await appFor(settings)).inject(naming(lookalike))).statusCode, refusal.statusCode)
      const other = await appFor({ defaultVersion: lookalike, allowedVersions: [lookalike] })
      t.equal((await answer(other, naming(lookalike))).version, lookalike)
      t.equal((await other.inject(naming('v1'))).statusCode, refusal.statusCode)
    })
  }

  t.test(`without a default ${isDefaultChecked ? 'a request needs null in the list' : 'it is served'}`, async (t) => {
    t.same(await answer(await appFor({ allowedVersions: ['v1'] }), unnamed), unnamedAnswer(['v1']))
    const app = await appFor({ allowedVersions: [null, 'v1'] })
    t.same(await answer(app, unnamed), { version: null, self: unnamedLink(null) })
    t.same(await answer(app, naming('v9')), refused('v9', ['v1']))
  })

  t.test('a client may have its own default version, which a request with a version does not get', async (t) => {
    const app = await probeWith(t, subject, { ...ofClients, scheme: list })
    const ofClient = (request: InjectOptions, client: string) => (
      { ...request, headers: { ...request.headers, 'x-client': client } }
    )
    t.same(await answer(app, ofClient(unnamed, 'v2')), { version: 'v2', self: unnamedLink('v2') })
    t.same(await answer(app, ofClient(naming('v1'), 'v2')), { version: 'v1', self: link('v1') })
    t.match((await app.inject(naming('v1'))).headers.vary, /X-Client/)
    t.equal((await app.inject(ofClient(naming('v9'), 'v2'))).statusCode, refusal.statusCode)
    t.same(await answer(app, unnamed), unnamedAnswer())
    const { statusCode } = isDefaultChecked ? unnamedRefusal : { statusCode: 200 }
    t.equal((await app.inject(ofClient(unnamed, 'v9'))).statusCode, statusCode)
  })

  // The versions of NamespaceVersioning are the namespaces of routes, which no client names inexactly.
  for (const lookalike of new Scheme().place === 'namespace' ? [] : lookalikes) {
    t.test(`"${lookalike}" may be resolved to a version, and then everything else is refused`, async (t) => {
      const resolveVersion = (named: string) => named === lookalike ? 'v2' : null
      const app = await probeWith(t, subject, { allowedVersions: ['v1', 'v2'], resolveVersion, scheme: list })
      t.same(await answer(app, naming(lookalike)), { version: 'v2', self: link('v2') })
      t.same(await answer(app, naming('v1')), refused('v1'))
    })
  }

  t.test('a usage event has what was sent, where, and why it was refused', async (t) => {
    const events = usageEvents(t)
    const app = await appFor({ ...settings, defaultVersion: 'v2' })
    for (const request of [naming('v1'), naming('v9'), unnamed]) await app.inject(request)
    const { place, readVersion } = new Scheme()
    const [named, refused, unnamedOne] = events.map(({ version, requested, isDefault, outcome, reason, place }) => (
      { version, requested, isDefault, outcome, reason, place }
    ))
    t.same(named, { version: 'v1', requested: 'v1', isDefault: false, outcome: 'ok', reason: null, place })
    t.match(refused, { version: null, isDefault: false, outcome: 'refused' })
    // Without readVersion nobody knows what was sent.
    if (readVersion === undefined) return
    t.match(refused, { requested: 'v9', reason: 'unsupported', place })
    t.same(unnamedOne, { version: 'v2', requested: null, isDefault: true, outcome: 'ok', reason: null, place: null })
  })

  t.test('a link outside a request has no version', async (t) => {
    t.equal((await appFor({ defaultVersion: 'v1' })).reverse('probe'), unnamedLink(null))
  })

  t.test('HEAD, POST and OPTIONS are answered like GET', async (t) => {
    const app = await appFor(settings)
    for (const method of ['HEAD', 'POST', 'OPTIONS'] as const) {
      t.equal((await app.inject({ ...naming('v2'), method })).headers['x-version'], 'v2')
      t.equal((await app.inject({ ...unnamed, method })).headers['x-version'], 'v1')
      t.equal((await app.inject({ ...naming('v9'), method })).statusCode, refusal.statusCode)
    }
  })
}

/** What every scheme does alike that is not in a list. */
function schemeContract (t: Test, subject: Subject): void {
  const { Scheme, naming, unnamed, refusal, isDefaultChecked, link } = subject
  sharedContract(t, subject)

  t.test('a scheme makes links in the version of a given request', async (t) => {
    const scheme = new Scheme()
    const server = await probeWith(t, subject, { scheme })
    await server.ready()
    t.equal(scheme.reverse('probe', { request: { version: 'v1', server } }), link('v1'))
    t.equal(scheme.reverse('probe', { request: { version: null, server } }), link(null))
    t.equal(scheme.reverse('probe'), link(null))
  })

  t.test('an instance of a scheme keeps its own settings', async (t) => {
    const scheme = new Scheme({ defaultVersion: 'v2', allowedVersions: ['v2'] })
    const app = await probeWith(t, subject, { scheme, defaultVersion: 'v1', allowedVersions: ['v1'] })
    for (const request of [unnamed, naming('v2')]) t.equal((await answer(app, request)).version, 'v2')
    t.same(await answer(app, naming('v1')), refusalOf(refusal, 'v1', ['v2']))
  })

  t.test('a frozen instance of a scheme works', async (t) => {
    const scheme = Object.freeze(new Scheme({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }))
    const app = await probeWith(t, subject, { scheme })
    for (let i = 0; i < 2; i++) t.same(await answer(app, naming('v2')), { version: 'v2', self: link('v2') })
    t.equal((await answer(app, unnamed)).version, 'v1')
    t.same(await answer(app, naming('v9')), refusalOf(refusal, 'v9', ['v1', 'v2']))
  })

  t.test('a subclass may have its own message and settings', async (t) => {
    class Own extends Scheme {
      override readonly invalidVersionMessage = 'Not one of 100% ours.'
      override readonly defaultVersion = 'v2'
      override readonly allowedVersions = ['v1']
    }
    const app = await probeWith(t, subject, { scheme: Own, allowedVersions: ['v9'] })
    t.equal((await answer(app, unnamed)).version, 'v2')
    t.equal((await answer(app, naming('v1'))).version, 'v1')
    t.same(await answer(app, naming('v9')), { ...refusal, message: 'Not one of 100% ours.' })
  })

  t.test('a subclass may decide which versions are allowed', async (t) => {
    class Strict extends Scheme {
      override isAllowedVersion (version: string | null): boolean {
        return version === 'v9'
      }
    }
    const app = await probeWith(t, subject, { scheme: Strict, defaultVersion: 'v1', allowedVersions: ['v1'] })
    t.equal((await answer(app, naming('v9'))).version, 'v9')
    t.same(await answer(app, naming('v1')), refusalOf(refusal, 'v1', ['v1']))
    const byDefault = isDefaultChecked ? refusalOf(refusal, null, ['v1']) : { version: 'v1', self: link(null) }
    t.same(await answer(app, unnamed), byDefault)
  })

  t.test('a subclass may determine the version asynchronously', async (t) => {
    class Slow extends Scheme {
      override async determineVersion (request: FastifyRequest): Promise<string | null> {
        await setImmediate()
        return super.determineVersion(request)
      }
    }
    const app = await probeWith(t, subject, { ...settings, scheme: Slow })
    t.same(await answer(app, naming('v2')), { version: 'v2', self: link('v2') })
    t.equal((await answer(app, unnamed)).version, 'v1')
    t.same(await answer(app, naming('v9')), refusalOf(refusal, 'v9', ['v1', 'v2']))
  })
}

async function answer (app: FastifyInstance, request: InjectOptions): Promise<{ readonly version?: unknown }> {
  return (await app.inject(request)).json()
}

const LIKE_V1 = ['V1', 'v10', 'v']

/** Versions that are not `v1`, and differ from it as little as each place can carry. */
const lookalikes: Record<keyof typeof places, readonly string[]> = {
  accept: [...LIKE_V1, 'v1.0', ' v1', ''],
  path: [...LIKE_V1, 'v1.0', ' v1', 'v%31', ''],
  namespace: [...LIKE_V1, 'v1.0', ' v1'],
  host: [...LIKE_V1, '1'],
  query: [...LIKE_V1, 'v1.0', ' v1', ''],
  header: [...LIKE_V1, 'v1.0', 'v 1', '"v1"', 'v1;v=1', '__proto__', 'constructor'],
  contentType: [...LIKE_V1, 'v1.0', ' v1', '']
}

const names = Object.keys(places) as (keyof typeof places)[]

for (const name of names) {
  const place = places[name]
  t.test(`${place.Scheme.name} fulfills the contract of every scheme`, async (t) => {
    schemeContract(t, {
      Scheme: place.Scheme,
      routes (app, probe) {
        declareIn(app, [place], probe)
        for (const namespace of name === 'namespace' ? lookalikes.namespace : []) {
          if (namespace === place.lookalike) continue
          app.register(async (child) => { child.route({ ...probe }) }, { prefix: `/in-${namespace}`, namespace })
        }
      },
      naming: (version) => requestOf('/probe', place.naming(version)),
      unnamed: requestOf('/probe'),
      lookalikes: lookalikes[name],
      refusal: place.refusal,
      isDefaultChecked: place.isDefaultChecked,
      link: (version) => version === null ? '/probe' : place.link(version)
    })
  })
}

/** A scheme as a user writes one. */
class ApiVersionHeader extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version'] }
}

/** A scheme that does the same without saying what it reads. */
class Determining extends BaseVersioning {
  override determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-api-version'] as string | undefined, request)
  }
}

for (const Scheme of [ApiVersionHeader, Determining]) {
  t.test(`${Scheme.name} of an app fulfills the contract of every scheme`, async (t) => {
    schemeContract(t, {
      Scheme,
      routes: (app, probe) => app.route({ ...probe }),
      naming: (version) => ({ url: '/probe', headers: { 'x-api-version': version } }),
      unnamed: { url: '/probe' },
      lookalikes: [...LIKE_V1, 'v1.0', ''],
      refusal: { ...places.query.refusal, message: 'Invalid version.' },
      isDefaultChecked: true,
      link: () => '/probe'
    })
  })
}

/** Each place is once the first and once the last of a pair. */
const pairs = names.map((name, i) => [name, names[(i + 1) % names.length]])

for (const list of [...pairs, ['header', 'path', 'query'] as const]) {
  t.test(`the list [${list.join(', ')}] fulfills the contract of every scheme`, async (t) => {
    const all = list.map((name) => places[name])
    const shared = {
      list: all.map(({ Scheme }) => Scheme),
      routes: (app: FastifyInstance, probe: RouteOptions) => declareIn(app, all, probe)
    }
    const apps = probeApps(t, shared)
    for (const place of all) {
      t.test(`the list fulfills it with the version in the ${place.text}`, async (t) => {
        sharedContract(t, {
          ...shared,
          Scheme: place.Scheme,
          naming: (version) => requestOf('/probe', place.naming(version)),
          unnamed: requestOf('/probe'),
          lookalikes: [place.lookalike],
          refusal: place.refusal,
          unnamedRefusal: all[0].refusal,
          isDefaultChecked: true,
          link: (version) => version === null ? '/probe' : place.link(version),
          unnamedLink: (version) => unnamedLink(all, version)
        }, apps)
      })
    }
  })
}
