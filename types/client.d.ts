/** Where a client sends the version: in exactly one of these places. A template contains `{version}` once. */
export type VersionPlace =
  | AcceptPlace
  | ContentTypePlace
  | HeaderPlace
  | QueryPlace
  | PathPlace
  | HostPlace

/**
 * In the media types of the Accept header, for AcceptHeaderVersioning. If the Accept header or, with `contentType`, the
 * Content-Type header already contains a version, neither is changed.
 */
export interface AcceptPlace {
  /**
   * The Accept header of calls that set none: `'application/json'`, or a vendor type with the version,
   * `'application/vnd.acme.{version}+json'`. Media types without `{version}` get the version as a parameter, in front
   * of their weight.
   */
  readonly accept: string
  /** Whether the version is also written into the Content-Type header, for ContentTypeVersioning. Default: false. */
  readonly contentType?: boolean | undefined
  /** The name of the parameter. Default: `'version'`. */
  readonly param?: string | undefined
}

/**
 * In the media type of the body alone, for ContentTypeVersioning. A request whose headers name no type goes out without
 * the version, which is a notice: `v1 of GET https://example.com/bookings is only the default`.
 */
export interface ContentTypePlace {
  readonly contentType: true
  /** The name of the parameter. Default: `'version'`. */
  readonly param?: string | undefined
}

/** In a request header, for HeaderVersioning. A header that the caller has set stays as it is. */
export interface HeaderPlace {
  /** The name of the header: `'API-Version'`. */
  readonly header: string
}

/**
 * In a query parameter, for QueryParameterVersioning. Every parameter of this name is replaced in place; a new one is
 * added at the end.
 */
export interface QueryPlace {
  /** The decoded name of the parameter: `'version'`. */
  readonly query: string
}

/**
 * In a segment of the path, for URLPathVersioning and NamespaceVersioning. A segment that differs from the version only
 * in its numbers is replaced: for `v2` these are `v1`, `v10` and `v1.1`, but not `V1` or `beta`. Otherwise the version
 * is inserted. A URL whose path begins with something else stays as it is.
 */
export interface PathPlace {
  /** A path whose last segment contains `{version}`: `'/{version}'`, `'/api/v{version}'`. */
  readonly path: string
}

/**
 * In the first label of the host, for HostNameVersioning. The label is replaced, whatever it is; a host without it gets
 * one. Other hosts stay as they are.
 */
export interface HostPlace {
  /** The host without its port: `'{version}.example.com'`. */
  readonly host: string
}

export interface VersionedFetchOptions {
  /**
   * The version to request. It may have letters, digits, `.`, `_`, `~` and `-`, which need no escaping anywhere; in a
   * host only lower-case letters, digits and `-`.
   */
  readonly version: string
  readonly place: VersionPlace
  /**
   * The origins to which the version is sent, such as `'https://api.example.com'`. Calls to other origins are passed on
   * unchanged, and give no notice. Default: all origins.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * Called when a response says that its version is deprecated, is about to be retired or has been retired, and when a
   * request without a Content-Type went out without its version, which this header should carry. It is called once for
   * each method, origin, pathname and version, and again when the notice changes. Path segments that are numbers or
   * UUIDs count as equal; the last 100 notices are remembered. Anything that it throws or rejects with is ignored.
   * Without it, responses are not read.
   */
  readonly onNotice?: ((notice: VersionNotice) => unknown) | undefined
}

/** What a response says about its version. */
export interface VersionNotice {
  /** The version that was served if the response says so, otherwise the version that was requested. */
  readonly version: string | null
  /** The past or future date of the deprecation (`Deprecation`, RFC 9745). */
  readonly deprecatedAt: Date | null
  /** When the version is retired (`Sunset`, RFC 8594). */
  readonly sunsetAt: Date | null
  /** Whether the version is deprecated now, by its date or because `API-Deprecated-Versions` lists it. */
  readonly isDeprecated: boolean
  /** Whether the version has been retired: the status is 410, without `Retry-After`. */
  readonly isGone: boolean
  /** The same resource in the next version: the link `successor-version` (RFC 5829). */
  readonly successor: string | null
  /** The same resource in the latest version: the link `latest-version` (RFC 5829). */
  readonly latest: string | null
  /** Where to read more: the first link `deprecation` (RFC 9745), otherwise the first link `sunset` (RFC 8594). */
  readonly info: string | null
  /** `API-Supported-Versions`, in its order. */
  readonly supported: readonly string[]
  /** `API-Deprecated-Versions`, in its order. */
  readonly deprecated: readonly string[]
  /** One English sentence for a log, without the query and the user name of the URL. */
  readonly message: string
}

/** What a response does not say itself. */
export interface VersionNoticeContext {
  /** The method of the request, for `message`. */
  readonly method?: string | undefined
  /** The version that was requested. Used if the response does not say which one was served. */
  readonly version?: string | null | undefined
  /** The response header with the version that was served. Default: `'API-Version'`. */
  readonly header?: string | undefined
  /** The parameter of the Content-Type with the version that was served. Default: `'version'`. */
  readonly param?: string | undefined
}

/** `Headers`, AxiosHeaders, or a plain object whose names are in any case. */
export type VersionNoticeHeaders = { get (name: string): unknown } | object

/** A response of fetch, axios, ky or undici, or its headers. */
export type VersionNoticeSource =
  | VersionNoticeHeaders
  | {
    readonly headers: VersionNoticeHeaders
    readonly status?: number
    readonly statusCode?: number
    readonly url?: string
  }

/**
 * Wraps `fetch` so that every call sends the version.
 *
 * @param fetch the function that sends the requests. Default: the global one
 * @returns a function of the same type as `fetch`. It passes on all options, and changes none of the caller's objects
 * @throws TypeError naming the option that is wrong
 */
export function versionedFetch (
  options: VersionedFetchOptions, fetch?: typeof globalThis.fetch
): typeof globalThis.fetch

/**
 * Reads what a response says about its version, in linear time. Malformed values are left out.
 *
 * @param response a Response, another response with `headers`, or the headers alone
 * @param url the URL of the request, against which links are resolved. Default: `response.url`; without a URL, links
 * are as they were sent
 * @returns the notice, or null if the response says nothing about its version
 */
export function readVersionNotice (
  response: VersionNoticeSource | null | undefined, url?: string | URL | null, context?: VersionNoticeContext
): VersionNotice | null
