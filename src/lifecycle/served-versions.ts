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
  /** How it is retired there, or undefined if it is not. */
  readonly retirement: Retirement | undefined
  /** When it begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
  readonly goneAt: number
  readonly isPreview: boolean
  /** A default version that allowedVersions leaves out is not. */
  readonly isListed: boolean
}

/** What headers say of the versions of a URL between two instants, in milliseconds since the epoch. */
export interface VersionReport {
  readonly from: number
  readonly until: number
  readonly supported: string
  readonly deprecated: string
}

/** A URL, and the versions in release order. */
export interface ServedUrl {
  /** The versions in which it is served; none where an open route serves every version. */
  readonly versions: readonly Served[]
  /** The versions in which the same resource may have a URL: a route in a namespace has counterparts in the others. */
  readonly linked: readonly Served[]
  /** It changes at few instants, and every response says it. */
  report: VersionReport | null
}

/** By slot, or by route where versions do not choose it. */
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

/** The versions that requests to the route can have. Without a list there is no release order. */
function ofRoute (route: Route, scheme: Scheme): Served[] {
  const { allowedVersions } = scheme
  if (!allowedVersions?.length) return []
  const servedVersions = servedVersionsOf(route)
  const listed = allowedVersions.filter((version) => servedVersions.includes(version))
  // The default version need not be listed.
  return (listed.length > 0 ? listed : servedVersions).map((version) => toServed(version, route, listed.length > 0))
}

/** A version as a route serves it. */
export function toServed (
  version: string | null, route: Pick<Route, 'server'> & Partial<Route>, isListed = true
): Served {
  const context = contextOf(route.server)
  const ofVersion = context.lifecycle?.get(version as string)
  const retirement = route.retirement ?? ofVersion
  const goneAt = goneFrom(context, retirement)
  return { version, retirement, goneAt, isPreview: ofVersion?.isPreview === true, isListed }
}

/** When what is retired begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
export function goneFrom ({ enforceSunset }: VersioningContext, retirement: Retirement | undefined): number {
  return enforceSunset ? retirement?.sunsetAt ?? Infinity : Infinity
}
