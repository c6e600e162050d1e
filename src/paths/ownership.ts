import FindMyWay from 'find-my-way'

import { expandOptional, namesOf, parsePath, shapeOf, yieldsTo } from './pattern.ts'
import { emptyIn, encodeText, UrlTemplate } from './template.ts'
import { PathTree } from './tree.ts'

import type { HTTPMethod, HTTPVersion, Instance } from 'find-my-way'
import type { PathNode, RouterOptions, Shape } from './pattern.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/** A path in some methods, as its URLs are looked up. */
export interface OwnedPath {
  readonly path: string
  readonly methods: readonly string[]
  /** Undefined if no known route has it. */
  readonly routerPath: RouterPath | undefined
  /** Matches URLs that another path may answer: cheaper than a lookup. Null if no other path can answer its URLs. */
  readonly doubtful: RegExp | null
  /** Made when a URL is first looked up. */
  template: UrlTemplate | null
}

/** A path that the router answers, optional parameters expanded. The first of several with one shape. */
export interface RouterPath {
  readonly path: string
  readonly shape: Shape
  /** The methods in which a route has the path, or another one of this shape. */
  readonly methods: Set<string>
}

type Router = Instance<HTTPVersion.V1>

/** The paths of one method, in the order of their declaration. */
interface MethodPaths {
  readonly paths: RouterPath[]
  /** How many of them the router has been given. */
  given: number
  /** The routes that it refused, and a router for each, once it is needed. */
  readonly refused: Map<RouterPath, Router | null>
}

/**
 * What may keep the router from the path that a URL was made of, whatever other paths there are. Some characters end a
 * path; a `%` may be near a pattern; a group within a pattern counts as a parameter; and slashes may be in a row.
 */
const DOUBTFUL = /[?#;%]|\([^)]*\(|\/\//

/** `İ`, the one letter that is two in lower case: where case is ignored the router loses its place in what follows. */
const LONGER_IN_LOWER_CASE = /%C4%B0/
const ANY_URL = /^/

/** Matching a URL against the patterns of more paths than this takes longer than a lookup. */
const MAX_IN_PATTERN = 50

const NO_ARGS: ReverseArgs = Object.freeze([])

/** A URL is only looked up to find its path; nothing is handled. */
const HANDLER = Function.prototype as () => void

/** Where a path has an empty segment, a parameter of another path may take it. */
const EMPTY_SEGMENT = /\/\/|\/$/

/**
 * Who answers a URL. The router prefers `/users/me` to `/users/:id`, so a link to the latter cannot take `me`.
 * The answer comes from a router with the same paths, which gets them with the first URL that may be another path's.
 */
export class Ownership {
  readonly #options: RouterOptions
  readonly #router: Router
  readonly #byShape = new Map<string, RouterPath>()
  readonly #byMethod = new Map<string, MethodPaths>()
  readonly #tree = new PathTree<RouterPath>()

  constructor (options: RouterOptions) {
    this.#options = options
    this.#router = this.#toRouter()
  }

  /** @param path a path as Fastify registers it */
  add (methods: readonly string[], path: string): void {
    const paths = expandOptional(path).map((one) => this.#toRouterPath(one))
    for (const method of methods) {
      // Two routes of one shape differ by a constraint, which a URL does not show.
      const added = paths.filter((one) => !one.methods.has(method))
      for (const one of added) one.methods.add(method)
      const { paths: known, refused } = this.#pathsOf(method)
      known.push(...added)
      for (const one of refused.keys()) refused.set(one, null)
    }
  }

  /**
   * The record of a path for each of these methods, valid until another path is added.
   *
   * @param path a path that has been added, optional parameters expanded
   */
  find (methods: readonly string[], path: string): OwnedPath {
    const shape = shapeOf(path, this.#options)
    const routerPath = this.#byShape.get(shape.join(''))
    // The other paths that the router may prefer for a URL of this one.
    const rivals = [...this.#tree.near(shape, EMPTY_SEGMENT.test(path))].filter((other) => (
      other !== routerPath && methods.some((method) => other.methods.has(method)) && !yieldsTo(other.shape, shape)
    ))
    const doubtful = this.#doubtful(path, rivals.map((rival) => rival.path))
    return { path, methods, routerPath, doubtful, template: null }
  }

  /** Whether the router answers a URL, in each of the methods, by the path and with the parameters it was made of. */
  isOwn (owned: OwnedPath, url: string): boolean {
    return owned.methods.every((method) => this.#isOwn(method, owned, url))
  }

  #doubtful (path: string, rivals: readonly string[]): RegExp | null {
    if (DOUBTFUL.test(path)) return ANY_URL
    const { caseSensitive, ignoreDuplicateSlashes, ignoreTrailingSlash, useSemicolonDelimiter } = this.#options
    if (rivals.length === 0) return caseSensitive ? null : LONGER_IN_LOWER_CASE
    const isStrict = caseSensitive && !ignoreDuplicateSlashes && !ignoreTrailingSlash && !useSemicolonDelimiter
    const isClear = isStrict && rivals.length <= MAX_IN_PATTERN && !rivals.some((rival) => DOUBTFUL.test(rival))
    return isClear ? patternOf(rivals) : ANY_URL
  }

  #isOwn (method: string, owned: OwnedPath, url: string): boolean {
    const { path, routerPath: own } = owned
    const found = this.#routerFor(method, own).find(method as HTTPMethod, url)
    // A route that was declared before the plugin was loaded is not known, and may link to itself anyway.
    if (own === undefined) return found === null
    if (found?.store !== own) return false
    owned.template ??= new UrlTemplate(path, this.#options)
    const params = own.path === path ? found.params : renamed(found.params, own.path, owned.template)
    return owned.template.fill(NO_ARGS, params, null, '', emptyIn(params)) === url
  }

  /**
   * A router refuses a path that differs from another in the pattern of a parameter alone. An app may have both with
   * different constraints, so that each is looked up among the paths without the other.
   */
  #routerFor (method: string, own: RouterPath | undefined): Router {
    const known = this.#pathsOf(method)
    for (; known.given < known.paths.length; known.given++) {
      const one = known.paths[known.given]
      if (!give(this.#router, method, one)) known.refused.set(one, null)
    }
    if (own === undefined || !known.refused.has(own)) return this.#router
    let router = known.refused.get(own)
    if (!router) {
      known.refused.set(own, router = this.#toRouterWith(own, method, known.paths))
    }
    return router
  }

  /** A router with a path and all others that it takes next to it, in the order of their declaration. */
  #toRouterWith (own: RouterPath, method: string, paths: readonly RouterPath[]): Router {
    const trial = this.#toRouter()
    const taken = new Set([own, ...paths].filter((one) => give(trial, method, one)))
    const router = this.#toRouter()
    for (const one of paths) {
      if (taken.has(one)) give(router, method, one)
    }
    return router
  }

  #toRouter (): Router {
    return FindMyWay({ ...this.#options, allowUnsafeRegex: true })
  }

  #toRouterPath (path: string): RouterPath {
    const shape = shapeOf(path, this.#options)
    const key = shape.join('')
    const known = this.#byShape.get(key)
    if (known !== undefined) return known
    const made: RouterPath = { path, shape, methods: new Set() }
    this.#byShape.set(key, made)
    this.#tree.add(shape, made)
    return made
  }

  #pathsOf (method: string): MethodPaths {
    let known = this.#byMethod.get(method)
    if (known === undefined) this.#byMethod.set(method, known = { paths: [], given: 0, refused: new Map() })
    return known
  }
}

/** The parameters of a URL by the names that another path of the same shape gives them. */
function renamed (params: ReverseKwargs, path: string, { names }: UrlTemplate): ReverseKwargs {
  const found = parsePath(path).flatMap(namesOf)
  return Object.fromEntries(names.map((name, i) => [name, params[found[i]]]))
}

/** Whether the router takes a path. */
function give (router: Router, method: string, one: RouterPath): boolean {
  try {
    router.on(method as HTTPMethod, one.path, HANDLER, one)
    return true
  } catch {
    return false
  }
}

/** Matches the URLs of the paths. Patterns of parameters are left to the router. */
function patternOf (paths: readonly string[]): RegExp {
  return new RegExp(`^(?:${paths.map((path) => parsePath(path).map(sourceOf).join('')).join('|')})$`)
}

function sourceOf (node: PathNode): string {
  if (node.kind === 'wildcard') return '.*'
  if (node.kind === 'parametric') return '[^/]*'
  return encodeText(node.text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
