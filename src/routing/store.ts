import { isPreflight } from '../http/preflight.ts'
import { Candidate } from './candidates.ts'
import { Choice } from './choice.ts'
import { versionNamed } from './reading.ts'

import type { Answer, Handlers } from './choice.ts'
import type { RawRequest, VersioningScheme } from '../../types/index.d.ts'

const kChoice: unique symbol = Symbol('fastify-versioning.choice')
const kAnswer: unique symbol = Symbol('fastify-versioning.answer')
const kVersion: unique symbol = Symbol('fastify-versioning.version')

/** Every handler. */
const ALL: Handlers = -1

/** A request as routing leaves it, for the router may ask several stores before it has found a route. */
type Routed = RawRequest & { [kChoice]?: Choice, [kAnswer]?: Answer, [kVersion]?: string | null }

/**
 * The routes of one method and path. The router fills the store with the candidates, asks it with requests, and leaves
 * out those handlers whose other constraints the request does not meet.
 */
export class VersionStore {
  readonly #entries: [Candidate, Handlers][] = []
  /** Null: no route of the store claims versions. Undefined: nobody has asked, and routes may still be added. */
  #choice: Choice | null | undefined

  /** What the router may take. It asks for a candidate only before it sets it. */
  get (asked: Candidate | RawRequest): Handlers | undefined {
    if (asked instanceof Candidate) return undefined
    const choice = this.#choice === undefined ? this.#compile() : this.#choice
    if (choice === null) return ALL
    if (isPreflight(asked)) return choice.forPreflights
    const version = readBeforeRouting(asked, choice.scheme)
    const answer = choice.answerFor(version)
    const routed: Routed = asked
    routed[kChoice] = choice
    routed[kAnswer] = answer
    routed[kVersion] = version
    return answer.handlers
  }

  set (candidate: Candidate, handlers: Handlers): void {
    this.#entries.push([candidate, handlers])
  }

  #compile (): Choice | null {
    const scheme = this.#entries.map(([{ claim }]) => claim?.scheme).find((one) => one !== undefined)
    this.#choice = scheme === undefined ? null : new Choice(scheme, this.#entries)
    return this.#choice
  }
}

/**
 * How versions chose a candidate for a request; null: it came to another URL of it, where they do not choose, or there
 * is no candidate.
 */
export function choiceOf (candidate: Candidate | undefined, raw: Routed): Choice | null {
  const choice = raw[kChoice]
  return choice?.has(candidate) ? choice : null
}

/** The scheme that chose last among the routes of a URL; null: none did. */
export function chooserOf (raw: Routed): VersioningScheme | null {
  return raw[kChoice]?.scheme ?? null
}

/** Whether the router, if it chose by a version, chose by this one, and no route that may only refuse it. */
export function isChosenBy (raw: Routed, version: string | null): boolean {
  return raw[kVersion] === version && !(raw[kAnswer] as Answer).mayRefuse
}

/** The version that the router read, the default included; null: none. */
export function versionRead (raw: Routed): string | null {
  return raw[kVersion] ?? null
}

/** The router cannot answer an error. What a scheme throws here it throws again when it determines the version. */
function readBeforeRouting (raw: RawRequest, scheme: VersioningScheme): string | null {
  try {
    return versionNamed(scheme, raw) ?? scheme.defaultVersion
  } catch {
    return null
  }
}
