import { setImmediate } from 'node:timers/promises'

import { must } from '../errors.ts'
import { show } from '../messages.ts'
import { ignoreRejection, isThenable } from '../promises.ts'
import { DAY, Tally, dayOf } from './tally.ts'

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { VersionUsage } from '../../types/index.d.ts'
import type { UsageOptions, UsageRow, UsageStore } from '../../types/usage.d.ts'

/** The version of a request, and the outcome at its route. */
export type Arrived = Pick<VersionUsage, 'version' | 'outcome' | 'isDefault'>
type Client = NonNullable<UsageOptions['client']>

/** The most rows that may wait for the store. */
const MOST_WAITING = 100_000
/** The time that the store may take, in milliseconds. After it, the store gets the rows again. */
const MAX_WAIT = 30_000
/** The number of rows of the store after which other work may go on. */
const SLICE_ROWS = 20_000
const FAILED = 'The store of fastify-versioning/usage has not taken rows: it gets them again.'
/** The last instant of a Date. */
const LAST = 8.64e15

/** Counts calls in memory, and hands the rows over to the store. No request waits for the store. */
export class Counter {
  readonly #store: UsageStore
  readonly #client: Client
  readonly #clock: () => number
  readonly #log: FastifyBaseLogger
  /** The messages that have been logged, until the failure is over. */
  readonly #logged = new Set<string>()
  #tally = new Tally()
  /** The number of rows that the store takes now. */
  #sent = 0
  #flushing: Promise<void> | null = null
  #day = ''
  #begin = NaN

  constructor (store: UsageStore, client: Client, clock: () => number, log: FastifyBaseLogger) {
    this.#store = store
    this.#client = client
    this.#clock = clock
    this.#log = log
  }

  /** Returns the time of the app, or of the process, because an error after a response would end the process. */
  now (): number {
    try {
      const time = this.#clock()
      if (Math.abs(time) <= LAST) return time
      throw new TypeError(`Expected milliseconds since the epoch, got ${show(time)}`)
    } catch (error) {
      const failed = 'The option "now" of fastify-versioning failed: '
      this.#logOnce(error, `${failed}fastify-versioning/usage reads the clock of the process.`)
      return Date.now()
    }
  }

  count (route: string, request: FastifyRequest, { version, outcome, isDefault }: Arrived): void {
    const now = this.now()
    if (!(now >= this.#begin && now < this.#begin + DAY)) {
      this.#day = dayOf(now)
      this.#begin = Date.parse(this.#day)
    }
    const kind = { day: this.#day, version: version ?? '', method: request.method, route, outcome, isDefault }
    this.#tally.add(kind, this.#nameOf(request), 1, MOST_WAITING - this.#sent)
  }

  /** Returns the name of the client of a request, or '' if nobody knows the client. */
  #nameOf (request: FastifyRequest): string {
    try {
      const name: unknown = this.#client(request)
      if (typeof name === 'string') return name
      if (name === null || name === undefined) return ''
      if (typeof name === 'number' || typeof name === 'bigint') return String(name)
      ignoreRejection(name)
      throw new TypeError(`Expected a string, a number, null or undefined, got ${show(name)}`)
    } catch (error) {
      this.#logOnce(error, 'The option "client" of fastify-versioning/usage failed: its calls have no client.')
      return ''
    }
  }

  #logOnce (error: unknown, message: string): void {
    if (this.#logged.has(message)) return
    this.#logged.add(message)
    try {
      this.#log.error({ err: error }, message)
    } catch {
      // A serializer of the app, or an accessor of the error, may fail.
      this.#log.error(message)
    }
  }

  /** Hands all counted rows over to the store. The promise never rejects. */
  flush (): Promise<void> {
    this.#flushing ??= this.#send().finally(() => { this.#flushing = null })
    return this.#flushing
  }

  async #send (): Promise<void> {
    const tally = this.#tally
    if (tally.size === 0) return
    this.#tally = new Tally()
    this.#sent = tally.size
    try {
      await within(async () => this.#store.add([...tally.rows()]))
      this.#logged.delete(FAILED)
    } catch (error) {
      // Rows with the same key are added up, because PostgreSQL refuses them in one statement.
      for (const row of tally.rows()) this.#tally.add(row, row.client, row.calls, MOST_WAITING)
      this.#logOnce(error, FAILED)
    } finally {
      this.#sent = 0
    }
  }

  /** Hands over all counted rows. The store has one time limit for these rows and the rows before. */
  async close (): Promise<void> {
    await within(async (isOver) => {
      // The first flush may only wait for a store that has been given its rows before.
      await this.flush()
      if (!isOver()) await this.flush()
    }).catch((error: unknown) => { this.#logOnce(error, FAILED) })
    const rows = this.#tally.size + this.#sent
    if (rows > 0) this.#log.error(`The store of fastify-versioning/usage loses rows, because the app closes: ${rows}.`)
  }

  /**
   * Hands over all counted rows. Then calls a function with each row since a day, of one client or of all, until the
   * function returns false.
   *
   * @throws what the store throws, and FST_ERR_VERSIONING_OPTION if it returns no list
   */
  async read (since: string, client: string | undefined, onRow: (row: UsageRow) => unknown): Promise<void> {
    await this.flush()
    await within(async (isOver) => {
      const rows: unknown = await this.#store.read({ since, client })
      const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = Object(rows) as AsyncIterable<UsageRow> &
        Iterable<UsageRow>
      must(typeof (async ?? sync) === 'function', 'store.read', 'a function that returns a list of rows', rows)
      const iterator = (async ?? sync).call(rows)
      for (let count = 1; ; count++) {
        const next = iterator.next()
        // Awaiting each row would take five times as long.
        const { done, value: row } = isThenable(next) ? await next : next
        if (done) return
        if (!isRow(row)) {
          this.#logOnce(null, 'The store of fastify-versioning/usage has returned what is no row: it is left out. ' +
            'In a row, "calls" is a number, and "day", "client", "version", "method" and "route" are texts.')
        } else if (row.day >= since && (client === undefined || row.client === client) && onRow(row) === false) break
        if (count % SLICE_ROWS > 0) continue
        await setImmediate()
        // A store may return rows without an end.
        if (isOver()) break
      }
      // The iterator may be a cursor of a database, which needs to be closed.
      await iterator.return?.()
    })
  }
}

/** Tells whether a store has returned a row as it was given. */
function isRow (row: UsageRow): boolean {
  const { day, client, version, method, route, calls } = Object(row) as UsageRow
  return typeof day === 'string' && typeof client === 'string' && typeof version === 'string' &&
    typeof method === 'string' && typeof route === 'string' && Number.isFinite(calls) && calls > 0
}

/** Runs the work of a store. Throws an error if the work takes too long. */
async function within (work: (isOver: () => boolean) => unknown): Promise<void> {
  let timer
  let isOver = false
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The store of fastify-versioning/usage has not answered for ${MAX_WAIT / 1000} seconds.`)
    timer = setTimeout(() => reject(error), MAX_WAIT).unref()
  })
  try {
    await Promise.race([work(() => isOver), late])
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}
