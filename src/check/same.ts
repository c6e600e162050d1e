import { UNCLEAR } from './document.ts'

import type { Item } from './json.ts'

/** Pairs of values that have been met. */
export class Pairs {
  readonly #met = new Map<unknown, Set<unknown>>()

  /** Returns whether a pair is met for the first time. */
  add (one: unknown, other: unknown): boolean {
    const others = this.#met.get(one) ?? new Set()
    this.#met.set(one, others)
    if (others.has(other)) return false
    others.add(other)
    return true
  }
}

/** Whether two values are the same. What is referred to out of the document is not known, so it is never the same. */
export function areSame (one: unknown, other: unknown): boolean {
  const met = new Pairs()
  const open: [one: unknown, other: unknown][] = [[one, other]]
  for (const [a, b] of open) {
    if (!isHolder(a) || !isHolder(b)) {
      if (a !== b) return false
    } else if (met.add(a, b)) {
      if (Array.isArray(a) !== Array.isArray(b) || Object.hasOwn(a, UNCLEAR)) return false
      for (const field of Object.keys({ ...a, ...b })) open.push([a[field], b[field]])
    }
  }
  return true
}

function isHolder (value: unknown): value is Item {
  return typeof value === 'object' && value !== null
}
