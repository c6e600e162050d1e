import { differsIn } from '../between-versions/comparison.ts'
import { hasPattern } from '../between-versions/endpoints.ts'
import { contextOf } from '../context.ts'
import { toServed } from '../lifecycle/served-versions.ts'
import { RouteWatch } from './watch.ts'

import type { Notice } from '../between-versions/comparison.ts'
import type { Endpoint } from '../between-versions/endpoints.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** What another version means: `affected` if a client must look at its code, `unknown` if only reading code tells. */
export interface Verdict {
  readonly status: 'affected' | 'unknown' | 'unaffected'
  /** The reason as a sentence, or '' if changes or differences say it, or if the client is unaffected. */
  readonly reason: string
}

const UNAFFECTED: Verdict = { status: 'unaffected', reason: '' }

/**
 * Returns what the clients of an endpoint would notice in another version now.
 *
 * @param endpoint undefined if the app does not have the endpoint any more
 * @param notice undefined if nobody has to leave the version
 */
export function verdictOf (
  endpoint: Endpoint | undefined, notice: Notice | undefined, from: string, to: string
): Verdict {
  const affected = (reason: string): Verdict => ({ status: 'affected', reason })
  if ((notice?.after ?? endpoint?.routes ?? []).some(({ retirement }) => retirement !== undefined)) {
    return affected('The route itself is retired, in every version.')
  }
  if (endpoint === undefined) return { status: 'unknown', reason: 'The app does not have this route any more.' }
  if (notice === undefined) return UNAFFECTED
  const { after, before, changes, differences, hasOtherHandler, isAdditive } = notice
  if (after.length === 0) return affected(`It is not in ${to}.`)
  if (hasOtherHandler) return affected(`Another handler answers in ${to}.`)
  if (differences.some(({ kind }) => kind === 'breaking') || (changes.length > 0 && !isAdditive)) return affected('')
  const now = contextOf(after[0].server).now()
  for (const [routes, version] of [[after, to], [before, from]] as const) {
    if (routes.some((route) => now >= toServed(version, route).goneAt)) return affected(`It is retired in ${version}.`)
  }
  const reason = doubtBetween(notice, from, to)
  return reason === null ? UNAFFECTED : { status: 'unknown', reason }
}

/** Returns the sentence why nobody can know whether a handler answers alike in both versions, or null. */
function doubtBetween ({ method, before, after }: Notice, from: string, to: string): string | null {
  // Another route may have other hooks, schemas, decorators and error handlers.
  if (differsIn(before, after, (route) => route)) return `Another route with the same handler answers in ${to}.`
  for (const route of before) {
    if ((route.scheme as Scheme).members.some((member) => member.allows(from) && !member.allows(to))) {
      return `Not every scheme of its list allows ${to}.`
    }
    if (hasPattern(route)) return 'The version in its path has a pattern, which may refuse a version.'
    const { observer } = route
    if (!(observer instanceof RouteWatch)) return 'It was declared before fastify-versioning/usage.'
    const doubt = observer.doubtIn(from, method) ?? observer.doubtIn(to, method)
    if (doubt !== null) return doubt
  }
  return null
}
