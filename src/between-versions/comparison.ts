import { setImmediate } from 'node:timers/promises'

import { appOf } from '../boot/app.ts'
import { keptIn } from '../changes/schema.ts'
import { below } from '../check/json.ts'
import { compareInSteps } from '../check/operations.ts'
import { contextOf } from '../context.ts'
import { forbid, mustBeIn } from '../errors.ts'
import { show } from '../messages.ts'
import { checkOrder } from '../options/release-order.ts'
import { eventsShownIn } from '../openapi/operations.ts'
import { adviceOf, atEachPlace, isWholeOperation } from './advice.ts'
import { changesBetween, changesOfEvent, changesOutside, effectOf } from './changes.ts'
import { endpointAt, endpointsIn, isOnlyUndescribed, isOnlyUnsaid } from './documents.ts'
import { endpointsOf } from './endpoints.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'
import type { Difference } from '../../types/check.d.ts'
import type { AppVersion } from '../../types/index.d.ts'
import type { AppliedChange } from './changes.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'

/** The changes and differences of an endpoint or an event between two versions. */
interface Noticed {
  /** The changes that apply, oldest first. */
  readonly changes: readonly AppliedChange[]
  /** The differences that `compare` finds in the documents. Without documents, there are none. */
  readonly differences: readonly Difference[]
  /** Whether the changes only add, as the examples in the schemas and the documents prove. */
  readonly isAdditive: boolean
}

/** The changes and differences that a client may notice at an endpoint. */
export interface Notice extends Noticed {
  readonly method: string
  /** The path without the version. */
  readonly url: string
  /** Whether Fastify has added the endpoint, as HEAD of a GET route. */
  readonly isAdded: boolean
  /** The routes in each version. A version without the endpoint has none. */
  readonly before: readonly Route[]
  readonly after: readonly Route[]
  readonly hasOtherHandler: boolean
  /** Whether both documents describe the answers of the endpoint. */
  readonly isDescribed: boolean
}

export interface Comparison {
  /** The notices by the keys of the endpoints, in the order of their declaration. */
  readonly notices: ReadonlyMap<string, Notice>
  /** The events that changes convert, and the values that the app itself converts. */
  readonly events: readonly Noticed[]
  /** Differences of the documents that belong neither to an endpoint nor to one of these events. */
  readonly others: readonly Difference[]
}

/** The differences of documents, each at one place, by endpoint or by null outside of all endpoints. */
interface Described {
  readonly differences: ReadonlyMap<string | null, readonly Difference[]>
  /** The endpoints whose answers both documents describe. */
  readonly answered: ReadonlySet<string>
}

const NOTHING_DESCRIBED: Described = { differences: new Map(), answered: new Set() }

/** A computation in steps of a few milliseconds. */
type Steps<Result> = Generator<undefined, Result>

/** The time for which a comparison may keep the event loop from other work, in milliseconds. */
const SLICE_MS = 10

/** Throws FST_ERR_VERSIONING_OPTION if a context lists its newest version first. */
export function checkOrders (server: FastifyInstance): void {
  for (const { context } of appOf(server).registrations) {
    checkOrder(context.settings.allowedVersions, 'a comparison of versions')
  }
}

/** Compares the versions of an app that is ready. Each pair of versions is compared once. */
export class Comparisons {
  readonly versions: readonly string[]
  readonly endpoints: ReadonlyMap<string, Endpoints>
  /** The page of docs/ that errors refer to, with its heading. */
  readonly page: string | undefined
  readonly #server: FastifyInstance
  readonly #begun = new Map<string, Steps<Comparison>>()
  readonly #done = new Map<string, Comparison>()

  constructor (server: FastifyInstance, page?: string) {
    const routes = Object(server).versions === undefined ? null : appOf(server).registry.routes
    if (!routes?.isSettled) {
      throw new TypeError('Await app.ready() first, and pass the app in which you registered fastify-versioning: ' +
        'versions are compared when all routes are declared.')
    }
    checkOrders(server)
    this.#server = server
    this.page = page
    this.versions = server.versions.map(({ version }) => version).filter((version) => version !== null)
    this.endpoints = new Map(this.versions.map((version) => [version, endpointsOf(routes.list, version)]))
  }

  /** Returns the entry of a version in `app.versions`. */
  about (version: string): AppVersion {
    return this.#server.versions.find((served) => served.version === version) as AppVersion
  }

  /**
   * Returns the newest version that is served, is no preview and has not ended, or else the last one.
   *
   * @throws FST_ERR_VERSIONING_OPTION if no versions are listed
   */
  latest (): string {
    const now = contextOf(this.#server).now()
    const latest = this.versions.findLast((version) => {
      const { preview, routes } = this.about(version)
      return !preview && routes.some(({ sunset }) => sunset === null || sunset.getTime() > now)
    }) ?? this.versions.at(-1)
    return latest ?? forbid('allowedVersions', 'Set "allowedVersions": without a list, no versions can be compared.')
  }

  /** Throws FST_ERR_VERSIONING_OPTION for a version that no route serves. */
  check (name: string, version: unknown): asserts version is string {
    mustBeIn(this.versions, name, `one of the versions ${show(this.versions)}`, version, this.page)
  }

  /** Compares two versions that are served. */
  between (from: string, to: string): Comparison {
    return this.#step(from, to, Infinity) as Comparison
  }

  /** Compares two versions in slices of time, between which other work can go on. */
  async betweenSlowly (from: string, to: string): Promise<Comparison> {
    for (;;) {
      const comparison = this.#step(from, to, SLICE_MS)
      if (comparison !== null) return comparison
      await setImmediate()
    }
  }

  /** Goes on with a comparison for a time. Returns null if the comparison takes longer. */
  #step (from: string, to: string, time: number): Comparison | null {
    const pair = `${from}\0${to}`
    const finished = this.#done.get(pair)
    if (finished !== undefined) return finished
    const steps = this.#begun.get(pair) ?? this.#compare(from, to)
    this.#begun.delete(pair)
    const end = performance.now() + time
    do {
      const { done, value } = steps.next()
      if (done !== true) continue
      this.#done.set(pair, value)
      return value
    } while (performance.now() < end)
    this.#begun.set(pair, steps)
    return null
  }

  * #compare (from: string, to: string): Steps<Comparison> {
    const [before, after] = [from, to].map((version) => this.endpoints.get(version) as Endpoints)
    const described = yield * this.#described(from, to)
    const notices = new Map<string, Notice>()
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      notices.set(key, noticeOf(key, [before.get(key), after.get(key)], described, from, to))
      yield
    }
    const others = described.differences.get(null) ?? []
    const ofEvents = eventsShownIn(this.#server).map((event) => {
      const start = below('#', 'webhooks', event.name)
      const found = others.filter(({ at }) => `${at}/`.startsWith(`${start}/`))
      return noticed(changesOfEvent(event, from, to), found, true, from, to)
    })
    const outside = noticed(changesOutside(this.#server, from, to), [], true, from, to)
    const events = [...ofEvents, outside].filter(({ changes }) => changes.length > 0)
    const converted = events.flatMap(({ differences }) => differences)
    return { notices, events, others: others.filter((difference) => !converted.includes(difference)) }
  }

  /** Tells whether all versions have documents. */
  hasDocuments (...versions: readonly string[]): boolean {
    return versions.every((version) => this.#server.openapi?.names.includes(version))
  }

  /** Returns what the documents of two versions describe, or nothing if the documents cannot be compared. */
  * #described (from: string, to: string): Steps<Described> {
    const { openapi } = this.#server
    if (!this.hasDocuments(from, to)) return NOTHING_DESCRIBED
    try {
      const before: object = openapi(from)
      yield
      const after: object = openapi(to)
      yield
      const older = yield * endpointsIn(before, this.endpoints.get(from) as Endpoints, from)
      const newer = yield * endpointsIn(after, this.endpoints.get(to) as Endpoints, to)
      const differences = new Map<string | null, Difference[]>()
      for (const difference of compareInSteps(before, after, { now: contextOf(this.#server).now() })) {
        const isSaid = difference !== undefined && !isOnlyUnsaid(difference, after, from, to)
        for (const placed of isSaid ? atEachPlace(difference) : []) {
          const key = endpointAt(placed.at, older) ?? endpointAt(placed.at, newer)
          // A version may have the endpoint at a second URL, such as without the version. It is not new then.
          if (isWholeOperation(placed) && older.shown.has(key) && newer.shown.has(key)) continue
          if (!isOnlyUndescribed(placed, key, older)) keptIn(differences, key, () => []).push(placed)
        }
        yield
      }
      return { differences, answered: new Set([...older.answered].filter((key) => newer.answered.has(key))) }
    } catch (error) {
      this.#server.log.warn(error, `Cannot compare the documents of ${from} and ${to}, so routes are compared alone.`)
      return NOTHING_DESCRIBED
    }
  }
}

function noticeOf (
  key: string, [older, newer]: readonly (Endpoint | undefined)[], described: Described, from: string, to: string
): Notice {
  const { method, url, isAdded } = (older ?? newer) as Endpoint
  const [before, after] = [older?.routes ?? [], newer?.routes ?? []]
  const isWhole = before.length === 0 || after.length === 0
  const applied = changesBetween(method, [...before, ...after], from, to)
  const isDescribed = described.answered.has(key)
  const differences = described.differences.get(key) ?? []
  const areOfChanges = differences.map(adviceOf)
    .every(({ part }) => applied.some(({ parts }) => parts.includes(part)))
  return {
    ...noticed(applied, differences, isDescribed, from, to),
    method,
    url,
    isAdded,
    before,
    after,
    hasOtherHandler: !isWhole && haveOtherHandlers(before, after, areOfChanges),
    isDescribed
  }
}

/** Returns the changes and differences, without changes that are taken back if the documents do not differ. */
function noticed (
  applied: readonly AppliedChange[], differences: readonly Difference[], isDescribed: boolean, from: string, to: string
): Noticed {
  const effects = new Map(applied.map((change) => [change, effectOf(change, from, to)]))
  const isAdditive = isDescribed && applied.every((change) => effects.get(change) !== 'alters')
  const isQuiet = isAdditive && differences.length === 0
  const changes = isQuiet ? applied.filter((change) => effects.get(change) !== 'none') : applied
  return { changes, differences, isAdditive }
}

/** Tells whether handlers differ. A module registered for each version makes its handlers again from one source. */
function haveOtherHandlers (before: readonly Route[], after: readonly Route[], isExplained: boolean): boolean {
  if (!differsIn(before, after, handlerOf)) return false
  const isInOneContext = after.some((route) => before.some((other) => other !== route && other.server === route.server))
  return !isExplained || isInOneContext || differsIn(before, after, (route) => String(handlerOf(route)))
}

function handlerOf ({ options: { handler } }: Route): unknown {
  return handler
}

/** Tells whether the routes of two versions differ in what `of` returns. */
export function differsIn (before: readonly Route[], after: readonly Route[], of: (route: Route) => unknown): boolean {
  const [older, newer] = [before, after].map((routes) => new Set(routes.map(of)))
  return older.size !== newer.size || [...older].some((value) => !newer.has(value))
}

/** Returns the notices of some or all endpoints, without each HEAD whose GET is among them and says the same. */
export function withoutHeads (notices: Comparison['notices'], only = [...notices.keys()]): Notice[] {
  const wanted = new Map([...new Set(only)].map((key) => [key, notices.get(key) as Notice]))
  return [...wanted].filter(([key, { after, before, differences, isAdded, method }]) => {
    const ofGet = key.replace('HEAD', 'GET')
    // At the root of a prefix, Fastify adds one with a slash as well, whose GET it does not report.
    const get = method === 'HEAD' ? wanted.get(ofGet) ?? wanted.get(ofGet.replace(/\/$/, '')) : undefined
    return get === undefined || (!isAdded && (
      differences.length > 0 || differsIn(before, get.before, handlerOf) || differsIn(after, get.after, handlerOf)
    ))
  }).map(([, notice]) => notice)
}
