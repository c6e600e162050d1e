import { PeerError } from '../errors.ts'

import type { FastifyPluginCallback } from 'fastify'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/** Of @fastify/swagger. */
export interface Swagger extends FastifyPluginCallback<FastifyDynamicSwaggerOptions> {
  /** A path as Fastify has it, as OpenAPI has it: `/bookings/:id` is `/bookings/{id}`. */
  formatParamUrl (path: string): string
}

/** @throws FST_ERR_VERSIONING_PEER */
export function loadSwagger (): Promise<Swagger> {
  return load('@fastify/swagger', () => import('@fastify/swagger')) as Promise<Swagger>
}

/** @throws FST_ERR_VERSIONING_PEER */
export function loadSwaggerUi (): Promise<FastifyPluginCallback<FastifySwaggerUiOptions>> {
  const ui = load('@fastify/swagger-ui', () => import('@fastify/swagger-ui'), ' or set the option "ui" to false')
  return ui as Promise<FastifyPluginCallback<FastifySwaggerUiOptions>>
}

async function load (name: string, loadPackage: () => Promise<{ default: unknown }>, also = ''): Promise<unknown> {
  try {
    return (await loadPackage()).default
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PeerError(name, `npm install ${name}`, also)
  }
}
