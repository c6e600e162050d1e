import { must, forbid } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'

import type { VersioningScheme } from '../../types/index.d.ts'

/** The versions that an option may be checked against: those of the context's scheme, or of its settings. */
export type Listing = Partial<Pick<VersioningScheme, 'allowedVersions'>>

/** The way to read an option. A table of options says which options there are: nothing else lists their names. */
export interface Option<Value> {
  /** The default at the root of the app. */
  readonly default: Value
  /** @throws FST_ERR_VERSIONING_OPTION naming both. It never gets undefined, or null if null is the default. */
  readonly read: (value: unknown, name: string, scheme: Listing) => Value
}

type Table = Readonly<Record<string, Option<unknown>>>

export type ValuesOf<Options extends Table> = { readonly [Name in keyof Options]: Options[Name]['default'] }

export function option<Value> (byDefault: Value, read: Option<Value>['read']): Option<Value> {
  return { default: byDefault, read }
}

/** Returns an option whose value is taken as it is, if it is right. */
export function checked<Value> (
  byDefault: Value, expected: string, isRight: (value: unknown) => boolean
): Option<Value> {
  return option(byDefault, (value, name) => {
    must(isRight(value), name, expected, value)
    return value as Value
  })
}

/** Reads the given options, where undefined counts as absent. Absent options are inherited, or have their defaults. */
export function readOptions<Options extends Table> (
  table: Options, values: object, inherited?: ValuesOf<Options>, scheme: Listing = {}
): ValuesOf<Options> {
  const entries = Object.entries(table).map(([name, { default: byDefault, read }]) => {
    const value: unknown = Reflect.get(values, name)
    if (value === undefined) return [name, inherited === undefined ? byDefault : inherited[name]]
    return [name, value === null && byDefault === null ? null : read(value, name, scheme)]
  })
  return Object.fromEntries(entries) as ValuesOf<Options>
}

/**
 * Checks the option `routePrefix` of a plugin.
 *
 * @param prefix the option of `register()`, which Fastify ignores on a plugin that is wrapped in fastify-plugin.
 * @fastify/autoload gives it to plugins of its own accord
 * @throws FST_ERR_VERSIONING_OPTION for a path under which a plugin cannot serve pages
 */
export function checkRoutePrefix (value: unknown, prefix?: unknown): void {
  if (value === undefined) {
    if (prefix && prefix !== '/') forbid('routePrefix', `Write "routePrefix" instead of "prefix", ${show(prefix)}.`)
    return
  }
  const isPrefix = typeof value === 'string' && /^\/[^?#:*]*[^/?#:*]$/.test(value)
  must(isPrefix, 'routePrefix', 'a path without parameters that begins with a slash and does not end with one', value)
}

/** Returns the members of an iterable object, or null. A string is iterable, too, but as a list it is a mistake. */
export function toArray (value: unknown): unknown[] | null {
  return typeof value === 'object' && Symbol.iterator in Object(value) ? [...value as Iterable<unknown>] : null
}

/** Returns the fields of an object, except undefined ones. If names are given, the object may have no other fields. */
export function fieldsOf (
  option: string, value: unknown, expected: string, names?: readonly string[]
): Map<string, unknown> {
  must(Object.prototype.toString.call(value) === '[object Object]', option, expected, value)
  const fields = Object.entries(value as object).filter(([, field]) => field !== undefined)
  for (const [name] of fields) {
    if (names === undefined || names.includes(name)) continue
    const hint = suggestionFor(name, names)
    forbid(option, `Unknown field "${option}.${name}".${hint === '' ? ` The fields are ${names.join(', ')}.` : hint}`)
  }
  return new Map(fields)
}

/** Checks a `name` or a `namespace`. */
export function checkName (option: 'name' | 'namespace', value: unknown): asserts value is string {
  const isName = typeof value === 'string' && value !== '' && !value.includes(':')
  must(isName, option, 'a non-empty string without ":"', value)
}
