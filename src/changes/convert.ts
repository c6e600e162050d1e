import { VersionChangeDepthError, VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { combined, shapeOfOther } from './combine.ts'
import { pointerKey } from './documents.ts'

import type { Layer, Selector, Shape } from './shapes.ts'
import type { ChangeFunction, PartStep, ReadChange } from './steps.ts'
import type { Convert, Downgrade } from './variant.ts'

export type Direction = 'upgrade' | 'downgrade'

/** One step of a conversion: the functions for the whole value, or the functions of the schemas in it. */
export type Move = Shape | PartStep

/** Why a conversion failed, on its way up through the value. */
class Failure {
  readonly change: ReadChange | null
  readonly reason: string
  readonly cause: unknown
  /** The keys of members and items that lead there, innermost first. */
  readonly keys: (string | number)[] = []

  constructor (change: ReadChange | null, reason: string, cause?: unknown) {
    this.change = change
    this.reason = reason
    this.cause = cause
  }
}

/**
 * A conversion in several steps.
 *
 * @param moves in the order in which they are made
 * @param subject the route, or the schema, for errors
 * @param part what is converted, for errors
 * @returns null if there is nothing to convert
 */
export function toConvert (
  moves: readonly Move[], direction: Direction, subject: string, part: string
): Convert | null {
  if (moves.length === 0) return null
  // A copy has no room to grow: there are many of these lists.
  const own = moves.slice()
  const place = { subject, part }
  return function convert (value) {
    return converted(value, own, direction, place)
  }
}

/**
 * @throws FST_ERR_VERSION_CHANGE (500) where a function fails
 * @throws FST_ERR_VERSION_CHANGE_DEPTH (400) for a request that is nested too deeply
 */
function converted (given: unknown, moves: readonly Move[], direction: Direction, place: Place): unknown {
  const walk = direction === 'upgrade' ? upgraded : downgraded
  let value = given
  for (const move of moves) {
    try {
      value = 'places' in move
        ? walk(move, value, false)
        : call(move[direction], direction, direction === 'upgrade' ? value : toJson(value), move.change)
    } catch (error) {
      throw toError(error, move.change, direction, place)
    }
  }
  return value
}

/** Whether a request has had a value of none of the alternatives, or null if no request is being upgraded. */
let isUndecided: boolean | null = null

/** What became of a part of a request. */
export interface Upgraded {
  /** Undefined if a function failed after a value was not decided. */
  readonly value: unknown
  /** Whether each value was one of the alternatives of its schema. The others have stayed as they are. */
  readonly isDecided: boolean
}

/**
 * Upgrades a part of a request, which is valid. A client may have sent what is none of the alternatives of its schema,
 * if the older schema does not tell them apart. Then a failure is the client's (400), not the app's.
 *
 * @throws as `convert`
 */
export function upgradeRequest (convert: Convert, given: unknown): Upgraded {
  isUndecided = false
  let value: unknown
  let failure: unknown = null
  try {
    value = convert(given)
  } catch (error) {
    failure = error
  }
  const isDecided = !isUndecided
  isUndecided = null
  if (failure !== null && isDecided) throw failure
  return { value, isDecided }
}

/** What is converted, for errors. */
interface Place {
  /** The route, or the schema. */
  readonly subject: string
  readonly part: string
}

/** A conversion of the responses of a route. */
export class ResponseDowngrade implements Downgrade, Place {
  readonly subject: string
  readonly #moves: readonly Move[]
  readonly #status: string

  /**
   * @param moves in the order in which they are made; at least one
   * @param subject the route
   */
  constructor (moves: readonly Move[], subject: string, status: string) {
    this.subject = subject
    this.#moves = moves.slice()
    this.#status = status
  }

  get part (): string {
    return `response ${this.#status}`
  }

  convert (payload: unknown): unknown {
    return converted(payload, this.#moves, 'downgrade', this)
  }

  cannotConvert (payload: unknown): Error {
    const { subject, part } = this
    const reason = `a payload such as ${show(payload)} cannot be converted; response: { ${this.#status}: false } ` +
      'leaves it as it is'
    return new VersionChangeError({ change: this.#moves[0].change.label, subject, part, path: '' }, reason)
  }
}

/** @param move the change that the step undoes, if the failure does not say which one */
function toError (error: unknown, move: ReadChange, direction: Direction, { subject, part }: Place): Error {
  const failed = isOverflow(error) ? 'the value is nested too deeply' : 'the value cannot be read as JSON'
  const { change, reason, cause, keys } = error instanceof Failure ? error : new Failure(null, failed, error)
  if (direction === 'upgrade' && isOverflow(cause)) return new VersionChangeDepthError()
  const path = keys.reverse().map(pointerKey).join('')
  return new VersionChangeError({ change: (change ?? move).label, subject, part, path }, reason, cause)
}

/** Whether the stack was not large enough. */
function isOverflow (error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack')
}

/**
 * Converts a newer value to an older one. The functions of outer values run first, then the functions of the values
 * inside, as the older schema has them. So each function sees all parts of its value as the newer version has them.
 *
 * @param isJson whether `given` has been read as JSON
 */
function downgraded (shape: Shape, given: unknown, isJson: boolean): unknown {
  let value = isJson ? given : shape.places.length > 0 ? toJson(given) : toPlain(given)
  let isRead = isJson || shape.places.length > 0
  let all = shape
  let called = 0
  let decided = 0
  while (called < all.places.length || decided < all.choices.length) {
    if (called === all.places.length) {
      all = withChosen(all, all.choices[decided++].downgrade, value)
      continue
    }
    if (value === null || value === undefined) return value
    if (!isRead) value = toJson(value)
    isRead = true
    const { change, downgrade } = all.places[called++]
    value = call(downgrade, 'downgrade', value, change)
  }
  return inside(all.inner, value, isRead, downgraded)
}

/** An older value to a newer one: the reverse, step by step. */
function upgraded (shape: Shape, given: unknown): unknown {
  let all = shape
  for (let i = 0; i < all.choices.length; i++) all = withChosen(all, all.choices[i].upgrade, given)
  let value = inside(all.inner, given, true, upgraded)
  for (let i = all.places.length - 1; i >= 0; i--) {
    if (value === null || value === undefined) return value
    const { change, upgrade } = all.places[i]
    value = call(upgrade, 'upgrade', value, change)
  }
  return value
}

type Walk = (shape: Shape, value: unknown, isJson: boolean) => unknown

/** The shape of a value, and of the branch that the value is of. */
function withChosen (shape: Shape, select: Selector | null, value: unknown): Shape {
  const branch = (select as Selector)(value)
  if (branch === undefined) {
    if (isUndecided === null) throw new Failure(null, 'the value is none of the alternatives of its schema')
    isUndecided = true
  }
  return branch ? combined(shape, branch) : shape
}

/** Converts what is in a value. The value is copied as soon as something in it is converted. */
function inside (layer: Layer | null, value: unknown, isJson: boolean, walk: Walk): unknown {
  if (layer === null || typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? insideList(layer, value, isJson, walk) : insideObject(layer, value, isJson, walk)
}

function insideList ({ tuple, items }: Layer, list: unknown[], isJson: boolean, walk: Walk): unknown {
  let copy: unknown[] | null = null
  const { length } = items === null ? tuple : list
  let i = 0
  try {
    for (; i < length && i < list.length; i++) {
      const shape = i < tuple.length ? tuple[i] : items
      if (shape === null) continue
      const item = list[i]
      const converted = walk(shape, item, isJson)
      if (converted === item) continue
      copy ??= list.slice()
      copy[i] = converted
    }
  } catch (error) {
    throw under(i, error)
  }
  return copy ?? list
}

function insideObject (layer: Layer, object: object, isJson: boolean, walk: Walk): unknown {
  const { properties, known, others } = layer
  const value = object as Record<string, unknown>
  let copy: Record<string, unknown> | null = null
  let at = ''
  try {
    for (const [key, shape] of properties) {
      if (!Object.hasOwn(value, key)) continue
      at = key
      const member = value[key]
      const converted = walk(shape, member, isJson)
      if (converted === member) continue
      copy ??= { ...value }
      put(copy, key, converted)
    }
    if (others.length === 0) return copy ?? value
    for (const key of Object.keys(value)) {
      at = key
      const shape = known.has(key) ? null : shapeOfOther(layer, key)
      if (shape === null) continue
      const member = value[key]
      const converted = walk(shape, member, isJson)
      if (converted === member) continue
      copy ??= { ...value }
      put(copy, key, converted)
    }
  } catch (error) {
    throw under(at, error)
  }
  return copy ?? value
}

/**
 * Whether a value has something in it that changes.
 *
 * @param seen the shapes of the same value: alternatives may lead back to them
 */
export function isTouched (shape: Shape, value: unknown, seen: readonly Shape[] = []): boolean {
  if (!shape.isAlive || value === null || seen.includes(shape)) return false
  if (shape.places.length > 0) return true
  const within = [...seen, shape]
  let isFound = shape.choices.some(({ branches }) => branches.some((one) => isTouched(one.shape, value, within)))
  const look = (inner: Shape, member: unknown) => {
    isFound ||= isTouched(inner, member)
    return member
  }
  inside(shape.inner, value, true, look)
  return isFound
}

/** A property of any name: `__proto__` is one as well. */
function put (object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/** An error with the key under which it happened. */
function under (key: string | number, error: unknown): unknown {
  if (error instanceof Failure) error.keys.push(key)
  return error
}

/** @throws Failure */
function call (
  apply: ChangeFunction | null, direction: Direction, value: unknown, change: ReadChange
): unknown {
  if (apply === null) throw new Failure(change, `it has no function "${direction}"`)
  let result: unknown
  try {
    result = apply(shallow(value))
  } catch (error) {
    throw new Failure(change, `its function "${direction}" threw`, error)
  }
  if (isPromise(result)) {
    // A rejection that nobody handles would end the process.
    result.then(undefined, () => {})
    throw new Failure(change, `its function "${direction}" returned a promise`)
  }
  if (result !== undefined) return result
  throw new Failure(change, `its function "${direction}" returned undefined for ${show(value)}`)
}

function isPromise (value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null || isPlain(value)) return false
  return typeof (value as { then?: unknown }).then === 'function'
}

/** V8 is slow to look for a property that does not exist if objects have many shapes. */
function isPlain (value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

/** A copy that a function may change. */
function shallow (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.slice() : { ...value }
}

/** A value as JSON has it, at its top level only. */
function toPlain (value: unknown): unknown {
  if (typeof value !== 'object' || value === null || (isPlain(value) && !Object.hasOwn(value, 'toJSON'))) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, '') : value
}

/** How deep values are read before circles are looked for. */
const MAX_DEPTH = 100

const TOO_DEEP = new Error('The value may lead back to itself')

/**
 * A value as JSON has it: the result of `toJSON` replaces what has this method. Copied only where it differs. An object
 * that leads back to itself stays there as it is: the older schema may drop it.
 */
export function toJson (given: unknown): unknown {
  try {
    return readJson(given, 0, null)
  } catch (error) {
    if (error !== TOO_DEEP) throw error
    return readJson(given, 0, new Map())
  }
}

/** @param known what objects are in JSON, or null if they are not remembered */
function readJson (given: unknown, depth: number, known: Map<unknown, unknown> | null): unknown {
  if (known === null && depth > MAX_DEPTH) throw TOO_DEEP
  if (known?.has(given)) return known.get(given)
  known?.set(given, given)
  const json = readMembers(toPlain(given), depth, known)
  known?.set(given, json)
  return json
}

function readMembers (value: unknown, depth: number, known: Map<unknown, unknown> | null): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      const json = typeof item === 'object' ? readJson(item, depth + 1, known) : item
      if (json === item) continue
      copy ??= value.slice()
      copy[i] = json
    }
    return copy ?? value
  }
  let copy: Record<string, unknown> | null = null
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (typeof member !== 'object' || member === null) continue
    const json = readJson(member, depth + 1, known)
    if (json === member) continue
    copy ??= { ...value }
    put(copy, key, json)
  }
  return copy ?? value
}
