import { setImmediate } from 'node:timers/promises'

import { show } from '../messages.ts'
import { ignoreRejection } from '../promises.ts'
import { DAY, Tally, dayOf } from './tally.ts'

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { VersionUsage } from '../../types/index.d.ts'
import type { UsageOptions, UsageRow, UsageStore } from '../../types/usage.d.ts'

/** How a request has come to its route. */
export type Arrived = Pick<VersionUsage, 'version' | 'outcome' | 'isDefault'>
type Client = NonNullable<UsageOptions['client']>

/** How many rows may wait for the store. */
const MOST_ROWS = 100_000
/** How long the store may take, in milliseconds: then it gets the rows again. */
const TIMEOUT = 30_000
/** After how many rows of the store other work may go on. */
const SLICE = 20_000

/** Counts in memory, and hands the counts over to the store. No request waits for it. */
export class Counter {
  readonly #store: UsageStore
  readonly #client: Client
  readonly #now: () => number
  readonly #log: FastifyBaseLogger
  /** What has been logged, until it is right again. */
  readonly #logged = new Set<string>()
  #tally = new Tally()
  /** How many rows the store takes now. */
  #sent = 0
  #flushing: Promise<void> | null = null
  #day = ''
  #begin = NaN

  constructor (store: UsageStore, client: Client, now: () => number, log: FastifyBaseLogger) {
    this.#store = store
    this.#client = client
    this.#now = now
    this.#log = log
  }

  count (route: string, request: FastifyRequest, { version, outcome, isDefault }: Arrived): void {
    const now = this.#now()
    if (!(now >= this.#begin && now < this.#begin + DAY)) {
      this.#day = dayOf(now)
      this.#begin = Date.parse(this.#day)
    }
    const kind = { day: this.#day, version: version ?? '', method: request.method, route, outcome, isDefault }
    this.#tally.add(kind, this.#nameOf(request), 1, MOST_ROWS - this.#sent)
  }

  /** '' if the client is not known. */
  #nameOf (request: FastifyRequest): string {
    try {
      const name: unknown = this.#client(request)
      if (typeof name === 'string') return name
      if (name === null || name === undefined) return ''
      if (typeof name === 'number' || typeof name === 'bigint') return String(name)
      ignoreRejection(name)
      throw new TypeError(`Expected a string, a number, null or undefined, got ${show(name)}`)
    } catch (error) {
      const message = 'The option "client" of fastify-versioning/usage failed: its calls have no client.'
      this.#logOnce('client', error, message)
      return ''
    }
  }

  #logOnce (subject: string, error: unknown, message: string): void {
    if (!this.#logged.has(subject)) this.#log.error(error, message)
    this.#logged.add(subject)
  }

  /** Hands over what has been counted. It never rejects. */
  flush (): Promise<void> {
    this.#flushing ??= this.#send().finally(() => { this.#flushing = null })
    return this.#flushing
  }

  async #send (): Promise<void> {
    const rows = [...this.#tally.rows()]
    if (rows.length === 0) return
    this.#tally = new Tally()
    this.#sent = rows.length
    try {
      await within(async () => this.#store.add(rows))
      this.#logged.delete('store')
    } catch (error) {
      // PostgreSQL refuses two rows with the same key.
      for (const row of rows) this.#tally.add(row, row.client, row.calls, MOST_ROWS)
      this.#logOnce('store', error, 'The store of fastify-versioning/usage has not taken rows: it gets them again.')
    } finally {
      this.#sent = 0
    }
  }

  /** Calls a function with each row since a day, of one client or of all, once everything is counted. */
  async read (since: string, client: string | undefined, take: (row: UsageRow) => void): Promise<void> {
    await this.flush()
    const takeRow = (row: UsageRow) => {
      if (!isRow(row)) {
        this.#logOnce('row', null, 'The store of fastify-versioning/usage has returned what is no row: it is left out.')
      } else if (row.day >= since && (client === undefined || row.client === client)) take(row)
    }
    const rows = await within(async () => this.#store.read({ since, client }))
    if (Symbol.asyncIterator in Object(rows)) for await (const row of rows) takeRow(row)
    else {
      let count = 0
      for (const row of rows as Iterable<UsageRow>) {
        takeRow(row)
        if (++count % SLICE === 0) await setImmediate()
      }
    }
  }
}

/** Whether a store has returned what it was given. */
function isRow (row: UsageRow): boolean {
  const { day, client, version, method, route, calls } = Object(row) as UsageRow
  const texts = [day, client, version, method, route]
  return texts.every((text) => typeof text === 'string') && Number.isFinite(calls) && calls > 0
}

/** What a store does. @throws an error if that takes too long */
async function within<Value> (work: () => Promise<Value>): Promise<Value> {
  let timer
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The store of fastify-versioning/usage has not answered for ${TIMEOUT / 1000} seconds.`)
    timer = setTimeout(() => reject(error), TIMEOUT).unref()
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
