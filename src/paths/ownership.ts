import FindMyWay from 'find-my-way'

import { expandOptional, parsePath, shapeOf, yieldsTo } from './pattern.ts'
import { encodeText, UrlTemplate } from './template.ts'
import { PathTree } from './tree.ts'

import type { HTTPMethod, HTTPVersion, Instance } from 'find-my-way'
import type { PathNode, RouterOptions, Shape } from './pattern.ts'
import type { ReverseArgs } from '../../types/index.d.ts'

/** Tells whether the URLs of a path are answered by it. */
export interface OwnershipCheck {
  /** What a URL looks like that another path may answer: cheaper than to look it up. Null: every URL is its own. */
  readonly doubtful: RegExp | null
  /** Whether the router answers the URL by the path, with the parameters that the URL was made of. */
  readonly isOwn: (url: string) => boolean
}

/** A path that the router answers, optional parameters expanded. */
interface RouterPath {
  readonly path: string
  readonly shape: Shape
  /** Made when a URL is first found to be the path's. */
  template: UrlTemplate | null
}

/** The paths of one method, of each shape the first: only constraints set the others apart, which no URL shows. */
interface MethodPaths {
  readonly byShape: Map<string, RouterPath>
  readonly tree: PathTree<RouterPath>
  /** Paths that the router does not have yet, in the order of their declaration. */
  waiting: RouterPath[]
}

/**
 * What may keep the router from the path that a URL was made of, whatever other paths there are: characters that end a
 * path, a `%` near a pattern, a group within a pattern, which counts as a parameter, and slashes in a row.
 */
const DOUBTFUL = /[?#;%]|\([^)]*\(|\/\//

/** `İ`, the one letter that is two in lower case: where case is ignored the router loses its place in what follows. */
const LONGER_IN_LOWER_CASE = /%C4%B0/
const ANY_URL = /^/

/** To match a URL against the pattern of more paths than these takes longer than to look it up. */
const MAX_IN_PATTERN = 50

const NO_ARGS: ReverseArgs = Object.freeze([])

/** Nothing is ever handled: a URL is looked up only to learn which path it belongs to. */
const HANDLER = Function.prototype as () => void

/**
 * Who answers a URL. The router prefers `/users/me` to `/users/:id`, so that `me` is no value for a link to the latter.
 * The answer comes from a router with the same paths, which is built with the first URL that may be another path's.
 */
export class Ownership {
  readonly #options: RouterOptions
  readonly #router: Instance<HTTPVersion.V1>
  readonly #byMethod = new Map<string, MethodPaths>()

  constructor (options: RouterOptions) {
    this.#options = options
    this.#router = FindMyWay({ ...options, allowUnsafeRegex: true })
  }

  /** @param path a path as Fastify registers it */
  add (methods: readonly string[], path: string): void {
    for (const one of expandOptional(path)) {
      const known: RouterPath = { path: one, shape: shapeOf(one, this.#options), template: null }
      const key = known.shape.join('')
      for (const method of methods) {
        const { byShape, tree, waiting } = this.#pathsOf(method)
        if (byShape.has(key)) continue
        byShape.set(key, known)
        tree.add(one, known)
        waiting.push(known)
      }
    }
  }

  /**
   * For the URLs of a path in each of these methods, as long as no path is added.
   *
   * @param path a path that has been added, optional parameters expanded
   */
  checkFor (methods: readonly string[], path: string): OwnershipCheck {
    const shape = shapeOf(path, this.#options)
    const key = shape.join('')
    const rivals = methods.flatMap((method) => this.#rivalsOf(method, path, shape, key))
    return {
      doubtful: this.#doubtful(path, [...new Set(rivals)]),
      isOwn: (url) => methods.every((method) => this.#isOwn(method, key, url))
    }
  }

  /** The other paths that the router may prefer for a URL of this one. */
  #rivalsOf (method: string, path: string, shape: Shape, key: string): string[] {
    const { byShape, tree } = this.#pathsOf(method)
    const own = byShape.get(key)
    return [...tree.near(path)].filter((other) => other !== own && !yieldsTo(other.shape, shape)).map((one) => one.path)
  }

  #doubtful (path: string, rivals: readonly string[]): RegExp | null {
    if (DOUBTFUL.test(path)) return ANY_URL
    const { caseSensitive, ignoreDuplicateSlashes, ignoreTrailingSlash, useSemicolonDelimiter } = this.#options
    if (rivals.length === 0) return caseSensitive ? null : LONGER_IN_LOWER_CASE
    const isStrict = caseSensitive && !ignoreDuplicateSlashes && !ignoreTrailingSlash && !useSemicolonDelimiter
    const isClear = isStrict && rivals.length <= MAX_IN_PATTERN && !rivals.some((rival) => DOUBTFUL.test(rival))
    return isClear ? patternOf(rivals) : ANY_URL
  }

  #isOwn (method: string, key: string, url: string): boolean {
    const paths = this.#pathsOf(method)
    for (const known of paths.waiting) this.#router.on(method as HTTPMethod, known.path, HANDLER, known)
    paths.waiting = []
    const known = paths.byShape.get(key)
    const found = this.#router.find(method as HTTPMethod, url)
    // A route that was declared before the plugin was loaded is not known, and may link to itself all the same.
    if (known === undefined) return found === null
    if (found?.store !== known) return false
    known.template ??= new UrlTemplate(known.path, this.#options)
    return known.template.refill(NO_ARGS, found.params) === url
  }

  #pathsOf (method: string): MethodPaths {
    const known = this.#byMethod.get(method)
    if (known !== undefined) return known
    const paths: MethodPaths = { byShape: new Map(), tree: new PathTree(this.#options.caseSensitive), waiting: [] }
    this.#byMethod.set(method, paths)
    return paths
  }
}

/** What a URL looks like that one of the paths matches; a pattern of a parameter is left to the router. */
function patternOf (paths: readonly string[]): RegExp {
  return new RegExp(`^(?:${paths.map((path) => parsePath(path).map(sourceOf).join('')).join('|')})$`)
}

function sourceOf (node: PathNode): string {
  if (node.kind === 'wildcard') return '.*'
  if (node.kind === 'parametric') return '[^/]*'
  return encodeText(node.text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
