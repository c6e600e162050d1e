import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  BaseVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { RawRequest, RouteVersions } from '../../types/index.d.ts'

const RUNS = tries(40)
const allowedVersions = ['v1', 'v2', 'v3', 'v4', 'v5']

type Declared = { version: RouteVersions | null, mark: string }

const oneOf = fc.constantFrom(...allowedVersions)
const ends = fc.tuple(oneOf, oneOf).map((pair) => pair.toSorted())
const routeVersions: fc.Arbitrary<RouteVersions | null> = fc.oneof(
  oneOf,
  fc.uniqueArray(oneOf, { minLength: 1 }),
  oneOf.map((from) => ({ from })),
  oneOf.map((to) => ({ to })),
  ends.map(([from, to]) => ({ from, to })),
  fc.constant(null)
)
const tables = fc.array(routeVersions, { minLength: 1, maxLength: 6 }).map((versions) => (
  versions.map((version, i) => ({ version, mark: `route ${i}` }))
))

/** An app of routes that answer with their mark and the version. */
async function appOf (
  routes: readonly Declared[], scheme: typeof BaseVersioning = HostNameVersioning, server: object = { trustProxy: true }
): Promise<FastifyInstance> {
  const app = Fastify(server)
  await app.register(versioning, { scheme, allowedVersions })
  const url = scheme === URLPathVersioning ? '/:version/a' : '/a/:id'
  for (const { version, mark } of routes) {
    app.get(url, { version }, async (request) => [mark, request.version, request.params])
  }
  return app
}

/** What answers in an app that is closed: a mark, a version and parameters, or the status alone. */
async function askOnce (app: FastifyInstance, request: string | InjectOptions) {
  const response = await app.inject(request)
  await app.close()
  const [mark, version, params] = response.statusCode === 200 ? response.json() : []
  return { status: response.statusCode, mark, version, params }
}

/** The routes that do not conflict with an earlier one. */
function withoutConflicts (routes: readonly Declared[]): Declared[] {
  const kept: Declared[] = []
  for (const route of routes) {
    if (!kept.some((one) => areInConflict(one, route))) kept.push(route)
  }
  return kept
}

/** Whether both list a version, or both are ranges that begin with the same one, or both serve every other version. */
function areInConflict (one: Declared, other: Declared): boolean {
  if (one.version === null || other.version === null) return one.version === other.version
  const ranks = allowedVersions.map((version) => [rankOf(one.version, version), rankOf(other.version, version)])
  return ranks.some(([a, b]) => a !== undefined && a === b)
}

/** The route that serves a version: one that lists it, else the range that begins last, else one without version. */
function expected (routes: readonly Declared[], version: string): string | undefined {
  let best: { mark: string, rank: number } | undefined
  for (const { version: claimed, mark } of routes) {
    const rank = rankOf(claimed, version)
    if (rank !== undefined && (best === undefined || rank > best.rank)) best = { mark, rank }
  }
  return best?.mark
}

function rankOf (claimed: RouteVersions | null, version: string): number | undefined {
  if (claimed === null) return -2
  const isList = typeof claimed === 'string' || Array.isArray(claimed)
  if (isList) return [claimed].flat().includes(version) ? Infinity : undefined
  const { from, to } = claimed as { from?: string, to?: string }
  const at = allowedVersions.indexOf(version)
  if (at === -1) return undefined
  const start = from === undefined ? 0 : allowedVersions.indexOf(from)
  const end = to === undefined ? Infinity : allowedVersions.indexOf(to)
  return at >= start && at <= end ? start : undefined
}

t.test(`a version has the same route in any order of declaration in ${RUNS} apps`, async () => {
  await fc.assert(fc.asyncProperty(tables, async (routes) => {
    const declared = withoutConflicts(routes)
    const app = await appOf(declared)
    const reversed = await appOf(declared.toReversed())
    for (const version of allowedVersions) {
      const mark = expected(declared, version)
      for (const one of [app, reversed]) {
        const { statusCode, body } = await one.inject({ url: '/a/7', headers: { host: `${version}.a.b` } })
        const isRight = mark === undefined
          ? statusCode === 404
          : statusCode === 200 && body === JSON.stringify([mark, version, { id: '7' }])
        if (!isRight) throw new Error(`${version}: ${statusCode} ${body}, not ${mark}`)
      }
    }
    await app.close()
    await reversed.close()
  }), { numRuns: RUNS })
})

t.test(`routes that claim a version with the same priority are refused in ${RUNS} apps`, async () => {
  await fc.assert(fc.asyncProperty(tables, async (routes) => {
    const versioned = routes.filter(({ version }) => version !== null)
    const isRefused = withoutConflicts(versioned).length < versioned.length
    const code = await appOf(versioned).then(async (app) => {
      await app.ready()
      await app.close()
      return null
    }).catch((error) => error.code)
    const codes: unknown[] = isRefused ? ['FST_ERR_VERSIONING_OPTION', 'FST_ERR_DUPLICATED_ROUTE'] : [null]
    if (!codes.includes(code)) throw new Error(`refused: ${isRefused}, got ${code}`)
  }), { numRuns: RUNS })
})

t.test(`a route never answers a request whose version it does not serve in ${RUNS} apps`, async () => {
  const hosts = fc.constantFrom(...allowedVersions.map((version) => `${version}.a.b`), 'localhost', 'v9.a.b')
  await fc.assert(fc.asyncProperty(tables, hosts, hosts, async (routes, host, forwarded) => {
    const declared = withoutConflicts(routes)
    const headers = { host, 'x-forwarded-host': forwarded }
    const { status, mark, version } = await askOnce(await appOf(declared), { url: '/a/7', headers })
    if (status === 404 || (status === 200 && mark === expected(declared, version ?? ''))) return
    throw new Error(`${host} forwarded as ${forwarded}: ${status} ${mark} for ${version}`)
  }), { numRuns: RUNS })
})

/** A scheme whose two methods disagree: the router reads one header, the hook another, or it waits, or fails. */
class Twofold extends BaseVersioning {
  override readVersion ({ headers }: Pick<RawRequest, 'headers'>) {
    const read = headers['x-read']
    if (read === 'throw') throw new Error('cannot read')
    return read === 'reject' ? Promise.reject(new Error('too late')) as never : read?.toString()
  }

  override determineVersion ({ headers }: FastifyRequest) {
    const meant = headers['x-meant']?.toString() ?? null
    return headers['x-wait'] === undefined ? meant : Promise.resolve(meant)
  }
}

t.test(`a scheme whose methods disagree gets no route that does not serve the version in ${RUNS} apps`, async () => {
  const versions = fc.constantFrom(...allowedVersions, 'v9', '__proto__', null)
  const reads = fc.oneof(versions, fc.constantFrom('throw', 'reject'))
  await fc.assert(fc.asyncProperty(tables, reads, versions, fc.boolean(), async (routes, read, meant, isSlow) => {
    const declared = withoutConflicts(routes)
    const { status, mark, version } = await askOnce(await appOf(declared, Twofold, {}), {
      url: '/a/7',
      headers: {
        ...read !== null && { 'x-read': read },
        ...meant !== null && { 'x-meant': meant },
        ...isSlow && { 'x-wait': '1' }
      }
    })
    const isRight = status === 200 ? version === meant && mark === expected(declared, meant ?? '') : status < 500
    if (!isRight) throw new Error(`read ${read}, meant ${meant}: ${status} ${mark} for ${version}`)
  }), { numRuns: RUNS })
})

/** The options of the router that decide how it reads a URL. */
const readings = fc.record({
  caseSensitive: fc.boolean(),
  ignoreDuplicateSlashes: fc.boolean(),
  ignoreTrailingSlash: fc.boolean(),
  maxParamLength: fc.constantFrom(2, 100),
  useSemicolonDelimiter: fc.boolean(),
  querystringParser: fc.constantFrom(undefined, (query: string) => Object.fromEntries(new URLSearchParams(
    query.replaceAll(';', '&').replaceAll('Version', 'version')
  )))
}).map(({ querystringParser, ...options }) => ({ ...options, ...querystringParser && { querystringParser } }))

/** What an app without versions reads in a URL, or the status that it answers. */
async function readBy (server: object, path: string): Promise<number | FastifyRequest> {
  const app = Fastify(server)
  let read: FastifyRequest | null = null
  app.get(path, async (request) => { read = request })
  const { statusCode } = await app.inject('/')
  await app.close()
  return read ?? statusCode
}

t.test(`a URL has the route of the version that Fastify's router reads in its path in ${RUNS} apps`, async () => {
  const targets = fc.constantFrom(
    '/v1/a', '/v2/a', '//v2/a', '//v2//a', '/x/v1/a', '/v1;v2/a', '/v1/a;/v2', '/v%31/a', '/v1%2Fv2/a', '/%76%32/a',
    '/v1//a', '///', 'xv2/v1/a', 'http://a.b?/v1/a', '/v2/a?/v1/a', 'http://a.b/v2/a', 'http://v1/v2/a', '/v1/../v2/a',
    '/%00/a', '/%/a', '/v3/a/', '/v2/a#/v1', '/V1/a', '//v1//a//', '/v1/a//', '/v3;/a', '///v3/a;x', '/v10/a'
  )
  await fc.assert(fc.asyncProperty(tables, targets, readings, async (routes, target, routerOptions) => {
    const server = { routerOptions, rewriteUrl: () => target }
    const read = await readBy(server, '/:version/a')
    const declared = withoutConflicts(routes)
    const { status, mark, version } = await askOnce(await appOf(declared, URLPathVersioning, server), '/')
    const asked = typeof read === 'number' ? null : (read.params as { version: string }).version
    const right = asked !== null && allowedVersions.includes(asked) ? expected(declared, asked) : undefined
    const isRight = right === undefined
      ? status === (typeof read === 'number' ? read : 404)
      : status === 200 && mark === right && version === asked
    if (!isRight) throw new Error(`${target}: ${status} ${mark} for ${version}, not ${right} for ${asked}`)
  }), { numRuns: 3 * RUNS })
})

t.test(`a URL has the route of the version that Fastify's router reads in its query in ${RUNS} apps`, async () => {
  const targets = fc.constantFrom(
    '/a/7?version=v1', '/a/7;version=v2', '/a/7;version=v1?version=v2', '/a/7?x=1;version=v2', '/a/7?Version=v2',
    '/a/7#version=v1', '//a//7?version=v2', 'http://a.b/a/7?version=v3', '/a/7?version=v1&version=v2', '/a/7?version',
    '/a/7;version=v%31', '/a/7?version=v1;version=v2', '/a/7/?version=v2', '/A/7?version=v3', '/a/7'
  )
  await fc.assert(fc.asyncProperty(tables, targets, readings, async (routes, target, routerOptions) => {
    const server = { routerOptions, rewriteUrl: () => target }
    const read = await readBy(server, '/a/:id')
    const declared = withoutConflicts(routes)
    const { status, mark, version } = await askOnce(await appOf(declared, QueryParameterVersioning, server), '/')
    const asked = typeof read === 'number' ? null : [(read.query as { version?: string }).version ?? null].flat().at(-1)
    const right = asked != null && allowedVersions.includes(asked) ? expected(declared, asked) : undefined
    const isRight = right === undefined
      ? status === (typeof read === 'number' ? read : 404)
      : status === 200 && mark === right && version === asked
    if (!isRight) throw new Error(`${target}: ${status} ${mark} for ${version}, not ${right} for ${asked}`)
  }), { numRuns: 3 * RUNS })
})
