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

/** A path that can be linked to. */
interface Target {
  readonly path: string
  readonly methods: string[]
  /** The scheme of the route where it was declared. */
  readonly scheme: VersioningScheme | null
}

/** The paths of one name. Candidates are made when the first link is, so that boot need not wait for them. */
interface Entry {
  /** Last registered first. */
  readonly targets: Target[]
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
  readonly #named = new Map<string, Entry>()
  /** By method and path, where a request has asked for a link to its own route. */
  readonly #current = new Map<string, Entry>()
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
    const entry = this.#named.get(name)
    const same = entry?.targets.find((target) => target.path === path)
    if (same !== undefined) same.methods.push(...methods)
    else if (entry !== undefined) entry.targets.unshift({ methods: [...methods], path, scheme })
    else this.#named.set(name, newEntry(methods, path, scheme))
    this.#suggestions.clear()
  }

  /** Whether the name stands for this very path already. */
  has (name: string, path: string): boolean {
    return this.#named.get(name)?.targets.some((target) => target.path === path) ?? false
  }

  /** The named routes: names in the order of their first route, routes of a name in the order of registration. */
  list (): NamedRoute[] {
    return [...this.#named].flatMap(([name, { targets }]) => targets.toReversed().map((one) => describe(name, one)))
  }

  /**
   * The URL of the route registered last whose parameters are exactly those given, or null.
   *
   * @param impliedName a parameter that has the value `implied` unless `kwargs` has one for it; null: none
   */
  find (name: string, args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string) {
    const entry = this.#named.get(name)
    return entry === undefined ? null : this.#findIn(entry, args, kwargs, impliedName, implied)
  }

  /** Why `find` answers null: FST_ERR_NO_REVERSE_MATCH with the route, the parameters it takes and those given. */
  explain (name: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    const entry = this.#named.get(name)
    if (entry !== undefined) return this.#explainIn(entry, `Route ${show(name)}`, args, kwargs)
    return new NoReverseMatchError(
      `No route is named ${show(name)}.${this.#suggestionFor(name)} ` +
      'Routes declared before fastify-versioning was loaded are not seen: await its registration first.',
      true
    )
  }

  /** The URL of a route that may be without a name, or null. A wildcard may be empty here, as in the request. */
  findCurrent (method: string, path: string, args: ReverseArgs, kwargs: ReverseKwargs): string | null {
    const itself = kwargs['*'] === '' ? path.slice(0, -1) : path
    return this.#findIn(this.#currentEntry(method, itself), args, kwargs, null, '')
  }

  /** Why `findCurrent` answers null. */
  explainCurrent (method: string, path: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    return this.#explainIn(this.#currentEntry(method, path), 'The current route', args, kwargs)
  }

  #currentEntry (method: string, path: string): Entry {
    const key = `${method} ${path}`
    let entry = this.#current.get(key)
    if (entry === undefined) {
      entry = newEntry([method], path, null)
      this.#current.set(key, entry)
    }
    return entry
  }

  #findIn (
    entry: Entry, args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string
  ): string | null {
    for (const { template, lookups } of this.#candidatesOf(entry)) {
      const url = template.fill(args, kwargs, impliedName, implied)
      if (url !== null && (lookups.length === 0 || isOwn(url, template, lookups))) return url
    }
    return null
  }

  #explainIn (entry: Entry, route: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    const given = args.length > 0 ? `${show(args)} and ${show(kwargs)}` : show(kwargs)
    const reasons = this.#candidatesOf(entry).map(({ template }) => {
      const url = template.fill(args, kwargs)
      return url === null ? template.explain(args, kwargs) : `${template.path} leaves ${url} to another route`
    })
    return new NoReverseMatchError(`${route} has no URL for ${given}: ${reasons.join('; ')}.`, false)
  }

  #candidatesOf (entry: Entry): readonly Candidate[] {
    if (entry.known !== this.#table.size) {
      entry.known = this.#table.size
      entry.candidates = entry.targets.flatMap((target) => this.#compile(target))
    }
    return entry.candidates
  }

  #compile ({ methods, path }: Target): Candidate[] {
    return compile(path, this.#options).map((template) => ({
      template, lookups: this.#table.lookupsFor(methods, template.path)
    }))
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

function newEntry (methods: readonly string[], path: string, scheme: VersioningScheme | null): Entry {
  return { targets: [{ methods: [...methods], path, scheme }], candidates: [], known: -1 }
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
