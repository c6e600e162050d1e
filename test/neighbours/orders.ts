import versioning from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** Where the neighbour is registered. */
export const orders = ['registered before the plugin', 'registered after the plugin'] as const

/** An app with a neighbour and us, and no routes yet. */
export async function appInOrder (
  t: Test, order: typeof orders[number], options: VersioningOptions,
  register: (app: FastifyInstance) => PromiseLike<unknown>
): Promise<FastifyInstance> {
  const app = bareApp(t)
  if (order === 'registered before the plugin') await register(app)
  await app.register(versioning, options)
  if (order === 'registered after the plugin') await register(app)
  return app
}
