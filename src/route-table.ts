import FindMyWay from 'find-my-way'

import { expandOptional, parsePath } from './path-pattern.ts'

import type { HTTPMethod } from 'find-my-way'
import type { PathNode } from './path-pattern.ts'

/** What of the router's configuration decides which URLs reach a route. */
export interface RouterOptions {
  readonly caseSensitive: boolean
  /** Whether the router takes several slashes in a row for one. */
  readonly ignoreDuplicateSlashes: boolean
  readonly ignoreTrailingSlash: boolean
  /** Longest value, in UTF-16 code units, that the router takes for a parameter other than a wildcard. */
  readonly maxParamLength: number
  readonly useSemicolonDelimiter: boolean
}

/** Tells whether the router answers a URL by the path that the URL was made of, and with which parameters. */
export type Lookup = (url: string) => Record<string, string | undefined> | null

/** Routes by the shape of their path; a segment is either ready text or takes values. */
interface Branch {
  readonly fixed: Map<string, Branch>
  open?: Branch
  /** Paths that end here. */
  readonly paths: Set<string>
  /** Paths whose wildcard takes all that follows. */
  readonly wildcards: Set<string>
}

/**
 * What may keep a router from its own route: characters that end a path, a `%` in a pattern's neighbourhood, a group
 * within a pattern, which counts as a parameter, and slashes in a row.
 */
const DOUBTFUL = /[?#;%]|\([^)]*\(|\/\//

/** A path with a segment that a parameter may take, though it is empty. */
const EMPTY_SEGMENT = /\/\/|\/$/

/** Nothing is ever handled here: what is looked up is only which route it would be. */
const HANDLER = Function.prototype as () => void

const WILDCARD = Symbol('wildcard')
const OPEN = Symbol('open')
type Segment = string | typeof OPEN | typeof WILDCARD

/**
 * The routes of an app, named or not, to tell whose URL it is that a link was made of: the router prefers `/users/me`
 * to `/users/:id`, so that `me` is no value for the latter. Nothing is computed before the first link.
 */
export class RouteTable {
  readonly #options: RouterOptions
  readonly #routes: [methods: readonly string[], path: string][] = []
  readonly #branches = new Map<string, Branch>()
  /** When each path was declared, for of two patterns the router prefers the older one. */
  readonly #ages = new Map<string, number>()
  #indexed = 0

  constructor (options: RouterOptions) {
    this.#options = options
  }

  /** How many routes have been declared so far. */
  get size (): number {
    return this.#routes.length
  }

  add (methods: readonly string[], path: string): void {
    this.#routes.push([methods, path])
  }

  /**
   * For each method a router with one path and all others that may answer URLs of its shape.
   *
   * @param path a path, optional parameters expanded
   * @returns none for a method in which every URL of the path is surely its own
   */
  lookupsFor (methods: readonly string[], path: string): Lookup[] {
    this.#index()
    return methods.map((method) => this.#lookupFor(method, path)).filter((lookup) => lookup !== null)
  }

  #lookupFor (method: string, path: string): Lookup | null {
    const rivals = this.#rivalsOf(method, path)
    if (rivals.length === 0 && !DOUBTFUL.test(path)) return null

    const router = FindMyWay({ ...this.#options, allowUnsafeRegex: true })
    const byAge = [path, ...rivals].sort((a, b) => this.#ageOf(a) - this.#ageOf(b))
    for (const one of byAge) router.on(method as HTTPMethod, one, HANDLER, one)
    return function lookUp (url) {
      const found = router.find(method as HTTPMethod, url)
      return found?.store === path ? found.params : null
    }
  }

  /** The other paths that may answer a URL of one. */
  #rivalsOf (method: string, path: string): string[] {
    const branch = this.#branches.get(method)
    const found = new Set<string>()
    if (branch !== undefined) collect(branch, segmentsOf(path, this.#options), 0, EMPTY_SEGMENT.test(path), found)
    const shape = shapeOf(parsePath(path), this.#options)
    // Only a constraint can set two routes of one shape apart, and a URL does not show it: the first is enough.
    const shapes = new Set([shape.join('')])
    return [...found].filter((other) => {
      const rival = shapeOf(parsePath(other), this.#options)
      if (shapes.has(rival.join('')) || yieldsTo(rival, shape)) return false
      shapes.add(rival.join(''))
      return true
    })
  }

  #ageOf (path: string): number {
    return this.#ages.get(path) as number
  }

  #index (): void {
    for (; this.#indexed < this.#routes.length; this.#indexed++) {
      const [methods, route] = this.#routes[this.#indexed]
      for (const path of expandOptional(route)) {
        const segments = segmentsOf(path, this.#options)
        if (!this.#ages.has(path)) this.#ages.set(path, this.#ages.size)
        for (const method of methods) {
          const branch = this.#branches.get(method) ?? emptyBranch()
          this.#branches.set(method, branch)
          insert(branch, segments, path)
        }
      }
    }
  }
}

/** A path without the names of its parameters: static texts, and what the router matches between them. */
function shapeOf (nodes: readonly PathNode[], { caseSensitive }: RouterOptions): string[] {
  return nodes.map((node) => {
    if (node.kind === 'wildcard') return '*'
    if (node.kind === 'parametric') return `:${node.pattern?.source ?? ''}`
    return caseSensitive ? node.text : node.text.toLowerCase()
  })
}

/** Whether the router tries the wildcard of a path only after another path, which goes on where the wildcard stands. */
function yieldsTo (shape: readonly string[], other: readonly string[]): boolean {
  if (shape.at(-1) !== '*') return false
  const before = shape.slice(0, -1)
  return before.every((text, i) => {
    const isLastText = i === before.length - 1 && !text.startsWith(':')
    return isLastText ? other[i]?.startsWith(text) : other[i] === text
  })
}

function emptyBranch (): Branch {
  return { fixed: new Map(), paths: new Set(), wildcards: new Set() }
}

/** The segments of a path. Empty ones do not count, as the router may be told to ignore the slashes around them. */
function segmentsOf (path: string, { caseSensitive }: RouterOptions): Segment[] {
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
