import { isPreflight } from './preflight.ts'
import { read, readingsOf } from './reading.ts'
import { isPreferred } from './route-versions.ts'

import type { Serving } from './route-versions.ts'
import type { RawRequest, VersioningScheme } from '../types/index.d.ts'

/** The versions that a route claims for itself. */
export interface Claim extends Serving {
  readonly scheme: VersioningScheme
}

/** What a route takes where versions choose. */
export interface Choice {
  /** null: every version that no other route claims. */
  readonly claim: Claim | null
  /** Its other constraints, such as a host. */
  readonly others: ReadonlySet<string>
}

/** As a choice, of a route that claims versions. */
export interface Claimed extends Choice {
  readonly claim: Claim
}

/** Handlers as the router numbers them: a number whose bits they are, of which it takes the highest. */
type Handlers = number
/** Groups of routes with the same other constraints, likewise. */
type Groups = number

interface Group {
  readonly others: ReadonlySet<string>
  /** The routes that take what is left. */
  open: Handlers
  /** Those that claim versions. */
  claims: Handlers
  /** This group, and those whose other constraints imply its own: what it takes, they need not. */
  within: Groups
}

interface Entry extends Choice { readonly handlers: Handlers }
interface ClaimedEntry extends Claimed { readonly handlers: Handlers }

/** What a version comes to. */
interface Found {
  handlers: Handlers
  /** Those that need nothing else. */
  groups: Groups
}

const NOTHING: Readonly<Found> = { handlers: 0, groups: 0 }

/** The routes of one method and path. The router fills the store with texts, and asks it with requests. */
export class ChoiceStore {
  readonly #choices: ReadonlyMap<string, Choice>
  readonly #handlers = new Map<string, Handlers>()
  #claims: readonly ClaimedEntry[] = []
  #groups: readonly Group[] = []
  #schemes: readonly VersioningScheme[] = []
  /** In the order of the schemes, by version. */
  #found: readonly ReadonlyMap<string | null, Found>[] = []

  /** @param choices what stands behind each text */
  constructor (choices: ReadonlyMap<string, Choice>) {
    this.#choices = choices
  }

  /** The handlers that a request may come to; the router drops those whose other constraints it does not meet. */
  get (asked: string | RawRequest): Handlers | undefined {
    if (typeof asked === 'string') return this.#handlers.get(asked)
    if (isPreflight(asked)) return this.#unasked()
    let named = NOTHING
    let byDefault = NOTHING
    for (let i = 0; i < this.#schemes.length; i++) {
      const reading = read(asked, this.#schemes[i], this)
      const found = this.#found[i].get(reading.version) ?? NOTHING
      if (reading.isNamed) named = both(named, found)
      else byDefault = both(byDefault, found)
    }
    // A version that the client names goes before one that it leaves to another scheme.
    const { handlers, groups } = (byDefault.groups & ~named.groups) === 0 ? named : both(named, byDefault)
    return handlers | this.#rest(asked, groups)
  }

  set (text: string, handlers: Handlers): void {
    this.#handlers.set(text, handlers)
    const entries = [...this.#handlers].map(([one, own]) => ({ ...this.#choices.get(one) as Choice, handlers: own }))
    this.#groups = toGroups(entries)
    this.#claims = entries.filter((entry): entry is ClaimedEntry => entry.claim !== null)
    this.#schemes = [...new Set(this.#claims.map(({ claim }) => claim.scheme))]
    this.#found = this.#schemes.map((scheme) => (
      toFound(this.#groups, this.#claims.filter(({ claim }) => claim.scheme === scheme))
    ))
  }

  /** The versions that a route, or another one in its place, serves to a request that comes to it; in release order. */
  versionsBeside ({ claim: { scheme }, others }: Claimed): string[] {
    const own = this.#claims.filter((one) => one.claim.scheme === scheme && isWithin(others, one.others))
    const served = new Set(own.flatMap(({ claim }) => claim.versions))
    const { allowedVersions } = scheme
    return allowedVersions?.length ? [...served].sort(byRelease(allowedVersions)) : [...served]
  }

  /** A question that cannot name a version. */
  #unasked (): Handlers {
    let [open, all]: Handlers[] = [0, 0]
    for (const group of this.#groups) {
      open |= group.open
      all |= group.open | group.claims
    }
    return open === 0 ? all : open
  }

  /** What is left goes to the open routes; where there is none a route that claims others has to say why not. */
  #rest (raw: RawRequest, taken: Groups): Handlers {
    let open: Handlers = 0
    let groups = taken
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i]
      if ((taken & (1 << i)) !== 0 || group.open === 0) continue
      open |= group.open
      groups |= group.within
    }
    let refusing: Handlers = 0
    for (let i = 0; i < this.#groups.length; i++) {
      if ((groups & (1 << i)) === 0) refusing |= this.#groups[i].claims
    }
    if (refusing === 0) return open
    for (let reading = readingsOf(raw); reading !== undefined; reading = reading.next) reading.isRefused = true
    return open | refusing
  }
}

function toGroups (entries: readonly Entry[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { claim, others, handlers } of entries) {
    const key = [...others].join()
    const group = groups.get(key) ?? { others, open: 0, claims: 0, within: 0 }
    groups.set(key, group)
    if (claim === null) group.open |= handlers
    else group.claims |= handlers
  }
  const all = [...groups.values()]
  for (const group of all) {
    for (const [i, { others }] of all.entries()) group.within |= isWithin(others, group.others) ? 1 << i : 0
  }
  return all
}

/** What the claims of one scheme make of each version: in every group the one that is preferred. */
function toFound (groups: readonly Group[], claims: readonly ClaimedEntry[]): Map<string, Found> {
  const all = new Map<string, Found>()
  for (const { claim: { versions } } of claims) for (const version of versions) all.set(version, { ...NOTHING })
  for (const [version, found] of all) {
    for (const group of groups) {
      const [first] = claims
        .filter(({ claim, handlers }) => (handlers & group.claims) !== 0 && claim.versions.includes(version))
        .sort((a, b) => isPreferred(a.claim, b.claim) ? -1 : 1)
      if (first === undefined) continue
      found.handlers |= first.handlers
      found.groups |= group.within
    }
  }
  return all
}

function both (a: Readonly<Found>, b: Readonly<Found>): Readonly<Found> {
  return a === NOTHING ? b : { handlers: a.handlers | b.handlers, groups: a.groups | b.groups }
}

function byRelease (allowed: readonly (string | null)[]) {
  return (a: string, b: string) => allowed.indexOf(a) - allowed.indexOf(b)
}

/** Whether a request that meets the one set of constraints meets the other. */
function isWithin (others: ReadonlySet<string>, wider: ReadonlySet<string>): boolean {
  return [...wider].every((one) => others.has(one))
}
