import type { FastifyReply } from 'fastify'
import type { Ending } from '../options/lifecycle.ts'

/** A version in which a URL is served. */
export interface Served {
  /** Null means requests without a version, if they are allowed. */
  readonly version: string | null
  /** How it ends there, or undefined if it does not. */
  readonly ending: Ending | undefined
  /** When it begins to answer 410, in milliseconds since the epoch, or Infinity for never. */
  readonly goneAt: number
  readonly isPreview: boolean
}

/** The headers from one instant until another one. */
interface Lists {
  readonly since: number
  readonly until: number
  readonly supported: string
  readonly deprecated: string
  readonly previews: string
}

/** The headers that list versions, ready until the next version is deprecated or gone. */
export class VersionReport {
  readonly #versions: readonly Served[]
  /** When the lists change, in order: milliseconds since the epoch. */
  readonly #changes: readonly number[]
  #lists: Lists
  /** Whether what is listed depends on the time. */
  readonly isTimed: boolean

  constructor (versions: readonly Served[]) {
    this.#versions = versions
    const instants = versions.flatMap(({ ending, goneAt }) => [ending?.deprecatedAt ?? Infinity, goneAt])
    this.#changes = instants.filter((instant) => instant !== Infinity).sort((a, b) => a - b)
    this.#lists = this.#listsAt(0)
    this.isTimed = this.#changes.length > 0
  }

  /** @param now milliseconds since the epoch; it may be less than the last time, because a clock may be set back */
  addTo (reply: FastifyReply, now: number): void {
    if (now < this.#lists.since || now >= this.#lists.until) this.#lists = this.#listsAt(now)
    const { supported, deprecated, previews } = this.#lists
    if (supported !== '') reply.header('api-supported-versions', supported)
    if (deprecated !== '') reply.header('api-deprecated-versions', deprecated)
    if (previews !== '') reply.header('api-preview-versions', previews)
  }

  #listsAt (now: number): Lists {
    const answered = this.#versions.filter(({ goneAt }) => now < goneAt)
    const supported = answered.filter(({ isPreview }) => !isPreview)
    const previews = answered.filter(({ isPreview }) => isPreview)
    const deprecated = supported.filter(({ ending }) => ending !== undefined && now >= ending.deprecatedAt)
    const until = this.#changes.find((change) => change > now) ?? Infinity
    return {
      since: now,
      until,
      supported: listOf(supported),
      deprecated: listOf(deprecated),
      previews: listOf(previews)
    }
  }
}

function listOf (versions: readonly Served[]): string {
  return versions.map(({ version }) => version).filter((version) => version !== null).join(', ')
}
