import { VersioningOptionError, addSentence } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'

/**
 * The fields of an option that is a plain object; undefined counts as absent.
 *
 * @param option its name, for the error
 * @param expected what the value must be, for the error
 * @throws FST_ERR_VERSIONING_OPTION unless it is an object that has nothing but its own fields
 */
export function fieldsOf (option: string, value: unknown, expected: string): Map<string, unknown> {
  if (!isPlain(value)) throw new VersioningOptionError(option, expected, show(value))
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined))
}

/**
 * As `fieldsOf`. The object may only have these fields.
 *
 * @throws FST_ERR_VERSIONING_OPTION for another one, naming it and the known one that is nearest
 */
export function knownFieldsOf (
  option: string, value: unknown, expected: string, names: readonly string[]
): Map<string, unknown> {
  const fields = fieldsOf(option, value, expected)
  for (const [name, field] of fields) {
    if (names.includes(name)) continue
    const known = `one of the fields ${names.join(', ')}`
    throw unknownOption(`${option}.${name}`, known, field, suggestionFor(name, names))
  }
  return fields
}

/** @param hint a sentence with a space in front, or `''` */
export function unknownOption (option: string, expected: string, value: unknown, hint: string): Error {
  const error = new VersioningOptionError(option, expected, show(value))
  addSentence(error, hint)
  return error
}

/**
 * An option that is true or false; false if it is absent.
 *
 * @throws FST_ERR_VERSIONING_OPTION
 */
export function toFlag (value: unknown, option: string): boolean {
  if (value === undefined) return false
  if (typeof value === 'boolean') return value
  throw new VersioningOptionError(option, 'true or false', show(value))
}

/**
 * A `name` or a `namespace`.
 *
 * @throws FST_ERR_VERSIONING_OPTION unless it is a non-empty string without `:`
 */
export function checkName (option: 'name' | 'namespace', value: unknown): asserts value is string {
  if (typeof value === 'string' && value !== '' && !value.includes(':')) return
  throw new VersioningOptionError(option, 'a non-empty string without ":"', show(value))
}

/** Whether a function is declared as `async`, so that it always returns a promise. */
export function isAsync (value: Function): boolean {
  return Object.prototype.toString.call(value) === '[object AsyncFunction]'
}

/** An object of any realm without a class; `{ __proto__: … }` in a literal makes something else. */
function isPlain (value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
