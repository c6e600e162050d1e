import { isPreflight } from './preflight.ts'
import { isPreferred } from './route-versions.ts'

import type { Serving } from './route-versions.ts'
import type { RawRequest, VersioningScheme } from '../types/index.d.ts'

/** The name under which Fastify's router knows our constraint. */
export const CONSTRAINT = 'fastifyVersioning'

/** All routes of one path. */
export interface Site {
  readonly claims: Claim[]
  /** Methods in which a route serves all versions that no other claims. */
  readonly open: Set<string>
}

/** What one route serves. */
export interface Unsettled extends Serving {
  readonly scheme: VersioningScheme
  readonly methods: string[]
  readonly site: Site
  /** Its other constraints, as text. */
  readonly group: string
}

/** A claim that the router knows. */
export interface Claim extends Unsettled {
  /** What stands for it in the constraints of its routes: its versions, and a number where another has the same. */
  readonly text: string
}

/** What a scheme read of a request while it was routed. */
export interface Reading {
  readonly scheme: VersioningScheme
  /** The default included; null: none. */
  readonly version: string | null
  /** Whether a route that was chosen by its version is sure to serve it. */
  isSure: boolean
  /** What another scheme read, where routes of several share a URL. */
  readonly next: Reading | undefined
}

const kReading: unique symbol = Symbol('fastify-versioning.reading')
type Marked = RawRequest & { [kReading]?: Reading }

/** What all schemes read of a request while it was routed. */
export function readingsOf (raw: object): Reading | undefined {
  return (raw as Marked)[kReading]
}

/** What a scheme read of a request while it was routed; undefined where it was not asked. */
export function readingOf (raw: object, scheme: VersioningScheme): Reading | undefined {
  let reading = readingsOf(raw)
  while (reading !== undefined && reading.scheme !== scheme) reading = reading.next
  return reading
}

/**
 * A constraint of Fastify's router that chooses among routes by the version that their scheme reads. The router
 * compares constraints deeply, so that a route has a text for one, and the claims are kept here.
 */
export class VersionConstraint {
  readonly name = CONSTRAINT
  readonly #claims = new Map<string, Claim>()

  add (unsettled: Unsettled): Claim {
    const versions = unsettled.versions.join(', ')
    let text = versions
    for (let i = 2; this.#claims.has(text); i++) text = `${versions} (${i})`
    const claim = { ...unsettled, text }
    this.#claims.set(text, claim)
    return claim
  }

  /** The raw request itself: only where routes have versions somebody looks at it. */
  readonly deriveConstraint = (raw: RawRequest): unknown => raw

  readonly storage = (): ClaimStore => new ClaimStore(this.#claims)
}

/** Handlers as the router numbers them: a number whose bits they are. */
type Handlers = number

/** The handlers of one method and path by what they claim; the router fills it with texts and asks it with requests. */
class ClaimStore {
  readonly #claims: ReadonlyMap<string, Claim>
  readonly #handlers = new Map<string, Handlers>()
  #all: Handlers = 0
  #schemes: readonly SchemeClaims[] = []

  constructor (claims: ReadonlyMap<string, Claim>) {
    this.#claims = claims
  }

  get (asked: string | RawRequest): Handlers | undefined {
    if (typeof asked === 'string') return this.#handlers.get(asked)
    if (isPreflight(asked)) return this.#all
    let serving: Handlers = 0
    let refusing: Handlers = 0
    for (let i = 0; i < this.#schemes.length; i++) {
      const found = this.#schemes[i].find(asked)
      serving |= found.serving
      refusing |= found.refusing
    }
    // Where no route takes what the others leave, one of them has to say why.
    if (this.#isOpen(asked.method)) return serving
    return serving === 0 ? this.#all : serving | refusing
  }

  set (text: string, handlers: Handlers): void {
    this.#handlers.set(text, handlers)
    this.#all |= handlers
    const byScheme = new Map<VersioningScheme, [Claim, Handlers][]>()
    for (const [one, own] of this.#handlers) {
      const claim = this.#claims.get(one) as Claim
      byScheme.set(claim.scheme, [...byScheme.get(claim.scheme) ?? [], [claim, own]])
    }
    this.#schemes = [...byScheme].map(([scheme, claims]) => new SchemeClaims(scheme, claims))
  }

  #isOpen (method: string | undefined): boolean {
    const [text] = this.#handlers.keys()
    return (this.#claims.get(text) as Claim).site.open.has(method as string)
  }
}

/** The handlers that a version is for. */
interface Found {
  readonly serving: Handlers
  /** Those that would say why not, where the other constraints of those that serve it are not met. */
  readonly refusing: Handlers
}

const NOTHING: Found = { serving: 0, refusing: 0 }
const NO_GROUP = '{}'

/** The claims of one scheme. */
class SchemeClaims {
  readonly #scheme: VersioningScheme
  readonly #found = new Map<string, Found>()

  constructor (scheme: VersioningScheme, claims: readonly [Claim, Handlers][]) {
    this.#scheme = scheme
    const groups = new Set(claims.map(([{ group }]) => group))
    for (const version of new Set(claims.flatMap(([claim]) => claim.versions))) {
      let serving: Handlers = 0
      for (const group of groups) serving |= first(claims.filter(([claim]) => claim.group === group), version)
      const rest = claims.filter(([{ group }]) => group === NO_GROUP)
      const refusing = first(rest, version) === 0 ? rest.reduce((all, [, handlers]) => all | handlers, 0) : 0
      this.#found.set(version, { serving, refusing })
    }
  }

  find (raw: RawRequest): Found {
    const scheme = this.#scheme
    const version = read(scheme, raw)
    const found = isPermitted(scheme, version) ? this.#found.get(version) ?? NOTHING : NOTHING
    note(raw, scheme, version, found !== NOTHING && found.refusing === 0)
    return found
  }
}

/**
 * The router cannot answer an error; what a scheme throws here it throws again when it is asked to judge. A promise
 * comes too late.
 */
function read (scheme: VersioningScheme, raw: RawRequest): string | null {
  try {
    const version: unknown = scheme.readVersion?.(raw) ?? scheme.defaultVersion
    if (typeof version === 'string') return version
    if (version !== null) Promise.resolve(version).catch(() => {})
  } catch {}
  return null
}

function isPermitted (scheme: VersioningScheme, version: string | null): version is string {
  try {
    return version !== null && scheme.isAllowedVersion(version)
  } catch {
    return false
  }
}

/** The handlers of the claim that comes first of those that serve a version; 0: none does. */
function first (claims: readonly [Claim, Handlers][], version: string): Handlers {
  const serving = claims.filter(([{ versions }]) => versions.includes(version))
  serving.sort(([a], [b]) => isPreferred(a, b) ? -1 : 1)
  return serving[0]?.[1] ?? 0
}

function note (raw: Marked, scheme: VersioningScheme, version: string | null, isSure: boolean): void {
  const reading = readingOf(raw, scheme)
  if (reading === undefined) raw[kReading] = { scheme, version, isSure, next: raw[kReading] }
  else if (!isSure) reading.isSure = false
}
