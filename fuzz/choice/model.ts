// The rules of docs/handlers.md, docs/schemes.md ("Several places"), docs/which-version.md
// and docs/retiring.md, in their words. Nothing here is taken from src/.

import { NOW, OF_CLIENT } from './apps.ts'

import type {
  AppSpec, Constraints, Ending, Place, Range, RequestSpec, RouterOptions, Settings, Spec, Versions
} from './apps.ts'

/** What a request has to get. */
export interface Expected {
  readonly status: number
  /** The code of a refusal, null if there is none, or `'plain'` for Fastify's own 404. */
  readonly code: string | null
  /** The number of the route that answers, or null. */
  readonly route: number | null
  readonly version: string | null
  /** The request headers in Vary. */
  readonly vary: readonly string[]
  /** Whether the response has Deprecation. */
  readonly deprecation: boolean
  /** The versions that are reported as supported, at least and at most. */
  readonly supported: Bounds
  /** The versions that a refusal lists, at least and at most, or null if every version is allowed. */
  readonly allowed: Bounds | null
  /** The usage event, or null. */
  readonly usage: Usage | null
}

/** What a usage event has, docs/retiring.md, "Who still uses a version". */
export interface Usage {
  readonly version: string | null
  readonly requested: string | null
  readonly isDefault: boolean
  readonly outcome: string
  readonly reason: string | null
  readonly place: string | null
}

export interface Bounds {
  readonly least: readonly string[]
  readonly most: readonly string[]
  /** Whether there is a release order, which `allowedVersions` gives. */
  readonly ordered: boolean
}

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

const placeNames: Record<Place, string> = {
  accept: 'accept', body: 'content-type', header: 'header', host: 'host', path: 'path', query: 'query', custom: 'custom'
}

const refusals = {
  accept: [406, 'FST_ERR_VERSION_NOT_ACCEPTABLE'],
  body: [415, 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE'],
  header: [400, 'FST_ERR_VERSION_NOT_SUPPORTED'],
  host: [404, 'FST_ERR_VERSION_NOT_FOUND'],
  path: [404, 'FST_ERR_VERSION_NOT_FOUND'],
  query: [404, 'FST_ERR_VERSION_NOT_FOUND'],
  custom: [404, 'FST_ERR_VERSION_NOT_FOUND']
} as const

const OPTION = 'FST_ERR_VERSIONING_OPTION'
const DUPLICATE = 'FST_ERR_DUPLICATED_ROUTE'

const varyOf: Record<Place, readonly string[]> = {
  accept: ['accept'],
  body: ['content-type'],
  header: ['api-version'],
  host: [],
  path: [],
  query: [],
  custom: ['x-version']
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
    if (isInvalid) return [OPTION, DUPLICATE]
    return hasDuplicates(routes) ? [DUPLICATE] : []
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
    if (key === undefined) return notFound
    const atUrl = routes.filter(({ paths }) => paths.includes(key))
    const matching = atUrl.filter(({ constraints }) => isMatch(constraints, request))
    if (matching.length === 0) return this.#among(others, routes, request)
    const versioned = atUrl.find(({ versions }) => versions !== null)
    const readAt = (route: Known): Read => ({ ...request, segment: this.#segmentOf(route, key, request) })
    if (versioned === undefined) {
      const route = mostConstrained(matching)
      return this.#answer(route, null, atUrl, readAt(route))
    }

    const chooser = versioned.scheme!
    const version = versionOf(chooser, readAt(versioned))
    // What the scheme refuses is left to routes without `version`: they may be neutral, or have another scheme.
    const serving = groupsOf(matching).flatMap((group) => serverIn(group, version) ?? [])
    if (serving.length === 0) return this.#refusal(chooser, matching, atUrl, readAt(versioned))
    const route = mostConstrained(serving)
    return this.#answer(route, chooser, atUrl, readAt(route))
  }

  /** The parameter `version` of a request at a path of a route, or null if the path has none. */
  #segmentOf ({ paths, params }: Known, key: string, { path }: RequestSpec): string | null {
    const index = params[paths.indexOf(key)] ?? null
    if (index === null) return null
    const segments = normal(path, { ...this.#app.router, caseSensitive: true }).split('/')
    return decodeURIComponent(segments[index]!)
  }

  #answer (route: Known, chooser: Scheme | null, atUrl: readonly Known[], request: Read): Expected {
    const { id, scheme } = route
    const vary = varyFor(chooser, scheme)
    if (scheme === null) return { ...nothing, status: 200, code: null, route: id, vary }
    const version = versionOf(scheme, request)
    if (version === REFUSED) return this.#refusal(scheme, [route], atUrl, request, chooser)
    const ending = this.#ending(version, scheme)
    const reported = this.#reported(atUrl, [route], scheme)
    const about = { ...nothing, ...reported, version, vary, deprecation: ending?.deprecated !== undefined }
    if (!this.#isGone(version, scheme)) {
      return { ...about, status: 200, code: null, route: id, usage: usageOf(scheme, request, version, 'ok', null) }
    }
    return {
      ...about,
      status: 410,
      code: 'FST_ERR_VERSION_GONE',
      route: null,
      allowed: this.#listed(atUrl, [route], scheme),
      usage: usageOf(scheme, request, version, 'gone', 'gone')
    }
  }

  #refusal (
    scheme: Scheme, candidates: readonly Known[], atUrl: readonly Known[], request: Read,
    chooser: Scheme | null = scheme
  ): Expected {
    const vary = varyFor(chooser, scheme)
    const version = versionOf(scheme, request)
    const [status, code] = refusalOf(scheme, request)
    return {
      ...nothing,
      ...this.#reported(atUrl, candidates, scheme),
      status,
      code,
      vary,
      allowed: this.#listed(atUrl, candidates, scheme),
      usage: usageOf(scheme, request, version, 'refused', reasonOf(scheme, request))
    }
  }

  #reported (atUrl: readonly Known[], candidates: readonly Known[], scheme: Scheme): Pick<Expected, 'supported'> {
    if (!this.#isReported(scheme)) return { supported: none }
    const { least, most, ordered } = this.#answered(atUrl, candidates, scheme)
    const isReleased = (version: string): boolean => this.#ending(version, scheme)?.preview !== true
    return { supported: { least: least.filter(isReleased), most: most.filter(isReleased), ordered } }
  }

  #isReported ({ allowedVersions }: Scheme): boolean {
    return this.#app.settings.reportVersions && allowedVersions !== null
  }

  /** docs/retiring.md, "Report the versions". Routes with more constraints are not considered. */
  #answered (atUrl: readonly Known[], candidates: readonly Known[], scheme: Scheme): Bounds {
    const least = atUrl.filter(({ constraints }) => {
      return candidates.every((route) => isSubset(constraints, route.constraints))
    })
    const neutral = atUrl.some((route) => route.versions === null && hasPlace(route))
    // Where the path of the route has no place for the version, routes with another path do not help.
    const sure = candidates.some(hasPlace) ? least : candidates
    const [all, possible] = [servedBy(sure, scheme), servedBy(atUrl, scheme, neutral)]
    const isLeft = (version: string): boolean => !this.#isGone(version, scheme)
    const ordered = scheme.allowedVersions !== null
    return { least: all.filter(isLeft), most: possible.filter(isLeft), ordered }
  }

  /** docs/errors.md, "Refusals". */
  #listed (atUrl: readonly Known[], candidates: readonly Known[], scheme: Scheme): Bounds | null {
    const isAny = scheme.allowedVersions === null && atUrl.some(({ constraints, versions }) => {
      return versions === null && candidates.every((route) => isSubset(constraints, route.constraints))
    })
    return isAny ? null : this.#answered(atUrl, candidates, scheme)
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

/** Whether a version that is reported as supported is reported as deprecated, too. */
export function isDeprecated ({ settings }: AppSpec, version: string): boolean {
  const { deprecated, sunset } = settings.lifecycle[version] ?? {}
  const since = deprecated ?? sunset
  return since !== undefined && since <= NOW
}

const none: Bounds = { least: [], most: [], ordered: true }
const nothing: Expected = {
  status: 200,
  code: null,
  route: null,
  version: null,
  vary: [],
  deprecation: false,
  supported: none,
  allowed: null,
  usage: null
}
const notFound: Expected = { ...nothing, status: 404, code: 'plain' }

// Routes

function routesOf ({ router, settings, children }: AppSpec): Known[] {
  let id = 0
  let contexts = 0
  return walk(children, '', { ...settings, id: 0 }, null)

  function walk (specs: readonly Spec[], prefix: string, inherited: Inherited, version: Versions | null): Known[] {
    return specs.flatMap((spec) => {
      if ('children' in spec) {
        const own = Object.fromEntries(Object.entries(spec.settings ?? {}).filter(([, value]) => value !== undefined))
        const id = Object.keys(own).some((name) => name !== 'scheme') ? ++contexts : inherited.id
        return walk(spec.children, prefix + (spec.prefix ?? ''), { ...inherited, ...own, id }, spec.version ?? version)
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
  const list = typeof scheme !== 'string'
  return {
    id: `${id} ${JSON.stringify(scheme)}`,
    list,
    places: list ? scheme : [scheme],
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
    const [one, other] = [a.split('/'), b.split('/')]
    const at = one.findIndex((part, i) => part !== other[i])
    return Number(one[at] === ':') - Number(other[at] === ':')
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

function shareKey (one: Known, other: Known): boolean {
  return one.paths.some((path) => other.paths.includes(path))
}

/** What Fastify's router takes for the same, as it knows of no versions. */
function isDuplicate (one: Known, other: Known): boolean {
  return claimOf(one) === claimOf(other) && haveSameConstraints(one, other) && shareKey(one, other)
}

function hasDuplicates (routes: readonly Known[]): boolean {
  return routes.some((one) => routes.some((other) => {
    return other.id < one.id && isDuplicate(one, other) && one.methods.some((method) => other.methods.includes(method))
  }))
}

/** docs/handlers.md, "Rules": routes of one method. */
function isRefused (routes: readonly Known[]): boolean {
  const versioned = routes.filter(({ versions }) => versions !== null)
  const keys = [...new Set(versioned.flatMap(({ paths }) => paths))]
  const slots = new Map(keys.map((key) => [key, routes.filter(({ paths }) => paths.includes(key))]))
  return [...slots].some(([key, slot]) => {
    return hasTwoSchemes(slot) || isServedTwice(slot) || hasTwoKinds(slot) || hasTwoNames(slot, key)
  }) || routes.some((route) => hasTwoSets(route, slots))
}

function hasTwoSchemes (slot: readonly Known[]): boolean {
  return slot.some(({ scheme }) => scheme === null || !isSame(scheme, slot[0]!.scheme))
}

/** Where the scheme reads the path, all its routes have the version in the same segment. */
function hasTwoNames (slot: readonly Known[], key: string): boolean {
  if (!slot[0]!.scheme!.places.includes('path')) return false
  return new Set(slot.map(({ paths, params }) => params[paths.indexOf(key)])).size > 1
}

function isServedTwice (slot: readonly Known[]): boolean {
  return slot.some((one, index) => slot.slice(index + 1).some((other) => inConflict(one, other)))
}

function hasTwoKinds (slot: readonly Known[]): boolean {
  const kinds = slot.map(({ constraints: { host, tenant } }) => `${host !== undefined} ${tenant !== undefined}`)
  return new Set(kinds).size > 1
}

/** A route with two paths needs the same other routes at both. */
function hasTwoSets (route: Known, slots: ReadonlyMap<string, readonly Known[]>): boolean {
  const sets = [...new Set(route.paths)].map((path) => slots.get(path))
  const others = sets.flatMap((slot) => slot ?? []).filter((other) => other !== route)
  return others.some((other) => !sets.every((slot) => slot?.includes(other)))
}

function isValid ({ versions, scheme, url, params }: Known): boolean {
  if (versions === null) return true
  if (scheme === null) return false
  const withNull = Array.isArray(versions) && versions.includes(null)
  if (scheme.places.includes('path')) {
    const isInPath = url.includes(':version')
    if (!isInPath && scheme.places.every((place) => place === 'path')) return false
    // Optional, or twice.
    if (isInPath && (params.includes(null) || url.split(':version').length > 2 || withNull)) return false
  }
  if (withNull && scheme.defaultVersion !== null) return false
  const { allowedVersions } = scheme
  const order = allowedVersions ?? []
  if (isRange(versions)) {
    const { from, to } = versions
    const ends = [from, to].filter((end) => end !== undefined)
    if (ends.some((end) => !order.includes(end))) return false
    return ends.length < 2 || order.indexOf(from!) <= order.indexOf(to!)
  }
  return [versions].flat().every((version) => isPermitted(scheme, version))
}

function inConflict (one: Known, other: Known): boolean {
  if (!haveSameConstraints(one, other)) return false
  if (one.versions === null || other.versions === null) return one.versions === other.versions
  if (isRange(one.versions) && isRange(other.versions)) return startOf(one) === startOf(other)
  if (isRange(one.versions) || isRange(other.versions)) return false
  const theirs = [other.versions].flat()
  return [one.versions].flat().some((version) => theirs.includes(version))
}

function isSame (one: Scheme | null, other: Scheme | null): boolean {
  return one?.id === other?.id
}

// Versions

function isRange (versions: Versions): versions is Range {
  return typeof versions === 'object' && !Array.isArray(versions)
}

function startOf ({ versions, scheme }: Known): number {
  const { from } = versions as Range
  // A range that has no beginning begins with the list.
  const order = scheme?.allowedVersions?.filter((version) => version !== null) ?? []
  return from === undefined ? 0 : order.indexOf(from)
}

function serves (route: Known, version: string | null): boolean {
  if (route.versions === null) return false
  if (!isRange(route.versions)) return [route.versions].flat().includes(version)
  const order = route.scheme?.allowedVersions?.filter((version) => version !== null) ?? []
  if (version === null) return false
  const { to } = route.versions
  const at = order.indexOf(version)
  return at >= 0 && at >= startOf(route) && (to === undefined || at <= order.indexOf(to))
}

/** The versions that routes serve, in release order. */
function servedBy (routes: readonly Known[], scheme: Scheme, isOpen = false): string[] {
  // Without `allowedVersions` the routes alone say which versions there are.
  const all = scheme.allowedVersions ?? ['v1', 'v2', 'v3']
  const own = routes.filter((route) => route.versions === null && isSame(route.scheme, scheme))
  const open = isOpen || own.some(hasPlace)
  return all.filter((version): version is string => {
    const isDefault = own.length > 0 && version === scheme.defaultVersion
    return version !== null && (open || isDefault || routes.some((route) => serves(route, version)))
  })
}

/** Whether a request can specify the version. Without a place for it in the path it has the default version. */
function hasPlace ({ params, scheme }: Known): boolean {
  if (scheme === null || scheme.ofClient || scheme.places.some((place) => place !== 'path')) return true
  return params.some((index) => index !== null)
}

/** With the same constraints: the route that lists it, then the range that begins last, then one without versions. */
function serverIn (group: readonly Known[], version: Version): Known | undefined {
  const open = group.find(({ versions }) => versions === null)
  if (version === REFUSED) return open
  const serving = group.filter((route) => serves(route, version))
  const lists = serving.find(({ versions }) => !isRange(versions!))
  return lists ?? serving.sort((a, b) => startOf(b) - startOf(a))[0] ?? open
}

// Constraints

function isMatch ({ host, tenant }: Constraints, request: RequestSpec): boolean {
  return (host === undefined || host === request.host) && (tenant === undefined || tenant === request.tenant)
}

function isSubset (one: Constraints, other: Constraints): boolean {
  return (one.host === undefined || one.host === other.host) &&
    (one.tenant === undefined || one.tenant === other.tenant)
}

function haveSameConstraints (one: Known, other: Known): boolean {
  return isSubset(one.constraints, other.constraints) && isSubset(other.constraints, one.constraints)
}

function count ({ host, tenant }: Constraints): number {
  return Number(host !== undefined) + Number(tenant !== undefined)
}

function groupsOf (routes: readonly Known[]): Known[][] {
  const groups = new Map<string, Known[]>()
  for (const route of routes) {
    const key = `${route.constraints.host} ${route.constraints.tenant}`
    groups.set(key, [...groups.get(key) ?? [], route])
  }
  return [...groups.values()]
}

/** The route with more constraints, and of routes with as many, the one declared last. */
function mostConstrained (routes: readonly Known[]): Known {
  return [...routes].sort((a, b) => count(b.constraints) - count(a.constraints) || b.id - a.id)[0]!
}

// Schemes

const REFUSED: unique symbol = Symbol('refused')
type Version = string | null | typeof REFUSED

/** docs/which-version.md, in its order. */
function versionOf (scheme: Scheme, request: Read): Version {
  const named = meantIn(scheme, request)
  if (named.length > 1) return REFUSED
  const [meant] = named
  if (meant === undefined) return defaultOf(scheme, request)
  return meant !== null && isPermitted(scheme, meant) ? meant : REFUSED
}

function defaultVersionOf ({ defaultVersion, ofClient }: Scheme, { client }: Read): string | null {
  return ofClient ? client ?? null : defaultVersion
}

function defaultOf (scheme: Scheme, request: Read): Version {
  const { list, places } = scheme
  const version = defaultVersionOf(scheme, request)
  // SPEC.md, HostNameVersioning 3.
  if (!list && places[0] === 'host') return version
  return isPermitted(scheme, version) ? version : REFUSED
}

/** SPEC.md, Base contract 4. */
function isPermitted ({ allowedVersions, defaultVersion }: Scheme, version: string | null): boolean {
  if (allowedVersions === null || allowedVersions.length === 0) return true
  return (version !== null && version === defaultVersion) || allowedVersions.includes(version)
}

/** What the client names, as it names it. */
function namedIn ({ places }: Scheme, request: Read): string[] {
  return [...new Set(places.flatMap((place) => readIn(place, request)))]
}

/** The versions that are meant, null being a refused one. Two names of one version are one version. */
function meantIn (scheme: Scheme, request: Read): (string | null)[] {
  const named = namedIn(scheme, request)
  const meant = named.map((name) => [name, resolved(scheme, name)] as const)
  return [...new Map(meant.map(([name, version]) => [version ?? name, version])).values()]
}

function resolved ({ isInexact }: Scheme, name: string): string | null {
  if (!isInexact) return name
  return name === 'V8' ? null : name.toLowerCase()
}

function readIn (place: Place, { host, names, segment }: Read): string[] {
  if (place === 'path') return segment === null ? [] : [segment]
  if (place === 'host') return /^(v\d)\./i.exec(host)?.slice(1) ?? []
  const text = names[place]
  if (text === undefined) return []
  return place === 'header' ? text.split(',').map((member) => member.trim()) : [text]
}

function placeOf (scheme: Scheme, request: Read): Place | undefined {
  return scheme.places.find((place) => readIn(place, request).length > 0)
}

function refusalOf (scheme: Scheme, request: Read): readonly [number, string] {
  if (meantIn(scheme, request).length > 1) return [400, 'FST_ERR_VERSION_AMBIGUOUS']
  return refusals[placeOf(scheme, request) ?? scheme.places[0]!]
}

/** docs/errors.md, "Refusals". */
function reasonOf (scheme: Scheme, request: Read): string {
  if (meantIn(scheme, request).length > 1) return 'ambiguous'
  const version = versionOf(scheme, request)
  if (version === REFUSED) {
    const hasNone = placeOf(scheme, request) === undefined && defaultVersionOf(scheme, request) === null
    return hasNone ? 'missing' : 'unsupported'
  }
  return version === null ? 'missing' : 'unserved'
}

function usageOf (
  scheme: Scheme, request: Read, version: Version, outcome: string, reason: string | null
): Usage {
  const { list, allowedVersions, defaultVersion } = scheme
  const place = placeOf(scheme, request)
  // A list that gets different versions, and a header with the version twice.
  const isUnknown = place === undefined || (list && reason === 'ambiguous')
  const own = isUnknown ? [] : readIn(place, request)
  const requested = isUnknown ? null : list ? own[0]! : own.join(', ')
  const isListed = typeof version === 'string' && (version === defaultVersion || allowedVersions?.includes(version))
  return {
    version: isListed && outcome !== 'refused' ? version : null,
    requested,
    isDefault: requested === null && typeof version === 'string',
    outcome,
    reason,
    place: isUnknown ? null : placeNames[place]
  }
}

function varyFor (...schemes: (Scheme | null)[]): string[] {
  const all = schemes.flatMap((scheme) => [
    ...scheme?.places.flatMap((place) => varyOf[place]) ?? [], ...scheme?.ofClient === true ? ['x-client'] : []
  ])
  return [...new Set(all)].sort()
}
