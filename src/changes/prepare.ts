import { selectorOf } from './choices.ts'
import { pointerKey } from './documents.ts'
import { prune } from './shapes.ts'

import type { Direction } from './convert.ts'
import type { Choice, Shape, Shapes } from './shapes.ts'
import type { ReadChange } from './steps.ts'

/** Why a part cannot be converted. */
export interface Obstacle {
  /** The JSON pointer in the schema. */
  readonly pointer: string
  /** A sentence without its end. */
  readonly reason: string
}

/** What conversions of a part meet. */
export interface Prepared {
  /** In the order of the schema; a conversion that meets one fails. */
  readonly obstacles: readonly Obstacle[]
  /** The changes that apply. */
  readonly changes: ReadonlySet<ReadChange>
}

const BY_ROUTE = 'change it by route'

const SELECTORS = { upgrade: 'up', downgrade: 'down' } as const

/** Makes the shapes of a part ready for conversions in one direction. */
export function prepare (outermost: Shape, direction: Direction, shapes: Shapes): Prepared {
  const obstacles: Obstacle[] = []
  const changes = new Set<ReadChange>()
  if (!outermost.isAlive) return { obstacles, changes }
  const seen = new Map<Shape, string>([[outermost, '']])
  for (const [shape, pointer] of seen) {
    const visit = (inner: Shape | null, path: string) => {
      if (inner?.isAlive && !seen.has(inner)) seen.set(inner, pointer + path)
    }
    const hinder = (path: string, reason: string) => obstacles.push({ pointer: pointer + path, reason })
    prune(shape)
    if (shape.problem !== null) hinder('', `${shape.problem}: ${BY_ROUTE}`)
    for (const { id, change, ...functions } of shape.places) {
      changes.add(change)
      if (functions[direction] === null) hinder('', `the change of the schema '${id}' has no function "${direction}"`)
    }
    for (const { keyword, shape: inner } of shape.blocked) {
      if (inner.isAlive) hinder(`/${keyword}`, `only validation knows whether that schema applies: ${BY_ROUTE}`)
    }
    for (const choice of shape.choices) {
      if (!select(choice, direction, shapes)) {
        const reason = 'no type and no required property with a "const" or an "enum" tells its branches apart'
        hinder(`/${choice.keyword}`, `${reason}: ${BY_ROUTE}`)
      }
      for (const [i, branch] of choice.branches.entries()) visit(branch.shape, `/${choice.keyword}/${i}`)
    }
    for (const { properties, patterns, rest, tuple, items } of shape.layers) {
      for (const [key, inner] of properties) visit(inner, `/properties${pointerKey(key)}`)
      for (const [pattern, inner] of patterns) visit(inner, `/patternProperties${pointerKey(pattern.source)}`)
      for (const [i, inner] of tuple.entries()) visit(inner, `/prefixItems/${i}`)
      visit(rest, '/additionalProperties')
      visit(items, '/items')
    }
  }
  return { obstacles, changes }
}

/** Values come in the newer words for a downgrade, in the older ones for an upgrade. */
function select (choice: Choice, direction: Direction, shapes: Shapes): boolean {
  const key = SELECTORS[direction]
  choice[key] ??= selectorOf(choice, direction === 'upgrade' ? shapes.older : shapes.newer) ?? undecided
  return choice[key] !== undecided
}

function undecided (): undefined {}
