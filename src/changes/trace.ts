import { show } from '../messages.ts'

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'

/** What changes do for one request, for the log. */
export class Trace {
  /** Functions in the order in which they ran first. */
  readonly ran = new Set<string>()
  milliseconds = 0

  /**
   * Logs one line, unless no change ran.
   *
   * @param route as messages call it
   */
  log ({ log, version }: FastifyRequest, route: string): void {
    if (this.ran.size === 0) return
    const milliseconds = Number(this.milliseconds.toFixed(3))
    log.debug({ route, version, changes: [...this.ran], milliseconds }, `Changes served ${route} in ${show(version)}.`)
  }
}

/** Returns the trace of a request, whose line is logged when the response has ended; null unless debug is logged. */
export function traceOf (request: FastifyRequest, reply: FastifyReply, route: string): Trace | null {
  if (!logsDebug(request.log)) return null
  const trace = new Trace()
  reply.raw.once('close', () => trace.log(request, route))
  return trace
}

/** Whether a logger logs at debug. Fastify's has a method that says so; those of apps need only have a level. */
function logsDebug (logger: FastifyBaseLogger & { isLevelEnabled?: (level: string) => boolean }): boolean {
  return typeof logger.isLevelEnabled === 'function'
    ? logger.isLevelEnabled('debug')
    : logger.level === 'debug' || logger.level === 'trace'
}
