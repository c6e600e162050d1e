import versioning from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

/** Where the neighbour is registered. */
export const orders = ['before us', 'after us'] as const
export type Order = typeof orders[number]

/** An app with a neighbour and us, and no routes yet. */
export async function appInOrder (
  t: Test, order: Order, options: VersioningOptions, register: (app: FastifyInstance) => PromiseLike<unknown>
): Promise<FastifyInstance> {
  const app = bareApp(t)
  if (order === 'before us') await register(app)
  await app.register(versioning, options)
  if (order === 'after us') await register(app)
  return app
}
