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
  const allowing = members.filter((member) => asked === null || member.allows(asked))
  const readers = allowing.filter((member) => readBy(member, request) !== null)
  const [able, unable] = [true, false].map((isAble) => readers.filter(({ isInLinks }) => isInLinks === isAble))
  if (isReaderAlone && readers.length > 0) return [...able, ...unable].slice(0, 1)
  return [...able, ...unable, ...allowing.filter((member) => member.isInLinks && !readers.includes(member))]
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
 */
export function contradicts (
  scheme: Scheme | null, version: string, request: Link['options']['request']
): Scheme | null {
  if (!scheme?.isInLinks) return null
  return scheme.members.find((member) => {
    const isKept = !member.isInLinks || (member.linkPlace === 'host' && !member.allows(version))
    return isKept && scheme.allows(version) && ![version, null, undefined].includes(readBy(member, request))
  }) ?? null
}
