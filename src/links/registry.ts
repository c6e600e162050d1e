import { inherited } from '../instances.ts'
import { show, suggestionFor } from '../messages.ts'
import { expandOptional, namesOf } from '../paths/pattern.ts'
import { routeOf, shortNameOf } from '../routes.ts'
import { homes } from '../schemes/base.ts'
import { Target } from './target.ts'

import type { FastifyRequest } from 'fastify'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Route, Routes } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { NamedRoute, ReversingRequest } from '../../types/index.d.ts'

/** The targets of links: the routes of one app by name, and each route in its own and in other namespaces. */
export class Registry {
  readonly routes: Routes
  readonly options: RouterOptions
  #names = new Map<string, Target>()
  /** The targets by the version that is a namespace, and by the rest of the name. */
  #inVersion = new Map<string, Map<string, Target>>()
  #byNamespace = new Map<string, Route[]>()
  /** The targets by the current route, and by the routes of another namespace. */
  #reached = new Map<Route, Map<readonly Route[] | null, Target | undefined>>()
  #revision = 0

  constructor (routes: Routes, options: RouterOptions) {
    this.routes = routes
    this.options = options
  }

  /** Returns the target of a name with its namespaces. */
  named (name: string): Target | undefined {
    this.#update()
    return this.#names.get(name)
  }

  /**
   * Returns the target of a name in a version that is a namespace: `list` is `v1:list` (SPEC.md). If no route has one
   * of these names, it may be inside the namespaces of the link: within `bookings`, `list` is `bookings:v1:list`.
   */
  inVersion (version: string, name: string, within: readonly string[]): Target | undefined {
    this.#update()
    const inside = this.#inVersion.get(version)
    const target = inside?.get(name) ?? this.#names.get(`${version}:${name}`)
    if (target !== undefined || inside === undefined || this.#names.has(name)) return target
    const names = within.map((_, i) => [...within.slice(0, within.length - i), name].join(':'))
    return names.map((full) => inside.get(full)).find((found) => found !== undefined)
  }

  /**
   * Returns the target of the route that a request came to, or of its counterpart in another namespace: the route with
   * its name, or else the route whose path is the same but for one segment of the prefix. Undefined if there is none.
   */
  reached (request: ReversingRequest, names: readonly string[] | null = null): Target | undefined {
    this.#update()
    const route = routeOf(request.routeOptions?.config, this.routes)
    // A client may have written the version, so the map does not remember namespaces without routes.
    const there = names === null ? null : this.#byNamespace.get(names.join(':'))
    if (route === undefined || there === undefined) return undefined
    const targets = getOrAdd(this.#reached, route, () => new Map<readonly Route[] | null, Target | undefined>())
    if (!targets.has(there)) {
      const routes = !there || there.includes(route) ? [route] : counterpartsOf(route, there)
      const target = new Target(null, this.options)
      targets.set(there, routes.length === 0 ? undefined : routes.reduce((all, next) => all.add(next), target))
    }
    return targets.get(there)
  }

  /** Returns the named routes: names in the order of their first route, routes of a name as they were registered. */
  list (): NamedRoute[] {
    this.#update()
    return [...this.#names].flatMap(([name, { paths }]) => paths.toReversed().map(({ path, routes }) => {
      const [{ scheme }] = routes
      const [, shorter = path] = expandOptional(path)
      const implied = scheme?.params ?? []
      const parameters = [...new Set(namesOf(path))].map((parameter) => (
        { name: parameter, optional: implied.includes(parameter) || !namesOf(shorter).includes(parameter) }
      ))
      const namespace = name.slice(0, Math.max(name.lastIndexOf(':'), 0))
      const shortName = scheme === null ? null : shortNameOf(name, scheme)
      const methods = [...new Set(routes.flatMap((route) => route.methods))]
      return { name, shortName, namespace, url: path, methods, parameters }
    }))
  }

  /** Returns why no route has a name, or, for null, why there is no current route. */
  explainUnknown (name: unknown): string {
    if (name === null) return 'There is no current route to reverse: give the name of a route.'
    if (typeof name !== 'string') return `The name of a route must be a string, got ${show(name)}.`
    const names = [...this.#names.keys()]
    const end = `:${name.slice(name.lastIndexOf(':') + 1)}`
    const elsewhere = names.filter((full) => `:${full}`.endsWith(end))
    const missed = this.routes.isIncomplete
      ? ' Routes declared before fastify-versioning was loaded are not seen: await its registration first.'
      : ''
    return `No route is named ${show(name)}.${suggestionFor(name, names, elsewhere)}${missed}`
  }

  /** Reads the routes again when some have been declared since. */
  #update (): void {
    if (this.#revision === this.routes.list.length) return
    this.#revision = this.routes.list.length
    this.#names = new Map()
    this.#inVersion = new Map()
    this.#byNamespace = new Map()
    this.#reached = new Map()
    for (const route of this.routes.list) {
      const { name, namespace: { names }, scheme } = route
      getOrAdd(this.#byNamespace, names.join(':'), () => []).push(route)
      if (name === null) continue
      const full = [...names, name].join(':')
      const target = getOrAdd(this.#names, full, () => new Target(full, this.options)).add(route)
      const version = scheme?.versionIn(names) ?? null
      if (version === null) continue
      const inside = getOrAdd(this.#inVersion, version, () => new Map<string, Target>())
      const short = [...names.toSpliced(names.indexOf(version), 1), name].join(':')
      // As in DRF, a name with the version in front wins.
      if (names[0] === version || !inside.has(short)) inside.set(short, target)
    }
  }
}

export function getOrAdd<Key, Value> (map: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make())
  return map.get(key) as Value
}

/** Returns the routes of a namespace that are the counterparts of a route in another namespace. */
function counterpartsOf (route: Route, others: readonly Route[]): readonly Route[] {
  const there = others.filter(({ methods }) => methods.some((method) => route.methods.includes(method)))
  const twins = there.filter((candidate) => isTwin(route, candidate))
  const namesakes = route.name === null ? [] : there.filter(({ name }) => name === route.name)
  const same = twins.filter((twin) => namesakes.includes(twin))
  return [same.slice(0, 1), namesakes, twins.slice(0, 1)].find((some) => some.length > 0) ?? []
}

/** Tells whether paths differ in one segment of a prefix, or named like a namespace, which only one path may have. */
function isTwin ({ url, namespace }: Route, candidate: Route): boolean {
  const [a, b] = [url, candidate.url].map((path) => path.replace(/(?<=.)\/$/, '').split('/'))
  const at = a.findIndex((segment, i) => segment !== b[i])
  const start = at === -1 ? a.length : at
  const [inA, inB] = ([[namespace, a], [candidate.namespace, b]] as const).map(([{ names, prefix }, path]) => (
    Number(start < prefix.split('/').length || names.includes(path[start]))
  ))
  return inA + inB > 0 && a.slice(start + inA).join('/') === b.slice(start + inB).join('/')
}

const registries = inherited<Registry>('registry')
export const setRegistry = registries.set

/** Returns the registry of an app with the plugin, which all its contexts share. */
export function registryOf (server: object): Registry {
  return (server as Record<symbol, Registry>)[registries.key]
}

/** Returns the route that a request came to; undefined if the plugin has not seen its declaration. */
export function routeFor ({ routeOptions, server }: FastifyRequest): Route | undefined {
  return routeOf(routeOptions.config, registryOf(server).routes)
}

/** Makes a scheme look up names here outside a request: in the first context of an app, and in the last app. */
export function setHome (scheme: Scheme, server: object): void {
  for (const { author } of new Set([scheme, ...scheme.members])) {
    const home = homes.get(author)
    if (home === undefined || registryOf(home) !== registryOf(server)) homes.set(author, server)
  }
}
