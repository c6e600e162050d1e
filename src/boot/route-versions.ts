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

type VersionOptions = Pick<DeclaredOptions, 'version' | 'versioning' | 'deprecated' | 'writtenFor'>

/** What the options of a route, and its context, say of its versions. A claim is made again for each route. */
export interface ReadVersions extends
  Pick<Route, 'server' | 'context' | 'ownScheme' | 'scheme' | 'claim' | 'retirement' | 'writtenFor'> {
  readonly options: VersionOptions
  /** Whether nobody can change what was read. */
  readonly isConstant: boolean
}

/** The record of an app, as far as it is needed here. */
interface LastRead {
  /** What the last route says. */
  lastRead: ReadVersions | null
  readonly warned: Warned
}

/**
 * Reads what a route says of its versions. Routes next to each other mostly say the same: then it is read once.
 *
 * @param isAdded whether Fastify adds the route to the one before
 * @throws FST_ERR_VERSIONING_OPTION naming the option
 */
export function readVersions (
  server: FastifyInstance, options: DeclaredOptions, app: LastRead, isAdded: boolean
): ReadVersions {
  const { lastRead } = app
  const context = contextOf(server)
  const isKept = lastRead !== null && (isAdded || lastRead.isConstant) && lastRead.server === server
  if (isKept && lastRead.context === context && isSame(lastRead.options, options)) return lastRead
  const { deprecated, version: ofRoute, versioning, writtenFor } = options
  // Null for a neutral route, undefined for the scheme of the context.
  const ownScheme = versioning === undefined ? undefined : toScheme('versioning', versioning, false, context.settings)
  const scheme = ownScheme === undefined ? context.scheme : ownScheme
  if (ownScheme) {
    checkContextOptions(context, ownScheme)
    setHome(ownScheme, server)
    warnScheme(ownScheme, app.warned)
  }
  // A default of the context is not for routes that have no versions at all.
  const { version = scheme === null ? null : contextVersions.of(server) ?? null } = options
  if (version !== null && versioning === false) {
    forbid('version', 'Remove "version": with "versioning: false", this route has no version.')
  }
  if (deprecated !== undefined) checkOrder(scheme?.allowedVersions ?? null, '"deprecated"')
  app.lastRead = {
    server,
    context,
    options: { deprecated, version: ofRoute, versioning, writtenFor },
    isConstant: [version, versioning, deprecated].every((value) => typeof value !== 'object' || value === null),
    ownScheme,
    scheme,
    claim: version === null ? null : toClaim(version, scheme),
    retirement: deprecated === undefined ? undefined : toRetirement('deprecated', deprecated, 'This URL'),
    writtenFor: writtenForOf({ server, ownScheme }, options)
  }
  return app.lastRead
}

function isSame (before: VersionOptions, { deprecated, version, versioning, writtenFor }: VersionOptions): boolean {
  return before.version === version && before.versioning === versioning && before.deprecated === deprecated &&
    before.writtenFor === writtenFor
}
