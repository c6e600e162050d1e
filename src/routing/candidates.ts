import { isPreferred } from './serving.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Serving } from './serving.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** The versions that a route claims for itself. */
export interface Claim extends Serving {
  readonly scheme: VersioningScheme
}

/** What a route takes where versions choose. */
export interface Choice {
  /** null: every version that no other route claims. */
  readonly claim: Claim | null
  /** Its other constraints, such as a host: a text for each. */
  readonly others: readonly string[]
  /** How the route itself ends; undefined: as its versions. */
  readonly ending: Ending | undefined
}

/** A version in which a URL is served, and how it ends there. */
export interface Served {
  /** null: that of requests which name none, where that is permitted. */
  readonly version: string | null
  readonly ending: Ending | undefined
}

/** As a choice, of a route that claims versions. */
export interface Claimed extends Choice {
  readonly claim: Claim
}

/** Handlers as the router numbers them: a number whose bits they are, of which it takes the highest that it may. */
export type Handlers = number
/** Groups, likewise. */
export type Groups = number

/** The routes of a URL that have the same other constraints. */
export interface Group {
  readonly others: readonly string[]
  /** The routes that take what is left. */
  open: Handlers
  /** Those that claim versions. */
  claims: Handlers
  /** This group, and those that have its constraints and more: whoever meets theirs meets these. */
  narrower: Groups
  /** Those whose constraints may be met together with these, and which the router would not try before. */
  rivals: Groups
}

/** What a version comes to. */
export interface Found {
  readonly handlers: Handlers
  /** The groups that they are of. */
  readonly own: Groups
  /** Those and all that are narrower: where they are met one of the handlers is. */
  readonly covered: Groups
}

export const NOTHING: Found = Object.freeze({ handlers: 0, own: 0, covered: 0 })

/** Groups by their other constraints. */
export function toGroups (entries: Iterable<readonly [Choice, Handlers]>): Group[] {
  const byOthers = new Map<string, Group>()
  for (const [{ claim, others }, handlers] of entries) {
    const key = others.join()
    const group = byOthers.get(key) ?? { others, open: 0, claims: 0, narrower: 0, rivals: 0 }
    byOthers.set(key, group)
    if (claim === null) group.open |= handlers
    else group.claims |= handlers
  }
  const groups = [...byOthers.values()]
  for (const group of groups) {
    for (const [i, other] of groups.entries()) {
      if (isWithin(other.others, group.others)) group.narrower |= 1 << i
      else if (isRival(group.others, other.others)) group.rivals |= 1 << i
    }
  }
  return groups
}

/** What the claims of one scheme make of each version: in every group the one that is preferred. */
export function toFound (
  groups: readonly Group[], claims: readonly (readonly [Claimed, Handlers])[]
): Map<string | null, Found> {
  const versions = new Set(claims.flatMap(([{ claim }]) => claim.versions))
  return new Map([...versions].map((version) => {
    const serving = claims.filter(([{ claim }]) => claim.versions.includes(version))
    serving.sort(([a], [b]) => isPreferred(a.claim, b.claim) ? -1 : 1)
    const found = groups.map(({ claims: own, narrower }, i) => {
      const first = serving.find(([, handlers]) => (handlers & own) !== 0)
      return first === undefined ? NOTHING : { handlers: first[1], own: 1 << i, covered: narrower }
    })
    return [version, found.reduce(both, NOTHING)]
  }))
}

export function both (a: Found, b: Found): Found {
  if (a === NOTHING) return b
  return { handlers: a.handlers | b.handlers, own: a.own | b.own, covered: a.covered | b.covered }
}

/**
 * The versions that a route, or another one in its place, serves to a request that comes to it, and how they end there:
 * in release order, or as they are claimed where no version is listed.
 */
export function servedBeside ({ claim: { scheme }, others }: Claimed, choices: Iterable<Choice>): Served[] {
  const around = [...choices].filter((choice) => isWithin(others, choice.others))
    .sort((a, b) => b.others.length - a.others.length)
  const open = around.find(({ claim }) => claim === null)
  const claims = around.filter((choice): choice is Claimed => choice.claim?.scheme === scheme)
  const claimed = new Set(claims.flatMap(({ claim }) => claim.versions))
  const listed = scheme.allowedVersions?.filter((version) => version !== null) ?? []
  return (listed.length === 0 ? [...claimed] : listed).flatMap((version) => {
    const serving = claims.filter(({ claim }) => claim.versions.includes(version))
    const first = serving.filter((choice) => choice.others.length === serving[0].others.length)
      .sort((a, b) => isPreferred(a.claim, b.claim) ? -1 : 1)[0] ?? open
    return first === undefined ? [] : [{ version, ending: first.ending }]
  })
}

/** Whether a request that meets the one set of constraints meets the other. */
function isWithin (others: readonly string[], wider: readonly string[]): boolean {
  return wider.every((one) => others.includes(one))
}

/** The router tries first who has more constraints. Two hosts, if they are plain names, nobody has at once. */
function isRival (others: readonly string[], rival: readonly string[]): boolean {
  const hosts = [others, rival].map((all) => all.find((one) => HOST_NAME.test(one)))
  const isApart = hosts[0] !== undefined && hosts[1] !== undefined && hosts[0] !== hosts[1]
  return rival.length <= others.length && !isApart
}

/** As `constraintsOf` writes it; a regular expression has no quotes. */
const HOST_NAME = /^\[ 'host', '/
