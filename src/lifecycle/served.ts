import { contextOf } from '../context.ts'
import { servingTo } from '../routing/slots.ts'
import { VersionReport } from './report.ts'

import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Group, Route } from '../routes.ts'
import type { Served } from './report.ts'
import type { Scheme } from '../scheme.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

/** The versions that a URL is served in, in release order. */
export class ServedVersions {
  readonly list: readonly Served[]
  readonly report: VersionReport
  /** Whether the answer depends on the time. */
  readonly isTimed: boolean
  readonly #places: ReadonlyMap<string | null, number>

  constructor (list: readonly Served[]) {
    this.list = list
    this.report = new VersionReport(list)
    this.isTimed = list.some(({ goneAt }) => goneAt !== Infinity)
    this.#places = new Map(list.map(({ version }, i) => [version, i]))
  }

  /** Where in the list the versions after another one begin; at its end if that is not listed. */
  after (version: string | null): number {
    return (this.#places.get(version) ?? this.list.length) + 1
  }

  /** The versions that are answered at an instant; all of them if none is. */
  answeredAt (now: number): AllowedVersions {
    const answered = this.list.filter(({ goneAt }) => now < goneAt)
    return (answered.length === 0 ? this.list : answered).map(({ version }) => version)
  }
}

/** By what decides them: a group of routes among which versions choose, a route, or a context. */
const known = new WeakMap<object, ServedVersions>()
/** By route and version, if each version has its own routes. */
const knownByVersion = new WeakMap<Route, Map<string | null, ServedVersions>>()

/** Where a request has come. */
export interface Destination {
  /** Undefined if no route of the app has its own scheme, ending or versions. */
  readonly route: Route | undefined
  /** Undefined where versions do not choose the route. */
  readonly group: Group | undefined
  readonly scheme: Scheme
  readonly context: VersioningContext
}

/**
 * The versions of its scheme's list in which a URL is served.
 *
 * @param version the version of the request; null where it has none, because it was refused
 */
export function servedVersions (
  { route, group, scheme, context }: Destination, version: string | null
): ServedVersions {
  if (group?.slot.scheme === scheme) {
    return known.get(group) ?? remember(group, () => (
      // None where an open route serves every version that there may be.
      (servingTo(group) ?? []).map((one) => (
        toServed(one.version, one.route.ending, contextOf(one.route.server))
      ))
    ))
  }
  const inNamespace = route?.ending === undefined ? undefined : versionInNamespace(scheme, route)
  if (inNamespace !== undefined) return servedElsewhere(route as Route, scheme, version ?? inNamespace, context)
  const holder = route === undefined || (route.ending === undefined && route.ownScheme === undefined) ? context : route
  return known.get(holder) ?? remember(holder, () => listed(scheme, route?.ending, context))
}

function remember (holder: object, list: () => Served[]): ServedVersions {
  const served = new ServedVersions(list())
  known.set(holder, served)
  return served
}

/** The version of the namespaces of a route, or null. Undefined if versions do not have their own routes. */
function versionInNamespace (scheme: Scheme, { namespace: { names } }: Route): string | null | undefined {
  if (!scheme.readsNamespaces) return undefined
  const version = scheme.versionIn(names)
  // Outside of its namespaces a list reads the version elsewhere.
  return version === null && scheme.isList ? undefined : version
}

/** If each version has its own routes, a route ends only in its own version. */
function servedElsewhere (
  route: Route, scheme: Scheme, version: string | null, context: VersioningContext
): ServedVersions {
  const own = scheme.allowedVersions?.includes(version) ? version : null
  const byVersion = knownByVersion.get(route) ?? new Map<string | null, ServedVersions>()
  knownByVersion.set(route, byVersion)
  let served = byVersion.get(own)
  if (served === undefined) {
    const ending = toServed(own, route.ending, context)
    served = new ServedVersions(listed(scheme, undefined, context).map((one) => one.version === own ? ending : one))
    byVersion.set(own, served)
  }
  return served
}

function listed (scheme: Scheme, ending: Ending | undefined, context: VersioningContext): Served[] {
  return (scheme.allowedVersions ?? []).map((version) => toServed(version, ending, context))
}

function toServed (
  version: string | null, ownEnding: Ending | undefined, { enforceSunset, lifecycle }: VersioningContext
): Served {
  const ofVersion = lifecycle?.get(version as string)
  const ending = ownEnding ?? ofVersion
  // A function may make exceptions, which others do not learn of.
  const goneAt = enforceSunset === false ? Infinity : ending?.sunsetAt ?? Infinity
  return { version, ending, goneAt, isPreview: ofVersion?.isPreview === true }
}
