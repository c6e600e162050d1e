import { adviceOf } from '../between-versions/advice.ts'
import { verdictOf } from '../between-versions/comparison.ts'
import { endOf } from '../between-versions/endpoints.ts'
import { checkOptions } from '../between-versions/options.ts'
import { must } from '../errors.ts'
import { show } from '../messages.ts'
import { DAY, dayOf, toName } from './tally.ts'
import { doubtOf } from './watch.ts'

import type { Comparison, Comparisons, Verdict } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type {
  CalledRoute, ClientUsage, UsageRow, UsageSummary, VersionsInUse, VersionSummary
} from '../../types/usage.d.ts'
import type { Counter } from './counter.ts'

/** How many clients a summary shows. */
const MOST_CLIENTS = 200

/** A route in a version that clients have called, and what they would notice in the version of a question. */
interface Place {
  readonly about: Omit<CalledRoute, 'calls' | 'lastDay'>
  readonly status: Verdict['status']
  /** Whether its clients have to call something else to be in the other version. */
  readonly isToMove: boolean
  /** When it ends, in milliseconds: Infinity without a date, null if it is not retired. */
  readonly end: number | null
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] }
type Sum = Mutable<Omit<ClientUsage['versions'][number], 'version'>>
type Version = Mutable<Omit<VersionSummary, 'days'>> & { readonly days: number[] }

/** What a client has called. */
interface Client {
  readonly name: string
  readonly places: Map<Place, Sum>
  readonly versions: Map<string, Sum>
}

/** Answers questions about what has been counted. */
export class Questions implements VersionsInUse {
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

  async of (client: string, options = {}): Promise<ClientUsage> {
    must(typeof client === 'string', 'client', "the name of a client, such as 'acme'", client, this.#comparisons.page)
    const to = this.#toIn(options)
    const name = toName(client)
    const { clients: [found] } = await this.#read(this.#before(to), to, name)
    return this.#usageOf(found ?? { name, places: new Map(), versions: new Map() }, to)
  }

  async movable (from: string, to: string): Promise<{ clients: string[], others: string[] }> {
    this.#comparisons.check('from', from)
    this.#comparisons.check('to', to)
    const isBefore = this.#before(to).includes(from)
    must(isBefore, 'from', `a version before ${show(to)} ("to")`, from, this.#comparisons.page)
    const { clients } = await this.#read([from], to)
    const callers = clients.filter(({ name, versions }) => name !== '' && versions.has(from))
    const namesOf = (wanted: boolean) => (
      callers.filter((client) => noticesNothing(client, from) === wanted).map(({ name }) => name).sort()
    )
    return { clients: namesOf(true), others: namesOf(false) }
  }

  async summary (options = {}): Promise<UsageSummary> {
    const to = this.#toIn(options)
    const before = this.#before(to)
    const { clients, refused, since, versions } = await this.#read(before, to)
    const named = clients.filter(({ name }) => name !== '')
    for (const client of named) {
      for (const version of client.versions.keys()) {
        const summary = versions.get(version) as Version
        summary.clients++
        if (before.includes(version) && noticesNothing(client, version)) summary.movable++
      }
    }
    const leaving = clients.filter(({ places }) => [...places.keys()].some(({ end }) => end !== null)).map((client) => (
      { client, calls: [...client.versions].reduce((all, [name, { calls }]) => all + (name === to ? 0 : calls), 0) }
    ))
    const known = leaving.filter(({ client: { name } }) => name !== '')
    const shown = leaving.sort((a, b) => b.calls - a.calls).slice(0, MOST_CLIENTS)
    return {
      since,
      to,
      versions: [...versions.values()],
      refused,
      leaving: known.length,
      movable: known.filter(({ client }) => noticesNothing(client)).length,
      clients: shown.map(({ client }) => this.#usageOf(client, to))
    }
  }

  #usageOf ({ name, places, versions }: Client, to: string): ClientUsage {
    const ends = [...places.keys()].map(({ end }) => end).filter((end) => end !== null)
    const by = Math.min(...ends)
    const moving = [...places].filter(([place]) => place.isToMove).sort(([, a], [, b]) => b.calls - a.calls)
    const routesOf = (wanted: Verdict['status']) => moving.filter(([{ status }]) => status === wanted)
      .map(([{ about }, { calls, lastDay }]): CalledRoute => ({ ...about, calls, lastDay }))
    return {
      client: name === '' ? null : name,
      status: ends.length === 0 ? 'ok' : by <= this.#now() ? 'overdue' : 'fix',
      by: by === Infinity ? null : new Date(by),
      to,
      isMovable: moving.length === 0 ? null : moving.every(([{ status }]) => status === 'unaffected'),
      versions: this.#comparisons.versions.filter((version) => versions.has(version))
        .map((version) => ({ version, ...versions.get(version) as Sum })),
      affected: routesOf('affected'),
      unknown: routesOf('unknown'),
      unaffected: routesOf('unaffected')
    }
  }

  /** @throws FST_ERR_VERSIONING_OPTION for other options, and for a version that no route serves */
  #toIn (options: object): string {
    checkOptions(options, ['to'], "{ to: 'v2' }", this.#comparisons.page)
    const { to = this.#comparisons.latest() } = options as { readonly to?: string }
    this.#comparisons.check('to', to)
    return to
  }

  #before (to: string): readonly string[] {
    const { versions } = this.#comparisons
    return versions.slice(0, versions.indexOf(to))
  }

  /** Adds up the rows of one client or of all, who may move from some versions to another one. */
  async #read (from: readonly string[], to: string, only?: string) {
    const comparisons = new Map<string, Comparison>()
    for (const version of from) comparisons.set(version, await this.#comparisons.betweenSlowly(version, to))
    const since = dayOf(this.#now() - (this.#days - 1) * DAY)
    const days = new Map(Array.from({ length: this.#days }, (_, i) => [dayOf(Date.parse(since) + i * DAY), i]))
    const versions = new Map(this.#comparisons.versions.map((version): [string, Version] => {
      const { deprecated, sunset } = this.#comparisons.about(version)
      const none = { calls: 0, byDefault: 0, gone: 0, anonymous: 0, clients: 0, movable: 0 }
      return [version, { version, deprecated, sunset, ...none, days: new Array<number>(this.#days).fill(0) }]
    }))
    const places = new Map<string, Place>()
    const clients = new Map<string, Client>()
    let refused = 0
    await this.#counter.read(since, only, (row) => {
      const { calls, client: name, day, method, outcome, route, version } = row
      if (outcome === 'refused') refused += calls
      const summary = versions.get(version)
      // The app may have had more versions.
      if (summary === undefined) return
      addTo(summary, row)
      if (name === '') summary.anonymous += calls
      const index = days.get(day)
      // A clock that went back has left rows of days to come.
      if (index !== undefined) summary.days[index] += calls
      const key = `${version} ${method} ${route}`
      const place = places.get(key) ?? this.#place(row, comparisons.get(version), to)
      places.set(key, place)
      const client = clients.get(name) ?? { name, places: new Map<Place, Sum>(), versions: new Map<string, Sum>() }
      clients.set(name, client)
      addTo(sumIn(client.places, place), row)
      addTo(sumIn(client.versions, version), row)
    })
    return { clients: [...clients.values()], refused, since, versions }
  }

  #place ({ version, method, route }: UsageRow, comparison: Comparison | undefined, to: string): Place {
    const [key = '', endpoint] = [...this.#comparisons.endpoints.get(version) as Endpoints].find(([, served]) => (
      served.method === method && served.routes.some(({ url }) => url === route)
    )) ?? []
    const { routes = [], url = route } = endpoint ?? {}
    const notice = comparison?.notices.get(key)
    const isOver = (notice?.after ?? routes).some(({ retirement }) => retirement !== undefined)
    const { status, reason }: Verdict = isOver
      ? { status: 'affected', reason: 'The route itself is retired, in every version.' }
      : endpoint === undefined
        ? { status: 'unknown', reason: 'The app does not have this route any more.' }
        : notice === undefined ? { status: 'unaffected', reason: '' } : verdictOf(notice, version, to, doubtOf)
    const { changes = [], differences = [] } = notice ?? {}
    const breaking = differences.filter(({ kind }) => kind === 'breaking')
    return {
      about: {
        method,
        url,
        version,
        reason,
        changes: changes.map(({ version, description }) => ({ version, description })),
        differences: [...new Set(breaking.map((difference) => adviceOf(difference).text))]
      },
      status,
      isToMove: isOver || comparison !== undefined,
      end: endOf(version, routes)
    }
  }
}

/** Whether a client would notice nothing, where it calls a version, or all versions. */
function noticesNothing ({ places }: Client, version?: string): boolean {
  for (const { about, status } of places.keys()) {
    if (status !== 'unaffected' && (version === undefined || about.version === version)) return false
  }
  return true
}

function sumIn<Key> (sums: Map<Key, Sum>, key: Key): Sum {
  const sum = sums.get(key) ?? { calls: 0, byDefault: 0, gone: 0, lastDay: '' }
  sums.set(key, sum)
  return sum
}

function addTo (sum: Partial<Sum> & Omit<Sum, 'lastDay'>, { calls, day, isDefault, outcome }: UsageRow): void {
  sum.calls += calls
  if (isDefault) sum.byDefault += calls
  if (outcome === 'gone') sum.gone += calls
  if (sum.lastDay !== undefined && day > sum.lastDay) sum.lastDay = day
}
