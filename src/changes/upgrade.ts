import { isDeepStrictEqual } from 'node:util'

import { VersionChangeError } from '../errors.ts'
import { validate } from '../fastify/compilers.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { isOfClient } from './calls.ts'
import { isOverflow, labelsOf, lossError, toConvert } from './convert.ts'
import { Description, strangerIn, writtenIn } from './description.ts'
import { MAX_DEPTH, isJson, isPlain, shallow } from './json.ts'
import { isRefinedAround, isZod } from './zod.ts'

import type { Compiled, Failure, Validated } from '../fastify/compilers.ts'
import type { Converter, FindLoss, Loss } from './convert.ts'
import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { Move } from './plan.ts'
import type { ReadChange } from './read-changes.ts'
import type { Trace } from './trace.ts'

/** Makes the validator of a schema; undefined if there is none. */
export type Compile = (schema: object) => Compiled | undefined

/** What became of a value, and what is wrong with it: null for nothing. */
interface Attempt {
  readonly value: unknown
  readonly fault: Error | null
  readonly hasThrown?: boolean
  /** The name of what is lost. */
  readonly lost?: string
}

/** What a client has sent cannot be upgraded: the client is to blame, and not the change. */
export class SentBeyondSchema extends Error {
  readonly failures: readonly Failure[]

  /** @param message in Ajv's words */
  constructor (message: string, cause: Error | null, failures?: readonly Failure[]) {
    super(message, { cause })
    this.failures = failures ?? [{ instancePath: '', message }]
  }
}

/** How a part of a request is upgraded. */
export interface Upgrade {
  /** The older schema. */
  readonly older: Place
  /** Newest change first. */
  readonly moves: readonly Move[]
  readonly convert: Converter
  /** Whether only the newest schema has what refines values around those that changes undo. */
  readonly isRefined: boolean
  /** All changes that these undo, and the part, for errors. */
  readonly labels: string
  readonly subject: string
}

/** How a request is upgraded that is waiting. */
export interface Waiting {
  /** The validator of the result; undefined if there is none. */
  readonly newest: Compiled | undefined
  readonly trace: Trace | null
  readonly toText: (error: Error | readonly Failure[]) => string
}

/**
 * Upgrades what a client has sent, which is valid in the older version. What fails because the client has sent more
 * than an open older schema describes is not the fault of the change.
 *
 * @returns a promise if a validator does
 * @throws FST_ERR_VERSION_CHANGE, SentBeyondSchema, or what an upgrade has thrown to refuse the value
 */
export function upgraded (sent: unknown, upgrade: Upgrade, waiting: Waiting): unknown {
  return after(attemptWith(sent, upgrade, waiting), (attempt) => {
    if (attempt.fault === null) return attempt.value
    if (isOverflow(attempt.fault) && !isJson(sent)) {
      throw new SentBeyondSchema('must NOT be nested so deeply', attempt.fault)
    }
    const free = new Set<string>()
    // What has parsed a query may have a class.
    const plain = shallow(sent)
    const clean = writtenIn(plain, new Description([upgrade.older]), free)
    if (isDeepStrictEqual(clean, plain)) return blamed(attempt, attempt, free)
    return after(attemptWith(clean, upgrade, waiting), (second) => blamed(attempt, second, free))
  })
}

/** What follows from a value. Each promise costs as much as the check, so there is none for a value that is known. */
function after<Value, Next> (
  value: Value | PromiseLike<Value>, next: (value: Value) => Next | PromiseLike<Next>
): Next | PromiseLike<Next> {
  return isThenable(value) ? value.then(next) : next(value as Value)
}

/** @param second without what the older schema does not describe */
function blamed (attempt: Attempt, second: Attempt, free: ReadonlySet<string>): unknown {
  // Functions may need what was sent, although no schema describes it.
  const isUnsure = attempt.lost !== undefined && (second.lost === undefined || free.has(second.lost))
  if (second.fault !== null && !isUnsure) throw second.fault
  if (attempt.hasThrown === true) throw new SentBeyondSchema('must NOT have additional properties', attempt.fault)
  return attempt.value
}

function attemptWith (sent: unknown, upgrade: Upgrade, waiting: Waiting): Attempt | PromiseLike<Attempt> {
  const lost: Loss[] = []
  let value: unknown
  try {
    value = upgrade.convert(sent, waiting.trace, lost)
    // What a spread with a rest has made is slow to read, and the validator is going to read it twice.
    if (value !== sent && isPlain(value) && !Array.isArray(value)) value = { ...value }
  } catch (error) {
    if (isOfClient(error)) throw error
    return { value: sent, fault: error as Error, hasThrown: true }
  }
  const checked = waiting.newest === undefined ? null : checkedBy(waiting.newest, value)
  return after(checked, (checked) => attemptOf(value, checked, lost, upgrade, waiting))
}

function attemptOf (
  value: unknown, checked: Validated | null, lost: Loss[], { moves, isRefined, labels, subject }: Upgrade,
  { toText }: Waiting
): Attempt {
  if (checked !== null && checked.error !== null) {
    const reason = `the newest schema refuses what it made: ${toText(checked.error)}`
    const fault = new VersionChangeError(labels, subject, reason)
    const { issues = checked.error } = checked.error as { readonly issues?: unknown }
    const failures = Array.isArray(issues) ? issues as readonly Failure[] : []
    if (isRefined && failures.length > 0 && failures.every(({ keyword, code = keyword }) => code === 'custom')) {
      throw new SentBeyondSchema(reason, fault, failures)
    }
    return { value, fault }
  }
  let path = checked === null ? null : lostIn(value, checked.value)
  // A validator of the app may rename what its schema describes. Zod takes the first alternative that fits.
  if (path !== null && checked?.isOther === true && !isZod(moves[0].newer?.schema)) {
    path = lostIn(value, checked.value, new Description([moves[0].newer as Place]))
  }
  if (path !== null) lost.push({ move: moves[0], path, value })
  if (lost.length === 0) return { value, fault: null }
  return { value, fault: lossError(lost[0], subject), lost: String(lost[0].path.at(-1)) }
}

/**
 * How values are upgraded.
 *
 * @param older their schema
 * @param isSent whether they are a part of a request: Fastify has the validator of the newest version
 */
export function upgradeOf (
  older: Place, moves: readonly Move[], changes: readonly ReadChange[], subject: string, compile: Compile,
  isSent: boolean
): Upgrade {
  const losses = isSent ? [null, ...lossesOf(moves.slice(1), compile)] : lossesOf(moves, compile)
  const convert = toConvert(moves, 'upgrade', changes, subject, isSent, losses)
  const ids = new Set(moves.flatMap(({ steps }) => steps).map(({ id }) => id))
  const isRefined = isRefinedAround(moves[0]?.newer?.schema, ids)
  return { older, moves, convert, isRefined, labels: labelsOf(changes), subject }
}

/**
 * Finds what validators remove of the results of upgrades, after which there is a schema.
 */
export function lossesOf (moves: readonly Move[], compile: Compile): (FindLoss | null)[] {
  return moves.map(({ newer }) => {
    const { edition, schema } = newer as Place
    const validator = compile(edition.bundle(schema) as object)
    return validator === undefined ? null : (value) => lossBy(validator, value, newer as Place)
  })
}

/** What a validator says of a copy of a value, which Fastify validates later; null if it cannot be told. */
function checkedBy (validator: Compiled, value: unknown): Validated | PromiseLike<Validated> | null {
  try {
    return validate(validator, cloned(value))
  } catch {
    return null
  }
}

/**
 * Where a validator removes a member of a value that its schema does not have; null for nowhere, and for a validator
 * that is asynchronous. Nothing validates the value here: what an alternative alone removes stays.
 */
function lossBy (validator: Compiled, value: unknown, newer: Place): readonly string[] | null {
  const checked = checkedBy(validator, value)
  if (checked === null || isThenable(checked)) {
    ignoreRejection(checked)
    return null
  }
  if (checked.error !== null || lostIn(value, checked.value) === null) return null
  return lostIn(value, checked.value, new Description([newer]))
}

/** A copy of what is plain in a value, which a validator may change. */
function cloned (value: unknown, depth = 0): unknown {
  if (!isPlain(value)) return value
  if (depth > MAX_DEPTH) throw new RangeError('The value is nested too deeply.')
  if (Array.isArray(value)) return value.map((item) => cloned(item, depth + 1))
  const copy: Members = { ...value }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = cloned(copy[key], depth + 1)
  return copy
}

/**
 * The place of the first member that a validator has not kept, or null.
 *
 * @param description if it is given, what an alternative has is not lost, unless it does not describe what is in it
 */
function lostIn (before: unknown, after: unknown, description?: Description): string[] | null {
  if (!isPlain(before) || !isPlain(after) || Array.isArray(before) !== Array.isArray(after)) return null
  if (Array.isArray(before)) {
    for (let i = 0; i < before.length; i++) {
      const item: unknown = before[i]
      const inner = typeof item === 'object' ? lostIn(item, (after as unknown[])[i], description?.inside(`${i}`)) : null
      if (inner !== null) return [String(i), ...inner]
    }
    return null
  }
  for (const key in before) {
    const member = (before as Members)[key]
    if (member !== undefined && !Object.hasOwn(after, key) && !isDescribed(member, key, description)) return [key]
    const inner = typeof member === 'object' ? lostIn(member, (after as Members)[key], description?.inside(key)) : null
    if (inner !== null) return [key, ...inner]
  }
  return null
}

/** Whether schemas have a member, and describe what is in it. */
function isDescribed (member: unknown, key: string, description: Description | undefined): boolean {
  if (description?.allows(key) !== true) return false
  return typeof member !== 'object' || strangerIn(member, description.inside(key)) === null
}
