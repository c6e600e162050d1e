import { contextOf, contextVersions } from '../context.ts'
import { VersioningOptionError, forbid } from '../errors.ts'
import { withNames } from '../http/response-headers.ts'
import { isWithin } from '../instances.ts'
import { setHome } from '../links/registry.ts'
import { toRetirement } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkOrder } from '../options/release-order.ts'
import { writtenForOf } from '../older-routes/written-for.ts'
import { labelOf } from '../routes.ts'
import { toClaim } from '../routing/claim.ts'
import { toScheme } from './registration.ts'
import { warnScheme } from './warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext, Warned } from '../context.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

const VERSION_OPTIONS = ['version', 'versioning', 'deprecated', 'writtenFor'] as const

/** The fields of a route that follow from its context. */
type InContext = Pick<Route, 'context' | 'ownScheme' | 'scheme' | 'varies'>

/** The fields of a route that its options and its context decide. */
type ReadVersions = InContext & Pick<Route, 'claim' | 'retirement' | 'writtenFor'>

/**
 * Reads the options of a route about its versions.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the option
 */
export function readVersions (server: FastifyInstance, options: DeclaredOptions, warned: Warned): ReadVersions {
  const { deprecated, versioning } = options
  const { context, ownScheme, scheme, varies } = readContext(server, options, warned)
  // The option `version` of a context does not apply to routes without a scheme.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  if (version !== null && versioning === false) {
    forbid('version', 'Remove "version": with "versioning: false", this route has no version.')
  }
  if (deprecated !== undefined) checkOrder(scheme?.allowedVersions ?? null, '"deprecated"')
  return {
    context,
    scheme,
    varies,
    ownScheme,
    claim: version === null ? null : toClaim(version, scheme),
    retirement: deprecated === undefined ? undefined : toRetirement('deprecated', deprecated, 'This URL'),
    writtenFor: writtenForOf({ server, scheme, ownScheme }, options)
  }
}

/**
 * Reads the scheme of a route, which is its own or that of its context.
 *
 * @throws FST_ERR_VERSIONING_OPTION where options of the context do not fit the scheme of the route
 */
function readContext (server: FastifyInstance, { versioning }: DeclaredOptions, warned: Warned): InContext {
  const context = contextOf(server)
  const ownScheme = versioning === undefined ? undefined : toScheme('versioning', versioning, false, context.settings)
  if (ownScheme) {
    checkContextOptions(context, ownScheme)
    setHome(ownScheme, server)
    warnScheme(ownScheme, warned)
  }
  const scheme = ownScheme === undefined ? context.scheme : ownScheme
  return { context, ownScheme, scheme, varies: scheme && variesOf(scheme, context) }
}

/** Returns the names for Vary. Under `trustProxy` a proxy forwards the host, which caches behind it do not look at. */
function variesOf ({ inHost, varies }: Scheme, { trustsProxy }: VersioningContext): string | null {
  return trustsProxy && inHost.length > 0 ? withNames(varies ?? '', 'X-Forwarded-Host') : varies
}

/**
 * Updates the routes that a context already has, when the plugin is registered in it.
 *
 * @throws FST_ERR_VERSIONING_OPTION where a route has versions of another scheme, or other changes
 */
export function updateRoutes (routes: readonly Route[], context: FastifyInstance, warned: Warned): void {
  for (const route of routes.filter(({ server }) => isWithin(server, context))) {
    const { claim, context: { changes }, methods, options, scheme, server } = route
    Object.assign(route, readContext(server, options, warned))
    const hasVersion = claim !== null || (contextVersions.of(server) ?? null) !== null
    const isOfOther = route.scheme !== scheme && hasVersion
    // The hooks by which changes convert are added when a route is declared, and only under a scheme.
    const hasOthers = route.context.changes !== (scheme === null ? null : changes)
    const isLate = hasOthers && route.scheme !== null && methods[0] !== 'OPTIONS'
    if (!isOfOther && !isLate) continue
    throw new VersioningOptionError(
      `${labelOf(route)} has a version, but a later registration in its context changed the ` +
      `${isOfOther ? 'scheme' : 'list of changes'}. Register fastify-versioning before you declare the route.`
    )
  }
}

/** Tells whether a HEAD route has the versions of the GET route before it: an iterable of versions is read once. */
export function saysTheSame (options: DeclaredOptions, before: DeclaredOptions): boolean {
  return VERSION_OPTIONS.every((name) => options[name] === before[name])
}
