import type { FastifyPluginAsync, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Version } from './index.d.ts'

/** How often a client called a route in a version on one day. All fields but `calls` identify the row. */
export interface UsageRow {
  /** In UTC, such as `2026-11-28`. */
  readonly day: string
  /** What the option `client` returned, at most 128 characters of it; '' if the client is not known. */
  readonly client: string
  /** '' if the request was refused, or has no version. */
  readonly version: string
  readonly method: string
  /** The path of the route as Fastify registered it. */
  readonly route: string
  readonly outcome: 'ok' | 'refused' | 'gone'
  /** Whether the client specified no version, and got the default version. */
  readonly isDefault: boolean
  readonly calls: number
}

/** Where rows are kept. Several processes may share a store. */
export interface UsageStore {
  /**
   * Adds the calls of each row to the calls that the store has for the same fields. If it fails, it gets the rows
   * again.
   */
  add (rows: readonly UsageRow[]): unknown
  /** The rows since a day, this day included. If there is a client, it may leave out the rows of all others. */
  read (filter: { readonly since: string, readonly client?: string | undefined }): UsageRows | PromiseLike<UsageRows>
}

export type UsageRows = Iterable<UsageRow> | AsyncIterable<UsageRow>

/** Options of the plugin. */
export interface UsageOptions {
  /**
   * Returns who has sent a request. It is called when the response has been sent, so authentication is over. Default:
   * nobody is known.
   */
  client?: ((request: FastifyRequest) => string | number | bigint | null | undefined) | undefined
  /** Default: in memory, at most 500,000 rows. */
  store?: UsageStore | undefined
  /** How many days count. Default: 30. */
  days?: number | undefined
  /** Where the page and its JSON are, within the prefix of the context. Default: nowhere. */
  routePrefix?: string | undefined
  /** Decides who may see the page. A page needs it. */
  onRequest?: onRequestHookHandler | onRequestHookHandler[] | undefined
}

/** A route that a client calls in an older version than `to`. */
export interface CalledRoute {
  readonly method: string
  /** The path without the version. */
  readonly url: string
  readonly version: Version
  /** Why its answers differ, or may differ, as a sentence; '' if `changes` and `differences` say it. */
  readonly reason: string
  /** What changed, oldest first. */
  readonly changes: readonly { readonly version: Version, readonly description: string }[]
  /** What clients must do about the breaking differences of the documents: `send "guests" in the body: …`. */
  readonly differences: readonly string[]
  readonly calls: number
  /** The day of the last call. */
  readonly lastDay: string
}

/** What a client calls, and what it must change. */
export interface ClientUsage {
  /** Null: calls whose client is not known. */
  readonly client: string | null
  /**
   * `ok`: it calls nothing that has a `deprecated` or `sunset` date. `fix`: it must move. `overdue`: `by` has passed.
   */
  readonly status: 'ok' | 'fix' | 'overdue'
  /** The earliest sunset of what it calls, or null. */
  readonly by: Date | null
  /** The version to which it should move. */
  readonly to: Version
  /** Says that no call of the client was served, and suggests a similar name; null if a call was served. */
  readonly message: string | null
  /** Whether it would notice nothing in `to` but the version itself; null if it has nothing to move. */
  readonly isMovable: boolean | null
  readonly versions: readonly {
    readonly version: Version
    readonly calls: number
    /** Calls that specified no version: you can move them by the default. */
    readonly byDefault: number
    /** Calls that were answered 410. */
    readonly gone: number
    readonly lastDay: string
  }[]
  /** Routes for which it must change its code. */
  readonly affected: readonly CalledRoute[]
  /** Routes that somebody must look at. */
  readonly unknown: readonly CalledRoute[]
  /** Routes that answer the same in `to`. */
  readonly unaffected: readonly CalledRoute[]
}

/** How a version is used. */
export interface VersionSummary {
  readonly version: Version
  readonly deprecated: Date | null
  readonly sunset: Date | null
  readonly calls: number
  readonly byDefault: number
  readonly gone: number
  /** Calls whose client is not known. */
  readonly anonymous: number
  readonly clients: number
  /** How many of its clients would notice nothing in `to` but the version itself. */
  readonly movable: number
  /** Calls by day, oldest first. */
  readonly days: readonly number[]
}

export interface UsageSummary {
  /** The first day that counts. */
  readonly since: string
  readonly to: Version
  /** In release order. */
  readonly versions: readonly VersionSummary[]
  /** Requests that were refused. */
  readonly refused: number
  /** How many known clients must move. */
  readonly leaving: number
  /** How many of them would notice nothing in `to` but the version itself. */
  readonly movable: number
  /** The clients that must move, unknown clients included: at most 200, most calls first. */
  readonly clients: readonly ClientUsage[]
}

/** `app.versionUsage`. */
export interface VersionsInUse {
  /**
   * Returns what one client calls, and what it must change for a version. A client that has called nothing is `ok`.
   *
   * @param options.to Default: the latest version
   * @throws FST_ERR_VERSIONING_OPTION for a version that no route serves, for another option, and without a client
   */
  of (client: string, options?: { readonly to?: Version | undefined }): Promise<ClientUsage>
  /**
   * Returns the clients of a version that would notice nothing in a later version but the version itself.
   *
   * @throws FST_ERR_VERSIONING_OPTION for a version that no route serves, and unless `from` is before `to`
   */
  movable (from: Version, to: Version): Promise<{ readonly clients: string[], readonly others: string[] }>
  /**
   * Returns how each version is used, and who must move.
   *
   * @param options.to Default: the latest version
   * @throws FST_ERR_VERSIONING_OPTION for a version that no route serves, and for another option
   */
  summary (options?: { readonly to?: Version | undefined }): Promise<UsageSummary>
}

/**
 * Counts who calls which version, and answers who must change what. Register it in the context of fastify-versioning,
 * and before the routes.
 *
 * @throws FST_ERR_VERSIONING_OPTION at boot, naming the option and the value
 */
declare const usage: FastifyPluginAsync<UsageOptions>
export default usage

declare module 'fastify' {
  interface FastifyInstance {
    versionUsage: VersionsInUse
  }
}
