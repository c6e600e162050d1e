import { contextOf, kVisit } from '../context.ts'
import { hooksOf } from '../fastify/route-functions.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { labelOf } from '../routes.ts'
import { canServe, servedVersionsOf } from '../routing/coverage.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visit } from '../context.ts'
import type { Observer, Route } from '../routes.ts'
import type { Arrived, Counter } from './counter.ts'
import type { WatchedPlaces } from './places.ts'

/** Those of routes whose links differ in the version alone. */
type Names = ReadonlySet<string | null>

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
  readonly places: WatchedPlaces
  /** What is wrong with watching the route, as a sentence, or null. */
  readonly #doubt: string | null
  readonly #watched = new Map<string | null, number>()
  readonly #route: Route
  readonly #counter: Counter
  readonly #stableNames: Names

  constructor (route: Route, hasMessages: boolean, places: WatchedPlaces, counter: Counter, names: Names) {
    this.places = places
    this.#route = route
    this.#counter = counter
    this.#stableNames = names
    this.#doubt = hasMessages ? 'Messages of websockets cannot be watched.' : doubtIn(route, places)
  }

  doubtIn (version: string): string | null {
    if (this.isRead) return `A handler, a hook, or what they call reads the version of ${labelOf(this.#route)}.`
    const watched = this.#watched.get(version) ?? 0
    return this.#doubt ?? (watched >= ENOUGH ? null : `Watched in ${version}: ${watched} of ${ENOUGH} requests.`)
  }

  arrived (request: FastifyRequest, reply: FastifyReply, arrived: Arrived): void {
    const visit = this.isRead || arrived.outcome !== 'ok' ? null : new RequestVisit(this, request, reply)
    if (visit !== null) this.places.watch(request, request[kVisit] = visit)
    // It follows the end of every response, and of every connection before that.
    reply.raw.on('close', () => {
      const { version } = arrived
      if (visit !== null) {
        request[kVisit] = null
        this.#watched.set(version, (this.#watched.get(version) ?? 0) + 1)
      }
      this.#counter.count(this.#route.url, request, arrived)
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

/** Why the answers of a route may differ in a version, although nothing else does; or null. */
export function doubtOf ({ observer }: Route, version: string): string | null {
  const isWatched = observer instanceof RouteWatch
  return isWatched ? observer.doubtIn(version) : 'It was declared before fastify-versioning/usage.'
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
function doubtIn (route: Route, places: WatchedPlaces): string | null {
  if (!places.isWatchable) return `What reads the version of ${places.label} cannot be watched.`
  const names = [...WORDS, ...places.names].map((name) => name.replace(/\W/g, '\\$&'))
  const mentions = new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`, 'i')
  const functions = [...route.functions, ...hooksOf(route.server)] as ReadonlyArray<{ readonly name: string }>
  const isMentioned = functions.some((subject) => !OWN_HOOKS.includes(subject.name) && mentions.test(String(subject)))
  return isMentioned ? 'The source of its handler, or of a hook, mentions the version.' : null
}

/** Watches what replies show of the version, and the URL, which Fastify keeps if a hook before ours reads it. */
export function watchMembers (server: FastifyInstance): void {
  for (const name of ['getHeader', 'hasHeader', 'getHeaders'] as const) {
    let base: ((field?: string) => unknown) | null = null
    server.decorateReply(name, function watched (this: FastifyReply, field?: string) {
      // A context that was made before this plugin, such as the one of Swagger UI, has requests without a visit.
      const visit = this.request[kVisit] as RequestVisit | null | undefined
      if (visit && (field === undefined || visit.watch.isAnswered(field))) visit.noteRead()
      return (base ??= memberBelow(this, name, watched).value as () => unknown).call(this, field)
    } as never)
  }
  let base: (() => unknown) | null = null
  const getter = function watched (this: FastifyRequest) {
    const visit = this[kVisit] as RequestVisit | null | undefined
    if (visit?.watch.places.isInUrl) visit.noteRead()
    return (base ??= memberBelow(this, 'originalUrl', watched).get as () => unknown).call(this)
  }
  server.decorateRequest('originalUrl', { getter } as never)
}

/** What Fastify itself has where ours is nearer. */
function memberBelow (holder: object, name: string, ours: unknown): PropertyDescriptor {
  const member = Object.getOwnPropertyDescriptor(holder, name)
  const isBelow = member !== undefined && member.value !== ours && member.get !== ours
  return isBelow ? member : memberBelow(Object.getPrototypeOf(holder) as object, name, ours)
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
