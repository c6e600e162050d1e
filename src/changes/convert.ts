import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { isOfClient } from './calls.ts'
import { Description, strangerIn } from './description.ts'
import { isJson, readJson } from './json.ts'
import { MOST_WATCHED } from './outdated.ts'
import { changesOf } from './read-changes.ts'
import { pointerOf, valueAt } from './schema.ts'

import type { State } from './calls.ts'
import type { Place } from './edition.ts'
import type { Move } from './plan.ts'
import type { Direction, ReadChange } from './read-changes.ts'
import type { Trace } from './trace.ts'

/**
 * Converts a value.
 *
 * @param trace notes the functions that run
 * @param lost gets what schemas remove of results. Without it, this is an error
 */
export type Converter = (value: unknown, trace?: Trace | null, lost?: Loss[]) => unknown

/** Where a schema removes something of the result of an upgrade; null for nowhere. */
export type FindLoss = (value: unknown) => readonly string[] | null

/** What an upgrade has returned, and the newer schema does not have. */
export interface Loss { readonly move: Move, readonly path: readonly string[], readonly value: unknown }

/**
 * Makes a conversion, which leaves the value that it gets as it is. It throws FST_ERR_VERSION_CHANGE (500) for a value
 * that a change cannot convert.
 *
 * @param moves newest change first
 * @param changes all that are undone, for errors
 * @param subject the route and its part, or the schema, for errors
 * @param isSent whether a validator has made the value, or a serializer gets the result, which may then have dates,
 * for example
 * @param losses by move, for upgrades; null where nothing is removed
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
      // A validator has made it of JSON.
      if ((isUpgrade && isSent) || isJson(input)) return run(input, state, lost)
      const json = readJson(input)
      const value = run(json.value, state, lost)
      return isSent ? json.restore(value) : value
    } catch (error) {
      if (error instanceof VersionChangeError || (isUpgrade && isOfClient(error))) throw error
      const reason = isOverflow(error) ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
      throw new VersionChangeError(labels, subject, reason, error)
    } finally {
      if (trace !== null) trace.milliseconds += performance.now() - start
    }
  }
}

/** Whether the stack was exhausted, or this is the cause of an error. */
export function isOverflow (error: unknown): boolean {
  if (error instanceof RangeError && error.message.includes('call stack')) return true
  return error instanceof VersionChangeError && isOverflow(Object(error.cause).cause)
}

/** The error of what a function has returned, and the schema after it removes. */
export function lossError ({ move, path: lost, value }: Loss, subject: string): Error {
  const description = new Description([move.newer as Place])
  const there = description.at(lost)
  // Where the whole is removed, something in it may be the reason.
  const stranger = there.places.length === 0 ? [] : strangerIn(valueAt(value, lost), there)
  const path = [...lost, ...stranger ?? []]
  const key = path.at(-1) as string
  const outer = path.slice(0, -1)
  // The innermost schema around it that has changed has the function.
  const around = [...path.keys()].map((depth) => {
    const { places } = description.at(path.slice(0, depth))
    return move.steps.filter((step) => places.some(({ id }) => id !== null && id === step.id))
  })
  const steps = around.findLast((found) => found.length > 0) ?? move.steps
  const at = outer.length === 0 ? '' : ` at ${show(pointerOf(outer))}`
  // Another alternative may have it.
  const hint = suggestionFor(key, [...description.at(outer).names].filter((name) => name !== key))
  const or = stranger === null ? '"additionalProperties": false leaves nothing to the next alternative, or ' : ''
  const did = `its function "upgrade" returned ${show(key)}${at}, which the newer schema does not have`
  return new VersionChangeError(labelsOf(changesOf(steps)), subject, `${or}${did}${hint && `.${hint}`}`)
}

/** Changes as messages name them. */
export function labelsOf (changes: readonly ReadChange[]): string {
  return [...new Set(changes.map(({ label }) => label))].join(' and ')
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
export function refuseChange (changes: readonly ReadChange[], subject: string, part: string, reason: string): never {
  const text = reason.endsWith('?') ? reason : `${reason}.`
  throw new VersionChangeOptionError(`Change ${labelsOf(changes)}, ${subject}, ${part}: ${text}`)
}
