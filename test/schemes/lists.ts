import { BaseVersioning } from '../../src/index.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

export const settings = { defaultVersion: 'v2', allowedVersions: ['v1', 'v2'] }

/** A scheme of the user's. */
export class Cookie extends BaseVersioning {
  override readonly vary: string | null = 'Cookie'
  override readVersion ({ headers }: RawRequest | FastifyRequest): string | null {
    return headers.cookie ?? null
  }
}

/** A handler that shows the version, and the link to its own route. */
export async function tell (request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return { version: request.version, self: reply.reverse() }
}
