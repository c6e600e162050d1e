import { inherited } from '../context.ts'
import { sendProblem, withdrawProblem } from '../requests/problem.ts'
import { completeVary } from '../requests/vary.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'

/** The outermost context of a registration: hooks that are added there apply to all contexts in it. */
export const installed = inherited<FastifyInstance>('installed')
const varied = inherited<true>('varied')
const problems = inherited<true>('problems')

/** Adds the hooks of a context that not every app needs, unless a context around it has them. */
export function addHooks (server: FastifyInstance, { scheme, problemDetails }: VersioningContext): void {
  if (scheme !== null && scheme.varies !== null) hookVary(server)
  if (problemDetails === null || problems.of(server)) return
  problems.set(server, true)
  server.addHook('onSend', sendProblem)
  server.addHook('onError', withdrawProblem)
}

/** Call it for a scheme that reads a request header. */
export function hookVary (server: FastifyInstance): void {
  const outermost = installed.of(server) as FastifyInstance
  if (varied.of(outermost)) return
  varied.set(outermost, true)
  outermost.addHook('onSend', completeVary)
}
