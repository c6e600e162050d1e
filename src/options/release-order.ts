import { must } from '../errors.ts'
import { show } from '../messages.ts'

/** A year at the end, as in q1-2026, where only the year is compared: other numbers may count in any order. */
const YEAR_LAST = /(?<=\D)(?:19|20)\d\d$/

/** Returns the versions of several lists, each once, in an order that keeps the order of every list. */
export function mergeOrders<Version> (lists: Iterable<readonly Version[]>): Version[] {
  const order: Version[] = []
  for (const list of lists) {
    let at = order.length
    for (const version of list.toReversed()) {
      const index = order.indexOf(version)
      if (index === -1) order.splice(at, 0, version)
      else at = index
    }
  }
  return order
}

/** Returns a version with 0 for each number, which is the same for alike versions: `v0` for v1 and v10. */
export function familyOf (version: string): string {
  return version.replace(/\d+/g, '0')
}

/** Tells whether a version is written like another version, with lower numbers. */
export function isBefore (version: string, later: string): boolean {
  if (familyOf(version) !== familyOf(later)) return false
  const [numbers, others] = [version, later].map((text) => (YEAR_LAST.exec(text) ?? text.split(/\D+/)).map(Number))
  const i = numbers.findIndex((number, i) => number !== others[i])
  return numbers[i] < others[i]
}

/** Tells whether versions are listed newest first, or sorted as texts: v1, v10, v2. */
export function isOutOfOrder (versions: readonly string[]): boolean {
  const descents = versions.slice(1).filter((version, i) => isBefore(version, versions[i])).length
  const isSorted = versions.every((version, i) => i === 0 || versions[i - 1] < version)
  return descents > 0 && (isSorted || descents === versions.length - 1)
}

/**
 * Checks that versions are not listed newest first or sorted as texts, where their order decides something. Versions
 * that are not written alike have the order that they are listed in.
 *
 * @param reader what reads the order, for the message
 * @throws FST_ERR_VERSIONING_OPTION with the right order
 */
export function checkOrder (
  allowedVersions: readonly (string | null)[] | null, reader: string, option = 'allowedVersions'
): void {
  const listed = (allowedVersions ?? []).filter((version) => version !== null)
  const sorted = listed.toSorted((a, b) => isBefore(a, b) ? -1 : Number(isBefore(b, a)))
  const expected = `the oldest version first, such as ${show(sorted)}, because ${reader} reads the order`
  must(!isOutOfOrder(listed), option, expected, listed)
}
