import { VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { NOT_JSON, toCall } from './calls.ts'
import { isJson, isPlain, put, shallow } from './json.ts'
import { namesOf, upgradable } from './names.ts'

import type { Call, Convert, Returned, State } from './calls.ts'
import type { Place } from './edition.ts'
import type { Direction, ValueStep } from './read.ts'
import type { Choice, Shape, Shapes } from './shape.ts'

type Members = Record<string, unknown>
type ConvertOf = (shape: Shape) => Convert

/** What is undone of a value by one step: by the functions of its schemas, or by the function of a part. */
export interface Move {
  /** Null for the change of a part. */
  readonly shape: Shape | null
  readonly steps: readonly ValueStep[]
  readonly of: (direction: Direction) => Convert
}

/** What converts values of a shape, in each direction. */
const compiled = new WeakMap<Shape, Partial<Record<Direction, Convert>>>()

/** What one step undoes of values of a shape. */
export function moveOf (shapes: Shapes, shape: Shape): Move {
  const { newer, older, step: { schemas } } = shapes
  const ids = new Map([...schemas].map(([id, step]) => [step, id]))
  const returnedBy = (step: ValueStep) => {
    const id = ids.get(step) as string
    return returned(shapes, id, () => newer.find(id), () => older.find(id) as Place)
  }
  return { shape, steps: shape.steps, of: (direction) => compile(shape, direction, returnedBy) }
}

/** What a change of the part of a route undoes. */
export function moveBy (shapes: Shapes, step: ValueStep, schema: unknown): Move {
  const { newer, older } = shapes
  const now = () => schema === undefined ? null : newer.at(schema)
  // What has no older schema has one now.
  const then = () => step.older === undefined ? now() as Place : older.at(step.older)
  const ofStep = returned(shapes, null, now, then)
  const called = (call: Call): Convert => (value, state) => call(value, state, state.isLast)
  return { shape: null, steps: [step], of: (direction) => called(toCall(step, direction, ofStep)) }
}

/** What schemas say of the results of functions: nothing if there is none. */
function returned (
  { newer, older }: Shapes, id: string | null, now: () => Place | null, then: () => Place
): Returned {
  return {
    id,
    upgraded () {
      const to = now()
      return to === null ? null : upgradable([to, newer], [then(), older])
    },
    holders () {
      return namesOf(then(), older).holders
    }
  }
}

/**
 * What converts values of a shape. Downgrades call the functions of outer values first, then the functions of the
 * values inside, as the older schema has them. Upgrades do the reverse. Functions of schemas are not called for null.
 */
function compile (shape: Shape, direction: Direction, returnedBy: (step: ValueStep) => Returned): Convert {
  const converts = compiled.get(shape) ?? {}
  compiled.set(shape, converts)
  const known = converts[direction]
  if (known !== undefined) return known
  // A schema may lead back to itself.
  let whole: Convert = same
  converts[direction] = (value, state) => whole(value, state)
  const calls = shape.steps.map((step) => toCall(step, direction, returnedBy(step)))
  const inside = insideOf(shape, (inner) => compile(inner, direction, returnedBy), direction)
  if (calls.length === 0) whole = inside
  else if (direction === 'upgrade') whole = upgradeBy(calls, inside)
  else whole = calls.length === 1 && inside === same ? alone(calls[0]) : downgradeBy(calls, inside)
  converts[direction] = whole
  return whole
}

const same: Convert = (value) => value

function upgradeBy (calls: readonly Call[], inside: Convert): Convert {
  return (given, state) => {
    let value = inside(given, state)
    for (let i = calls.length - 1; i >= 0 && value !== null && value !== undefined; i--) {
      value = calls[i](value, state, false)
    }
    return value
  }
}

function downgradeBy (calls: readonly Call[], inside: Convert): Convert {
  return (given, state) => {
    if (given === null || given === undefined) return given
    const { isChecked } = state
    if (!isChecked && !isJson(given)) throw NOT_JSON
    state.isChecked = true
    let value: unknown = given
    for (let i = 0; i < calls.length && value !== null; i++) value = calls[i](value, state, false)
    value = inside(value, state)
    state.isChecked = isChecked
    return value
  }
}

/** Where nothing else is undone in the value. */
function alone (call: Call): Convert {
  return (value, state) => value === null || value === undefined ? value : call(value, state, state.isLast)
}

/** What converts the values inside a value. */
function insideOf (shape: Shape, of: ConvertOf, direction: Direction): Convert {
  const { choices: [choice], items: [item], members, others } = shape
  if (choice !== undefined) return alternative(choice, of, direction)
  if (item === undefined && members.length + others.length === 0) return same
  const inItems = item === undefined ? same : itemsBy(of(item), item.steps.length > 0)
  const rest = others.length === 0 ? null : (key: string) => shape.other(key)
  const inMembers = membersBy(members.map(([key, member]) => [key, of(member)]), rest, of)
  return (value, state) => {
    if (typeof value !== 'object' || value === null) return value
    return (Array.isArray(value) ? inItems : inMembers)(value, state)
  }
}

function alternative ({ branches, select }: Choice, of: ConvertOf, direction: Direction): Convert {
  const converts = branches.map(({ shape }) => shape.isAlive ? of(shape) : same)
  const selected = select[direction]!
  return (value, state) => {
    if (!state.isChecked && !isContainer(value)) throw NOT_JSON
    const index = selected(value)
    if (index !== -1) return converts[index](value, state)
    // The newest schema, or the serializer, refuses it.
    if (direction === 'upgrade' || typeof value !== 'object') return value
    const { labels, subject } = state
    throw new VersionChangeError(labels, subject, `${show(value)} is none of the alternatives of its schema`)
  }
}

/**
 * @param isHandedOn whether functions get the items: then all are looked at before, because V8 forgets what it knows of
 * their form while functions make other objects of them
 * @returns the list itself if no item differs
 */
function itemsBy (convert: Convert, isHandedOn: boolean): Convert {
  return (value, state) => {
    const { isChecked } = state
    if (isHandedOn && !isChecked && !isJson(value)) throw NOT_JSON
    state.isChecked = isChecked || isHandedOn
    const list = value as readonly unknown[]
    let copy: unknown[] | null = null
    for (let i = 0; i < list.length; i++) {
      const item = convert(list[i], state)
      if (item !== list[i]) (copy ??= list.slice())[i] = item
    }
    state.isChecked = isChecked
    return copy ?? list
  }
}

/**
 * @param rest the shape of a member that has no name in a schema; null if nothing is undone there
 * @returns the object itself if no member differs
 */
function membersBy (
  named: readonly (readonly [key: string, Convert])[], rest: ((key: string) => Shape | null) | null, of: ConvertOf
): Convert {
  return (value, state) => {
    if (!state.isChecked && !isContainer(value)) throw NOT_JSON
    const object = value as Members
    let copy = object
    for (let i = 0; i < named.length; i++) copy = withMember(object, copy, named[i][0], named[i][1], state)
    if (rest === null) return copy
    for (const key of Object.keys(object)) {
      const shape = rest(key)
      if (shape !== null) copy = withMember(object, copy, key, of(shape), state)
    }
    return copy
  }
}

/** @returns the copy that has the converted member, or what was the copy before */
function withMember (object: Members, copy: Members, key: string, convert: Convert, state: State): Members {
  const member = key in Object.prototype && !Object.hasOwn(object, key) ? undefined : object[key]
  if (member === undefined) return copy
  const converted = convert(member, state)
  if (converted === member) return copy
  const whole = copy === object ? shallow(object) as Members : copy
  put(whole, key, converted)
  return whole
}

/** Whether JSON has this value as it is, whatever it has of the values inside. */
function isContainer (value: unknown): boolean {
  return typeof value !== 'object' || value === null || (isPlain(value) && !('toJSON' in value))
}
