import type { FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Arrival } from '../lifecycle/served.ts'

/** Probable mistakes, by code. docs/errors.md has the cause and the fix of each. */
export type WarningCode =
  | 'FST_WARN_VERSION_DEFAULT'
  | 'FST_WARN_VERSION_HOST'
  | 'FST_WARN_VERSION_PREFIX'
  | 'FST_WARN_VERSION_UNSEEN'

/** How many routes that were declared before the plugin are named. */
const MAX_UNSEEN = 10

/** Emits a warning of the process. */
export function warn (code: WarningCode, message: string): void {
  process.emitWarning(message, 'FastifyVersioningWarning', code)
}

/** Warns of a request to a route that was declared before the plugin was loaded: once for each, and of ten at most. */
export function warnUnseen ({ warned: { routes } }: VersioningContext, request: FastifyRequest): void {
  const { method, routeOptions: { url } } = request
  const label = `${method} ${url}`
  // @fastify/cors, which is best registered first, has a route for OPTIONS.
  if (method === 'OPTIONS' || routes.size === MAX_UNSEEN || routes.has(label)) return
  routes.add(label)
  warn('FST_WARN_VERSION_UNSEEN', `${label} was declared before fastify-versioning was loaded: it has no version, ` +
    'and its options "name", "version" and "versioning" are not read. Await the registration of the plugin first.')
}

/** Warns of a host that begins with an allowed version, but does not match: SPEC.md's pattern wants three labels. */
export function warnHost ({ context, request: { host }, scheme }: Arrival): void {
  const { warned: { others } } = context
  if (others.has(context)) return
  const version = scheme.listedVersions.find((one) => host.startsWith(`${one}.`))
  if (version === undefined || scheme.inHost.some((one) => one.versionInHost(host) !== undefined)) return
  others.add(context)
  warn('FST_WARN_VERSION_HOST', `A request came to a host that begins with ${version}, but that hostnameRegex does ` +
    'not match: it is in the default version. Extend HostNameVersioning with a hostnameRegex for your hosts.')
}
