import { VersioningOptionError, show } from '../errors.ts'

/**
 * What is in an option that is a plain object; undefined counts as absent.
 *
 * @param option its name, for the error
 * @param expected what it has to be, for the error
 * @throws FST_ERR_VERSIONING_OPTION unless it is an object that has nothing but its own fields
 */
export function fieldsOf (option: string, value: unknown, expected: string): Map<string, unknown> {
  if (!isPlain(value)) throw new VersioningOptionError(option, expected, show(value))
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined))
}

/**
 * As `fieldsOf`, where only these fields are known.
 *
 * @throws FST_ERR_VERSIONING_OPTION for another one, naming it
 */
export function knownFieldsOf (
  option: string, value: unknown, expected: string, names: readonly string[]
): Map<string, unknown> {
  const fields = fieldsOf(option, value, expected)
  for (const [name, field] of fields) {
    if (names.includes(name)) continue
    throw new VersioningOptionError(`${option}.${name}`, `one of the fields ${names.join(', ')}`, show(field))
  }
  return fields
}

/** An object of any realm without a class; `{ __proto__: … }` in a literal makes something else. */
function isPlain (value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
