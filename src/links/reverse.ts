import { findContext } from '../context.ts'
import { NoReverseMatchError, ReverseOptionError, invalidLinkOption } from '../errors.ts'
import { namespaceOf } from '../instances.ts'
import { show, suggestionFor } from '../messages.ts'
import { kPassage, unwatched } from '../passage.ts'
import { whereOf } from '../schemes/reading.ts'
import { Scheme } from '../schemes/scheme.ts'
import { firstTarget } from './find-target.ts'
import { NO_KWARGS, baseLink, fillingOf, linkBy } from './link.ts'
import { registryOf } from './registry.ts'
import { originIn } from './url.ts'
import { contradicts, defaultAt, isFreeText, serverOf, toLink } from './version.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { BaseVersioning } from '../schemes/base.ts'
import type {
  LinkOptions, NamedRoute, ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest
} from '../../types/index.d.ts'
import type { Link } from './version.ts'

type Params = ReverseArgs | ReverseKwargs | null

const LINK_OPTIONS = ['args', 'kwargs', 'request', 'server', 'version', 'query', 'hash', 'absolute', 'format']

/**
 * Returns `reply.reverse`, which makes a link in the version of the request.
 *
 * @param keepVary adds names of request headers to Vary
 */
export function replyReverseWith (keepVary: (reply: FastifyReply, names: string) => void) {
  return function replyReverse (
    this: FastifyReply, name: string | null = null, params?: Params, options?: LinkOptions
  ): string {
    const { request } = this
    const { [kPassage]: passage } = request
    const scheme = passage?.scheme ?? null
    const link = () => reverse(scheme, name, params, options, request, undefined, (names) => keepVary(this, names))
    if (!passage?.visit) return link()
    const { visit } = passage
    visit.noteLink(name)
    try {
      return unwatched(request, link)
    } catch (error) {
      // The text of the error may have the version.
      visit.noteRead()
      throw error
    }
  }
}

/** `app.reverse`: makes a link outside a request, without a version. */
export function appReverse (this: FastifyInstance, name: string, params?: Params, options?: LinkOptions): string {
  return reverse(findContext(this)?.scheme ?? null, name, params, options, undefined, this)
}

/** `app.namedRoutes`: returns every route of the app that has a name. */
export function namedRoutes (this: FastifyInstance): NamedRoute[] {
  return registryOf(this).list()
}

/**
 * Makes the link for `reverse` of a scheme (SPEC.md).
 *
 * @throws FST_ERR_NO_REVERSE_MATCH when no route has the name, or none of its URLs fits the parameters and the version
 */
export function schemeReverse (author: BaseVersioning, name: string | null, options: ReverseOptions): string {
  const scheme = Scheme.of(author)
  checkLinkOptions(scheme, options)
  const link = baseLink(scheme, name, options, true)
  if (link === null) throw noMatch(scheme, name, options)
  return link
}

/** @throws FST_ERR_REVERSE_OPTION for an option of a link that neither we know nor the scheme that makes it */
function checkLinkOptions (scheme: Scheme | null, options: object): void {
  for (const option in options) {
    if (LINK_OPTIONS.includes(option) || scheme?.linkOptions.includes(option)) continue
    const names = [...LINK_OPTIONS, ...scheme?.linkOptions ?? []]
    const near = suggestionFor(option, names) || ` The options are ${names.join(', ')}.`
    throw new ReverseOptionError(`Unknown link option ${show(option)}.${near}`)
  }
}

/** Makes a link by the scheme of the route that it leads to, or, if the scheme cannot, without a version, as in DRF. */
function reverse (
  active: Scheme | null, name: string | null, params: Params | undefined, callers: LinkOptions | null | undefined,
  request: ReversingRequest | undefined, server: object | undefined, keepVary?: (names: string) => void
): string {
  if (typeof (params ?? NO_KWARGS) !== 'object') {
    throw invalidLinkOption('params', 'an object such as { id: 7 }', params)
  }
  if (typeof (callers ?? NO_KWARGS) !== 'object') throw invalidLinkOption('options', 'an object', callers)
  const args = Array.isArray(params) ? params as ReverseArgs : undefined
  const kwargs = args === undefined ? params as ReverseKwargs | null | undefined : undefined
  // The spread comes last, because a property after a spread takes ten times as long.
  const options = callers ? { args, kwargs, request, server, ...callers } : { args, kwargs, request, server }
  const target = name === null ? undefined : targetInAnyScheme(active, name, options)
  const schemes = target?.schemes(active) ?? [active]
  for (const scheme of schemes) {
    if (callers) checkLinkOptions(scheme, callers)
    // The response does not vary yet by the headers that another scheme than the request's reads.
    if (scheme !== active && target?.route.varies && readsRequest(scheme)) keepVary?.(target.route.varies)
    const optionsThere = optionsFor(scheme, active, options)
    const link = linkBy(scheme, name, optionsThere)
    if (link !== null) return link
    if (scheme === null || name === null || !mayLackVersion(scheme, name, optionsThere)) continue
    const unversioned = baseLink(scheme, name, { ...optionsThere, version: null })
    if (unversioned !== null) return unversioned
  }
  throw noMatch(schemes[0], name, optionsFor(schemes[0], active, options))
}

/** Tells whether the links of a scheme may depend on more of a request than its version. */
function readsRequest (scheme: Scheme | null): boolean {
  return scheme !== null && (scheme.isList || scheme.inHost.length > 0 || scheme.clientDefault !== null)
}

/** Returns the target of a name: under namespaces in the version of the link, or else the target of the plain name. */
function targetInAnyScheme (active: Scheme | null, name: string, options: ReverseOptions) {
  const context = serverOf(options)
  const registry = registryOf(context)
  const { request, version: asked = request?.version } = options
  if (typeof asked !== 'string') return registry.named(name)
  const readsNamespaces = (active ?? findContext(context)?.scheme)?.readsNamespaces
  const byName = readsNamespaces ? undefined : registry.named(name)
  return byName ?? registry.inVersion(asked, name, namespaceOf(context).names) ?? registry.named(name)
}

/** Returns the options of a link: another scheme than the request's gets the request's version as it resolves it. */
function optionsFor (scheme: Scheme | null, active: Scheme | null, options: ReverseOptions): ReverseOptions {
  const asked = options.request?.version ?? null
  if (scheme === null || scheme === active || options.version !== undefined || asked === null) return options
  const version = scheme.versionFor(asked)
  return version === asked ? options : { ...options, version }
}

/** Tells whether a link without a version leads into the caller's version. It may lose the version of the request. */
function mayLackVersion (scheme: Scheme, name: string, options: ReverseOptions): boolean {
  const { request, version = null } = options
  if (version === null) return true
  const target = registryOf(serverOf(options)).named(name)
  const byDefault = target === undefined ? null : defaultAt(scheme, target.route.namespace.names, request)
  return version === byDefault && contradicts(scheme, version, request) === null
}

/** Returns the error that says why there is no link: a 400 if the path of the request itself cannot be a link. */
function noMatch (scheme: Scheme | null, name: string | null, options: ReverseOptions): Error {
  const link = toLink(scheme, name, options)
  const { registry, options: { request } } = link
  const members = scheme?.members ?? [null]
  const inVersion = firstTarget(link, members)
  const withoutVersion = name === null ? request && registry.reached(request) : registry.named(name)
  const target = inVersion ?? withoutVersion
  if (!target) return new NoReverseMatchError(registry.explainUnknown(name))
  const { inPath, values, written } = fillingOf(link, target, members.find((member) => member?.param) ?? scheme)
  const route = name === null ? `The current route, ${show(target.paths[0].path)},` : `Route ${show(target.name)}`
  if (inVersion === undefined || target.fill(values, null, scheme) !== null) {
    const meant = inPath ?? link.asked
    const message = `${route} cannot link to ${meant === null ? 'no version' : show(meant)}`
    return unwritten(link, message, (written ?? link.asked) as string)
  }
  const shown = show({ ...target.toKwargs(values) })
  const reasons = target.explain(values)
  const isOutside = request === undefined && members.some((member) => reasons.includes(`"${member?.param}" missing`))
  const hint = isOutside ? ' Give the option "version", or call reply.reverse() in a request.' : ''
  const error = new NoReverseMatchError(`${route} has no URL for ${shown}: ${reasons}.${hint}`)
  const sent = { args: null, kwargs: request?.params as ReverseKwargs ?? NO_KWARGS, versionParam: null, version: null }
  const isTaken = (version: string) => target.fill({ ...values, version }, null, scheme) !== null
  const isOfClient = name === null
    ? withoutVersion?.fill(sent, null, scheme) === null
    : isFreeText(link) && ['v1', '1'].some(isTaken)
  return isOfClient ? Object.assign(error, { statusCode: 400 }) : error
}

/** Returns the error of a link whose path has its parameters, but whose version cannot be written into the URL. */
function unwritten (link: Link, message: string, version: string): Error {
  const { scheme, options: { request } } = link
  const sent = contradicts(scheme, version, request)
  if (sent !== null) {
    const error = new NoReverseMatchError(`${message}: the client sends ${whereOf(sent)} of its request again.`)
    return Object.assign(error, { statusCode: 400 })
  }
  const host = scheme?.inHost.find((member) => member.allows(version))
  // `originIn` throws an error that says which host cannot have the version.
  if (host !== undefined) originIn(link, host, host, version)
  const reason = scheme?.readsNamespaces ? 'no route there is its counterpart' : 'its path has no place for a version'
  return new NoReverseMatchError(`${message}: ${reason}.`)
}
