import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
// @ts-ignore With `ui: false` this package need not be installed.
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Version } from './index.d.ts'

/** A document: OpenAPI 3.0 unless the option `openapi` says 3.1 or 3.2. */
export type OpenapiDocument = Extract<ReturnType<FastifyInstance['swagger']>, { openapi: string }>

/** Options of @fastify/swagger for documents of OpenAPI 3. */
export type DocumentOptions = Omit<FastifyDynamicSwaggerOptions, 'mode' | 'swagger' | 'decorator'>

/** Options of the plugin: all of @fastify/swagger's, for every document, and these. */
export interface OpenapiOptions extends DocumentOptions {
  /**
   * The versions that get a document, the latest last. If all contexts list their versions, each must be in one of the
   * lists. Default: `allowedVersions` of the context, which then must list some.
   */
  versions?: Iterable<Version> & object | undefined
  /** Options of the document of one version, which are laid over the others. Default: none. */
  document?: ((version: Version) => DocumentOptions) | undefined
  /** Where Swagger UI and the documents are, within the prefix of the context. Default: `'/documentation'`. */
  routePrefix?: string | undefined
  /** Options of @fastify/swagger-ui; false: neither Swagger UI nor the documents are served. Default: `{}`. */
  ui?: Omit<FastifySwaggerUiOptions, 'routePrefix' | 'transformSpecification'> | false | undefined
}

/** The documents of an app, by version. */
export interface OpenapiDocuments {
  /**
   * Returns the document of a version. Each call makes it anew.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a version that has none, before the app is ready, and naming the route of
   * which @fastify/swagger or a transform cannot make an operation
   * @throws FST_ERR_VERSIONING_OPTION if a transform names a security scheme that no option has
   */
  (version: Version, options?: { yaml?: false | undefined }): OpenapiDocument
  /** Returns the document as YAML. */
  (version: Version, options: { yaml: true }): string
  /** The versions that have a document. */
  readonly names: readonly string[]
}

/**
 * A document of OpenAPI for each version, and Swagger UI to show them. Needs @fastify/swagger, and @fastify/swagger-ui
 * unless `ui` is false. Register it after fastify-versioning, and before the routes.
 *
 * @throws FST_ERR_VERSIONING_OPTION at boot, naming the option and the value
 */
declare const openapi: FastifyPluginAsync<OpenapiOptions>
export default openapi

declare module 'fastify' {
  interface FastifyInstance {
    /** The documents of the app, by version. */
    openapi: OpenapiDocuments
  }
}
