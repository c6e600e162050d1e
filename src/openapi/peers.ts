import { PeerError } from '../errors.ts'

import type { FastifyPluginCallback } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/** The plugin of @fastify/swagger. */
export interface Swagger extends FastifyPluginCallback<FastifyDynamicSwaggerOptions> {
  /** A path as Fastify has it, as OpenAPI has it: `/bookings/:id` is `/bookings/{id}`. */
  formatParamUrl (path: string): string
}

export type SwaggerUi = FastifyPluginCallback<FastifySwaggerUiOptions>

// A bundler lets an import whose failure is handled fail at run time, so that it bundles apps without the package.

/** @throws FST_ERR_VERSIONING_PEER */
export function loadSwagger (): Promise<Swagger> {
  const failed = toPeerError('@fastify/swagger', '')
  return import('@fastify/swagger').then(defaultOf, failed) as Promise<Swagger>
}

/** @throws FST_ERR_VERSIONING_PEER */
export function loadSwaggerUi (): Promise<SwaggerUi> {
  const failed = toPeerError('@fastify/swagger-ui', ' or set the option "ui" to false')
  return import('@fastify/swagger-ui').then(defaultOf, failed) as Promise<SwaggerUi>
}

function defaultOf (module: { readonly default: unknown }): unknown {
  return module.default
}

function toPeerError (name: string, orElse: string): (error: NodeJS.ErrnoException) => never {
  return function throwPeerError (error) {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
    throw isMissing ? new PeerError(name, `npm install ${name}`, orElse) : error
  }
}
