import { expandOptional } from '../paths/pattern.ts'
import { Template } from '../paths/template.ts'
import { isServedAtUrl } from '../routes.ts'

import type { RouterOptions } from '../fastify/router-options.ts'
import type { Values } from '../paths/template.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { ReverseKwargs } from '../../types/index.d.ts'

/** The target of a link: one path or several, with the routes that have them. */
export class Target {
  /** The name with its namespaces, or null for the target of a route. */
  readonly name: string | null
  /** The paths, last registered first, each with its routes in the order of their declaration. */
  readonly paths: { readonly path: string, readonly routes: Route[] }[] = []
  /** The route that was first declared with the last path. */
  declare route: Route
  readonly #options: RouterOptions
  /** The paths, optional parameters expanded. The first link makes their templates, so that boot need not wait. */
  #candidates: readonly { readonly template: Template, readonly routes: readonly Route[] }[] | null = null

  constructor (name: string | null, options: RouterOptions) {
    this.name = name
    this.#options = options
  }

  add (route: Route): this {
    const { url, isAdded } = route
    const entry = this.paths.find(({ path }) => path === url)
    if (entry !== undefined) entry.routes.push(route)
    // At the root of a prefix Fastify adds a HEAD route for a path that it does not report otherwise.
    else if (!isAdded || this.paths.length === 0) this.paths.unshift({ path: url, routes: [route] })
    this.route = this.paths[0].routes[0]
    return this
  }

  /** Returns the schemes of the paths, the active scheme first: each scheme makes the links to its own paths. */
  schemes (active: Scheme | null): readonly (Scheme | null)[] {
    if (this.paths.length === 1) return [this.route.scheme]
    const all = this.paths.map(({ routes: [route] }) => route.scheme)
    return [...new Set([...all.filter((scheme) => scheme === active), ...all])]
  }

  versionParam (scheme: Scheme | null): string | null {
    const has = (param: string) => this.#all.some(({ template: { names } }) => names.includes(param))
    return scheme?.params.find(has) ?? null
  }

  /** Tells whether each path has a parameter. */
  requires (name: string): boolean {
    return this.#all.every(({ template }) => template.names.includes(name))
  }

  /** Returns the values of a link by their names, as the path that was registered last has them. */
  toKwargs (values: Values): ReverseKwargs {
    return this.#all[0].template.toKwargs(values)
  }

  /** Returns the URL of the scheme's first path that takes exactly these values. Paths that serve the version win. */
  fill (values: Values, version: string | null, scheme: Scheme | null): string | null {
    const isChosen = version !== null && this.paths.length > 1
    const isOwn = this.paths.length > 1 && this.paths.some(({ routes: [route] }) => route.scheme === scheme)
    let unserved: string | null = null
    for (const { template, routes } of this.#all) {
      if (isOwn && routes[0].scheme !== scheme) continue
      const url = template.fill(values)
      if (url === null) continue
      if (!isChosen || routes.some((route) => isServedAtUrl(route, version))) return url
      unserved ??= url
    }
    return unserved
  }

  /** Returns the routes with the path that `fill` has returned. */
  routesAt (path: string, values: Values): readonly Route[] {
    return this.#all.find(({ template }) => template.fill(values) === path)!.routes
  }

  /** Returns why there is no URL, for each path. */
  explain (values: Values): string {
    return this.#all.map(({ template }) => template.explain(values)).join('; ')
  }

  get #all () {
    this.#candidates ??= this.paths.flatMap(({ path, routes }) => (
      expandOptional(path).map((expanded) => ({ template: new Template(expanded, this.#options), routes }))
    ))
    return this.#candidates
  }
}
