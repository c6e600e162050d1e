import { VersionChangeError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { MAX_DEPTH, isPlain, isValue, jsonOf, objectsIn, put, shallow } from './json.ts'
import { pointerOf } from './schema.ts'

import type { Returnable } from './description.ts'
import type { ChangeFunction, Direction, ValueStep } from './read-changes.ts'

type Members = Readonly<Record<string, unknown>>

/** One step of a conversion, which returns the value itself if nothing differs. JSON has the value as it is. */
export type Convert = (value: unknown, state: State) => unknown

/** A conversion that is going on. */
export interface State {
  /** The changes as messages name them. */
  readonly labels: string
  readonly subject: string
  /** Gets the functions that run; null if nobody asks. */
  readonly ran: Ran | null
}

/** Functions in the order in which they ran first, as the log shows them. */
export type Ran = Set<string>

/** What is said of the values that a function returns. Made when it is called first, because most never are. */
export interface Returned {
  /** The schema that has changed; null if the function is of the part of a route. */
  readonly id: string | null
  /** Null if any name is allowed. */
  readonly upgraded: () => Returnable | null
  /** The members of a downgraded value that may hold other values; null if these are not known. */
  readonly holders: () => readonly string[] | null
}

const NOTHING: Members = {}

/**
 * Calls the function of a change, which gets a copy that it may change. What it returns is read as JSON.
 *
 * @param isLast whether a serializer gets the result, which leaves out what is undefined
 * @throws FST_ERR_VERSION_CHANGE for what JSON does not have, and for members that the schema does not have
 */
export function toCall (step: ValueStep, direction: Direction, isLast: boolean, returned: Returned): Convert {
  const { change: { label }, [direction]: apply } = step
  if (apply === null) {
    return (_value, { subject }) => {
      throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
    }
  }
  const call = caller(label, direction, apply, returned.id)
  return direction === 'upgrade' ? toUpgrade(label, call, returned) : toDowngrade(label, call, isLast, returned)
}

function toUpgrade (label: string, call: Convert, { upgraded }: Returned): Convert {
  let names: Returnable | null | undefined
  return (value, state) => {
    const result = call(value, state)
    if (names === undefined) names = upgraded()
    // A function may have changed what is inside of what it passes on.
    if (isWhole(result, asMembers(value), NOTHING, names)) return result
    return toWhole(result, value, names, false, (did) => blame(label, 'upgrade', did, state))
  }
}

function toDowngrade (label: string, call: Convert, isLast: boolean, { holders }: Returned): Convert {
  let keys: readonly string[] | null | undefined
  return (value, state) => {
    const result = call(value, state)
    const before = asMembers(value)
    if (isLast) {
      if (keys === undefined) keys = holders()
      if (isReadyToSerialize(result, before, keys)) return result
    } else if (isWhole(result, before, before, null)) return result
    return toWhole(result, value, null, isLast, (did) => blame(label, 'downgrade', did, state))
  }
}

function caller (label: string, direction: Direction, apply: ChangeFunction, id: string | null): Convert {
  const needsCopy = !takesMembers(apply)
  const ofSchema = id === null ? '' : ` of ${show(id)}`
  const name = `${direction}${ofSchema} by ${label}`
  return (value, { subject, ran }) => {
    if (ran !== null) ran.add(name)
    try {
      return apply(needsCopy ? shallow(value) : value)
    } catch (error) {
      if (direction === 'upgrade' && isOfClient(error)) throw error
      throw new VersionChangeError(label, subject, `"${direction}"${ofSchema} threw ${thrownText(error)}`, error)
    }
  }
}

/** What a function has thrown, on one line. */
function thrownText (error: unknown): string {
  return error instanceof Error ? `"${error.message.split('\n', 1)[0].slice(0, 120)}"` : show(error)
}

/** Whether a function refuses what a client has sent, although its schema admits it: the error is the answer. */
export function isOfClient (error: unknown): boolean {
  const { statusCode } = Object(error) as { readonly statusCode?: unknown }
  return error instanceof Error && typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

/** Whether a function begins with a pattern, as in `({ name, ...rest }) => …`: it never has the object itself. */
function takesMembers (apply: ChangeFunction): boolean {
  return /^\(\s*\{/.test(Function.prototype.toString.call(apply))
}

function blame (label: string, direction: Direction, did: string, { subject }: State): never {
  throw new VersionChangeError(label, subject, `its function "${direction}" returned ${did}`)
}

function asMembers (value: unknown): Members {
  return typeof value === 'object' && value !== null ? value as Members : NOTHING
}

/**
 * Whether a serializer can write what a function has returned: it leaves out members that are undefined, but it writes
 * `false`, or text that is not JSON, for some items that are.
 *
 * @param holders each result may have a form of its own, whose members are slow to read: only these are read
 */
function isReadyToSerialize (result: unknown, before: Members, holders: readonly string[] | null): boolean {
  if (typeof result !== 'object') return isValue(result)
  if (result === null) return true
  if (holders === null || Array.isArray(result)) return isWhole(result, NOTHING, before, null)
  if (!isPlain(result)) return false
  for (let i = 0; i < holders.length; i++) {
    const member = (result as Members)[holders[i]]
    if (typeof member !== 'object' || member === before[holders[i]]) continue
    if (!isWhole(member, NOTHING, NOTHING, null)) return false
  }
  return true
}

/**
 * Whether a function has returned nothing that JSON has otherwise, and no name that is not allowed.
 *
 * @param before what the function was given
 * @param same what it was given, if members that it has passed on need not be looked at
 */
function isWhole (result: unknown, before: Members, same: Members, names: Returnable | null, depth = 0): boolean {
  if (typeof result !== 'object') return isValue(result)
  if (result === null) return true
  // Values may refer to each other: then each is copied once.
  if (depth === MAX_DEPTH || !isPlain(result)) return false
  if (Array.isArray(result)) {
    const items = names === null ? null : names.items(result)
    for (let i = 0; i < result.length; i++) {
      if (!isWhole(result[i], NOTHING, NOTHING, items, depth + 1)) return false
    }
    return true
  }
  for (const key in result) {
    const member = (result as Members)[key]
    if (names !== null && !names.allows(key, result, before)) return false
    if (typeof member !== 'object') {
      if (!isValue(member)) return false
    } else if (member !== null && member !== same[key]) {
      const inside = names === null ? null : names.inside(key, result)
      if (!isWhole(member, NOTHING, NOTHING, inside, depth + 1)) return false
    }
  }
  return true
}

/**
 * What a function has returned, as JSON has it: without members that are undefined. What it was given stays, because a
 * parser may have made it, such as an uploaded file.
 *
 * @param isLast whether a serializer gets the result, which can write dates and instances
 * @param fail throws that the function has returned this
 */
function toWhole (
  result: unknown, value: unknown, names: Returnable | null, isLast: boolean, fail: (what: string) => never
): unknown {
  const passedOn = objectsIn(value)
  const copies = new Map<unknown, unknown>()
  // The copy of a plain object would lack its `toJSON`.
  const stays = (value: unknown) => passedOn.has(value) || (isLast && !(isPlain(value) && 'toJSON' in value))
  const read = (value: unknown) => stays(value) ? value : jsonOf(value)

  function whole (value: unknown, names: Returnable | null, path: readonly string[], before = NOTHING): unknown {
    const pointer = pointerOf(path)
    const at = pointer && ` at ${show(pointer)}`
    if (isThenable(value)) {
      ignoreRejection(value)
      fail(`a promise${at}`)
    }
    const source = read(value)
    if (!isValue(source)) fail(`${value === undefined ? 'undefined' : `a ${typeof value}`}${at}`)
    if (!isPlain(source) || path.length === MAX_DEPTH) return source
    const copied = copies.get(value)
    if (copied !== undefined) return copied
    const copy = Array.isArray(source) ? [] : {}
    copies.set(value, copy)
    if (Array.isArray(source)) {
      const items = names && names.items(source)
      // A hole is an item as well.
      for (const [i, item] of source.entries()) (copy as unknown[]).push(whole(item, items, [...path, String(i)]))
      return copy
    }
    for (const [key, member] of Object.entries(source)) {
      const isFunction = typeof member === 'function' && passedOn.has(value)
      if (!isFunction && !isValue(read(member))) continue
      if (names !== null && !names.allows(key, source, before)) {
        // Another alternative may have it.
        const hint = suggestionFor(key, names.suggestions.filter((name) => name !== key))
        fail(`${show(key)}${at}, which the newer schema does not have${hint && `.${hint}`}`)
      }
      const inside = names && names.inside(key, source)
      put(copy as Record<string, unknown>, key, isFunction ? member : whole(member, inside, [...path, key]))
    }
    return copy
  }
  return whole(result, names, [], asMembers(value))
}
