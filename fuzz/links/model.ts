// The rules of README ("Links") and docs/links.md, in their words. Nothing here is taken from src/.

import { CLIENT_VERSION, suffixes, valuesFor, versions } from './apps.ts'

import type { AppSpec, Asked, Known } from './apps.ts'

/** What a link has to lead to. */
export interface Meant {
  /** The routes of one URL: where versions choose there are several. */
  readonly routes: readonly Known[]
  readonly version: string | null
  readonly params: Readonly<Record<string, string>>
}

/**
 * What a link may mean, what it should mean first; of values that are not plain it may be that only another route of
 * the name takes them. Empty: there must be no link.
 *
 * @param current the route whose handler makes the link
 * @param came what that handler has seen
 */
export function meantBy (
  spec: AppSpec, routes: readonly Known[], current: Known,
  came: { readonly version: string | null, readonly params: Readonly<Record<string, string>> }, asked: Asked
): Meant[] {
  const into = asked.into === undefined ? came.version : asked.into
  const isAllowed = into === null || versions.includes(into)
  if (asked.name === null) {
    return isAllowed || current.neutral ? currentRoute(spec, routes, current, came.params, into) : []
  }

  const values = valuesFor(asked, spec)
  // If the scheme finds no route, the plain name is looked up.
  const names = spec.scheme === 'namespace' && into !== null ? [`${into}:${asked.name}`, asked.name] : [asked.name]
  const meanings: Meant[] = []
  for (const name of names) {
    for (const version of new Set([into, null])) {
      // Among the routes that fit, a URL that serves the version wins, and then the last route registered.
      const found = routes.filter((route) => route.fullName === name && fits(route, values, version))
      // Under URLPathVersioning a link into a version has the parameter of the version.
      const able = found.filter(({ namespace, neutral, parameters }) => {
        // A version-neutral route takes no version, so that none is wrong.
        if (neutral) return true
        if (spec.scheme === 'path') return isAllowed && (version === null || parameters.includes('version'))
        // A version that the caller gives is never dropped for another one, but for the default version.
        const isDropped = spec.scheme === 'namespace' && asked.into != null && namespace !== into
        return isAllowed && (!isDropped || into === versionOf(spec, { ...current, namespace: null }, null))
      })
      const meant = able.reverse().map((route) => {
        const params = byName(route, values, version)
        const linkVersion = route.neutral ? null : versionOf(spec, route, into)
        return { routes: atUrlOf(route, params, routes), version: linkVersion, params }
      })
      const isFirst = (meaning: Meant): boolean => into === null || isServed(meaning)
      meanings.push(...meant.filter(isFirst), ...meant.filter((meaning) => !isFirst(meaning)))
    }
  }
  const [first] = meanings
  // A list has a scheme for links with the version, and one for links without.
  if (first === undefined || spec.scheme === 'pathOrHeader') return meanings
  const { neutral } = first.routes[0]!
  // The scheme of any route of a name makes its links, and tries its own URLs first.
  const areAlike = meanings.every((meaning) => meaning.routes[0]!.neutral === neutral)
  return areAlike && isPlain(first) && isAlone(first.routes[0]!, routes) ? [first] : meanings
}

/** Whether every route takes the values. */
function isPlain ({ params }: Meant): boolean {
  return Object.values(params).every((value) => /^\d{1,20}$|^v\d$/.test(value))
}

/** Whether no other route may answer its URLs. */
export function isAlone (route: Known, routes: readonly Known[]): boolean {
  return routes.every((neighbour) => neighbour.url === route.url || neighbour.resource.stem !== route.resource.stem)
}

/** Whether the URL is served in the version; where it is not, the link leads to the refusal. */
export function isServed ({ routes: [route, ...others], version }: Meant): boolean {
  return [route!, ...others].some(({ neutral, versions }) => neutral || version === null || versions.includes(version))
}

/** Whether there must be a link: plain values, and no other route at such a URL. */
export function isCertain (spec: AppSpec, routes: readonly Known[], meant: Meant, asked: Asked): boolean {
  const [route] = meant.routes as [Known]
  const hasHost = spec.scheme !== 'host' || (asked.into === undefined && asked.version !== null)
  const hasVersion = meant.version !== null && asked.into !== null
  return isPlain(meant) && isAlone(route, routes) && isServed(meant) && hasHost && hasVersion && asked.hash !== '\ud800'
}

/** The current route leads back to itself, or under NamespaceVersioning to the same path in another namespace. */
function currentRoute (
  spec: AppSpec, routes: readonly Known[], current: Known, came: Readonly<Record<string, string>>, into: string | null
): Meant[] {
  // An empty value is not plain: there may be no link.
  const params: Record<string, string> = { ...came }
  if (current.neutral) return [{ routes: [current], version: null, params }]
  const version = versionOf(spec, current, into)
  if (spec.scheme === 'namespace' && into !== current.namespace) {
    // The same name, or else the same path.
    const among = (namespace: string | null) => {
      const there = routes.filter((route) => route.namespace === namespace)
      const namesakes = there.filter(({ name }) => name !== undefined && name === current.name)
      return namesakes.length > 0 ? namesakes : there.filter(({ resource }) => resource === current.resource)
    }
    // Routes outside of all namespaces are in the default version.
    const inside = among(into)
    const there = inside.length === 0 && into === spec.defaultVersion ? among(null) : inside
    return there.filter((route) => route.resource === current.resource || fits(route, params, null))
      .map((route) => ({ routes: [route], version: route.neutral ? null : into, params }))
  }
  if (current.parameters.includes('version')) {
    if (into === null) return []
    params['version'] = into
  }
  return [{ routes: atUrlOf(current, params, routes), version, params }]
}

/** The version that a route answers in: a request that names none gets the default. */
function versionOf ({ scheme, defaultVersion, ofClient }: AppSpec, route: Known, into: string | null): string | null {
  const usual = ofClient ? CLIENT_VERSION : defaultVersion
  return scheme === 'namespace' ? route.namespace ?? usual : into ?? usual
}

/** A name stands for all versions of a URL. */
function atUrlOf (route: Known, params: Readonly<Record<string, string>>, routes: readonly Known[]): Known[] {
  const [full, short = full] = keysOf(route) as [string, string?]
  const key = Object.keys(params).length < route.parameters.length ? short : full
  const atUrl = [route, ...routes.filter((neighbour) => neighbour !== route && keysOf(neighbour).includes(key))]
  return atUrl.some((served) => !served.neutral && served.versions.length < versions.length) ? atUrl : [route]
}

/** The paths of a route, with and without an optional parameter; the names of parameters make no difference. */
function keysOf ({ url }: Known): string[] {
  const full = url.replace(/:\w+\??/g, ':')
  return url.endsWith('?') ? [full, full.slice(0, -2)] : [full]
}

/** The parameters must be exactly the parameters of the path; an optional last one may be missing. */
function fits (
  route: Known, values: Readonly<Record<string, string>> | string[], version: string | null
): boolean {
  const needed = suffixes[route.resource.suffix]
  const required = route.resource.suffix.endsWith('?') ? needed.slice(0, -1) : needed
  if (route.parameters.includes('version') && version === null) return false
  if (Array.isArray(values) && values.slice(needed.length).some((value) => value !== '')) return false
  const names = Object.keys(byName(route, values, version)).filter((name) => name !== 'version')
  return names.every((name) => (needed as string[]).includes(name)) && required.every((name) => names.includes(name))
}

/** `''` does not count as a value. */
function byName (
  route: Known, params: Readonly<Record<string, string>> | string[], version: string | null
): Record<string, string> {
  const names = Array.isArray(params) ? suffixes[route.resource.suffix] : Object.keys(params)
  const pairs = names.map((name, i) => [name, Array.isArray(params) ? params[i] ?? '' : params[name]!])
  const values = Object.fromEntries(pairs.filter(([, value]) => value !== ''))
  return route.parameters.includes('version') ? { version: version!, ...values } : values
}
