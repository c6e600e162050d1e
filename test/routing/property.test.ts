import Fastify from 'fastify'
import t from 'tap'

import versioning, { HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { RouteVersions } from '../../types/index.d.ts'

const RUNS = tries(40)
const allowedVersions = ['v1', 'v2', 'v3', 'v4', 'v5']

interface Declared { version: RouteVersions | null, mark: string }

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

/** An app of routes that do not conflict. */
async function appOf (routes: readonly Declared[]): Promise<FastifyInstance> {
  const app = Fastify({ trustProxy: true })
  await app.register(versioning, { scheme: HostNameVersioning, allowedVersions })
  for (const { version, mark } of routes) {
    app.get('/a/:id', { version }, async (request) => [mark, request.version])
  }
  return app
}

/** The routes that do not conflict with an earlier one. */
function withoutConflicts<Route extends Declared> (
  routes: readonly Route[], areBeside: (one: Route, other: Route) => boolean = alwaysBeside
): Route[] {
  const kept: Route[] = []
  for (const route of routes) {
    if (!kept.some((one) => areBeside(one, route) && areInConflict(one, route))) kept.push(route)
  }
  return kept
}

function alwaysBeside (): boolean {
  return true
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
        const response = await one.inject({ url: '/a/7', headers: { host: `${version}.a.b` } })
        const answer = response.statusCode === 200 ? response.json() : response.statusCode
        const wanted = mark === undefined ? 404 : [mark, version]
        if (JSON.stringify(answer) !== JSON.stringify(wanted)) {
          throw new Error(`${version}: ${JSON.stringify(answer)}, not ${JSON.stringify(wanted)}`)
        }
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
    const app = await appOf(versioned)
    const code = await app.ready().then(() => null, (error) => error.code)
    await app.close()
    if (code !== (isRefused ? 'FST_ERR_VERSIONING_OPTION' : null)) throw new Error(`refused: ${isRefused}, got ${code}`)
  }), { numRuns: RUNS })
})

t.test(`a route never answers a request whose version it does not serve in ${RUNS} apps`, async () => {
  const hosts = fc.constantFrom(...allowedVersions.map((version) => `${version}.a.b`), 'localhost', 'v9.a.b')
  await fc.assert(fc.asyncProperty(tables, hosts, hosts, async (routes, host, forwarded) => {
    const declared = withoutConflicts(routes)
    const app = await appOf(declared)
    const response = await app.inject({ url: '/a/7', headers: { host, 'x-forwarded-host': forwarded } })
    await app.close()
    if (response.statusCode === 404) return
    const [mark, version] = response.json()
    if (version === null ? mark === expected(declared, '') : mark === expected(declared, version)) return
    throw new Error(`${host} forwarded as ${forwarded}: ${mark} for ${version}`)
  }), { numRuns: RUNS })
})

interface Constrained extends Declared { host: string | null }

const hosts = ['a.example', 'b.example', 'c.example']
const constrained: fc.Arbitrary<Constrained[]> = fc.array(
  fc.tuple(routeVersions, fc.constantFrom(null, 'a.example', 'b.example')), { minLength: 1, maxLength: 8 }
).map((routes) => routes.map(([version, host], i) => ({ version, host, mark: `route ${i}` })))

t.test(`routes for all hosts serve a version that a host does not, or it is refused in ${RUNS} apps`, async () => {
  await fc.assert(fc.asyncProperty(constrained, async (routes) => {
    const app = Fastify()
    await app.register(versioning, { scheme: QueryParameterVersioning, allowedVersions })
    const declared = withoutConflicts(routes, (one, other) => one.host === other.host)
    for (const { version, host, mark } of declared) {
      app.get('/a', { version, ...host !== null && { constraints: { host } } }, async () => mark)
    }
    for (const host of hosts) {
      const [own, all] = [host, null].map((one) => declared.filter((route) => route.host === one))
      for (const version of allowedVersions) {
        const wanted = expected(own, version) ?? expected(all, version) ??
          (own.length + all.length > 0 ? 'FST_ERR_VERSION_NOT_FOUND' : 'no route')
        const response = await app.inject({ url: `/a?version=${version}`, headers: { host } })
        const answer = response.statusCode === 200 ? response.body : response.json().code ?? 'no route'
        if (answer !== wanted) throw new Error(`${version} of ${host}: ${answer}, not ${wanted}`)
      }
    }
    await app.close()
  }), { numRuns: RUNS })
})
