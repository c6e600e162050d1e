import { show, warnOfSome } from '../messages.ts'
import { familyOf } from '../options/release-order.ts'
import { hasParam, namesOf } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'
import { ownVersionsOf, servedVersionsOf } from '../routing/coverage.ts'
import { URLPathVersioning } from '../schemes/url-path.ts'
import { isNear } from './near-options.ts'

import type { Versioned } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** Warns of a version in the path of routes that nothing reads there, although they serve other versions. */
export function warnPrefixes (routes: readonly Versioned[]): void {
  const [inNamespace, unread]: [string[], string[]] = [[], []]
  const elsewhere = new Map<string, string[]>()
  for (const route of routes) {
    const { claim, namespace: { names }, scheme, server, url } = route
    if (scheme.listedVersions.length === 0) continue
    const listed = versionSegments(url, scheme)
    const served = servedVersionsOf(route).filter((version) => version !== null)
    // A path with v2 may be meant for later versions, too, if its route has { from: 'v2' }.
    const isMeant = (version: string) => served.includes(version) && (claim !== null || served.length === 1)
    const isOutside = scheme.readsNamespaces && scheme.versionIn(names) === null
    const lacksParam = scheme.params.length > 0 && !scheme.params.some((name) => hasParam(url, name))
    // Under a scheme that reads a header, a segment such as v3 may well mean something else.
    const mayBeAlike = served.length > 0 && (lacksParam || isOutside)
    const segments = listed.length > 0 || !mayBeAlike ? listed : versionSegments(url, scheme, true)
    const named = scheme.readsNamespaces ? [] : names.filter((name) => scheme.listedVersions.includes(name))
    if (!named.every(isMeant)) unread.push(labelOf(route))
    if (segments.length === 0 || isMisnamed(route)) continue
    const isServed = segments.every(isMeant)
    const isPrefix = server.prefix.split('/').some((segment) => segments.includes(segment))
    if (isOutside && (isPrefix || !isServed)) inNamespace.push(labelOf(route))
    else if (!isServed) {
      const shown = `${labelOf(route)} (${served.join(', ') || 'none'})`
      const isAlike = listed.length > 0 ? 'is an allowed version' : 'is written like an allowed version'
      const isNamed = 'has the name of the version (rename it if it is another)'
      const found = `${segments[0].startsWith(':') ? isNamed : isAlike}, but ${scheme.label}`
      elsewhere.set(found, [...elsewhere.get(found) ?? [], shown])
    }
  }
  warnOfSome('FST_WARN_VERSION_PREFIX', inNamespace, 'These routes have a version in their prefix, but no such ' +
    'namespace, so nothing reads it: %s. Set "namespace" next to "prefix". (If you did, the plugin is wrapped in ' +
    'fastify-plugin: register it inside a context that has both options.)')
  warnOfSome('FST_WARN_VERSION_PREFIX', unread, 'Write "version" next to "namespace", which is only a part of names ' +
    'under their scheme: these routes have a namespace that is an allowed version, and serve others: %s.')
  for (const [found, shown] of elsewhere) {
    warnOfSome('FST_WARN_VERSION_PREFIX', shown, `A segment of these paths ${found} does not read it there, and the ` +
      'routes serve other versions: %s. Use "/:version" under URLPathVersioning, ' +
      '"namespace" next to "prefix" under NamespaceVersioning, or "versioning: false". If the versions are right, ' +
      'write them as "version" of the routes. Fastify ignores these options on a plugin that is wrapped in ' +
      'fastify-plugin.')
  }
}

/**
 * Returns the segments of a path that are allowed versions.
 *
 * @param isAlike whether to return the segments that are written like a version instead, such as v3 if v1 is allowed
 */
export function versionSegments (url: string, scheme: Scheme, isAlike = false): string[] {
  const { defaultVersion, listedVersions, members, params, readsNamespaces, versionParam } = scheme
  if (listedVersions.length === 0) return []
  // A parameter with the name of the version stands for all versions. A scheme of an app may read any parameter.
  const isParam = params.length === 0 && (readsNamespaces || members.every(({ isOurs }) => isOurs)) &&
    [`/:${versionParam}`, `/api/:${versionParam}`].some((start) => `${url}/`.startsWith(`${start}/`))
  if (isParam) return [`:${versionParam}`]
  // If a version is a number, every numeric segment would be written like the version.
  const read = (version: string | null) => isAlike && version !== null ? familyOf(version).replace(/^0$/, '') : version
  const versions = [...listedVersions, defaultVersion].map(read)
  return url.split('/').filter((segment) => read(segment) !== '' && versions.includes(read(segment)))
}

/** Tells whether a prefix has a version, and the namespace next to it is not allowed, such as V1. */
function isMisnamed ({ namespace: { names, prefix }, scheme }: Versioned): boolean {
  return scheme.readsNamespaces && scheme.versionIn(names) === null && versionSegments(prefix, scheme).length > 0
}

/** Warns of routes that refuse every request, because they serve no version, unless `warnPrefixes` names them. */
export function warnUnreached (routes: readonly Versioned[]): void {
  const refused = routes.filter((route) => (
    ownVersionsOf(route).length === 0 && (isMisnamed(route) || versionSegments(route.url, route.scheme).length === 0)
  ))
  const [inNamespace, inPath] = [true, false].map((isIn) => (
    refused.filter(({ namespace: { names } }) => (names.length > 0) === isIn).map(labelOf)
  ))
  warnOfSome('FST_WARN_VERSION_PREFIX', inNamespace, 'Correct "namespace", or add it to allowedVersions, which has ' +
    'none of the namespaces of these routes. They refuse every request: %s.')
  const param = refused[0]?.scheme.params[0] ?? 'version'
  warnOfSome('FST_WARN_VERSION_PREFIX', inPath, `Write the version into these paths, such as "/:${param}", or set ` +
    '"versioning: false". The routes refuse every request, because nothing reads a version there, and there is no ' +
    'default version: %s.')
}

/**
 * Warns of URLPathVersioning, also in a list, in an app where no path has the version. If some paths have it, warns of
 * other paths whose parameter may be misspelt.
 */
export function warnPathless (routes: readonly Versioned[]): void {
  const readersIn = ({ members }: Scheme) => members.filter(({ author, ownMethods }) => (
    author.readVersion === URLPathVersioning.prototype.readVersion && !ownMethods.has('determineVersion')
  ))
  const hasVersion = ({ scheme, url }: Versioned) => (
    versionSegments(url, scheme).length > 0 || scheme.params.some((param) => hasParam(url, param))
  )
  const isInSomePath = routes.some(hasVersion)
  const starts = new Set(routes.flatMap(({ scheme: { params }, url }) => params.map((param) => startOf(url, param))))
  const unread = routes.filter((route) => {
    const { scheme } = route
    if (readersIn(scheme).length === 0) return false
    if (!isInSomePath) return scheme.isList || scheme.defaultVersion !== null
    return !hasVersion(route) && ownVersionsOf(route).length > 0 && hasMisspelt(route, starts)
  })
  if (unread.length === 0) return
  const [{ scheme }] = unread
  const [{ label, versionParam }] = readersIn(scheme)
  const byDefault = scheme.defaultVersion === null
    ? 'so nothing reads it'
    : `so all requests get the default version ${show(scheme.defaultVersion)}`
  const effect = scheme.isList ? 'so the scheme has no effect on them' : byDefault
  warnOfSome('FST_WARN_VERSION_SETTINGS', unread.map(labelOf), 'Write the version into paths, such as ' +
    `"/:${versionParam}", where ${label} reads it: ${isInSomePath ? 'these routes do not have' : 'no route has'} it ` +
    `there, ${effect}. The routes: %s.`)
}

/**
 * Tells whether a path has a parameter with nearly the name of the version's, or with a word for it where other paths
 * have the version.
 *
 * @param starts what is before the version in other paths
 */
function hasMisspelt ({ scheme: { versionParam }, url }: Versioned, starts: ReadonlySet<string>): boolean {
  return namesOf(url).some((name) => (
    (versionParam.length > 3 && isNear(name.toLowerCase(), versionParam, 1)) ||
    (/^(?:api[-_]?)?v(?:er(?:sion)?s?)?$/i.test(name) && starts.has(startOf(url, name)) && !url.endsWith(`:${name}`))
  ))
}

function startOf (url: string, param: string): string {
  return url.split(`:${param}`, 1)[0]
}

/** Warns of paths such as `/v:version` if versions are called v1: such a path would be `/vv1`. */
export function warnDoubled (routes: readonly Versioned[]): void {
  const doubled = routes.filter(({ scheme: { listedVersions: [version], params }, url }) => params.some((param) => {
    const [before, after] = version === undefined ? [] : url.split(`:${param}`)
    return after !== undefined && !before.endsWith('/') && version.startsWith(before.split('/').at(-1) as string)
  }))
  if (doubled.length === 0) return
  const { scheme: { listedVersions: [version], params }, url } = doubled[0]
  const param = params.find((name) => hasParam(url, name)) as string
  warnOfSome('FST_WARN_VERSION_PREFIX', doubled.map(labelOf), `Write "/:${param}", not "/v:${param}": ` +
    `${show(version)} would be requested at ${url.replace(`:${param}`, () => version)}. The routes: %s.`)
}
