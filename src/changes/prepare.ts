import { selectorOf } from './choices.ts'
import { pointerKey } from './documents.ts'
import { prune } from './shapes.ts'

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

/** How a shape was reached: from which shape, and by which keys of the schema. */
type Trail = readonly [from: Shape | null, ...keys: (string | number)[]]

/** Makes the shapes of a part ready for conversions in one direction. */
export function prepare (outermost: Shape, direction: Direction, shapes: Shapes): Prepared {
  let obstacle: Prepared['obstacle'] = null
  const changes = new Set<ReadChange>()
  const trails = new Map<Shape, Trail>()
  const visit = (inner: Shape | null, from: Shape | null, ...keys: (string | number)[]) => {
    if (inner?.isAlive && !trails.has(inner)) trails.set(inner, [from, ...keys])
  }
  visit(outermost, null)
  for (const shape of trails.keys()) {
    const hinder = (keyword: string | null, reason: string) => {
      obstacle ??= { pointer: pointerTo(shape, trails) + (keyword === null ? '' : pointerKey(keyword)), reason }
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
      for (const [i, branch] of choice.branches.entries()) visit(branch.shape, shape, choice.keyword, i)
    }
    for (const { properties, patterns, rest, tuple, items } of shape.layers) {
      for (const [key, inner] of properties) visit(inner, shape, 'properties', key)
      for (const [pattern, inner] of patterns) visit(inner, shape, 'patternProperties', pattern.source)
      for (const [i, inner] of tuple.entries()) visit(inner, shape, 'prefixItems', i)
      visit(rest, shape, 'additionalProperties')
      visit(items, shape, 'items')
    }
  }
  return { obstacle, changes }
}

function pointerTo (shape: Shape, trails: ReadonlyMap<Shape, Trail>): string {
  const [from, ...keys] = trails.get(shape) as Trail
  return (from === null ? '' : pointerTo(from, trails)) + keys.map(pointerKey).join('')
}

function undecided (): undefined {}
