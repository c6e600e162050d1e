import type { Layer, Others, Shape } from './shapes.ts'

const NONE: ReadonlySet<string> = new Set()

/** By two shapes, the shape of a value that both describe. */
const combinations = new WeakMap<Shape, Map<Shape, Shape>>()

/**
 * The shape of a value that two schemas describe. What both of them say is in it once, so that no function gets a value
 * that it has converted before.
 */
export function combined (one: Shape, other: Shape): Shape {
  if (other.sources.every((source) => one.sources.includes(source))) return one
  let known = combinations.get(one)
  if (known === undefined) combinations.set(one, known = new Map())
  let shape = known.get(other)
  if (shape === undefined) {
    const { change, problem } = one
    shape = {
      change,
      places: union(one.places, other.places),
      layers: union(one.layers, other.layers),
      inner: null,
      choices: union(one.choices, other.choices),
      sources: union(one.sources, other.sources),
      blocked: union(one.blocked, other.blocked),
      problem: problem ?? other.problem,
      isAlive: true,
      isPruned: false,
      parents: []
    }
    // Schemas that contain themselves come back to it.
    known.set(other, shape)
    prune(shape)
  }
  return shape
}

function union<Item> (some: readonly Item[], others: readonly Item[]): Item[] {
  return [...new Set([...some, ...others])]
}

/** Removes from a shape everything that is not alive. Call it when everything in it has been read. */
export function prune (shape: Shape): void {
  if (shape.isPruned) return
  shape.isPruned = true
  shape.choices = shape.choices.filter(({ branches }) => branches.some(({ shape }) => shape.isAlive))
  const layers = shape.layers.filter(isLayerAlive)
  shape.inner = layers.length === 0 ? null : merged(layers)
}

/** Frees what is only needed until a shape is pruned. Call it when all shapes around it are. */
export function settle (shape: Shape): void {
  for (const one of shape.sources) {
    prune(one)
    one.layers = one.inner === null ? [] : [one.inner]
  }
}

function isLayerAlive ({ properties, others, tuple, items }: Layer): boolean {
  return [...properties.map(([, shape]) => shape), ...tuple, items].some((shape) => shape?.isAlive) ||
    others.some(isOthersAlive)
}

function isOthersAlive ({ patterns, rest }: Others): boolean {
  return patterns.some(([, shape]) => shape?.isAlive) || rest?.isAlive === true
}

/** What layers of one value say together. */
function merged (layers: readonly Layer[]): Layer {
  const named = layers.map(({ properties }) => new Map(properties))
  const known = new Set(layers.flatMap((layer, i) => [...named[i].keys(), ...layer.known]))
  const properties = [...known].flatMap((key) => {
    let shape: Shape | null = null
    for (const [i, layer] of layers.entries()) {
      shape = withAlive(shape, named[i].get(key))
      for (const one of layer.others) shape = withOther(shape, one, key, layer.known.has(key))
    }
    return shape === null ? [] : [[key, shape] as const]
  })
  const others = layers.flatMap((layer) => layer.others).filter(isOthersAlive).map(prunedOthers)
  const items = layers.reduce((all: Shape | null, layer) => withAlive(all, layer.items), null)
  const length = Math.max(...layers.map(({ tuple }) => tuple.length))
  const tuple = Array.from({ length }, (_, i) => layers.reduce((all: Shape | null, layer) => (
    withAlive(all, i < layer.tuple.length ? layer.tuple[i] : layer.items)
  ), null))
  return {
    properties,
    known: others.length === 0 ? NONE : known,
    others,
    tuple: items === null ? tuple.slice(0, tuple.findLastIndex((shape) => shape !== null) + 1) : tuple,
    items
  }
}

function prunedOthers ({ patterns, rest }: Others): Others {
  const alive = withAlive(null, rest)
  return {
    // A member that a pattern describes is not one of the rest.
    patterns: patterns.map(([pattern, shape]) => [pattern, withAlive(null, shape)] as const)
      .filter(([, shape]) => alive !== null || shape !== null),
    rest: alive
  }
}

/** The shape of a member that no schema describes by its name, or null. */
export function shapeOfOther ({ others }: Layer, key: string): Shape | null {
  let shape: Shape | null = null
  for (const one of others) shape = withOther(shape, one, key, false)
  return shape
}

/**
 * Adds what patterns say of a member, or else what is said of the rest.
 *
 * @param isKnown whether the schema describes the member by its name, so that it is not one of the rest
 */
function withOther (shape: Shape | null, { patterns, rest }: Others, key: string, isKnown: boolean): Shape | null {
  let all = shape
  let isRest = !isKnown
  for (const [pattern, one] of patterns) {
    if (!pattern.test(key)) continue
    isRest = false
    all = withAlive(all, one)
  }
  return isRest ? withAlive(all, rest) : all
}

/** Adds a shape, unless it is not alive. */
function withAlive (all: Shape | null, shape: Shape | null | undefined): Shape | null {
  if (!shape?.isAlive) return all
  return all === null ? shape : combined(all, shape)
}
