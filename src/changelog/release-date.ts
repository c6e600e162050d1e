import { isDate } from '../options/date.ts'

/** A version that is a date says when it was released: as ISO 8601, or null. */
export function dateIn (version: string): string | null {
  return isDate(version) ? new Date(version).toISOString() : null
}
