import { PeerError } from '../errors.ts'

import type { FastifyPluginCallback } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/** Of @fastify/swagger. */
export interface Swagger extends FastifyPluginCallback<FastifyDynamicSwaggerOptions> {
  /** A path as Fastify has it, as OpenAPI has it: `/bookings/:id` is `/bookings/{id}`. */
  formatParamUrl (path: string): string
}

// A bundler lets an import that is caught fail at run time, so that it bundles apps without the package.

/** @throws FST_ERR_VERSIONING_PEER */
export async function loadSwagger (): Promise<Swagger> {
  const { default: swagger } = await import('@fastify/swagger').catch(toPeerError('@fastify/swagger', ''))
  return swagger as unknown as Swagger
}

/** @throws FST_ERR_VERSIONING_PEER */
export async function loadSwaggerUi (): Promise<FastifyPluginCallback<FastifySwaggerUiOptions>> {
  const orElse = ' or set the option "ui" to false'
  const { default: ui } = await import('@fastify/swagger-ui').catch(toPeerError('@fastify/swagger-ui', orElse))
  return ui as unknown as FastifyPluginCallback<FastifySwaggerUiOptions>
}

function toPeerError (name: string, orElse: string): (error: NodeJS.ErrnoException) => never {
  return function throwPeerError (error) {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
    throw isMissing ? new PeerError(name, `npm install ${name}`, orElse) : error
  }
}
