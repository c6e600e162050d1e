import { VersionChangeError } from '../errors.ts'
import { show } from '../messages.ts'
import { NOT_JSON, toCall } from './calls.ts'
import { isJson, isPlain, put, shallow } from './json.ts'
import { NewNames } from './names.ts'

import type { Selector } from './branch.ts'
import type { Call, Convert, State } from './calls.ts'
import type { Direction, ValueStep } from './read.ts'
import type { Choice, Shape, Shapes } from './shape.ts'

type Members = Record<string, unknown>
type NamesOf = (step: ValueStep) => () => NewNames | null

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
export function moveOf ({ newer, older, step: { schemas } }: Shapes, shape: Shape): Move {
  const namesOf = (direction: Direction): NamesOf => (step) => () => {
    const [id] = [...schemas].find(([, one]) => one === step) as [string, ValueStep]
    const [now, then] = [newer.find(id), older.find(id)]
    return now === null || then === null ? null : NewNames.of([now, newer], [then, older], direction)
  }
  return { shape, steps: shape.steps, of: (direction) => compile(shape, direction, namesOf(direction)) }
}

/** What a change of the part of a route undoes. */
export function moveBy ({ newer, older }: Shapes, step: ValueStep, schema: unknown): Move {
  const called = (direction: Direction): Convert => {
    const call = toCall(step, direction, () => {
      if (schema === undefined) return null
      const now = [newer.at(schema), newer] as const
      return NewNames.of(now, step.older === undefined ? now : [older.at(step.older), older], direction)
    })
    return (value, state) => call(value, state, state.isLast)
  }
  return { shape: null, steps: [step], of: called }
}

/**
 * What converts values of a shape. Downgrades call the functions of outer values first, then the functions of the
 * values inside, as the older schema has them. Upgrades do the reverse. Functions of schemas are not called for null.
 *
 * @param namesOf what the schemas of a step say of the members of its values
 */
function compile (shape: Shape, direction: Direction, namesOf: NamesOf): Convert {
  const converts = compiled.get(shape) ?? {}
  compiled.set(shape, converts)
  const known = converts[direction]
  if (known !== undefined) return known
  // A schema may lead back to itself.
  converts[direction] = (value, state) => whole(value, state)
  const calls = shape.steps.map((step) => toCall(step, direction, namesOf(step)))
  const inside: Convert = insideOf(shape, (one) => compile(one, direction, namesOf), direction)
  const isOnlyCall = calls.length === 1 && inside === same
  const older = isOnlyCall ? downgradeBy(calls[0]) : downgrade
  const whole: Convert = calls.length === 0 ? inside : direction === 'upgrade' ? upgrade : older
  converts[direction] = whole
  return whole

  function downgrade (given: unknown, state: State): unknown {
    if (given === null || given === undefined) return given
    const { isChecked } = state
    if (!isChecked && !isJson(given)) throw NOT_JSON
    state.isChecked = true
    let value: unknown = given
    for (let i = 0; i < calls.length && value !== null; i++) {
      value = calls[i](value, state, false)
    }
    value = inside(value, state)
    state.isChecked = isChecked
    return value
  }

  function upgrade (given: unknown, state: State): unknown {
    let value = inside(given, state)
    for (let i = calls.length - 1; i >= 0 && value !== null && value !== undefined; i--) {
      value = calls[i](value, state, false)
    }
    return value
  }
}

const same: Convert = (value) => value

/** As `downgrade`, where nothing else is undone in the value. */
function downgradeBy (call: Call): Convert {
  return (value, state) => value === null || value === undefined ? value : call(value, state, state.isLast)
}

/** What converts the values inside a value. */
function insideOf (
  shape: Shape, of: (shape: Shape) => Convert, direction: Direction
): Convert {
  const { choices: [choice], items: [item], members, others } = shape
  if (choice !== undefined) return alternative(choice, of, direction)
  const inItems = item === undefined ? same : itemsBy(of(item), item.steps.length > 0)
  const inMembers = membersBy(members.map(([key, shape]) => [key, of(shape)]), others.length === 0
    ? null
    : (key) => {
        const one = shape.other(key)
        return one === null ? null : of(one)
      })
  if (item === undefined && members.length + others.length === 0) return same
  return (value, state) => {
    if (typeof value !== 'object' || value === null) return value
    return (Array.isArray(value) ? inItems : inMembers)(value, state)
  }
}

function alternative ({ branches, select }: Choice, of: (shape: Shape) => Convert, direction: Direction): Convert {
  const converts = branches.map(({ shape }) => shape.isAlive ? of(shape) : same)
  return (value, state) => {
    if (!state.isChecked && !isContainer(value)) throw NOT_JSON
    const index = (select[direction] as Selector)(value)
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
 * @param rest what converts a member that has no name in a schema; null if nothing does
 * @returns the object itself if no member differs
 */
function membersBy (
  named: readonly (readonly [key: string, Convert])[], rest: ((key: string) => Convert | null) | null
): Convert {
  return (value, state) => {
    if (!state.isChecked && !isContainer(value)) throw NOT_JSON
    const object = value as Members
    let copy: Members | null = null
    for (let i = 0; i < named.length; i++) take(named[i][0], named[i][1])
    for (const key of rest === null ? [] : Object.keys(object)) {
      const convert = rest!(key)
      if (convert !== null) take(key, convert)
    }
    return copy ?? object

    function take (key: string, convert: Convert): void {
      const member = key in Object.prototype && !Object.hasOwn(object, key) ? undefined : object[key]
      if (member === undefined) return
      const converted = convert(member, state)
      if (converted !== member) put(copy ??= shallow(object) as Members, key, converted)
    }
  }
}

/** Whether JSON has this value as it is, whatever it has of the values inside. */
function isContainer (value: unknown): boolean {
  return typeof value !== 'object' || value === null || (isPlain(value) && !('toJSON' in value))
}
