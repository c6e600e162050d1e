import { schemeOf } from '../context.ts'
import { parsePath } from './old-pattern.ts'

import type { Route } from '../routes.ts'
import type { Subject } from './options.ts'

/** Whose routes are whose: those in a namespace with the team's name, and those whose path begins with it. */
export class Teams {
  readonly #names: readonly string[]
  readonly #prefix: string
  readonly #byRoute = new WeakMap<Route, string | null>()

  /** @param prefix what all paths begin with */
  constructor (names: readonly string[], prefix: string) {
    this.#names = names
    this.#prefix = prefix
  }

  /** Whether the document of a team may show a route: one of the team's, or one without versions that has no team. */
  has (route: Route, { team }: Subject): boolean {
    if (team === null) return true
    const own = this.of(route)
    return own === team || (own === null && schemeOf(route) === null)
  }

  /** The team of a route, or null. */
  of (route: Route): string | null {
    let team = this.#byRoute.get(route)
    if (team === undefined) this.#byRoute.set(route, team = this.#find(route))
    return team
  }

  #find (route: Route): string | null {
    const { namespace: { names }, url } = route
    const named = names.find((name) => this.#names.includes(name))
    if (named !== undefined) return named
    // A version may stand before the team.
    const segments = url.slice(this.#prefix.length).split('/').slice(1)
    const path = segments.filter((segment, i) => !(i === 0 && isVersion(segment, route))).join('/')
    const found = this.#names.filter((name) => `${path}/`.startsWith(`${name}/`))
    return found.toSorted((a, b) => b.length - a.length)[0] ?? null
  }
}

/** Whether a segment of a route's path is its version: a namespace, or a parameter. */
function isVersion (segment: string, route: Route): boolean {
  if (route.namespace.names.includes(segment)) return true
  const params = schemeOf(route)?.inPath.map(({ impliedParam }) => impliedParam) ?? []
  return parsePath(`/${segment}`).some((node) => node.kind === 'parametric' && params.includes(node.names[0]))
}
