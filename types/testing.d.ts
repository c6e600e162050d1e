import type { Version } from './index.d.ts'

/**
 * Examples of the newest version, or by version: `{ Booking: { v1: [{ guest: 'Ada' }] } }`. The name is the `$id` of a
 * schema, or a route and its part: `bookings body`, `bookings query`, `bookings response 200`.
 */
export interface ChangeExamples {
  readonly [name: string]: readonly unknown[] | { readonly [version: string]: readonly unknown[] }
}

/** What `checkChanges` has found. */
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
 * Whether examples, and values like them, can be converted between all versions, and are valid then. Parts of routes
 * that changes name need no examples.
 *
 * @param app the app, or a context of it, once it is ready
 * @param examples one full example a version, and what schemas do not say
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export declare function checkChanges (app: object, examples?: ChangeExamples): ChangeProblem[]
