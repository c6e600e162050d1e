/**
 * What a difference means to the clients of an API. `added`: every request that was valid still is, and every response
 * could have come before, except for new properties and error statuses. `breaking`: this is not proven, so a client may
 * fail.
 */
export type DifferenceKind = 'breaking' | 'added'

/** One difference between two documents. */
export interface Difference {
  readonly kind: DifferenceKind
  /**
   * Its location, as a JSON pointer: `#/paths/~1bookings/get/responses/200/…`. References are followed as if their
   * targets were inline. The location of a parameter is `parameters/query/page`.
   */
  readonly at: string
  /**
   * What is different, for people: `POST /bookings  body: "guest" is required now`. If several messages have the shared
   * schema that differs, it names the schema: `Booking: "guest" is required now`.
   */
  readonly message: string
  /**
   * The innermost schema of `components.schemas` that contains it, under one name in both documents. A difference of a
   * shared schema is listed once, however many messages have the schema. Absent outside of shared schemas.
   */
  readonly schema?: {
    /** `Booking`. */
    readonly name: string
    /** `#/components/schemas/Booking/properties/guest`. */
    readonly at: string
  }
  /** The operations whose messages have this schema: `GET /bookings`, `webhook "made"`. Only with `schema`. */
  readonly operations?: readonly string[]
  /** Its location in each of these messages; the first is `at`. Only with `schema`. */
  readonly places?: readonly string[]
}

/** Options of `compare`. */
export interface CompareOptions {
  /**
   * The time, as a Date or in milliseconds: what was deprecated may go when its `x-sunset` has passed. Default: now.
   */
  now?: Date | number | undefined
}

/** Options of `assertCompatible`. */
export interface CompatibleOptions extends CompareOptions {
  /** Locations (`at`) whose differences are accepted, with everything below them. Default: none. */
  accept?: Iterable<string> | undefined
}

/**
 * Compares two documents of OpenAPI 3.0, 3.1 or 3.2, in the order of the document.
 *
 * @param before the document that clients know
 * @param after the document as it is now, of the same version or of a later one
 * @returns the differences, or an empty list if a client cannot notice any
 * @throws TypeError if one is not such a document, is malformed, or has a reference that leads only to itself
 */
export declare function compare (before: object, after: object, options?: CompareOptions): Difference[]

/**
 * Throws unless every difference is an addition, or at an accepted location.
 *
 * @throws IncompatibleError that lists the other differences
 * @throws TypeError if one is not such a document, or an option is wrong
 */
export declare function assertCompatible (before: object, after: object, options?: CompatibleOptions): void

/** Returns differences as Markdown, for a changelog: breaking differences first, then additions. */
export declare function toMarkdown (differences: readonly Difference[]): string

/** Error of `assertCompatible`. Its message lists the differences. */
export declare class IncompatibleError extends Error {
  readonly name: 'IncompatibleError'
  readonly code: 'FST_ERR_VERSION_INCOMPATIBLE'
  /** The differences that are breaking and not accepted. */
  readonly differences: readonly Difference[]
  constructor (differences: readonly Difference[])
}
