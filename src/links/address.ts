import { basePathOf, findContext, noteForwarded, schemeOf } from '../context.ts'
import { VersionChangeError, invalidLinkOption } from '../errors.ts'
import { originText, requestOrigin } from '../http/origin.ts'
import { pairsIn, toQuery } from '../http/query.ts'
import { labelOf, slotOf } from '../routes.ts'
import { originIn, placeOf } from './places.ts'
import { defaultIn } from './scope.ts'

import type { Origin } from '../http/origin.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { LinkQuery, ReverseOptions } from '../../types/index.d.ts'
import type { Link } from './scope.ts'

/**
 * A path with origin, the path of `baseUrl`, query and fragment, none of which contradicts the version that is meant.
 *
 * @param routes those of the path, if the link has a query
 * @param place the scheme that has a place for the version in the query or in the host, or null if the link needs none
 * @param meant the version of the link, or null
 * @throws FST_ERR_REVERSE_OPTION when an option is not valid, or the version has no place in the host of `baseUrl`
 * @throws FST_ERR_REVERSE_HOST (400) when it has none in the host of the request
 */
export function toUrl (
  link: Link, routes: readonly Route[], place: Scheme | null, meant: string | null, path: string
): string {
  const { scheme, server, options: { query, hash, request, version } } = link
  const search = query ? toOlderQuery(routes, query, meant ?? defaultAt(routes[0], request)) : ''
  let url = basePathOf(server, request) + path + (search === '' ? '' : `?${search}`)
  if (scheme !== null && (meant !== null || version !== undefined)) {
    for (const one of scheme.members) url = placeOf(one).write(url, one, one === place ? meant : null, meant)
  }
  if (hash !== undefined && hash !== null) url += toFragment(hash)
  url = withOrigin(link, place, meant, url)
  noteForwarded(server, request, 'X-Forwarded-Prefix')
  return url
}

function defaultAt (route: Route, request: ReverseOptions['request']): string | null {
  const scheme = schemeOf(route)
  return scheme && defaultIn(scheme, request)
}

/** The query of a link as text, from the version of the handler to the version of the link. */
function toOlderQuery (routes: readonly Route[], query: LinkQuery, version: string | null): string {
  const written = toQuery(query)
  const forms = routes.map((route) => {
    const slot = slotOf(route, route.methods[0])
    const claimant = slot?.claimants.find(({ claim }) => claim.versions.includes(version))
    return (claimant ?? slot?.open ?? route).older.byVersion?.get(version)
  })
  const form = forms.find((one) => one?.downgradeQuery)
  if (!form?.downgradeQuery) return written
  const older = form.downgradeQuery(toObject(query)) as LinkQuery
  try {
    return toQuery(older)
  } catch (cause) {
    const changes = form.changes.map(({ label }) => label).join(' and ')
    const subject = `${labelOf(routes[forms.indexOf(form)])}, querystring of a link`
    throw new VersionChangeError(changes, subject, 'its function "downgrade" returned what is no query', cause)
  }
}

/** A query as a handler has it: a parameter that is repeated is a list. */
function toObject (query: LinkQuery): object {
  const values = new Map<string, unknown>()
  for (const [name, value] of pairsIn(query)) {
    if (value === undefined || value === null) continue
    values.set(name, values.has(name) ? [values.get(name), value].flat() : value)
  }
  return Object.fromEntries(values)
}

/** A path, with an origin if it is to be absolute, or if its version is in a host where the client may not be. */
export function withOrigin (link: Link, place: Scheme | null, meant: string | null, path: string): string {
  const { scheme, server, options: { absolute = false, request } } = link
  if (typeof absolute !== 'boolean') throw invalidLinkOption('absolute', 'true or false', absolute)
  const host = scheme?.inHost[0]
  let origin: Origin | null = null
  // A value of the caller that is no version changes no host.
  if (host !== undefined && meant !== null && host.allows(meant)) origin = originIn(link, host, place, meant)
  else if (absolute) origin = findContext(server)?.baseUrl ?? requestOrigin(request)
  if (origin === null) return path
  noteForwarded(server, request, 'X-Forwarded-Host, X-Forwarded-Proto')
  return originText(origin) + path
}

/** RFC 3986 section 3.5; a leading `#`, as `URL.hash` has it, is not part of the fragment. */
function toFragment (hash: unknown): string {
  if (typeof hash !== 'string') throw invalidLinkOption('hash', 'a string', hash)
  const fragment = hash.replace(/^#/, '').toWellFormed()
  return fragment === '' ? '' : `#${encodeURI(fragment).replaceAll('#', '%23')}`
}
