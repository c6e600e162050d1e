import { isDeepStrictEqual } from 'node:util'

import { isObject, keptIn, listOf, pointerOf, valueAt } from '../changes/schema.ts'
import { candidatesFor, isRecord, sampleOf } from './samples.ts'
import { textOf } from './watched-function.ts'

import type { Description } from '../changes/description.ts'
import type { Place } from '../changes/edition.ts'
import type { Outcome, Side } from './side.ts'
import type { Path } from './watched-function.ts'

/** Another value in one place of a value. */
interface Edit {
  readonly path: Path
  /** Undefined to leave the member out. */
  readonly value: unknown
  /** Whether the member was absent. */
  readonly isNew?: boolean
  /** Whether one schema describes both the place and a value around it. */
  readonly isAgain: boolean
}

/** What the tried values have shown of a conversion. */
export interface Tried {
  /** The places of differences with which something is wrong. One problem is enough for each. */
  readonly failed: Set<string>
  /** By JSON pointer, whether results depend on the value in a place, or have a value in the same place. */
  readonly uses: Map<string, { readonly path: Path, readonly isUsed: boolean }>
  /** Whether all results are empty. */
  isBlind: boolean
}

/** Converts a value; null if the value is not valid itself. */
type Judge = (value: unknown) => Outcome | null
type Report = (value: unknown, wrong: string) => void

/** How many variants of a value are tried, how many new objects are varied inside, and how many variants are random. */
const MOST_VALUES = 600
const MOST_INNER = 8
const MOST_BY_CHANCE = 100
/** The depth to which values are varied. */
const MAX_VARIED_DEPTH = 6

/**
 * Tries variants of a value, first with one difference, then with several, and reports the fewest differences with
 * which something is wrong.
 *
 * @param side the side of the value. The next parameter is the other side, whose bounds are tried as well
 */
export function tryVariants (
  value: unknown, side: Side, { limits }: Side, judge: Judge, report: Report, tried: Tried
): void {
  const { failed, uses } = tried
  const { description } = side
  const hasFailed = ({ path }: Edit) => (
    [...failed].some((pointer) => `${pointerOf(path)}/`.startsWith(`${pointer}/`))
  )

  /** Converts a value with some differences; null if it is not valid, or something is wrong with the result. */
  function attempt (base: unknown, edits: readonly Edit[]): Outcome | null {
    const outcome = edits.some(hasFailed) ? null : judge(edited(base, edits))
    let wrong = outcome?.wrong ?? null
    if (wrong === null) return outcome
    let left = edits
    for (const edit of edits) {
      const fewer = left.filter((candidate) => candidate !== edit)
      const reason = judge(edited(base, fewer))?.wrong ?? null
      if (reason !== null) [left, wrong] = [fewer, reason]
    }
    for (const { path } of left) failed.add(pointerOf(path))
    report(edited(base, left), `The example ${editsText(left)} is valid, too. ${wrong}`)
    return null
  }

  /** Tries each difference alone, then several at once. @returns the differences with which nothing is wrong */
  function attemptAll (base: unknown, edits: readonly Edit[]): Edit[] {
    const before = judge(base)?.value
    // In a big value, the places take turns. A difference beyond the limit is only tried together with others.
    const inTurns = edits.length > MOST_VALUES ? takingTurns(edits) : edits
    const fine = inTurns.filter((edit, i) => {
      if (i >= MOST_VALUES) return side.takes(edited(base, [edit]))
      const outcome = attempt(base, [edit])
      if (outcome !== null) note(edit.path, before, outcome.value)
      return outcome !== null
    })
    let left = Math.max(MOST_VALUES - edits.length, MOST_BY_CHANCE)
    for (const some of combinationsOf(fine)) {
      if (left-- === 0) break
      attempt(base, some)
    }
    return fine
  }

  function note (path: Path, before: unknown, after: unknown): void {
    const pointer = pointerOf(path)
    const isUsed = !isDeepStrictEqual(before, after) || valueAt(after, path) !== undefined
    uses.set(pointer, { path, isUsed: isUsed || uses.get(pointer)?.isUsed === true })
    tried.isBlind &&= Object.keys(Object(after)).length === 0
  }

  let whole = value
  let fine = attemptAll(value, editsOf(value, description, limits))
  const lacking = fine.filter(({ isNew }) => isNew)
  if (lacking.length > 0 && attempt(value, lacking) !== null) {
    whole = edited(value, lacking)
    fine = attemptAll(whole, editsOf(whole, description, limits))
  }
  // A new object has other members, and a new list may have the first item, so differences inside them are tried, too.
  // Values of a schema around them have been tried already.
  const isFirst = ({ path, value }: Edit) => listOf(value).length === 1 && listOf(valueAt(whole, path)).length === 0
  const inner = fine.filter((edit) => !edit.isAgain && (isRecord(edit.value) || isFirst(edit)))
  for (const edit of inner.slice(0, MOST_INNER)) {
    attemptAll(edited(whole, [edit]), editsOf(edit.value, description.at(edit.path), limits, edit.path))
  }
}

/**
 * Returns the differences that are tried in a value, each in one place.
 *
 * @param around the schemas of the values around the value. In a value of one of these schemas, another value of the
 * schema is tried, but nothing inside the other value
 */
function editsOf (
  value: unknown, description: Description, limits: Side['limits'], path: Path = [], around: readonly Place[] = []
): Edit[] {
  const here = [...around, ...description.places]
  const candidates = candidatesFor(value, description.places, limits)
  const byText = new Map(candidates.map((candidate) => [textOf(candidate), candidate]))
  byText.delete(textOf(value))
  const isAgain = timesOf(here) > 1
  const others = [...byText.values()].map((candidate): Edit => ({ path, value: candidate, isAgain }))
  if (!isObject(value) || path.length > MAX_VARIED_DEPTH || timesOf(here) > 2) return others
  // The items of a list are alike, so only the first one is varied. A tuple may have a schema for each item.
  const items = Math.max(1, description.tupleLength)
  const names = Object.keys(value)
  const keys = Array.isArray(value) ? names.slice(0, items) : [...names, ...description.names]
  return [...others, ...[...new Set(keys)].flatMap((key): Edit[] => {
    const [member, inner] = [description.inside(key), [...path, key]]
    // A member that no schema describes is a matter between the handler and its changes.
    if (member.places.length === 0) return []
    if (valueAt(value, [key]) === undefined) {
      const sample = sampleOf(description.partsOf(key))
      const samples = isRecord(sample) ? [{}, sample] : [sample].filter((filled) => filled !== undefined)
      const isAgain = timesOf([...here, ...member.places]) > 1
      return samples.map((filled) => ({ path: inner, value: filled, isNew: true, isAgain }))
    }
    const without = Array.isArray(value) ? [] : [{ path: inner, value: undefined, isAgain }]
    return [...without, ...editsOf(value[key], member, limits, inner, here)]
  })]
}

/** Returns how often the most frequent schema is in a list. */
function timesOf (places: readonly Place[]): number {
  return Math.max(0, ...places.map((place) => places.filter((other) => other === place).length))
}

/** Returns a value with other values in some places. */
function edited (value: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce((value, edit) => withValueAt(value, edit.path, edit.value), value)
}

function withValueAt (whole: unknown, [key, ...path]: Path, value: unknown): unknown {
  if (key === undefined) return value
  // Another edit has left out the value around this place.
  if (!isObject(whole) || (path.length > 0 && !Object.hasOwn(whole, key))) return whole
  const member = withValueAt(whole[key], path, value)
  if (Array.isArray(whole)) return Object.hasOwn(whole, key) ? whole.with(Number(key), member) : whole
  const { [key]: _left, ...others } = whole
  return member === undefined ? others : { ...whole, [key]: member }
}

/** Returns differences as text: `without '/guests'`. */
function editsText (edits: readonly Edit[]): string {
  const absent = edits.filter(({ value }) => value === undefined).map(({ path }) => `'${pointerOf(path)}'`)
  const others = edits.filter(({ value }) => value !== undefined).map(({ path, value, isNew = false }) => (
    `with ${isNew ? '' : `${textOf(value).slice(0, 60)} at `}'${pointerOf(path)}'`
  ))
  return [...absent.length > 0 ? [`without ${absent.join(', ')}`] : [], ...others].join(', ')
}

/** Returns a list of differences for each place. */
function byPlace (edits: readonly Edit[]): Edit[][] {
  const places = new Map<string, Edit[]>()
  for (const edit of edits) keptIn(places, pointerOf(edit.path), (): Edit[] => []).push(edit)
  return [...places.values()]
}

/** Returns the first difference of each place, then the second differences, and so on. */
function takingTurns (edits: readonly Edit[]): Edit[] {
  return byPlace(edits).flatMap((some) => [...some.entries()]).sort(([a], [b]) => a - b).map(([, edit]) => edit)
}

/** Yields many differences at once, chosen by chance, and then pairs of differences: pairs of absent members first. */
function * combinationsOf (edits: readonly Edit[]): Generator<readonly Edit[]> {
  const sorted = [...edits].sort((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))
  const places = byPlace(sorted)
  // This generator of Park and Miller gives the same numbers each time, so that tests can be repeated.
  let state = 1
  const random = (most: number) => (state = state * 48271 % 2147483647) % most
  if (places.length > 2) {
    yield sorted.filter(({ value }) => value === undefined)
    for (let i = 0; i < MOST_BY_CHANCE; i++) {
      yield places.filter(() => random(2) === 0).map((some) => some[random(some.length)])
    }
  }
  for (const [i, first] of sorted.entries()) {
    for (const second of sorted.slice(i + 1)) {
      if (pointerOf(first.path) !== pointerOf(second.path)) yield [first, second]
    }
  }
}
