import { UNCLEAR } from './document.ts'

import type { Item } from './json.ts'

/** Whether two values are the same. What is not understood is never the same. */
export function areSame (one: unknown, other: unknown): boolean {
  const met = new Map<unknown, Set<unknown>>()
  const open = [[one, other]]
  for (const [a, b] of open) {
    if (!isHolder(a) || !isHolder(b)) {
      if (a !== b) return false
    } else if (!met.get(a)?.has(b)) {
      if (Array.isArray(a) !== Array.isArray(b) || Object.hasOwn(a, UNCLEAR)) return false
      met.set(a, (met.get(a) ?? new Set()).add(b))
      for (const field of Object.keys({ ...a, ...b })) open.push([a[field], b[field]])
    }
  }
  return true
}

function isHolder (value: unknown): value is Item {
  return typeof value === 'object' && value !== null
}
