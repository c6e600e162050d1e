import { VersionChangeError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { isJson, isPlain, isValue, put, shallow } from './json.ts'

import type { Names, NewNames } from './names.ts'
import type { ChangeFunction, Direction, ValueStep } from './read.ts'

type Members = Record<string, unknown>

/** One step of a conversion, which returns the value itself if nothing differs. */
export type Convert = (value: unknown, state: State) => unknown
export type Call = (value: unknown, state: State, isLast: boolean) => unknown

/** A conversion that is going on. */
export interface State {
  /** The changes as messages name them. */
  readonly labels: string
  readonly subject: string
  /** Whether JSON has the values as they are. Functions get no others. */
  isChecked: boolean
  /** Whether the step is the last one before a serializer, which leaves out what is undefined. */
  isLast: boolean
  /** Whether there is no other step: then JSON has what the function of a value gets. */
  readonly isOnly: boolean
  readonly isStrict: boolean
}

/** Thrown to begin again with a copy of the value, as JSON has it. */
export const NOT_JSON = new Error('JSON has the value otherwise.')

/** Calls the function of a change, which gets a copy that it may change. */
export function toCall (step: ValueStep, direction: Direction, namesOf: () => NewNames | null): Call {
  const { change: { label }, [direction]: apply } = step
  const isUpgrade = direction === 'upgrade'
  const needsCopy = !takesMembers(apply)
  let names: NewNames | null | undefined
  return (value, { subject, isChecked, isOnly, isStrict }, isLast) => {
    if (!isChecked && !isJson(value)) throw NOT_JSON
    if (apply === null) throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
    let result: unknown
    try {
      result = apply(needsCopy || !((isOnly && isLast) || isPlain(value)) ? shallow(value) : value)
    } catch (error) {
      if (isUpgrade && isOfClient(error)) throw error
      throw new VersionChangeError(label, subject, `its function "${direction}" threw`, error)
    }
    if (names === undefined && (isUpgrade || isStrict)) names = namesOf()
    const made = isUpgrade || isStrict ? names ?? null : null
    // Each result may have a form of its own, whose members are slow to read.
    if (isLast && (typeof result === 'object' ? isPlain(result) : isValue(result))) return result
    if (!isLast && isWhole(result, value, made)) return result
    return toWhole(result, value, made, (did) => {
      throw new VersionChangeError(label, subject, `its function "${direction}" ${did}`)
    })
  }
}

/** Whether a function refuses what a client has sent, although its schema admits it: the error is the answer. */
export function isOfClient (error: unknown): boolean {
  const { statusCode } = Object(error) as { readonly statusCode?: unknown }
  return error instanceof Error && typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

/** Whether a function begins with a pattern, as in `({ name, ...rest }) => …`: it never has the object itself. */
function takesMembers (apply: ChangeFunction | null): boolean {
  return apply !== null && /^\(\s*\{/.test(Function.prototype.toString.call(apply))
}

/** What is further in is looked at by `toWhole`, which reads each object once. */
const MAX_DEPTH = 20
const NOTHING: Members = {}

/** Whether nothing that a function has made is undefined, and all members are those of the newer schema. */
function isWhole (result: unknown, given: unknown, names: Names | NewNames | null, depth = 0): boolean {
  if (typeof result !== 'object') return isValue(result)
  if (result === null) return true
  if (!isPlain(result)) return !isThenable(result)
  if (depth === MAX_DEPTH) return false
  if (Array.isArray(result)) {
    const items = names === null ? null : names.items
    for (let i = 0; i < result.length; i++) if (!isWhole(result[i], null, items, depth + 1)) return false
    return true
  }
  const before = (given ?? NOTHING) as Members
  for (const key in result) {
    const member = (result as Members)[key]
    if (names !== null && !names.allows(key, before)) return false
    if (typeof member !== 'object') {
      if (!isValue(member)) return false
    } else if (member !== null && member !== before[key]) {
      if (!isWhole(member, null, names === null ? null : names.inside(key), depth + 1)) return false
    }
  }
  return true
}

/**
 * What a function has made, without members that are undefined: JSON has none.
 *
 * @param fail throws that the function did this
 */
function toWhole (
  given: unknown, before: unknown, names: Names | NewNames | null, fail: (did: string) => never, pointer = '',
  copies = new Map<unknown, unknown>()
): unknown {
  const at = pointer && ` at ${show(pointer)}`
  if (isThenable(given)) {
    ignoreRejection(given)
    return fail(`returned a promise${at}`)
  }
  if (!isValue(given)) return fail(`returned ${given === undefined ? given : `a ${typeof given}`}${at}`)
  if (!isPlain(given)) return given
  const known = copies.get(given)
  if (known !== undefined) return known
  const inner = (one: unknown, key: string | number, names: Names | null) => (
    isWhole(one, null, names) ? one : toWhole(one, null, names, fail, `${pointer}/${key}`, copies)
  )
  if (Array.isArray(given)) {
    const list: unknown[] = []
    copies.set(given, list)
    for (const [i, one] of given.entries()) list.push(inner(one, i, names && names.items))
    return list
  }
  const whole: Members = {}
  copies.set(given, whole)
  for (const [key, member] of Object.entries(given)) {
    if (!isValue(member)) continue
    if (names !== null && !names.allows(key, (before ?? NOTHING) as Members)) {
      const hint = suggestionFor(key, names.known)
      fail(`returned ${show(key)}${at}, which the ${names.version} schema does not have${hint && `.${hint}`}`)
    }
    const isSame = member === ((before ?? NOTHING) as Members)[key]
    put(whole, key, isSame ? member : inner(member, key, names && names.inside(key)))
  }
  return whole
}
