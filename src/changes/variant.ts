import type { ByStatus } from './by-status.ts'
import type { Change } from '../../types/index.d.ts'

/** The schemas that a context shares, by their `$id`, as `server.getSchemas()` returns them. */
export type SharedSchemas = Readonly<Record<string, unknown>>

/** The option `schema` of a route. Members that are not parts stay as they are. */
export type RouteSchema = Readonly<Record<string, unknown>>

/** A route as it was declared: its handler speaks one version. */
export interface HandledRoute {
  /** With its namespaces, or null if it has no name, so that only changes of schemas apply to it. */
  readonly name: string | null
  /** As messages call it: `GET /bookings`. */
  readonly label: string
  readonly schema: RouteSchema | undefined
  /** Whether its URL has parameters. */
  readonly hasParams: boolean
  /** The versions that the route serves, oldest first. If there are none, there is nothing to make. */
  readonly served: readonly string[]
  /** The version that the handler speaks, or null for the newest one served. */
  readonly writtenFor: string | null
  /** Whether a handler is chosen by the version, so that the route may serve fewer versions than its context. */
  readonly isChosen: boolean
}

/**
 * Converts a payload or a part of a request. The value is never changed. If nothing applies to it, it is returned.
 *
 * @throws FST_ERR_VERSION_CHANGE (500) where a function of a change throws, returns undefined or returns a promise
 * @throws FST_ERR_VERSION_CHANGE_DEPTH (400) for a request that is nested too deeply
 */
export type Convert = (value: unknown) => unknown

/** The variants of a route: what its handler answers in several versions, and how. */
export interface Variants {
  /** The versions that are served as the handler speaks: the route as it was declared serves them. Oldest first. */
  readonly asDeclared: readonly string[]
  /** The schemas in the version of the handler, or null if they are as declared. */
  readonly handled: HandledSchemas | null
  /** The variants for the other versions, newest first; each has at least one version, and no two share one. */
  readonly older: readonly Variant[]
}

/** The schemas of a route as they were in one version. */
export interface WrittenSchemas {
  /** The schema of the route. A part that no change applies to is the same object as before. */
  readonly schema: RouteSchema
  /**
   * The shared schemas that `schema` needs in addition to the context's. Two with one `$id` that come from one context
   * are the same object: add it unless `server.getSchema($id)` has it.
   */
  readonly sharedSchemas: readonly Readonly<{ $id: string }>[]
  /** By each `$id` in `sharedSchemas` and `schema` that was made for an older version, the original one. */
  readonly originalIds: ReadonlyMap<string, string>
}

/** The schemas of a version for which a handler was written. */
export interface HandledSchemas extends WrittenSchemas {
  /** The later changes to them, newest first. */
  readonly changes: readonly Change[]
}

/** What a handler answers in versions that no change tells apart: the route to derive. */
export interface Variant extends WrittenSchemas {
  /** Oldest first. */
  readonly versions: readonly string[]
  /** The changes that are undone and apply to this route, newest first. */
  readonly changes: readonly Change[]
  /** Upgrades a request of the older versions for the handler. */
  readonly upgrade: {
    /** By media type. Null if there is nothing to do, here and below. */
    readonly body: ByStatus<Convert | null> | null
    readonly querystring: Convert | null
    readonly params: Convert | null
    readonly headers: Convert | null
  }
  /**
   * Downgrades a response of the handler to the older versions. If it is null, the payload stays as it is, whatever it
   * is. Otherwise the payload must be convertible: for a string, a Buffer, a stream or a web Response make the error
   * with `cannotConvert`.
   */
  readonly downgrade: ByStatus<Downgrade | null>
  /** Downgrades the parameters of a link of the handler to the older versions. Null if there is nothing to do. */
  readonly link: {
    readonly querystring: Convert | null
    readonly params: Convert | null
  }
}

/** A conversion of responses. */
export interface Downgrade {
  /** As `Convert`. */
  readonly convert: (payload: unknown) => unknown
  /** FST_ERR_VERSION_CHANGE (500) for a payload that is sent as it is: a string, Buffer, stream or web Response. */
  readonly cannotConvert: (payload: unknown) => Error
}
