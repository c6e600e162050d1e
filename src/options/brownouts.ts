import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { knownFieldsOf } from './checks.ts'
import { toHttpDate, toInstant } from './instant.ts'
import { quotedAttribute } from '../http/headers.ts'

/** A window in which a version or a route does not answer. Instants are milliseconds since the epoch. */
export interface Brownout {
  readonly from: number
  /** The first instant at which it answers again. */
  readonly to: number
}

const MAX_WINDOWS = 100
const EXPECTED = `a list of at most ${MAX_WINDOWS} windows { from, to }`
const EXPECTED_INSTANT = "a Date, or a date-time with offset such as '2026-12-01T10:00Z', of the years 1 to 9999"
const FIELDS = ['from', 'to']

/** How many of the windows ahead a link holds, so that the header stays short. */
const MAX_ANNOUNCED = 5

/** What holds from one instant until another one. */
interface Phase {
  readonly since: number
  readonly until: number
  /** The end of the windows that the phase lies in, or null if it lies in none. */
  readonly end: number | null
  /**
   * The attribute by which a link announces the windows that are not over, the first five as ISO 8601 intervals; `''`
   * if all are over.
   */
  readonly attribute: string
}

/** The windows of a version or a route, and what holds at an instant. */
export class Brownouts {
  /** As they were declared: sorted and disjoint. */
  readonly windows: readonly Brownout[]
  /** The same, with windows joined that have no gap between them. */
  readonly #spans: readonly Brownout[]
  /** The one that was asked for last. */
  #phase: Phase = { since: Infinity, until: -Infinity, end: null, attribute: '' }

  constructor (windows: readonly Brownout[]) {
    this.windows = windows
    this.#spans = join(windows)
  }

  /** @param now milliseconds since the epoch; it may be less than the last time, because a clock may be set back */
  at (now: number): Phase {
    if (now < this.#phase.since || now >= this.#phase.until) this.#phase = this.#find(now)
    return this.#phase
  }

  /** Finds the first span that ends later: once for each instant at which something changes. */
  #find (now: number): Phase {
    const before = this.#spans.findLast(({ to }) => to <= now)
    const span = this.#spans.find(({ to }) => now < to)
    const isInside = span !== undefined && now >= span.from
    return {
      since: isInside ? span.from : before?.to ?? -Infinity,
      until: (isInside ? span.to : span?.from) ?? Infinity,
      end: isInside ? span.to : null,
      attribute: attributeOf(this.windows.filter((window) => now < window.to))
    }
  }
}

/**
 * Reads windows in which a version or a route does not answer.
 *
 * @param option the option that they are the value of, for the error
 * @param sunsetAt when the version ends, or null for never
 * @returns null if there are none
 * @throws FST_ERR_VERSIONING_OPTION naming the window, the field and the value
 */
export function toBrownouts (option: string, value: unknown, sunsetAt: number | null): Brownouts | null {
  if (!Array.isArray(value) || value.length > MAX_WINDOWS) {
    const given = Array.isArray(value) ? `${value.length} windows` : show(value)
    throw new VersioningOptionError(option, EXPECTED, given)
  }
  const windows = Array.from(value, (one, i) => toBrownout(`${option}.${i}`, one))
  for (const [i, { from, to }] of windows.entries()) {
    if (i > 0 && from < windows[i - 1].to) {
      const expected = `an instant not before the end of the window before it, ${toHttpDate(windows[i - 1].to)}`
      throw new VersioningOptionError(`${option}.${i}.from`, expected, show(value[i].from))
    }
    if (sunsetAt !== null && to > sunsetAt) {
      throw new VersioningOptionError(`${option}.${i}.to`, 'an instant not after the sunset', show(value[i].to))
    }
  }
  return windows.length === 0 ? null : new Brownouts(windows)
}

function toBrownout (option: string, value: unknown): Brownout {
  const fields = knownFieldsOf(option, value, 'a window { from, to }', FIELDS)
  const [from, to] = FIELDS.map((field) => toPreciseInstant(`${option}.${field}`, fields.get(field)))
  if (from < to) return { from, to }
  throw new VersioningOptionError(`${option}.to`, `an instant after "${option}.from"`, show(fields.get('to')))
}

/** A window of whole days is more often a mistake than meant. */
function toPreciseInstant (option: string, value: unknown): number {
  if (typeof value !== 'string' || value.includes('T')) return toInstant(option, value, EXPECTED_INSTANT)
  throw new VersioningOptionError(option, EXPECTED_INSTANT, show(value))
}

function attributeOf (windows: readonly Brownout[]): string {
  const intervals = windows.slice(0, MAX_ANNOUNCED).map(({ from, to }) => `${toIsoText(from)}/${toIsoText(to)}`)
  return intervals.length === 0 ? '' : quotedAttribute('brownouts', intervals.join(' '))
}

function toIsoText (instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z')
}

function join (windows: readonly Brownout[]): Brownout[] {
  const spans: Brownout[] = []
  for (const { from, to } of windows) {
    const last = spans.at(-1)
    if (last?.to === from) spans[spans.length - 1] = { from: last.from, to }
    else spans.push({ from, to })
  }
  return spans
}
