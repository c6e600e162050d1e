import { VersioningOptionError, show } from '../errors.ts'

import type { FastifyReply } from 'fastify'
import type { VersioningScheme } from '../../types/index.d.ts'

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
  const present = varyOf(reply)
  if (present === vary) return
  reply.header('vary', present === undefined ? vary : mergeVary(present, vary))
}

/** Two values of a Vary header in one, each name once. */
export function mergeVary (present: string, vary: string): string {
  const names = namesIn(present).filter((name) => name !== '')
  if (names.includes('*')) return present
  const known = names.map((name) => name.toLowerCase())
  const missing = namesIn(vary).filter((name) => !known.includes(name.toLowerCase()))
  return missing.length === 0 ? present : [...names, ...missing].join(', ')
}

/** What is in the header so far. Fastify sees none that is set on Node's response once it has one of its own. */
function varyOf (reply: FastifyReply): string | undefined {
  const given = reply.getHeader('vary')
  // Nor is it on Node's response then, where Fastify looks as well.
  if (given === undefined) return undefined
  const raw = reply.raw.getHeader('vary')
  const own = given ?? raw
  return raw === undefined || raw === own ? own?.toString() : mergeVary(String(raw), String(own))
}

function namesIn (list: string): string[] {
  return list.split(',').map((name) => name.trim())
}
