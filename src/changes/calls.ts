import { VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { MAX_DEPTH, isPlain, isValue, jsonOf, objectsIn, put, shallow } from './json.ts'
import { pointerOf } from './schema.ts'

import type { Members } from './json.ts'
import type { ChangeFunction, Direction, ValueStep } from './read-changes.ts'

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

/** What is said of the values that a function returns. Read when it is called first, because most never are. */
export interface Returned {
  /** The schema that has changed; null if the function is of the part of a route. */
  readonly id: string | null
  /** The members that a downgraded value may have; null if these are not known. */
  readonly names: () => readonly string[] | null
}

const NOTHING: Members = {}

/**
 * Calls the function of a change, which gets a copy that it may change. What it returns is read as JSON.
 *
 * @param isLast whether a serializer gets the result, which leaves out what is undefined
 * @throws FST_ERR_VERSION_CHANGE for what JSON does not have
 */
export function toCall (step: ValueStep, direction: Direction, isLast: boolean, returned: Returned): Convert {
  const { change: { label }, [direction]: apply } = step
  if (apply === null) {
    return (_value, { subject }) => {
      throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
    }
  }
  const call = caller(label, direction, apply, returned.id)
  return direction === 'upgrade' ? toUpgrade(label, call) : toDowngrade(label, call, isLast, returned)
}

function toUpgrade (label: string, call: Convert): Convert {
  return (value, state) => {
    const result = call(value, state)
    // A function may have changed what is inside of what it passes on.
    if (isWhole(result, NOTHING)) return result
    return toWhole(result, value, false, (did) => blame(label, 'upgrade', did, state))
  }
}

function toDowngrade (label: string, call: Convert, isLast: boolean, { names }: Returned): Convert {
  let keys: readonly string[] | null | undefined
  return (value, state) => {
    const result = call(value, state)
    const before = asMembers(value)
    if (isLast) {
      if (keys === undefined) keys = names()
      if (isReadyToSerialize(result, before, keys)) return result
    } else if (isWhole(result, before)) return result
    return toWhole(result, value, isLast, (did) => blame(label, 'downgrade', did, state))
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
  return error instanceof Error && Number.isInteger(statusCode) && Number(statusCode) >= 400 && Number(statusCode) < 500
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
 * `false`, or text that is not JSON, for some items that are, and for promises and functions.
 *
 * @param names each result may have a form of its own, whose members are slow to read: only these are read
 */
function isReadyToSerialize (result: unknown, before: Members, names: readonly string[] | null): boolean {
  if (typeof result !== 'object') return isValue(result)
  if (result === null) return true
  if (names === null || Array.isArray(result)) return isWhole(result, before)
  if (!isPlain(result)) return false
  for (let i = 0; i < names.length; i++) {
    const member = (result as Members)[names[i]]
    if (typeof member === 'string' || typeof member === 'number') continue
    if (typeof member !== 'object') {
      if (typeof member === 'function' || typeof member === 'symbol') return false
    } else if (member !== null && member !== before[names[i]] && !isReadyMember(member)) return false
  }
  return true
}

/** Whether a serializer can write an object: it knows dates and instances. */
function isReadyMember (member: object): boolean {
  return isPlain(member) ? isWhole(member, NOTHING) : !isThenable(member) && !isCollection(member)
}

function isCollection (value: unknown): value is Map<unknown, unknown> | Set<unknown> {
  return value instanceof Map || value instanceof Set
}

/**
 * Whether a function has returned nothing that JSON has otherwise.
 *
 * @param same what it was given, if members that it has passed on need not be looked at
 */
function isWhole (result: unknown, same: Members, depth = 0): boolean {
  if (typeof result !== 'object') return isValue(result)
  if (result === null) return true
  // What refers to itself is copied once for each object. What is frozen would not take defaults of validators.
  if (depth === MAX_DEPTH || !isPlain(result) || !Object.isExtensible(result)) return false
  if (Array.isArray(result)) {
    for (let i = 0; i < result.length; i++) if (!isWhole(result[i], NOTHING, depth + 1)) return false
    return true
  }
  for (const key in result) {
    const member = (result as Members)[key]
    if (typeof member !== 'object') {
      if (!isValue(member)) return false
    } else if (member !== null && member !== same[key] && !isWhole(member, NOTHING, depth + 1)) return false
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
function toWhole (result: unknown, value: unknown, isLast: boolean, fail: (what: string) => never): unknown {
  const passedOn = objectsIn(value)
  const copies = new Map<unknown, unknown>()
  // The copy of a plain object would lack its `toJSON`.
  const stays = (value: unknown) => passedOn.has(value) || (isLast && !(isPlain(value) && 'toJSON' in value))
  const read = (value: unknown) => stays(value) ? value : jsonOf(value)

  function whole (value: unknown, path: readonly string[]): unknown {
    const pointer = pointerOf(path)
    const at = pointer && ` at ${show(pointer)}`
    if (isThenable(value)) {
      ignoreRejection(value)
      fail(`a promise${at}`)
    }
    const source = read(value)
    if (isCollection(value) && !passedOn.has(value)) fail(`a ${value.constructor.name}${at}`)
    if (!isValue(source)) fail(`${value === undefined ? 'undefined' : `a ${typeof value}`}${at}`)
    if (!isPlain(source) || path.length === MAX_DEPTH) return source
    const copied = copies.get(value)
    if (copied !== undefined) return copied
    const copy = Array.isArray(source) ? [] : {}
    copies.set(value, copy)
    if (Array.isArray(source)) {
      // A hole is an item as well.
      for (const [i, item] of source.entries()) (copy as unknown[]).push(whole(item, [...path, String(i)]))
      return copy
    }
    for (const [key, member] of Object.entries(source)) {
      const isFunction = typeof member === 'function' && passedOn.has(value)
      if (!isFunction && !isValue(read(member))) continue
      put(copy as Record<string, unknown>, key, isFunction ? member : whole(member, [...path, key]))
    }
    return copy
  }
  return whole(result, [])
}
