import { itemOf, shortJson } from './json.ts'

import type { DifferenceKind } from '../../types/check.d.ts'

/** The date from which a deprecated operation, parameter or property may be removed (`x-sunset`). */
export interface Sunset {
  readonly time: number
  /** The date or time as the document writes it (RFC 3339). */
  readonly text: string
  /** Whether the document has `deprecated: true` beside the sunset. */
  readonly isDeprecated: boolean
}

interface Ending { readonly kind: DifferenceKind, readonly words: string }

/** Returns the sunset of a part of a document, or null if it has no sunset, or one that is not a date. */
export function sunsetOf ({ deprecated, 'x-sunset': text }: Readonly<Record<string, unknown>>): Sunset | null {
  if (typeof text !== 'string') return null
  const time = timeOf(text)
  return Number.isNaN(time) ? null : { time, text, isDeprecated: deprecated === true }
}

/** Returns a date or a time (RFC 3339) in milliseconds since 1970, or NaN. `Date` also reads `1` as a year. */
export function timeOf (text: string): number {
  return /^\d{4}-\d\d-\d\d(?:[Tt ].*)?$/.test(text) ? Date.parse(text) : NaN
}

/** Returns a time in milliseconds since 1970, or throws a TypeError if the time is not valid. */
export function toTime (now: Date | number = Date.now()): number {
  const time = Number(now)
  if (!Number.isNaN(time)) return time
  throw new TypeError(`Expected "now" to be a date, or milliseconds since 1970, got ${shortJson(now)}`)
}

/** Returns the difference for removed parts, which is breaking unless a past sunset announced the removal. */
export function removal (parts: readonly unknown[], now: number): Ending {
  const sunset = parts.map(sunsetIn).find((candidate) => candidate?.isDeprecated && candidate.time <= now)
  if (sunset === undefined) return { kind: 'breaking', words: 'was removed' }
  return { kind: 'added', words: `ended on ${sunset.text}, as announced` }
}

/** Returns the difference for parts whose sunset is earlier now, or null if it is not. */
export function sunsetMove (before: readonly unknown[], after: readonly unknown[]): Ending | null {
  const [was, is] = [before, after].map((parts) => parts.map(sunsetIn).find(Boolean))
  return was && is && is.time < was.time ? { kind: 'breaking', words: `ends on ${is.text} now, was ${was.text}` } : null
}

function sunsetIn (part: unknown): Sunset | undefined {
  return itemOf(part)['x-sunset'] as Sunset | undefined
}
