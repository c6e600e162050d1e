import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { isOfClient } from './calls.ts'
import { isJson, readJson } from './json.ts'

import type { Ran, State } from './calls.ts'
import type { Move } from './plan.ts'
import type { Direction, ReadChange } from './read-changes.ts'

/** Converts a value, and notes the functions that run, if somebody asks. */
export type Converter = (value: unknown, ran?: Ran | null) => unknown

/**
 * Makes a conversion, which leaves the value that it gets as it is. It throws FST_ERR_VERSION_CHANGE (500) for a value
 * that a change cannot convert.
 *
 * @param moves newest change first
 * @param changes all that are undone, for errors
 * @param subject the route and its part, or the schema, for errors
 * @param isSent whether a validator has made the value, or a serializer gets the result, which may then have dates,
 * for example
 */
export function toConvert (
  moves: readonly Move[], direction: Direction, changes: readonly ReadChange[], subject: string, isSent = false
): Converter {
  const isUpgrade = direction === 'upgrade'
  const converts = moves.map((move, i) => move(direction, isSent && !isUpgrade && i === moves.length - 1))
  if (isUpgrade) converts.reverse()
  const labels = labelsOf(changes)
  const quiet: State = { labels, subject, ran: null }
  const run = (input: unknown, state: State) => {
    let value = input
    for (let i = 0; i < converts.length; i++) value = converts[i](value, state)
    return value
  }
  return function convert (input, ran = null) {
    const state = ran === null ? quiet : { labels, subject, ran }
    try {
      // A validator has made it of JSON.
      if ((isUpgrade && isSent) || isJson(input)) return run(input, state)
      const json = readJson(input)
      const value = run(json.value, state)
      return isSent ? json.restore(value) : value
    } catch (error) {
      if (error instanceof VersionChangeError || (isUpgrade && isOfClient(error))) throw error
      const isTooDeep = error instanceof RangeError && error.message.includes('call stack')
      const reason = isTooDeep ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
      throw new VersionChangeError(labels, subject, reason, error)
    }
  }
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
