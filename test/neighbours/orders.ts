import Fastify from 'fastify'

import versioning from '../../src/index.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

/** Where the neighbour is registered. */
export const orders = ['before us', 'after us'] as const
export type Order = typeof orders[number]

/** An app with a neighbour and us, and no routes yet. */
export async function appWith (
  order: Order, options: VersioningOptions, register: (app: FastifyInstance) => PromiseLike<unknown>
): Promise<FastifyInstance> {
  const app = Fastify()
  if (order === 'before us') await register(app)
  await app.register(versioning, options)
  if (order === 'after us') await register(app)
  return app
}
