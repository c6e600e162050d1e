import type { Version } from './index.d.ts'

/** By `$id`, examples of the newest version, or by version: `{ Booking: { v1: [{ guest: 'Ada' }] } }`. */
export interface ChangeExamples {
  readonly [id: string]: readonly unknown[] | { readonly [version: string]: readonly unknown[] }
}

/** What `checkChanges` has found. */
export interface ChangeProblem {
  /** The `$id` of the schema. */
  readonly schema: string
  /** The older version that the example comes from, or goes to. */
  readonly version: Version
  /** The example; undefined if there is none. */
  readonly example: unknown
  /** What is wrong with it. */
  readonly message: string
}

/**
 * Whether examples of the changed schemas can be converted, and are valid then.
 *
 * @param app the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that no change has, for an unknown version, and before the app is
 * ready
 */
export declare function checkChanges (app: object, examples?: ChangeExamples): ChangeProblem[]
