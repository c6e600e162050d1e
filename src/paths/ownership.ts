import FindMyWay from 'find-my-way'

import { expandOptional } from './pattern.ts'
import { PathTree } from './tree.ts'
import { patternOf, shapeOf, yieldsTo } from './rivals.ts'

import type { HTTPMethod, Instance, HTTPVersion } from 'find-my-way'

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

/** Tells whether the router answers a URL by the path that the URL was made of. */
export interface Lookup {
  /** What a URL looks like that another path may have: a look at it is cheaper than a lookup. */
  readonly suspect: RegExp
  /** The parameters that the router takes from a URL; null: another path has it. */
  readonly paramsOf: (url: string) => Record<string, string | undefined> | null
}

type Router = Instance<HTTPVersion.V1>

/** A router that many paths share. */
interface Crowd {
  /** How many routes it knows of. */
  readonly size: number
  readonly paths: ReadonlySet<string>
  readonly router: Router
}

/**
 * What may keep a router from its own route: characters that end a path, a `%` in a pattern's neighbourhood, a group
 * within a pattern, which counts as a parameter, and slashes in a row.
 */
const DOUBTFUL = /[?#;%]|\([^)]*\(|\/\//

/** `İ`, the one letter that is two in lower case: where case is ignored the router loses its place in what follows. */
const LONGER_IN_LOWER_CASE = /%C4%B0/
const ANY_URL = /^/

/** With more rivals than these a path shares one router with all others. */
const MAX_OWN_RIVALS = 50

/** Nothing is ever handled here: what is looked up is only which route it would be. */
const HANDLER = Function.prototype as () => void

/**
 * The routes of an app, named or not, to tell whose URL it is that a link was made of: the router prefers `/users/me`
 * to `/users/:id`, so that `me` is no value for the latter. Nothing is computed before the first link.
 */
export class RouteTable {
  readonly #options: RouterOptions
  readonly #routes: [methods: readonly string[], path: string][] = []
  readonly #trees = new Map<string, PathTree>()
  /** When each path was declared, for of two patterns the router prefers the older one. */
  readonly #ages = new Map<string, number>()
  readonly #crowds = new Map<string, Crowd>()
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
   * For each method a look at who has the URLs of a path.
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
    const suspect = this.#suspectOf(path, rivals)
    if (suspect === null) return null
    let router: Router | undefined
    return {
      suspect,
      paramsOf: (url) => {
        router ??= this.#routerFor(method, path, rivals)
        const found = router.find(method as HTTPMethod, url)
        return found?.store === path ? found.params : null
      }
    }
  }

  #suspectOf (path: string, rivals: readonly string[]): RegExp | null {
    if (DOUBTFUL.test(path)) return ANY_URL
    const { caseSensitive, ignoreDuplicateSlashes, ignoreTrailingSlash, useSemicolonDelimiter } = this.#options
    if (rivals.length === 0) return caseSensitive ? null : LONGER_IN_LOWER_CASE
    const isStrict = caseSensitive && !ignoreDuplicateSlashes && !ignoreTrailingSlash && !useSemicolonDelimiter
    const isClear = isStrict && rivals.length <= MAX_OWN_RIVALS && !rivals.some((rival) => DOUBTFUL.test(rival))
    return isClear ? patternOf(rivals) : ANY_URL
  }

  /** The other paths that the router may prefer for a URL of one. */
  #rivalsOf (method: string, path: string): string[] {
    const shape = shapeOf(path, this.#options)
    // Only a constraint can set two routes of one shape apart, and a URL does not show it: the first is enough.
    const shapes = new Set([shape.join('')])
    return [...this.#treeOf(method).near(path)].filter((other) => {
      const rival = shapeOf(other, this.#options)
      if (shapes.has(rival.join('')) || yieldsTo(rival, shape)) return false
      shapes.add(rival.join(''))
      return true
    })
  }

  #routerFor (method: string, path: string, rivals: readonly string[]): Router {
    if (rivals.length > MAX_OWN_RIVALS) {
      const { paths, router } = this.#crowdOf(method)
      if (paths.has(path)) return router
    }
    return this.#routerOf(method, [path, ...rivals])
  }

  /** One router with all paths, of each shape the first. */
  #crowdOf (method: string): Crowd {
    const known = this.#crowds.get(method)
    if (known?.size === this.size) return known
    const all = [...this.#treeOf(method).all()]
    const byShape = new Map(all.map((path) => [shapeOf(path, this.#options).join(''), path]))
    const paths = new Set(byShape.values())
    const crowd = { size: this.size, paths, router: this.#routerOf(method, [...paths]) }
    this.#crowds.set(method, crowd)
    return crowd
  }

  #routerOf (method: string, paths: string[]): Router {
    const router = FindMyWay({ ...this.#options, allowUnsafeRegex: true })
    const byAge = paths.sort((a, b) => this.#ageOf(a) - this.#ageOf(b))
    for (const path of byAge) router.on(method as HTTPMethod, path, HANDLER, path)
    return router
  }

  #treeOf (method: string): PathTree {
    const known = this.#trees.get(method)
    if (known !== undefined) return known
    const tree = new PathTree(this.#options.caseSensitive)
    this.#trees.set(method, tree)
    return tree
  }

  #ageOf (path: string): number {
    return this.#ages.get(path) as number
  }

  #index (): void {
    for (; this.#indexed < this.#routes.length; this.#indexed++) {
      const [methods, route] = this.#routes[this.#indexed]
      for (const path of expandOptional(route)) {
        if (!this.#ages.has(path)) this.#ages.set(path, this.#ages.size)
        for (const method of methods) this.#treeOf(method).add(path)
      }
    }
  }
}
