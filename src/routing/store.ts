import { isPreflight } from '../http/preflight.ts'
import { groupOf } from '../routes.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { CONSTRAINT, VersionConstraint } from './constraint.ts'
import { routeIn } from './slots.ts'
import { UnroutedRequest } from './unrouted.ts'

import type { RouterOptions } from '../paths/pattern.ts'
import type { Group, Route, Routes, Slot } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** Handlers as the router numbers them: the bits of a number, of which it takes the highest that it may. */
type Handlers = number

/** What the router may take for a version. */
interface Answer {
  readonly handlers: Handlers
  /** The route that it takes; null if that depends on other constraints, or if there is none. */
  readonly route: Route | null
}

const ALL: Handlers = -1

/** What the router may take for each version. */
interface Answers {
  readonly byVersion: ReadonlyMap<string | null | undefined, Answer>
  /** For a version that no route claims: routes without versions, or else any. A preflight has no version. */
  readonly unclaimed: Answer
  readonly scheme: Scheme
  /** Null if the scheme reads no parameters. */
  readonly unrouted: UnroutedRequest | null
}

/**
 * The routes of one method and path. The router fills the store with the values of our constraint, passes requests to
 * it, and drops the handlers whose other constraints the request does not meet. Routes without our constraint are
 * always candidates; the router tries them last.
 */
export class VersionStore {
  readonly #handlers = new Map<Route, Handlers>()
  readonly #options: RouterOptions
  readonly #routes: Routes
  /** Undefined before the first request; null if versions choose nothing. */
  #answers: Answers | null | undefined

  constructor (options: RouterOptions, routes: Routes) {
    this.#options = options
    this.#routes = routes
  }

  /** The handlers that the router may take. It asks for a value of the constraint only before it sets it. */
  get (asked: VersionConstraint | RawRequest): Handlers | undefined {
    if (asked instanceof VersionConstraint) return undefined
    if (this.#answers === undefined) this.#answers = this.#compile(asked.method as string)
    if (this.#answers === null) return ALL
    const { byVersion, unclaimed } = this.#answers
    const { handlers, route } = isPreflight(asked)
      ? unclaimed
      : byVersion.get(versionOf(asked, this.#answers)) ?? unclaimed
    this.#routes.noteRouted(asked, route)
    return handlers
  }

  set ({ route }: VersionConstraint, handlers: Handlers): void {
    this.#handlers.set(route, handlers)
  }

  #compile (method: string): Answers | null {
    const handlers = this.#handlers
    const [route] = handlers.keys()
    const slot = groupOf(route, method)?.slot
    if (slot === undefined) return null
    const { scheme, versionParams } = slot
    const claimed = new Set([...handlers.keys()].flatMap(({ claim }) => claim?.versions ?? []))
    return {
      byVersion: new Map([...claimed].map((version) => (
        [version, this.#answer(slot, (group) => routeIn(group, version))]
      ))),
      unclaimed: this.#answer(slot, ({ open }) => open),
      scheme,
      unrouted: versionParams === null ? null : new UnroutedRequest(versionParams, this.#options)
    }
  }

  /** The route that serves, in each group. A group without one refuses, unless the group without constraints serves. */
  #answer ({ groups, plain }: Slot, routeOf: (group: Group) => Route | null): Answer {
    const served = plain === null ? null : routeOf(plain)
    const routes = groups.flatMap((group) => routeOf(group) ?? (served !== null ? [] : group.claimants))
    return {
      handlers: routes.reduce((all, route) => all | (this.#handlers.get(route) ?? 0), 0),
      route: groups.length === 1 && this.#routes.isForeseeable ? served : null
    }
  }
}

/**
 * A constraint of Fastify's router that chooses among the routes of a URL by the version that their scheme reads. It
 * derives the raw request itself: only a store whose routes have versions reads it.
 */
export function versionConstraint (options: RouterOptions, routes: Routes) {
  return {
    name: CONSTRAINT,
    storage: (): VersionStore => new VersionStore(options, routes),
    deriveConstraint: (raw: RawRequest): RawRequest => raw
  }
}

/**
 * The version by which the route is chosen, or null if there is none. Undefined if it is refused, so that only a
 * route without versions may take the request. The router cannot answer an error; the hook throws it again.
 */
function versionOf (raw: RawRequest, { scheme, unrouted }: Answers): string | null | undefined {
  try {
    const request = unrouted === null ? raw : unrouted.take(raw) as never
    const version = scheme.find(request)
    if (version !== null) return version
    const byDefault = scheme.defaultFor(raw)
    if (!isThenable(byDefault)) return byDefault
    // It is refused by the hook, because the router waits for none.
    ignoreRejection(byDefault)
  } catch {
  } finally {
    if (unrouted !== null) unrouted.raw = null
  }
  return undefined
}
