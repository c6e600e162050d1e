// The rules of docs/handlers.md, docs/schemes.md ("Several places"), docs/which-version.md
// and docs/retiring.md, in their words. Nothing here is taken from src/.

import { NOW, OF_CLIENT } from './apps.ts'

import type { VersionUsage } from 'fastify-versioning'
import type {
  AppSpec, Constraints, Ending, Place, Range, RequestSpec, RouterOptions, Settings, Spec, Versions
} from './apps.ts'

/** What a request has to get. */
export interface Expected {
  readonly status: number
  /** The number of the route that answers, or null. */
  readonly route: number | null
  /** The version that the handler sees, or what a refusal says; `'plain'` for Fastify's own 404. */
  readonly body: string | null | { code: string, allowed: readonly string[] | null, reason: Usage['reason'] }
  /** The version in the header for it. */
  readonly served: string | null
  /** The request headers in Vary. */
  readonly vary: readonly string[]
  /** Whether the response has Deprecation. */
  readonly deprecation: boolean
  /** The versions that are reported, in release order. */
  readonly supported: readonly string[]
  readonly deprecated: readonly string[]
  readonly usage: Usage | null
}

/** What a usage event has, docs/retiring.md, "Who still uses a version". */
export type Usage = Pick<VersionUsage, 'version' | 'requested' | 'isDefault' | 'outcome' | 'reason' | 'place'>

/** A route with all that it inherits. */
interface Known {
  readonly id: number
  readonly methods: readonly string[]
  /** Each path as a list of segments, in which `:` is a parameter. */
  readonly paths: readonly string[]
  /** At each path the index of the segment that is the parameter `version`, or null. */
  readonly params: readonly (number | null)[]
  /** As it is declared, prefix included. */
  readonly url: string
  readonly versions: Versions | null
  readonly constraints: Constraints
  /** The settings of its scheme, or null if it is version-neutral. */
  readonly scheme: Scheme | null
}

/** A request, and the parameter `version` that the path of its route makes of it, or null. */
type Read = RequestSpec & { readonly segment: string | null }

interface Scheme {
  /** Registrations without settings of their own share the scheme of the context above. */
  readonly id: string
  readonly list: boolean
  readonly places: readonly Place[]
  readonly defaultVersion: string | null
  /** Whether the default version is the client's. */
  readonly ofClient: boolean
  readonly allowedVersions: readonly (string | null)[] | null
  readonly isInexact: boolean
}

const NOT_FOUND = [404, 'FST_ERR_VERSION_NOT_FOUND'] as const
const AMBIGUOUS = [400, 'FST_ERR_VERSION_AMBIGUOUS'] as const
/** What usage events call a place, its header in Vary, and its refusal. */
const PLACES: Record<Place, { name: string, vary: string | null, refusal: readonly [number, string] }> = {
  accept: { name: 'accept', vary: 'accept', refusal: [406, 'FST_ERR_VERSION_NOT_ACCEPTABLE'] },
  body: { name: 'content-type', vary: 'content-type', refusal: [415, 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE'] },
  header: { name: 'header', vary: 'api-version', refusal: [400, 'FST_ERR_VERSION_NOT_SUPPORTED'] },
  host: { name: 'host', vary: null, refusal: NOT_FOUND },
  path: { name: 'path', vary: null, refusal: NOT_FOUND },
  query: { name: 'query', vary: null, refusal: NOT_FOUND },
  custom: { name: 'custom', vary: 'x-version', refusal: NOT_FOUND }
}

export class Model {
  readonly #app: AppSpec
  readonly #routes: readonly Known[]

  constructor (app: AppSpec) {
    this.#app = app
    this.#routes = routesOf(app)
  }

  /** The codes of the errors of which the app must fail with one. Empty if it must boot. */
  get errors (): readonly string[] {
    const routes = this.#routes
    const methods = [...new Set(routes.flatMap(({ methods }) => methods))]
    const isInvalid = routes.some((route) => !isValid(route)) ||
      methods.some((method) => isRefused(routes.filter(({ methods }) => methods.includes(method))))
    // The router finds claims that are the same.
    const duplicate = 'FST_ERR_DUPLICATED_ROUTE'
    if (isInvalid) return ['FST_ERR_VERSIONING_OPTION', duplicate]
    return routes.some((first) => routes.some((second) => isDuplicate(first, second))) ? [duplicate] : []
  }

  /** What the rules say that a request has to get. */
  expect (request: RequestSpec): Expected {
    // Fastify adds a HEAD route to each GET route.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const routes = this.#routes.filter(({ methods }) => methods.includes(method))
    return this.#among(keysOf(request.path, this.#app.router, routes), routes, request)
  }

  /** A path without parameter comes first; where the constraints of its routes do not match, the next one is tried. */
  #among ([key, ...others]: readonly string[], routes: readonly Known[], request: RequestSpec): Expected {
    if (key === undefined) return { ...nothing, status: 404, body: 'plain' }
    const atUrl = routes.filter(({ paths }) => paths.includes(key))
    const matching = atUrl.filter(({ constraints }) => isMatch(constraints, request))
    if (matching.length === 0) return this.#among(others, routes, request)
    const versioned = atUrl.find(({ versions }) => versions !== null)
    const readAt = (route: Known): Read => ({ ...request, segment: this.#segmentOf(route, key, request) })
    if (versioned === undefined) {
      const route = mostConstrained(matching)
      return this.#answer(route, [route], readAt(route))
    }
    // Where versions choose, all routes have the same constraints and the same scheme.
    const reading = readingOf(versioned.scheme!, readAt(versioned))
    const route = serverIn(matching, reading.version)
    if (route === undefined) return this.#refusal(reading, matching)
    return this.#answer(route, matching, readAt(route))
  }

  /** The parameter `version` of a request at a path of a route, or null if the path has none. */
  #segmentOf ({ paths, params }: Known, key: string, { path }: RequestSpec): string | null {
    const index = params[paths.indexOf(key)] ?? null
    if (index === null) return null
    const segments = normal(path, { ...this.#app.router, caseSensitive: true }).split('/')
    return decodeURIComponent(segments[index]!)
  }

  /** @param candidates the routes among which versions choose, or the one that there is */
  #answer ({ id, scheme }: Known, candidates: readonly Known[], request: Read): Expected {
    if (scheme === null) return { ...nothing, route: id }
    const reading = readingOf(scheme, request)
    const { version } = reading
    if (version === REFUSED) return this.#refusal(reading, candidates)
    const isGone = this.#isGone(version, scheme)
    const about = {
      ...this.#about(reading, candidates), deprecation: this.#ending(version, scheme)?.deprecated !== undefined
    }
    if (isGone) {
      const body = this.#body('FST_ERR_VERSION_GONE', candidates, scheme, 'gone')
      return { ...about, status: 410, body, usage: usageOf(reading, 'gone', 'gone') }
    }
    // An empty version cannot be sent in a header.
    const served = this.#app.settings.servedVersion === null || version === '' ? null : version
    return { ...about, route: id, body: version, served, usage: usageOf(reading, 'ok', null) }
  }

  #refusal (reading: Reading, candidates: readonly Known[]): Expected {
    const { scheme, refusal: [status, code], reason } = reading
    const body = this.#body(code, candidates, scheme, reason)
    return { ...this.#about(reading, candidates), status, body, usage: usageOf(reading, 'refused', reason) }
  }

  #body (code: string, candidates: readonly Known[], scheme: Scheme, reason: Usage['reason']): Expected['body'] {
    const isAny = scheme.allowedVersions === null && candidates.some(({ versions }) => versions === null)
    return { code, allowed: isAny ? null : this.#offered(candidates, scheme), reason }
  }

  /** What every response of a versioned route has. docs/retiring.md, "Report the versions". */
  #about ({ scheme }: Reading, candidates: readonly Known[]): Expected {
    const isReported = this.#app.settings.reportVersions && scheme.allowedVersions !== null
    const supported = isReported ? this.#offered(candidates, scheme) : []
    const deprecated = supported.filter((version) => {
      const { deprecated, sunset } = this.#ending(version, scheme) ?? {}
      return (deprecated ?? sunset ?? 'never') <= NOW
    })
    const vary = scheme.places.flatMap((place) => PLACES[place].vary ?? []).concat(scheme.ofClient ? ['x-client'] : [])
    return { ...nothing, supported, deprecated, vary: [...new Set(vary)].sort() }
  }

  /** The versions that the routes answer now, in release order, without previews. */
  #offered (candidates: readonly Known[], scheme: Scheme): string[] {
    // Without `allowedVersions` the routes alone say which versions there are.
    const all = scheme.allowedVersions ??
      [...new Set(candidates.flatMap(({ versions }) => versions as readonly (string | null)[]))]
    const open = candidates.find(({ versions }) => versions === null)
    return all.filter((version): version is string => {
      const isOpen = open !== undefined && (hasPlace(open) || version === scheme.defaultVersion)
      return version !== null && (isOpen || candidates.some((route) => serves(route, version))) &&
        !this.#isGone(version, scheme) && this.#ending(version, scheme)?.preview !== true
    })
  }

  #ending (version: string | null, { allowedVersions }: Scheme): Ending | undefined {
    if (version === null || (allowedVersions !== null && !allowedVersions.includes(version))) return undefined
    return this.#app.settings.lifecycle[version]
  }

  #isGone (version: string | null, scheme: Scheme): boolean {
    const sunset = this.#ending(version, scheme)?.sunset
    return this.#app.settings.enforceSunset !== false && sunset !== undefined && sunset <= NOW
  }
}

const nothing: Expected = {
  status: 200,
  route: null,
  body: null,
  served: null,
  vary: [],
  deprecation: false,
  supported: [],
  deprecated: [],
  usage: null
}

// Routes

function routesOf ({ router, settings, children }: AppSpec): Known[] {
  let id = 0
  let contexts = 0
  return walk(children, '', { ...settings, id: 0 }, null)

  function walk (specs: readonly Spec[], prefix: string, inherited: Inherited, version: Versions | null): Known[] {
    return specs.flatMap((spec) => {
      if ('children' in spec) {
        const entries = Object.entries(spec.settings ?? {}).filter(([, value]) => value !== undefined)
        const narrower = Object.fromEntries(entries)
        const id = Object.keys(narrower).some((name) => name !== 'scheme') ? ++contexts : inherited.id
        const below = { ...inherited, ...narrower, id }
        return walk(spec.children, prefix + (spec.prefix ?? ''), below, spec.version ?? version)
      }
      const scheme = spec.neutral ? null : schemeOf(inherited)
      const paths = pathsOf(prefix, spec.url)
      return [{
        id: id++,
        methods: spec.method.split(','),
        paths: paths.map((path) => normal(path, router)),
        params: paths.map((path) => versionIn(path, router)),
        url: prefix + spec.url,
        // A default of the context is not for routes that have no version at all.
        versions: spec.version === undefined && scheme !== null ? version : spec.version ?? null,
        constraints: spec.constraints,
        scheme
      }]
    })
  }
}

type Inherited = Settings & { readonly id: number }

function schemeOf ({ id, scheme, defaultVersion, allowedVersions, resolveVersion }: Inherited): Scheme | null {
  if (scheme === null || scheme === undefined) return null
  // A list of one is this one.
  const places = [scheme].flat()
  return {
    id: `${id} ${places}`,
    list: places.length > 1,
    places,
    defaultVersion: defaultVersion === OF_CLIENT ? null : defaultVersion ?? null,
    ofClient: defaultVersion === OF_CLIENT,
    allowedVersions: allowedVersions ?? null,
    isInexact: resolveVersion === 'inLowerCase'
  }
}

/** Where the parameter `version` stands in a path; of two the last one counts. */
function versionIn (path: string, router: RouterOptions): number | null {
  const index = normal(path.replaceAll(':version', 'VERSION'), { ...router, caseSensitive: true }).split('/')
    .lastIndexOf('VERSION')
  return index === -1 ? null : index
}

/** `/a/:id?` includes `/a`, and the root of a prefix is the same with and without a slash. */
function pathsOf (prefix: string, url: string): string[] {
  if (prefix !== '' && url === '/') return [prefix, `${prefix}/`]
  if (!url.endsWith('?')) return [prefix + url]
  return [prefix + url.slice(0, -1), prefix + url.slice(0, url.lastIndexOf('/')) || '/']
}

function normal (path: string, { ignoreTrailingSlash, ignoreDuplicateSlashes, caseSensitive }: RouterOptions): string {
  let normalised = path.replace(/:\w+/g, ':')
  if (ignoreDuplicateSlashes === true) normalised = normalised.replace(/\/+/g, '/')
  if (ignoreTrailingSlash === true && normalised.length > 1) normalised = normalised.replace(/\/$/, '')
  return caseSensitive === false ? normalised.toLowerCase() : normalised
}

/** The paths of routes that match the path of a request, those without a parameter first. */
function keysOf (path: string, options: RouterOptions, routes: readonly Known[]): string[] {
  const segments = normal(decodeURI(path), options).split('/')
  const keys = [...new Set(routes.flatMap(({ paths }) => paths))].filter((key) => {
    const parts = key.split('/')
    return parts.length === segments.length && parts.every((part, i) => part === ':' || part === segments[i])
  })
  // At the first difference text goes before a parameter.
  return keys.sort((a, b) => {
    const [segmentsOfA, segmentsOfB] = [a.split('/'), b.split('/')]
    const at = segmentsOfA.findIndex((part, i) => part !== segmentsOfB[i])
    return Number(segmentsOfA[at] === ':') - Number(segmentsOfB[at] === ':')
  })
}

/** The versions that a route lists or has in its range, in release order, as text. */
function claimOf (route: Known): string {
  const { versions, scheme } = route
  if (versions === null) return 'open'
  const order = scheme?.allowedVersions ?? []
  if (isRange(versions)) return `from ${startOf(route)} to ${order.indexOf(versions.to ?? order.at(-1)!)}`
  const at = (version: string | null): number => version === null ? Infinity : order.indexOf(version)
  return String([versions].flat().sort((a, b) => at(a) - at(b)))
}

// Conflicts

/** What Fastify's router takes for the same, as it knows of no versions. */
function isDuplicate (later: Known, earlier: Known): boolean {
  return earlier.id < later.id && claimOf(later) === claimOf(earlier) && haveSameConstraints(later, earlier) &&
    later.paths.some((path) => earlier.paths.includes(path)) &&
    later.methods.some((method) => earlier.methods.includes(method))
}

/** docs/handlers.md, "Rules": routes of one method. */
function isRefused (routes: readonly Known[]): boolean {
  const keys = new Set(routes.filter(({ versions }) => versions !== null).flatMap(({ paths }) => paths))
  const slots = new Map([...keys].map((key) => [key, routes.filter(({ paths }) => paths.includes(key))]))
  return [...slots].some(([key, slot]) => slot.some((route, i) => (
    !isAlike(route, slot[0]!, key) || slot.slice(i + 1).some((later) => inConflict(route, later))
  ))) || routes.some((route) => hasTwoSets(route, slots))
}

/** Whether two routes have one scheme and constraints of the same names, and where it reads the path, one segment. */
function isAlike (first: Known, second: Known, key: string): boolean {
  const [mine, theirs] = [first, second].map(({ constraints: { host, tenant }, params, paths, scheme }) => {
    const segment = scheme?.places.includes('path') === true ? params[paths.indexOf(key)] : null
    return `${host !== undefined} ${tenant !== undefined} ${scheme?.id} ${segment}`
  })
  return first.scheme !== null && mine === theirs
}

/** A route with two paths needs the same other routes at both. */
function hasTwoSets (route: Known, slots: ReadonlyMap<string, readonly Known[]>): boolean {
  const sets = [...new Set(route.paths)].map((path) => slots.get(path))
  const others = sets.flatMap((slot) => slot ?? []).filter((neighbour) => neighbour !== route)
  return others.some((neighbour) => !sets.every((slot) => slot?.includes(neighbour)))
}

function isValid ({ versions, scheme, url, params }: Known): boolean {
  if (versions === null) return true
  if (scheme === null) return false
  const withNull = Array.isArray(versions) && versions.includes(null)
  if (scheme.places.includes('path')) {
    const isInPath = url.includes(':version')
    if (!isInPath && scheme.places.every((place) => place === 'path')) return false
    // Optional.
    if (isInPath && (params.includes(null) || url.endsWith('/:version?'))) return false
  }
  if (withNull && scheme.defaultVersion !== null) return false
  if (!isRange(versions)) return [versions].flat().every((version) => isPermitted(scheme, version))
  const order = scheme.allowedVersions ?? []
  const ends = [versions.from, versions.to].filter((end) => end !== undefined).map((end) => order.indexOf(end))
  return !ends.includes(-1) && (ends.length < 2 || ends[0]! <= ends[1]!)
}

function inConflict (first: Known, second: Known): boolean {
  if (!haveSameConstraints(first, second)) return false
  if (first.versions === null || second.versions === null) return first.versions === second.versions
  if (isRange(first.versions) && isRange(second.versions)) return startOf(first) === startOf(second)
  if (isRange(first.versions) || isRange(second.versions)) return false
  const theirs = [second.versions].flat()
  return [first.versions].flat().some((version) => theirs.includes(version))
}

// Versions

function isRange (versions: Versions): versions is Range {
  return typeof versions === 'object' && !Array.isArray(versions)
}

function orderOf ({ scheme }: Known): readonly (string | null)[] {
  return scheme?.allowedVersions?.filter((version) => version !== null) ?? []
}

/** A range that has no beginning begins with the list. */
function startOf (route: Known): number {
  const { from } = route.versions as Range
  return from === undefined ? 0 : orderOf(route).indexOf(from)
}

function serves (route: Known, version: string | null): boolean {
  if (route.versions === null) return false
  if (!isRange(route.versions)) return [route.versions].flat().includes(version)
  const { to } = route.versions
  const at = orderOf(route).indexOf(version)
  return at >= 0 && at >= startOf(route) && (to === undefined || at <= orderOf(route).indexOf(to))
}

/** Whether a request can specify the version. Without a place for it in the path it has the default version. */
function hasPlace ({ params, scheme }: Known): boolean {
  if (scheme === null || scheme.ofClient || scheme.places.some((place) => place !== 'path')) return true
  return params.some((index) => index !== null)
}

/** The route that lists the version, then the range that begins last, then one without versions. */
function serverIn (group: readonly Known[], version: Version): Known | undefined {
  const open = group.find(({ versions }) => versions === null)
  // What the scheme refuses is left to routes without `version`.
  if (version === REFUSED) return open
  const serving = group.filter((route) => serves(route, version))
  const lists = serving.find(({ versions }) => !isRange(versions!))
  return lists ?? serving.sort((a, b) => startOf(b) - startOf(a))[0] ?? open
}

// Constraints

function isMatch ({ host, tenant }: Constraints, request: RequestSpec): boolean {
  return (host === undefined || host === request.host) && (tenant === undefined || tenant === request.tenant)
}

function haveSameConstraints ({ constraints: first }: Known, { constraints: second }: Known): boolean {
  return first.host === second.host && first.tenant === second.tenant
}

/** The route with more constraints, and of routes with as many, the one declared last. */
function mostConstrained (routes: readonly Known[]): Known {
  const count = ({ constraints: { host, tenant } }: Known): number => (
    Number(host !== undefined) + Number(tenant !== undefined)
  )
  return [...routes].sort((a, b) => count(b) - count(a) || b.id - a.id)[0]!
}

// Schemes

const REFUSED: unique symbol = Symbol('refused')
type Version = string | null | typeof REFUSED

/** What a scheme makes of a request. */
type Reading = ReturnType<typeof readingOf>

/** docs/which-version.md, in its order. */
function readingOf (scheme: Scheme, request: Read) {
  const { list, places, isInexact, ofClient } = scheme
  const all = places.map((place) => ({ place, texts: readIn(place, request) }))
  const found = all.filter(({ texts }) => texts.length > 0)
  const [first] = found
  // Two names of one version are one version; null is a refused one.
  const meant = new Map(found.flatMap(({ texts }) => texts).map((name) => {
    const version = !isInexact ? name : name === 'V8' ? null : name.toLowerCase()
    return [version ?? name, version]
  }))
  const isAmbiguous = meant.size > 1
  const byDefault = ofClient ? request.client ?? null : scheme.defaultVersion
  const [named = byDefault] = meant.values()
  // SPEC.md, HostNameVersioning 3.
  const isUnchecked = first === undefined && !list && places[0] === 'host'
  const isRead = first === undefined || named !== null
  const version: Version = !isAmbiguous && isRead && (isUnchecked || isPermitted(scheme, named)) ? named : REFUSED
  // A list that gets different versions, and a header with the version twice.
  const isKnown = first !== undefined && !(list && isAmbiguous)
  const unmet = typeof version === 'string' ? 'unserved' : 'missing'
  const isUnsupported = version === REFUSED && (first !== undefined || byDefault !== null)
  return {
    scheme,
    version: version as Version,
    // What the client names, and where, as usage events have it.
    requested: !isKnown ? null : list ? first.texts[0]! : first.texts.join(', '),
    place: isKnown ? PLACES[first.place].name : null,
    // The refusal, if it is refused, and its reason (docs/errors.md, "Refusals").
    refusal: isAmbiguous ? AMBIGUOUS : PLACES[first?.place ?? places[0]!].refusal,
    reason: isAmbiguous ? 'ambiguous' as const : isUnsupported ? 'unsupported' as const : unmet as Usage['reason']
  }
}

/** SPEC.md, Base contract 4. */
function isPermitted ({ allowedVersions, defaultVersion }: Scheme, version: string | null): boolean {
  if (allowedVersions === null || allowedVersions.length === 0) return true
  return (version !== null && version === defaultVersion) || allowedVersions.includes(version)
}

function readIn (place: Place, { host, names, segment }: Read): string[] {
  if (place === 'path') return segment === null ? [] : [segment]
  if (place === 'host') return /^(v\d)\./i.exec(host)?.slice(1) ?? []
  const text = names[place]
  if (text === undefined) return []
  return place === 'header' ? text.split(',').map((member) => member.trim()) : [text]
}

function usageOf (
  { scheme, version, requested, place }: Reading, outcome: Usage['outcome'], reason: Usage['reason']
): Usage {
  const isListed = version === scheme.defaultVersion || scheme.allowedVersions?.includes(version as string)
  return {
    version: typeof version === 'string' && isListed && outcome !== 'refused' ? version : null,
    requested,
    isDefault: requested === null && typeof version === 'string',
    outcome,
    reason,
    place
  }
}
