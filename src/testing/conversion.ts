import { isDeepStrictEqual } from 'node:util'

import { isOfClient } from '../changes/calls.ts'
import { strangerIn } from '../changes/description.ts'
import { isJson, objectsIn } from '../changes/json.ts'
import { isObject, pointerOf, valueAt } from '../changes/schema.ts'
import { show, suggestionFor } from '../messages.ts'
import { changeIn } from './side.ts'
import { readBack, textOf } from './watched-function.ts'

import type { Converter } from '../changes/convert.ts'
import type { Description } from '../changes/description.ts'
import type { Direction } from '../changes/read-changes.ts'
import type { Outcome, Side } from './side.ts'
import type { Tried } from './variants.ts'
import type { Path, Watched } from './watched-function.ts'

/** The traces that a missing or wrong value leaves in a text. */
const NONSENSE = /undefined(?![A-Za-z])|(?<![A-Za-z])(?:NaN|null)(?![A-Za-z])|\[object \w+\]|Invalid Date/

/** Members that libraries read of any value, for example to see whether it is a list or a promise. */
const ASKED: ReadonlySet<string> = new Set(['length', 'then', 'nodeType', 'asymmetricMatch'])

/** The conversion of values between the newest version and an older version, as the wire has them. */
export interface Conversion {
  readonly direction: Direction
  readonly from: Side
  readonly to: Side
  readonly older: Side
  /** The conversions by the single changes, in the order in which they run. */
  readonly converts: readonly Converter[]
  /** Whether a route converts values in this direction, or no route converts values in any direction. */
  readonly isUsed: boolean
  /** Whether the result becomes text that is read again, as in links. */
  readonly isText: boolean
  /** The conversion back, for lossless changes. */
  readonly back: Conversion | undefined
  /** The watched function of the oldest change, with the sides that it is between; undefined if these are not known. */
  readonly watched: readonly [Watched, from: Side, to: Side] | undefined
}

/** Tells whether a value is valid in its version. In responses, the serializer of the version must take it, too. */
export function takes ({ direction, from }: Conversion, value: unknown): boolean {
  return from.takes(value) && (direction === 'upgrade' || from.send(value).wrong === null)
}

/** Converts a value, and back if changes are lossless. @param version the older version, for messages */
export function converted (conversion: Conversion, input: unknown, version: string): Outcome {
  const { direction, from, back } = conversion
  try {
    const value = direction === 'upgrade' ? from.validate(input).value : input
    const { result, kept } = tryOut(conversion, value, version)
    const returned = back === undefined ? { result: value, kept: value } : tryOut(back, result, version)
    // A serializer may leave out members that the function passes on, so the value without them is the same, too.
    const isSame = [returned.result, returned.kept].some((json) => isDeepStrictEqual(readBack(json), readBack(value)))
    if (isSame) return { wrong: null, value: kept }
    const reason = `it is ${show(returned.result)}, although the change is lossless.`
    return { wrong: `Upgraded and downgraded again, ${reason}`, value: undefined }
  } catch (error) {
    // The error of a change says where and why in its cause.
    const { message } = ((error as Error).cause ?? error) as Error
    return { wrong: isOfClient(error) ? null : message, value: undefined }
  }
}

/** Returns the faults of its functions in all conversions until now: what they read by mistake, or what they lose. */
export function faultsOf (conversion: Conversion, { isBlind, uses }: Tried): string[] {
  const { direction, from, to, watched } = conversion
  const wrong = watched === undefined ? [] : misreadings(direction, ...watched)
  if (wrong.length > 0) return wrong
  const unread = (paths: readonly Path[], why: string) => (
    paths.length === 0 ? [] : [`The ${direction} does not read ${paths.map(pathText).join(', ')}, ${why}.`]
  )
  const isEmpty = isBlind && direction === 'upgrade'
  const unused = [...uses.values()].filter(({ isUsed }) => !isUsed).map(({ path }) => path)
  const lost = unused.filter((path) => isEmpty || to.description.describes(path))
  if (lost.length > 0) {
    return unread(lost, isEmpty ? 'and returns nothing' : 'which both schemas have: pass it on, as in "...rest"')
  }
  // If a function converts nested values itself, it does not find what it reads: the plugin has converted these values.
  const lostInside = unused.filter((path) => (
    uses.get(pointerOf(path.slice(-1)))?.isUsed &&
      [from, to].every(({ description }) => isInItself(description, path.slice(0, -1)))
  ))
  return unread(lostInside, 'although it reads the same outside: leave nested values as they are, because the plugin ' +
    'converts them, too')
}

/** Returns what an upgrade adds to an empty PATCH. Defaults of schemas add theirs in each version. */
export function addedTo (conversion: Conversion): string[] {
  const { direction, from, to, older } = conversion
  const isNothing = ({ wrong, value }: Outcome) => wrong === null && isDeepStrictEqual(value, {})
  if (direction === 'downgrade' || ![from, to].every((side) => isNothing(side.validate({})))) return []
  const made = converted(conversion, {}, older.version)
  return isNothing(made) ? [] : [`The upgrade makes ${show(made.value)} of {}: a PATCH would lose stored values.`]
}

/** Tells whether a value at a path has the schema of the outermost value again. */
function isInItself (description: Description, path: Path): boolean {
  return description.at(path).places.some(({ keywords: { properties } }) => properties !== undefined && (
    description.places.some(({ keywords }) => isDeepStrictEqual(keywords.properties, properties))
  ))
}

function misreadings (direction: Direction, watched: Watched, { description: from }: Side, to: Side): string[] {
  const { absent, named, written, isSteady } = watched
  const isUpgrade = direction === 'upgrade'
  if (written !== null) return [`The ${direction} ${modifies(written)}.`]
  if (!isUpgrade && !isSteady) return ['The downgrade returns something else each time.']
  return [...absent].flatMap(([pointer, path]) => {
    const [outer, key] = [path.slice(0, -1), path.at(-1) as string]
    const around = from.at(outer)
    const unread = [...around.names].filter((name) => !named.has(pointerOf([...outer, name])))
    const hint = to.description.describes(path) ? ' Are the functions swapped?' : suggestionFor(key, unread)
    // Handlers may return more than a schema says. Of a request, a closed schema leaves only what it says.
    const isClosed = around.places.some(({ keywords }) => keywords.additionalProperties === false)
    if ((hint === '' && (ASKED.has(key) || !isUpgrade || !isClosed)) || from.describes(path)) return []
    const schema = isUpgrade ? 'older' : 'newer'
    return [`The ${direction} reads ${show(pointer)}, which the ${schema} schema does not have.${hint}`]
  })
}

/** Converts a value once. @throws an error that says what is wrong */
function tryOut (conversion: Conversion, original: unknown, version: string): { result: unknown, kept: unknown } {
  const { converts, direction, from, isText, to } = conversion
  const isUpgrade = direction === 'upgrade'
  const fail = (does: string): never => { throw new Error(`The ${direction} ${does}.`) }
  const input = isJson(original) ? structuredClone(original) : original
  let [before, result] = [input, input]
  for (const convert of converts) [before, result] = [result, convert(result)]

  const modified = changeIn(original, input) ?? changeIn(input, original)
  if (modified !== null) fail(modifies(modified))
  const text = textOf(result)
  const [nonsense] = NONSENSE.exec(quotedIn(text)) ?? []
  const isMade = nonsense !== undefined && !quotedIn(textOf(original)).includes(nonsense)
  if (isMade) fail(`makes a text with ${show(nonsense)}`)
  const gives = `gives ${show(result)}`
  const broken = changeIn(result, JSON.parse(text))
  if (broken !== null) fail(`${gives}: JSON has no such value as at ${pathText(broken)}`)

  const { wrong, value, mayRename = false } = isUpgrade || isText ? to.validate(readBack(result)) : to.send(result)
  // A link is text, so the types in its query do not matter.
  const kept = isText ? readBack(result) : value
  const name = show(isUpgrade ? to.version : version)
  if (wrong !== null) fail(`${gives}, which is not valid in ${name}: ${wrong.replace(/[.!]$/, '')}`)
  const isPassedOn = (key: string, member: unknown) => (
    membersNamed(key, before).some((earlier) => isDeepStrictEqual(earlier, member))
  )
  // Serializers drop what a closed schema lacks. In an open schema, a name that is nearly a free name is a mistake.
  const strange = strangerIn(result, to.description, ({ key, member, holder, description: { isOpen, names } }) => {
    const free = [...names].filter((name) => !Object.hasOwn(holder, name))
    if (isOpen ? key.length < 4 || suggestionFor(key, free) === '' : !isUpgrade && !isText) return true
    return isPassedOn(key, member) && !(isUpgrade && from.hasName(key))
  })
  const change = changeIn(result, kept, (path, member, after) => {
    // A Zod schema may change a text itself, for example by `trim`.
    if (after !== undefined) return isUpgrade && typeof member === 'string' && typeof after === 'string'
    if (mayRename && to.description.describes(path)) return true
    // A function may pass on a member for the serializer to drop, and clients may send more than a schema says.
    const key = path.at(-1) as string
    return isPassedOn(key, member) &&
      (!isUpgrade || (membersNamed(key, original).length > 0 && !from.hasName(key)))
  })
  const lost = strange ?? (change !== null && valueAt(kept, change) === undefined ? change : null)
  if (lost !== null) {
    const [outer, key] = [lost.slice(0, -1), lost.at(-1) as string]
    const place = outer.length > 0 ? ` at ${pathText(outer)}` : ''
    const schema = isUpgrade ? 'newer' : 'older'
    const hint = suggestionFor(key, [...to.description.at(outer).names])
    throw new Error(
      `The function "${direction}" returned ${show(key)}${place}, which the ${schema} schema does not have.${hint}`
    )
  }
  if (change !== null) fail(`${gives}, and ${name} makes something else of ${pathText(change)}`)
  return { result, kept }
}

function modifies (path: Path): string {
  return `modifies what it is given, at ${pathText(path)}: copy objects inside of it`
}

function pathText (path: Path): string {
  return show(pointerOf(path))
}

/** Returns the texts and names in JSON. Texts that are JSON of an object or a list may have null, and are left out. */
function quotedIn (json: string): string {
  return (json.match(/"(?:[^"\\]|\\.)*"/g) ?? []).filter((text) => {
    // An error of JSON.parse costs more than all the rest, so it gets only texts that begin as objects or lists do.
    if (!/^"(?:\s|\\[nrt])*[[{]/.test(text)) return true
    try {
      return !isObject(JSON.parse(JSON.parse(text)))
    } catch {
      return true
    }
  }).join()
}

/** Returns the members of a name at any depth of a value. */
function membersNamed (key: string, value: unknown): unknown[] {
  return [...objectsIn(value)].flatMap((object) => Object.hasOwn(Object(object), key) ? [Object(object)[key]] : [])
}
