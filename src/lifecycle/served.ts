import { contextOf, slot } from '../context.ts'
import { routeOf } from '../routes.ts'
import { candidateOf } from '../routing/constraint.ts'
import { choiceOf } from '../routing/store.ts'
import { VersionReport } from './report.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { Candidate } from '../routing/candidates.ts'
import type { Choice, Group } from '../routing/choice.ts'
import type { Served } from './report.ts'
import type { AllowedVersions, VersioningScheme } from '../../types/index.d.ts'

/** The versions that a URL is served in, in release order. */
export class ServedVersions {
  readonly list: readonly Served[]
  readonly report: VersionReport
  /** Whether what is answered depends on the time. */
  readonly isTimed: boolean

  constructor (list: readonly Served[]) {
    this.list = list
    this.report = new VersionReport(list)
    this.isTimed = list.some(({ goneAt }) => goneAt !== Infinity)
  }

  /** The versions that are answered at an instant; all of them if none is. */
  answeredAt (now: number): AllowedVersions {
    const answered = this.list.filter(({ goneAt }) => now < goneAt)
    return (answered.length === 0 ? this.list : answered).map(({ version }) => version)
  }
}

const known = slot<ServedVersions>('served')
/** By the version whose route it is, where versions have routes of their own. */
const knownByVersion = slot<Map<string | null, ServedVersions>>('servedByVersion')

/** The versions that the URL of a request is served in, of those that its scheme lists. */
export function servedVersions (request: FastifyRequest, context: VersioningContext): ServedVersions {
  const scheme = request.versioningScheme as VersioningScheme
  const { choice: isChosen, ownOptions } = context.uses
  const route = isChosen || ownOptions ? routeOf(request) : undefined
  const candidate = route === undefined ? undefined : candidateOf.of(route)
  const choice = choiceOf(candidate, request.raw)
  if (choice?.scheme === scheme) {
    const group = choice.groupOf(candidate as Candidate)
    return known.of(group) ?? known.set(group, new ServedVersions(chosen(choice, group)))
  }
  const inNamespace = route?.ending === undefined ? undefined : versionInNamespace(scheme, route)
  if (inNamespace !== undefined) return servedElsewhere(request, route as Route, context, inNamespace)
  const holder = route === undefined || (route.ending === undefined && route.ownScheme === undefined) ? context : route
  return known.of(holder) ?? known.set(holder, new ServedVersions(listed(scheme, route?.ending, context)))
}

/** The version that the namespaces of a route are; null: none; undefined: versions have no routes of their own. */
function versionInNamespace (scheme: VersioningScheme, { namespace: { names } }: Route): string | null | undefined {
  if (scheme.versionIn !== undefined) return scheme.versionIn(names)
  // Outside of its namespaces a list reads the version elsewhere.
  return scheme.schemes?.map((one) => one.versionIn?.(names)).find((version) => typeof version === 'string')
}

/** Where versions have routes of their own, a route ends in its own version alone. */
function servedElsewhere (
  { version, versioningScheme }: FastifyRequest, route: Route, context: VersioningContext, inNamespace: string | null
): ServedVersions {
  const scheme = versioningScheme as VersioningScheme
  const named = version ?? inNamespace
  const own = scheme.allowedVersions?.includes(named) ? named : null
  const byVersion = knownByVersion.of(route) ?? knownByVersion.set(route, new Map())
  let served = byVersion.get(own)
  if (served === undefined) {
    const versions = listed(scheme, undefined, context)
    const ending = toServed(own, route.ending, context)
    served = new ServedVersions(versions.map((one) => one.version === own ? ending : one))
    byVersion.set(own, served)
  }
  return served
}

/**
 * Each version ends as the route that serves it, and that route as its own context says. None where an open route
 * serves every version that there may be.
 */
function chosen (choice: Choice, group: Group): Served[] {
  if (choice.isOpen && choice.scheme.allowedVersions === null) return []
  return choice.servingTo(group).map(({ version, route }) => (
    toServed(version, route.ending, contextOf(route.server) as VersioningContext)
  ))
}

function listed (scheme: VersioningScheme, ending: Ending | undefined, context: VersioningContext): Served[] {
  return (scheme.allowedVersions ?? []).map((version) => toServed(version, ending, context))
}

function toServed (
  version: string | null, ownEnding: Ending | undefined, { enforceSunset, lifecycle }: VersioningContext
): Served {
  const ending = ownEnding ?? lifecycle?.get(version as string)
  return { version, ending, goneAt: enforceSunset ? ending?.sunsetAt ?? Infinity : Infinity }
}
