import { setImmediate } from 'node:timers/promises'

import { appWith } from '../fixtures/app-with.ts'
import { refusalOf } from '../fixtures/places.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { BaseVersioning, VersionError } from '../../src/index.ts'
import type { VersioningOptions, VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'
import type { Refusal } from '../fixtures/places.ts'

/** The route that a subject declares: it answers with the version of the request and a link to itself. */
export interface Probe {
  readonly method: HTTPMethods[]
  readonly name: string
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<object>
}

/** What the contract has to know of a scheme, alone or in a list. */
export interface Subject {
  readonly Scheme: typeof BaseVersioning
  /** Declares the probe wherever the scheme wants it. */
  readonly routes: (app: FastifyInstance, probe: Probe) => void
  /** A request of the probe that specifies the version. */
  readonly naming: (version: string) => InjectOptions
  /** A request of the probe that names none. */
  readonly unnamed: InjectOptions
  /** Versions that are not `v1`, and differ from it as little as the scheme can carry. */
  readonly lookalikes: readonly string[]
  /** Body of the answer to a version that is not allowed. */
  readonly refusal: Refusal
  /** Whether the default version of a request without a version must be allowed. */
  readonly isDefaultChecked: boolean
  /** The link of the probe to itself. */
  readonly link: (version: string | null) => string
}

/** How a list of schemes differs from a single scheme, where a client specifies the version in one of its places. */
export interface ListedSubject extends Subject {
  /** The schemes of the list, the one under test among them. */
  readonly list: readonly VersioningSchemeClass[]
  /** Body of the answer to a request that names none, where that is not allowed. */
  readonly unnamedRefusal: Refusal
  /** The link of the probe to itself where the request names none. */
  readonly unnamedLink: (version: string | null) => string
}

/** The route that every subject declares. */
export const probe: Probe = {
  method: ['GET', 'POST', 'OPTIONS'],
  name: 'probe',
  async handler (request, reply) {
    reply.header('x-version', String(request.version))
    return { version: request.version, self: reply.reverse('probe') }
  }
}

const ofClients: VersioningOptions = {
  allowedVersions: ['v1', 'v2'], defaultVersion: { header: 'X-Client', version: (client) => client }
}

/** Makes an app with these options, or returns the one that is there: tests that only ask may share it. */
export type ProbeApps = (options: VersioningOptions) => Promise<FastifyInstance>

/** The apps of a subject, closed after the test that has all of their tests. A function is shared as the same one. */
export function probeApps (
  t: Test, scheme: VersioningOptions['scheme'], routes: Subject['routes']
): ProbeApps {
  const apps = new Map<string, Promise<FastifyInstance>>()
  const functions: unknown[] = []
  async function make (options: VersioningOptions): Promise<FastifyInstance> {
    const app = await appWith(t, { scheme, ...options })
    routes(app, probe)
    return app
  }
  return (options) => {
    const key = JSON.stringify(options, (_name, value) => {
      if (typeof value !== 'function') return value
      if (!functions.includes(value)) functions.push(value)
      return `function ${functions.indexOf(value)}`
    })
    const app = apps.get(key) ?? make(options)
    apps.set(key, app)
    return app
  }
}

/**
 * What every scheme does alike, alone or in a list.
 *
 * @param probeWith apps with the routes of the subject
 */
export function sharedContract (t: Test, subject: Subject | ListedSubject, probeWith?: ProbeApps): void {
  const { Scheme, naming, unnamed, lookalikes, refusal, isDefaultChecked, link } = subject
  const { list: scheme, unnamedRefusal, unnamedLink } = 'list' in subject
    ? subject
    : { list: Scheme, unnamedRefusal: refusal, unnamedLink: link }

  const appFor = probeWith ?? probeApps(t, scheme, subject.routes)

  t.test('an allowed version that the client specifies is the version of the request', async (t) => {
    const app = await appFor({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    t.same(await answer(app, naming('v2')), { version: 'v2', self: link('v2') })
  })

  t.test('a version that is not allowed is refused', async (t) => {
    const app = await appFor({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    const response = await app.inject(naming('v9'))
    t.equal(response.statusCode, refusal.statusCode)
    t.same(response.json(), refusalOf(refusal, 'v9', ['v1', 'v2']))
  })

  t.test('an error handler sees the refusal, the allowed versions and who refused', async (t) => {
    const app = await appWith(t, { scheme, defaultVersion: 'v2', allowedVersions: ['v2', 'v1'] })
    app.setErrorHandler<VersionError>(async (error, request, reply) => {
      reply.code(error.statusCode)
      const { code, message, allowedVersions } = error
      const { version, versioningScheme } = request
      return { code, message, allowedVersions, version, isScheme: isOf(versioningScheme, Scheme) }
    })
    subject.routes(app, probe)
    const { code, message } = refusalOf(refusal, 'v9', ['v2', 'v1'])
    const seen = { code, message, allowedVersions: ['v2', 'v1'], version: null, isScheme: true }
    t.same(await answer(app, naming('v9')), seen)
  })

  t.test('a request without a version has the default version', async (t) => {
    const app = await appFor({ defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] })
    t.same(await answer(app, unnamed), { version: 'v2', self: unnamedLink('v2') })
  })

  t.test('every version is allowed without a list', async (t) => {
    const app = await appFor({ defaultVersion: 'v1' })
    t.equal(await versionOf(app, naming('v9')), 'v9')
    t.equal(await versionOf(app, unnamed), 'v1')
    t.same(await answer(await appFor({ allowedVersions: [] }), unnamed), { version: null, self: unnamedLink(null) })
  })

  for (const lookalike of lookalikes) {
    t.test(`"${lookalike}" is a different version from "v1"`, async (t) => {
      const app = await appFor({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
      t.equal((await app.inject(naming(lookalike))).statusCode, refusal.statusCode)
      const other = await appFor({ defaultVersion: lookalike, allowedVersions: [lookalike] })
      t.equal(await versionOf(other, naming(lookalike)), lookalike)
      t.equal((await other.inject(naming('v1'))).statusCode, refusal.statusCode)
    })
  }

  t.test(`a request without a version or a default is ${isDefaultChecked ? 'refused' : 'served'}`, async (t) => {
    const app = await appFor({ allowedVersions: ['v1'] })
    t.same(
      await answer(app, unnamed),
      isDefaultChecked ? refusalOf(unnamedRefusal, null, ['v1']) : { version: null, self: unnamedLink(null) }
    )
  })

  t.test('a request without a version or a default is allowed where null is listed', async (t) => {
    const app = await appFor({ allowedVersions: [null, 'v1'] })
    t.same(await answer(app, unnamed), { version: null, self: unnamedLink(null) })
    t.same(await answer(app, naming('v9')), refusalOf(refusal, 'v9', ['v1']))
  })

  t.test('a client may have its own default version, which a request with a version does not get', async (t) => {
    const app = await appFor(ofClients)
    const ofClient = (request: InjectOptions, client: string) => (
      { ...request, headers: { ...request.headers, 'x-client': client } }
    )
    t.same(await answer(app, ofClient(unnamed, 'v2')), { version: 'v2', self: unnamedLink('v2') })
    t.same(await answer(app, ofClient(naming('v1'), 'v2')), { version: 'v1', self: link('v1') })
    t.match((await app.inject(naming('v1'))).headers.vary, /X-Client/)
    t.equal((await app.inject(ofClient(naming('v9'), 'v2'))).statusCode, refusal.statusCode)
    t.same(
      await answer(app, unnamed),
      isDefaultChecked ? refusalOf(unnamedRefusal, null, ['v1', 'v2']) : { version: null, self: unnamedLink(null) }
    )
    const { statusCode } = isDefaultChecked ? unnamedRefusal : { statusCode: 200 }
    t.equal((await app.inject(ofClient(unnamed, 'v9'))).statusCode, statusCode)
  })

  // The versions of NamespaceVersioning are the namespaces of routes, which no client names inexactly.
  for (const lookalike of new Scheme().place === 'namespace' ? [] : lookalikes) {
    t.test(`"${lookalike}" may be resolved to a version, and then everything else is refused`, async (t) => {
      const app = await appFor({
        allowedVersions: ['v1', 'v2'], resolveVersion: (named) => named === lookalike ? 'v2' : null
      })
      t.same(await answer(app, naming(lookalike)), { version: 'v2', self: link('v2') })
      t.same(await answer(app, naming('v1')), refusalOf(refusal, 'v1', ['v1', 'v2']))
    })
  }

  t.test('a usage event has what was sent, where, and why it was refused', async (t) => {
    const events = usageEvents(t)
    const app = await appFor({ defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] })
    for (const request of [naming('v1'), naming('v9'), unnamed]) await app.inject(request)
    const { place, readVersion } = new Scheme()
    const seen = events.map(({ version, requested, isDefault, outcome, reason, place }) => (
      { version, requested, isDefault, outcome, reason, place }
    ))
    const [named, refused, unnamedOne] = seen
    t.same(named, { version: 'v1', requested: 'v1', isDefault: false, outcome: 'ok', reason: null, place })
    t.match(refused, { version: null, isDefault: false, outcome: 'refused' })
    // Without readVersion nobody knows what was sent.
    if (readVersion === undefined) return
    t.match(refused, { requested: 'v9', reason: 'unsupported', place })
    t.same(unnamedOne, { version: 'v2', requested: null, isDefault: true, outcome: 'ok', reason: null, place: null })
  })

  t.test('a link outside a request has no version', async (t) => {
    const app = await appFor({ defaultVersion: 'v1' })
    t.equal(app.reverse('probe'), unnamedLink(null))
  })

  t.test('HEAD, POST and OPTIONS are answered like GET', async (t) => {
    const app = await appFor({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    for (const method of ['HEAD', 'POST', 'OPTIONS'] as const) {
      t.equal((await app.inject({ ...naming('v2'), method })).headers['x-version'], 'v2')
      t.equal((await app.inject({ ...unnamed, method })).headers['x-version'], 'v1')
      t.equal((await app.inject({ ...naming('v9'), method })).statusCode, refusal.statusCode)
    }
  })
}

/** What every scheme does alike that is not in a list. */
export function schemeContract (t: Test, subject: Subject): void {
  const { Scheme, naming, unnamed, refusal, isDefaultChecked, link } = subject
  sharedContract(t, subject)

  async function probeWith (t: Test, options: VersioningOptions): Promise<FastifyInstance> {
    const app = await appWith(t, { scheme: Scheme, ...options })
    subject.routes(app, probe)
    return app
  }

  t.test('a scheme makes links in the version of a given request', async (t) => {
    const scheme = new Scheme()
    const server = await probeWith(t, { scheme })
    await server.ready()
    t.equal(scheme.reverse('probe', { request: { version: 'v1', server } }), link('v1'))
    t.equal(scheme.reverse('probe', { request: { version: null, server } }), link(null))
    t.equal(scheme.reverse('probe'), link(null))
  })

  t.test('an instance of a scheme keeps its own settings', async (t) => {
    const scheme = new Scheme({ defaultVersion: 'v2', allowedVersions: ['v2'] })
    const app = await probeWith(t, { scheme, defaultVersion: 'v1', allowedVersions: ['v1'] })
    t.equal(await versionOf(app, unnamed), 'v2')
    t.equal(await versionOf(app, naming('v2')), 'v2')
    t.same(await answer(app, naming('v1')), refusalOf(refusal, 'v1', ['v2']))
  })

  t.test('a subclass may have its own message and settings', async (t) => {
    class Own extends Scheme {
      override readonly invalidVersionMessage = 'Not one of 100% ours.'
      override readonly defaultVersion = 'v2'
      override readonly allowedVersions = ['v1']
    }
    const app = await probeWith(t, { scheme: Own, allowedVersions: ['v9'] })
    t.equal(await versionOf(app, unnamed), 'v2')
    t.equal(await versionOf(app, naming('v1')), 'v1')
    t.same(await answer(app, naming('v9')), { ...refusal, message: 'Not one of 100% ours.' })
  })

  t.test('a subclass may decide which versions are allowed', async (t) => {
    class Strict extends Scheme {
      override isAllowedVersion (version: string | null): boolean {
        return version === 'v9'
      }
    }
    const app = await probeWith(t, { scheme: Strict, defaultVersion: 'v1', allowedVersions: ['v1'] })
    t.equal(await versionOf(app, naming('v9')), 'v9')
    t.same(await answer(app, naming('v1')), refusalOf(refusal, 'v1', ['v1']))
    t.same(
      await answer(app, unnamed),
      isDefaultChecked ? refusalOf(refusal, null, ['v1']) : { version: 'v1', self: link(null) }
    )
  })

  t.test('a subclass may determine the version asynchronously', async (t) => {
    class Slow extends Scheme {
      override async determineVersion (request: FastifyRequest): Promise<string | null> {
        await setImmediate()
        return super.determineVersion(request)
      }
    }
    const app = await probeWith(t, { scheme: Slow, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    t.same(await answer(app, naming('v2')), { version: 'v2', self: link('v2') })
    t.equal(await versionOf(app, unnamed), 'v1')
    t.same(await answer(app, naming('v9')), refusalOf(refusal, 'v9', ['v1', 'v2']))
  })
}

/** Whether a scheme is of a class, or has one in its list that is. */
function isOf (scheme: VersioningScheme | null, Scheme: VersioningSchemeClass): boolean {
  return [scheme, ...scheme?.schemes ?? []].some((one) => one instanceof Scheme)
}

async function answer (app: FastifyInstance, request: InjectOptions): Promise<object> {
  return (await app.inject(request)).json()
}

async function versionOf (app: FastifyInstance, request: InjectOptions): Promise<unknown> {
  return (await app.inject(request)).json().version
}
