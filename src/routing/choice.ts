import isEqual from 'fast-deep-equal'

import { isPreferred } from './candidates.ts'

import type { Candidate, Claim } from './candidates.ts'
import type { Route } from '../routes.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** Handlers as the router numbers them: the bits of a number, of which it takes the highest that it may. */
export type Handlers = number

/** A version, and the route that a request for it comes to. */
export interface Serving {
  readonly version: string
  readonly route: Route
}

/** A candidate, and the handlers that stand for it in the router. */
type Entry = readonly [candidate: Candidate, handlers: Handlers]

/** The routes of a URL that have the same other constraints. */
export interface Group {
  readonly constraints: Candidate['constraints']
  /** The routes that claim versions. */
  readonly claims: Entry[]
  /** Those that serve every version which no other claims. */
  readonly open: Entry[]
}

/** What the router may take for a version. */
export interface Answer {
  readonly handlers: Handlers
  /** Whether one of the handlers may only refuse the version. */
  readonly mayRefuse: boolean
}

/** How versions choose among the routes of one method and path. */
export class Choice {
  readonly scheme: VersioningScheme
  readonly #groups: readonly Group[]
  readonly #byVersion: ReadonlyMap<string | null, Answer>
  readonly #withoutClaim: Answer
  /** A preflight names no version: it comes to routes without versions, or else to any. */
  readonly forPreflights: Handlers
  /** Whether a route without `version` serves what no other claims. */
  readonly isOpen: boolean

  constructor (scheme: VersioningScheme, entries: readonly Entry[]) {
    const groups = groupsOf(entries)
    const versions = new Set(groups.flatMap(({ claims }) => claims.flatMap(versionsOf)))
    this.scheme = scheme
    this.#groups = groups
    this.#byVersion = new Map([...versions].map((version) => [version, answerFor(version, groups)]))
    this.#withoutClaim = answerFor(null, groups)
    const open = all(groups.flatMap((group) => group.open))
    this.isOpen = open !== 0
    this.forPreflights = this.isOpen ? open : all(entries)
  }

  /** @param version null: none is named */
  answerFor (version: string | null): Answer {
    return this.#byVersion.get(version) ?? this.#withoutClaim
  }

  has (candidate: Candidate | undefined): boolean {
    return this.#groups.some((group) => isIn(candidate, group))
  }

  /** The routes that share their other constraints with a candidate. */
  groupOf (candidate: Candidate): Group {
    return this.#groups.find((group) => isIn(candidate, group)) as Group
  }

  /**
   * The versions served to requests that meet the constraints of a group, and by which routes: in release order, or as
   * they are claimed where no version is listed.
   */
  servingTo (group: Group): Serving[] {
    const around = this.#groups.filter((other) => includes(group.constraints, other.constraints)).sort(byRank)
    const listed = this.scheme.allowedVersions?.filter((version) => version !== null) ?? []
    const claimed = around.flatMap(({ claims }) => claims.flatMap(versionsOf))
    return [...new Set(listed.length === 0 ? claimed : listed)].flatMap((version) => {
      const server = around.map((one) => serverIn(one, version)).find((entry) => entry !== undefined)
      return server === undefined ? [] : [{ version, route: server[0].route }]
    })
  }
}

function groupsOf (entries: readonly Entry[]): Group[] {
  const groups: Group[] = []
  for (const [candidate, handlers] of entries) {
    const { constraints, claim } = candidate
    let group = groups.find((one) => isEqual(one.constraints, constraints))
    if (group === undefined) groups.push(group = { constraints, claims: [], open: [] })
    const list = claim === null ? group.open : group.claims
    list.push([candidate, handlers])
  }
  return groups
}

/**
 * Who serves the version in each group. A group that does not serve it refuses it, unless the router might try the
 * refusal before a route that serves the request by other constraints.
 */
function answerFor (version: string | null, groups: readonly Group[]): Answer {
  const servers = new Map(groups.map((group) => [group, serverIn(group, version)]))
  let handlers: Handlers = 0
  let mayRefuse = false
  for (const group of groups) {
    const server = servers.get(group)
    const isServed = groups.some((other) => servers.get(other) !== undefined && mayYield(group, other))
    if (server !== undefined) {
      handlers |= server[1]
    } else if (!isServed) {
      handlers |= all(group.claims)
      mayRefuse = true
    }
  }
  return { handlers, mayRefuse }
}

/** The route of a group that serves a version: whose claim is preferred, or else one without a claim. */
function serverIn ({ claims, open }: Group, version: string | null): Entry | undefined {
  const serving = claims.filter(([candidate]) => candidate.serves(version))
  return serving.sort(([a], [b]) => isPreferred(a.claim as Claim, b.claim as Claim) ? -1 : 1)[0] ?? open[0]
}

function versionsOf ([{ claim }]: Entry): readonly string[] {
  return (claim as Claim).versions
}

/** Whether a request may meet the constraints of both groups, and the router does not try the other one first. */
function mayYield ({ constraints }: Group, { constraints: others }: Group): boolean {
  const names = Object.keys(others)
  const isApart = names.some((name) => name in constraints && !isEqual(constraints[name], others[name]))
  return !isApart && names.length <= Object.keys(constraints).length
}

/** Whether a request that meets the constraints meets the others as well. */
function includes (constraints: Candidate['constraints'], others: Candidate['constraints']): boolean {
  return Object.keys(others).every((name) => isEqual(constraints[name], others[name]))
}

/** The router tries those first that have more constraints. */
function byRank (a: Group, b: Group): number {
  return Object.keys(b.constraints).length - Object.keys(a.constraints).length
}

function isIn (candidate: Candidate | undefined, { claims, open }: Group): boolean {
  return claims.some(([one]) => one === candidate) || open.some(([one]) => one === candidate)
}

function all (entries: readonly Entry[]): Handlers {
  return entries.reduce((handlers, entry) => handlers | entry[1], 0)
}
