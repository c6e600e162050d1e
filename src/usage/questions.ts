import { setImmediate } from 'node:timers/promises'

import { adviceOf } from '../between-versions/advice.ts'
import { verdictOf } from '../between-versions/comparison.ts'
import { versionDates, latestOf, servedIn, dateOrNull } from '../between-versions/endpoints.ts'
import { TIMEOUT, within } from './counter.ts'
import { DAY, dayOf, toName } from './tally.ts'

import type { Comparisons, Doubt, Notice, Verdict } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type { CalledRoute, ClientUsage, UsageRow, UsageStore, UsageSummary } from '../../types/usage.d.ts'

/** How many clients a summary shows. */
const MOST_CLIENTS = 200
/** After how many rows other work may go on. */
const SLICE = 20_000

/** A route in a version, and what a client notices there that moves to another version. */
interface Judged extends Verdict {
  readonly method: string
  readonly url: string
  readonly version: string
  readonly notice: Notice | null
  /** When it ends, if it is retired: Infinity if there is no date. */
  readonly end: number | null
}

interface Sum { calls: number, byDefault: number, gone: number, lastDay: string }
type VersionSum = { -readonly [Name in keyof UsageSummary['versions'][number]]: UsageSummary['versions'][number][Name] }

/** Answers questions about the rows of a store. */
export class Questions {
  readonly #store: UsageStore
  readonly #comparisons: Comparisons
  readonly #doubtOf: Doubt
  readonly #days: number
  readonly #now: () => number
  readonly #onWrong: () => void

  constructor (
    store: UsageStore, comparisons: Comparisons, doubtOf: Doubt, days: number, now: () => number, onWrong: () => void
  ) {
    this.#store = store
    this.#comparisons = comparisons
    this.#doubtOf = doubtOf
    this.#days = days
    this.#now = now
    this.#onWrong = onWrong
  }

  async of (client: string, to = this.#latest()): Promise<ClientUsage> {
    if (typeof client !== 'string') throw new TypeError(`Expected the name of a client, got ${typeof client}.`)
    this.#comparisons.check('to', to)
    const name = toName(client)
    const rows = (await this.#read(name)).get(name) ?? []
    return this.#usageOf(name, rows, await this.#judgeTo(to), to)
  }

  async movable (from: string, to: string): Promise<{ clients: string[], others: string[] }> {
    const { notices } = await this.#comparisons.betweenSlowly(from, to)
    const judge = this.#judge(to, new Map([[from, notices]]))
    const [clients, others]: string[][] = [[], []]
    for (const [name, rows] of await this.#read()) {
      const called = rows.filter(({ version }) => version === from)
      if (name === '' || called.length === 0) continue
      const isMovable = called.every((row) => judge(row)?.status === 'unaffected')
      ;(isMovable ? clients : others).push(name)
    }
    return { clients: clients.sort(), others: others.sort() }
  }

  async summary (to = this.#latest()): Promise<UsageSummary> {
    this.#comparisons.check('to', to)
    const { versions } = this.#comparisons
    const since = this.#since()
    const days = Array.from({ length: this.#days }, (_, i) => dayOf(Date.parse(since) + i * DAY))
    const sums = new Map(versions.map((version): [string, VersionSum & { days: number[] }] => {
      const { deprecated, sunset } = versionDates(version, this.#comparisons.endpoints.get(version) as Endpoints)
      const none = { calls: 0, byDefault: 0, gone: 0, anonymous: 0, clients: 0, movable: 0, days: days.map(() => 0) }
      return [version, { version, deprecated, sunset, ...none }]
    }))
    const judge = await this.#judgeTo(to)
    const indexes = new Map(days.map((day, i) => [day, i]))
    const leaving: { name: string, rows: readonly UsageRow[], calls: number }[] = []
    let [refused, movable] = [0, 0]
    for (const [name, rows] of await this.#read()) {
      /** By version, whether the client would notice nothing; only for versions that it has to leave. */
      const moves = new Map<string, boolean>()
      let [isLeaving, calls] = [false, 0]
      for (const row of rows) {
        const sum = sums.get(row.version)
        if (row.outcome === 'refused') refused += row.calls
        if (sum === undefined) continue
        const judged = judge(row)
        sum.calls += row.calls
        if (row.isDefault) sum.byDefault += row.calls
        if (row.outcome === 'gone') sum.gone += row.calls
        if (name === '') sum.anonymous += row.calls
        // A clock that went back has left rows of days to come.
        const index = indexes.get(row.day)
        if (index !== undefined) sum.days[index] += row.calls
        const isFine = judged === null || judged.status === 'unaffected'
        moves.set(row.version, isFine && moves.get(row.version) !== false)
        if (row.version !== to) calls += row.calls
        isLeaving ||= judged !== null && judged.end !== null
      }
      if (name !== '') {
        for (const [version, isFine] of moves) {
          const sum = sums.get(version) as VersionSum
          sum.clients++
          if (isFine && versions.indexOf(version) < versions.indexOf(to)) sum.movable++
        }
      }
      if (!isLeaving) continue
      leaving.push({ name, rows, calls })
      if (name !== '' && [...moves.values()].every(Boolean)) movable++
    }
    const shown = leaving.sort((a, b) => b.calls - a.calls).slice(0, MOST_CLIENTS)
    return {
      since,
      to,
      versions: [...sums.values()],
      refused,
      leaving: leaving.filter(({ name }) => name !== '').length,
      movable,
      clients: shown.map(({ name, rows }) => this.#usageOf(name, rows, judge, to))
    }
  }

  #usageOf (name: string, rows: readonly UsageRow[], judge: (row: UsageRow) => Judged | null, to: string): ClientUsage {
    const { versions } = this.#comparisons
    const sums = new Map<string, Sum>()
    const called = new Map<Judged, Sum>()
    let by = Infinity
    let isLeaving = false
    for (const row of rows) {
      if (!versions.includes(row.version)) continue
      add(sums, row.version, row)
      const judged = judge(row)
      if (judged === null) continue
      add(called, judged, row)
      by = Math.min(by, judged.end ?? Infinity)
      isLeaving ||= judged.end !== null
    }
    const all = [...called].filter(([{ version, status }]) => version !== to || status === 'removed')
      .sort(([, a], [, b]) => b.calls - a.calls)
    const [affected, unknown, unaffected] = [['affected', 'removed'], ['unknown'], ['unaffected']].map((statuses) => (
      all.filter(([{ status }]) => statuses.includes(status)).map(([judged, sum]) => toCalled(judged, sum))
    ))
    return {
      client: name === '' ? null : name,
      status: !isLeaving ? 'ok' : by <= this.#now() ? 'overdue' : 'fix',
      by: dateOrNull(by),
      to,
      isMovable: all.length === 0 ? null : affected.length + unknown.length === 0,
      versions: versions.flatMap((version) => {
        const sum = sums.get(version)
        return sum === undefined ? [] : [{ version, ...sum }]
      }),
      affected,
      unknown,
      unaffected
    }
  }

  /** What judges rows of every version before another one. */
  async #judgeTo (to: string): Promise<(row: UsageRow) => Judged | null> {
    const { versions } = this.#comparisons
    const notices = new Map<string, ReadonlyMap<string, Notice>>()
    for (const version of versions.slice(0, versions.indexOf(to))) {
      notices.set(version, (await this.#comparisons.betweenSlowly(version, to)).notices)
    }
    return this.#judge(to, notices)
  }

  /** Null for a row that needs not move: of `to`, of a later version, or without a version. */
  #judge (to: string, noticesFrom: ReadonlyMap<string, ReadonlyMap<string, Notice>>) {
    const { endpoints } = this.#comparisons
    const known = new Map<string, Judged | null>()
    const judgeRoute = ({ version, method, route }: UsageRow): Judged | null => {
      const [key, endpoint] = [...endpoints.get(version) as Endpoints].find(([, one]) => (
        one.method === method && one.routes.some(({ url }) => url === route)
      )) ?? []
      if (key === undefined || endpoint === undefined) {
        const reason = 'The app does not have this route any more.'
        return { method, url: route, version, notice: null, end: null, status: 'unknown', reason }
      }
      const retirements = servedIn(version, endpoint.routes).map(({ retirement }) => retirement)
      const ends = retirements.filter((one) => one !== undefined && one.deprecatedAt !== Infinity)
      const end = ends.length === 0 ? null : Math.min(...ends.map((one) => one?.sunsetAt ?? Infinity))
      const notice = noticesFrom.get(version)?.get(key) ?? null
      const isOver = (notice?.after ?? endpoint.routes).some((route) => route.retirement !== undefined)
      const verdict: Verdict | null = isOver
        ? { status: 'removed', reason: 'The route itself is retired, in every version.' }
        : notice === null ? null : verdictOf(notice, version, to, this.#doubtOf)
      if (verdict === null && end === null) return null
      return { method, url: endpoint.url, version, notice, end, ...verdict ?? { status: 'unaffected', reason: '' } }
    }
    return (row: UsageRow): Judged | null => {
      const key = `${row.version}\0${row.method}\0${row.route}`
      let judged = known.get(key)
      if (judged === undefined) known.set(key, judged = judgeRoute(row))
      return judged
    }
  }

  #latest (): string {
    return latestOf(this.#comparisons.endpoints, this.#now())
  }

  #since (): string {
    return dayOf(this.#now() - (this.#days - 1) * DAY)
  }

  /** The rows of the store by client. */
  async #read (client?: string): Promise<Map<string, UsageRow[]>> {
    const since = this.#since()
    const byClient = new Map<string, UsageRow[]>()
    const take = (row: UsageRow) => {
      if (!isRow(row)) return this.#onWrong()
      if (row.day < since || (client !== undefined && row.client !== client)) return
      const rows = byClient.get(row.client)
      if (rows === undefined) byClient.set(row.client, [row])
      else rows.push(row)
    }
    const found = await within(TIMEOUT, async () => this.#store.read({ since, client }))
    if (Symbol.asyncIterator in Object(found)) for await (const row of found) take(row)
    else {
      let count = 0
      for (const row of found as Iterable<UsageRow>) {
        take(row)
        if (++count % SLICE === 0) await setImmediate()
      }
    }
    return byClient
  }
}

function toCalled ({ method, url, version, reason, notice }: Judged, { calls, lastDay }: Sum): CalledRoute {
  const { changes = [], differences = [] } = notice ?? {}
  const breaking = differences.filter(({ kind }) => kind === 'breaking')
  return {
    method,
    url,
    version,
    reason,
    changes: changes.map(({ version, description }) => ({ version, description })),
    differences: [...new Set(breaking.map(adviceOf).map(({ text }) => text))],
    calls,
    lastDay
  }
}

function add<Key> (sums: Map<Key, Sum>, key: Key, { calls, isDefault, outcome, day }: UsageRow): void {
  const sum = sums.get(key) ?? { calls: 0, byDefault: 0, gone: 0, lastDay: '' }
  sums.set(key, sum)
  sum.calls += calls
  if (isDefault) sum.byDefault += calls
  if (outcome === 'gone') sum.gone += calls
  if (day > sum.lastDay) sum.lastDay = day
}

/** Whether a store has returned what it was given. */
function isRow (row: UsageRow): boolean {
  const { day, client, version, method, route, calls } = Object(row) as UsageRow
  const texts = [day, client, version, method, route]
  return texts.every((text) => typeof text === 'string') && Number.isFinite(calls) && calls > 0
}
