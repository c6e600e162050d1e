import { findContext } from '../context.ts'
import { NoReverseMatchError } from '../errors.ts'
import { show } from '../messages.ts'
import { NO_KWARGS, checkLinkOptions, toReverseOptions } from './link-options.ts'
import { baseLink, linkBy, targetOf, toLink, valuesFor } from './link.ts'
import { namespaceOf, registryOf } from './scope.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Scheme } from '../schemes/base.ts'
import type { Target } from './target.ts'
import type { LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

type Params = ReverseArgs | ReverseKwargs | null

/** `reply.reverse`: a link in the version of the request. */
export function replyReverse (
  this: FastifyReply, name: string | null = null, params?: Params, options?: LinkOptions
): string {
  const { request, request: { versioningScheme } } = this
  const active = versioningScheme as Scheme | null
  return reverse(active, name, toReverseOptions(active, params, options, request, undefined))
}

/** `app.reverse`: a link outside a request, without a version. */
export function appReverse (this: FastifyInstance, name: string, params?: Params, options?: LinkOptions): string {
  const active = findContext(this)?.scheme ?? null
  return reverse(active, name, toReverseOptions(active, params, options, undefined, this))
}

/** `app.namedRoutes`: every route of the app that has a name. */
export function namedRoutes (this: FastifyInstance): NamedRoute[] {
  return registryOf(this).list()
}

/**
 * `reverse` of a scheme (SPEC.md).
 *
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has the name, or none of its URLs fits the parameters and the version
 */
export function schemeReverse (scheme: Scheme, name: string | null, options: ReverseOptions): string {
  checkLinkOptions(scheme, options)
  const link = baseLink(scheme, name, options)
  if (link === null) throw noMatch(scheme, name, options)
  return link
}

/** The scheme of the route that a link leads to makes it. What it cannot make is made without a version, as in DRF. */
function reverse (active: Scheme | null, name: string | null, options: ReverseOptions): string {
  const { request, version } = options
  const asked = version === undefined ? request?.version ?? null : version
  const target = name === null ? undefined : findTarget(active, name, options, asked)
  const schemes = target?.schemes(active) ?? [active]
  for (const own of schemes) {
    const into = optionsBy(own, active, options)
    const link = linkBy(own, name, into)
    if (link !== null) return link
    if (own === null || target === undefined || !canBePlain(own, target, into)) continue
    const plain = baseLink(own, name, { ...into, version: null })
    if (plain !== null) return plain
  }
  throw noMatch(schemes[0], name, optionsBy(schemes[0], active, options))
}

/** The options of a link by another scheme than the request's: with the version of the request as it is there. */
function optionsBy (own: Scheme | null, active: Scheme | null, options: ReverseOptions): ReverseOptions {
  const asked = options.request?.version ?? null
  if (own === null || own === active || options.version !== undefined || asked === null) return options
  const meant = own.resolve(asked)
  return meant === asked && own.allows(meant) ? options : { ...options, version: own.allows(meant) ? meant : null }
}

/** The target of a name, perhaps in the asked version. */
function findTarget (
  active: Scheme | null, name: string, { request, server }: ReverseOptions, asked: string | null
): Target | undefined {
  const context = (request?.server ?? server) as object
  const registry = registryOf(context)
  if (typeof asked !== 'string') return registry.named(name)
  const readsNamespaces = (active ?? findContext(context)?.scheme)?.readsNamespaces
  const plain = readsNamespaces ? undefined : registry.named(name)
  return plain ?? registry.inVersion(asked, name, namespaceOf(context).names) ?? registry.named(name)
}

/** Whether the plain name of a route may do: never in another version than the caller gives. */
function canBePlain (scheme: Scheme, { route }: Target, { version = null, request }: ReverseOptions): boolean {
  return !scheme.isList &&
    [null, scheme.defaultOfLinks(request), scheme.versionIn(route.namespace.names)].includes(version)
}

/** The error that says why there is no link. If the path of the request itself cannot be a link, it is a 400. */
function noMatch (scheme: Scheme | null, name: string | null, options: ReverseOptions): Error {
  const link = toLink(scheme, name, options)
  const { asked, registry } = link
  const { request } = options
  const there = targetOf(link, scheme)
  const own = name === null ? request && registry.reached(request) : registry.named(name)
  const target = there ?? own
  if (!target) return new NoReverseMatchError(registry.explainUnknown(name))
  const values = valuesFor(link, target, target.versionParam(scheme), scheme?.inPath[0] ?? scheme)
  const route = name === null ? `The current route, ${show(target.paths[0].path)},` : `Route ${show(target.name)}`
  if (there === undefined || target.fill(values, null, scheme) !== null) {
    return new NoReverseMatchError(`${route} has no URL that specifies the version ${show(asked)}.`)
  }
  const given = show({ ...target.toKwargs(values) })
  const error = new NoReverseMatchError(`${route} has no URL for ${given}: ${target.explain(values)}.`)
  const sent = { args: null, kwargs: request?.params as ReverseKwargs ?? NO_KWARGS, versionParam: null, version: null }
  const isOfClient = name === null && own?.fill(sent, null, scheme) === null
  return isOfClient ? Object.assign(error, { statusCode: 400 }) : error
}
