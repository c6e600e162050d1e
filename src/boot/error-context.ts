import { rootOf } from '../context.ts'
import { addSentence, isOfBoot } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'

/**
 * Adds the route to the message of an error at boot. The message of a conflict has its routes already.
 *
 * @returns the same error; an error that is not ours stays as it is
 */
export function atRoute (error: unknown, route: Pick<Route, 'methods' | 'url'>): unknown {
  const label = labelOf(route)
  if (isOfBoot(error) && !error.message.includes(label)) addSentence(error, ` The route is ${label}.`)
  return error
}

/**
 * Adds the context to the message of an error at boot.
 *
 * @returns the same error; an error that is not ours stays as it is
 */
export function inContext (error: unknown, server: FastifyInstance): unknown {
  if (isOfBoot(error)) addSentence(error, ` The context ${describe(server)}.`)
  return error
}

function describe (server: FastifyInstance): string {
  if (rootOf(server) === server) return 'is the root'
  if (server.prefix !== '') return `has the prefix ${show(server.prefix)}`
  // The name of the context's function, which precedes the names of plugins in the context; or else its code.
  const [name] = server.pluginName.split(' -> ')
  return /^[\w$]+$/.test(name) ? `is ${name}` : 'has no prefix'
}
