import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'

import type { FastifyInstance } from 'fastify'

/** The app of the recipe. */
export async function make (): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi, { ui: false })
  app.get('/health', { versioning: false }, async () => 'up')
  return app
}
