import { VersioningOptionError, show } from './errors.ts'

import type { FastifyReply } from 'fastify'
import type { VersioningScheme } from '../types/index.d.ts'

/** RFC 9110 section 5.1: a field name is a `token` (section 5.6.2). */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Checks what a scheme says of the request headers that its answer depends on.
 *
 * @throws FST_ERR_VERSIONING_OPTION unless it is the name of a header, several with commas between them, or null
 */
export function checkVary ({ vary }: VersioningScheme): void {
  if (vary === undefined || vary === null) return
  if (typeof vary === 'string' && namesIn(vary).every((name) => FIELD_NAME.test(name))) return
  throw new VersioningOptionError('vary', 'the name of a request header, or null', show(vary))
}

/**
 * Adds to the Vary header of a response (RFC 9110 section 12.5.5) what is not in it; `*` says it all already.
 *
 * @param vary names of request headers
 */
export function addVary (reply: FastifyReply, vary: string): void {
  const present = reply.getHeader('vary')
  if (present === vary) return
  if (present === undefined) {
    reply.header('vary', vary)
    return
  }
  const names = namesIn(String(present)).filter((name) => name !== '')
  if (names.includes('*')) return
  const known = names.map((name) => name.toLowerCase())
  const missing = namesIn(vary).filter((name) => !known.includes(name.toLowerCase()))
  if (missing.length > 0) reply.header('vary', [...names, ...missing].join(', '))
}

function namesIn (list: string): string[] {
  return list.split(',').map((name) => name.trim())
}
