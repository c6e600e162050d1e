import { isPreflight } from '../http/preflight.ts'
import { groupOf } from '../routes.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { isAmbiguous } from '../scheme.ts'
import { CONSTRAINT, VersionConstraint } from './constraint.ts'
import { isClaimant, serverIn } from './slots.ts'
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

/**
 * The routes of one method and path. The router fills the store with the values of our constraint, passes requests to
 * it, and drops the handlers whose other constraints the request does not meet. Routes without our constraint are
 * always candidates; the router tries them last.
 */
export class VersionStore {
  readonly #handlers = new Map<Route, Handlers>()
  readonly #options: RouterOptions
  readonly #routes: Routes
  /** Undefined before the first request. */
  #answers: Answers | null | undefined

  constructor (options: RouterOptions, routes: Routes) {
    this.#options = options
    this.#routes = routes
  }

  /** The handlers that the router may take. It asks for a value of the constraint only before it sets it. */
  get (asked: VersionConstraint | RawRequest): Handlers | undefined {
    if (asked instanceof VersionConstraint) return undefined
    const answers = this.#answers === undefined ? this.#compile(asked.method as string) : this.#answers
    if (answers === null) return ALL
    const { handlers, route } = isPreflight(asked) ? answers.unclaimed : answers.forRequest(asked)
    this.#routes.noteRouted(asked, route)
    return handlers
  }

  set ({ route }: VersionConstraint, handlers: Handlers): void {
    this.#handlers.set(route, handlers)
  }

  #compile (method: string): Answers | null {
    const [route] = this.#handlers.keys()
    const slot = groupOf(route, method)?.slot ?? null
    this.#answers = slot === null ? null : new Answers(slot, this.#handlers, this.#options)
    return this.#answers
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

/** What the router may take for each version. */
class Answers {
  readonly scheme: Scheme
  readonly #byVersion: ReadonlyMap<string | null | undefined, Answer>
  /** For a version that no route claims: routes without versions, or else any. A preflight has no version. */
  readonly unclaimed: Answer
  /** Whether a member of a list has its own settings, so that it refuses a version that another member allows. */
  readonly #isMixed: boolean
  /** Null if the scheme reads no parameters. */
  readonly #unrouted: UnroutedRequest | null

  constructor (slot: Slot, handlers: ReadonlyMap<Route, Handlers>, options: RouterOptions) {
    const claims = [...handlers.keys()].filter(isClaimant).map(({ claim }) => claim)
    const claimed = new Set(claims.flatMap(({ versions }) => versions))
    const withNull = claims.some((claim) => claim.withNull) ? [null] : []
    const handlersFor = (serverOf: (group: Group) => Route | null) => answer(slot, handlers, serverOf)
    this.scheme = slot.scheme
    const { isList, members } = slot.scheme
    this.#isMixed = isList && members.some((member) => ![...claimed].every((version) => allows(member, version)))
    this.unclaimed = handlersFor(({ open }) => open)
    this.#byVersion = new Map([...claimed, ...withNull].map((version) => (
      [version, handlersFor((group) => serverIn(group, version))]
    )))
    this.#unrouted = slot.versionParams === null ? null : new UnroutedRequest(slot.versionParams, options)
  }

  forRequest (raw: RawRequest): Answer {
    const unrouted = this.#unrouted
    const version = unrouted === null ? this.#read(raw, raw) : this.#read(unrouted.take(raw) as never, raw)
    if (unrouted !== null) unrouted.raw = null
    return this.#byVersion.get(version) ?? this.unclaimed
  }

  /**
   * The version by which the route is chosen, or null if there is none. Undefined: it is refused, so that only a route
   * without versions may take the request. The router cannot answer an error: it is thrown again by the hook.
   */
  #read (request: RawRequest, raw: RawRequest): string | null | undefined {
    const { scheme } = this
    try {
      const version = this.#isMixed ? this.#readMixed(request) : scheme.find(request)
      return version === null ? this.#default(raw) : version
    } catch {
      return undefined
    }
  }

  #readMixed (request: RawRequest): string | null | undefined {
    const named = this.scheme.readList(request)
    if (named.length === 0) return null
    const [{ scheme: member, resolved }] = named
    return !isAmbiguous(named) && resolved !== null && member.allows(resolved) ? resolved : undefined
  }

  /** A promise is refused by the hook, because the router waits for none. */
  #default (raw: RawRequest): string | null | undefined {
    const version = this.scheme.defaultFor(raw)
    if (!isThenable(version)) return version
    ignoreRejection(version)
    return undefined
  }
}

/** The route that serves, in each group. A group without one refuses, unless the group without constraints serves. */
function answer (
  slot: Slot, handlers: ReadonlyMap<Route, Handlers>, serverOf: (group: Group) => Route | null
): Answer {
  const { groups, plain } = slot
  const isServedByPlain = plain !== null && serverOf(plain) !== null
  const routes = groups.flatMap((group) => serverOf(group) ?? (isServedByPlain ? [] : group.claimants))
  return {
    handlers: routes.reduce((all, route) => all | (handlers.get(route) ?? 0), 0),
    route: plain !== null && groups.length === 1 ? serverOf(plain) : null
  }
}

function allows (scheme: Scheme, version: string): boolean {
  try {
    return scheme.allows(version)
  } catch {
    return false
  }
}
