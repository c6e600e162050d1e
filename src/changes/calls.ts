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

/** One step of a conversion of plain JSON data. The step returns the value itself if nothing differs. */
export type Convert = (value: unknown, state: State) => unknown

/** The state of one conversion. */
export interface State extends WatchedConversion {
  /** The names of the changes in messages. */
  readonly labels: string
  /** Null unless the log level is debug. */
  readonly trace: Trace | null
}

/**
 * Makes the step that calls the function of a change. The function gets a copy, which it may modify, and its result is
 * read as JSON. A function of a schema is not called for null. The step throws FST_ERR_VERSION_CHANGE if the function
 * throws, or if JSON cannot have its result.
 *
 * @param isLast whether a serializer gets the result: serializers leave out members that are undefined
 * @param older the schema of the result of a downgrade
 * @param newer the schema of the value that a downgrade gets; null if there is no schema
 */
export function toCall (
  step: ValueStep, direction: Direction, isLast: boolean, older: Place, newer: Place | null
): Convert {
  const { change, id, [direction]: apply } = step
  const { label } = change
  if (apply === null) {
    return (_value, { subject }) => {
      throw new VersionChangeError(label, subject, `it has no function "${direction}"`)
    }
  }
  const isUpgrade = direction === 'upgrade'
  const needsCopy = !takesMembers(apply)
  const ofSchema = id === null ? '' : ` of ${show(id)}`
  const name = `${direction}${ofSchema} by ${label}`
  // The names are read when the first value comes, because most functions are never called.
  let keys: readonly string[] | null | undefined
  const watch = isUpgrade || newer === null ? null : outdatedWatch(newer, older, change)
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
    // Members that an upgrade passes on are read as well, because the function may have modified objects inside them.
    const source = isUpgrade || typeof value !== 'object' ? null : value as Members | null
    if (isLast && keys === undefined) keys = writtenNames(older)
    const isFine = isLast ? isReadyToSerialize(result, source, keys!) : isJson(result, source, isUpgrade)
    if (isFine) return result
    return toWhole(result, value, isLast, (did) => {
      throw new VersionChangeError(label, state.subject, `its function "${direction}" returned ${did}`)
    })
  }
}

/** Returns what a function has thrown as text on one line. */
function thrownText (error: unknown): string {
  return error instanceof Error ? `"${error.message.split('\n', 1)[0].slice(0, 120)}"` : show(error)
}

/** Tells whether an error has a 4xx status: a function refuses the client's value, and the client gets the error. */
export function isOfClient (error: unknown): boolean {
  const { statusCode } = Object(error) as { readonly statusCode?: unknown }
  return error instanceof Error && Number.isInteger(statusCode) && Number(statusCode) >= 400 && Number(statusCode) < 500
}

/** Tells whether a function destructures its parameter, as in `({ name, ...rest }) => …`, and so needs no copy. */
function takesMembers (apply: ChangeFunction): boolean {
  return /^\(\s*\{/.test(Function.prototype.toString.call(apply))
}

/**
 * Tells whether a serializer can write the result of a function. Serializers leave out members that are undefined, and
 * write dates and instances. For promises, functions and some undefined items of lists, they write `false`, or text
 * that is not JSON.
 *
 * @param names the members that the serializer writes; null if unknown. Only these are read, because V8 reads members
 * slowly if each result has a hidden class of its own
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
 * Returns a copy of the result of a function as JSON has it, without members that are undefined. Objects that the
 * function was given stay as they are, because a parser may have made them, such as an uploaded file.
 *
 * @param isLast whether a serializer gets the result: serializers can write dates and instances
 * @param fail throws an error that says what the function has returned
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
    // `toJSON` of a plain object is called here, because a copy of the object would lack the function.
    const stays = isPassedOn || (isLast && !(isPlain(made) && 'toJSON' in made))
    const source = stays ? made : jsonOf(made)
    if (isValue(source)) return source
    const { holder } = at
    if (holder === null || Array.isArray(holder)) refuse(made === undefined ? 'undefined' : `a ${typeof made}`)
    return typeof made === 'function' && passedOn.has(holder) ? made : undefined
  })
}
