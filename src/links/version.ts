import { findContext } from '../context.ts'
import { ReverseOptionError, invalidLinkOption } from '../errors.ts'
import { schemeIn } from '../passage.ts'
import { homes } from '../schemes/base.ts'
import { invalidReturn } from '../schemes/reading.ts'
import { registryOf } from './registry.ts'

import type { FastifyRequest } from 'fastify'
import type { Scheme } from '../schemes/scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'
import type { Registry } from './registry.ts'

/** A link before it is made. */
export interface Link {
  /** The scheme or the list that makes it, or null for a link without a version. */
  readonly scheme: Scheme | null
  readonly server: object
  readonly registry: Registry
  /** The route's name with its namespaces, or null for the route of the request. */
  readonly name: string | null
  readonly options: ReverseOptions
  /** The version that is asked for: the caller's, or else the request's. */
  readonly asked: string | null
  /** Whether a name is looked up as SPEC.md says, and not in the namespaces around it as well. */
  readonly isSpec: boolean
}

/**
 * Returns the context of a link: that of its request, or the context that the caller gives.
 *
 * @throws FST_ERR_REVERSE_OPTION for another request than Fastify's
 */
export function serverOf ({ request, server }: ReverseOptions): object {
  if (!request) return server as object
  if ('server' in Object(request) && 'version' in Object(request)) return request.server
  // The message does not show the request, because its headers may be secret.
  throw new ReverseOptionError(
    'Give the link option "request" the request of Fastify, as a handler has it. Otherwise the link loses its version.'
  )
}

/**
 * Returns the record of a link, with the version that the scheme gives it.
 *
 * @throws FST_ERR_REVERSE_OPTION for `args` that are no list
 * @throws FST_ERR_VERSION_INVALID (500) where `linkVersion` of a subclass returns no version, such as a promise
 */
export function toLink (scheme: Scheme | null, name: string | null, options: ReverseOptions, isSpec = false): Link {
  if (!Array.isArray(options.args ?? [])) throw invalidLinkOption('args', 'a list', options.args)
  const server = serverOf(options) ?? (scheme && homes.get(scheme.author))
  const asked: unknown = scheme === null ? null : scheme.author.linkVersion(options)
  if (asked !== null && typeof asked !== 'string') throw invalidReturn(scheme as Scheme, asked, 'linkVersion')
  return { scheme, server, registry: registryOf(server), name, options, asked, isSpec }
}

/** Tells whether a link carries a text of the client, because every version is allowed. */
export function isFreeText ({ scheme, asked, options: { version } }: Link): boolean {
  return version === undefined && asked !== null && scheme?.listedVersions.length === 0
}

/** Returns the version to which a link without a version leads the client of a request, or null. */
export function defaultIn (scheme: Scheme, request: ReverseOptions['request']): string | null {
  if (scheme.clientDefault === null) return scheme.defaultVersion
  const { raw, version = null } = (request ?? {}) as Partial<FastifyRequest>
  const active = raw === undefined ? null : schemeIn(request as FastifyRequest)
  const isKnown = active?.clientDefault === scheme.clientDefault
  return isKnown && [active, scheme].every((each) => readBy(each as Scheme, request) === null) ? version : null
}

/** Returns the same for a route in namespaces. If namespaces are versions, it is the version among them, or null. */
export function defaultAt (
  scheme: Scheme, namespaces: readonly string[], request: ReverseOptions['request']
): string | null {
  const isNamespace = scheme.readsNamespaces && namespaces.length > 0
  return isNamespace ? scheme.versionIn(namespaces) : defaultIn(scheme, request)
}

/** The writers of a scheme whose version no link can carry. */
const NOBODY = [null] as const

/**
 * Returns the members that may write the version of a link into its URL, in the order in which they are asked. First
 * come the members that have read the version of the request: those that can write it into a URL before those that
 * cannot. Then come the other members that can. A scheme that is no list is its only writer.
 *
 * @param isReaderAlone whether a member that has read the version is the only writer
 */
export function writersOf (
  { scheme, asked, options: { request } }: Link, isReaderAlone = false
): readonly (Scheme | null)[] {
  if (!scheme?.isInLinks) return NOBODY
  const { isList, members } = scheme
  if (!isList) return members
  const readers = members.filter((member) => readBy(member, request) !== null)
    .sort((a, b) => Number(b.isInLinks) - Number(a.isInLinks))
  const others = members.filter((member) => member.isInLinks && !readers.includes(member))
  const writers = isReaderAlone && readers.length > 0 ? readers.slice(0, 1) : [...readers, ...others]
  return writers.filter((member) => asked === null || member.allows(asked))
}

/** Tells whether a link by a writer leads into the asked version although the path does not have the version. */
export function carries ({ asked, options, scheme, server }: Link, writer: Scheme): boolean {
  const { request, version } = options
  switch (writer.linkPlace) {
    case 'query': return true
    // Only a version that the caller gives changes the host.
    case 'host': {
      if (version === undefined) return writer === scheme || writer.versionInHost(request?.host) !== undefined
      const { host } = findContext(server)?.baseUrl ?? request ?? {}
      return writer.versionInHost(host) !== undefined || asked === defaultIn(writer, request)
    }
    // The client sends its header again. In a list, this helps only if the version was read in the header.
    case 'nowhere': return writer === scheme || !writer.isInLinks
    default: return false
  }
}

/** Returns the version that a member reads in a request: null for none or several, undefined if it is refused. */
function readBy (member: Scheme, request: ReverseOptions['request']): string | null | undefined {
  try {
    return request && 'raw' in request ? member.find(request as FastifyRequest) : null
  } catch {
    return null
  }
}

/**
 * Returns the member of a list that would contradict a link into a version, or null if none does: the client that
 * follows the link sends its headers again, and comes to the same host.
 *
 * @param param the parameter of the path that has the version, or null
 */
export function contradicts (
  scheme: Scheme | null, version: string, request: ReverseOptions['request'], param: string | null = null
): Scheme | null {
  if (!scheme?.isInLinks || !scheme.isList || !scheme.allows(version)) return null
  return scheme.members.find((member) => {
    if (param !== null && member.param === param) return !member.allows(version)
    const isKept = !member.isInLinks || (member.linkPlace === 'host' && !member.allows(version))
    return isKept && ![version, null, undefined].includes(readBy(member, request))
  }) ?? null
}
