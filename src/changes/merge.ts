import { isDeepStrictEqual } from 'node:util'

import { isPlain, put } from './json.ts'

type Members = Record<string, unknown>

/**
 * A value with what a client has changed, who knows an older version.
 *
 * @param current as it is stored
 * @param seen what of it the older version can say
 * @param value what the client says instead
 * @returns what it could not see, or has left as it was, as it is stored
 */
export function merged (current: unknown, seen: unknown, value: unknown): unknown {
  if (isDeepStrictEqual(value, seen)) return current
  if (!isPlain(current) || !isPlain(seen) || !isPlain(value)) return value
  const lists = [current, seen, value].filter((one) => Array.isArray(one))
  if (lists.length === 3) return mergedLists(...lists as [unknown[], unknown[], unknown[]])
  if (lists.length > 0) return value
  const [stored, known, sent] = [current, seen, value] as Members[]
  const whole: Members = {}
  for (const [key, member] of Object.entries(stored)) if (!Object.hasOwn(known, key)) put(whole, key, member)
  for (const [key, member] of Object.entries(sent)) {
    if (!Object.hasOwn(known, key)) put(whole, key, member)
    else if (Object.hasOwn(stored, key)) put(whole, key, merged(stored[key], known[key], member))
    // An upgrade has made it of nothing.
    else if (!isDeepStrictEqual(member, known[key])) put(whole, key, member)
  }
  return whole
}

/** An item is one that was there if it is equal, has its `id`, or is the only one that differs, in its place. */
function mergedLists (current: unknown[], seen: unknown[], value: unknown[]): unknown[] {
  // The older version shows other items.
  if (current.length !== seen.length) return value
  const left = new Set(seen.keys())
  const take = (isSame: (one: unknown) => boolean) => {
    const found = [...left].find((i) => isSame(seen[i]))
    if (found !== undefined) left.delete(found)
    return found
  }
  const equal = value.map((item) => take((one) => isDeepStrictEqual(one, item)))
  const same = value.map((item, i) => equal[i] ?? take((one) => idOf(item) !== undefined && idOf(one) === idOf(item)))
  const others = [...same.keys()].filter((i) => same[i] === undefined)
  const [only] = others
  const isEdited = others.length === 1 && value.length === seen.length && left.has(only) &&
    idOf(value[only]) === undefined && idOf(seen[only]) === undefined
  return value.map((item, i) => {
    const at = same[i] ?? (isEdited ? i : undefined)
    return at === undefined ? item : merged(current[at], seen[at], item)
  })
}

function idOf (value: unknown): unknown {
  return isPlain(value) && Object.hasOwn(value, 'id') ? (value as Members).id : undefined
}
