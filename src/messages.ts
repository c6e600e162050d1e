import { closestMatch } from 'leven'
import { inspect } from 'node:util'

/** A value as an error message shows it: on one line, and never long. */
export function show (value: unknown): string {
  const text = inspect(value, { breakLength: Infinity, depth: 1, maxArrayLength: 10, maxStringLength: 100 })
  return text.split('\n', 1)[0]
}

/** Longer texts are not compared with names, because a client may have written them. */
const MAX_COMPARED = 60

/**
 * A sentence with the names that were probably meant, with a space in front, or `''` if no name is near.
 *
 * @param name the one that is not known
 * @param names the names that are
 * @param also names that may be meant, however they are spelled
 */
export function suggestionFor (name: string, names: readonly string[], also: readonly string[] = []): string {
  // A short name is near to nearly everything.
  const maxDistance = Math.max(name.length > 3 ? 2 : 1, Math.floor(name.length / 3))
  const lower = names.map((text) => text.toLowerCase())
  const closest = name.length > MAX_COMPARED ? undefined : closestMatch(name.toLowerCase(), lower, { maxDistance })
  const at = closest === undefined ? -1 : lower.indexOf(closest)
  const near = [...new Set([names[at], ...also])].filter((text) => text !== undefined).slice(0, 3)
  return near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`
}

/**
 * What is wrong with a name that is not among others, with those that were probably meant.
 *
 * @param what the name is of: `version`
 */
export function unknownName (what: string, name: unknown, names: readonly string[]): string {
  const all = names.length === 0 ? '' : ` There are ${names.slice(0, 10).map(show).join(', ')}.`
  return `Unknown ${what} ${show(name)}.${suggestionFor(typeof name === 'string' ? name : show(name), names)}${all}`
}
