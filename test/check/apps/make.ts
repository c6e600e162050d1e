import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../../src/index.ts'
import openapi from '../../../src/openapi.ts'

import type { FastifyInstance } from 'fastify'

/** Makes an app, or gives one its routes, for a module that exports it in one of the ways that are taken. */
export async function addRoutes (app: FastifyInstance, versions = ['v1', 'v2']): Promise<FastifyInstance> {
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: versions })
  await app.register(openapi, { ui: false, versions: versions.filter((version) => version !== 'unlisted') })
  for (const version of versions) app.get('/bookings', { version }, async () => version)
  app.get('/health', { versioning: false }, async () => 'up')
  return app
}

export async function make (versions?: string[]): Promise<FastifyInstance> {
  return await addRoutes(Fastify(), versions)
}
