import { VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { writtenNames } from './alternatives.ts'
import { copyOf, isJson, isPlain, isValue, jsonOf, keysTo, objectsIn, shallow } from './json.ts'
import { outdatedWatch } from './outdated.ts'
import { pointerOf } from './schema.ts'

import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { WatchedConversion } from './outdated.ts'
import type { ChangeFunction, Direction, ValueStep } from './read-changes.ts'
import type { Trace } from './trace.ts'

/** One step of a conversion, which returns the value itself if nothing differs. JSON has the value as it is. */
export type Convert = (value: unknown, state: State) => unknown

/** A conversion that is going on. */
export interface State extends WatchedConversion {
  /** The changes as messages name them. */
  readonly labels: string
  /** Null if nobody asks which functions run. */
  readonly trace: Trace | null
}

/**
 * Calls the function of a change, which gets a copy that it may change. What it returns is read as JSON. A function of
 * a schema is not called for null.
 *
 * @param isLast whether a serializer gets the result, which leaves out what is undefined
 * @param older the schema of what a downgrade returns
 * @param newer the schema of what it gets; null if there is none
 * @throws FST_ERR_VERSION_CHANGE for what JSON does not have
 */
export function toCall (
  step: ValueStep, direction: Direction, isLast: boolean, older: Place, newer: Place | null
): Convert {
  const { change: { label }, id, [direction]: apply } = step
  if (apply === null) {
    return (_value, { subject }) => {
      throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
    }
  }
  const isUpgrade = direction === 'upgrade'
  const needsCopy = !takesMembers(apply)
  const ofSchema = id === null ? '' : ` of ${show(id)}`
  const name = `${direction}${ofSchema} by ${label}`
  // Read for the first value, because most functions are never called.
  let keys: readonly string[] | null | undefined
  const watch = isUpgrade || newer === null ? null : outdatedWatch(newer, older, label)
  return (value, state) => {
    if (id !== null && (value === null || value === undefined)) return value
    if (state.trace !== null) state.trace.ran.add(name)
    let result: unknown
    try {
      result = apply(needsCopy ? shallow(value) : value)
    } catch (error) {
      if (isUpgrade && isOfClient(error)) throw error
      throw new VersionChangeError(label, state.subject, `"${direction}"${ofSchema} threw ${thrownText(error)}`, error)
    }
    if (watch !== null && state.watched.left > 0) watch(value, result, state)
    // What an upgrade passes on is looked at, because the function may have changed what is inside of it.
    const source = isUpgrade || typeof value !== 'object' ? null : value as Members | null
    if (isLast && keys === undefined) keys = writtenNames(older)
    const isFine = isLast ? isReadyToSerialize(result, source, keys!) : isJson(result, source, isUpgrade)
    if (isFine) return result
    return toWhole(result, value, isLast, (did) => {
      throw new VersionChangeError(label, state.subject, `its function "${direction}" returned ${did}`)
    })
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

/**
 * Whether a serializer can write what a function has returned: it leaves out members that are undefined, and it knows
 * dates and instances, but it writes `false`, or text that is not JSON, for some items that are undefined, and for
 * promises and functions.
 *
 * @param names each result may have a form of its own, whose members are slow to read: only these are read
 */
function isReadyToSerialize (result: unknown, source: Members | null, names: readonly string[] | null): boolean {
  if (names === null || typeof result !== 'object' || Array.isArray(result) || !isPlain(result)) {
    return isJson(result, source)
  }
  for (let i = 0; i < names.length; i++) {
    const member = (result as Members)[names[i]]
    if (typeof member === 'string' || typeof member === 'number') continue
    if (typeof member === 'function' || typeof member === 'symbol') return false
    if (typeof member !== 'object' || member === null || member === source?.[names[i]]) continue
    if (isPlain(member) ? !isJson(member) : isThenable(member) || isCollection(member)) return false
  }
  return true
}

function isCollection (value: unknown): value is Map<unknown, unknown> | Set<unknown> {
  return value instanceof Map || value instanceof Set
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
  return copyOf(result, (made, at) => {
    const refuse = (what: string) => {
      const pointer = pointerOf(keysTo(at))
      return fail(`${what}${pointer && ` at ${show(pointer)}`}`)
    }
    const isPassedOn = passedOn.has(made)
    if (isThenable(made)) {
      ignoreRejection(made)
      refuse('a promise')
    }
    if (isCollection(made) && !isPassedOn) refuse(`a ${made.constructor.name}`)
    // The copy of a plain object would lack its `toJSON`.
    const stays = isPassedOn || (isLast && !(isPlain(made) && 'toJSON' in made))
    const source = stays ? made : jsonOf(made)
    if (isValue(source)) return source
    const { holder } = at
    if (holder === null || Array.isArray(holder)) refuse(made === undefined ? 'undefined' : `a ${typeof made}`)
    return typeof made === 'function' && passedOn.has(holder) ? made : undefined
  })
}
