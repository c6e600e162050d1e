import { schemeOf } from '../context.ts'
import { expandOptional } from '../paths/pattern.ts'
import { Template } from '../paths/template.ts'
import { isServedAtUrl } from '../routes.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

const NO_NAMES: readonly string[] = Object.freeze([])

/** A path of a target, and its routes in the order of their declaration. */
interface TargetPath {
  readonly path: string
  readonly methods: string[]
  readonly routes: Route[]
  /** Made with the first link, so that boot need not wait: one for each set of parameters. */
  templates: readonly Template[] | null
}

/** What a link leads to: one path or several, by the routes that have them. */
export class Target {
  /** With its namespaces, or null for the target of a route. */
  readonly name: string | null
  /** Last registered first. */
  readonly paths: TargetPath[] = []
  readonly #options: RouterOptions
  #names: readonly string[] | null = null

  constructor (name: string | null, options: RouterOptions) {
    this.name = name
    this.#options = options
  }

  add (route: Route): this {
    const { methods, url, isAdded } = route
    const known = this.paths.find(({ path }) => path === url)
    if (known !== undefined) {
      known.methods.push(...methods.filter((method) => !known.methods.includes(method)))
      known.routes.push(route)
    } else if (!isAdded || this.paths.length === 0) {
      // At the root of a prefix Fastify adds a HEAD route for a path that it does not report otherwise.
      this.addPath(url, methods, [route])
    }
    return this
  }

  /** @param routes none if the plugin has not seen the route */
  addPath (path: string, methods: readonly string[], routes: Route[]): this {
    this.paths.unshift({ path, methods: [...methods], routes, templates: null })
    return this
  }

  /** The route that was first declared with the last path, or undefined if the plugin has not seen it. */
  get route (): Route | undefined {
    return this.paths[0].routes[0]
  }

  /** Null if a request there has no version. */
  get scheme (): Scheme | null {
    return this.route === undefined ? null : schemeOf(this.route)
  }

  get namespaces (): readonly string[] {
    return this.route?.namespace.names ?? NO_NAMES
  }

  /** The parameters of its paths, in their order. */
  get names (): readonly string[] {
    this.#names ??= [...new Set(this.paths.flatMap((one) => this.#templatesOf(one)).flatMap(({ names }) => names))]
    return this.#names
  }

  /** The parameter that holds the version, or null. */
  versionParam (scheme: Scheme): string | null {
    const { inPath } = scheme
    for (let i = 0; i < inPath.length; i++) {
      if (this.names.includes(inPath[i].impliedParam as string)) return inPath[i].impliedParam
    }
    return null
  }

  /** The values of a link by their names, as the last path has them. */
  toKwargs (args: ReverseArgs, kwargs: ReverseKwargs, versionParam: string | null): ReverseKwargs {
    if (args.length === 0) return kwargs
    return this.#templatesOf(this.paths[0])[0].toKwargs(args, kwargs, versionParam) ?? kwargs
  }

  /** Whether a path has just the parameters that have a text here, even if a value does not fit. */
  takes (kwargs: ReverseKwargs): boolean {
    return this.paths.some((one) => this.#templatesOf(one).some((template) => template.takes(kwargs)))
  }

  /** Whether each path has a parameter. */
  requires (name: string): boolean {
    return this.paths.every((one) => this.#templatesOf(one).every(({ names }) => names.includes(name)))
  }

  /**
   * The URL of the first path whose parameters are exactly the given ones; a path that serves the version comes first.
   *
   * @param args values for the parameters that `kwargs` leaves open, in the order of the path
   * @param versionParam the parameter that takes none of these values, or null
   */
  fill (
    args: ReverseArgs, kwargs: ReverseKwargs, versionParam: string | null, version: string | null
  ): string | null {
    const { paths } = this
    if (paths.length === 1 || version === null) return this.#fillOneOf(paths, args, kwargs, versionParam)
    const serving = paths.filter(({ routes }) => routes.some((route) => isServedAtUrl(route, version)))
    return this.#fillOneOf(serving, args, kwargs, versionParam) ?? this.#fillOneOf(paths, args, kwargs, versionParam)
  }

  /** Why there is no URL, by path. */
  explain (args: ReverseArgs, kwargs: ReverseKwargs, versionParam: string | null): string {
    const templates = this.paths.flatMap((one) => this.#templatesOf(one))
    return templates.map((template) => template.explain(args, kwargs, versionParam)).join('; ')
  }

  #fillOneOf (
    paths: readonly TargetPath[], args: ReverseArgs, kwargs: ReverseKwargs, versionParam: string | null
  ): string | null {
    for (let i = 0; i < paths.length; i++) {
      const templates = this.#templatesOf(paths[i])
      for (let j = 0; j < templates.length; j++) {
        const all = args.length === 0 ? kwargs : templates[j].toKwargs(args, kwargs, versionParam)
        const url = all === null ? null : templates[j].fill(all)
        if (url !== null) return url
      }
    }
    return null
  }

  #templatesOf (one: TargetPath): readonly Template[] {
    one.templates ??= expandOptional(one.path).map((path) => new Template(path, this.#options))
    return one.templates
  }
}
