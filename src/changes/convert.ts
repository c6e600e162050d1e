import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { isOfClient } from './calls.ts'
import { Description, strangerIn } from './description.ts'
import { isJson, readJson } from './json.ts'
import { MOST_WATCHED } from './outdated.ts'
import { changesOf } from './read-changes.ts'
import { pointerOf, valueAt } from './schema.ts'
import { isZod, takesDates } from './zod.ts'

import type { State } from './calls.ts'
import type { Place } from './edition.ts'
import type { Move } from './plan.ts'
import type { Direction, ReadChange } from './read-changes.ts'
import type { Trace } from './trace.ts'

/**
 * Converts a value.
 *
 * @param trace notes the functions that run
 * @param lost gets the members that schemas remove from results. Without this list, such a member is an error
 */
export type Converter = (value: unknown, trace?: Trace | null, lost?: Loss[]) => unknown

/** Returns the path of a member that a schema removes from the result of an upgrade; null if it removes nothing. */
export type FindLoss = (value: unknown) => readonly string[] | null

/** A member that an upgrade has returned and the newer schema does not have: its path in the whole value. */
export interface Loss { readonly move: Move, readonly path: readonly string[], readonly value: unknown }

/**
 * Makes a conversion. The conversion does not modify the value that it gets, and throws FST_ERR_VERSION_CHANGE (500)
 * for a value that a change cannot convert.
 *
 * @param moves newest change first
 * @param changes all changes that are undone, for errors
 * @param subject the route and its part, or the schema, for errors
 * @param isSent whether a validator has accepted the value, or a serializer gets the result. A result for a serializer
 * may have dates and instances
 * @param losses for upgrades, what finds the loss of each move; null for a move whose schema removes nothing
 */
export function toConvert (
  moves: readonly Move[], direction: Direction, changes: readonly ReadChange[], subject: string, isSent = false,
  losses: readonly (FindLoss | null)[] = []
): Converter {
  const isUpgrade = direction === 'upgrade'
  const steps = moves.map((move, i) => {
    const convert = move.to(direction, isSent && !isUpgrade && i === moves.length - 1)
    return { move, convert, findLoss: losses[i] ?? null }
  })
  if (isUpgrade) steps.reverse()
  const takesDate = datesIn(moves.at(-1)?.older)
  const labels = labelsOf(changes)
  const quiet: State = { labels, subject, trace: null, watched: { left: MOST_WATCHED } }
  const run = (input: unknown, state: State, lost: Loss[] | undefined) => {
    let value = input
    for (let i = 0; i < steps.length; i++) {
      const { move, convert, findLoss } = steps[i]
      value = convert(value, state)
      const path = findLoss === null ? null : findLoss(value)
      if (path === null) continue
      if (lost === undefined) throw lossError({ move, path, value }, subject)
      lost.push({ move, path, value })
    }
    return value
  }
  return function convert (input, trace = null, lost = undefined) {
    const state = trace === null ? quiet : { ...quiet, trace }
    const start = trace === null ? 0 : performance.now()
    try {
      // A value that a validator of the app has accepted is JSON already.
      if ((isUpgrade && isSent) || isJson(input)) return run(input, state, lost)
      const json = readJson(input)
      const value = run(json.value, state, lost)
      return isSent ? json.restore(value, takesDate) : value
    } catch (error) {
      if (error instanceof VersionChangeError || (isUpgrade && isOfClient(error))) throw error
      const reason = isOverflow(error) ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
      throw new VersionChangeError(labels, subject, reason, error)
    } finally {
      if (trace !== null) trace.milliseconds += performance.now() - start
    }
  }
}

/** Makes the function that tells where values of a Zod schema have dates; undefined for other schemas. */
export function datesIn (older?: Place | null) {
  if (!isZod(older?.schema)) return undefined
  const description = new Description([older!])
  return (path: readonly string[]) => takesDates(description.at(path).places)
}

/** Tells whether an error says that the stack was exhausted, or is the error of a change for this reason. */
export function isOverflow (error: unknown): boolean {
  if (error instanceof RangeError && error.message.includes('call stack')) return true
  return error instanceof VersionChangeError && isOverflow(Object(error.cause).cause)
}

/** Returns the error for a member that a function has returned and the newer schema removes. */
export function lossError ({ move, path: lost, value }: Loss, subject: string): Error {
  const description = new Description([move.newer as Place])
  const there = description.at(lost)
  // If a whole object is removed, a member inside it may be the reason.
  const stranger = there.places.length === 0 ? [] : strangerIn(valueAt(value, lost), there)
  const path = [...lost, ...stranger ?? []]
  const key = path.at(-1) as string
  const outer = path.slice(0, -1)
  // The function to blame is that of the innermost changed schema around the member.
  const around = [...path.keys()].map((depth) => {
    const { places } = description.at(path.slice(0, depth))
    return move.steps.filter((step) => places.some(({ id }) => id !== null && id === step.id))
  })
  const steps = around.findLast((found) => found.length > 0) ?? move.steps
  const at = outer.length === 0 ? '' : ` at ${show(pointerOf(outer))}`
  // The names are those of all alternatives, and another alternative may have the key itself.
  const hint = suggestionFor(key, [...description.at(outer).names].filter((name) => name !== key))
  const or = stranger === null ? '"additionalProperties": false leaves nothing to the next alternative, or ' : ''
  const did = `its function "upgrade" returned ${show(key)}${at}, which the newer schema does not have`
  return new VersionChangeError(labelsOf(changesOf(steps)), subject, `${or}${did}${hint && `.${hint}`}`)
}

/** Returns the names of changes for messages. */
export function labelsOf (changes: readonly ReadChange[]): string {
  return [...new Set(changes.map(({ label }) => label))].join(' and ')
}

/** Throws FST_ERR_VERSION_CHANGE_OPTION with the changes, the part that they cannot convert, and the reason. */
export function refuseChange (changes: readonly ReadChange[], subject: string, part: string, reason: string): never {
  const text = reason.endsWith('?') ? reason : `${reason}.`
  throw new VersionChangeOptionError(`Change ${labelsOf(changes)}, ${subject}, ${part}: ${text}`)
}
