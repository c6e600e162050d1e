import { isPartOf } from '../between-versions/changes.ts'
import { hasPattern } from '../between-versions/endpoints.ts'
import { keptIn } from '../changes/schema.ts'
import { contextOf } from '../context.ts'
import { functionsOf } from '../fastify/route-functions.ts'
import { isSkippable } from '../fastify/skipped-hooks.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { passageOf } from '../passage.ts'
import { determineIn } from '../requests/determine.ts'
import { labelOf } from '../routes.ts'
import { sourceOf } from './source.ts'
import { RequestVisit } from './visit.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Observer, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Arrived, Counter } from './counter.ts'
import type { Places, Watch } from './visit.ts'

/** The number of requests that must be watched in a version before the answers of a route may be called equal. */
const ENOUGH = 100
/** The words in the source of a function that reads the version, besides the names of its header or parameter. */
const VERSION_WORDS = ['isVersion', 'version', 'versioningScheme', 'rawHeaders', 'headersDistinct']
/** The headers that say how a version is retired, or have a link. */
const SHOWING = ['deprecation', 'sunset', 'link', 'location', 'api-supported-versions', 'api-deprecated-versions']
/** The source of the plugin's own hook, because a hook of the app may have the same name. */
const OWN_HOOK = String(determineIn({ list: [], isIncomplete: false, isSettled: false }, () => undefined, false, false))

/** Counts the requests of a route, and notes whether anything reads their version before they are answered. */
export class RouteWatch implements Observer, Watch {
  isRead = false
  readonly places: Places
  /** All routes of the app. */
  readonly #routes: readonly Route[]
  readonly #route: Route
  readonly #counter: Counter
  /** The sentence why answers may differ although nothing has read the version, or null. */
  readonly #doubt: string | null
  readonly #watched = new Map<string, number>()
  /** The versions in which changes have made other answers, and not only left something out. */
  readonly #altered = new Set<string | null>()
  /** Whether links to a name, or to the route itself under null, differ in the version alone. */
  readonly #links = new Map<string | null, boolean>()
  #isLinkRead = false

  /** @param known the results for sources. Plugins give each route the same hooks, and parsing them takes a while */
  constructor (route: Route, counter: Counter, routes: readonly Route[], known: Map<string, boolean>) {
    const scheme = route.scheme as Scheme
    this.places = placesOf(scheme, route.server.initialConfig.http2 === true, contextOf(route.server).logVersion)
    this.#routes = routes
    this.#route = route
    this.#counter = counter
    this.#doubt = !isWatchable(scheme)
      ? `What reads the version of ${scheme.label} cannot be watched.`
      : doubtOfSources(route, this.places, known)
  }

  /** Returns the sentence why answers may differ in a version although nothing else does, or null. */
  doubtIn (version: string, method: string): string | null {
    const label = labelOf(this.#route)
    if (this.#isLinkRead) return `A link of ${label} has the version, and is not put straight into the answer.`
    if (this.isRead) return `A schema, handler, hook, or what they call reads the version of ${label}.`
    if (this.#altered.has(version)) return `In ${version}, a change has altered more than its examples show.`
    const watched = this.#watched.get(`${method} ${version}`) ?? 0
    if (this.#doubt !== null || watched >= ENOUGH) return this.#doubt
    return `Watched in ${version}: ${watched} of ${ENOUGH} successful requests.`
  }

  arrived (request: FastifyRequest, reply: FastifyReply, arrived: Arrived): void {
    const visit = this.isRead || arrived.outcome !== 'ok' ? null : new RequestVisit(this, request)
    // `close` follows the end of each response, or of a connection that ends before.
    reply.raw.on('close', () => {
      if (visit !== null) {
        passageOf(request).visit = null
        const { headersSent, statusCode } = reply.raw
        // Only an upgrade is answered without a head. The socket of any other hijacked reply may have been destroyed.
        const isSent = headersSent || (reply.sent && request.headers.upgrade !== undefined)
        // A refusal, or a redirect to log in, may have kept the request from the handler.
        const isAnswered = isSent && (statusCode < 300 || statusCode === 304)
        const key = `${request.method} ${arrived.version}`
        if (isAnswered) this.#watched.set(key, (this.#watched.get(key) ?? 0) + 1)
      }
      this.#counter.count(this.#route.url, request, arrived)
    })
  }

  downgraded (version: string | null, before: unknown, after: unknown): void {
    if (this.isRead || this.#altered.has(version)) return
    try {
      if (isPartOf(after, before)) return
    } catch {} // A value that throws when something reads it may be any value.
    this.#altered.add(version)
  }

  isShownBy (field: string): boolean {
    const name = field.toLowerCase()
    return SHOWING.includes(name) || name === String(contextOf(this.#route.server).servedVersion).toLowerCase()
  }

  noteLink (name: string | null): void {
    const isSame = this.#links.get(name) ?? this.#isSame(name)
    this.#links.set(name, isSame)
    if (!isSame) this.isRead = true
  }

  /**
   * Tells whether links to a name differ in the version alone. Each route of the name must serve every version with the
   * same query, and no scheme of the app may make its links.
   */
  #isSame (name: string | null): boolean {
    const versions = this.#routes.flatMap(({ scheme }) => scheme?.listedVersions ?? [])
    const targets = name === null ? [this.#route] : this.#routes.filter((route) => describeRoute(route).name === name)
    const isStable = targets.every((target) => {
      const { claim, older, scheme } = target
      const members = scheme?.members ?? []
      if ([...older.byVersion?.values() ?? []].some(({ downgradeQuery }) => downgradeQuery !== null)) return false
      if (members.some(({ ownMethods }) => ownMethods.has('reverse'))) return false
      const isAllowed = members.every((member) => versions.every((version) => member.allows(version)))
      return name === null || (isAllowed && claim === null && !hasPattern(target))
    })
    const hasVersion = targets.some(({ scheme }) => scheme?.isInLinks)
    this.#isLinkRead ||= hasVersion && !areLinksShown(this.#route)
    return isStable && targets.length > 0 && !this.#isLinkRead
  }
}

function placesOf ({ members, params }: Scheme, isHttp2: boolean, isLogged: boolean): Places {
  const query = members.flatMap(({ parameter }) => parameter?.in === 'query' ? parameter.name : [])
  const isInHost = members.some(({ linkPlace }) => linkPlace === 'host')
  const isInUrl = query.length + params.length > 0
  const headers = [
    ...members.flatMap(({ vary }) => (vary ?? '').toLowerCase().split(/\s*,\s*/).filter(Boolean)),
    ...isInHost ? ['host', ':authority', 'x-forwarded-host'] : [],
    ...isInUrl && isHttp2 ? [':path'] : []
  ]
  // With `rewriteUrl`, the version may come from the original URL.
  const raw = [
    'originalUrl', ...headers.length > 0 ? ['headers'] : [], ...isInUrl ? ['url'] : [], ...isInHost ? ['authority'] : []
  ]
  return { headers, query, params, raw, log: isLogged ? ['bindings'] : [] }
}

/**
 * Tells whether reads of the version can be watched. Fastify itself reads Content-Type, and a scheme of the app may
 * read fields that it does not name.
 */
function isWatchable ({ members }: Scheme): boolean {
  return members.every(({ place, vary, param, parameter }) => (
    place !== 'content-type' && (place !== 'custom' || vary !== null || param !== null || parameter !== null)
  ))
}

/** Returns how the source of a handler or hook may read the version, perhaps in a branch that has not run, or null. */
function doubtOfSources (route: Route, places: Places, known: Map<string, boolean>): string | null {
  const { headers, query, params, log } = places
  const words = [...VERSION_WORDS, ...[headers, query, params, log].flat().map((name) => name.replace(/\W/g, '\\$&'))]
  const names = new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'i')
  const sources = functionsOf(route).map(String)
  const doubt = 'The source of its handler, or of a hook, mentions the version'
  if (sources.some((source) => source !== OWN_HOOK && names.test(source))) return `${doubt}.`
  // Hooks before ours run before the request is watched, so nothing can note what they keep.
  const isTaken = sources.slice(sources.indexOf(OWN_HOOK) + 1).some((source) => (
    keptIn(known, JSON.stringify([places, source]), () => sourceOf(source)?.readsUnnamed(places) === true)
  ))
  return isTaken ? `${doubt}, or hands on what has it, such as request.params: read each field by its name.` : null
}

/** Tells whether the handler puts all links straight into its answer, and no hook makes links, or reads the answer. */
function areLinksShown (route: Route): boolean {
  if (!functionsOf(route, ['preSerialization']).every(isSkippable)) return false
  const { handler } = route.options
  return functionsOf(route).every((each) => (
    each === handler ? sourceOf(each)?.showsLinks() : !/\breverse\b/.test(String(each))
  ))
}
