import { closestMatch } from 'leven'

import { NoReverseMatchError, show } from './errors.ts'
import { compile } from './url.ts'

import type { RouterLimits, UrlTemplate } from './url.ts'
import type { ReverseArgs, ReverseKwargs } from '../types/index.d.ts'

/** How many unknown names keep their suggestion; a link that falls back asks for the same one on every request. */
const MAX_SUGGESTIONS = 1000

/** The named routes of one app. */
export class Registry {
  readonly #limits: RouterLimits
  readonly #urls = new Map<string, string[]>()
  /** Of each name the templates, last registered first. */
  readonly #templates = new Map<string, UrlTemplate[]>()
  /** Of each path the templates, made when a request first asks for the URL of its own route. */
  readonly #current = new Map<string, UrlTemplate[]>()
  readonly #suggestions = new Map<string, string>()

  constructor (limits: RouterLimits) {
    this.#limits = limits
  }

  /**
   * Registers a URL under a name. The same URL again (another method) changes nothing.
   *
   * @param name the name with its namespaces
   * @param url the path as Fastify registers it, prefix included
   */
  add (name: string, url: string): void {
    const urls = this.#urls.get(name) ?? []
    if (urls.includes(url)) return
    const templates = this.#templates.get(name) ?? []
    this.#urls.set(name, [...urls, url])
    this.#templates.set(name, [...compile(url, this.#limits), ...templates])
    this.#suggestions.clear()
  }

  /** Whether the name stands for this very URL already. */
  has (name: string, url: string): boolean {
    return this.#urls.get(name)?.includes(url) ?? false
  }

  /** The URL of the route registered last whose parameters are exactly those given, or null. */
  find (name: string, args: ReverseArgs, kwargs: ReverseKwargs): string | null {
    return fillFirst(this.#templates.get(name) ?? [], args, kwargs)
  }

  /** Why `find` answers null: FST_ERR_NO_REVERSE_MATCH with the route, the parameters it takes and those given. */
  explain (name: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    const templates = this.#templates.get(name)
    if (templates !== undefined) return noUrl(`Route ${show(name)}`, templates, args, kwargs)
    return new NoReverseMatchError(
      `No route is named ${show(name)}.${this.#suggestionFor(name)} ` +
      'Routes declared before fastify-versioning was loaded are not seen: await its registration first.',
      true
    )
  }

  /** The URL of a route that may be without a name, or null. A wildcard may be empty here, as in the request. */
  findCurrent (path: string, args: ReverseArgs, kwargs: ReverseKwargs): string | null {
    return fillFirst(this.#templatesOf(kwargs['*'] === '' ? path.slice(0, -1) : path), args, kwargs)
  }

  /** Why `findCurrent` answers null. */
  explainCurrent (path: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    return noUrl('The current route', this.#templatesOf(path), args, kwargs)
  }

  #templatesOf (path: string): UrlTemplate[] {
    let templates = this.#current.get(path)
    if (templates === undefined) {
      templates = compile(path, this.#limits)
      this.#current.set(path, templates)
    }
    return templates
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
    const names = [...this.#templates.keys()]
    const local = name.slice(name.lastIndexOf(':') + 1)
    const elsewhere = names.filter((other) => other.slice(other.lastIndexOf(':') + 1) === local)
    const closest = closestMatch(name, names, { maxDistance: Math.max(2, Math.floor(name.length / 3)) })
    return [...new Set([closest, ...elsewhere])].filter((near) => near !== undefined).slice(0, 3)
  }
}

function fillFirst (templates: readonly UrlTemplate[], args: ReverseArgs, kwargs: ReverseKwargs): string | null {
  for (const template of templates) {
    const url = template.fill(args, kwargs)
    if (url !== null) return url
  }
  return null
}

function noUrl (route: string, templates: readonly UrlTemplate[], args: ReverseArgs, kwargs: ReverseKwargs) {
  const given = args.length > 0 ? `${show(args)} and ${show(kwargs)}` : show(kwargs)
  const reasons = templates.map((template) => template.explain(args, kwargs))
  return new NoReverseMatchError(`${route} has no URL for ${given}: ${reasons.join('; ')}.`, false)
}
