/**
 * Where a client names the version: in exactly one of these places. A template holds `{version}` once.
 */
export type VersionPlace =
  | AcceptPlace
  | HeaderPlace
  | QueryPlace
  | PathPlace
  | HostPlace

/**
 * In the media types of the Accept header, for AcceptHeaderVersioning. If the Accept header or, with `contentType`, the
 * Content-Type header already names a version, neither is changed.
 */
export interface AcceptPlace {
  /**
   * The Accept header of calls that set none: `'application/json'`, or a vendor type that holds the version,
   * `'application/vnd.acme.{version}+json'`. Media types without `{version}` get the version as a parameter, in front
   * of their weight.
   */
  readonly accept: string
  /** Whether the Content-Type header of a call names the version, too, for ContentTypeVersioning. Default: false. */
  readonly contentType?: boolean | undefined
  /** The name of the parameter. Default: `'version'`. */
  readonly param?: string | undefined
}

/** In a request header, for HeaderVersioning. A header that the caller has set stays as it is. */
export interface HeaderPlace {
  /** The name of the header: `'API-Version'`. */
  readonly header: string
}

/**
 * In a query parameter, for QueryParameterVersioning. A parameter of this name is replaced wherever it stands;
 * a new one comes last.
 */
export interface QueryPlace {
  /** The decoded name of the parameter: `'version'`. */
  readonly query: string
}

/**
 * In a segment of the path, for URLPathVersioning and NamespaceVersioning. A segment that looks
 * like the version, with other numbers in the place of its numbers, is replaced: for `v2` these are `v1`, `v10` and
 * `v1.1`, but not `beta`. Otherwise the version is put in. A URL whose path begins with something else is left alone.
 */
export interface PathPlace {
  /** A path whose last segment holds `{version}`: `'/{version}'`, `'/api/v{version}'`. */
  readonly path: string
}

/**
 * In the first label of the host, for HostNameVersioning. The label in the place of `{version}` is replaced, whatever
 * it is; a host without it gets one. Other hosts are left alone.
 */
export interface HostPlace {
  /** The host without its port: `'{version}.example.com'`. */
  readonly host: string
}

export interface VersionedFetchOptions {
  /**
   * The version to ask for: letters, digits, `.`, `_`, `~` and `-`, which need no escape anywhere; in a host lower-case
   * letters, digits and `-`.
   */
  readonly version: string
  readonly place: VersionPlace
  /**
   * The origins that the version is told, such as `'https://api.example.com'`. Calls to other origins are passed on
   * untouched, without a notice. Default: every URL that the function is called with.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * Called when a response says that its version ends: once for each method, origin, pathname and version, and again
   * when the notice changes. Segments of the pathname that are numbers or UUIDs count as one; the last 100 are
   * remembered. What it throws or rejects with is ignored. Without it, responses are not looked at.
   */
  readonly onNotice?: ((notice: VersionNotice) => unknown) | undefined
}

/** What a response tells about its version. */
export interface VersionNotice {
  /** The version that was served, as far as the response says it, or else the version that was asked for. */
  readonly version: string | null
  /** Since when, or from when on, the version is deprecated (`Deprecation`, RFC 9745). */
  readonly deprecatedAt: Date | null
  /** When the version ends (`Sunset`, RFC 8594). */
  readonly sunsetAt: Date | null
  /** Whether the version is deprecated now, by its date or because `API-Deprecated-Versions` lists it. */
  readonly isDeprecated: boolean
  /** Whether the status is 410. */
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
  /** One English sentence for a log. It has no query of the URL, and no user name. */
  readonly message: string
}

/** What a response does not tell itself. */
export interface VersionNoticeContext {
  /** The method of the request, for `message`. */
  readonly method?: string | undefined
  /** The version that was asked for, for responses that do not tell which one was served. */
  readonly version?: string | null | undefined
  /** The response header that has the version that was served. Default: `'API-Version'`. */
  readonly header?: string | undefined
  /** The parameter of the Content-Type that has the version that was served. Default: `'version'`. */
  readonly param?: string | undefined
}

/** Headers as `Headers` and AxiosHeaders have them, or a plain object whose names are in any case. */
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
 * Wraps `fetch` so that every call names the version.
 *
 * @param fetch the function that sends the requests. Default: the global one
 * @returns a function of fetch's own type. It passes on all options, and changes no object of the caller
 * @throws TypeError naming the option that is wrong
 */
export function versionedFetch (
  options: VersionedFetchOptions, fetch?: typeof globalThis.fetch
): typeof globalThis.fetch

/**
 * Reads what a response tells about its version, in linear time. What is malformed is left out.
 *
 * @param response a Response, another response with `headers`, or the headers alone
 * @param url the URL of the request, against which links are resolved. Default: `response.url`; without a URL, links
 * are as they were sent
 * @returns null if the response tells nothing
 */
export function readVersionNotice (
  response: VersionNoticeSource | null | undefined, url?: string | URL | null, context?: VersionNoticeContext
): VersionNotice | null

/**
 * An interceptor for undici 7: `new Agent().compose(versionInterceptor(options))`.
 *
 * @throws TypeError naming the option that is wrong
 */
export function versionInterceptor (
  options: VersionedFetchOptions
): <Dispatch extends (options: never, handler: never) => boolean>(dispatch: Dispatch) => Dispatch

/**
 * A middleware for openapi-fetch: `client.use(versionMiddleware(options))`.
 *
 * @throws TypeError naming the option that is wrong
 */
export function versionMiddleware (options: VersionedFetchOptions): VersionMiddleware

/** A middleware of openapi-fetch. */
export interface VersionMiddleware {
  onRequest (context: { readonly request: Request }): Promise<Request | undefined>
  onResponse (context: { readonly request: Request, readonly response: Response }): undefined
}
