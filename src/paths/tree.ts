import { parsePath } from './pattern.ts'

/** A segment of a tree is either ready text or takes values. */
interface Branch {
  readonly fixed: Map<string, Branch>
  open?: Branch
  /** Paths that end here. */
  readonly paths: Set<string>
  /** Paths whose wildcard takes all that follows. */
  readonly wildcards: Set<string>
}

/** A path with a segment that a parameter may take, though it is empty. */
const EMPTY_SEGMENT = /\/\/|\/$/

const WILDCARD = Symbol('wildcard')
const OPEN = Symbol('open')
type Segment = string | typeof OPEN | typeof WILDCARD

/** Paths by their segments, to find those that may have a URL in common. */
export class PathTree {
  readonly #root = emptyBranch()
  readonly #caseSensitive: boolean

  constructor (caseSensitive: boolean) {
    this.#caseSensitive = caseSensitive
  }

  /** @param path a path as Fastify registers it, optional parameters expanded */
  add (path: string): void {
    insert(this.#root, segmentsOf(path, this.#caseSensitive), path)
  }

  /** The paths, itself among them, that may have a URL in common with one. */
  near (path: string): Set<string> {
    const found = new Set<string>()
    collect(this.#root, segmentsOf(path, this.#caseSensitive), 0, EMPTY_SEGMENT.test(path), found)
    return found
  }

  all (): Set<string> {
    const found = new Set<string>()
    collect(this.#root, [WILDCARD], 0, true, found)
    return found
  }
}

function emptyBranch (): Branch {
  return { fixed: new Map(), paths: new Set(), wildcards: new Set() }
}

/** The segments of a path. Empty ones do not count, as the router may be told to ignore the slashes around them. */
function segmentsOf (path: string, caseSensitive: boolean): Segment[] {
  const segments: Segment[] = []
  for (const node of parsePath(path)) {
    if (node.kind === 'static') {
      const text = caseSensitive ? node.text : node.text.toLowerCase()
      segments.push(...text.split('/').slice(1))
    } else {
      segments.splice(Math.max(segments.length - 1, 0), 1, node.kind === 'wildcard' ? WILDCARD : OPEN)
    }
  }
  return segments.filter((segment) => segment !== '')
}

function insert (branch: Branch, segments: readonly Segment[], path: string): void {
  for (const segment of segments) {
    if (segment === WILDCARD) {
      branch.wildcards.add(path)
      return
    }
    if (segment === OPEN) {
      branch = branch.open ??= emptyBranch()
    } else {
      const next = branch.fixed.get(segment) ?? emptyBranch()
      branch.fixed.set(segment, next)
      branch = next
    }
  }
  branch.paths.add(path)
}

/**
 * Collects the paths that have a URL in common with one of the segments from `at` on.
 *
 * @param hasEmpty whether a parameter may also take no segment
 */
function collect (
  branch: Branch, segments: readonly Segment[], at: number, hasEmpty: boolean, found: Set<string>
): void {
  const segment = segments[at]
  for (const path of branch.wildcards) found.add(path)
  if (segment === undefined || segment === WILDCARD) {
    for (const path of branch.paths) found.add(path)
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
