import { show } from '../messages.ts'

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'

/** The functions of changes that ran for one request, for the log. */
export interface Trace {
  /** Functions in the order in which they ran first. */
  readonly ran: Set<string>
  milliseconds: number
}

/**
 * Returns the trace of a request; null unless debug is logged. One line is logged when the response has ended, unless
 * no change ran.
 *
 * @param route the route in messages
 */
export function traceOf (request: FastifyRequest, reply: FastifyReply, route: string): Trace | null {
  if (!logsDebug(request.log)) return null
  const trace = { ran: new Set<string>(), milliseconds: 0 }
  reply.raw.once('close', () => {
    const { log, version } = request
    const [changes, milliseconds] = [[...trace.ran], Number(trace.milliseconds.toFixed(3))]
    if (changes.length === 0) return
    log.debug({ route, version, changes, milliseconds }, `Changes served ${route} in ${show(version)}.`)
  })
  return trace
}

/** Tells whether a logger logs debug lines. Fastify's logger has a method for this. Others may only have a level. */
function logsDebug (logger: FastifyBaseLogger & { isLevelEnabled?: (level: string) => boolean }): boolean {
  return typeof logger.isLevelEnabled === 'function'
    ? logger.isLevelEnabled('debug')
    : logger.level === 'debug' || logger.level === 'trace'
}
