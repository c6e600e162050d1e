import { joined } from '../fastify/router-handlers.ts'
import { isPreflight } from '../http/preflight.ts'
import { ignoreRejection } from '../promises.ts'
import { routeIn, slotOf } from '../routes.ts'
import { defaultFor } from '../schemes/reading.ts'
import { newestIn } from './slots.ts'
import { Unrouted, UrlReader } from './unrouted.ts'

import type { Handlers } from '../fastify/router-handlers.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { Claim, Route, Slot } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

/** The handlers that the router may take, by what a request specifies. */
interface Answers {
  readonly byVersion: ReadonlyMap<string | null, Handlers>
  /** The handlers for a version that no route claims. */
  readonly unclaimed: Handlers
  /** The handlers for a version that is refused. */
  readonly refused: Handlers
  readonly scheme: Scheme
  /** The reader of URLs, or null if the scheme reads no URL. */
  readonly reader: UrlReader | null
}

/**
 * The claims of one method and path. The router fills the store with them, passes requests to it, and drops the
 * handlers whose other constraints the request does not meet. Open routes have no claim: the router always considers
 * them, and tries them last.
 */
class VersionStore {
  readonly #handlers = new Map<Claim, Handlers>()
  readonly #options: RouterOptions
  #answers: Answers | null = null

  constructor (options: RouterOptions) {
    this.#options = options
  }

  /**
   * Returns the handlers that the router may take. The router cannot report an error, so the onRequest hook reads the
   * version again, and throws the error. The router also calls this method with a claim, before it sets the claim.
   */
  get (asked: Claim | RawRequest): Handlers | undefined {
    // A claim has no method. An onRoute hook of the app may have copied the claim, so `instanceof Claim` may be false.
    if (!('method' in asked)) return undefined
    const answers = this.#answers ??= this.#compile(asked.method as string)
    const { byVersion, unclaimed, refused, scheme, reader } = answers
    if (asked.method === 'OPTIONS' && isPreflight(asked)) return unclaimed
    try {
      const read = scheme.find(reader === null ? asked : new Unrouted(asked, reader) as unknown as RawRequest)
      if (read === undefined) return refused
      const version = read ?? defaultFor(scheme.author, asked)
      if (version !== null && typeof version !== 'string') {
        ignoreRejection(version)
        return refused
      }
      // Not every scheme checks the default version.
      return byVersion.get(version) ?? (read === null || scheme.allows(version) ? unclaimed : refused)
    } catch {
      return refused
    }
  }

  set (claim: Claim, handlers: Handlers): void {
    this.#handlers.set(claim, handlers)
  }

  #compile (method: string): Answers {
    const claims = [...this.#handlers.keys()]
    const slots = new Set(claims.map(({ route }) => slotOf(route, method) as Slot))
    const [{ route }] = claims
    const { scheme } = route
    const isReadInUrl = scheme.members.some(({ linkPlace, param, place }) => (
      param !== null || [linkPlace, place].includes('query')
    ))
    const handlersOf = (routeFor: (slot: Slot) => Route): Handlers => {
      const chosen = [...slots].map((slot) => routeFor(slot).claim).filter((claim) => claim !== null)
      return joined(chosen.map((claim) => this.#handlers.get(claim) as Handlers))
    }
    return {
      // If no route serves a version, the newest route takes the request, and the onRequest hook refuses it.
      byVersion: new Map(claims.flatMap(({ versions }) => versions).map((version) => (
        [version, handlersOf((slot) => routeIn(slot, version) ?? newestIn(slot))]
      ))),
      unclaimed: handlersOf((slot) => slot.open ?? newestIn(slot)),
      refused: handlersOf(newestIn),
      scheme,
      reader: isReadInUrl ? new UrlReader(route, scheme, this.#options) : null
    }
  }
}

/**
 * Returns a constraint for Fastify's router that chooses among the routes of a URL by the version of the request.
 *
 * @param options the options of this router
 */
export function versionConstraint (options: RouterOptions) {
  return {
    name: CONSTRAINT,
    storage: () => new VersionStore(options),
    deriveConstraint: (raw: RawRequest) => raw
  }
}
