import { isDeepStrictEqual } from 'node:util'

import { isOfClient } from '../changes/calls.ts'
import { isJson } from '../changes/json.ts'
import { pointerOf } from '../changes/schema.ts'
import { show, suggestionFor } from '../messages.ts'
import { namesIn } from './schema-reader.ts'
import { changeIn, notANumberIn } from './side.ts'
import { Variants, combinationsOf, edited, isRecord, textOf } from './variants.ts'
import { Trace } from './watched.ts'

import type { Direction } from '../changes/read.ts'
import type { Difference, Side } from './side.ts'
import type { Conversion, OlderValues, Subject } from './subjects.ts'
import type { Edit } from './variants.ts'

/** How many variants of a value are tried, and in how many objects that are put in place of others. */
const MOST = 600
const MOST_INNER = 8

/** Takes what is wrong with a value. */
type Report = (value: unknown, wrong: string) => void

/** What became of a value, or what is wrong with it. */
type Outcome = { readonly wrong: string } | { readonly wrong: null, readonly result?: unknown }

/** The check of values that are converted in one direction. */
export class ConversionCheck {
  readonly from: Side
  readonly to: Side
  readonly older: Side
  /** Whether a route converts values in this direction. */
  readonly isUsed: boolean
  readonly #direction: Direction
  readonly #conversion: Conversion
  readonly #newest: Side
  /** What converts a lossless value back; or null. */
  readonly #back: Conversion | null
  readonly #trace: Subject['trace']
  readonly #variants: Variants
  /** The places of differences with which something has been wrong. */
  readonly #failed = new Set<string>()
  #version = ''

  constructor ({ newest, trace }: Subject, older: OlderValues, direction: Direction, conversion: Conversion) {
    const [from, to] = direction === 'upgrade' ? [older.side, newest] : [newest, older.side]
    this.#direction = direction
    this.#conversion = conversion
    this.#newest = newest
    this.#back = direction === 'upgrade' && conversion.isLossless ? older.downgrade : null
    this.older = older.side
    this.isUsed = conversion.isUsed
    this.#trace = trace
    this.from = from
    this.to = to
    this.#variants = new Variants(from.reader, to.reader)
  }

  /**
   * Checks a value, and what it may be otherwise. One problem is enough for what differs in one place.
   *
   * @param version the older one, for messages
   * @returns what became of the value; undefined if something is wrong with the value itself
   */
  check (value: unknown, version: string, report: Report): unknown {
    this.#version = version
    const outcome = this.#try(value)
    if (outcome.wrong !== null) return report(value, outcome.wrong)
    if (this.isUsed) {
      this.#checkVariants(value, null, report)
      const full = this.#variants.full(value)
      const isOther = !isDeepStrictEqual(full, value)
      if (isOther && this.#tryValid(full)?.wrong === null) this.#checkVariants(full, null, report)
    }
    return outcome.result
  }

  /** What is wrong with the function, by all that it has read. */
  faults (): string[] {
    const { watched } = this.#conversion
    if (watched === null) return []
    const [fn, from, to] = watched
    return fn.faults(from.reader, to.reader).map((fault) => `The ${this.#direction} ${fault}`)
  }

  /** @param inner where something else has been put in, in which alone there are differences; or null */
  #checkVariants (value: unknown, inner: readonly string[] | null, report: Report): void {
    const edits = this.#variants.edits(value).filter(({ path }) => inner?.every((key, i) => path[i] === key) ?? true)
      .sort((one, other) => Number(this.#variants.isBeyond(other)) - Number(this.#variants.isBeyond(one)))
    const fine = edits.slice(0, MOST).filter((edit) => this.#checkEdits(value, [edit], report))
    let left = MOST - edits.length
    for (const some of combinationsOf(fine)) if (left-- > 0) this.#checkEdits(value, some, report)
    // Another object has other members.
    const objects = inner !== null ? [] : fine.filter((one) => isRecord(one.value))
    for (const edit of objects.slice(0, MOST_INNER)) this.#checkVariants(edited(value, [edit]), edit.path, report)
  }

  /** @returns whether the value is valid with the differences, and nothing is wrong with it then */
  #checkEdits (value: unknown, edits: readonly Edit[], report: Report): boolean {
    const hasFailed = (pointer: string) => [...this.#failed].some((one) => `${pointer}/`.startsWith(`${one}/`))
    if (edits.some(({ path }) => hasFailed(pointerOf(path)))) return false
    const outcome = this.#tryValid(edited(value, edits))
    if (outcome === null || outcome.wrong === null) return outcome !== null
    let [some, { wrong }] = [edits, outcome]
    for (const edit of edits) {
      const fewer = some.filter((one) => one !== edit)
      const without = fewer.length > 0 ? this.#tryValid(edited(value, fewer)) : null
      if (without !== null && without.wrong !== null) [some, { wrong }] = [fewer, without]
    }
    for (const { path } of some) this.#failed.add(pointerOf(path))
    report(edited(value, some), this.#textOf(some, wrong))
    return false
  }

  #textOf (edits: readonly Edit[], wrong: string): string {
    const [edit] = edits
    const isBound = edits.length === 1 && this.#variants.isBeyond(edit) && wrong.startsWith('The upgrade gives')
    if (!isBound) return `The example ${textOf(edits)} is valid, too. ${wrong}`
    const [older, newer] = [this.#version, this.#newest.version].map(show)
    const place = show(pointerOf(edit.path))
    return `${older} takes more at ${place} than ${newer} has room for: ${wrong.replace('The', 'the')}`
  }

  /** @returns null for a value that is not valid as it is */
  #tryValid (value: unknown): Outcome | null {
    return this.from.takes(value) ? this.#try(value) : null
  }

  #try (given: unknown): Outcome {
    try {
      if (this.#direction === 'downgrade') return { wrong: null, result: this.#downgrade(given, this.#conversion).sent }
      const value = this.from.validate(given).value
      const result = this.#upgrade(value)
      const returned = this.#back === null ? value : this.#downgrade(result, this.#back).result
      if (isDeepStrictEqual(toJson(returned), toJson(value))) return { wrong: null, result }
      return { wrong: `Upgraded and downgraded again, it is ${show(returned)}, although the change is lossless.` }
    } catch (error) {
      return isOfClient(error) ? { wrong: null } : { wrong: messageOf(error as Error) }
    }
  }

  /** @throws an error that says what is wrong */
  #upgrade (value: unknown): unknown {
    const { version } = this.#newest
    const [result, { made }] = this.#convert('upgrade', value, this.#conversion)
    const { wrong, value: validated } = this.#newest.validate(result)
    if (wrong !== null) throw invalid('upgrade', result, version, wrong)
    const strange = this.#newest.reader.strangerIn(result, (key) => made.has(key))
    if (strange !== null) throw lost('upgrade', 'newer', strange, this.#newest)
    // What a client has sent beyond an open older schema is removed as for every client.
    const isSent = (path: readonly string[]) => (
      path.reduce((one: unknown, key) => Object(one)[key], value) !== undefined
    )
    const change = changeIn(result, validated, isSent)
    if (change?.isLost === true) throw lost('upgrade', 'newer', change.path, this.#newest)
    if (change !== null) throw invalid('upgrade', result, version, change)
    return result
  }

  /** @throws an error that says what is wrong */
  #downgrade (value: unknown, conversion: Conversion): { result: unknown, sent: unknown } {
    const [side, version] = [this.older, this.#version]
    const [result, { made }] = this.#convert('downgrade', value, conversion)
    let sent: unknown
    try {
      sent = conversion.isText ? toJson(result) : side.send(result)
    } catch (error) {
      throw invalid('downgrade', result, version, (error as Error).message)
    }
    // Links are text, which is coerced.
    const wrong = conversion.isText ? side.validate(sent).wrong : side.strictly(sent)
    if (wrong !== null) throw invalid('downgrade', result, version, wrong)
    // What a function leaves to the serializer is left out on purpose.
    const change = changeIn(result, sent, (path) => !made.has(path.at(-1) as string))
    if (change?.isLost === true) throw lost('downgrade', 'older', change.path, this.older)
    if (change !== null) throw invalid('downgrade', result, version, change)
    return { result, sent }
  }

  /** @throws an error that says what is wrong */
  #convert (direction: Direction, given: unknown, { convert }: Conversion): [result: unknown, Trace] {
    const trace = this.#trace.current = new Trace()
    const result = convert(isJson(given) ? structuredClone(given) : given)
    const [fault] = trace.faults
    if (fault !== undefined) throw new Error(`The ${direction} ${fault}.`)
    const path = notANumberIn(result)
    if (path === null) return [result, trace]
    throw new Error(`The ${direction} gives ${show(result)}: JSON has no such number as at ${show(pointerOf(path))}.`)
  }
}

function invalid (direction: Direction, result: unknown, version: string, reason: string | Difference): Error {
  return new Error(`The ${direction} gives ${show(result)}, ${typeof reason === 'string'
    ? `which is not valid in ${show(version)}: ${reason.replace(/[.!]$/, '')}`
    : `and ${show(version)} makes something else of ${show(pointerOf(reason.path))}`}.`)
}

function lost (direction: Direction, schema: string, path: readonly string[], { reader }: Side): Error {
  const [outer, key] = [path.slice(0, -1), path.at(-1) as string]
  const said = outer.reduce((said, one) => reader.member([...said, ...reader.items(said)], one), reader.root)
  const place = outer.length > 0 ? ` at ${show(pointerOf(outer))}` : ''
  const text = `The function "${direction}" returned ${show(key)}${place}, which the ${schema} schema does not have.`
  return new Error(`${text}${suggestionFor(key, namesIn(said))}`)
}

/** The error of a change says where and why in its cause; other errors say it themselves. */
function messageOf (error: Error): string {
  return ((error.cause ?? error) as Error).message
}

function toJson (value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
