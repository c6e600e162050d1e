import { show } from '../messages.ts'
import { ignoreRejection } from '../promises.ts'
import { DAY, Tally, dayOf } from './tally.ts'

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Route } from '../routes.ts'
import type { UsageOptions, UsageStore } from '../../types/usage.d.ts'
import type { Counted } from './watch.ts'

type Client = NonNullable<UsageOptions['client']>

/** How many rows may wait for the store. */
const MOST_ROWS = 100_000
/** How long the store may take, in milliseconds: then it gets the rows again. */
export const TIMEOUT = 30_000

/** Counts in memory, and hands the counts over to the store. No request waits for it. */
export class Counter {
  readonly #store: UsageStore
  readonly #client: Client
  readonly #now: () => number
  readonly #log: FastifyBaseLogger
  #tally = new Tally(MOST_ROWS)
  /** How many rows the store takes now. */
  #sent = 0
  #flushing: Promise<boolean> | null = null
  #day = ''
  #begin = 0
  /** What has been logged, until it is right again. */
  readonly #logged = new Set<string>()

  constructor (store: UsageStore, client: Client, now: () => number, log: FastifyBaseLogger) {
    this.#store = store
    this.#client = client
    this.#now = now
    this.#log = log
  }

  count (route: Route, request: FastifyRequest, { version, outcome, isDefault }: Counted): void {
    const now = this.#now()
    if (!(now >= this.#begin && now < this.#begin + DAY)) {
      this.#day = dayOf(now)
      this.#begin = Date.parse(this.#day)
    }
    const { method } = request
    const kind = { day: this.#day, version: version ?? '', method, route: route.url, outcome, isDefault }
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
      this.logOnce('client', error, 'The option "client" of fastify-versioning/usage failed: its calls have no client.')
      return ''
    }
  }

  logOnce (subject: string, error: unknown, message: string): void {
    if (!this.#logged.has(subject)) this.#log.error(error, message)
    this.#logged.add(subject)
  }

  /** Hands over what has been counted. Resolves to whether the store has taken it, and never rejects. */
  flush (): Promise<boolean> {
    this.#flushing ??= this.#send().finally(() => { this.#flushing = null })
    return this.#flushing
  }

  async #send (): Promise<boolean> {
    const rows = [...this.#tally.rows()]
    if (rows.length === 0) return true
    this.#tally = new Tally(MOST_ROWS)
    this.#sent = rows.length
    try {
      await within(TIMEOUT, async () => this.#store.add(rows))
    } catch (error) {
      // PostgreSQL refuses two rows with the same key.
      for (const row of rows) this.#tally.add(row, row.client, row.calls)
      this.logOnce('store', error, 'The store of fastify-versioning/usage has not taken rows: it gets them again.')
      return false
    } finally {
      this.#sent = 0
    }
    this.#logged.delete('store')
    return true
  }
}

/** @throws an error after a time, in milliseconds */
export async function within<Value> (time: number, work: () => Promise<Value>): Promise<Value> {
  let timer
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The store of fastify-versioning/usage has not answered for ${time / 1000} seconds.`)
    timer = setTimeout(() => reject(error), time).unref()
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
