import type { FastifyRequest } from 'fastify'
import type { Scheme } from '../schemes/scheme.ts'
import type { Link } from './scope.ts'

/** For schemes that no link can carry. */
const NOBODY = [null] as const

/**
 * Who may write the version of a link into its URL, in the order in which they are asked: the member that has read the
 * version of the request, and then the others that can write one. A scheme that is no list has itself alone.
 *
 * @param isReaderAlone whether nobody else is asked if a member has read one
 */
export function writersOf (
  { scheme, asked, options: { request } }: Link, isReaderAlone: boolean
): readonly (Scheme | null)[] {
  if (!scheme?.isInLinks) return NOBODY
  const { members } = scheme
  if (members.length === 1) return members
  const readers = members.filter((member) => readBy(member, request) !== null)
  const able = readers.filter(({ isInLinks }) => isInLinks)
  const others = members.filter((member) => member.isInLinks && !readers.includes(member))
  const writers = isReaderAlone && readers.length > 0
    ? [able[0] ?? readers[0]]
    : [...able, ...readers.filter(({ isInLinks }) => !isInLinks), ...others]
  return writers.filter((member) => asked === null || member.allows(asked))
}

/** The version that a member has read in a request: null for none or several, undefined if it is refused. */
export function readBy (member: Scheme, request: Link['options']['request']): string | null | undefined {
  try {
    return request && 'raw' in request ? member.find(request as FastifyRequest) : null
  } catch {
    return null
  }
}

/**
 * The member of a list that would contradict a link into a version, or null if none does: the client that follows the
 * link sends its headers again, and comes to the same host.
 *
 * @param param the parameter of the path that has the version, or null
 */
export function contradicts (
  scheme: Scheme | null, version: string, request: Link['options']['request'], param: string | null = null
): Scheme | null {
  if (!scheme?.isInLinks || scheme.members.length === 1 || !scheme.allows(version)) return null
  return scheme.members.find((member) => {
    if (param !== null && member.param === param) return !member.allows(version)
    const isKept = !member.isInLinks || (member.linkPlace === 'host' && !member.allows(version))
    return isKept && ![version, null, undefined].includes(readBy(member, request))
  }) ?? null
}
