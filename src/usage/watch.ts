import { contextOf, kVisit, schemeOf } from '../context.ts'
import { hooksOf } from '../fastify/route-functions.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { labelOf } from '../routes.ts'
import { canServe, servedVersionsOf } from '../routing/coverage.ts'
import { placesOf } from './places.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visit } from '../context.ts'
import type { DeclaredOptions, Observer, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { VersionUsage } from '../../types/index.d.ts'
import type { WatchedPlaces } from './places.ts'

/** A request as it is counted. */
export type Counted = Pick<VersionUsage, 'version' | 'outcome' | 'isDefault'>
export type Count = (route: Route, request: FastifyRequest, counted: Counted) => void

/** How many requests must have been watched in a version before the answers of its route may be called equal. */
const ENOUGH = 100
/** What the source of a function says that reads the version, besides the names of its header or parameter. */
const WORDS = ['isVersion', 'version', 'versioningScheme', 'rawHeaders', 'headersDistinct']
/** The headers that say how a version is retired. */
const RETIREMENT = ['deprecation', 'sunset', 'link', 'api-supported-versions', 'api-deprecated-versions']
/** The hooks of the plugin that mention the version. */
const OWN_HOOKS = ['determineVersion']

/** Counts the requests of a route, and notes whether anything reads their version before it is answered. */
export class RouteWatch implements Observer {
  /** Whether something has read the version. */
  isRead = false
  /** What is wrong with watching the route, as a sentence, or null. */
  readonly #doubt: string | null
  readonly #watched = new Map<string, number>()
  readonly #route: Route
  readonly #places: WatchedPlaces
  readonly #count: Count
  readonly #stableNames: ReadonlySet<string | null>

  constructor (route: Route, options: DeclaredOptions, count: Count, stableNames: ReadonlySet<string | null>) {
    const scheme = schemeOf(route) as Scheme
    this.#route = route
    this.#places = placesOf(scheme)
    this.#count = count
    this.#stableNames = stableNames
    this.#doubt = doubtIn(route, options, scheme.label, this.#places)
  }

  /** Why answers may differ in a version, although nothing else does; or null. */
  doubtIn (version: string): string | null {
    if (this.isRead) return `A handler, a hook, or what they call reads the version of ${labelOf(this.#route)}.`
    const watched = this.#watched.get(version) ?? 0
    return this.#doubt ?? (watched >= ENOUGH ? null : `Watched in ${version}: ${watched} of ${ENOUGH} requests.`)
  }

  arrived (request: FastifyRequest, reply: FastifyReply, counted: Counted): void {
    const visit = this.isRead || counted.outcome !== 'ok' ? null : new RequestVisit(this, request, reply)
    if (visit !== null) this.#places.watch(request, request[kVisit] = visit)
    // It follows the end of every response, and of every connection before that.
    reply.raw.on('close', () => {
      const { version } = counted
      if (visit !== null) request[kVisit] = null
      if (visit !== null && version !== null) this.#watched.set(version, (this.#watched.get(version) ?? 0) + 1)
      this.#count(this.#route, request, counted)
    })
  }

  hasStableLinks (name: string | null): boolean {
    return this.#stableNames.has(name)
  }

  /** Whether the plugin writes a header of responses, which depends on the version. */
  isAnswered (field: string): boolean {
    const name = field.toLowerCase()
    return RETIREMENT.includes(name) || name === String(contextOf(this.#route.server).servedVersion).toLowerCase()
  }
}

/** A request of a route that is watched. */
class RequestVisit implements Visit {
  readonly watch: RouteWatch
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor (watch: RouteWatch, request: FastifyRequest, reply: FastifyReply) {
    this.watch = watch
    this.#request = request
    this.#reply = reply
  }

  /** Metrics and logs read the version when the response is complete. So does the plugin while it makes a link. */
  get isOver (): boolean {
    return this.#request[kVisit] !== this || this.#reply.raw.writableEnded
  }

  noteRead (): void {
    if (!this.isOver) this.watch.isRead = true
  }

  noteLink (name: string | null): void {
    if (!this.watch.hasStableLinks(name)) this.noteRead()
  }
}

/** Why a route cannot be watched, or reads the version in its source, where a rare branch may be; or null. */
function doubtIn (route: Route, options: DeclaredOptions, label: string, places: WatchedPlaces): string | null {
  if (!places.isWatchable) return `What reads the version of ${label} cannot be watched.`
  const { websocket, wsHandler } = options as { websocket?: unknown, wsHandler?: unknown }
  if (websocket === true || wsHandler !== undefined) return 'Messages of websockets cannot be watched.'
  const names = [...WORDS, ...places.names].map((name) => name.replace(/\W/g, '\\$&'))
  const mentions = new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`, 'i')
  const functions = [...route.functions, ...hooksOf(route.server)] as ReadonlyArray<{ readonly name: string }>
  const isMentioned = functions.some((one) => !OWN_HOOKS.includes(one.name) && mentions.test(String(one)))
  return isMentioned ? 'The source of its handler, or of a hook, mentions the version.' : null
}

/** Watches what replies show of the version. */
export function watchReplies (server: FastifyInstance): void {
  for (const name of ['getHeader', 'hasHeader', 'getHeaders'] as const) {
    let base: ((field?: string) => unknown) | null = null
    server.decorateReply(name, function watched (this: FastifyReply, field?: string) {
      const visit = this.request[kVisit] as RequestVisit | null
      if (visit !== null && (field === undefined || visit.watch.isAnswered(field))) visit.noteRead()
      return (base ??= methodBelow(this, name, watched)).call(this, field)
    } as never)
  }
}

/** The method of Fastify's own replies that ours replaces. */
function methodBelow (holder: object, name: string, own: unknown): (field?: string) => unknown {
  const method: unknown = Object.getOwnPropertyDescriptor(holder, name)?.value
  const isOther = method !== undefined && method !== own
  return isOther ? method as () => unknown : methodBelow(Object.getPrototypeOf(holder) as object, name, own)
}

/**
 * The names of routes whose links differ in the version alone: every version has them, at one URL, with one query. Null
 * stands for the route of the request.
 */
export function stableNamesIn ({ versions }: FastifyInstance, list: readonly Route[]): Set<string | null> {
  const all = versions.map(({ version }) => version).filter((version) => version !== null)
  const isQueryChanged = ({ older: { byVersion } }: Route) => (
    [...byVersion?.values() ?? []].some(({ downgradeQuery }) => downgradeQuery !== null)
  )
  const isServed = (route: Route, version: string) => (
    canServe(route, version) || servedVersionsOf(route).includes(version)
  )
  const byName = new Map<string, Route[]>()
  for (const route of list) {
    const { name } = describeRoute(route)
    if (name !== null) byName.set(name, [...byName.get(name) ?? [], route])
  }
  const stable = [...byName].filter(([, routes]) => (
    new Set(routes.map((route) => describeRoute(route).unversionedUrl)).size === 1 && !routes.some(isQueryChanged) &&
    all.every((version) => routes.some((route) => isServed(route, version)))
  ))
  return new Set([...list.some(isQueryChanged) ? [] : [null], ...stable.map(([name]) => name)])
}
