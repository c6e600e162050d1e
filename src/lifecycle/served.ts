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
  /** How it is retired there, or undefined if it is not. */
  readonly ending: Ending | undefined
  /** When it begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
  readonly goneAt: number
  readonly isPreview: boolean
}

/** Where a request has come. */
interface Destination {
  /** Undefined if no route of the app has its own scheme, retirement or versions. */
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

/** By what decides them: a group of routes among which versions choose, a route, or a context. */
const known = new WeakMap<object, readonly Served[]>()

/** The versions in which a URL is served, in release order; none where an open route serves every version. */
export function servedVersions (destination: Destination): readonly Served[] {
  const { route, group, scheme, context } = destination
  const chosen = group?.slot.scheme === scheme ? group : undefined
  const isOwn = route !== undefined && (route.ending !== undefined || route.ownScheme !== undefined)
  const key = chosen ?? (isOwn ? route : context)
  let served = known.get(key)
  if (served === undefined) known.set(key, served = chosen === undefined ? listed(destination) : chosenIn(chosen))
  return served
}

/** The versions that are answered at an instant; all of them if none is. */
export function answeredAt (served: readonly Served[], now: number): AllowedVersions {
  const answered = served.filter(({ goneAt }) => now < goneAt)
  return (answered.length === 0 ? served : answered).map(({ version }) => version)
}

function chosenIn (group: Group): Served[] {
  return (servingTo(group) ?? []).map(({ version, route }) => (
    toServed(version, route.ending, contextOf(route.server))
  ))
}

/** The list of the scheme. A route of a namespace is retired in the version of the namespace only. */
function listed ({ route, scheme, context }: Destination): Served[] {
  const ending = route?.ending
  const inNamespace = route === undefined ? null : scheme.versionIn(route.namespace.names)
  // Outside of namespaces a list reads the version elsewhere.
  const isInOne = scheme.readsNamespaces && (inNamespace !== null || !scheme.isList)
  return (scheme.allowedVersions ?? []).map((version) => (
    toServed(version, !isInOne || version === (inNamespace ?? scheme.defaultVersion) ? ending : undefined, context)
  ))
}

function toServed (
  version: string | null, ownEnding: Ending | undefined, { enforceSunset, lifecycle }: VersioningContext
): Served {
  const ofVersion = lifecycle?.get(version as string)
  const ending = ownEnding ?? ofVersion
  const goneAt = enforceSunset ? ending?.sunsetAt ?? Infinity : Infinity
  return { version, ending, goneAt, isPreview: ofVersion?.isPreview === true }
}
