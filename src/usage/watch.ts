import { hasPattern } from '../between-versions/endpoints.ts'
import { contextOf, schemeOf } from '../context.ts'
import { hooksOf } from '../fastify/route-functions.ts'
import { describeRoute } from '../links/versioned-route.ts'
import { kPassage, passageOf } from '../passage.ts'
import { labelOf } from '../routes.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visit } from '../passage.ts'
import type { Observer, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Arrived, Counter } from './counter.ts'

/** How many requests must have been watched in a version before the answers of its route may be called equal. */
const ENOUGH = 100
/** What the source of a function says that reads the version, besides the names of its header or parameter. */
const WORDS = ['isVersion', 'version', 'versioningScheme', 'rawHeaders', 'headersDistinct']
/** The headers that say how a version is retired. */
const RETIREMENT = ['deprecation', 'sunset', 'link', 'api-supported-versions', 'api-deprecated-versions']
/** The hooks of the plugin that mention the version. */
const OWN_HOOKS = ['determineVersion']

type Fields = Record<string, unknown>
type Part = 'headers' | 'query' | 'params' | 'raw'
/** Where requests may have their version: names of fields, by the object that has the fields. */
type Places = Readonly<Record<Part, readonly string[]>>
/** Whether links to a name differ in the version alone; null stands for the route of the request. */
type IsStable = (name: string | null) => boolean

/** Counts the requests of a route, and notes whether anything reads their version before they are answered. */
export class RouteWatch implements Observer {
  isRead = false
  readonly places: Places
  readonly isStable: IsStable
  readonly #route: Route
  readonly #counter: Counter
  /** Why its answers may differ although nothing has read the version, as a sentence, or null. */
  readonly #doubt: string | null
  readonly #watched = new Map<string | null, number>()

  constructor (route: Route, counter: Counter, isStable: IsStable) {
    const scheme = schemeOf(route) as Scheme
    this.places = placesOf(scheme, route.server.initialConfig.http2 === true)
    this.isStable = isStable
    this.#route = route
    this.#counter = counter
    this.#doubt = !isWatchable(scheme)
      ? `What reads the version of ${scheme.label} cannot be watched.`
      : isMentioned(route, this.places) ? 'The source of its handler, or of a hook, mentions the version.' : null
  }

  doubtIn (version: string): string | null {
    if (this.isRead) return `A handler, a hook, or what they call reads the version of ${labelOf(this.#route)}.`
    const watched = this.#watched.get(version) ?? 0
    if (this.#doubt !== null || watched >= ENOUGH) return this.#doubt
    return `Watched in ${version}: ${watched} of ${ENOUGH} successful requests.`
  }

  arrived (request: FastifyRequest, reply: FastifyReply, arrived: Arrived): void {
    const visit = this.isRead || arrived.outcome !== 'ok' ? null : new RequestVisit(this, request, reply)
    // It follows the end of every response, and of every connection before that.
    reply.raw.on('close', () => {
      if (visit !== null) {
        passageOf(request).visit = null
        const { headersSent, statusCode } = reply.raw
        // What refuses a request, or asks it to log in, has perhaps kept it from the handler.
        const isAnswered = (headersSent || reply.sent) && (statusCode < 300 || statusCode === 304)
        if (isAnswered) this.#watched.set(arrived.version, (this.#watched.get(arrived.version) ?? 0) + 1)
      }
      this.#counter.count(this.#route.url, request, arrived)
    })
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

function placesOf ({ members, params }: Scheme, isHttp2: boolean): Places {
  const query = members.flatMap(({ parameter }) => parameter?.in === 'query' ? parameter.name : [])
  const isInHost = members.some(({ linkPlace }) => linkPlace === 'host')
  const isInUrl = query.length + params.length > 0
  const headers = [
    ...members.flatMap(({ vary }) => (vary ?? '').toLowerCase().split(/\s*,\s*/).filter(Boolean)),
    ...isInHost ? ['host', ':authority', 'x-forwarded-host'] : [],
    ...isInUrl && isHttp2 ? [':path'] : []
  ]
  return { headers, query, params, raw: isInUrl ? ['url', 'originalUrl'] : [] }
}

/** Fastify itself reads Content-Type. A scheme of an app may read anything that it does not say. */
function isWatchable ({ members }: Scheme): boolean {
  return members.every(({ place, vary, param, parameter }) => (
    place !== 'content-type' && (place !== 'custom' || vary !== null || param !== null || parameter !== null)
  ))
}

/** Whether the source of a handler or hook has the version in it, perhaps in a branch that has not run yet. */
function isMentioned (route: Route, { headers, query, params }: Places): boolean {
  const names = [...WORDS, ...headers, ...query, ...params].map((name) => name.replace(/\W/g, '\\$&'))
  const mentions = new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w-])`, 'i')
  const functions = [...route.functions, ...hooksOf(route.server)] as ReadonlyArray<{ readonly name: string }>
  return functions.some((subject) => !OWN_HOOKS.includes(subject.name) && mentions.test(String(subject)))
}

/** Links to a name differ in the version alone if each of its routes serves every version, with the same query. */
export function stableLinksIn (list: readonly Route[]): IsStable {
  const versions = list.flatMap((route) => schemeOf(route)?.listedVersions ?? [])
  const isChanged = ({ older: { byVersion } }: Route) => (
    [...byVersion?.values() ?? []].some(({ downgradeQuery }) => downgradeQuery !== null)
  )
  const isStable = (route: Route) => {
    const isAllowed = schemeOf(route)?.members.every((member) => versions.every((version) => member.allows(version)))
    return isAllowed !== false && route.claim === null && !hasPattern(route) && !isChanged(route)
  }
  const isAnyChanged = list.some(isChanged)
  const byName = new Map<string | null, boolean>()
  for (const route of list) {
    const { name } = describeRoute(route)
    byName.set(name, byName.get(name) !== false && isStable(route))
  }
  return (name) => name === null ? !isAnyChanged : byName.get(name) === true
}

/**
 * A request that is watched: what has the version is replaced by what notes its readers. It has the parts of the
 * request as they were.
 */
class RequestVisit implements Visit {
  readonly watch: RouteWatch
  readonly headers: Fields
  readonly query: Fields
  readonly params: Fields
  readonly raw: Fields
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #copiedHeaders: Fields | null = null

  constructor (watch: RouteWatch, request: FastifyRequest, reply: FastifyReply) {
    const raw = request.raw as object as Fields
    const { places } = watch
    this.watch = watch
    this.headers = raw.headers as Fields
    this.query = request.query as Fields
    this.params = request.params as Fields
    this.raw = places.raw.length === 0 ? raw : { url: raw.url, originalUrl: raw.originalUrl }
    this.#request = request
    this.#reply = reply
    passageOf(request).visit = this
    Visited.put(raw, this)
    for (const name of places.raw) {
      if (raw[name] !== undefined) Object.defineProperty(raw, name, accessorOf('raw', name))
    }
    if (places.query.length > 0) request.query = this.#copy('query')
    if (places.params.length > 0) request.params = this.#copy('params')
    if (places.headers.length === 0) return
    Object.defineProperty(raw, 'headers', COPIED_HEADERS)
    if (!Array.isArray(raw.rawHeaders)) return
    // An accessor in its place would make the whole object slow. It is read-only in HTTP/2.
    const value = new Proxy(raw.rawHeaders, this as object)
    if (Object.hasOwn(raw, 'rawHeaders')) raw.rawHeaders = value
    else Object.defineProperty(raw, 'rawHeaders', { value, writable: true })
  }

  /** Metrics and logs read the version when the response is complete. So does the plugin while it makes a link. */
  get isOver (): boolean {
    return this.#request[kPassage]?.visit !== this || this.#reply.raw.writableEnded
  }

  noteRead (): void {
    if (!this.isOver) this.watch.isRead = true
  }

  noteLink (name: string | null): void {
    if (!this.watch.isStable(name)) this.noteRead()
  }

  /** Handles the Proxy of the raw headers, a list in which everything may be the version. */
  get (target: object, name: string | symbol): unknown {
    this.noteRead()
    return Reflect.get(target, name)
  }

  /** The headers are copied when something asks for them. */
  copiedHeaders (): Fields {
    if (this.#copiedHeaders === null && this.isOver) return this.headers
    return (this.#copiedHeaders ??= this.#copy('headers'))
  }

  #copy (part: Part): Fields {
    const { [part]: fields, watch: { places: { [part]: names } } } = this
    const prototype = Object.getPrototypeOf(fields) as object | null
    const isWhole = names.every((name) => Object.hasOwn(fields, name))
    const copy = Object.create(isWhole ? prototype : notingPrototype(prototype)) as Fields
    Visited.put(copy, this)
    for (const name in fields) {
      if (names.includes(name)) Object.defineProperty(copy, name, accessorOf(part, name))
      else copy[name] = fields[name]
    }
    return copy
  }
}

/** Returns its argument, so that a class below can give an object a private field, which nobody else sees. */
class Returned {
  constructor (object: object) {
    return object
  }
}

/** An object of a request that knows the visit. */
class Visited extends Returned {
  #visit: RequestVisit

  constructor (object: object, visit: RequestVisit) {
    super(object)
    this.#visit = visit
  }

  static put (object: object, visit: RequestVisit): Visited {
    if (!(#visit in object)) return new Visited(object, visit)
    // An app may route one request twice.
    object.#visit = visit
    return object
  }

  /** The visit of an object, or of what it inherits from; null for one that has got an accessor of another one. */
  static of (object: object | null): RequestVisit | null {
    if (object === null) return null
    return #visit in object ? object.#visit : Visited.of(Object.getPrototypeOf(object) as object | null)
  }
}

// All requests share accessors and prototypes: V8 is slow where each object has its own.
const COPIED_HEADERS = accessor('headers', (visit) => visit.copiedHeaders())
const accessors = new Map<string, PropertyDescriptor>()
const prototypes = new Map<object | null, object>()

function accessorOf (part: Part, name: string): PropertyDescriptor {
  const shared = accessors.get(`${part} ${name}`) ?? accessor(name, (visit) => {
    visit.noteRead()
    return visit[part][name]
  })
  accessors.set(`${part} ${name}`, shared)
  return shared
}

function accessor (name: string, read: (visit: RequestVisit) => unknown): PropertyDescriptor {
  const common = { configurable: true, enumerable: true }
  return {
    ...common,
    get (this: object) {
      const visit = Visited.of(this)
      return visit === null ? undefined : read(visit)
    },
    set (this: object, value: unknown) { Object.defineProperty(this, name, { ...common, value, writable: true }) }
  }
}

/** A prototype that notes who asks for a field that the request does not have. */
function notingPrototype (prototype: object | null): object {
  const shared = prototypes.get(prototype) ?? new Proxy(Object.create(prototype) as object, {
    get (target, name, receiver) {
      const visit = Visited.of(receiver as object)
      const isPlace = visit !== null && Object.values(visit.watch.places).flat().includes(name as string)
      if (isPlace) visit.noteRead()
      return Reflect.get(target, name, receiver)
    }
  })
  prototypes.set(prototype, shared)
  return shared
}

/** Watches what replies show of the version, and the URL, which Fastify keeps if a hook before ours reads it. */
export function watchMembers (server: FastifyInstance): void {
  const isShown = ({ watch }: RequestVisit, field?: string) => field === undefined || watch.isAnswered(field)
  for (const name of ['getHeader', 'hasHeader', 'getHeaders'] as const) {
    server.decorateReply(name, watchedMember(name, 'value', isShown) as never)
  }
  const getter = watchedMember('originalUrl', 'get', ({ watch }) => watch.places.raw.length > 0)
  server.decorateRequest('originalUrl', { getter } as never)
}

/** A member that does what Fastify's own does, and notes whether it shows the version. */
function watchedMember (
  name: string, kind: 'value' | 'get', isShown: (visit: RequestVisit, field?: string) => boolean
) {
  let base: unknown = null
  return function watched (this: { readonly request?: FastifyRequest }, field?: string): unknown {
    // A context that was made before this plugin, such as the one of Swagger UI, has requests without a visit.
    const visit = ((this.request ?? this) as FastifyRequest)[kPassage]?.visit as RequestVisit | null | undefined
    if (visit && isShown(visit, field)) visit.noteRead()
    for (let owner: object = this; base === null; owner = Object.getPrototypeOf(owner) as object) {
      const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.[kind]
      if (member !== watched) base = member ?? null
    }
    return (base as typeof watched).call(this, field)
  }
}
