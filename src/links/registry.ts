import { schemeOf } from '../context.ts'
import { findCounterpart } from './counterparts.ts'
import { LinkTarget } from './target.ts'
import { show, suggestionFor } from '../messages.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { Ownership } from '../paths/ownership.ts'
import { pathsOf } from '../routes.ts'

import type { TargetPath } from './target.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { Route, Routes } from '../routes.ts'
import type { NamedRoute } from '../../types/index.d.ts'

/**
 * What links may lead to: the routes of one app by name, by path and by namespace, and who answers which URL. It reads
 * the routes of the app with the first link, and routes that are declared later with the next one.
 */
export class Registry {
  readonly routes: Routes
  readonly options: RouterOptions
  readonly ownership: Ownership
  /** By the name with its namespaces. */
  readonly #named = new Map<string, LinkTarget>()
  /** By namespace, and by the rest of the name: `v1:admin:list` stands under `v1` and under `v1:admin`. */
  readonly #inNamespace = new Map<string, Map<string, LinkTarget>>()
  /** By a namespace inside others, and the name without it: `bookings:v1:list` is under `v1` as `bookings:list`. */
  readonly #withoutNamespace = new Map<string, Map<string, LinkTarget>>()
  /** All routes by their namespace. */
  readonly #byNamespace = new Map<string, Route[]>()
  /** By method and path, for links to a route itself. */
  readonly #byPath = new Map<string, Map<string, LinkTarget>>()
  /** By route, and by method and namespace, for links into the namespace. */
  readonly #counterparts = new Map<Route, Map<string, LinkTarget | undefined>>()
  #revision = 0

  constructor (routes: Routes, options: RouterOptions) {
    this.routes = routes
    this.options = options
    this.ownership = new Ownership(options)
  }

  /** The target of a name with its namespaces, or undefined. */
  named (name: string): LinkTarget | undefined {
    this.update()
    return this.#named.get(name)
  }

  /** The target of a name in a namespace. The two are not joined, because a new string would be hashed again. */
  inNamespace (namespace: string, name: string): LinkTarget | undefined {
    this.update()
    return this.#inNamespace.get(namespace)?.get(name)
  }

  /**
   * The target of a short name in a version that is a namespace inside others: `list` within `bookings`, or
   * `bookings:list` anywhere, for `bookings:v1:list`.
   *
   * @param within the namespaces of the caller
   */
  inVersion (version: string, name: string, within: readonly string[]): LinkTarget | undefined {
    this.update()
    for (let i = within.length; i > 0; i--) {
      const target = this.#inNamespace.get([...within.slice(0, i), version].join(':'))?.get(name)
      if (target !== undefined) return target
    }
    return this.#withoutNamespace.get(version)?.get(name)
  }

  /**
   * A route that may be without a name.
   *
   * @param route null if the plugin has not seen it
   */
  at (method: string, path: string, route: Route | null): LinkTarget {
    const byPath = getOrAdd(this.#byPath, method, () => new Map<string, LinkTarget>())
    return getOrAdd(byPath, path, () => new LinkTarget([{ path, methods: [method], route, routes: [] }], this))
  }

  /**
   * The counterpart of a route in the first namespace that has one, or undefined. It has the same name there, or the
   * same path if the name has several URLs.
   *
   * @param namespaces the names of each
   */
  counterpart (route: Route, method: string, namespaces: readonly (readonly string[])[]): LinkTarget | undefined {
    this.update()
    const found = getOrAdd(this.#counterparts, route, () => new Map<string, LinkTarget | undefined>())
    for (const names of namespaces) {
      const key = `${method} ${names.join(':')}`
      if (!found.has(key)) found.set(key, this.#findCounterpart(route, method, names))
      const target = found.get(key)
      if (target !== undefined) return target
    }
    return undefined
  }

  /** The named routes: names in the order of their first route, routes of a name in the order of registration. */
  list (): NamedRoute[] {
    this.update()
    return [...this.#named].flatMap(([name, { paths }]) => paths.toReversed().map((one) => describe(name, one)))
  }

  /** Why there is no such name. */
  explainUnknown (name: unknown): string {
    if (typeof name !== 'string') return `The name of a route must be a string, got ${show(name)}.`
    const names = [...this.#named.keys()]
    const elsewhere = names.filter((other) => localName(other) === localName(name))
    const missed = this.routes.isIncomplete
      ? ' Routes declared before fastify-versioning was loaded are not seen: await its registration first.'
      : ''
    return `No route is named ${show(name)}.${suggestionFor(name, names, elsewhere)}${missed}`
  }

  /** Reads the routes that have been declared since. */
  update (): void {
    if (this.#revision === this.routes.revision) return
    const added = this.routes.list.slice(this.#revision)
    this.#revision = this.routes.revision
    this.#counterparts.clear()
    // One after the other, so that the entries for links are close together in memory.
    for (const route of added) {
      if (route.name !== null) this.#addName(route, [...route.namespace.names, route.name])
    }
    for (const route of added) {
      for (const path of pathsOf(route)) this.ownership.add(route.methods, path)
      getOrAdd(this.#byNamespace, route.namespace.names.join(':'), () => []).push(route)
    }
  }

  #addName (route: Route, names: readonly string[]): void {
    const { methods, url: path } = route
    const target = getOrAdd(this.#named, names.join(':'), () => new LinkTarget([], this))
    const known = target.paths.find((one) => one.path === path)
    if (known !== undefined) {
      known.methods.push(...methods.filter((method) => !known.methods.includes(method)))
      known.routes.push(route)
    } else if (!isAliasOfHead(route, target.paths)) {
      target.paths.unshift({ path, methods: [...methods], route, routes: [route] })
    }
    for (let i = 1; i < names.length; i++) {
      const inNamespace = getOrAdd(this.#inNamespace, names.slice(0, i).join(':'), () => new Map<string, LinkTarget>())
      inNamespace.set(names.slice(i).join(':'), target)
    }
    for (let i = 1; i < names.length - 1; i++) {
      const shortened = getOrAdd(this.#withoutNamespace, names[i], () => new Map<string, LinkTarget>())
      shortened.set(names.toSpliced(i, 1).join(':'), target)
    }
  }

  #findCounterpart (route: Route, method: string, other: readonly string[]): LinkTarget | undefined {
    const namespace = other.join(':')
    const same = findCounterpart(route, method, this.#byNamespace.get(namespace) ?? [])
    if (route.name === null || route.name === same?.name) return same && this.at(method, same.url, same)
    const named = this.#named.get([...other, route.name].join(':'))
    const own = named?.paths.filter(({ methods }) => methods.includes(method)) ?? []
    return own.length === 0 ? named : new LinkTarget(own, this)
  }
}

/** For a GET at the root of a prefix, Fastify reports only `/prefix`, but its HEAD route for `/prefix/` as well. */
function isAliasOfHead ({ methods, url }: Route, known: readonly TargetPath[]): boolean {
  return methods.join() === 'HEAD' && url.endsWith('/') && known.some(({ path }) => path === url.slice(0, -1))
}

function describe (name: string, { path, methods, route }: TargetPath): NamedRoute {
  const scheme = schemeOf(route as Route)
  const [all, shortest] = expandOptional(path).map((one) => new Set(parsePath(one).flatMap(namesOf)))
  const parameters = [...all].map((parameter) => ({
    name: parameter,
    optional: parameter === scheme?.impliedParam || (shortest !== undefined && !shortest.has(parameter))
  }))
  const namespace = name.slice(0, Math.max(name.lastIndexOf(':'), 0))
  const shortName = scheme === null ? null : scheme.shortNameOf(name)
  return { name, shortName, namespace, url: path, methods: [...methods], parameters }
}

function localName (name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}

function getOrAdd<Key, Value> (map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
