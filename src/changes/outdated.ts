import { show, warn } from '../messages.ts'
import { writtenNames } from './alternatives.ts'
import { isPlain } from './json.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'

interface Names { readonly added: readonly string[], readonly removed: readonly string[] }

/** A conversion whose values are watched. */
export interface WatchedConversion {
  readonly subject: string
  /** How many values are still to be looked at. */
  readonly watched: { left: number }
}

/** How many values of a route are looked at: a handler that answers as an older version does answers so each time. */
export const MOST_WATCHED = 1000

/**
 * Watches what a downgrade does with the values of handlers. If one has a member of the older schema alone, and none of
 * the newer schema alone, its handler does not know the change: older clients lose the member.
 *
 * @returns what gets each value with its result, and warns once for each route
 */
export function outdatedWatch (newer: Place, older: Place, label: string) {
  let names: Names | undefined
  return function watch (value: unknown, result: unknown, { subject, watched }: WatchedConversion): void {
    watched.left--
    // Nothing else has members, or a promise causes an error of its own.
    if (!isPlain(value) || !isPlain(result)) return
    const { added, removed } = (names ??= namesOf(newer, older))
    const [before, after] = [value, result] as [Members, Members]
    const lost = removed.find((name) => (before[name] ?? null) !== null && after[name] !== before[name])
    // A handler that says null knows the change.
    if (lost === undefined || added.some((name) => before[name] !== undefined)) return
    watched.left = 0
    warn('FST_WARN_VERSION_CHANGE', `Use ${added.map(show).join(' or ')} instead of ${show(lost)} in ${subject}: the ` +
      `value is as before change ${label}, whose function "downgrade" makes ${show(after[lost])} of ${show(lost)}.`)
  }
}

/** What the newer schema has instead of what the older schema had; nothing unless there is both. */
function namesOf (newer: Place, older: Place): Names {
  const [now, then] = [newer, older].map((place) => writtenNames(place) ?? [])
  const added = now.filter((name) => !then.includes(name))
  return { added, removed: added.length === 0 ? [] : then.filter((name) => !now.includes(name)) }
}
