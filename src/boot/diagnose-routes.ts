import { namespaceOf } from '../links/scope.ts'
import { labelOf, nameOf, show } from '../errors.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { NamespaceVersioning } from '../schemes/namespace.ts'
import { URLPathVersioning } from '../schemes/url-path.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Warnings } from './warnings.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

const MAX_SHOWN = 5

interface Route { readonly server: FastifyInstance, readonly options: RouteOptions }
type RoutesByScheme = ReadonlyMap<VersioningScheme, readonly Route[]>

/** Warns of routes that a request cannot ask for a version, however it is made. */
export function warnOfUnversioned (warnings: Warnings, all: RoutesByScheme): void {
  const asked = new Map([...all].map(([scheme, routes]) => [scheme, routes.filter(isAsked)]))
  for (const [scheme, routes] of asked) {
    if (scheme.determineVersion === URLPathVersioning.prototype.determineVersion) warnOfBare(warnings, scheme, routes)
  }
  warnOfNamespaces(warnings, asked)
}

/** Without HEAD, which goes with its GET, and OPTIONS, which plugins answer. */
function isAsked ({ options: { method } }: Route): boolean {
  if (typeof method === 'string') return method !== 'HEAD' && method !== 'OPTIONS'
  return method.some((one) => one !== 'HEAD' && one !== 'OPTIONS')
}

/** Under URLPathVersioning the path of a route has a parameter for the version. */
function warnOfBare (warnings: Warnings, scheme: VersioningScheme, routes: readonly Route[]): void {
  const { versionParam, defaultVersion } = scheme
  // Most paths say so in plain sight, and to read one as the router does takes longer.
  const start = `/:${versionParam}/`
  const bare = routes.filter(({ options: { url } }) => !url.startsWith(start) && !hasParameter(url, versionParam))
  if (bare.length === 0) return
  const fate = scheme.isAllowedVersion(defaultVersion) ? `in the default version, ${show(defaultVersion)}` : 'refused'
  const shown = list(bare.map(({ options }) => labelOf(options)))
  warnings.warn('FST_WARN_VERSION_PARAM', show(versionParam), fate, shown)
}

/** Under NamespaceVersioning some route of the app has to be in a namespace that is permitted. */
function warnOfNamespaces (warnings: Warnings, all: RoutesByScheme): void {
  const own = [...all].filter(([scheme, routes]) => (
    scheme.determineVersion === NamespaceVersioning.prototype.determineVersion && routes.length > 0
  ))
  const candidates = own.flatMap(([, routes]) => routes.flatMap(({ server }) => namespaceOf(server).names))
  const isFound = own.some(([scheme, routes]) => (
    routes.some(({ server }) => namespaceOf(server).names.some((name) => scheme.isAllowedVersion(name)))
  ))
  if (own.length === 0 || isFound) return
  const why = candidates.length === 0
    ? 'none is in a namespace'
    : `none of their namespaces is permitted, ${list(candidates)}`
  warnings.warn('FST_WARN_VERSION_NAMESPACE', nameOf(own[0][0]), why)
}

function hasParameter (url: string, name: string): boolean {
  return expandOptional(url).some((path) => parsePath(path).flatMap(namesOf).includes(name))
}

function list (texts: readonly string[]): string {
  const shown = [...new Set(texts)]
  const more = shown.length > MAX_SHOWN ? ` and ${shown.length - MAX_SHOWN} more` : ''
  return shown.slice(0, MAX_SHOWN).join(', ') + more
}
