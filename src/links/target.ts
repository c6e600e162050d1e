import { NoReverseMatchError, show } from '../errors.ts'
import { compile } from '../paths/template.ts'

import type { Ownership, OwnershipCheck } from '../paths/ownership.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { UrlTemplate } from '../paths/template.ts'
import type { Route, Routes } from '../routes.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/** A path that a link may lead to. */
export interface TargetPath {
  readonly path: string
  readonly methods: string[]
  /** The route that was first declared with the path. */
  readonly route: Route | null
}

/** What a target needs to know of its app. */
export interface TargetApp {
  readonly routes: Routes
  readonly options: RouterOptions
  readonly ownership: Ownership
}

/** A path, optional parameters expanded, ready to be filled. */
interface Candidate extends OwnershipCheck {
  readonly template: UrlTemplate
}

const NO_ARGS: ReverseArgs = Object.freeze([])

/** What a link may lead to: one path or several. Templates are made with the first link, so that boot need not wait. */
export class LinkTarget {
  /** Last registered first. */
  readonly paths: TargetPath[]
  readonly #app: TargetApp
  #candidates: readonly Candidate[] = []
  #revision = -1

  constructor (paths: TargetPath[], app: TargetApp) {
    this.paths = paths
    this.#app = app
  }

  /** The parameters of its paths, in their order. */
  get names (): readonly string[] {
    return [...new Set(this.#upToDate().flatMap(({ template }) => template.names))]
  }

  /** Whether a path has just the parameters that have a text here, even where a value does not fit. */
  takes (kwargs: ReverseKwargs): boolean {
    return this.#upToDate().some(({ template }) => template.takes(kwargs))
  }

  /**
   * The URL of the first path whose parameters are exactly those given, and whose own the URL is; null: there is none.
   *
   * @param impliedName a parameter that has the value `implied` unless `kwargs` has one for it; null: none
   */
  fill (args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string): string | null {
    const candidates = this.#upToDate()
    for (let i = 0; i < candidates.length; i++) {
      const { template, doubtful, isOwn } = candidates[i]
      const url = template.fill(args, kwargs, impliedName, implied)
      if (url !== null && (doubtful === null || !doubtful.test(url) || isOwn(url))) return url
    }
    return null
  }

  /**
   * As `fill`, for the parameters of a request, of which the wildcard may be empty.
   *
   * @param ownUrl the path of the request, where it is the target that answers it; undefined: it is another
   */
  refill (args: ReverseArgs, kwargs: ReverseKwargs, ownUrl?: string): string | null {
    const isCut = kwargs['*'] === ''
    for (const { template, doubtful, isOwn } of this.#upToDate()) {
      const url = template.refill(args, kwargs)
      if (url === null) continue
      const isDoubtful = isCut || (doubtful !== null && doubtful.test(url))
      if (url === ownUrl || !isDoubtful || isOwn(url)) return url
    }
    return null
  }

  /** Why `fill` returns null: the route, the parameters it takes and those given. */
  explain (route: string, args: ReverseArgs, kwargs: ReverseKwargs): string {
    return this.#explain(route, args, kwargs, (template) => template.fill(args, kwargs))
  }

  /**
   * Why `refill` returns null.
   *
   * @param own the parameters of the request as the client has named them
   */
  failure (route: string, args: ReverseArgs, kwargs: ReverseKwargs, own: ReverseKwargs): NoReverseMatchError {
    const explain = () => this.#explain(route, args, kwargs, (template) => template.refill(args, kwargs))
    const error = new NoReverseMatchError(explain, false)
    // Values that only a client could think of (`/bookings/%2E%2E`), where others would do, are the client's mistake.
    if (this.takes(own) && this.refill(NO_ARGS, own) === null) error.statusCode = 400
    return error
  }

  #explain (
    route: string, args: ReverseArgs, kwargs: ReverseKwargs, fill: (template: UrlTemplate) => string | null
  ): string {
    const named = show({ ...kwargs })
    const given = args.length > 0 ? `${show(args)} and ${named}` : named
    const reasons = this.#upToDate().map(({ template }) => {
      const url = fill(template)
      return url === null ? template.explain(args, kwargs) : `${template.path} leaves ${url} to another route`
    })
    return `${route} has no URL for ${given}: ${reasons.join('; ')}.`
  }

  #upToDate (): readonly Candidate[] {
    const { routes: { revision }, options, ownership } = this.#app
    if (this.#revision !== revision) {
      this.#revision = revision
      this.#candidates = this.paths.flatMap(({ path, methods }) => (
        compile(path, options).map((template) => ({ template, ...ownership.checkFor(methods, template.path) }))
      ))
    }
    return this.#candidates
  }
}
