import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { JsonReader, isJson, isPlain, put, shallow } from './json.ts'
import { otherShape } from './shape.ts'

import type { ReadChange, ValueStep } from './read.ts'
import type { Choice, Direction, Shape } from './shape.ts'

/** Converts a value, which does not change. */
export type Convert = (value: unknown) => unknown

/** One step of a conversion: the function for the whole value, or the functions of the schemas in it. */
export type Move = Shape | ValueStep

/** A conversion that failed, with the change whose function did. */
class Failure extends Error {
  readonly change: ReadChange | null

  constructor (change: ReadChange | null, reason: string, cause?: unknown) {
    super(reason, { cause })
    this.change = change
  }
}

/**
 * Makes a conversion at boot. It throws FST_ERR_VERSION_CHANGE (500) for a value that a change cannot convert.
 *
 * @param moves in the order in which they are made
 * @param changes all that are undone, for errors
 * @param subject the route and its part, or the schema, for errors
 * @param isSerialized whether a serializer gets the result, which may then have dates, for example
 */
export function toConvert (
  moves: readonly Move[], direction: Direction, changes: readonly ReadChange[], subject: string, isSerialized = false
): Convert {
  const walks = moves.map((move) => 'isAlive' in move ? walkOf(move, direction) : callOf(move, direction))
  return function convert (given) {
    try {
      const reader = direction === 'upgrade' || isJson(given) ? null : new JsonReader()
      let value = reader === null ? given : reader.read(given)
      for (const walk of walks) value = walk(value)
      return reader !== null && isSerialized ? reader.restore(value) : value
    } catch (error) {
      throw toError(error, changes, subject)
    }
  }
}

function toError (error: unknown, changes: readonly ReadChange[], subject: string): Error {
  if (error instanceof Failure) {
    const failing = error.change === null ? changes : [error.change]
    return new VersionChangeError(labelsOf(failing), subject, error.message, error.cause)
  }
  const isTooDeep = error instanceof RangeError && error.message.includes('call stack')
  const reason = isTooDeep ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
  return new VersionChangeError(labelsOf(changes), subject, reason, error)
}

/** Changes as messages name them. */
export function labelsOf (changes: readonly ReadChange[]): string {
  return changes.map(({ label }) => label).join(' and ')
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION */
export function refuse (changes: readonly ReadChange[], subject: string, part: string, reason: string): never {
  const text = reason.endsWith('?') ? reason : `${reason}.`
  throw new VersionChangeOptionError(`Change ${labelsOf(changes)}, ${subject}, ${part}: ${text}`)
}

/**
 * Downgrades call the functions of outer values first, then the functions of the values inside, as the older schema has
 * them. Upgrades do the reverse.
 */
function walkOf (shape: Shape, direction: Direction): Convert {
  const known = shape.walks[direction]
  if (known !== null) return known
  const calls = shape.steps.map((step) => callOf(step, direction))
  const made = {} as { inside: Convert }
  const walk = direction === 'downgrade'
    ? (value: unknown) => made.inside(calls.length === 0 ? value : called(calls, value))
    : (value: unknown) => called(calls, made.inside(value))
  shape.walks[direction] = walk
  // A shape may contain itself.
  made.inside = insideOf(shape, direction)
  if (direction === 'upgrade') calls.reverse()
  return walk
}

/** Functions of schemas are not called for null. */
function called (calls: readonly Convert[], given: unknown): unknown {
  let value = given
  for (let i = 0; i < calls.length && value !== null && value !== undefined; i++) value = calls[i](value)
  return value
}

function insideOf (shape: Shape, direction: Direction): Convert {
  const { choices: [choice], items: [items], members } = shape
  if (choice !== undefined) return insideChoice(choice, direction)
  const ofItems = items === undefined ? null : walkOf(items, direction)
  const keys = members.map(([key]) => key)
  const walks = members.map(([, inner]) => walkOf(inner, direction))
  const ofOthers = shape.others.length === 0 ? null : walksOfOthers(shape, direction)
  return function inside (value) {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return ofItems === null ? value : eachItem(value, ofItems)
    let copy: Record<string, unknown> | null = null
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]
      const member = memberOf(value, key)
      const converted = member === undefined ? member : walks[i](member)
      if (converted !== member) put(copy ??= shallow(value) as Record<string, unknown>, key, converted)
    }
    if (ofOthers === null) return copy ?? value
    for (const key of Object.keys(value)) {
      const walk = ofOthers(key)
      if (walk === null) continue
      const member = (value as Record<string, unknown>)[key]
      const converted = walk(member)
      if (converted !== member) put(copy ??= shallow(value) as Record<string, unknown>, key, converted)
    }
    return copy ?? value
  }
}

function insideChoice ({ branches, select }: Choice, direction: Direction): Convert {
  const walks = branches.map(({ shape }) => shape.isAlive ? walkOf(shape, direction) : null)
  const indexOf = select[direction] as (value: unknown) => number
  return function insideBranch (value) {
    const index = indexOf(value)
    if (index !== -1) return walks[index]?.(value) ?? value
    // The newest schema, or the serializer, refuses it.
    if (direction === 'upgrade' || typeof value !== 'object') return value
    throw new Failure(null, `${show(value)} is none of the alternatives of its schema`)
  }
}

function walksOfOthers (shape: Shape, direction: Direction): (key: string) => Convert | null {
  const alive = shape.others.map(([, one]) => one).filter(({ isAlive }) => isAlive)
  const walks = new Map<Shape | null, Convert>(alive.map((one) => [one, walkOf(one, direction)]))
  return (key) => walks.get(otherShape(shape, key)) ?? null
}

/** @returns the list itself if no item differs */
function eachItem (list: readonly unknown[], each: Convert): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const other = each(item)
    if (other !== item) (copy ??= list.slice())[i] = other
  }
  return copy ?? list
}

/** Undefined for a property that an object has only by its prototype. */
function memberOf (object: object, key: string): unknown {
  if (key in Object.prototype && !Object.hasOwn(object, key)) return undefined
  return (object as Record<string, unknown>)[key]
}

/** The function of a change. It gets a copy that it may change. */
function callOf (step: ValueStep, direction: Direction): Convert {
  const { change, [direction]: apply } = step
  return function call (value) {
    if (apply === null) throw new Failure(change, `it has no function "${direction}"`)
    let result: unknown
    try {
      result = apply(shallow(value))
    } catch (error) {
      throw new Failure(change, `its function "${direction}" threw`, error)
    }
    if (result === undefined) throw new Failure(change, `its function "${direction}" returned undefined`)
    // V8 is slow to look for a property that does not exist if objects have many forms.
    if ((isPlain(result) && !Object.hasOwn(result, 'then')) || !isThenable(result)) return result
    ignoreRejection(result)
    throw new Failure(change, `its function "${direction}" returned a promise`)
  }
}
