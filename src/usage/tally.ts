import type { UsageRow, UsageStore } from '../../types/usage.d.ts'

/** The fields that all rows of one kind share. The rows differ in their clients. */
export type Kind = Omit<UsageRow, 'client' | 'calls'>

interface Counted extends Kind {
  /** The calls by client. */
  readonly clients: Map<string, number>
}

export const DAY = 86_400_000
/** The most characters of a client's name that are kept. A client that nothing authenticates chooses its name. */
const LONGEST_NAME = 128
/** The most rows that a process keeps if no other store is given. */
const MOST_KEPT = 500_000

/** Returns the day of an instant, in UTC. */
export function dayOf (instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/**
 * Returns a name as stores take it: not too long, on one line, and well-formed. The name is a copy, because V8 keeps a
 * whole text in memory for a part of it.
 */
export function toName (client: string): string {
  return Buffer.from(client.slice(0, LONGEST_NAME).replace(/\p{Cc}/gu, ' ')).toString()
}

/** Counts calls in rows. Beyond a number of rows, calls of further clients have no name. */
export class Tally {
  /** The number of rows. */
  size = 0
  /** The kinds by route. A route has few kinds, and those of today are the last. */
  readonly #kinds = new Map<string, Counted[]>()

  add (kind: Kind, client: string, calls: number, most: number): void {
    const { clients } = this.#find(kind)
    const isCounted = client === '' || clients.has(client)
    const name = isCounted ? client : this.size < most ? toName(client) : ''
    const before = clients.get(name)
    if (before === undefined) this.size++
    clients.set(name, (before ?? 0) + calls)
  }

  #find ({ day, version, method, route, outcome, isDefault }: Kind): Counted {
    const kinds = this.#kinds.get(route) ?? []
    if (kinds.length === 0) this.#kinds.set(route, kinds)
    for (let i = kinds.length - 1; i >= 0; i--) {
      const kind = kinds[i]
      if (kind.day === day && kind.version === version && kind.method === method && kind.outcome === outcome &&
        kind.isDefault === isDefault) return kind
    }
    const kind = { day, version, method, route, outcome, isDefault, clients: new Map<string, number>() }
    kinds.push(kind)
    return kind
  }

  /** Yields the rows since a day, of one client or of all. */
  * rows (since = '', only?: string): Generator<UsageRow> {
    for (const { day, version, method, route, outcome, isDefault, clients } of [...this.#kinds.values()].flat()) {
      if (day < since) continue
      const found = only === undefined ? clients : [[only, clients.get(only) ?? 0] as const]
      for (const [client, calls] of found) {
        // Spreading the fields would take ten times as long.
        if (calls > 0) yield { day, client, version, method, route, outcome, isDefault, calls }
      }
    }
  }

  /** Forgets rows from before a day. */
  forget (day: string): void {
    for (const [route, kinds] of this.#kinds) {
      for (const { clients } of kinds.filter((kind) => kind.day < day)) this.size -= clients.size
      this.#kinds.set(route, kinds.filter((kind) => kind.day >= day))
    }
  }
}

/** Returns a store that keeps rows in memory, for one process. */
export function memoryStore (days: number): UsageStore {
  const tally = new Tally()
  return {
    add (rows) {
      const { day } = rows.at(-1) as UsageRow
      tally.forget(dayOf(Date.parse(day) - (days - 1) * DAY))
      for (const row of rows) tally.add(row, row.client, row.calls, MOST_KEPT)
    },
    read: ({ since, client }) => tally.rows(since, client)
  }
}
