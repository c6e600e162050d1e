import { closestMatch } from 'leven'
import { inspect } from 'node:util'

/** The most characters of a value in a message. */
const MAX_LINE = 250
/** The longest text that is compared with names: a client may have written a longer one. */
const MAX_COMPARED = 60
/** The most things in a list of a message. */
const MAX_SHOWN = 5

/** Returns a value as an error message shows it: on one line, and never long. */
export function show (value: unknown): string {
  const text = inspect(value, { breakLength: Infinity, depth: 1, maxArrayLength: 10, maxStringLength: 100 })
  const [line] = text.split('\n', 1)
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line
}

/**
 * Returns a sentence with the names that were probably meant, with a space in front, or `''` if no name is near.
 *
 * @param name the unknown name
 * @param names the known names
 * @param also names that may be meant, however they are spelled
 */
export function suggestionFor (name: string, names: readonly string[], also: readonly string[] = []): string {
  // A short name is near to nearly everything.
  const maxDistance = Math.max(name.length > 3 ? 2 : 1, Math.floor(name.length / 3))
  const lower = names.map((text) => text.toLowerCase())
  const closest = name.length > MAX_COMPARED ? undefined : closestMatch(name.toLowerCase(), lower, { maxDistance })
  const at = closest === undefined ? -1 : lower.indexOf(closest)
  const near = [...new Set([names[at], ...also])].filter((text) => text !== undefined).slice(0, 3)
  return near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`
}

/**
 * Returns a sentence about an unknown name, with the names that were probably meant.
 *
 * @param what the kind of the name, such as `version`
 */
export function unknownName (what: string, name: unknown, names: readonly string[]): string {
  const all = names.length === 0 ? '' : ` There are ${names.slice(0, 10).map(show).join(', ')}.`
  return `Unknown ${what} ${show(name)}.${suggestionFor(typeof name === 'string' ? name : show(name), names)}${all}`
}

/** Returns the first of some texts, and how many more there are. */
export function shortList (all: readonly string[], max = MAX_SHOWN): string {
  const more = all.length > max ? ` and ${all.length - max} more` : ''
  return all.slice(0, max).join(', ') + more
}

/**
 * Warns of things, if there are any.
 *
 * @param message with `%s` for the list of the things
 */
export function warnOfSome (code: WarningCode, some: readonly string[], message: string, max = MAX_SHOWN): void {
  // A name that the app has chosen may have `%s`, too, and stands before the list.
  if (some.length > 0) warn(code, message.replace(/%s(?![^]*%s)/, () => shortList([...new Set(some)], max)))
}

/** Returns what to write where routes come before the plugin. Outside of functions, CommonJS has no await. */
export function pluginBefore (routes: string): string {
  return `"await app.register(versioning, …)" before ${routes}, or declare ${routes} in ` +
    '"app.register(async (api) => …)" after that.'
}

/** Probable mistakes, by code. docs/errors.md has the cause and the fix of each. */
export type WarningCode =
  | 'FST_WARN_VERSION_CACHE'
  | 'FST_WARN_VERSION_CHANGE'
  | 'FST_WARN_VERSION_CONSTRAINT'
  | 'FST_WARN_VERSION_CONTENT'
  | 'FST_WARN_VERSION_DEFAULT'
  | 'FST_WARN_VERSION_DOCUMENT'
  | 'FST_WARN_VERSION_HEADER'
  | 'FST_WARN_VERSION_HOST'
  | 'FST_WARN_VERSION_PREFIX'
  | 'FST_WARN_VERSION_REFUSAL'
  | 'FST_WARN_VERSION_RESPONSE'
  | 'FST_WARN_VERSION_SETTINGS'
  | 'FST_WARN_VERSION_UNSEEN'

/** Warns as `warn` does, unless one of the texts before was the same. */
export function warnOnce (texts: Set<unknown>, code: WarningCode, message: string): void {
  if (texts.has(message)) return
  texts.add(message)
  warn(code, message)
}

export function warn (code: WarningCode, message: string): void {
  process.emitWarning(message, 'FastifyVersioningWarning', code)
}
