import { Counterparts } from './counterparts.ts'
import { LinkTarget } from './target.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { RouteTable } from '../paths/ownership.ts'
import { Suggestions } from './suggestions.ts'

import type { Namespace } from './counterparts.ts'
import type { Target } from './target.ts'
import type { RouterOptions } from '../paths/ownership.ts'
import type { NamedRoute, VersioningScheme } from '../../types/index.d.ts'

/** The routes of one app: those that have a name, and the others, whose URLs a link must not hit. */
export class Registry {
  readonly #options: RouterOptions
  readonly #table: RouteTable
  readonly #named = new Map<string, LinkTarget>()
  /** By method and path, where a request has asked for a link to its own route. */
  readonly #unnamed = new Map<string, LinkTarget>()
  readonly #counterparts = new Counterparts()
  readonly #suggestions = new Suggestions()

  constructor (options: RouterOptions) {
    this.#options = options
    this.#table = new RouteTable(options)
  }

  /**
   * @param path the path as Fastify registers it, prefix included
   * @param namespace the namespace that the route is in
   */
  addRoute (methods: readonly string[], path: string, namespace: Namespace): void {
    this.#table.add(methods, path)
    this.#counterparts.add(methods, path, namespace)
  }

  /** A path that nothing links to, but that the router answers. */
  addAlias (methods: readonly string[], path: string): void {
    this.#table.add(methods, path)
  }

  /**
   * Registers a path under a name; the same path again may only bring other methods.
   *
   * @param name the name with its namespaces
   */
  addName (name: string, methods: readonly string[], path: string, scheme: VersioningScheme | null): void {
    const known = this.#named.get(name)
    const same = known?.targets.find((target) => target.path === path)
    if (same !== undefined) same.methods.push(...methods.filter((method) => !same.methods.includes(method)))
    else if (known !== undefined) known.targets.unshift({ methods: [...methods], path, scheme })
    else this.#named.set(name, this.#target({ methods: [...methods], path, scheme }))
  }

  /** Whether the name stands for this very path already. */
  has (name: string, path: string): boolean {
    return this.#named.get(name)?.targets.some((target) => target.path === path) ?? false
  }

  /** What the name stands for; undefined: nothing. */
  named (name: string): LinkTarget | undefined {
    return this.#named.get(name)
  }

  /** A route that may be without a name. */
  route (method: string, path: string): LinkTarget {
    const key = `${method} ${path}`
    let target = this.#unnamed.get(key)
    if (target === undefined) {
      target = this.#target({ methods: [method], path, scheme: null })
      this.#unnamed.set(key, target)
    }
    return target
  }

  /**
   * What a route is in another namespace; undefined: nothing. A route with a name is what has that name there, and of
   * several URLs of the name the one that is most like its own.
   *
   * @param name the name of the route without its namespaces; undefined: it has none
   * @param namespace where the route at `path` is
   * @param other the names of the other namespace
   */
  counterpart (
    method: string, path: string, name: string | undefined, namespace: Namespace, other: readonly string[]
  ): LinkTarget | undefined {
    const found = this.#counterparts.find(method, path, namespace, other)
    if (name === undefined) return found === undefined ? undefined : this.route(method, found)
    const target = this.#named.get([...other, name].join(':'))
    const isNamed = target?.targets.some((one) => one.path === found && one.methods.includes(method)) ?? false
    return isNamed ? this.route(method, found as string) : target?.forMethod(method)
  }

  /** The named routes: names in the order of their first route, routes of a name in the order of registration. */
  list (): NamedRoute[] {
    return [...this.#named].flatMap(([name, { targets }]) => targets.toReversed().map((one) => describe(name, one)))
  }

  /** What somebody may have meant who asks for a name that is not there; `''`: no idea. */
  suggestionFor (name: string): string {
    return this.#suggestions.for(name, this.#named)
  }

  #target (target: Target): LinkTarget {
    return new LinkTarget([target], this.#options, this.#table)
  }
}

function describe (name: string, { path, methods, scheme }: Target): NamedRoute {
  const [all, shortest] = expandOptional(path).map((one) => new Set(parsePath(one).flatMap(namesOf)))
  const parameters = [...all].map((parameter) => ({
    name: parameter,
    optional: parameter === scheme?.impliedParam || (shortest !== undefined && !shortest.has(parameter))
  }))
  const namespace = name.slice(0, Math.max(name.lastIndexOf(':'), 0))
  const shortName = scheme?.shortNameOf?.(name) ?? null
  return { name, shortName, namespace, url: path, methods: [...methods], parameters }
}
