import { VersionError } from '../errors.ts'
import { pluginBefore, show, warn, warnOnce } from '../messages.ts'
import { kPassage } from '../passage.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext, Warned } from '../context.ts'
import type { Arrival } from '../passage.ts'
import type { Scheme } from '../schemes/scheme.ts'

const MAX_UNSEEN = 10

/** Warns once of versions that are out of order, where a handler asks for a range of them. */
export function warnOrder ({ listedVersions }: Scheme, { others }: Warned): void {
  const message = 'List allowedVersions from the oldest to the newest: isVersion() reads a range in this order, ' +
    `${show(listedVersions)}.`
  warnOnce(others, 'FST_WARN_VERSION_SETTINGS', message)
}

/** Warns of a request to a route that was declared before the plugin was loaded: once for each, and of ten at most. */
export function warnUnseen ({ warned: { routes } }: VersioningContext, request: FastifyRequest): void {
  const { method, routeOptions: { url } } = request
  const label = `${method} ${url}`
  if (method === 'OPTIONS' || routes.size === MAX_UNSEEN || routes.has(label)) return
  routes.add(label)
  warn('FST_WARN_VERSION_UNSEEN', `${label} was declared before fastify-versioning was loaded: it has no version, ` +
    `and its options "name", "version" and "versioning" are not read. Write ${pluginBefore('it')}`)
}

/**
 * Warns of an error handler that answers a refusal with a success or a 5xx: once for each handler, when the response
 * has been sent.
 *
 * @param refusal what the handler gets
 */
export function watchRefusal (
  request: FastifyRequest, reply: FastifyReply, { warned: { others } }: VersioningContext, refusal: unknown
): void {
  const { method, routeOptions: { url }, server: { errorHandler } } = request
  if (others.has(errorHandler)) return
  reply.raw.once('finish', () => {
    const { statusCode } = reply.raw
    // The app means a redirect, and any other 4xx is a refusal, too.
    if ((statusCode >= 300 && statusCode < 500) || others.has(errorHandler)) return
    others.add(errorHandler)
    const seeming = statusCode < 300 ? 'it had been answered' : 'the server had failed'
    const lines = refusal instanceof VersionError
      ? ["import { VersionError } from 'fastify-versioning'", 'if (error instanceof VersionError) throw error']
      : ['if (error.statusCode < 500) throw error']
    warn('FST_WARN_VERSION_REFUSAL', `${method} ${url} refused a request because of its version, and an error ` +
      `handler made a ${statusCode} of it, as if ${seeming}. Begin the handler with:\n${lines.join('\n')}`)
  })
}

/**
 * Warns of a host that begins with an allowed version, but does not match: SPEC.md's pattern wants three labels. Warns
 * of a gateway that replaces Host, by which the router chooses a handler before Fastify reads the forwarded host.
 */
export function warnHost (arrival: Arrival): void {
  const { context, request: { host, method }, route: { url }, scheme } = arrival
  const { warned: { others } } = context
  const hosts = others.has('hosts') ? null : hostsOf(arrival)
  if (hosts !== null) {
    others.add('hosts')
    warn('FST_WARN_VERSION_HOST', `Let the gateway pass on Host: it has replaced ${show(hosts.forwarded)} by ` +
      `${show(hosts.received)}, by which the router chooses the handler of ${method} ${url}.`)
  }
  if (others.has(context)) return
  const version = scheme.listedVersions.find((candidate) => host.startsWith(`${candidate}.`))
  if (version === undefined || versionInHost(arrival, host) !== undefined) return
  others.add(context)
  warn('FST_WARN_VERSION_HOST', `A request came to a host that begins with ${version}, but that hostnameRegex does ` +
    'not match: the version is not read there. Extend HostNameVersioning with a hostnameRegex for your hosts.')
}

/** Returns the router's and Fastify's host of a request if their versions differ and choose the handler; or null. */
export function hostsOf (arrival: Arrival): { received: string, forwarded: string } | null {
  const { context, request: { headers, host: forwarded }, slot } = arrival
  if (slot === null || !context.trustsProxy) return null
  const received = headers.host ?? String(headers[':authority'])
  return versionInHost(arrival, received) === versionInHost(arrival, forwarded) ? null : { received, forwarded }
}

/** Warns once of a request that the router has read in another way than the scheme reads it now. */
export function warnRouted (
  { context: { warned: { others } }, request: { method }, route: { url }, scheme: { label } }: Arrival, version: string
): void {
  if (others.has('routed')) return
  others.add('routed')
  warn('FST_WARN_VERSION_SETTINGS', 'Change in "rewriteUrl" what a request sends, and let "readVersion" return what ' +
    `"determineVersion" does: ${label} has read ${show(version)} from a request to ${method} ${url}, for which the ` +
    'router has chosen the handler of another version, so that the request was refused.')
}

function versionInHost ({ scheme: { inHost } }: Arrival, host: string): string | undefined {
  return inHost.map((scheme) => scheme.versionInHost(host)).find((version) => version !== undefined)
}

/** Warns of a scheme of the app that lets a version pass which is not allowed: once for each scheme. */
export function warnUnpermitted (
  { warned: { others } }: VersioningContext, scheme: Scheme, version: string | null
): void {
  const { author, label, listedVersions } = scheme
  if (version === null || listedVersions.length === 0 || others.has(author) || scheme.allows(version)) return
  others.add(author)
  warn('FST_WARN_VERSION_SETTINGS', `Return this.permit(version, request) from ${label}.determineVersion(): it has ` +
    `returned a version that is not in allowedVersions, ${show(listedVersions)}, and the request was served.`)
}

/** Warns once of a `resolveVersion` that makes an unlisted version of a listed one. Null refuses it on purpose. */
export function warnUnresolved ({ warned: { others } }: VersioningContext, scheme: Scheme, requested: string | null) {
  const { listedVersions, members } = scheme
  if (requested === null || !listedVersions.includes(requested) || others.has('resolveVersion')) return
  const resolving = members.map(({ author }) => author).filter(({ resolveVersion }) => resolveVersion !== undefined)
  let unlisted: unknown[]
  try {
    unlisted = resolving.map((author) => author.resolveVersion?.(requested, listedVersions))
      .filter((version) => version !== null && !listedVersions.includes(version as string))
  } catch {
    // The function has not thrown before, and the request is refused in any case.
    return
  }
  if (unlisted.length === 0) return
  others.add('resolveVersion')
  warn('FST_WARN_VERSION_SETTINGS', 'Return what is no alias from "resolveVersion", as in (requested) => ' +
    `aliases.get(requested) ?? requested: it has returned ${show(unlisted[0])} for ${show(requested)}, so the ` +
    'version is refused.')
}

/** Warns of a refusal that a cache could have stored, because the app has set Cache-Control on it. */
export function warnCache ({ warned: { others } }: VersioningContext, request: FastifyRequest, value: string): void {
  if (others.has('cache')) return
  others.add('cache')
  const { method, [kPassage]: passage, routeOptions } = request
  // The error handler may have called the not-found handler, which has no URL.
  const { url = 'an unknown URL' } = passage?.route ?? routeOptions
  warn('FST_WARN_VERSION_CACHE', 'Do not set Cache-Control on responses of 400 or more: the error handler of ' +
    `${method} ${url}, or an onSend hook, has set ${show(value)} on a refusal. The plugin sends no-store instead, ` +
    'because caches would keep the refusal when the version is released.')
}
