import type { FastifyRequest } from 'fastify'
import type { Visit } from '../context.ts'
import type { Scheme } from '../schemes/scheme.ts'

type Fields = Record<string, unknown>

/** Where requests of a scheme have their version, as an app may read it past `request.version`. */
export class WatchedPlaces {
  readonly label: string
  /** The names of headers and parameters. */
  readonly names: readonly string[]
  /** Whether all that reads the version can be noted. */
  readonly isWatchable: boolean
  readonly isInUrl: boolean
  readonly #headers: WatchedFields
  readonly #query: WatchedFields
  readonly #params: WatchedFields
  readonly #urls = new WatchedFields(['url', 'originalUrl'])
  readonly #rawHeaders: PropertyDescriptor

  constructor ({ label, members, params }: Scheme, isHttp2: boolean) {
    this.label = label
    const query = members.flatMap(({ parameter }) => parameter?.in === 'query' ? parameter.name : [])
    const isInHost = members.some(({ linkPlace }) => linkPlace === 'host')
    this.isInUrl = query.length + params.length > 0
    const fields = new WatchedFields([
      ...members.flatMap(({ vary }) => (vary ?? '').toLowerCase().split(/\s*,\s*/).filter(Boolean)),
      ...isInHost ? ['host', ':authority', 'x-forwarded-host'] : [],
      ...this.isInUrl && isHttp2 ? [':path'] : []
    ])
    this.#headers = fields
    this.#query = new WatchedFields(query)
    this.#params = new WatchedFields(params)
    this.names = [...fields.names, ...query, ...params]
    // Fastify itself reads Content-Type. A scheme of an app may read anything that it does not say.
    this.isWatchable = members.every(({ place, vary, param, parameter }) => (
      place !== 'content-type' && (place !== 'custom' || vary !== null || param !== null || parameter !== null)
    ))
    this.#rawHeaders = { ...accessor('headers'), get () { return Watched.headersOf(this as object, fields) } }
  }

  /** Lets a visit know what reads the version of a request. */
  watch (request: FastifyRequest, visit: Visit): void {
    const raw = request.raw as object as Fields
    const { headers } = raw
    Watched.put(raw, this.isInUrl ? { headers, url: raw.url, originalUrl: raw.originalUrl } : { headers }, visit)
    if (this.#headers.names.length > 0) {
      Object.defineProperty(raw, 'headers', this.#rawHeaders)
      if (Array.isArray(raw.rawHeaders)) {
        // An accessor in its place would make the whole object slow. It is read-only in HTTP/2.
        const value = new Proxy(raw.rawHeaders, { visit, get: getNoted } as ProxyHandler<unknown[]>)
        if (!Reflect.set(raw, 'rawHeaders', value)) Object.defineProperty(raw, 'rawHeaders', { value, writable: true })
      }
    }
    if (this.#query.names.length > 0) request.query = this.#query.copy(request.query as Fields, visit)
    if (this.#params.names.length > 0) request.params = this.#params.copy(request.params as Fields, visit)
    if (this.isInUrl) this.#urls.replaceIn(raw)
  }
}

function getNoted (this: { readonly visit: Visit }, target: object, name: string | symbol): unknown {
  this.visit.noteRead()
  return Reflect.get(target, name)
}

/** The fields of an object that are watched, whether it has them or not. */
class WatchedFields {
  readonly names: readonly string[]
  // All requests share them: V8 is slow where each object has accessors of its own.
  readonly #accessors: ReadonlyMap<string, PropertyDescriptor>
  /** By the prototype of the object: what notes that something asks for a field that is absent. */
  readonly #absent = new Map<object | null, object>()

  constructor (names: readonly string[]) {
    this.names = names
    this.#accessors = new Map(names.map((name) => [name, accessor(name)]))
  }

  /** A copy of an object that lets a visit know what reads its fields. */
  copy (original: Fields, visit: Visit): Fields {
    const prototype = Object.getPrototypeOf(original) as object | null
    const isWhole = this.names.every((name) => Object.hasOwn(original, name))
    const copy = Object.create(isWhole ? prototype : this.#absentFrom(prototype)) as Fields
    Watched.put(copy, original, visit)
    for (const name in original) {
      const descriptor = this.#accessors.get(name)
      if (descriptor === undefined) copy[name] = original[name]
      else Object.defineProperty(copy, name, descriptor)
    }
    return copy
  }

  /** Watches those fields that an object has. */
  replaceIn (watched: Fields): void {
    for (const [name, descriptor] of this.#accessors) {
      if (watched[name] !== undefined) Object.defineProperty(watched, name, descriptor)
    }
  }

  #absentFrom (prototype: object | null): object {
    const absent = this.#absent.get(prototype) ?? new Proxy(Object.create(prototype) as object, {
      get: (target, name, receiver) => (
        this.names.includes(name as string) ? Watched.read(receiver as object, '') : Reflect.get(target, name, receiver)
      )
    })
    this.#absent.set(prototype, absent)
    return absent
  }
}

function accessor (name: string): PropertyDescriptor {
  const common = { configurable: true, enumerable: true }
  return {
    ...common,
    get () { return Watched.read(this as object, name) },
    set (value: unknown) { Object.defineProperty(this, name, { ...common, value, writable: true }) }
  }
}

/** Returns its argument, so that a class below can give an object a private field, which nobody else sees. */
class Returned {
  constructor (object: object) {
    return object
  }
}

/** What is kept with an object that is watched. */
class Watched extends Returned {
  #original: Fields
  #visit: Visit
  #headers: Fields | null = null

  constructor (object: object, original: Fields, visit: Visit) {
    super(object)
    this.#original = original
    this.#visit = visit
  }

  static put (object: object, original: Fields, visit: Visit): Watched {
    if (!(#visit in object)) return new Watched(object, original, visit)
    // An app may route one request twice.
    object.#original = original
    object.#visit = visit
    object.#headers = null
    return object
  }

  /** Null for an object that has got an accessor of another one. */
  static #of (holder: object | null): Watched | null {
    if (holder === null || #visit in holder) return holder
    return Watched.#of(Object.getPrototypeOf(holder) as object | null)
  }

  static read (holder: object, name: string): unknown {
    const watched = Watched.#of(holder)
    if (watched === null) return undefined
    watched.#visit.noteRead()
    return watched.#original[name]
  }

  /** Headers are copied when something asks for them. */
  static headersOf (raw: object, fields: WatchedFields): Fields | undefined {
    const watched = Watched.#of(raw)
    if (watched === null) return undefined
    const headers = watched.#original.headers as Fields
    if (watched.#headers === null && watched.#visit.isOver) return headers
    return (watched.#headers ??= fields.copy(headers, watched.#visit))
  }
}
