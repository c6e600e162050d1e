import { selectorOf } from './choices.ts'
import { prune, settle } from './combine.ts'
import { pointerKey } from './documents.ts'

import type { Direction } from './convert.ts'
import type { Shape, Shapes } from './shapes.ts'
import type { ReadChange } from './steps.ts'

/** What conversions of a part come across. */
export interface Prepared {
  /** The first one, by the JSON pointer in the schema; conversions that come across it fail. */
  readonly obstacle: { readonly pointer: string, readonly reason: string } | null
  /** The changes that apply. */
  readonly changes: ReadonlySet<ReadChange>
}

const BY_ROUTE = 'change it by route'

/** Makes the shapes of a part ready for conversions in one direction. */
export function prepare (outermost: Shape, direction: Direction, shapes: Shapes): Prepared {
  let obstacle: Prepared['obstacle'] = null
  const changes = new Set<ReadChange>()
  const pointers = new Map<Shape, string>()
  const visit = (shape: Shape | null, pointer: string) => {
    if (shape?.isAlive && !pointers.has(shape)) pointers.set(shape, pointer)
  }
  visit(outermost, '')
  for (const [shape, pointer] of pointers) {
    const hinder = (keyword: string | null, reason: string) => {
      obstacle ??= { pointer: keyword === null ? pointer : `${pointer}/${keyword}`, reason }
    }
    prune(shape)
    if (shape.problem !== null) hinder(null, `${shape.problem}: ${BY_ROUTE}`)
    for (const { id, change, ...functions } of shape.places) {
      changes.add(change)
      if (functions[direction] === null) hinder(null, `the change of the schema '${id}' has no function "${direction}"`)
    }
    for (const { keyword, shape: inner } of shape.blocked) {
      if (inner.isAlive) hinder(keyword, `only validation knows whether that schema applies: ${BY_ROUTE}`)
    }
    for (const choice of shape.choices) {
      // A downgrade starts from values of the newer version, an upgrade from values of the older one.
      choice[direction] ??= selectorOf(choice, direction === 'upgrade' ? shapes.older : shapes.newer) ?? undecided
      if (choice[direction] === undecided) {
        const reason = 'no type and no required property with a "const" or an "enum" tells its branches apart'
        hinder(choice.keyword, `${reason}: ${BY_ROUTE}`)
      }
      for (const [i, branch] of choice.branches.entries()) visit(branch.shape, `${pointer}/${choice.keyword}/${i}`)
    }
    if (shape.inner === null) continue
    const { properties, others, tuple, items } = shape.inner
    for (const [key, inner] of properties) visit(inner, `${pointer}/properties${pointerKey(key)}`)
    for (const { patterns, rest } of others) {
      for (const [{ source }, inner] of patterns) visit(inner, `${pointer}/patternProperties${pointerKey(source)}`)
      visit(rest, `${pointer}/additionalProperties`)
    }
    for (const [i, inner] of tuple.entries()) visit(inner, `${pointer}/prefixItems/${i}`)
    visit(items, `${pointer}/items`)
  }
  for (const shape of pointers.keys()) settle(shape)
  return { obstacle, changes }
}

function undecided (): undefined {}
