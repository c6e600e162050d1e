import { VersionChangeError, VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { isJson, isPlain, put, readJson, shallow } from './json.ts'
import { Shape } from './shape.ts'

import type { Selector } from './branch.ts'
import type { ChangeFunction, ReadChange, ValueStep } from './read.ts'
import type { Choice, Direction } from './shape.ts'

type Members = Record<string, unknown>

/** One step of a conversion: the function for the whole value, or the functions of the schemas in it. */
export type Move = Shape | ValueStep

/** What a conversion is, which its errors say. */
interface Conversion {
  readonly direction: Direction
  /** The changes as messages name them. */
  readonly labels: string
  readonly subject: string
}

/**
 * Makes a conversion, which leaves the value that it gets as it is. It throws FST_ERR_VERSION_CHANGE (500) for a value
 * that a change cannot convert.
 *
 * @param moves newest change first
 * @param changes all that are undone, for errors
 * @param subject the route and its part, or the schema, for errors
 * @param isSerialized whether a serializer gets the result, which may then have dates, for example
 */
export function toConvert (
  moves: readonly Move[], direction: Direction, changes: readonly ReadChange[], subject: string, isSerialized = false
): ChangeFunction {
  const ordered = direction === 'upgrade' ? [...moves].reverse() : moves
  const conversion = { direction, labels: labelsOf(changes), subject }
  return function convert (given) {
    try {
      const json = direction === 'upgrade' || isJson(given) ? null : readJson(given)
      let value = json === null ? given : json.value
      for (const move of ordered) {
        value = move instanceof Shape ? walk(move, value, conversion) : call(move, value, conversion)
      }
      return json !== null && isSerialized ? json.restore(value) : value
    } catch (error) {
      if (error instanceof VersionChangeError) throw error
      const isTooDeep = error instanceof RangeError && error.message.includes('call stack')
      const reason = isTooDeep ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
      throw new VersionChangeError(conversion.labels, subject, reason, error)
    }
  }
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
 * them. Upgrades do the reverse. Functions of schemas are not called for null.
 */
function walk (shape: Shape, given: unknown, conversion: Conversion): unknown {
  const { steps } = shape
  const isUpgrade = conversion.direction === 'upgrade'
  let value = isUpgrade ? inside(shape, given, conversion) : given
  for (let i = 0; i < steps.length && value !== null && value !== undefined; i++) {
    value = call(steps[isUpgrade ? steps.length - 1 - i : i], value, conversion)
  }
  return isUpgrade ? value : inside(shape, value, conversion)
}

function inside (shape: Shape, value: unknown, conversion: Conversion): unknown {
  const { choices, items, members, others } = shape
  if (choices.length > 0) return insideChoice(choices[0], value, conversion)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return items.length === 0 ? value : eachItem(value, items[0], conversion)
  let copy: Members | null = null
  for (const [key, inner] of members) copy = withMember(value as Members, copy, key, inner, conversion)
  if (others.length === 0) return copy ?? value
  for (const key of Object.keys(value)) {
    const inner = shape.other(key)
    if (inner !== null) copy = withMember(value as Members, copy, key, inner, conversion)
  }
  return copy ?? value
}

function insideChoice ({ branches, select }: Choice, value: unknown, conversion: Conversion): unknown {
  const { direction, labels, subject } = conversion
  const index = (select[direction] as Selector)(value)
  if (index !== -1) return branches[index].shape.isAlive ? walk(branches[index].shape, value, conversion) : value
  // The newest schema, or the serializer, refuses it.
  if (direction === 'upgrade' || typeof value !== 'object') return value
  throw new VersionChangeError(labels, subject, `${show(value)} is none of the alternatives of its schema`)
}

/** @returns the list itself if no item differs */
function eachItem (list: readonly unknown[], items: Shape, conversion: Conversion): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = walk(items, list[i], conversion)
    if (item !== list[i]) (copy ??= list.slice())[i] = item
  }
  return copy ?? list
}

/** @returns the copy of an object, made if the member differs. Getters of a class are members, too. */
function withMember (
  object: Members, copy: Members | null, key: string, shape: Shape, conversion: Conversion
): Members | null {
  const member = key in Object.prototype && !Object.hasOwn(object, key) ? undefined : object[key]
  const converted = member === undefined ? member : walk(shape, member, conversion)
  if (converted === member) return copy
  const own = copy ?? shallow(object) as Members
  put(own, key, converted)
  return own
}

/** Calls the function of a change. It gets a copy that it may change. */
function call (step: ValueStep, value: unknown, { direction, subject }: Conversion): unknown {
  const { change: { label }, [direction]: apply } = step
  if (apply === null) throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
  let result: unknown
  try {
    result = apply(shallow(value))
  } catch (error) {
    throw new VersionChangeError(label, subject, `its function "${direction}" threw`, error)
  }
  // V8 is slow to look for a property that does not exist if objects have many forms.
  if (isPlain(result) && !Object.hasOwn(result, 'then')) return result
  const isPromise = isThenable(result)
  if (result !== undefined && !isPromise) return result
  if (isPromise) ignoreRejection(result)
  const returned = isPromise ? 'a promise' : 'undefined'
  throw new VersionChangeError(label, subject, `its function "${direction}" returned ${returned}`)
}
