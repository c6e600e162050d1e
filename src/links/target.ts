import { show } from '../messages.ts'
import { isServedAtUrl } from '../routes.ts'
import { compile } from '../paths/template.ts'

import type { OwnedPath, Ownership } from '../paths/ownership.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { PlainTemplate, UrlTemplate } from '../paths/template.ts'
import type { Route, Routes } from '../routes.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/** A path that a link may lead to. */
export interface TargetPath {
  readonly path: string
  readonly methods: string[]
  /** The route that was first declared with the path. */
  readonly route: Route | null
  /** All routes of the target that have the path. */
  readonly routes: Route[]
}

/** What a target needs to know of its app. */
interface TargetApp {
  readonly routes: Routes
  /** Call it when `routes` has changed. */
  readonly update: () => void
  readonly options: RouterOptions
  readonly ownership: Ownership
}

/** A path, optional parameters expanded, ready to be filled. */
interface Candidate {
  readonly routes: readonly Route[]
  readonly template: UrlTemplate
  readonly owned: OwnedPath
}

/** A target with one path that plain values fill. */
export interface PlainTarget {
  readonly template: PlainTemplate
  /** Matches URLs of which `refill` must decide. */
  readonly doubtful: RegExp | null
}

/** What a link may lead to: one path or several. Templates are made with the first link, so that boot need not wait. */
export class LinkTarget {
  /** Last registered first. */
  readonly paths: TargetPath[]
  readonly #app: TargetApp
  #candidates: readonly Candidate[] = []
  #names: readonly string[] = []
  /** Whether the version may decide which of several paths a link has. */
  #isChosen = false
  #revision = -1

  constructor (paths: TargetPath[], app: TargetApp) {
    this.paths = paths
    this.#app = app
  }

  /** The last declared route of the target, which must have a name. */
  get route (): Route {
    return this.paths[0].route as Route
  }

  /** The parameters of its paths, in their order. */
  get names (): readonly string[] {
    this.#upToDate()
    return this.#names
  }

  /** Whether a path has just the parameters that have a text here, even where a value does not fit. */
  takes (kwargs: ReverseKwargs): boolean {
    return this.#upToDate().some(({ template }) => template.takes(kwargs))
  }

  /**
   * The URL of the first path whose parameters are exactly the given ones and whose route answers it, or null if there
   * is none. A path that serves the version is tried first.
   *
   * @param impliedName a parameter that has the version unless `kwargs` has a value for it, or null
   * @param version the version of the link, or null
   */
  fill (args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, version: string | null): string | null {
    const implied = version ?? ''
    const candidates = this.#candidatesIn(version)
    for (let i = 0; i < candidates.length; i++) {
      const { template, owned } = candidates[i]
      const url = template.fill(args, kwargs, impliedName, implied)
      if (url !== null && !this.#isLost(owned, url)) return url
    }
    return null
  }

  /**
   * As `fill`, for the parameters of a request.
   *
   * @param empty the parameters that have no text
   * @param ownUrl the path of the request if the target answers it, or undefined if another does
   * @param isSame whether the router has taken the parameters from this path
   */
  refill (
    args: ReverseArgs, kwargs: ReverseKwargs, empty: readonly string[], ownUrl?: string, isSame = false
  ): string | null {
    for (const { template, owned } of this.#upToDate()) {
      const url = template.fill(args, kwargs, null, '', empty)
      if (url === null) continue
      // A path without the optional parameter would drop an empty one.
      if (isHost(url)) return null
      if (isSame && ownUrl !== undefined && isSpelledWithSlashes(url, ownUrl)) return ownUrl
      const isLost = empty.length > 0 ? !this.#app.ownership.isOwn(owned, url) : this.#isLost(owned, url)
      if (url === ownUrl || !isLost) return url
      // A router that ignores a slash at the end takes it from what is empty there, too.
      if (isSame && ownUrl === `${url}/`) return ownUrl
    }
    return null
  }

  #candidatesIn (version: string | null): readonly Candidate[] {
    const candidates = this.#upToDate()
    if (version === null || !this.#isChosen) return candidates
    const isServed = ({ routes }: Candidate) => routes.some((route) => isServedAtUrl(route, version))
    return [...candidates.filter(isServed), ...candidates.filter((one) => !isServed(one))]
  }

  /**
   * The same target for the plain values of requests, as long as no route is added; null if it has several paths.
   *
   * @param name a parameter that always has the same value, or null
   */
  toPlain (name: string | null, value: string): PlainTarget | null {
    const [candidate, ...others] = this.#upToDate()
    const template = others.length > 0 ? null : candidate.template.toPlain(name, value)
    return template === null ? null : { template, doubtful: candidate.owned.doubtful }
  }

  /** Why there is no URL: the route, its parameters, and the given ones. */
  explain (route: string, args: ReverseArgs, kwargs: ReverseKwargs, empty?: readonly string[]): string {
    const named = show({ ...kwargs })
    const given = args.length > 0 ? `${show(args)} and ${named}` : named
    const reasons = this.#upToDate().map(({ template }) => {
      const url = template.fill(args, kwargs, null, '', empty)
      if (url === null) return template.explain(args, kwargs)
      return isHost(url)
        ? `${template.path} gives ${url}, which would name a host`
        : `${template.path} leaves ${url} to another route`
    })
    return `${route} has no URL for ${given}: ${reasons.join('; ')}.`
  }

  /** Whether another route answers the URL of a path. */
  #isLost (owned: OwnedPath, url: string): boolean {
    return owned.doubtful !== null && owned.doubtful.test(url) && !this.#app.ownership.isOwn(owned, url)
  }

  #upToDate (): readonly Candidate[] {
    if (this.#revision !== this.#app.routes.revision) this.#compile()
    return this.#candidates
  }

  #compile (): void {
    this.#app.update()
    const { routes, options, ownership } = this.#app
    this.#revision = routes.revision
    this.#candidates = this.paths.flatMap(({ path, methods, routes: ofPath }) => (
      compile(path, options).map((template) => (
        { routes: ofPath, template, owned: ownership.find(methods, template.path) }
      ))
    ))
    this.#isChosen = this.paths.length > 1 && this.paths.some((one) => one.routes.some(({ claim }) => claim !== null))
    this.#names = [...new Set(this.#candidates.flatMap(({ template }) => template.names))]
  }
}

/** Whether a path is the same but for slashes of a wildcard that a link escapes, because a router may drop them. */
function isSpelledWithSlashes (url: string, ownUrl: string): boolean {
  return url.includes('%2F') && !isHost(ownUrl) && url.replaceAll('%2F', '/') === ownUrl.replaceAll('%2F', '/')
}

/** Whether a URL would name a host: two slashes at its start do (RFC 3986, section 4.2). */
function isHost (url: string): boolean {
  return url.startsWith('//')
}
