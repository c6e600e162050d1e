import { NOTHING, both, servedBeside, toFound, toGroups } from './candidates.ts'
import { isPreflight } from '../http/preflight.ts'
import { read, readingsOf } from './reading.ts'

import type { Choice, Claimed, Found, Group, Groups, Handlers, Served } from './candidates.ts'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

/** The claims of one scheme. */
interface SchemeClaims {
  readonly scheme: VersioningScheme
  /** All of them. */
  readonly handlers: Handlers
  readonly found: ReadonlyMap<string | null, Found>
}

/**
 * The routes of one method and path. The router fills the store with what stands for them in their constraints, asks it
 * with requests, and drops those whose other constraints are not met. So the store names, for each set of such
 * constraints, whom a request that meets it should come to: who claims its version, or else who takes what is left, or
 * else one that says which versions there are.
 */
export class ChoiceStore {
  readonly #choices: WeakMap<object, Choice>
  readonly #handlers = new Map<object, Handlers>()
  #groups: readonly Group[] = []
  /** null: routes have been added since it was last asked. */
  #schemes: readonly SchemeClaims[] | null = null
  readonly #served = new Map<Claimed, readonly Served[]>()

  /** @param choices what stands behind each constraint */
  constructor (choices: WeakMap<object, Choice>) {
    this.#choices = choices
  }

  get (asked: object | RawRequest): Handlers | undefined {
    if (!('method' in asked)) return this.#handlers.get(asked)
    const schemes = this.#schemes ?? this.#compile()
    if (isPreflight(asked)) return this.#unasked()
    let named = NOTHING
    let byDefault = NOTHING
    let naming: Handlers = 0
    for (let i = 0; i < schemes.length; i++) {
      const { scheme, handlers, found } = schemes[i]
      const reading = read(asked, scheme, this)
      const one = found.get(reading.version) ?? NOTHING
      if (reading.isNamed) {
        named = both(named, one)
        naming |= handlers
      } else {
        byDefault = both(byDefault, one)
      }
    }
    // A version that the client names goes before one that it leaves to another scheme.
    const claiming = (byDefault.own & ~named.covered) === 0 ? named : both(named, byDefault)
    return claiming.handlers | this.#rest(asked, claiming, naming)
  }

  set (constraint: object, handlers: Handlers): void {
    this.#handlers.set(constraint, handlers)
    this.#schemes = null
  }

  /**
   * The versions that a route, or another one in its place, serves to a request that comes to it.
   *
   * @returns the very same list for the same route
   */
  servedBeside (claimed: Claimed): readonly Served[] {
    let served = this.#served.get(claimed)
    if (served === undefined) {
      served = servedBeside(claimed, this.#entries().map(([choice]) => choice))
      this.#served.set(claimed, served)
    }
    return served
  }

  #compile (): readonly SchemeClaims[] {
    const entries = this.#entries()
    const groups = toGroups(entries)
    const claims = entries.filter((entry): entry is [Claimed, Handlers] => entry[0].claim !== null)
    const schemes = [...new Set(claims.map(([{ claim }]) => claim.scheme))].map((scheme) => {
      const own = claims.filter(([{ claim }]) => claim.scheme === scheme)
      return { scheme, handlers: own.reduce((all, [, one]) => all | one, 0), found: toFound(groups, own) }
    })
    this.#groups = groups
    this.#schemes = schemes
    return schemes
  }

  #entries (): [Choice, Handlers][] {
    return [...this.#handlers].map(([constraint, handlers]) => [this.#choices.get(constraint) as Choice, handlers])
  }

  /** For a question that cannot name a version. */
  #unasked (): Handlers {
    let open: Handlers = 0
    let all: Handlers = 0
    for (const group of this.#groups) {
      open |= group.open
      all |= group.open | group.claims
    }
    return open === 0 ? all : open
  }

  /** Who takes what the claims leave; where nobody does, who says so. */
  #rest (raw: RawRequest, claiming: Found, naming: Handlers): Handlers {
    const groups = this.#groups
    let open: Handlers = 0
    let taking: Groups = claiming.own
    let covered: Groups = claiming.covered
    for (let i = 0; i < groups.length; i++) {
      if ((claiming.covered & (1 << i)) !== 0 || groups[i].open === 0) continue
      open |= groups[i].open
      taking |= 1 << i
      covered |= groups[i].narrower
    }
    const refusing = this.#refusing(taking, covered, naming)
    for (let reading = readingsOf(raw); reading !== undefined; reading = reading.next) {
      reading.isRefused = refusing !== 0
    }
    return open | refusing
  }

  /**
   * Routes that only say no, in groups where nobody else answers; but not where the router might take one of them
   * before a route that serves the request by other constraints. Whose version the client names knows best.
   */
  #refusing (taking: Groups, covered: Groups, naming: Handlers): Handlers {
    let refusing: Handlers = 0
    for (let i = 0; i < this.#groups.length; i++) {
      const { claims, rivals } = this.#groups[i]
      if ((covered & (1 << i)) === 0 && (rivals & taking) === 0) refusing |= claims
    }
    return (refusing & naming) || refusing
  }
}
