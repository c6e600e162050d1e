import type { HandledRoute, SharedSchemas, Variants } from './variant.ts'
import type { AllowedVersions, Change } from '../../types/index.d.ts'

/**
 * The changes of a context: which variants they make of a route, and what they make of a value outside requests. It
 * remembers which of them have been used, for `checkUsed`.
 */
export interface Changes {
  /** Newest first; of one version in the order in which they were given. */
  readonly list: readonly Change[]

  /**
   * What the changes make of a route.
   *
   * @param schemas what `server.getSchemas()` returns. Routes of one context should come with one object: what they share
   *   is kept by it
   * @throws FST_ERR_VERSION_CHANGE_OPTION for what cannot be: it names the change, the route and the place
   */
  variantsOf (route: HandledRoute, schemas: SharedSchemas): Variants

  /**
   * To be called when the app is ready and `variantsOf` has been called for every route.
   *
   * @param names the names of all routes, with their namespaces
   * @param schemas those of every context that has the changes
   * @throws FST_ERR_VERSION_CHANGE_OPTION for a change that names what there is not, or that touches no route
   */
  checkUsed (names: readonly string[], schemas: readonly SharedSchemas[]): void

  /**
   * A value of a shared schema in the words of the newest of `allowedVersions`, in those of another one. Synchronous; the
   * value is not changed.
   *
   * @param id the `$id` of the schema
   * @throws FST_ERR_VERSION_CHANGE for an unknown version or schema, and as `Convert`
   */
  downgrade (id: string, value: unknown, version: string, schemas: SharedSchemas): unknown

  /** The other way round. */
  upgrade (id: string, value: unknown, version: string, schemas: SharedSchemas): unknown
}

/**
 * The option `changes`.
 *
 * @param given what the user wrote
 * @param allowedVersions of the context's scheme, in release order
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
 */
export declare function readChanges (given: unknown, allowedVersions: AllowedVersions | null): Changes
