import type { Version } from './index.d.ts'

/** What is different in `version` for clients of `previous`, as JSON that you can keep for later. */
export interface Release {
  readonly version: Version
  /** The version that it is compared with; null for the oldest version. */
  readonly previous: Version | null
  /** When it was released, as ISO 8601: as `lifecycle` says, or else the version itself if it is a date, or null. */
  readonly released: string | null
  readonly isPreview: boolean
  /** When this version becomes deprecated, and when it ends; ISO 8601 or null. */
  readonly deprecated: string | null
  readonly sunset: string | null
  /** Whether it has ended by the option `now`. */
  readonly hasEnded: boolean
  /** The page that says more, or null. */
  readonly info: string | null
  readonly items: readonly ReleaseItem[]
}

export interface ReleaseItem {
  /** `breaking`: clients change their code. `unknown`: they read it. `added`: they have nothing to do. */
  readonly urgency: 'breaking' | 'unknown' | 'added'
  /**
   * The descriptions of changes: several if their differences cannot be told apart, none if no change describes them.
   */
  readonly sentences: readonly string[]
  /** `GET /bookings/:id`, without the version. */
  readonly endpoints: readonly string[]
  /** Differences of the documents. Each is in one item. */
  readonly differences: readonly {
    readonly kind: 'breaking' | 'added'
    /** What to do, or what is new, with names in backticks. */
    readonly text: string
    readonly endpoints: readonly string[]
    /** The locations in the documents, as `compare` says them. */
    readonly at: readonly string[]
  }[]
  /** What the changes make of an example in a shared schema. */
  readonly examples: readonly { readonly schema: string, readonly before: unknown, readonly after: unknown }[]
}

export interface ChangelogOptions {
  /** Releases after this version. Default: all. */
  from?: Version | undefined
  /** Releases up to this version. Default: all. */
  to?: Version | undefined
}

export interface GuideOptions {
  from: Version
  to: Version
  /** What a client calls: `GET /bookings`, or the routes of `app.versionUsage.of(client)`. Default: all. */
  endpoints?: Iterable<string | { readonly method: string, readonly url: string }> | undefined
}

/**
 * Returns the releases of an app that is ready, newest first, each compared with the version before.
 *
 * @throws FST_ERR_VERSIONING_OPTION for a version that no route serves
 */
export declare function changelog (app: object, options?: ChangelogOptions): Release[]

/**
 * Returns what a client changes to go from one version straight to another.
 *
 * @throws FST_ERR_VERSIONING_OPTION for a version that no route serves, and for an endpoint that neither version has
 */
export declare function guide (app: object, options: GuideOptions): Release

/**
 * Returns the releases that documents alone show, newest first. Documents with `x-api-version` need no order.
 *
 * @throws TypeError for a value that is no document with a version, and for two documents of one version
 */
export declare function changelogOf (documents: readonly object[]): Release[]

/**
 * Returns releases as Markdown.
 *
 * @param releases a list from `changelog`, or one release from `guide`
 * @param options.title Default: `Changelog`
 */
export declare function toMarkdown (releases: Release | readonly Release[], options?: { title?: string }): string
