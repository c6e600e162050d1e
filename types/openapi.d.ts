import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
// @ts-ignore With `ui: false` this package need not be installed.
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Version, VersionEnding } from './index.d.ts'

/** A document: OpenAPI 3.0 unless the option `openapi` says 3.1 or 3.2. */
export type OpenapiDocument = Extract<ReturnType<FastifyInstance['swagger']>, { openapi: string }>

/** Options of @fastify/swagger for documents of OpenAPI 3, which are made as it makes them. */
export type DocumentOptions = Omit<FastifyDynamicSwaggerOptions, 'mode' | 'swagger' | 'decorator'>

/** Options of the plugin: all of @fastify/swagger's, for every document, and these. */
export interface OpenapiOptions extends DocumentOptions {
  /**
   * The versions that get a document, for the app or for each team: `{ bookings: ['v1', 'v2'], rates: ['2025'] }`. A
   * route belongs to a team if its path begins with the team's name, or if it is in the namespace of this name.
   * Default: `allowedVersions` of the context, which then must list some.
   */
  versions?: Iterable<Version> & object | { readonly [team: string]: Iterable<Version> & object } | undefined
  /** Options of the document of one version, which are laid over the others. Default: none. */
  document?: ((version: Version, team?: string) => DocumentOptions) | undefined
  /** Where Swagger UI and the documents are, within the prefix of the context. Default: `'/documentation'`. */
  routePrefix?: string | undefined
  /** Options of @fastify/swagger-ui; false: neither Swagger UI nor the documents are served. Default: `{}`. */
  ui?: Omit<FastifySwaggerUiOptions, 'routePrefix' | 'transformSpecification'> | false | undefined
  /** Whether responses link to the document of their version with `rel="service-desc"` (RFC 8631). Default: false. */
  serviceDesc?: boolean | undefined
  /**
   * A schema of the body that your own error handler sends if a version is refused. Without it, documents do not
   * describe the body where a context or a route has its own error handler. Default: none.
   */
  refusal?: object | undefined
  /**
   * Whether `/.well-known/api-catalog` lists the versions and their documents (RFC 9727). `status` is where the status
   * of the API is shown. It needs the option `baseUrl` of fastify-versioning, and the root of the app. Default: false.
   */
  catalog?: boolean | { readonly status?: VersionEnding['info'] } | undefined
}

/** The documents of an app, by version. */
export interface OpenapiDocuments {
  /**
   * The document of a version, made when it is first requested. A team's document has the name of the team in front:
   * `bookings v2`.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a version that has none, and before the app is ready
   */
  (version: Version, options?: { yaml?: false | undefined }): OpenapiDocument
  /** The same as YAML. */
  (version: Version, options: { yaml: true }): string
  /** What the documents are called: their versions, or `bookings v2`. */
  readonly names: readonly string[]
  /**
   * The option `transform` for an @fastify/swagger that you register yourself: shows the routes of a version as its
   * requests specify it.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a version that has no document
   */
  transform (version: Version): SwaggerTransform
}

/**
 * A document of OpenAPI for each version, and Swagger UI to show them. Needs @fastify/swagger, and @fastify/swagger-ui
 * unless `ui` is false. Register it after fastify-versioning, and before the routes.
 *
 * @throws FST_ERR_VERSIONING_OPTION at boot, naming the option and the value
 * @throws FST_ERR_VERSIONING_PEER at boot, when a package is missing
 */
declare const openapi: FastifyPluginAsync<OpenapiOptions>
export default openapi

declare module 'fastify' {
  interface FastifyInstance {
    /** The documents of the app, by version. */
    openapi: OpenapiDocuments
  }
}
