import { show, warnOnce } from '../messages.ts'
import { writtenNames } from './alternatives.ts'
import { isPlain } from './json.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { ReadChange } from './read-changes.ts'

interface Names { readonly added: readonly string[], readonly removed: readonly string[] }

/** A conversion whose values are watched. */
export interface WatchedConversion {
  readonly subject: string
  /** How many values are still to be looked at. */
  readonly watched: { left: number }
}

/** How many values of a route are looked at. A handler that answers as an older version does so each time. */
export const MOST_WATCHED = 1000

/**
 * Watches what a downgrade does with the values of handlers. If a value has a member that only the older schema has,
 * and none that only the newer schema has, its handler does not know the change, and older clients lose the member.
 *
 * @returns the function that gets each value with its result, and warns once of each part of a route
 */
export function outdatedWatch (newer: Place, older: Place, { label, told }: ReadChange) {
  let names: Names | undefined
  return function watch (value: unknown, result: unknown, { subject, watched }: WatchedConversion): void {
    watched.left--
    // Other values have no members. A promise is not plain, and causes an error of its own.
    if (!isPlain(value) || !isPlain(result)) return
    const { added, removed } = (names ??= namesOf(newer, older))
    const [before, after] = [value, result] as [Members, Members]
    const lost = removed.find((name) => (before[name] ?? null) !== null && after[name] !== before[name])
    // A handler that sets a new member knows the change, even if it sets the member to null.
    if (lost === undefined || added.some((name) => before[name] !== undefined)) return
    watched.left = 0
    const use = `Use ${added.map(show).join(' or ')} instead of ${show(lost)} in ${subject}`
    warnOnce(told, 'FST_WARN_VERSION_CHANGE', `${use}: the value is as before change ${label}, ` +
      `whose function "downgrade" makes ${show(after[lost])} of ${show(lost)}.`)
  }
}

/** Returns the added names and the removed names. Without added names, no name counts as removed. */
function namesOf (newer: Place, older: Place): Names {
  const [now, then] = [newer, older].map((place) => writtenNames(place) ?? [])
  const added = now.filter((name) => !then.includes(name))
  return { added, removed: added.length === 0 ? [] : then.filter((name) => !now.includes(name)) }
}
