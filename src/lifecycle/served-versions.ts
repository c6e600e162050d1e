import { contextOf } from '../context.ts'
import { comesTo, servedVersionsOf } from '../routing/coverage.ts'
import { servingTo } from '../routing/slots.ts'

import type { VersioningContext } from '../context.ts'
import type { Retirement } from '../options/lifecycle.ts'
import type { Arrival } from '../passage.ts'
import type { Route, Slot } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** A version in which a URL is served. */
export interface Served {
  /** Null means requests without a version, if they are allowed. */
  readonly version: string | null
  /** The retirement of the version at this URL, or undefined. */
  readonly retirement: Retirement | undefined
  /** The instant from which it answers 410, in milliseconds since the epoch, or Infinity for never. */
  readonly goneAt: number
  readonly isPreview: boolean
  /** Whether allowedVersions lists the version, from which a default version may be missing. */
  readonly isListed: boolean
}

/** The texts of the headers about the versions of a URL, between two instants in milliseconds since the epoch. */
export interface VersionReport {
  readonly from: number
  readonly until: number
  readonly supported: string
  readonly deprecated: string
}

/** The versions of a URL, in release order. */
export interface ServedUrl {
  /** The versions in which it is served; none where an open route serves every version. */
  readonly versions: readonly Served[]
  /** The versions in which the same resource may have a URL: a route in a namespace has counterparts in the others. */
  readonly linked: readonly Served[]
  /** The report that was made last: it changes at few instants, and every response has it. */
  report: VersionReport | null
}

/** The URLs by slot, or by route where versions do not choose the route. */
const servedUrls = new WeakMap<object, ServedUrl>()

export function servedAt ({ route, slot, scheme }: Arrival): ServedUrl {
  const key = slot ?? route
  let served = servedUrls.get(key)
  if (served === undefined) {
    const versions = slot === null ? ofRoute(route, scheme) : chosenIn(slot)
    const linked = scheme.readsNamespaces
      ? (scheme.allowedVersions ?? []).map((version) => toServed(version, { server: route.server }))
      : versions
    servedUrls.set(key, served = { versions, linked, report: null })
  }
  return served
}

function chosenIn (slot: Slot): Served[] {
  const serving = servingTo(slot).filter(({ version, route }) => comesTo(route, version))
  return serving.map(({ version, route }) => toServed(version, route))
}

/** Returns the versions that requests to a route can have; none without a list, which has the release order. */
function ofRoute (route: Route, scheme: Scheme): Served[] {
  const { allowedVersions } = scheme
  if (!allowedVersions?.length) return []
  const servedVersions = servedVersionsOf(route)
  const listed = allowedVersions.filter((version) => servedVersions.includes(version))
  // If no served version is listed, they are the default version, which need not be listed.
  return (listed.length > 0 ? listed : servedVersions).map((version) => toServed(version, route, listed.length > 0))
}

/** Returns a version as a route serves it. */
export function toServed (
  version: string | null, route: Pick<Route, 'server'> & Partial<Route>, isListed = true
): Served {
  const context = contextOf(route.server)
  const ofVersion = context.lifecycle?.get(version as string)
  const retirement = route.retirement ?? ofVersion
  const goneAt = goneFrom(context, retirement)
  return { version, retirement, goneAt, isPreview: ofVersion?.isPreview === true, isListed }
}

/** Returns when a retirement begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
export function goneFrom ({ enforceSunset }: VersioningContext, retirement: Retirement | undefined): number {
  return enforceSunset ? retirement?.sunsetAt ?? Infinity : Infinity
}
