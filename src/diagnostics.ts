import { namespaceOf } from './context.ts'
import { show } from './errors.ts'
import { HostNameVersioning } from './schemes/host-name.ts'
import { NamespaceVersioning } from './schemes/namespace.ts'
import { QueryParameterVersioning } from './schemes/query-parameter.ts'
import { URLPathVersioning } from './schemes/url-path.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { VersioningContext } from './context.ts'
import type { DeclaredRoutes } from './declared-routes.ts'
import type { Warnings } from './warnings.ts'
import type { VersioningOptions, VersioningScheme, VersioningSettings } from '../types/index.d.ts'

const SETTINGS = ['defaultVersion', 'allowedVersions', 'versionParam', 'mediaTypes'] as const
const MAX_SHOWN = 5

/** Settings that a way of determining the version does not read; a custom scheme may read any. */
const UNREAD = new Map<unknown, readonly (keyof VersioningSettings)[]>([
  [URLPathVersioning.prototype.determineVersion, ['mediaTypes']],
  [NamespaceVersioning.prototype.determineVersion, ['versionParam', 'mediaTypes']],
  [HostNameVersioning.prototype.determineVersion, ['versionParam', 'mediaTypes']],
  [QueryParameterVersioning.prototype.determineVersion, ['mediaTypes']]
])

/** Warns of what a registration alone shows to be a mistake, probably. */
export function checkRegistration (
  warnings: Warnings, options: VersioningOptions, { scheme, schemeClass }: VersioningContext
): void {
  if (scheme === null) return
  checkDefault(warnings, scheme)
  const { name } = scheme.constructor
  for (const setting of SETTINGS) {
    if (options[setting] === undefined) continue
    if (schemeClass === null) {
      warnings.warn('FST_WARN_VERSION_SETTING', setting, `the instance of ${name} beside it keeps its own settings`)
    } else if (UNREAD.get(scheme.determineVersion)?.includes(setting)) {
      warnings.warn('FST_WARN_VERSION_SETTING', setting, `${name} does not read it`)
    }
  }
}

/** Warns of a default version that is permitted (SPEC.md, Base contract 4), though the list leaves it out. */
export function checkDefault (warnings: Warnings, { defaultVersion, allowedVersions }: VersioningScheme): void {
  const isListed = !allowedVersions?.length || allowedVersions.includes(defaultVersion)
  if (defaultVersion === null || isListed) return
  warnings.warn('FST_WARN_VERSION_DEFAULT', show(defaultVersion), show(allowedVersions))
}

/** Warns of a second registration in one context. */
export function checkAgain (warnings: Warnings, first: VersioningContext, second: VersioningContext): void {
  warnings.warn('FST_WARN_VERSION_TWICE', nameOf(second), nameOf(first))
}

/** Warns of routes of the app that the plugin has not seen but will judge. */
export function checkUnseen (warnings: Warnings, root: FastifyInstance): void {
  const methods = root.printRoutes().matchAll(/ \(([A-Z, ]+)\)$/gm)
  // An OPTIONS route alone is that of @fastify/cors, which is best registered first.
  if ([...methods].some(([, names]) => names !== 'OPTIONS')) warnings.warn('FST_WARN_VERSION_UNSEEN')
}

/** Warns of routes that can never be asked for a version, as far as their scheme is known. */
export function checkRoutes (warnings: Warnings, declared: DeclaredRoutes): void {
  for (const [scheme, routes] of declared.byScheme()) {
    const { name } = scheme.constructor
    const param = scheme.impliedParam ?? null
    const bare = param === null ? [] : withoutParam(routes.map(({ options }) => options), param)
    if (bare.length > 0) warnings.warn('FST_WARN_VERSION_PARAM', name, show(param), list(bare.map(labelOf)))
    if (scheme.determineVersion !== NamespaceVersioning.prototype.determineVersion) continue
    const namespaces = routes.map(({ server }) => namespaceOf(server).names)
    const candidates = namespaces.flat()
    if (candidates.length === 0) {
      warnings.warn('FST_WARN_VERSION_NAMESPACE', name, 'none is in a namespace')
    } else if (!candidates.some((candidate) => scheme.isAllowedVersion(candidate))) {
      warnings.warn('FST_WARN_VERSION_NAMESPACE', name, `none of their namespaces is permitted, ${list(candidates)}`)
    }
  }
}

function nameOf ({ scheme }: VersioningContext): string {
  return scheme === null ? 'null' : scheme.constructor.name
}

/** Without HEAD, which goes with its GET, and OPTIONS, which plugins answer. */
function withoutParam (routes: readonly RouteOptions[], param: string): RouteOptions[] {
  const name = param.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(`(?<!:):${name}(?=[(./?-]|$)`)
  return routes.filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && !pattern.test(url))
}

function labelOf ({ method, url }: RouteOptions): string {
  return `${[method].flat().join(', ')} ${url}`
}

function list (texts: readonly string[]): string {
  const shown = [...new Set(texts)]
  const more = shown.length > MAX_SHOWN ? ` and ${shown.length - MAX_SHOWN} more` : ''
  return shown.slice(0, MAX_SHOWN).join(', ') + more
}
