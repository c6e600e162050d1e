import { isText } from './old-pattern.ts'

import type { Shape } from './old-pattern.ts'

const OPEN = Symbol('open')
const WILDCARD = Symbol('wildcard')

/** A segment is ready text, or holds a parameter (`OPEN`), or is the wildcard that takes all that follows. */
type Segment = string | typeof OPEN | typeof WILDCARD

interface Branch<Item> {
  readonly fixed: Map<string, Branch<Item>>
  open?: Branch<Item>
  /** The paths that end here. */
  readonly items: Item[]
  /** The paths whose wildcard is here. */
  readonly wildcards: Item[]
}

/** Items by the segments of their paths, to find those whose paths may have a URL in common with another path. */
export class PathTree<Item> {
  readonly #root: Branch<Item> = emptyBranch()

  add (shape: Shape, item: Item): void {
    let branch = this.#root
    for (const segment of segmentsOf(shape)) {
      if (segment === WILDCARD) {
        branch.wildcards.push(item)
        return
      }
      const { fixed } = branch
      branch = segment === OPEN ? branch.open ??= emptyBranch() : fixed.get(segment) ?? emptyBranch()
      if (segment !== OPEN) fixed.set(segment, branch)
    }
    branch.items.push(item)
  }

  /**
   * The items whose paths may have a URL in common with this one, including its own.
   *
   * @param hasEmpty whether the path has an empty segment, which a parameter of another path may take
   */
  near (shape: Shape, hasEmpty: boolean): Set<Item> {
    const found = new Set<Item>()
    collect(this.#root, segmentsOf(shape), 0, hasEmpty, found)
    return found
  }
}

function emptyBranch<Item> (): Branch<Item> {
  return { fixed: new Map(), items: [], wildcards: [] }
}

/** The segments of a path. Empty ones do not count, as the router may be told to ignore the slashes around them. */
function segmentsOf (shape: Shape): Segment[] {
  const segments: Segment[] = []
  for (const part of shape) {
    if (isText(part)) segments.push(...part.split('/'))
    else segments.splice(-1, 1, part === '*' ? WILDCARD : OPEN)
  }
  return segments.filter((segment) => segment !== '')
}

/**
 * Collects the items of paths that have a URL in common with the segments from `at` on.
 *
 * @param hasEmpty whether a parameter may also take no segment
 */
function collect<Item> (
  branch: Branch<Item>, segments: readonly Segment[], at: number, hasEmpty: boolean, found: Set<Item>
): void {
  const segment = segments[at]
  for (const item of branch.wildcards) found.add(item)
  if (segment === undefined || segment === WILDCARD) {
    for (const item of branch.items) found.add(item)
  }
  if (branch.open !== undefined && hasEmpty) collect(branch.open, segments, at, hasEmpty, found)
  if (segment === undefined) return

  const next = segment === WILDCARD ? at : at + 1
  if (branch.open !== undefined) collect(branch.open, segments, next, hasEmpty, found)
  const fixed = typeof segment === 'string' ? [branch.fixed.get(segment)] : branch.fixed.values()
  for (const one of fixed) {
    if (one !== undefined) collect(one, segments, next, hasEmpty, found)
  }
}
