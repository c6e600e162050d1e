import type { FastifyRequest } from 'fastify'
import type { Visit } from '../context.ts'
import type { Scheme } from '../schemes/scheme.ts'

type Fields = Record<string, unknown>

/** Where requests have their version, as an app may read it past `request.version`. */
export interface WatchedPlaces {
  /** The names of headers and parameters. */
  readonly names: readonly string[]
  /** Whether all that reads the version can be noted. */
  readonly isWatchable: boolean
  /** Lets a visit know what reads the version of a request. */
  readonly watch: (request: FastifyRequest, visit: Visit) => void
}

const known = new WeakMap<Scheme, WatchedPlaces>()

export function placesOf (scheme: Scheme): WatchedPlaces {
  const places = known.get(scheme) ?? toPlaces(scheme)
  known.set(scheme, places)
  return places
}

function toPlaces ({ members }: Scheme): WatchedPlaces {
  const hosts = members.some(({ linkPlace }) => linkPlace === 'host') ? ['host', ':authority', 'x-forwarded-host'] : []
  const varied = members.flatMap(({ vary }) => (vary ?? '').toLowerCase().split(/\s*,\s*/).filter(Boolean))
  const headers = new WatchedFields([...varied, ...hosts])
  const query = new WatchedFields(members.flatMap(({ parameter }) => parameter?.in === 'query' ? parameter.name : []))
  const params = new WatchedFields(members.flatMap(({ params }) => params))
  const names = [headers, query, params].flatMap((fields) => fields.names)
  const ofRaw: PropertyDescriptor = {
    configurable: true,
    enumerable: true,
    get () { return Watched.headersOf(this as object, headers) },
    set (value: Fields) { Object.defineProperty(this, 'headers', { value, writable: true }) }
  }
  return {
    names,
    // Fastify itself reads Content-Type. A scheme of an app may read anything that it does not say.
    isWatchable: members.every(({ place, vary, param, parameter }) => (
      place !== 'content-type' && (place !== 'custom' || vary !== null || param !== null || parameter !== null)
    )),
    watch (request, visit) {
      const raw = request.raw as object as Fields
      if (headers.names.length > 0) {
        Watched.put(raw, raw.headers as Fields, visit)
        Object.defineProperty(raw, 'headers', ofRaw)
      }
      if (query.names.length > 0) request.query = query.copy(request.query as Fields, visit)
      if (params.names.length > 0) request.params = params.copy(request.params as Fields, visit)
      if (query.names.length + params.names.length > 0) watchUrl(raw, visit)
    }
  }
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
    this.#accessors = new Map(names.map((name) => [name, {
      configurable: true,
      enumerable: true,
      get () { return Watched.read(this as object, name) },
      set (value: unknown) { Object.defineProperty(this, name, { value, writable: true }) }
    }]))
  }

  /** A copy of an object that lets a visit know what reads its fields. */
  copy (original: Fields, visit: Visit): Fields {
    const prototype = Object.getPrototypeOf(original) as object | null
    const isWhole = this.names.every((name) => Object.hasOwn(original, name))
    const copy = Object.create(isWhole ? prototype : this.#absentFrom(prototype)) as Fields
    Watched.put(copy, original, visit)
    for (const name in original) {
      const accessor = this.#accessors.get(name)
      if (accessor === undefined) copy[name] = original[name]
      else Object.defineProperty(copy, name, accessor)
    }
    return copy
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

/** Returns its argument, so that a class below can give an object a private field, which nobody else sees. */
class Given {
  constructor (given: object) {
    return given
  }
}

/** What is kept with an object that is watched. */
class Watched extends Given {
  #original: Fields
  #visit: Visit
  #copy: Fields | null = null

  constructor (given: object, original: Fields, visit: Visit) {
    super(given)
    this.#original = original
    this.#visit = visit
  }

  static put (given: object, original: Fields, visit: Visit): void {
    if (!(#visit in given)) Reflect.construct(Watched, [given, original, visit])
    // An app may route one request twice.
    else [given.#original, given.#visit, given.#copy] = [original, visit, null]
  }

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
    if (watched.#copy === null && watched.#visit.isOver) return watched.#original
    return (watched.#copy ??= fields.copy(watched.#original, watched.#visit))
  }
}

function watchUrl (raw: Fields, visit: Visit): void {
  let { url } = raw
  Object.defineProperty(raw, 'url', {
    configurable: true,
    enumerable: true,
    get () {
      visit.noteRead()
      return url
    },
    set (value) { url = value }
  })
}
