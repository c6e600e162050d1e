import { closestMatch } from 'leven'

import { NoReverseMatchError, show } from './errors.ts'
import { expandOptional, namesOf, parsePath } from './path-pattern.ts'
import { RouteTable } from './route-table.ts'
import { compile } from './url.ts'

import type { Lookup, RouterOptions } from './route-table.ts'
import type { UrlTemplate } from './url.ts'
import type { NamedRoute, ReverseArgs, ReverseKwargs, VersioningScheme } from '../types/index.d.ts'

/** How many unknown names keep their suggestion; a link that falls back asks for the same one on every request. */
const MAX_SUGGESTIONS = 1000

/** A path that can be linked to. Its candidates are made when it first is, so that boot need not wait for them. */
interface Target {
  readonly path: string
  readonly methods: string[]
  /** The scheme of the route where it was declared. */
  readonly scheme: VersioningScheme | null
  candidates: readonly Candidate[]
  /** How many routes of the app the candidates know of. */
  known: number
}

/** A template, and routers to ask whose the URL is that it makes; none where it can only be its own. */
interface Candidate {
  readonly template: UrlTemplate
  readonly lookups: readonly Lookup[]
}

/** The routes of one app: those that have a name, and the others, whose URLs a link must not hit. */
export class Registry {
  readonly #options: RouterOptions
  readonly #table: RouteTable
  /** The targets of each name, last registered first. */
  readonly #named = new Map<string, Target[]>()
  /** The target of each method and path whose requests asked for a link to their own route. */
  readonly #current = new Map<string, Target>()
  readonly #suggestions = new Map<string, string>()

  constructor (options: RouterOptions) {
    this.#options = options
    this.#table = new RouteTable(options)
  }

  /** @param path the path as Fastify registers it, prefix included */
  addRoute (methods: readonly string[], path: string): void {
    this.#table.add(methods, path)
  }

  /**
   * Registers a path under a name; the same path again may only bring other methods.
   *
   * @param name the name with its namespaces
   */
  addName (name: string, methods: readonly string[], path: string, scheme: VersioningScheme | null): void {
    const targets = this.#named.get(name) ?? []
    const same = targets.find((target) => target.path === path)
    if (same === undefined) this.#named.set(name, [newTarget(methods, path, scheme), ...targets])
    else same.methods.push(...methods)
    this.#suggestions.clear()
  }

  /** Whether the name stands for this very path already. */
  has (name: string, path: string): boolean {
    return this.#named.get(name)?.some((target) => target.path === path) ?? false
  }

  /** The named routes: names in the order of their first route, routes of a name in the order of registration. */
  list (): NamedRoute[] {
    return [...this.#named].flatMap(([name, targets]) => targets.toReversed().map((target) => describe(name, target)))
  }

  /**
   * The URL of the route registered last whose parameters are exactly those given, or null.
   *
   * @param impliedName a parameter that has the value `implied` unless `kwargs` has one for it; null: none
   */
  find (name: string, args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string) {
    const targets = this.#named.get(name)
    return targets === undefined ? null : this.#findIn(targets, args, kwargs, impliedName, implied)
  }

  /** Why `find` answers null: FST_ERR_NO_REVERSE_MATCH with the route, the parameters it takes and those given. */
  explain (name: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    const targets = this.#named.get(name)
    if (targets !== undefined) return this.#explainIn(targets, `Route ${show(name)}`, args, kwargs)
    return new NoReverseMatchError(
      `No route is named ${show(name)}.${this.#suggestionFor(name)} ` +
      'Routes declared before fastify-versioning was loaded are not seen: await its registration first.',
      true
    )
  }

  /** The URL of a route that may be without a name, or null. A wildcard may be empty here, as in the request. */
  findCurrent (method: string, path: string, args: ReverseArgs, kwargs: ReverseKwargs): string | null {
    const itself = kwargs['*'] === '' ? path.slice(0, -1) : path
    return this.#findIn([this.#currentTarget(method, itself)], args, kwargs, null, '')
  }

  /** Why `findCurrent` answers null. */
  explainCurrent (method: string, path: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    return this.#explainIn([this.#currentTarget(method, path)], 'The current route', args, kwargs)
  }

  #currentTarget (method: string, path: string): Target {
    const key = `${method} ${path}`
    let target = this.#current.get(key)
    if (target === undefined) {
      target = newTarget([method], path, null)
      this.#current.set(key, target)
    }
    return target
  }

  #findIn (
    targets: readonly Target[], args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string
  ): string | null {
    for (const target of targets) {
      for (const { template, lookups } of this.#candidatesOf(target)) {
        const url = template.fill(args, kwargs, impliedName, implied)
        if (url !== null && (lookups.length === 0 || isOwn(url, template, lookups))) return url
      }
    }
    return null
  }

  #explainIn (targets: readonly Target[], route: string, args: ReverseArgs, kwargs: ReverseKwargs) {
    const given = args.length > 0 ? `${show(args)} and ${show(kwargs)}` : show(kwargs)
    const reasons = targets.flatMap((target) => this.#candidatesOf(target)).map(({ template }) => {
      const url = template.fill(args, kwargs)
      return url === null ? template.explain(args, kwargs) : `${template.path} leaves ${url} to another route`
    })
    return new NoReverseMatchError(`${route} has no URL for ${given}: ${reasons.join('; ')}.`, false)
  }

  #candidatesOf (target: Target): readonly Candidate[] {
    if (target.known !== this.#table.size) {
      target.candidates = compile(target.path, this.#options).map((template) => ({
        template,
        lookups: this.#table.lookupsFor(target.methods, template.path)
      }))
      target.known = this.#table.size
    }
    return target.candidates
  }

  #suggestionFor (name: string): string {
    let suggestion = this.#suggestions.get(name)
    if (suggestion === undefined) {
      const near = this.#namesNear(name)
      suggestion = near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`
      if (this.#suggestions.size === MAX_SUGGESTIONS) this.#suggestions.clear()
      this.#suggestions.set(name, suggestion)
    }
    return suggestion
  }

  /** The closest name by spelling, and the same route in other namespaces. */
  #namesNear (name: string): string[] {
    const names = [...this.#named.keys()]
    const local = name.slice(name.lastIndexOf(':') + 1)
    const elsewhere = names.filter((other) => other.slice(other.lastIndexOf(':') + 1) === local)
    const closest = closestMatch(name, names, { maxDistance: Math.max(2, Math.floor(name.length / 3)) })
    return [...new Set([closest, ...elsewhere])].filter((near) => near !== undefined).slice(0, 3)
  }
}

function newTarget (methods: readonly string[], path: string, scheme: VersioningScheme | null): Target {
  return { path, methods: [...methods], scheme, candidates: [], known: -1 }
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

/** Whether the router answers the URL by the template's route, with the parameters that it was made of. */
function isOwn (url: string, template: UrlTemplate, lookups: readonly Lookup[]): boolean {
  return lookups.every((lookUp) => {
    const params = lookUp(url)
    return params !== null && template.fill([], params) === url
  })
}
