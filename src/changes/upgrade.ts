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

/** The result of an upgrade, and the error if something is wrong with the result. */
interface Attempt {
  readonly value: unknown
  readonly fault: Error | null
  readonly hasThrown?: boolean
  /** The name of the member that is lost. */
  readonly lost?: string
}

/** The error for a value that cannot be upgraded, if the client is to blame, and not the change. */
export class SentBeyondSchema extends Error {
  readonly failures: readonly Failure[]

  /** @param message in Ajv's words */
  constructor (message: string, cause: Error | null, failures?: readonly Failure[]) {
    super(message, { cause })
    this.failures = failures ?? [{ instancePath: '', message }]
  }
}

/** How a part of a request, or a value of a shared schema, is upgraded. */
export interface Upgrade {
  /** The older schema. */
  readonly older: Place
  /** The moves, newest change first. */
  readonly moves: readonly Move[]
  readonly convert: Converter
  /** Whether the newest schema has Zod refinements outside of changed schemas. The older schema does not have them. */
  readonly isRefined: boolean
  /** The names of all changes that are undone, and the part, for errors. */
  readonly labels: string
  readonly subject: string
}

/** What an upgrade needs to know of the request that waits for it. */
export interface Waiting {
  /** The validator of the result; undefined if there is none. */
  readonly newest: Compiled | undefined
  readonly trace: Trace | null
  readonly toText: (error: Error | readonly Failure[]) => string
}

/**
 * Upgrades a value that a client has sent, and that is valid in the older version. If an upgrade fails because the
 * client has sent more than an open older schema describes, the change is not to blame.
 *
 * @returns the upgraded value, or a promise of it if a validator returns a promise
 * @throws FST_ERR_VERSION_CHANGE, SentBeyondSchema, or what an upgrade has thrown to refuse the value
 */
export function upgraded (sent: unknown, upgrade: Upgrade, waiting: Waiting): unknown {
  return after(attemptWith(sent, upgrade, waiting), (attempt) => {
    if (attempt.fault === null) return attempt.value
    if (isOverflow(attempt.fault) && !isJson(sent)) {
      throw new SentBeyondSchema('must NOT be nested so deeply', attempt.fault)
    }
    const free = new Set<string>()
    // A parser of queries may return an instance of a class.
    const plain = shallow(sent)
    const clean = writtenIn(plain, new Description([upgrade.older]), free)
    if (isDeepStrictEqual(clean, plain)) return blamed(attempt, attempt, free)
    return after(attemptWith(clean, upgrade, waiting), (second) => blamed(attempt, second, free))
  })
}

/** Calls `next` with a value or the value of a promise. A promise costs as much as the check, so values get none. */
function after<Value, Next> (
  value: Value | PromiseLike<Value>, next: (value: Value) => Next | PromiseLike<Next>
): Next | PromiseLike<Next> {
  return isThenable(value) ? value.then(next) : next(value as Value)
}

/** Decides who is to blame. @param second the attempt without members that the older schema does not describe */
function blamed (attempt: Attempt, second: Attempt, free: ReadonlySet<string>): unknown {
  // The second attempt may have failed because a function needs a member that no schema describes.
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
    // V8 reads an object that comes from a spread with a rest slowly, and the validator is going to read it twice.
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
  // A validator of the app may rename a member that its schema describes, so the member is not lost. Zod renames
  // nothing, but drops a member that only an alternative after the first one that fits describes.
  if (path !== null && checked?.isOther === true && !isZod(moves[0].newer?.schema)) {
    path = lostIn(value, checked.value, new Description([moves[0].newer as Place]))
  }
  if (path !== null) lost.push({ move: moves[0], path, value })
  if (lost.length === 0) return { value, fault: null }
  return { value, fault: lossError(lost[0], subject), lost: String(lost[0].path.at(-1)) }
}

/**
 * Makes the upgrade of values.
 *
 * @param older the older schema of the values
 * @param isSent whether the values are a part of a request: Fastify itself has the validator of the newest version
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

/** Makes the functions that find the members which validators of newer schemas remove from results of upgrades. */
export function lossesOf (moves: readonly Move[], compile: Compile): (FindLoss | null)[] {
  return moves.map(({ newer }) => {
    const { edition, schema } = newer as Place
    const validator = compile(edition.bundle(schema) as object)
    return validator === undefined ? null : (value) => lossBy(validator, value, newer as Place)
  })
}

/** Validates a copy of a value, because Fastify validates the value itself later; null if the validator throws. */
function checkedBy (validator: Compiled, value: unknown): Validated | PromiseLike<Validated> | null {
  try {
    return validate(validator, cloned(value))
  } catch {
    return null
  }
}

/**
 * Returns the path of a member that a validator removes because its schema does not have the member; null if there is
 * none, and for an asynchronous validator. A member that only one of several alternatives removes is not lost, because
 * the value itself is not validated here, and keeps the member.
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

/** Returns a copy of a value and of the plain objects in it, which a validator may modify. */
function cloned (value: unknown, depth = 0): unknown {
  if (!isPlain(value)) return value
  if (depth > MAX_DEPTH) throw new RangeError('The value is nested too deeply.')
  if (Array.isArray(value)) return value.map((item) => cloned(item, depth + 1))
  const copy: Members = { ...value }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = cloned(copy[key], depth + 1)
  return copy
}

/**
 * Returns the path of the first member that a validator has not kept, or null.
 *
 * @param description if given, a member of any alternative is not lost, unless schemas do not describe what is in it
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

/** Tells whether schemas have a member, and describe what is in it. */
function isDescribed (member: unknown, key: string, description: Description | undefined): boolean {
  if (description?.allows(key) !== true) return false
  return typeof member !== 'object' || strangerIn(member, description.inside(key)) === null
}
