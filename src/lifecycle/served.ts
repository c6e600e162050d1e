import { contextOf } from '../context.ts'
import { servingTo } from '../routing/slots.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Group, Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

/** A version in which a URL is served. */
export interface Served {
  /** Null means requests without a version, if they are allowed. */
  readonly version: string | null
  /** How it ends there, or undefined if it does not. */
  readonly ending: Ending | undefined
  /** When it begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
  readonly goneAt: number
  readonly isPreview: boolean
}

/** The headers that list versions, from one instant until another one. */
interface Report {
  readonly since: number
  readonly until: number
  readonly supported: string
  readonly deprecated: string
  readonly previews: string
}

/** The versions that a URL is served in, in release order, and the headers that list them. */
export class ServedVersions {
  readonly list: readonly Served[]
  /** Whether it depends on the time which of them are answered. */
  readonly isTimed: boolean
  /** Whether the headers depend on the time. */
  readonly isReportTimed: boolean
  readonly #places: ReadonlyMap<string | null, number>
  /** When the headers change, in order: milliseconds since the epoch. */
  readonly #changes: readonly number[]
  /** Ready until the next version is deprecated or gone. */
  #report: Report

  constructor (list: readonly Served[]) {
    const instants = list.flatMap(({ ending, goneAt }) => [ending?.deprecatedAt ?? Infinity, goneAt])
    this.list = list
    this.#places = new Map(list.map(({ version }, i) => [version, i]))
    this.#changes = instants.filter((instant) => instant !== Infinity).sort((a, b) => a - b)
    this.#report = this.#reportAt(0)
    this.isTimed = list.some(({ goneAt }) => goneAt !== Infinity)
    this.isReportTimed = this.#changes.length > 0
  }

  /** Where in the list the versions after another one begin; at its end if that is not listed. */
  after (version: string | null): number {
    return (this.#places.get(version) ?? this.list.length) + 1
  }

  /**
   * The versions that are answered at an instant; all of them if none is.
   *
   * @param otherwise what is returned if there are none at all
   */
  answeredAt<Otherwise> (now: number, otherwise: Otherwise): AllowedVersions | Otherwise {
    if (this.list.length === 0) return otherwise
    const answered = this.list.filter(({ goneAt }) => now < goneAt)
    return (answered.length === 0 ? this.list : answered).map(({ version }) => version)
  }

  /** @param now milliseconds since the epoch; it may be less than the last time, because a clock may be set back */
  reportTo (reply: FastifyReply, now: number): void {
    if (now < this.#report.since || now >= this.#report.until) this.#report = this.#reportAt(now)
    const { supported, deprecated, previews } = this.#report
    if (supported !== '') reply.header('api-supported-versions', supported)
    if (deprecated !== '') reply.header('api-deprecated-versions', deprecated)
    if (previews !== '') reply.header('api-preview-versions', previews)
  }

  #reportAt (now: number): Report {
    const answered = this.list.filter(({ goneAt }) => now < goneAt)
    const supported = answered.filter(({ isPreview }) => !isPreview)
    const previews = answered.filter(({ isPreview }) => isPreview)
    const deprecated = supported.filter(({ ending }) => ending !== undefined && now >= ending.deprecatedAt)
    const until = this.#changes.find((change) => change > now) ?? Infinity
    return {
      since: now,
      until,
      supported: textOf(supported),
      deprecated: textOf(deprecated),
      previews: textOf(previews)
    }
  }
}

function textOf (versions: readonly Served[]): string {
  return versions.map(({ version }) => version).filter((version) => version !== null).join(', ')
}

/** By what decides them: a group of routes among which versions choose, a route, or a context. */
const known = new WeakMap<object, ServedVersions>()
/** By route and version, if each version has its own routes. */
const knownByVersion = new WeakMap<Route, Map<string | null, ServedVersions>>()

/** Where a request has come. */
interface Destination {
  /** Undefined if no route of the app has its own scheme, ending or versions. */
  readonly route: Route | undefined
  /** Undefined where versions do not choose the route. */
  readonly group: Group | undefined
  readonly scheme: Scheme
  readonly context: VersioningContext
}

/** A request that has come there. */
export interface Arrival extends Destination {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
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
    // None where an open route serves every version that there may be.
    return known.get(group) ?? remember(known, group, (servingTo(group) ?? []).map((one) => (
      toServed(one.version, one.route.ending, contextOf(one.route.server))
    )))
  }
  const ending = route?.ending
  if (route !== undefined && ending !== undefined && scheme.readsNamespaces) {
    const inNamespace = scheme.versionIn(route.namespace.names)
    // Each version has its own routes: a route ends in one. Outside of namespaces a list reads the version elsewhere.
    if (inNamespace !== null || !scheme.isList) {
      const given = version ?? inNamespace
      const own = scheme.allowedVersions?.includes(given) ? given : null
      let byVersion = knownByVersion.get(route)
      if (byVersion === undefined) knownByVersion.set(route, byVersion = new Map())
      return byVersion.get(own) ?? remember(byVersion, own, listed(scheme, context, ending, own))
    }
  }
  const holder = route === undefined || (ending === undefined && route.ownScheme === undefined) ? context : route
  return known.get(holder) ?? remember(known, holder, listed(scheme, context, ending))
}

function remember<Key> (
  map: { set (key: Key, served: ServedVersions): unknown }, key: Key, list: readonly Served[]
): ServedVersions {
  const served = new ServedVersions(list)
  map.set(key, served)
  return served
}

/**
 * @param ending how the route ends, or undefined if it ends with its versions
 * @param own the only version in which the route ends. Default: it ends in all
 */
function listed (
  { allowedVersions }: Scheme, context: VersioningContext, ending: Ending | undefined, own?: string | null
): Served[] {
  return (allowedVersions ?? []).map((version) => (
    toServed(version, own === undefined || own === version ? ending : undefined, context)
  ))
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
