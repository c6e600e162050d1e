import { contextOf, slot } from '../context.ts'
import { candidateOf } from '../routing/constraint.ts'
import { choiceOf } from '../routing/store.ts'
import { VersionReport } from './report.ts'

import type { FastifyRequest } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { Choice } from '../routing/choice.ts'
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

/**
 * The versions that the URL of a request is served in, of those that its scheme lists.
 *
 * @param route undefined where it has no options of its own
 */
export function servedVersions (
  { raw, versioningScheme }: FastifyRequest, route: Route | undefined, context: VersioningContext
): ServedVersions {
  const scheme = versioningScheme as VersioningScheme
  const candidate = route === undefined ? undefined : candidateOf.of(route)
  const choice = candidate === undefined ? null : choiceOf(candidate, raw)
  if (candidate !== undefined && choice?.scheme === scheme) {
    const group = choice.groupOf(candidate)
    return known.of(group) ?? known.set(group, new ServedVersions(chosen(choice, group)))
  }
  const isPlain = route === undefined || (route.ending === undefined && route.ownScheme === undefined)
  const holder = isPlain ? context : route
  return known.of(holder) ?? known.set(holder, new ServedVersions(listed(scheme, route, context)))
}

/** Each version ends as the route that serves it, and that route as its own context says. */
function chosen (choice: Choice, group: ReturnType<Choice['groupOf']>): Served[] {
  return choice.servingTo(group).map(({ version, route }) => (
    toServed(version, route.ending, contextOf(route.server) as VersioningContext)
  ))
}

/** Where versions have routes of their own, a route ends in its own version alone. */
function listed (scheme: VersioningScheme, route: Route | undefined, context: VersioningContext): Served[] {
  const { ending, namespace } = route ?? {}
  const own = namespace && scheme.versionIn?.(namespace.names)
  return (scheme.allowedVersions ?? []).map((version) => (
    toServed(version, own === undefined || own === version ? ending : undefined, context)
  ))
}

function toServed (
  version: string | null, ownEnding: Ending | undefined, { enforceSunset, lifecycle }: VersioningContext
): Served {
  const ending = ownEnding ?? (version === null ? undefined : lifecycle?.get(version))
  return { version, ending, goneAt: enforceSunset ? ending?.sunsetAt ?? Infinity : Infinity }
}
