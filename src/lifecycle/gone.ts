import { VersionError } from '../errors.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * onError: a cache must not keep a 410 of a version, because a retirement can be taken back. It does not matter who
 * throws it. An error handler that answers it finds the header on the reply.
 */
export function forbidStoring (_request: FastifyRequest, reply: FastifyReply, error: unknown, done: () => void): void {
  if (error instanceof VersionError && error.kind === 'gone') reply.header('cache-control', 'no-store')
  done()
}
