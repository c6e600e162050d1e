import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { FastifyRequest } from 'fastify'

/**
 * The versions of an app, which `routeTypes` declares: `declare module 'fastify-versioning' { interface Versions { v1:
 * true, v2: true } }`. Then options take no other versions, and `request.version` is one of these versions or null.
 */
export interface Versions {}

/** A version of the app: one of `Versions`, or any string as long as none is declared. */
export type Version = [keyof Versions] extends [never] ? string : `${Exclude<keyof Versions, symbol>}`

/** Versions in release order, oldest first; null stands for requests without a version. */
export type AllowedVersions = readonly (string | null)[]

/** The settings of a scheme (SPEC.md, Resources), all of them optional. */
export interface VersioningSettings {
  /** The version of a request without one; an object gives each client its own. Default: null. */
  defaultVersion?: Version | DefaultByHeader | null | undefined
  /** The allowed versions, oldest first; null or an empty list allows every version. Default: null. */
  allowedVersions?: Iterable<Version | null> & object | null | undefined
  /** Maps what a client specifies to the version that it gets, such as `byDate`. Default: null, versions are exact. */
  resolveVersion?: VersionResolver | null | undefined
  /** The parameter of the media type, path or query that carries the version. Default: `'version'`. */
  versionParam?: string | undefined
  /** The request header that carries the version, for HeaderVersioning. Default: `'API-Version'`. */
  versionHeader?: string | undefined
  /**
   * The media types of the API, one of which may have the version: `'application/vnd.acme.{version}+json'`. Default:
   * null, every media type counts.
   */
  mediaTypes?: Iterable<string> & object | null | undefined
}

/** A default version for each client, by a request header, which responses list in Vary. */
export interface DefaultByHeader {
  readonly header: string
  /**
   * The version of a client that specifies none, which must be allowed; null or undefined for none.
   *
   * @param value the value of the header, which has not been authenticated, or null if the request does not have it
   * @param request Node's request if versions choose handlers, and then the result must not be a promise
   */
  version (
    value: string | null, request: RawRequest | FastifyRequest
  ): Version | null | undefined | Promise<Version | null | undefined>
}

/**
 * Maps what a client specifies to a version, which is then checked; null and undefined refuse the request.
 *
 * @param allowedVersions the option of this name; empty if every version is allowed
 */
export type VersionResolver = (requested: string, allowedVersions: AllowedVersions) => string | null | undefined

/** Options of the plugin. A child context inherits those that it leaves out. Defaults are those of the root. */
export interface VersioningOptions extends VersioningSettings {
  /**
   * Where a client specifies the version: a class, an instance, or a list of these; null switches versioning off.
   * Default: null.
   */
  scheme?: VersioningSource | readonly VersioningSource[] | null | undefined
  /** The public URL of the app, whose path is put in front of every link. Default: null. */
  baseUrl?: string | URL | null | undefined
  /** What changed between versions that share handlers. Default: null. */
  changes?: readonly Change[] | null | undefined
  /**
   * The schemas of values that the app sends outside of responses, by the names of events: for `app.event`. Default:
   * null.
   */
  events?: { readonly [name: string]: unknown } | null | undefined
  /** Whether the log lines of a request carry its `version`. Default: false. */
  logVersion?: boolean | undefined
  /** Deprecation and sunset dates by version, sent as headers. Default: null. */
  lifecycle?: VersionEndings | null | undefined
  /**
   * Whether responses list the versions of the URL, in `API-Supported-Versions` and `API-Deprecated-Versions`. Default:
   * false.
   */
  reportVersions?: boolean | undefined
  /** Whether a version answers 410 from its sunset on. Default: false. */
  enforceSunset?: boolean | undefined
  /** The clock, in milliseconds since the epoch. Default: `Date.now`. */
  now?: (() => number) | undefined
  /** The response header for the version that was served. Default: null. */
  servedVersion?: string | null | undefined
  /** Not an option of the plugin: a namespace goes on the `register` of a context with routes. */
  namespace?: never
  /** Not an option of the plugin: versions to serve go on a route, or on the `register` of a context with routes. */
  version?: never
}

/** When versions are released and retired, by version. */
export type VersionEndings = string extends Version
  ? { readonly [version: string]: VersionStage | undefined }
  : EndingsOf<Version>

type EndingsOf<Name extends string> = { readonly [version in Name]?: VersionStage | undefined }

/** What becomes of a version: when it is released and retired, or that it is a preview. */
export interface VersionStage extends VersionEnding {
  /** When it was or will be released, not after its other dates: for changelogs and `app.versions`. Default: none. */
  readonly released?: Date | string | undefined
  /** Whether it is not released yet: allowed, but neither linked to nor listed as supported. Default: false. */
  readonly preview?: boolean | undefined
}

/** When a version or a route is retired: at least one of the two dates is required. */
export interface VersionEnding {
  /**
   * When it becomes deprecated: a Date, an ISO 8601 date, or a date-time with offset. Sent as `Deprecation` (RFC 9745).
   * Default: not sent.
   */
  readonly deprecated?: Date | string | undefined
  /** When it may stop working, not before its deprecation. Sent as `Sunset` (RFC 8594). Default: not sent. */
  readonly sunset?: Date | string | undefined
  /** The URL of a page that says more, sent as `Link` and in the message of a 410. Default: none. */
  readonly info?: string | undefined
}

/** A scheme: its class, or an instance of it. */
export type VersioningSource = VersioningSchemeClass | VersioningScheme

/**
 * A message on the channel `fastify-versioning:version` of `node:diagnostics_channel`, one for each request with a
 * scheme. All fields but `request` and `requested` have few values, so they can be labels of a metric.
 */
export interface VersionUsage {
  /** The request, whose version is known. */
  readonly request: FastifyRequest
  /** One of `allowedVersions`, or the default version; null if it is neither, if there is none, and after a refusal. */
  readonly version: Version | null
  /** What the client specifies, before it is resolved, at most 64 characters; null for nothing, or if places differ. */
  readonly requested: string | null
  /** Whether the request gets the default version, because the client specifies none. */
  readonly isDefault: boolean
  readonly outcome: 'ok' | 'refused' | 'gone'
  /** Why the request is refused, or null if it is not. */
  readonly reason: RefusalReason | null
  /** The `place` of the scheme, such as `'header'`; null if the client specifies nothing. */
  readonly place: string | null
  readonly scheme: string
  /** The path of the route as Fastify registered it, prefix included. */
  readonly route: string
}

/** A value of unknown type, as `JSON.parse` returns it. */
export type JsonValue = ReturnType<JSON['parse']>

/** What changed in a version: older requests are upgraded for the handler, and its responses are downgraded. */
export interface Change {
  /** The first version that has it: one of `allowedVersions`, but not the oldest. */
  readonly version: Version
  /** What a reader of a changelog sees. */
  readonly description: string
  /** By `$id`, wherever bodies, queries and responses refer to the schema. Default: none. */
  readonly schemas?: { readonly [id: string]: SchemaChange } | undefined
  /** By the name of the route, without a namespace that is the version. Default: none. */
  readonly routes?: RouteChanges | undefined
}

/** How routes changed, by their names. */
export type RouteChanges = string extends ChangedRoute
  ? { readonly [name: string]: RouteChange }
  : { readonly [name in ChangedRoute]?: RouteChange }

/** The name of a route: any string as long as none is declared. */
type ChangedRoute = [keyof RoutesOfRequest] extends [never] ? string : `${Exclude<keyof RoutesOfRequest, symbol>}`

/** How a shared schema changed. Its functions get and return nested values in the form of the change's version. */
export interface SchemaChange {
  /** The schema as it was. It may refer to others by `$id`. */
  readonly older: unknown
  /**
   * Converts an older value to the newer form. Needed where the schema is in a request. An error that it throws with a
   * `statusCode` of 400 to 499 is the answer.
   */
  readonly upgrade?: ((value: JsonValue) => unknown) | undefined
  /** Converts a newer value to the older form. Needed where the schema is in a response. */
  readonly downgrade?: ((value: JsonValue) => unknown) | undefined
  /** Whether an older value that is upgraded and downgraded is the same again: for `checkChanges`. Default: false. */
  readonly lossless?: boolean | undefined
  /** Whether the app itself converts values in webhooks, queues and streams, with `downgrade`. Default: false. */
  readonly outside?: boolean | undefined
}

/** How a route changed; empty if the versions have different handlers, so that only the description counts. */
export interface RouteChange {
  /** The schemas of its request that have changed, as they were. */
  readonly older?: OlderRequest | undefined
  readonly body?: PartChange | undefined
  readonly query?: PartChange | undefined
  /** By status, as the route has it: a number, a class such as `'4xx'`, or `'default'`. */
  readonly response?: { readonly [status: string | number]: ResponseChange } | undefined
}

/** The schemas of a request as they were. */
export interface OlderRequest {
  readonly body?: unknown
  /** Or `query`. */
  readonly querystring?: unknown
  readonly query?: unknown
}

/** How a part of a request changed. */
export interface PartChange {
  /** Converts an older part. An error that it throws with a `statusCode` of 400 to 499 is the answer. */
  readonly upgrade: (value: JsonValue) => unknown
  /** Converts a newer query for links into older versions. Default: such links fail. */
  readonly downgrade?: ((value: JsonValue) => unknown) | undefined
}

/** How a response changed. */
export type ResponseChange = ResponseBodyChange | ResponseStatusChange

export interface ResponseBodyChange {
  /** The schema as it was. Default: as it is. */
  readonly older?: unknown
  /** Converts a newer payload. */
  readonly downgrade: (payload: JsonValue) => unknown
  readonly status?: number | undefined
  /** Whether the app itself converts the messages of streams. Default: false. */
  readonly outside?: boolean | undefined
}

/** A response that had another status. With 204, it has no body, and nothing else can be given. */
export interface ResponseStatusChange {
  readonly older?: undefined
  readonly downgrade?: undefined
  /** The older status: a number from 200 to 599. */
  readonly status: number
}

/** A request of Node, HTTP/1.1 or HTTP/2, before Fastify has routed it. */
export type RawRequest = IncomingMessage | Http2ServerRequest

/**
 * The versions that a route serves: one, a list, or a range of `allowedVersions`, both ends included. Null in a list
 * stands for requests without a version.
 */
export type RouteVersions = Version | readonly (Version | null)[] | VersionRange

/**
 * Without `object` and `length`, TypeScript would take a text or a list for a range in the options of `register`, which
 * are an intersection.
 */
type VersionRange = object & {
  readonly from?: Version | undefined
  readonly to?: Version | undefined
  readonly length?: never
}

/** A parameter of a request, as OpenAPI has it. */
export interface VersionParameter {
  readonly in: 'query' | 'header' | 'cookie'
  readonly name: string
}

/** The class of a scheme, as the plugin makes it. */
export type VersioningSchemeClass = new (settings: VersioningSettings) => VersioningScheme

/** What marks the schemes that extend BaseVersioning. */
declare const MARK: unique symbol

/** The members of a scheme that the plugin and others use. BaseVersioning has more. */
export interface VersioningScheme {
  readonly [MARK]: true
  /** The version of a request without one, or null. */
  readonly defaultVersion: string | null
  /** The allowed versions, oldest first; null or an empty list if every version is allowed. */
  readonly allowedVersions: AllowedVersions | null
  /** The parameter that carries the version, if the scheme reads a parameter. */
  readonly versionParam: string
  /** The media types of the API, or null if it may be any. */
  readonly mediaTypes: readonly string[] | null
  /** Message of the error for a version that is not allowed. */
  readonly invalidVersionMessage: string
  /** The kind of its refusals, which decides their status. Default: `'notFound'`. */
  readonly refusalKind: RefusalKind
  /** Returns the version of the request, or null. Throws or rejects if it is not allowed. */
  determineVersion (request: FastifyRequest): string | null | Promise<string | null>
  /** Tells whether the version is allowed (SPEC.md, Base contract 4). */
  isAllowedVersion (version: string | null): boolean
  /** Returns the URL of a named route, or with null of the request's route, in the version of `options.request`. */
  reverse (viewName: string | null, options?: ReverseOptions): string
  /**
   * Returns what the client specifies: a version, a list of equal versions, or undefined or null for none. The request
   * is Node's before routing, and Fastify's afterwards.
   */
  readVersion? (request: RawRequest | FastifyRequest): string | readonly string[] | null | undefined
  /** Why the version is known only after routing, so that it cannot choose routes. Default: null, it can. */
  readonly knownAfterRouting: string | null
  /** Returns the error for a version that is not allowed, or that a URL does not serve. */
  refusal (message?: string, request?: FastifyRequest): Error
  /** The request headers that the version depends on, as in Vary. Default: null, none. */
  readonly vary: string | null
  /** Where a client specifies the version, for usage events: one of few values. Default: `'custom'`. */
  readonly place: string
  /** Where a client specifies the version, as messages show it: `"Accept" header`. */
  readonly placeText?: string
  /** The name of the scheme in messages, usage events and metrics. Default: the name of its class. */
  readonly label: string
  /** Where `reverse` puts the version of a link. Default: `'nowhere'`. */
  readonly linkPlace: 'path' | 'namespace' | 'query' | 'host' | 'nowhere'
  /** The path parameter that `reverse` fills with the version, unless the caller gives it a value. Default: null. */
  readonly impliedParam: string | null
  /** Options of a link that only this scheme's `reverse` takes. Default: none. */
  readonly linkOptions: readonly string[]
  /** The parameter of a request that carries the version, as a document of OpenAPI has it. Default: null, none. */
  readonly parameter: VersionParameter | null
  readonly schemes?: readonly VersioningScheme[]
}

/** A value for a path parameter. */
export type ReverseValue = string | number | bigint | boolean
/** Values for path parameters, in the order of the path. */
export type ReverseArgs = readonly (ReverseValue | null | undefined)[]
/** Values for path parameters by name; null, undefined and `''` fill none. */
export type ReverseKwargs = Readonly<Record<string, ReverseValue | null | undefined>>

/** As `ReverseKwargs`, for an object of any type. */
export type ReverseParams<Params> = ByName<Params, ReverseValue | null | undefined>

/** Values by name in an object of any type, such as an interface, which has no index signature, but no function. */
type ByName<Type, Value> = object
  & { readonly [name in keyof Type]: Value }
  & { readonly [Symbol.hasInstance]?: never }

/** A value for a query parameter; undefined and null leave it out. */
export type QueryValue = ReverseValue | null | undefined
/** A query: values by name, where an array repeats the parameter, or URLSearchParams, or pairs. */
export type LinkQuery =
  | Iterable<readonly [name: string, value: QueryValue | readonly QueryValue[]]>
  | { readonly [name: string]: QueryValue | readonly QueryValue[] }
/** As `LinkQuery`, for an object of any type; an iterable must hold pairs. */
export type LinkQueryParams<Query> =
  ByName<Query, QueryValue | readonly QueryValue[]> & { readonly [Symbol.iterator]?: never }

/** The link options of custom schemes, for their authors to declare; the scheme names each in its `linkOptions`. */
export interface SchemeLinkOptions {}

/** Options of a link, in addition to the route's name and its parameters. */
export interface LinkOptions<Query = LinkQuery> extends SchemeLinkOptions {
  /** Version to link into; null for the unversioned URL. Default: the version of the request. */
  version?: Version | null | undefined
  /** Query of the link; a parameter in it that carries the version is replaced. Default: none. */
  query?: Query | null | undefined
  /** Fragment, with or without its `#`. Default: none. */
  hash?: string | null | undefined
  /** Whether the link has an origin: from the option `baseUrl`, or else from the request. Default: false. */
  absolute?: boolean | undefined
  /** Value of the parameter named `format`; wins over one among the parameters. Default: none. */
  format?: string | null | undefined
}

/** What `reverse` reads of a request. Any object but a FastifyRequest needs the first two properties. */
export interface ReversingRequest {
  readonly version: string | null
  readonly server: object
  /** For absolute links. */
  readonly host?: string
  /** For absolute links. */
  readonly protocol?: string
  /** For links to the route of the request. */
  readonly params?: unknown
  /** For links behind a gateway that removes a part of the path, under Fastify's `trustProxy`. */
  readonly headers?: object
  /** For links to the route of the request. */
  readonly routeOptions?: { readonly config: object }
}

/** Options of a scheme's `reverse`: Python's keyword arguments under the same names. */
export interface ReverseOptions extends LinkOptions {
  /**
   * Values in path order for parameters that `kwargs` do not name. The parameter of the version takes a value only if
   * the link has no version and no `kwargs`. Default: none.
   */
  args?: ReverseArgs | null | undefined
  kwargs?: ReverseKwargs | null | undefined
  /** The request that gives the version and the app. Default: no version, and `server`. */
  request?: ReversingRequest | null | undefined
  /** The app whose routes are named, without a request. Default: the app that registered the scheme. */
  server?: object | undefined
}

/** A version of an app. */
export interface AppVersion {
  /** Null, in the last entry, if the routes are version-neutral or their scheme lists no versions. */
  readonly version: Version | null
  /** When it was or will be released, as `lifecycle` says; null if it does not, or if contexts differ. */
  readonly released: Date | null
  /** When it becomes deprecated, as `lifecycle` says; null if it does not, or if contexts differ. */
  readonly deprecated: Date | null
  /** When it may stop working, as `lifecycle` says; null if never, or if contexts differ. */
  readonly sunset: Date | null
  /** The page that says more, as `lifecycle` says; null if none, or if contexts differ. */
  readonly info: string | null
  /** Whether it is a preview at all its routes. */
  readonly preview: boolean
  /** The routes that serve it, in the order of their declaration. */
  readonly routes: readonly AppVersionRoute[]
}

/** A route that serves a version, under one of its methods. */
export interface AppVersionRoute {
  readonly method: string
  /** The path as Fastify registered it, prefix included. */
  readonly url: string
  /** The name without its namespaces, or null. */
  readonly name: string | null
  /** When this route becomes deprecated in this version, or null. */
  readonly deprecated: Date | null
  /** When this route may stop working in this version, or null. */
  readonly sunset: Date | null
}

/** A change between versions, as a changelog shows it. */
export interface AppChange {
  readonly version: Version
  readonly description: string
  /** The routes that it converts, in the order of their declaration. */
  readonly routes: readonly { readonly method: string, readonly url: string, readonly name: string | null }[]
}

/** The route of a request. Its `unversionedUrl` is the same in each version, so hooks can compare it. */
export interface VersionedRoute {
  /** The name with its namespaces, as `reverse` takes it, or null. */
  readonly name: string | null
  /** The path as Fastify registered it, prefix included. */
  readonly url: string
  /** The path without the segment of the version: `/bookings/:id` for `/:version/bookings/:id`. */
  readonly unversionedUrl: string
}

export interface NamedRoute {
  /** The name with its namespaces, as `reverse` takes it. */
  readonly name: string
  /** A second name, by which links into the route's own version find it (NamespaceVersioning), or null. */
  readonly shortName: string | null
  /** The namespaces, joined by `:`, or `''`. */
  readonly namespace: string
  /** The path as Fastify registered it, prefix included. */
  readonly url: string
  readonly methods: readonly string[]
  /** In the order of the path; a wildcard is called `*`. A link may omit what is optional. */
  readonly parameters: readonly { readonly name: string, readonly optional: boolean }[]
}

/**
 * The names of an app and their parameters, which `routeTypes` declares: `interface NamedRoutes { 'booking-detail': {
 * id: string | number } }`. Then `reverse` takes no other names.
 */
export interface NamedRoutes {}

/**
 * As `NamedRoutes`, for names that need a version: `bookings` for `v1:bookings` under NamespaceVersioning.
 * `app.reverse` takes them only with the option `version`.
 */
export interface RequestNamedRoutes {}

/**
 * Returns the URL of a named route, path-absolute unless the options ask for more: `/v1/bookings/7`.
 *
 * @param viewName the route's name, with its namespaces: `'booking-detail'`, `'partners:rates'`
 * @param params values by name, or an array of values in the order of the path
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has that name, or none of its URLs fits the parameters
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or its version is not allowed
 */
export type Reverse = [keyof NamedRoutes] extends [never] ? ReverseAnyRoute : ReverseNamedRoute & ReverseIntoVersion

/**
 * As `Reverse`. Without a name, or with null, it returns the URL of the current route with its parameters; parameters
 * that you give replace them.
 *
 * @throws FST_ERR_REVERSE_HOST (400) when an absolute link needs a host that the request does not have
 */
export type ReplyReverse = [keyof NamedRoutes | keyof RequestNamedRoutes] extends [never]
  ? ReverseCurrentRoute<string>
  : ReverseNamedRoute<RoutesOfRequest> & ReverseCurrentRoute<never>

/** The names that `reply.reverse` takes, and their parameters. */
export type RoutesOfRequest = Omit<NamedRoutes, keyof RequestNamedRoutes> & RequestNamedRoutes

/** As long as no names are declared, every string is a name. */
export type ReverseAnyRoute = <Params extends ReverseParams<Params>, Query extends LinkQueryParams<Query>>(
  viewName: string,
  params?: Params | ReverseArgs | null,
  options?: LinkOptions<Query | LinkQuery>
) => string

/** The name may be left out; otherwise it is a `Name`. */
export type ReverseCurrentRoute<Name extends string> =
  <Params extends ReverseParams<Params>, Query extends LinkQueryParams<Query>>(
    viewName?: Name | null,
    params?: Params | ReverseArgs | null,
    options?: LinkOptions<Query | LinkQuery>
  ) => string

/** Once names are declared, only they are accepted, with exactly their parameters. */
export type ReverseNamedRoute<Routes = NamedRoutes> =
  <Name extends keyof Routes, Query extends LinkQueryParams<Query>>(
    viewName: Name,
    ...rest: ReverseRest<Routes[Name], LinkOptions<Query | LinkQuery>>
      | ReverseFormatted<Routes[Name], LinkOptions<Query | LinkQuery>>
  ) => string

/** Without a request, a name that needs a version takes the version of the options. */
export type ReverseIntoVersion = [keyof RequestNamedRoutes] extends [never] ? unknown : ReverseIntoVersionNamed

type ReverseIntoVersionNamed = <Name extends keyof RequestNamedRoutes, Query extends LinkQueryParams<Query>>(
  viewName: Name,
  ...rest: ReverseRestWith<RequestNamedRoutes[Name], LinkOptions<Query | LinkQuery> & { version: Version }>
    | ReverseFormatted<RequestNamedRoutes[Name], LinkOptions<Query | LinkQuery> & { version: Version }>
) => string

/** What follows a name with these parameters: nothing, if none of them is required. */
type ReverseRest<Params, Options> = Record<never, never> extends Params
  ? [params?: Params | null, options?: Options]
  : [params: Params, options?: Options]

/** As `ReverseRest`, with required options. */
type ReverseRestWith<Params, Options> = Record<never, never> extends Params
  ? [params: Params | null | undefined, options: Options]
  : [params: Params, options: Options]

/** As `ReverseRest`, where the option `format` is the parameter of that name. */
type ReverseFormatted<Params, Options> = string extends keyof Params
  ? never
  : Params extends { format: unknown }
    ? Record<never, never> extends Omit<Params, 'format'>
      ? [params: WithoutFormat<Params> | null | undefined, options: Options & { format: string }]
      : [params: WithoutFormat<Params>, options: Options & { format: string }]
    : never

type WithoutFormat<Params> = [keyof Params] extends ['format'] ? Record<string, never> : Omit<Params, 'format'>

/**
 * Why a request is refused. `'missing'`: the client specifies no version, and there is no default. `'unsupported'`: the
 * version is not allowed. `'ambiguous'`: the client specifies different versions. `'unserved'`: the URL does not serve
 * the version. `'gone'`: the version, or the route, is past its sunset.
 */
export type RefusalReason = 'missing' | 'unsupported' | 'ambiguous' | 'unserved' | 'gone'

/** The kind of a refusal, which decides its code and its status. */
export type RefusalKind =
  'notFound' | 'notAcceptable' | 'notSupported' | 'unsupportedMediaType' | 'ambiguous' | 'gone'

export type VersionErrorCode =
  | 'FST_ERR_VERSION_NOT_FOUND'
  | 'FST_ERR_VERSION_NOT_ACCEPTABLE'
  | 'FST_ERR_VERSION_NOT_SUPPORTED'
  | 'FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE'
  | 'FST_ERR_VERSION_AMBIGUOUS'
  | 'FST_ERR_VERSION_GONE'

/** A change whose types follow from its older schemas. */
export interface InferredChange<Older> extends Omit<Change, 'schemas'> {
  readonly schemas?: { readonly [Id in keyof Older]: InferredSchemaChange<Older[Id]> } | undefined
}

export interface InferredSchemaChange<Older> {
  readonly older: Older
  readonly upgrade?: ((value: SchemaValue<Older>) => unknown) | undefined
  readonly downgrade?: ((value: JsonValue) => SchemaValue<Older>) | undefined
  readonly lossless?: boolean | undefined
  readonly outside?: boolean | undefined
}

/** A change of schemas whose values have these types. */
export interface TypedChange<Values> extends Omit<Change, 'schemas'> {
  readonly schemas: {
    readonly [Id in keyof Values]: Values[Id] extends readonly [infer Newer, infer Older]
      ? TypedSchemaChange<ValueOrSchema<Newer>, ValueOrSchema<Older>>
      : never
  }
}

export interface TypedSchemaChange<Newer, Older> {
  readonly older: unknown
  readonly upgrade?: ((value: Older) => Newer) | undefined
  readonly downgrade?: ((value: Newer) => Older) | undefined
  readonly lossless?: boolean | undefined
  readonly outside?: boolean | undefined
}

/** The value of a schema of TypeBox or Zod, as its type says; any value for another schema. */
export type SchemaValue<Schema> =
  Schema extends { readonly _zod: { readonly output: infer Value } } ? Value
    : Schema extends { readonly static: infer Value } ? Value
      : Schema extends { readonly '~kind': string } ? TypeBoxValue<Schema>
        : JsonValue

/** The value of a schema of Zod 4, TypeBox 1 or TypeBox 0.34; any other type as it is. */
type ValueOrSchema<Type> =
  Type extends { _zod: unknown } | { '~kind': string } | { static: unknown, params: unknown[] }
    ? SchemaValue<Type>
    : Type

type TypeBoxValue<Schema> =
  Schema extends { readonly const: infer Value } ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] } ? Value
      : Schema extends { readonly anyOf: readonly (infer Branch)[] } ? EachValue<Branch>
        : Schema extends { readonly type: 'string' } ? string
          : Schema extends { readonly type: 'integer' | 'number' } ? number
            : Schema extends { readonly type: 'boolean' } ? boolean
              : Schema extends { readonly type: 'null' } ? null
                : Schema extends { readonly type: 'array', readonly items: infer Item } ? TypeBoxItems<Item>
                  : Schema extends { readonly type: 'object', readonly properties: infer Properties }
                    ? TypeBoxObject<Properties>
                    : JsonValue

type EachValue<Branch> = Branch extends unknown ? SchemaValue<Branch> : never

type TypeBoxItems<Item> = Item extends readonly unknown[] ? JsonValue : SchemaValue<Item>[]

type TypeBoxObject<Properties> =
  & { [Name in keyof Properties as Properties[Name] extends { '~optional': true } ? never : Name]:
    SchemaValue<Properties[Name]> }
  & { [Name in keyof Properties as Properties[Name] extends { '~optional': true } ? Name : never]?:
    SchemaValue<Properties[Name]> }

declare module 'fastify' {
  interface FastifyRequest {
    /** The API version of the request; null when it has none, and after a refusal. Set in `onRequest`. */
    version: Version | null
    /** The scheme that determines the version of the request; null if no scheme was asked. */
    readonly versioningScheme: VersioningScheme | null
    /** The route of the request; null if the plugin has not seen it, or no route matches. */
    readonly versionedRoute: VersionedRoute | null
    /**
     * Tells whether the version of the request is this version, or in this list or range, in the order of
     * `allowedVersions`. False if the request has no version. A version that you have removed (v1 if v2 is the oldest)
     * is before all others.
     *
     * @throws FST_ERR_VERSION_RANGE (500) for a version that is neither allowed nor removed, and for another value
     */
    isVersion (versions: Version | readonly Version[] | VersionRange): boolean
  }

  interface FastifyReply {
    /** Returns the URL of a named route in the version of the request. It finds a route without versions as well. */
    reverse: ReplyReverse
  }

  interface FastifyInstance {
    /** Returns the URL of a named route outside a request: without a version. */
    reverse: Reverse
    /** Every route of the app that has a name, in the order of registration. */
    readonly namedRoutes: readonly NamedRoute[]
    /** The versions of the app in release order, and the routes that serve each of them. */
    readonly versions: readonly AppVersion[]
    /** The changes of the context, newest first, and the routes that each converts. */
    readonly changes: readonly AppChange[]
    /**
     * Converts a value of a shared schema into an older version: for webhooks, queues and events. It is synchronous,
     * and does not change the value.
     *
     * @param id the `$id` of the schema
     * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown schema or version, and in a context without `changes`
     * @throws FST_ERR_VERSION_CHANGE if a function of a change fails
     */
    downgrade (id: string, value: unknown, version: Version): unknown
    /** Converts the other way: from an older version to the newest. */
    upgrade (id: string, value: unknown, version: Version): unknown
    /**
     * Puts what a client of an older version has changed into a value that it cannot see as a whole: for PUT and PATCH.
     * The decorator is there where the option `changes` is given.
     *
     * @param current the value of a shared schema as it is stored, in the newest version
     * @param value what the client sends instead, upgraded, as handlers get it
     * @returns the new value: what the client could not see, or has left as it was, is that of `current`
     * @throws FST_ERR_VERSION_CHANGE_OPTION for an unknown schema or version
     * @throws FST_ERR_VERSION_CHANGE if a function of a change fails
     */
    merge (id: string, current: unknown, value: unknown, version: Version): unknown
    /**
     * Returns the JSON of an event in a version, as a response of this version would be: for webhooks, queues and
     * streams. The decorator is there where the option `events` is given.
     *
     * @param name of the event, as the option `events` has it
     * @param value in the newest version
     * @param version as a client would request it
     * @throws FST_ERR_VERSION_EVENT for an unknown event or version, and for a value that cannot be written
     * @throws FST_ERR_VERSION_CHANGE if a function of a change fails
     */
    event (name: string, value: unknown, version: Version): string
  }

  interface RouteShorthandOptions {
    /** Name of the route for `reverse`; inside a namespace it is `namespace:name`. Without `:`. */
    name?: string | undefined
    /** The scheme of this route; false if it is version-neutral. Default: the scheme of the context. */
    versioning?: VersioningSource | readonly VersioningSource[] | false | undefined
    /** The versions that this route serves; null: all that no other route serves. Default: the context's, or null. */
    version?: RouteVersions | null | undefined
    /** The version that the handler is written for. Default: the context's, or the newest that the route serves. */
    writtenFor?: Version | undefined
    /** When this route is retired, in every version. Default: as the version of the request. */
    deprecated?: VersionEnding | undefined
  }

  interface FastifyContextConfig {
    /** The versions that the route serves, in release order; absent if it serves all that no other route serves. */
    readonly versions?: readonly (Version | null)[]
  }

  interface RegisterOptions {
    /** Namespace of the names in this context, joined to its parents' by `:`. Without `:`. */
    namespace?: string | undefined
    /** The versions that the routes in this context serve, unless they say otherwise. */
    version?: RouteVersions | null | undefined
    /** The version that the handlers in this context are written for, unless their routes say otherwise. */
    writtenFor?: Version | undefined
  }
}
