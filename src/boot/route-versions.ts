import { contextOf, contextVersions } from '../context.ts'
import { forbid } from '../errors.ts'
import { setHome } from '../links/registry.ts'
import { toRetirement } from '../options/lifecycle.ts'
import { checkContextOptions } from '../options/options.ts'
import { checkOrder } from '../options/release-order.ts'
import { writtenForOf } from '../older-routes/written-for.ts'
import { toClaim } from '../routing/claim.ts'
import { toScheme } from './registration.ts'
import { warnScheme } from './warnings.ts'

import type { FastifyInstance } from 'fastify'
import type { Warned } from '../context.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

const VERSION_OPTIONS = ['version', 'versioning', 'deprecated', 'writtenFor'] as const

/** What the options of a route, and its context, say of its versions. */
type ReadVersions = Pick<Route, 'context' | 'ownScheme' | 'scheme' | 'claim' | 'retirement' | 'writtenFor'>

/**
 * Reads what a route says of its versions.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the option
 */
export function readVersions (server: FastifyInstance, options: DeclaredOptions, warned: Warned): ReadVersions {
  const context = contextOf(server)
  const { deprecated, versioning } = options
  // Null for a neutral route, undefined for the scheme of the context.
  const ownScheme = versioning === undefined ? undefined : toScheme('versioning', versioning, false, context.settings)
  const scheme = ownScheme === undefined ? context.scheme : ownScheme
  if (ownScheme) {
    checkContextOptions(context, ownScheme)
    setHome(ownScheme, server)
    warnScheme(ownScheme, warned)
  }
  // A default of the context is not for routes that have no versions at all.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  if (version !== null && versioning === false) {
    forbid('version', 'Remove "version": with "versioning: false", this route has no version.')
  }
  if (deprecated !== undefined) checkOrder(scheme?.allowedVersions ?? null, '"deprecated"')
  return {
    context,
    ownScheme,
    scheme,
    claim: version === null ? null : toClaim(version, scheme),
    retirement: deprecated === undefined ? undefined : toRetirement('deprecated', deprecated, 'This URL'),
    writtenFor: writtenForOf({ server, ownScheme }, options)
  }
}

/** Whether a route says the same of its versions as the one before it: an iterable of versions is read once. */
export function saysTheSame (options: DeclaredOptions, before: DeclaredOptions): boolean {
  return VERSION_OPTIONS.every((name) => options[name] === before[name])
}
