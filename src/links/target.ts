import { NoReverseMatchError, show } from '../errors.ts'
import { compile } from '../paths/template.ts'

import type { Lookup, RouterOptions, RouteTable } from '../paths/ownership.ts'
import type { UrlTemplate } from '../paths/template.ts'
import type { ReverseArgs, ReverseKwargs, VersioningScheme } from '../../types/index.d.ts'

/** A path that can be linked to. */
export interface Target {
  readonly path: string
  readonly methods: string[]
  /** The scheme of the route where it was declared. */
  readonly scheme: VersioningScheme | null
}

/** A template, and routers to ask whose the URL is that it makes; none where it can only be its own. */
interface Candidate {
  readonly template: UrlTemplate
  readonly lookups: readonly Lookup[]
}

/** What a name stands for: one path or several. Templates are made with the first link, so that boot need not wait. */
export class LinkTarget {
  /** Last registered first. */
  readonly targets: Target[]
  readonly #options: RouterOptions
  readonly #table: RouteTable
  #candidates: readonly Candidate[] = []
  #names: readonly string[] = []
  /** How many routes of the app the candidates know of. */
  #known = -1
  #withoutWildcard: LinkTarget | undefined
  #byMethod: Map<string, LinkTarget> | undefined

  constructor (targets: Target[], options: RouterOptions, table: RouteTable) {
    this.targets = targets
    this.#options = options
    this.#table = table
  }

  /** The parameters of its paths, in their order. */
  get names (): readonly string[] {
    this.#upToDate()
    return this.#names
  }

  /** Whether a path has just the parameters that have a text here, be it one that does not fit. */
  takesAll (kwargs: ReverseKwargs): boolean {
    const given = Object.keys(kwargs).filter((name) => isText(kwargs[name]))
    return this.#upToDate().some(({ template: { names } }) => (
      given.every((name) => names.includes(name)) && names.every((name) => given.includes(name))
    ))
  }

  /** The same with the paths of one method alone; with all of them if none has it. */
  forMethod (method: string): LinkTarget {
    const own = this.targets.filter(({ methods }) => methods.includes(method))
    if (own.length === 0 || own.length === this.targets.length) return this
    this.#byMethod ??= new Map()
    const known = this.#byMethod.get(method)
    if (known !== undefined) return known
    const target = new LinkTarget(own, this.#options, this.#table)
    this.#byMethod.set(method, target)
    return target
  }

  /** The same where the wildcard is empty, which no link to a name may be, but a request. */
  withoutWildcard (): LinkTarget {
    this.#withoutWildcard ??= new LinkTarget(
      this.targets.filter(({ path }) => path.endsWith('*')).map((one) => ({ ...one, path: one.path.slice(0, -1) })),
      this.#options,
      this.#table
    )
    return this.#withoutWildcard
  }

  /**
   * The URL of the first path whose parameters are exactly those given, and whose own the URL is; null: there is none.
   *
   * @param impliedName a parameter that has the value `implied` unless `kwargs` has one for it; null: none
   */
  fill (args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string): string | null {
    const candidates = this.#upToDate()
    for (let i = 0; i < candidates.length; i++) {
      const { template, lookups } = candidates[i]
      const url = template.fill(args, kwargs, impliedName, implied)
      if (url !== null && (lookups.length === 0 || isOwn(url, template, lookups))) return url
    }
    return null
  }

  /** As `fill`, for parameters that the router itself took from a URL of the path, whose own it is therefore. */
  refill (kwargs: ReverseKwargs): string | null {
    for (const { template } of this.#upToDate()) {
      const url = template.fill([], kwargs)
      if (url !== null) return url
    }
    return null
  }

  /** Why `fill` answers null: FST_ERR_NO_REVERSE_MATCH with the route, the parameters it takes and those given. */
  explain (route: string, args: ReverseArgs, kwargs: ReverseKwargs): NoReverseMatchError {
    const named = show({ ...kwargs })
    const given = args.length > 0 ? `${show(args)} and ${named}` : named
    const reasons = this.#upToDate().map(({ template }) => {
      const url = template.fill(args, kwargs)
      return url === null ? template.explain(args, kwargs) : `${template.path} leaves ${url} to another route`
    })
    return new NoReverseMatchError(`${route} has no URL for ${given}: ${reasons.join('; ')}.`, false)
  }

  #upToDate (): readonly Candidate[] {
    if (this.#known !== this.#table.size) {
      this.#known = this.#table.size
      this.#candidates = this.targets.flatMap((target) => this.#compile(target))
      this.#names = [...new Set(this.#candidates.flatMap(({ template }) => template.names))]
    }
    return this.#candidates
  }

  #compile ({ methods, path }: Target): Candidate[] {
    return compile(path, this.#options).map((template) => ({
      template, lookups: this.#table.lookupsFor(methods, template.path)
    }))
  }
}

function isText (value: unknown): boolean {
  return value !== undefined && typeof value !== 'object'
}

/** Whether the router answers the URL by the template's route, with the parameters that it was made of. */
function isOwn (url: string, template: UrlTemplate, lookups: readonly Lookup[]): boolean {
  return lookups.every(({ suspect, paramsOf }) => {
    if (!suspect.test(url)) return true
    const params = paramsOf(url)
    return params !== null && template.fill([], params) === url
  })
}
