import { itemOf, shortJson } from './json.ts'

import type { DifferenceKind } from '../../types/check.d.ts'

/** When an operation, a parameter or a property that a document deprecates may go (`x-sunset`). */
export interface Sunset {
  readonly time: number
  /** As it is written, a date or a time (RFC 3339). */
  readonly text: string
  /** Whether it is deprecated now. */
  readonly isDeprecated: boolean
}

interface Ending { readonly kind: DifferenceKind, readonly words: string }

/** The sunset of a part of a document, or null if it has none or if that is no date. */
export function sunsetOf ({ deprecated, 'x-sunset': text }: Readonly<Record<string, unknown>>): Sunset | null {
  if (typeof text !== 'string') return null
  const time = timeOf(text)
  return Number.isNaN(time) ? null : { time, text, isDeprecated: deprecated === true }
}

/** A date or a time (RFC 3339) in milliseconds since 1970. Date reads other texts, too, `1` as a year. */
export function timeOf (text: string): number {
  return /^\d{4}-\d\d-\d\d(?:[Tt ].*)?$/.test(text) ? Date.parse(text) : NaN
}

/** @throws TypeError for a time that is none */
export function toTime (now: Date | number = Date.now()): number {
  const time = Number(now)
  if (!Number.isNaN(time)) return time
  throw new TypeError(`Expected "now" to be a date, or milliseconds since 1970, got ${shortJson(now)}`)
}

/** What it means that something was removed: it may go if that was announced. */
export function removal (parts: readonly unknown[], now: number): Ending {
  const sunset = parts.map(sunsetIn).find((candidate) => candidate?.isDeprecated && candidate.time <= now)
  if (sunset === undefined) return { kind: 'breaking', words: 'was removed' }
  return { kind: 'added', words: `ended on ${sunset.text}, as announced` }
}

/** What it means that something may go earlier, or null if it may not. */
export function sunsetMove (before: readonly unknown[], after: readonly unknown[]): Ending | null {
  const [was, is] = [before, after].map((parts) => parts.map(sunsetIn).find(Boolean))
  return was && is && is.time < was.time ? { kind: 'breaking', words: `ends on ${is.text} now, was ${was.text}` } : null
}

function sunsetIn (part: unknown): Sunset | undefined {
  return itemOf(part)['x-sunset'] as Sunset | undefined
}
