import { inherited } from '../context.ts'
import { completeVary } from '../requests/vary.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'

/** The outermost context of a registration: hooks that are added there apply to all contexts in it. */
export const installed = inherited<FastifyInstance>('installed')
const varied = inherited<true>('varied')

/** Adds the hooks of a context that not every app needs, unless a context around it has them. */
export function addHooks (server: FastifyInstance, { scheme }: VersioningContext): void {
  if (scheme !== null && scheme.varies !== null) hookVary(server)
}

/** Call it for a scheme that reads a request header. */
export function hookVary (server: FastifyInstance): void {
  const outermost = installed.of(server) as FastifyInstance
  if (varied.of(outermost)) return
  varied.set(outermost, true)
  outermost.addHook('onSend', completeVary)
}
