import { VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { toCall } from './calls.ts'
import { put, shallow } from './json.ts'

import type { Convert, State } from './calls.ts'
import type { Place } from './edition.ts'
import type { Members } from './json.ts'
import type { Direction, ValueStep } from './read-changes.ts'
import type { Alternatives, Shape, Stage } from './stage.ts'

/** How one step converts a value: by the functions of its schemas, or by the function of a part. */
export interface Move {
  /** Makes the conversion. @param isLast whether a serializer gets the result */
  readonly to: (direction: Direction, isLast: boolean) => Convert
  /** The schema after the step; null if there is no schema. */
  readonly newer: Place | null
  /** The schema before the step; null if there is no schema. */
  readonly older: Place | null
  readonly steps: readonly ValueStep[]
}

/** Returns the move of one step for values of a schema. */
export function moveOf (stage: Stage, schema: unknown): Move {
  const shape = stage.shapeOf(schema)
  return {
    to: (direction, isLast) => convertOf(shape, direction, isLast),
    newer: stage.newer.at(schema),
    older: stage.older.at(schema),
    steps: [...shape.allSteps()]
  }
}

/** Returns the move of a change for a part of a route. */
export function moveBy ({ newer, older }: Stage, step: ValueStep, schema: unknown): Move {
  const now = schema === undefined ? null : newer.at(schema)
  // A part without an older schema has a schema now, which stays.
  const then = (step.older === undefined ? now : older.at(step.older)) as Place
  return {
    to: (direction, isLast) => toCall(step, direction, isLast, then, now),
    newer: now,
    older: then,
    steps: [step]
  }
}

const same: Convert = (value) => value

/**
 * Makes the function that converts values of a shape. Downgrades call the functions of the outer value first, then the
 * functions of the values inside, as the older schema has them. Upgrades do the reverse.
 */
function convertOf (shape: Shape, direction: Direction, isLast: boolean): Convert {
  const { converts } = shape
  const key = `${direction} ${isLast}`
  const cached = converts.get(key)
  if (cached !== undefined) return cached
  // A schema may contain itself, so the function is known before those of the values inside are made.
  let whole = same
  converts.set(key, (value, state) => whole(value, state))
  const inside = insideOf(shape, direction, (inner) => convertOf(inner, direction, isLast))
  const isLastCall = isLast && shape.steps.length === 1 && inside === same
  const { newer, older } = shape.stage
  const calls = shape.steps.map((step) => (
    toCall(step, direction, isLastCall, older.at(step.older), newer.find(step.id as string))
  ))
  whole = direction === 'upgrade' ? inOrder([inside, ...calls.reverse()]) : inOrder([...calls, inside])
  converts.set(key, whole)
  return whole
}

/** Makes the function that converts the values inside a value. */
function insideOf (shape: Shape, direction: Direction, toConvert: (inner: Shape) => Convert): Convert {
  const { alternatives, item, members, hasOthers } = shape.inside
  if (alternatives !== undefined) return alternativesBy(alternatives, direction, toConvert)
  if (item === undefined && members.length === 0 && !hasOthers) return same
  const inItems = item === undefined ? same : itemsBy(toConvert(item))
  const named = membersBy(members.map(([key, member]) => [key, toConvert(member)]))
  const inMembers = hasOthers ? othersBy(shape, named, toConvert) : named
  return (value, state) => {
    if (typeof value !== 'object' || value === null) return value
    return (Array.isArray(value) ? inItems : inMembers)(value, state)
  }
}

/** Makes the function that converts also the members that have no name in a schema. */
function othersBy (shape: Shape, named: Convert, toConvert: (inner: Shape) => Convert): Convert {
  return (value, state) => {
    let copy = named(value, state) as Members
    for (const key of Object.keys(value as Members)) {
      const inner = shape.other(key)
      if (inner !== undefined) copy = withMember(value as Members, copy, key, toConvert(inner), state)
    }
    return copy
  }
}

function alternativesBy (
  { branches, select }: Alternatives, direction: Direction, toConvert: (inner: Shape) => Convert
): Convert {
  const converts = branches.map((shape) => shape.isAlive ? toConvert(shape) : same)
  const selected = select[direction]!
  return (value, state) => {
    const index = selected(value)
    if (index !== -1) return converts[index](value, state)
    // The newest schema refuses such a value of a request. A serializer writes or refuses what is no object.
    if (direction === 'upgrade' || typeof value !== 'object') return value
    const { labels, subject } = state
    throw new VersionChangeError(labels, subject, `${show(value)} is none of the alternatives of its schema`)
  }
}

/** Makes a function that calls others one after the other, until the value is null or undefined. */
function inOrder (all: readonly Convert[]): Convert {
  const converts = all.filter((convert) => convert !== same)
  if (converts.length === 1) return converts[0]
  return (input, state) => {
    let value = input
    for (let i = 0; i < converts.length && value !== null && value !== undefined; i++) value = converts[i](value, state)
    return value
  }
}

/** Makes the function that converts the items of a list. It returns the list itself if no item differs. */
function itemsBy (convert: Convert): Convert {
  return (value, state) => {
    const list = value as readonly unknown[]
    let copy: unknown[] | null = null
    for (let i = 0; i < list.length; i++) {
      const item = convert(list[i], state)
      if (item !== list[i]) (copy ??= list.slice())[i] = item
    }
    return copy ?? list
  }
}

/** Makes the function that converts named members. It returns the object itself if no member differs. */
function membersBy (named: readonly (readonly [key: string, convert: Convert])[]): Convert {
  return (value, state) => {
    const object = value as Members
    let copy = object
    for (let i = 0; i < named.length; i++) copy = withMember(object, copy, named[i][0], named[i][1], state)
    return copy
  }
}

/** Returns the copy with the converted member, or the copy as it was if the member does not differ. */
function withMember (object: Members, copy: Members, key: string, convert: Convert, state: State): Members {
  const member = key in Object.prototype && !Object.hasOwn(object, key) ? undefined : object[key]
  if (member === undefined) return copy
  const converted = convert(member, state)
  if (converted === member) return copy
  const whole = copy === object ? shallow(object) as Members : copy
  put(whole, key, converted)
  return whole
}
