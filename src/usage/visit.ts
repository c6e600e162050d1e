import { inspect, types } from 'node:util'

import { notFoundReader } from '../fastify/error-handler.ts'
import { wrapRequestSerializer } from '../fastify/request-serializer.ts'
import { kPassage, passageOf, unwatched } from '../passage.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Passage, Visit } from '../passage.ts'

type Fields = Record<string, unknown>
/** The attributes of a property that is assigned. */
const SHOWN = { configurable: true, enumerable: true }

type Part = 'headers' | 'query' | 'params' | 'raw' | 'log'
/** The names of fields that may have the version of a request, by the object that has the fields. */
export type Places = Readonly<Record<Part, readonly string[]>>

/** The notes of a route about its requests. */
export interface Watch {
  /** Whether something has read the version. */
  isRead: boolean
  readonly places: Places
  /** Tells whether a header of responses shows the version, because the plugin writes it. */
  isShownBy (field: string): boolean
  /** Notes a link to a name, or to the route itself. */
  noteLink (name: string | null): void
}

/**
 * A request that is watched. Accessors that note who reads them replace the fields that have the version. The visit
 * keeps the parts of the request as they were.
 */
export class RequestVisit implements Visit {
  readonly watch: Watch
  readonly headers: Fields
  readonly query: Fields
  readonly params: Fields
  readonly raw: Fields
  readonly log: Fields
  readonly #passage: Passage
  #copiedHeaders: Fields | null = null

  constructor (watch: Watch, request: FastifyRequest) {
    const raw = request.raw as object as Fields
    const { places } = watch
    const { authority, originalUrl, rawHeaders, url } = raw
    // Node makes the headers when something reads them, which takes time.
    const headers = places.headers.length === 0 ? {} : raw.headers as Fields
    this.watch = watch
    this.headers = headers
    this.query = request.query as Fields
    this.params = request.params as Fields
    this.raw = { authority, headers, originalUrl, url }
    this.#passage = passageOf(request)
    this.#passage.visit = this
    this.log = places.log.length === 0 ? {} : { bindings: (request.log as object as Fields).bindings }
    this.#cover(raw, 'raw')
    this.#cover(request.log, 'log')
    if (places.query.length > 0) request.query = this.#copy('query')
    if (places.params.length > 0) request.params = this.#copy('params')
    if (places.headers.length === 0 || !Array.isArray(rawHeaders)) return
    // An accessor would make the whole object slow. In HTTP/2, `rawHeaders` is inherited and read-only.
    const value = new Proxy(rawHeaders, this as object)
    if (Object.hasOwn(raw, 'rawHeaders')) raw.rawHeaders = value
    else Object.defineProperty(raw, 'rawHeaders', { value, writable: true })
  }

  /** Puts accessors into an object of the request itself, instead of a copy. */
  #cover (object: object, part: 'raw' | 'log'): void {
    for (const name of this.watch.places[part]) {
      if (this[part][name] === undefined) continue
      Visited.put(object, this)
      Object.defineProperty(object, name, accessorOf(part, name))
    }
  }

  /** Tells whether reads no longer count: metrics read after the response, and the plugin itself reads `unwatched`. */
  get #isOver (): boolean {
    const { reply, visit } = this.#passage
    return visit !== this || reply?.raw.writableEnded === true
  }

  noteRead (): void {
    if (!this.#isOver) this.watch.isRead = true
  }

  noteLink (name: string | null): void {
    if (!this.#isOver) this.watch.noteLink(name)
  }

  /** Handles the Proxy of the raw headers, a list in which each item may be the version. */
  get (target: object, name: string | symbol): unknown {
    this.noteRead()
    return Reflect.get(target, name)
  }

  getOwnPropertyDescriptor (target: object, name: string | symbol): PropertyDescriptor | undefined {
    this.noteRead()
    return Reflect.getOwnPropertyDescriptor(target, name)
  }

  /** Returns a field for its accessor, and notes the read. The headers are copied when something reads them. */
  read (part: Part, name: string): unknown {
    if (part !== 'raw' || name !== 'headers') this.noteRead()
    else if (this.#copiedHeaders !== null || !this.#isOver) return (this.#copiedHeaders ??= this.#copy('headers'))
    return this[part][name]
  }

  #copy (part: Part): Fields {
    const { [part]: fields, watch: { places: { [part]: names } } } = this
    if (!isRecord(fields)) {
      this.noteRead()
      return fields
    }
    const prototype = Object.getPrototypeOf(fields) as object | null
    const isWhole = names.every((name) => Object.hasOwn(fields, name))
    const copy = Object.create(isWhole ? prototype : notingPrototype(prototype)) as Fields
    Visited.put(copy, this)
    for (const name in fields) {
      if (names.includes(name)) Object.defineProperty(copy, name, accessorOf(part, name))
      // A name that the copy inherits may have a setter, such as __proto__.
      else if (name in copy) Object.defineProperty(copy, name, { ...SHOWN, value: fields[name], writable: true })
      else copy[name] = fields[name]
    }
    return copy
  }
}

/** Tells whether a copy can replace an object. A parser of the app may make instances of classes, or Proxies. */
function isRecord (fields: unknown): boolean {
  if (Object(fields) !== fields || types.isProxy(fields)) return false
  const prototype = Object.getPrototypeOf(fields) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns its argument, so that a subclass can give any object a private field, which nobody else sees. */
class Returned {
  constructor (object: object) {
    return object
  }
}

/** An object of a request with its visit in a private field. */
class Visited extends Returned {
  #visit: RequestVisit

  constructor (object: object, visit: RequestVisit) {
    super(object)
    this.#visit = visit
  }

  static put (object: object, visit: RequestVisit): object {
    if (!(#visit in object)) return new Visited(object, visit)
    // An app may route one request twice.
    object.#visit = visit
    return object
  }

  /** Returns the visit of an object or of its prototypes, or null if it only has an accessor of another object. */
  static of (object: object | null): RequestVisit | null {
    if (object === null) return null
    if (#visit in object) {
      behind?.push(object.#visit)
      return object.#visit
    }
    return types.isProxy(object) ? visitBehind(object) : Visited.of(Object.getPrototypeOf(object) as object | null)
  }
}

/** The visits that accessors find while a Proxy is inspected. */
let behind: RequestVisit[] | null = null

/** Returns the visit of an object that an app has put behind a Proxy, where only inspect() calls the accessors. */
function visitBehind (proxy: object): RequestVisit | null {
  const visits: RequestVisit[] = behind = []
  try {
    inspect(proxy, { showProxy: true, getters: true, customInspect: false })
  } finally {
    behind = null
  }
  return visits[0] ?? null
}

// All requests share accessors and prototypes, because V8 is slow if each object has its own.
const accessors = new Map<string, PropertyDescriptor>()
const prototypes = new Map<object | null, object>()

function accessorOf (part: Part, name: string): PropertyDescriptor {
  const shared = accessors.get(`${part} ${name}`) ?? {
    ...SHOWN,
    get (this: object) { return Visited.of(this)?.read(part, name) },
    set (this: object, value: unknown) { Object.defineProperty(this, name, { ...SHOWN, value, writable: true }) }
  }
  accessors.set(`${part} ${name}`, shared)
  return shared
}

/** Returns a prototype that notes who asks for a field of the version that the request does not have. */
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

const NEVER = () => false

/** Watches members of replies that show the version, and the URL, which Fastify keeps if an earlier hook reads it. */
export function watchMembers (server: FastifyInstance): void {
  const isShown = ({ watch }: RequestVisit, field?: string) => field === undefined || watch.isShownBy(field)
  for (const name of ['getHeader', 'hasHeader', 'getHeaders'] as const) {
    server.decorateReply(name, watchedMember(name, 'value', isShown) as never)
  }
  const getter = watchedMember('originalUrl', 'get', ({ raw, watch }) => (
    raw.originalUrl !== undefined || watch.places.raw.includes('url')
  ))
  server.decorateRequest('originalUrl', { getter } as never)
  // Fastify itself reads the URL for compilers of validators, and for its own 404.
  const compile = watchedMember('compileValidationSchema', 'value', NEVER, () => true)
  server.decorateRequest('compileValidationSchema', { getter: () => compile } as never)
  const callNotFound = watchedMember('callNotFound', 'value', NEVER, notFoundReader(server))
  server.decorateReply('callNotFound', callNotFound as never)
  // Fastify logs the request of each error. The text of a log does not change an answer.
  wrapRequestSerializer(server, (serialize) => (request) => unwatched(request, () => serialize(request)))
}

/**
 * Returns a member that does the same as Fastify's own, and notes if it shows the version.
 *
 * @param isInner tells whether the reads of Fastify's member change no answer
 */
function watchedMember (
  name: string, kind: 'value' | 'get', isShown: (visit: RequestVisit, field?: string) => boolean,
  isInner: (holder: never) => boolean = NEVER
) {
  let base: unknown = null
  return function watched (this: { readonly request?: FastifyRequest }, field?: string, more?: unknown): unknown {
    // A context that was made before this plugin, such as that of Swagger UI, has requests without a visit.
    const visit = ((this.request ?? this) as FastifyRequest)[kPassage]?.visit as RequestVisit | null | undefined
    if (visit && isShown(visit, field)) visit.noteRead()
    for (let owner: object = this; base === null; owner = Object.getPrototypeOf(owner) as object) {
      const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.[kind]
      if (member !== watched) base = member ?? null
    }
    const member = base as typeof watched
    if (!isInner(this as never)) return member.call(this, field, more)
    return unwatched(this.request ?? this, () => member.call(this, field, more))
  }
}
