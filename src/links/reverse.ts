import { schemeOf } from '../context.ts'
import { leadsToVersion, withVersion } from './address.ts'
import { canOnlyRefuse, comesFirst } from './between-schemes.ts'
import { currentLink } from './current.ts'
import { CheckedOptions, NO_ARGS, kList, kwargsOf, optionsWith, serverOf } from './link-options.ts'
import { noName, noNamedPath, noRegistry, noSharedVersion, noVersion } from './no-match.ts'
import { findRegistry, namespaceOf } from './scope.ts'
import { withOlderQuery } from './older-query.ts'
import { versionOf, writtenVersion } from './version.ts'

import type { FastifyRequest } from 'fastify'
import type { LinkTarget } from './target.ts'
import type { Registry } from './registry.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseOptions } from '../../types/index.d.ts'

/** The codes of errors of one scheme that leave the link to other schemes. */
const OF_LINKS: readonly unknown[] = ['FST_ERR_NO_REVERSE_MATCH', 'FST_ERR_REVERSE_HOST', 'FST_ERR_REVERSE_OPTION']

/**
 * Makes a link as `reply.reverse` and `app.reverse` do: by the active scheme; or by the scheme of the route that has
 * the plain name; or else without a version.
 *
 * @param active null for a link without a version
 * @param viewName the route's name with its namespaces, or null for the route of `options.request` and its parameters
 * @returns the link, or the error that says why there is none
 * @throws as `linkBy`, and what a scheme's own `reverse` throws
 */
export function makeLink (active: Scheme | null, viewName: string | null, options: CheckedOptions): string | Error {
  const link = tryLink(active, viewName, options)
  if (!(link instanceof Error) || viewName === null || !isNoReverseMatch(link)) return link

  const target = findRegistry(serverOf(active, options) as object)?.named(viewName)
  const other = target === undefined ? null : schemeOf(target.route)
  if (target !== undefined && other !== null && other !== active) {
    if (canOnlyRefuse(active, target, options)) return link
    const there = linkOfOther(other, viewName, options)
    if (there !== null) return there
  }

  // A list has tried the plain name: its link would be in another version.
  if (target !== undefined && active !== null && active.isList && other === active) {
    return isNameUnknown(link) ? noNamedPath(target, viewName, options) : link
  }
  const bare = linkOf(null, viewName, options)
  if (typeof bare !== 'string') return isNameUnknown(link) ? bare : link
  // Without a place for the version the link would be in the default version.
  const { request, version = null } = options
  const isInPath = active !== null && active.linkPlace === 'path' && other === active
  return isInPath && version !== null && version !== active.defaultOfLinks(request) ? link : bare
}

/**
 * Makes a link by what a scheme says. `reverse` of BaseVersioning calls it.
 *
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has the name, or none of its URLs fits the parameters and the version
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid
 * @throws FST_ERR_REVERSE_HOST (400) when the link needs a host that the request does not have
 */
export function linkBy (scheme: Scheme, viewName: string | null, options: ReverseOptions): string {
  const link = linkOf(scheme, viewName, options, (options as { [kList]?: Scheme })[kList])
  if (typeof link === 'string') return link
  throw link
}

/**
 * The link of a scheme, or the error that says why it cannot make the link. Another scheme may be able to.
 *
 * @param list the list that the scheme is a member of. Default: it is in none
 * @throws what a scheme's own `reverse` throws besides
 */
export function tryLink (
  scheme: Scheme | null, viewName: string | null, options: ReverseOptions, list: Scheme | null = scheme
): string | Error {
  try {
    if (scheme === null || !scheme.hasOwnReverse) return linkOf(scheme, viewName, options, list)
    return scheme.source.reverse(viewName, list === scheme ? options : optionsWith(options, { [kList]: list }))
  } catch (error) {
    if (error instanceof Error && OF_LINKS.includes((error as { code?: unknown }).code)) return error
    throw error
  }
}

/** @param list as in `tryLink`; without a scheme the link is in the default version of the list */
function linkOf (
  scheme: Scheme | null, viewName: string | null, options: ReverseOptions, list: Scheme | null = scheme
): string | Error {
  const server = serverOf(scheme, options)
  const registry = server === undefined ? undefined : findRegistry(server)
  if (server === undefined || registry === undefined) return noRegistry(viewName, options)
  if (scheme !== null && scheme.isList) return linkOfList(scheme, viewName, options)
  return viewName === null
    ? currentLink(registry, server, scheme, list, options)
    : namedLink(registry, server, scheme, list, viewName, options)
}

/**
 * Lets the members of a list try one after the other. A link without a version comes last, and only if the default
 * version is meant.
 */
function linkOfList (list: Scheme, viewName: string | null, options: ReverseOptions): string | Error {
  let failure: Error | undefined
  for (const member of inOrder(list, options)) {
    const link = tryLink(member, viewName, options, list)
    if (!(link instanceof Error)) return link
    if (failure === undefined || (isNameUnknown(failure) && !isNameUnknown(link))) failure = link
  }
  const { request, version = request?.version } = options
  const bare = version === list.defaultOfLinks(request) ? linkOf(null, viewName, options, list) : failure
  return typeof bare === 'string' ? bare : failure as Error
}

/**
 * The members of a list in the order in which they try to make a link. It has the version in the same place as the
 * request. If the route has no such place, or the request has no version, the first member makes the link that can put
 * the version into it. A version that the caller gives, or null, wins over the place in the request.
 */
function inOrder (list: Scheme, { request, version }: ReverseOptions): readonly Scheme[] {
  const carried = version === undefined ? request?.version ?? null : version
  const isRouted = request !== null && request !== undefined && 'raw' in request
  const naming = isRouted ? list.naming(request as FastifyRequest) : []
  // Only a link into a version that the caller gives has a host.
  const able = list.members.filter((member) => member.isInLinks && (carried === null || (
    member.allows(carried) && (member.linkPlace !== 'host' || version !== undefined)
  )))
  const order = naming.filter((member) => able.includes(member))
  for (const member of version === undefined ? [...naming, ...able] : [...able, ...naming]) {
    if (!order.includes(member)) order.push(member)
  }
  return order.length === 0 ? list.members.slice(0, 1) : order
}

/**
 * The link to the route that has a name, or the error that says why there is none.
 *
 * @param scheme the scheme that puts the version into the link, or null if no place of the link has a version
 * @param list the list that the scheme is a member of, or else the scheme itself
 */
function namedLink (
  registry: Registry, server: object, scheme: Scheme | null, list: Scheme | null, viewName: string,
  given: ReverseOptions
): string | Error {
  // The target of the name. In a version that is a namespace it is inside that namespace.
  const asked = versionOf(scheme, list, given)
  const isInside = asked !== null && scheme !== null && scheme.linkPlace === 'namespace'
  const target = isInside ? targetIn(registry, server, scheme, asked, viewName, given) : registry.named(viewName)
  if (target === undefined) return noName(registry, isInside ? `${asked}:${viewName}` : viewName, given)

  // The scheme, and the version.
  const own = schemeOf(target.route)
  if (own !== list) {
    if (canOnlyRefuse(list, target, given)) return noSharedVersion(list as Scheme, target, viewName, given)
    const there = own !== null && comesFirst(own, list, given) ? linkOfOther(own, viewName, given) : null
    if (there !== null) return there
  }
  const kwargs = kwargsOf(given)
  const written = isInside ? asked : writtenVersion(list, target, kwargs)
  const version = written ?? asked
  let implied = asked === null || scheme === null ? null : scheme.impliedParam

  const options = withOlderQuery(target, given, kwargs, version)
  const args = options.args ?? NO_ARGS

  // The path. Inside a namespace it may have a parameter for the version as well.
  let path = target.fill(args, kwargs, implied, version)
  if (path === null && isInside) {
    implied = (list as Scheme).impliedParam
    if (implied !== null) path = target.fill(args, kwargs, implied, version)
  }
  if (path === null) {
    return noNamedPath(target, isInside ? `${asked}:${viewName}` : viewName, options, implied, version)
  }

  // The address and the query. The places of a list are not read on other routes.
  if (own !== list) return withVersion(server, scheme, scheme, path, options, asked, false, false)
  const isInPath = written !== null || implied !== null
  const url = withVersion(server, scheme, list, path, options, version, isInPath)
  return isInPath || leadsToVersion(scheme, list, url, options, version) ? url : noVersion(viewName, options, version)
}

/** The target of a name in a version that is a namespace: with the version in front of it, or without it. */
function targetIn (
  registry: Registry, server: object, scheme: Scheme, version: string, name: string, options: ReverseOptions
): LinkTarget | undefined {
  const target = registry.inNamespace(version, name)
  // SPEC.md has no short names: they are for `reply.reverse` and `app.reverse`, after every other name.
  const isSpecified = !(options instanceof CheckedOptions) || registry.named(name) !== undefined
  if (target !== undefined || isSpecified) return target
  const short = registry.inVersion(version, name, namespaceOf(server).names)
  // The first allowed namespace is the version.
  return short !== undefined && scheme.versionIn(short.route.namespace.names) === version ? short : undefined
}

/**
 * The link of another scheme in the version that the caller gives, or else in the version of the request if that scheme
 * allows it. Null if there is no link.
 */
function linkOfOther (scheme: Scheme, viewName: string, given: ReverseOptions): string | null {
  // It is in no list of the active scheme.
  let options = kList in given ? optionsWith(given, { [kList]: undefined }) : given
  if (given.version === undefined) {
    const version = given.request?.version ?? null
    const meant = version === null ? null : scheme.resolve(version)
    if (!scheme.allows(meant)) options = optionsWith(options, { version: null })
    else if (meant !== version) options = optionsWith(options, { version: meant })
  }
  const link = tryLink(scheme, viewName, options)
  if (!(link instanceof Error)) return link
  if (isNoReverseMatch(link)) return null
  throw link
}

/** A custom scheme may have its own error for it. */
function isNoReverseMatch (error: Error): boolean {
  return (error as { code?: unknown }).code === 'FST_ERR_NO_REVERSE_MATCH'
}

function isNameUnknown (error: Error): boolean {
  return (error as { isNameUnknown?: unknown }).isNameUnknown === true
}
