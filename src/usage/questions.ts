import { adviceOf } from '../between-versions/advice.ts'
import { verdictOf } from '../between-versions/comparison.ts'
import { endOf } from '../between-versions/endpoints.ts'
import { DAY, dayOf, toName } from './tally.ts'
import { doubtOf } from './watch.ts'

import type { Comparisons, Notice, Verdict } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type { CalledRoute, ClientUsage, UsageRow, UsageSummary, VersionSummary } from '../../types/usage.d.ts'
import type { Counter } from './counter.ts'

/** How many clients a summary shows. */
const MOST_CLIENTS = 200

/** A route in a version, and what a client notices there that moves to another version. */
interface Place extends Verdict {
  readonly method: string
  readonly url: string
  readonly version: string
  /** Whether its clients have to call something else to be in the other version. */
  readonly isToMove: boolean
  readonly notice: Notice | null
  /** When it ends, in milliseconds: Infinity without a date, null if it is not retired. */
  readonly end: number | null
}

interface Sum { calls: number, byDefault: number, gone: number, lastDay: string }
type Counted = { -readonly [Name in keyof VersionSummary]: VersionSummary[Name] } & { readonly days: number[] }
/** What a client has called. */
type Calls = ReadonlyMap<Place, Sum>
type PlaceOf = (row: UsageRow) => Place | null

/** Answers questions about what has been counted. */
export class Questions {
  readonly #counter: Counter
  readonly #comparisons: Comparisons
  readonly #days: number
  readonly #now: () => number

  constructor (counter: Counter, comparisons: Comparisons, days: number, now: () => number) {
    this.#counter = counter
    this.#comparisons = comparisons
    this.#days = days
    this.#now = now
  }

  async of (client: string, to = this.#comparisons.latest()): Promise<ClientUsage> {
    if (typeof client !== 'string') throw new TypeError(`Expected the name of a client, got ${typeof client}.`)
    const name = toName(client)
    const clients = await this.#read(await this.#placesBefore(to), name)
    return this.#usageOf(name, clients.get(name) ?? new Map(), to)
  }

  async movable (from: string, to: string): Promise<{ clients: string[], others: string[] }> {
    const placeOf = await this.#places([from], to)
    const [clients, others]: string[][] = [[], []]
    for (const [name, calls] of await this.#read(placeOf)) {
      const places = [...calls.keys()].filter(({ version }) => version === from)
      if (name === '' || places.length === 0) continue
      const isMovable = places.every(({ status }) => status === 'unaffected')
      ;(isMovable ? clients : others).push(name)
    }
    return { clients: clients.sort(), others: others.sort() }
  }

  async summary (to = this.#comparisons.latest()): Promise<UsageSummary> {
    const { versions } = this.#comparisons
    const since = this.#since()
    const indexes = new Map(Array.from({ length: this.#days }, (_, i) => [dayOf(Date.parse(since) + i * DAY), i]))
    const summaries = new Map(versions.map((version): [string, Counted] => {
      const { deprecated, sunset } = this.#comparisons.about(version)
      const none = { calls: 0, byDefault: 0, gone: 0, anonymous: 0, clients: 0, movable: 0 }
      return [version, { version, deprecated, sunset, ...none, days: new Array<number>(this.#days).fill(0) }]
    }))
    const summaryOf = (version: string) => summaries.get(version) as Counted
    let [refused, movable] = [0, 0]
    const clients = await this.#read(await this.#placesBefore(to), undefined, ({ calls, day, outcome }, place) => {
      if (outcome === 'refused') refused += calls
      // A clock that went back has left rows of days to come.
      const index = indexes.get(day)
      if (place !== null && index !== undefined) summaryOf(place.version).days[index] += calls
    })
    const leaving: { readonly name: string, readonly calls: Calls, readonly count: number }[] = []
    for (const [name, calls] of clients) {
      const called = new Set<string>()
      const noticing = new Set<string>()
      let [isLeaving, count] = [false, 0]
      for (const [{ version, status, end }, sum] of calls) {
        const summary = summaryOf(version)
        increase(summary, sum)
        if (name === '') summary.anonymous += sum.calls
        if (version !== to) count += sum.calls
        called.add(version)
        if (status !== 'unaffected') noticing.add(version)
        isLeaving ||= end !== null
      }
      if (isLeaving) leaving.push({ name, calls, count })
      if (name === '') continue
      if (isLeaving && noticing.size === 0) movable++
      for (const version of called) {
        const summary = summaryOf(version)
        summary.clients++
        if (!noticing.has(version) && versions.indexOf(version) < versions.indexOf(to)) summary.movable++
      }
    }
    const shown = leaving.sort((a, b) => b.count - a.count).slice(0, MOST_CLIENTS)
    return {
      since,
      to,
      versions: [...summaries.values()],
      refused,
      leaving: leaving.filter(({ name }) => name !== '').length,
      movable,
      clients: shown.map(({ name, calls }) => this.#usageOf(name, calls, to))
    }
  }

  #usageOf (name: string, calls: Calls, to: string): ClientUsage {
    const sums = new Map<string, Sum>()
    for (const [{ version }, sum] of calls) add(sums, version, sum)
    const ends = [...calls.keys()].map(({ end }) => end).filter((end) => end !== null)
    const by = Math.min(...ends)
    const moving = [...calls].filter(([place]) => place.isToMove).sort(([, a], [, b]) => b.calls - a.calls)
    const [affected, unknown, unaffected] = [['affected', 'removed'], ['unknown'], ['unaffected']].map((statuses) => (
      moving.filter(([{ status }]) => statuses.includes(status)).map(([place, sum]) => toCalled(place, sum))
    ))
    return {
      client: name === '' ? null : name,
      status: ends.length === 0 ? 'ok' : by <= this.#now() ? 'overdue' : 'fix',
      by: by === Infinity ? null : new Date(by),
      to,
      isMovable: moving.length === 0 ? null : unaffected.length === moving.length,
      versions: this.#comparisons.versions.flatMap((version) => {
        const sum = sums.get(version)
        return sum === undefined ? [] : [{ version, ...sum }]
      }),
      affected,
      unknown,
      unaffected
    }
  }

  async #placesBefore (to: string): Promise<PlaceOf> {
    this.#comparisons.check('to', to)
    const { versions } = this.#comparisons
    return await this.#places(versions.slice(0, versions.indexOf(to)), to)
  }

  /** What finds the place of a row, whose client may move from some versions to another one; null without a version. */
  async #places (from: readonly string[], to: string): Promise<PlaceOf> {
    const notices = new Map<string, ReadonlyMap<string, Notice>>()
    for (const version of from) notices.set(version, (await this.#comparisons.betweenSlowly(version, to)).notices)
    const places = new Map<string, Place | null>()
    return (row) => {
      const { version, method, route } = row
      const key = `${version} ${method} ${route}`
      let place = places.get(key)
      if (place === undefined) {
        place = this.#comparisons.endpoints.has(version) ? this.#place(row, notices.get(version), to) : null
        places.set(key, place)
      }
      return place
    }
  }

  #place ({ version, method, route }: UsageRow, notices: ReadonlyMap<string, Notice> | undefined, to: string): Place {
    const endpoints = [...this.#comparisons.endpoints.get(version) as Endpoints]
    const [key, endpoint] = endpoints.find(([, served]) => (
      served.method === method && served.routes.some(({ url }) => url === route)
    )) ?? []
    if (key === undefined || endpoint === undefined) {
      const unknown = { status: 'unknown', reason: 'The app does not have this route any more.' } as const
      return { method, url: route, version, isToMove: version !== to, notice: null, end: null, ...unknown }
    }
    const notice = notices?.get(key) ?? null
    const isOver = (notice?.after ?? endpoint.routes).some((route) => route.retirement !== undefined)
    const verdict: Verdict = isOver
      ? { status: 'removed', reason: 'The route itself is retired, in every version.' }
      : notice === null ? { status: 'unaffected', reason: '' } : verdictOf(notice, version, to, doubtOf)
    const isToMove = isOver || notice !== null
    return { method, url: endpoint.url, version, isToMove, notice, end: endOf(version, endpoint.routes), ...verdict }
  }

  #since (): string {
    return dayOf(this.#now() - (this.#days - 1) * DAY)
  }

  /** What clients have called, by their names. */
  async #read (
    placeOf: PlaceOf, client?: string, note = (_row: UsageRow, _place: Place | null): void => {}
  ): Promise<Map<string, Calls>> {
    const clients = new Map<string, Map<Place, Sum>>()
    await this.#counter.read(this.#since(), client, (row) => {
      const place = placeOf(row)
      note(row, place)
      if (place === null) return
      let sums = clients.get(row.client)
      if (sums === undefined) clients.set(row.client, sums = new Map<Place, Sum>())
      const { calls, isDefault, outcome, day } = row
      add(sums, place, { calls, byDefault: isDefault ? calls : 0, gone: outcome === 'gone' ? calls : 0, lastDay: day })
    })
    return clients
  }
}

function toCalled ({ method, url, version, reason, notice }: Place, { calls, lastDay }: Sum): CalledRoute {
  const breaking = notice?.differences.filter(({ kind }) => kind === 'breaking') ?? []
  return {
    method,
    url,
    version,
    reason,
    changes: notice?.changes.map(({ version, description }) => ({ version, description })) ?? [],
    differences: [...new Set(breaking.map((difference) => adviceOf(difference).text))],
    calls,
    lastDay
  }
}

function add<Key> (sums: Map<Key, Sum>, key: Key, added: Sum): void {
  const sum = sums.get(key)
  if (sum === undefined) {
    sums.set(key, { ...added })
    return
  }
  increase(sum, added)
  if (added.lastDay > sum.lastDay) sum.lastDay = added.lastDay
}

function increase (sum: Omit<Sum, 'lastDay'>, { calls, byDefault, gone }: Sum): void {
  sum.calls += calls
  sum.byDefault += byDefault
  sum.gone += gone
}
