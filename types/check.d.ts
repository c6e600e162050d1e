/**
 * What a change means to the clients of an API: `added`: nothing; `breaking`: some of them fail; `unknown`: it is not
 * plain whether one fails.
 */
export type ChangeKind = 'breaking' | 'added' | 'unknown'

/** One change between two documents. */
export interface Change {
  readonly kind: ChangeKind
  /**
   * Where it is, as a JSON pointer: `#/paths/~1bookings/get/responses/200/…`. References are followed, as if what they
   * lead to stood in their place; a parameter is `parameters/query/page`.
   */
  readonly at: string
  /** What has changed, as a sentence. */
  readonly message: string
}

/** Options of `assertCompatible`. */
export interface CompatibleOptions {
  /** Places (`at`) whose changes are accepted, with everything below them. Default: none. */
  accept?: Iterable<string> | undefined
}

/**
 * Compares two documents of OpenAPI 3.0 or 3.1, in the order of the document.
 *
 * @param before the document that clients know
 * @param after the document as it is now, of the same version or of a later one
 * @returns the changes; none if there is nothing that a client could notice
 * @throws TypeError if one of them is not such a document
 */
export declare function compare (before: object, after: object): Change[]

/**
 * Throws unless every change is an addition, or at a location that is accepted.
 *
 * @throws IncompatibleError with a table of the other changes
 * @throws TypeError if one of them is not a document, or an option is wrong
 */
export declare function assertCompatible (before: object, after: object, options?: CompatibleOptions): void

/** The changes as Markdown, for a changelog: breaking ones first, then unknown ones, then additions. */
export declare function toMarkdown (changes: readonly Change[]): string

/** Error of `assertCompatible`. Its message has a table of the changes. */
export declare class IncompatibleError extends Error {
  readonly name: 'IncompatibleError'
  readonly code: 'FST_ERR_VERSION_INCOMPATIBLE'
  /** The changes that are neither additions nor accepted. */
  readonly changes: readonly Change[]
  constructor (changes: readonly Change[])
}
