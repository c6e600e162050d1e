import { adviceOf } from '../between-versions/advice.ts'
import { endOf } from '../between-versions/endpoints.ts'
import { checkOptions } from '../between-versions/options.ts'
import { must } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { DAY, dayOf, toName } from './tally.ts'
import { verdictOf } from './verdict.ts'

import type { Comparison, Comparisons } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type { CalledRoute, ClientUsage, UsageRow, UsageSummary, VersionSummary } from '../../types/usage.d.ts'
import type { Counter } from './counter.ts'
import type { Verdict } from './verdict.ts'

/** The number of unknown clients. All clients have numbers, which are much faster than names. */
const UNKNOWN = 0
/** The most clients that a summary shows. */
const MOST_CLIENTS = 200
/** The number of rows in which a similar name is sought, so that questions about wrong names cost little. */
const MOST_SEARCHED = 10_000

/** A route in a version that clients have called, and what they would notice in the version of a question. */
interface Place {
  readonly about: Omit<CalledRoute, 'calls' | 'lastDay'>
  readonly status: Verdict['status']
  /** Whether clients of the route have to call something else to be in the other version. */
  readonly isToMove: boolean
  /** The end of the route in milliseconds, Infinity without a date, or null if the route is not retired. */
  readonly end: number | null
  /** The sums by the number of the client. */
  readonly sums: Map<number, Sum>
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] }
type Sum = Mutable<Omit<ClientUsage['versions'][number], 'version'>>

export type Questions = ReturnType<typeof questionsOf>

/** Returns functions that answer questions about what has been counted in a number of days. */
export function questionsOf (counter: Counter, comparisons: Comparisons, dayCount: number) {
  async function of (client: string, options = {}): Promise<ClientUsage> {
    must(typeof client === 'string', 'client', "the name of a client, such as 'acme'", client, comparisons.page)
    const to = toIn(options)
    const name = toName(client)
    const { names, places, since } = await readRows(versionsBefore(to), to, name)
    const usage = usageOf(name, names.indexOf(name), places, to)
    if (places.length > 0) return usage
    const clients = new Set<string>()
    let rows = 0
    await counter.read(since, undefined, (row) => {
      if (row.client !== name && row.client !== '') clients.add(row.client)
      return ++rows < MOST_SEARCHED
    })
    return { ...usage, message: `No served call of ${show(name)} since ${since}.${suggestionFor(name, [...clients])}` }
  }

  async function movable (from: string, to: string): Promise<{ clients: string[], others: string[] }> {
    comparisons.check('from', from)
    comparisons.check('to', to)
    const isBefore = versionsBefore(to).includes(from)
    must(isBefore, 'from', `a version before ${show(to)} ("to")`, from, comparisons.page)
    const { names, places } = await readRows([from], to)
    const { movable, others } = callersOf(places.filter(({ about }) => about.version === from), names.length)
    const namesOf = (clients: readonly number[]) => clients.map((client) => names[client]).sort()
    return { clients: namesOf(movable), others: namesOf(others) }
  }

  async function summary (options = {}): Promise<UsageSummary> {
    const to = toIn(options)
    const before = versionsBefore(to)
    const { bars, names, places, refused, since } = await readRows(before, to)
    const versions = [...bars].map(([version, days]): VersionSummary => {
      const { deprecated, sunset } = comparisons.about(version)
      const called = places.filter(({ about }) => about.version === version)
      const total = { calls: 0, byDefault: 0, gone: 0, anonymous: 0 }
      for (const { sums } of called) {
        total.anonymous += sums.get(UNKNOWN)?.calls ?? 0
        for (const sum of sums.values()) addTo(total, sum)
      }
      const { movable, others } = callersOf(called, names.length)
      const clients = movable.length + others.length
      return {
        version, deprecated, sunset, ...total, clients, movable: before.includes(version) ? movable.length : 0, days
      }
    })
    const left = places.filter(({ end }) => end !== null)
    const { movable, others } = callersOf(left, names.length, places)
    const calls = new Array<number>(names.length).fill(0)
    for (const { isToMove, sums } of places) {
      if (isToMove) for (const [client, sum] of sums) calls[client] += sum.calls
    }
    const shown = [...left.some(({ sums }) => sums.has(UNKNOWN)) ? [UNKNOWN] : [], ...movable, ...others]
      .sort((a, b) => calls[b] - calls[a] || a - b).slice(0, MOST_CLIENTS)
    return {
      since,
      to,
      versions,
      refused,
      leaving: movable.length + others.length,
      movable: movable.length,
      clients: shown.map((client) => usageOf(names[client], client, places, to))
    }
  }

  /** Returns the version in the options, or the latest. Throws FST_ERR_VERSIONING_OPTION if they are not valid. */
  function toIn (options: object): string {
    checkOptions(options, ['to'], "{ to: 'v2' }", comparisons.page)
    const { to = comparisons.latest() } = options as { readonly to?: string }
    comparisons.check('to', to)
    return to
  }

  function usageOf (name: string, client: number, all: readonly Place[], to: string): ClientUsage {
    const places = all.flatMap((place): [Place, Sum][] => {
      const sum = place.sums.get(client)
      return sum === undefined ? [] : [[place, sum]]
    })
    const ends = places.map(([{ end }]) => end).filter((end) => end !== null)
    const by = Math.min(...ends)
    const versions = new Map<string, Sum>()
    for (const [{ about }, sum] of places) addIn(versions, about.version, { ...sum })
    const moving = places.filter(([place]) => place.isToMove).sort(([, a], [, b]) => b.calls - a.calls)
    const routesOf = (wanted: Verdict['status']) => moving.filter(([{ status }]) => status === wanted)
      .map(([{ about }, { calls, lastDay }]): CalledRoute => ({ ...about, calls, lastDay }))
    return {
      client: name === '' ? null : name,
      status: ends.length === 0 ? 'ok' : by <= counter.now() ? 'overdue' : 'fix',
      by: by === Infinity ? null : new Date(by),
      to,
      message: null,
      isMovable: moving.length === 0 ? null : moving.every(([{ status }]) => status === 'unaffected'),
      versions: comparisons.versions.filter((version) => versions.has(version))
        .map((version) => ({ version, ...versions.get(version) as Sum })),
      affected: routesOf('affected'),
      unknown: routesOf('unknown'),
      unaffected: routesOf('unaffected')
    }
  }

  function versionsBefore (to: string): readonly string[] {
    const { versions } = comparisons
    return versions.slice(0, versions.indexOf(to))
  }

  /** Adds up the rows of one client or of all, with what they notice if they move from some versions to another one. */
  async function readRows (from: readonly string[], to: string, only?: string) {
    const compared = new Map<string, Comparison>()
    for (const version of from) compared.set(version, await comparisons.betweenSlowly(version, to))
    const since = dayOf(counter.now() - (dayCount - 1) * DAY)
    const days = new Map(Array.from({ length: dayCount }, (_, i) => [dayOf(Date.parse(since) + i * DAY), i]))
    /** The calls by version and day. */
    const bars = new Map(comparisons.versions.map((version) => [version, new Array<number>(days.size).fill(0)]))
    const places = new Map<string, Place>()
    const numbers = new Map([['', UNKNOWN]])
    let refused = 0
    let place: Place | undefined
    let last: Partial<UsageRow> = {}
    await counter.read(since, only, (row) => {
      const { calls, client, day, isDefault, method, outcome, route, version } = row
      if (outcome === 'refused') refused += calls
      const barsOfVersion = bars.get(version)
      // The app may have had versions that it does not have any more.
      if (barsOfVersion === undefined) return
      const index = days.get(day)
      // A clock that went back has left rows of future days.
      if (index !== undefined) barsOfVersion[index] += calls
      // Stores have the rows of a route together, so the place of the last row is often right.
      if (place === undefined || route !== last.route || method !== last.method || version !== last.version) {
        const key = `${version} ${method} ${route}`
        place = places.get(key) ?? placeOf(row, compared.get(version), to)
        places.set(key, place)
        last = row
      }
      let number = numbers.get(client)
      if (number === undefined) numbers.set(client, number = numbers.size)
      addIn(place.sums, number, {
        calls, byDefault: isDefault ? calls : 0, gone: outcome === 'gone' ? calls : 0, lastDay: day
      })
    })
    return { bars, names: [...numbers.keys()], places: [...places.values()], refused, since }
  }

  function placeOf ({ version, method, route }: UsageRow, comparison: Comparison | undefined, to: string): Place {
    const [key = '', endpoint] = [...comparisons.endpoints.get(version) as Endpoints].find(([, served]) => (
      served.method === method && served.routes.some(({ url }) => url === route)
    )) ?? []
    const notice = comparison?.notices.get(key)
    const { status, reason } = verdictOf(endpoint, notice, version, to)
    const { changes = [], differences = [] } = notice ?? {}
    const breaking = differences.filter(({ kind }) => kind === 'breaking')
    return {
      about: {
        method,
        url: endpoint?.url ?? route,
        version,
        reason,
        changes: changes.map(({ version, description }) => ({ version, description })),
        differences: [...new Set(breaking.map((difference) => adviceOf(difference).text))]
      },
      status,
      isToMove: comparison !== undefined || status === 'affected',
      end: endOf(version, endpoint?.routes ?? []),
      sums: new Map()
    }
  }

  return { of, movable, summary, toIn }
}

/** Returns the known clients of some routes: those that would notice nothing at the judged routes, and others. */
function callersOf (places: readonly Place[], count: number, judged = places) {
  const noticing = clientsIn(judged.filter(({ status }) => status !== 'unaffected'), count)
  const calling = clientsIn(places, count)
  const named = [...calling.keys()].filter((client) => client !== UNKNOWN && calling[client])
  return { movable: named.filter((client) => !noticing[client]), others: named.filter((client) => noticing[client]) }
}

/** Returns whether each client has called, by its number. A Set would take ten times as long. */
function clientsIn (places: readonly Place[], count: number): boolean[] {
  const clients = new Array<boolean>(count).fill(false)
  for (const { sums } of places) for (const client of sums.keys()) clients[client] = true
  return clients
}

/** Adds a sum to the sum of a key, or keeps it as the first sum. */
function addIn<Key> (sums: Map<Key, Sum>, key: Key, sum: Sum): void {
  const before = sums.get(key)
  if (before === undefined) {
    sums.set(key, sum)
    return
  }
  addTo(before, sum)
  if (sum.lastDay > before.lastDay) before.lastDay = sum.lastDay
}

function addTo (total: Omit<Sum, 'lastDay'>, { calls, byDefault, gone }: Sum): void {
  total.calls += calls
  total.byDefault += byDefault
  total.gone += gone
}
