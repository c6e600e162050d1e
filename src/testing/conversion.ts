import { isDeepStrictEqual } from 'node:util'

import { isOfClient } from '../changes/calls.ts'
import { isJson } from '../changes/json.ts'
import { isObject, pointerOf } from '../changes/schema.ts'
import { memberNames, saidAt, strangerIn } from '../changes/schema-reader.ts'
import { show, suggestionFor } from '../messages.ts'
import { readBack, textOf } from './watched-function.ts'
import { changeIn } from './side.ts'

import type { Converter } from '../changes/convert.ts'
import type { Direction } from '../changes/read-changes.ts'
import type { Said } from '../changes/schema-reader.ts'
import type { Watched } from './watched-function.ts'
import type { Outcome, Side } from './side.ts'
import type { Variants } from './variants.ts'

/** What a text has of a value that was none. */
const NONSENSE = /undefined(?![A-Za-z])|(?<![A-Za-z])(?:NaN|null)(?![A-Za-z])|\[object \w+\]|Invalid Date/

/** What libraries ask of any value, such as whether it is a list or a promise. */
const ASKED: ReadonlySet<string> = new Set(['length', 'then', 'nodeType', 'asymmetricMatch'])

interface Options {
  /** What each change does, in their order. */
  readonly converts: readonly Converter[]
  /** Whether a route converts values in this direction; or no route in any. */
  readonly isUsed: boolean
  /** Whether the result becomes text that is read again, as in links. */
  readonly isText: boolean
  /** What converts lossless values back. */
  readonly back: Conversion | undefined
  /** What the oldest change calls, with the sides that it is between; undefined if it is not known between which. */
  readonly watched: readonly [Watched, from: Side, to: Side] | undefined
}

/** What changes do to values between the newest version and an older one, as the wire has it. */
export class Conversion {
  readonly direction: Direction
  readonly from: Side
  readonly to: Side
  readonly older: Side
  readonly isUsed: boolean
  readonly #options: Options

  constructor (direction: Direction, from: Side, to: Side, options: Options) {
    this.direction = direction
    this.from = from
    this.to = to
    this.older = direction === 'upgrade' ? from : to
    this.isUsed = options.isUsed
    this.#options = options
  }

  /** Whether values are valid in the version that they come from. In responses, its serializer must take them, too. */
  takes (value: unknown): boolean {
    return this.from.takes(value) && (this.direction === 'upgrade' || this.from.send(value).wrong === null)
  }

  /** @param version the older one, for messages */
  try (input: unknown, version: string): Outcome {
    const { back } = this.#options
    try {
      const value = this.direction === 'upgrade' ? this.from.validate(input).value : input
      const { result, kept } = this.#run(value, version)
      const returned = back === undefined ? value : back.#run(result, version).result
      if (isDeepStrictEqual(readBack(returned), readBack(value))) return { wrong: null, value: kept }
      const reason = `it is ${show(returned)}, although the change is lossless.`
      return { wrong: `Upgraded and downgraded again, ${reason}`, value: undefined }
    } catch (error) {
      // The error of a change says where and why in its cause.
      const { message } = ((error as Error).cause ?? error) as Error
      return { wrong: isOfClient(error) ? null : message, value: undefined }
    }
  }

  /** What is wrong with its functions, by all that they have done: what they read by mistake, or what they lose. */
  faults ({ isBlind, unused }: Variants): string[] {
    const reads = this.#options.watched === undefined ? [] : this.#faultsOf(...this.#options.watched)
    const isEmpty = isBlind && this.direction === 'upgrade'
    const lost = unused.filter((path) => isEmpty || saidAt(this.to.said, path).length > 0)
    if (reads.length > 0 || lost.length === 0) return reads
    const why = isEmpty ? 'and returns nothing' : 'which both schemas have: pass it on, as in "...rest"'
    return [`The ${this.direction} does not read ${lost.map((path) => show(pointerOf(path))).join(', ')}, ${why}.`]
  }

  #faultsOf ({ absent, named, isSteady }: Watched, { said: from }: Side, { said: to }: Side): string[] {
    const isUpgrade = this.direction === 'upgrade'
    if (!isUpgrade && !isSteady) return ['The downgrade returns something else each time.']
    return [...absent].flatMap(([pointer, path]) => {
      const [outer, key] = [path.slice(0, -1), path.at(-1) as string]
      const unread = memberNames(saidAt(from, outer)).filter((name) => !named.has(pointerOf([...outer, name])))
      const hint = saidAt(to, path).length > 0 ? ' Are the functions swapped?' : suggestionFor(key, unread)
      // Handlers may return more than a schema says.
      const isFine = hint === '' && (ASKED.has(key) || !(isUpgrade && isClosed(saidAt(from, outer))))
      if (isFine || saidAt(from, path).length > 0) return []
      const schema = isUpgrade ? 'older' : 'newer'
      return [`The ${this.direction} reads ${show(pointer)}, which the ${schema} schema does not have.${hint}`]
    })
  }

  /** @throws an error that says what is wrong */
  #run (original: unknown, version: string): { result: unknown, kept: unknown } {
    const { direction, to } = this
    const isUpgrade = direction === 'upgrade'
    const fail = (does: string): never => { throw new Error(`The ${direction} ${does}.`) }
    const input = isJson(original) ? structuredClone(original) : original
    let [before, result] = [input, input]
    for (const convert of this.#options.converts) [before, result] = [result, convert(result)]

    const modified = changeIn(original, input) ?? changeIn(input, original)
    const place = modified && show(pointerOf(modified.path))
    if (place !== null) fail(`modifies what it is given, at ${place}: copy objects inside of it`)
    const text = textOf(result)
    const [nonsense] = NONSENSE.exec(quotedIn(text)) ?? []
    const isMade = nonsense !== undefined && !quotedIn(textOf(original)).includes(nonsense)
    if (isMade) fail(`makes a text with ${show(nonsense)}`)
    const gives = `gives ${show(result)}`
    const broken = changeIn(result, JSON.parse(text))
    if (broken !== null) fail(`${gives}: JSON has no such value as at ${show(pointerOf(broken.path))}`)

    const { wrong, value: kept, mayRename = false } = this.#received(result)
    const name = show(isUpgrade ? to.version : version)
    if (wrong !== null) fail(`${gives}, which is not valid in ${name}: ${wrong.replace(/[.!]$/, '')}`)
    const members = membersByName(before)
    const isPassedOn = (key: string, member: unknown) => (
      members.get(key)?.some((earlier) => isDeepStrictEqual(earlier, member)) === true
    )
    const strange = isUpgrade ? strangerIn(result, to.said, isPassedOn) : null
    const sent = membersByName(original)
    const change = changeIn(result, kept, (path, member, after) => {
      // Zod may write a text otherwise, whoever has sent it.
      if (after !== undefined) return isUpgrade && typeof member === 'string' && typeof after === 'string'
      if (mayRename && saidAt(to.said, path).length > 0) return true
      // A function leaves out on purpose what it leaves to the serializer. Clients may send more than a schema says.
      const key = path.at(-1) as string
      return isPassedOn(key, member) && (!isUpgrade || (sent.has(key) && !this.from.hasName(key)))
    })
    const lost = strange ?? (change?.isLost === true ? change.path : null)
    if (lost !== null) throw new Error(`The function "${direction}" returned ${this.#lost(lost)}`)
    if (change !== null) fail(`${gives}, and ${name} makes something else of ${show(pointerOf(change.path))}`)
    return { result, kept }
  }

  #received (result: unknown): Outcome {
    if (this.direction === 'upgrade') return this.to.validate(result)
    if (!this.#options.isText) return this.to.send(result)
    return { ...this.to.validate(readBack(result)), value: readBack(result) }
  }

  #lost (path: readonly string[]): string {
    const [outer, key] = [path.slice(0, -1), path.at(-1) as string]
    const place = outer.length > 0 ? ` at ${show(pointerOf(outer))}` : ''
    const schema = this.direction === 'upgrade' ? 'newer' : 'older'
    const hint = suggestionFor(key, memberNames(saidAt(this.to.said, outer)))
    return `${show(key)}${place}, which the ${schema} schema does not have.${hint}`
  }
}

/** The texts and the names in JSON. */
function quotedIn (json: string): string {
  return (json.match(/"(?:[^"\\]|\\.)*"/g) ?? []).join()
}

/** By name, the members at any depth of a value. */
function membersByName (
  value: unknown, members = new Map<string, unknown[]>()
): ReadonlyMap<string, readonly unknown[]> {
  for (const [key, member] of isObject(value) ? Object.entries(value) : []) {
    members.set(key, [...members.get(key) ?? [], member])
    membersByName(member, members)
  }
  return members
}

/** Whether a value has no members but those that are described: validators remove or refuse all others. */
function isClosed (said: Said): boolean {
  return said.some(({ keywords }) => keywords.additionalProperties === false)
}
