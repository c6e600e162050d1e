import type { Version } from './index.d.ts'

/**
 * Examples of the newest version, or by version: `{ Booking: { v1: [{ guest: 'Ada' }] } }`. The name is the `$id` of a
 * schema, or a route and its part: `bookings body`, `bookings query`, `bookings response 200`.
 */
export interface ChangeExamples {
  readonly [name: string]: readonly unknown[] | { readonly [version: string]: readonly unknown[] }
}

/** A problem that `checkChanges` has found. */
export interface ChangeProblem {
  /** The `$id` of the schema, or the route and its part. */
  readonly schema: string
  /** The older version that the example comes from, or goes to. */
  readonly version: Version
  /** The example; undefined if there is none. */
  readonly example: unknown
  /** What is wrong with it. */
  readonly message: string
}

/**
 * Checks that examples, and values like them, can be converted between all versions, and are valid then. Parts of
 * routes that changes name need no examples.
 *
 * @param app the app, or a context of it, once it is ready
 * @param examples one full example of each version, and examples of rules that no schema describes
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export declare function checkChanges (app: object, examples?: ChangeExamples): ChangeProblem[]

/** What you delete with a version. Routes are written as `GET /bookings`. */
export interface DropReport {
  readonly version: Version
  /** Routes that serve no other version. */
  readonly handlers: readonly string[]
  /** Routes that serve other versions as well, and name this one in `version`, or may name it in a range. */
  readonly lists: readonly string[]
  /** Changes between it and the next version, with the names of their older schemas: `Booking`, `bookings query`. */
  readonly changes: readonly {
    readonly version: Version
    readonly description: string
    readonly schemas: readonly string[]
  }[]
  /** The `$id`s of shared schemas that nothing else in the app refers to. */
  readonly schemas: readonly string[]
  /** The options that name it: `allowedVersions`, `defaultVersion`, `lifecycle`. */
  readonly options: readonly string[]
  /**
   * Where the source of handlers and hooks that stay names it, as in `isVersion('v1')` and `reverse('v1:rooms')`, or
   * asks for what is true without it, as in `isVersion({ from: 'v2' })`.
   */
  readonly calls: readonly { readonly route: string, readonly call: string }[]
  /** Routes in which something else reads the version of requests. Needs `fastify-versioning/usage` and traffic. */
  readonly watched: readonly string[]
  /** What older versions still need; empty if it is the oldest. */
  readonly stays: readonly string[]
}

/**
 * Returns what only one version of an app needs, and you delete with it.
 *
 * @param app the app once it is ready
 * @throws FST_ERR_VERSIONING_OPTION for a version that no route has, and before the app is ready
 */
export declare function dropReport (app: object, version: Version): DropReport
