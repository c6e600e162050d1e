import { joined } from '../fastify/router-handlers.ts'
import { isPreflight } from '../http/preflight.ts'
import { ignoreRejection } from '../promises.ts'
import { slotOf } from '../routes.ts'
import { defaultFor } from '../schemes/reading.ts'
import { segmentOf, unrouted } from './path-version.ts'
import { newestIn, routeIn } from './slots.ts'

import type { Handlers } from '../fastify/router-handlers.ts'
import type { Claim, Route, Slot } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { RawRequest } from '../../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

interface Answers {
  readonly byVersion: ReadonlyMap<string | null, Handlers>
  /** For a version that no route claims. */
  readonly unclaimed: Handlers
  /** For a version that is refused. */
  readonly refused: Handlers
  readonly scheme: Scheme
  /** The parameter of the path that the scheme reads, or null. */
  readonly param: string | null
  /** The segment of the path that holds it, or -1. */
  readonly segment: number
}

/**
 * The claims of one method and path. The router fills the store with them, passes requests to it, and drops the
 * handlers whose other constraints the request does not meet. Open routes are always candidates; the router tries them
 * last.
 */
class VersionStore {
  readonly #handlers = new Map<Claim, Handlers>()
  #answers: Answers | null = null

  /**
   * The handlers that the router may take. It asks for a claim only before it sets it. It cannot answer an error, so
   * the hook throws it again.
   */
  get (asked: Claim | RawRequest): Handlers | undefined {
    // A hook of the app may have copied the claim.
    if (!('method' in asked)) return undefined
    const answers = this.#answers ??= this.#compile(asked.method as string)
    const { byVersion, unclaimed, refused, scheme, param, segment } = answers
    if (asked.method === 'OPTIONS' && isPreflight(asked)) return unclaimed
    try {
      const read = scheme.find(param === null ? asked : unrouted(asked, param, segment))
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
    const [{ route: { scheme, url } }] = claims
    const handlersOf = (routeFor: (slot: Slot) => Route): Handlers => {
      const chosen = [...slots].map((slot) => routeFor(slot).claim).filter((claim) => claim !== null)
      return joined(chosen.map((claim) => this.#handlers.get(claim) as Handlers))
    }
    return {
      // Where nothing serves a version, the newest route takes the request, and the hook refuses it.
      byVersion: new Map(claims.flatMap(({ versions }) => versions).map((version) => (
        [version, handlersOf((slot) => routeIn(slot, version) ?? newestIn(slot))]
      ))),
      unclaimed: handlersOf((slot) => slot.open ?? newestIn(slot)),
      refused: handlersOf(newestIn),
      scheme,
      param: scheme.params[0] ?? null,
      segment: segmentOf(scheme, url)
    }
  }
}

/** A constraint of Fastify's router that chooses among the routes of a URL by the version that their scheme reads. */
export const versionConstraint = {
  name: CONSTRAINT,
  storage: (): VersionStore => new VersionStore(),
  deriveConstraint: (raw: RawRequest): RawRequest => raw
}
