import { isDeepStrictEqual } from 'node:util'

import { isPlain, isValue, jsonOf, objectsIn, put } from './json.ts'
import { keptIn } from './schema.ts'

import type { Members } from './json.ts'

/** A value as it is stored, as the client has seen it in the older version, and as the client has sent it. */
type Sides<Value> = readonly [stored: Value, seen: Value, sent: Value]
type Id = string | number

/** The depth to which values are merged. Further in, the client's value stays as it is, which limits the stack. */
const MAX_MERGED_DEPTH = 1000

/** How much may be shown to match items, in sizes of the whole value: to show an item shows all that is around it. */
const MAX_WORK = 100

/** The number of items up to which each is shown alone. */
const FEW_ITEMS = 16

/** Returns what clients of the older version see of a value, in the place of the value that is merged. */
type Show = (stored: unknown) => unknown

/**
 * Returns the stored value with the changes of a client that knows an older version. All that the client cannot see, or
 * has left as it was, stays as it is stored. This takes linear time, because clients choose how long lists are.
 *
 * @param current the stored value
 * @param value the value that the client has sent
 * @param show returns what the client sees of a value like the stored one
 */
export function merged (current: unknown, value: unknown, show: Show): unknown {
  let left: number | null = null
  const showPart: Show = (stored) => {
    left ??= MAX_WORK * sizeOf(current)
    left -= sizeOf(stored)
    if (left < 0) throw new RangeError('Too much is shown.')
    return show(stored)
  }
  return merge([current, show(current), value], showPart, new ValueNumbers(), 0)
}

/** Returns how many values are in a value, with the value itself. */
function sizeOf (value: unknown): number {
  let size = 1
  for (const object of objectsIn(value)) size += Object.keys(Object(object)).length
  return size
}

function merge ([current, seen, value]: Sides<unknown>, show: Show, compared: ValueNumbers, depth: number): unknown {
  if (compared.areEqual(value, seen)) return current
  const sides = [current, seen, value].map(jsonOf)
  if (depth === MAX_MERGED_DEPTH || !sides.every(isPlain)) return value
  const lists = sides.filter((side) => Array.isArray(side))
  const inner: Inner = (sides, show) => merge(sides, show, compared, depth + 1)
  if (lists.length === 3) return mergeItems(lists as unknown as Sides<unknown[]>, show, compared, inner)
  return lists.length > 0 ? value : mergeMembers(sides as unknown as Sides<Members>, show, compared, inner)
}

type Inner = (sides: Sides<unknown>, show: Show) => unknown

function mergeMembers (
  [stored, seen, sent]: Sides<Members>, show: Show, compared: ValueNumbers, inner: Inner
): Members {
  const whole = {}
  for (const [key, member] of Object.entries(stored)) if (!Object.hasOwn(seen, key)) put(whole, key, member)
  for (const [key, member] of Object.entries(sent)) {
    if (!isValue(member)) continue
    if (!Object.hasOwn(seen, key)) put(whole, key, member)
    else if (Object.hasOwn(stored, key)) {
      const showMember: Show = (value) => Object(show({ ...stored, [key]: value }))[key]
      put(whole, key, inner([stored[key], seen[key], member], showMember))
    // The stored value has no such member: an upgrade has made what the client has seen.
    } else if (!compared.areEqual(member, seen[key])) put(whole, key, member)
  }
  return whole
}

/** Merges lists. An item that may have replaced another item stays as it was sent, without members of that item. */
function mergeItems (
  [stored, seen, sent]: Sides<readonly unknown[]>, show: Show, compared: ValueNumbers, inner: Inner
): unknown {
  if (stored.length !== seen.length) return sent
  const showItem: Show = (item) => (show([item]) as readonly unknown[] | undefined)?.[0]
  // The older version may have another order, or other items. Then only an `id` says which stored item is which.
  const storedIds = placesById(stored)
  const byId = seen.map((item) => storedIds.get(idOfItem(item)) ?? null)
  const others = [...byId.keys()].filter((i) => byId[i] === null && !compared.isPart(seen[i], stored[i]))
  const isInOrder = byId.every((place, i) => place === null || place === i) && areShown(others, stored, seen, show)
  const places = byId.map((place, i) => place ?? (isInOrder ? i : null))
  const matched = places.filter((place) => place !== null)
  if (new Set(matched).size < matched.length) return sent
  const ordered = places.map((place) => place === null ? undefined : stored[place])
  const pairs = pairsOf([ordered, seen, sent], compared)
  return sent.map((item, i) => {
    const pair = pairs[i]
    return pair === undefined || places[pair] === null ? item : inner([ordered[pair], seen[pair], item], showItem)
  })
}

/**
 * Tells whether the older version shows each stored item as the client has seen it in the same place. Many items are
 * shown in groups, one for each bit of their numbers: of any two items, some group has only one.
 */
function areShown (places: readonly number[], stored: readonly unknown[], seen: readonly unknown[], show: Show) {
  const bits = Array.from({ length: Math.ceil(Math.log2(places.length + 1)) }, (_, bit) => 2 ** bit)
  const groups = places.length > FEW_ITEMS
    ? bits.map((bit) => places.filter((_, nth) => ((nth + 1) & bit) > 0))
    : places.map((place) => [place])
  return groups.every((group) => {
    try {
      return isDeepStrictEqual(show(group.map((i) => stored[i])), group.map((i) => seen[i]))
    } catch {
      return false
    }
  })
}

/**
 * Finds the seen item that each sent item was: an equal item, or one with the same `id`, or the only item left, if both
 * are in the same place.
 *
 * @returns for each sent item, the place of the seen item; undefined if nothing says which item it was
 */
function pairsOf ([stored, seen, sent]: Sides<readonly unknown[]>, compared: ValueNumbers): (number | undefined)[] {
  const pairs: (number | undefined)[] = sent.map(() => undefined)
  const isInPlace = (i: number) => sent.length === seen.length && idOfItem(sent[i]) === idOfItem(seen[i])
  const seenAs = placesBy(seen, compared)
  for (const [number, places] of placesBy(sent, compared)) {
    const equal = seenAs.get(number) ?? []
    // The client has removed one of several equal items that are stored differently, and nothing says which.
    const isUnsure = places.length < equal.length && new Set(equal.map((i) => compared.numberOf(stored[i]))).size > 1
    for (const [nth, i] of places.entries()) {
      if (!isUnsure) pairs[i] = equal[nth]
      else if (isInPlace(i) && compared.numberOf(seen[i]) === number) pairs[i] = i
    }
  }
  const seenIds = placesById(seen)
  for (const [id, i] of placesById(sent)) pairs[i] ??= seenIds.get(id)
  const left = [...pairs.keys()].filter((i) => pairs[i] === undefined)
  if (left.length === 1 && isInPlace(left[0]) && !pairs.includes(left[0])) pairs[left[0]] = left[0]
  return pairs
}

/** Returns the places of items by the number of their value, which equal items share. */
function placesBy (items: readonly unknown[], compared: ValueNumbers): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const [i, item] of items.entries()) {
    keptIn(places, compared.numberOf(item), (): number[] => []).push(i)
  }
  return places
}

/** Returns the places of items by their `id`, without an `id` that several items have. */
function placesById (items: readonly unknown[]): Map<Id | null, number> {
  const places = new Map<Id | null, number>()
  const ids = items.map(idOfItem)
  const twice = new Set(ids.filter((id, i) => places.size === places.set(id, i).size))
  for (const id of twice.add(null)) places.delete(id)
  return places
}

function idOfItem (item: unknown): Id | null {
  const { id } = Object(jsonOf(item)) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Compares values as JSON has them, whatever the order of their members. Equal values have the same number. */
class ValueNumbers {
  readonly #byObject = new Map<unknown, number>()
  readonly #byText = new Map<string, number>()
  #last = 0

  areEqual (first: unknown, second: unknown): boolean {
    return this.numberOf(first) === this.numberOf(second)
  }

  /** Tells whether a value is another value without some of its members. */
  isPart (part: unknown, whole: unknown, depth = 0): boolean {
    if (this.areEqual(part, whole)) return true
    const [some, all] = [part, whole].map(jsonOf)
    if (depth === MAX_MERGED_DEPTH || !isPlain(some) || !isPlain(all)) return false
    const [count, length] = [some, all].map((side) => Array.isArray(side) ? side.length : null)
    return count === length && Object.entries(some).every(([key, member]) => (
      Object.hasOwn(all, key) && this.isPart(member, (all as Members)[key], depth + 1)
    ))
  }

  numberOf (value: unknown, depth = 0): number {
    const cached = this.#byObject.get(value)
    if (cached !== undefined) return cached
    const source = jsonOf(value)
    if (!isPlain(source)) return this.#ofText(`${typeof source} ${String(source)}`)
    // A value that contains itself, or is too deep, is equal to no other value.
    const number = ++this.#last
    this.#byObject.set(value, number)
    if (depth === MAX_MERGED_DEPTH) return number
    const parts: string[] = []
    if (Array.isArray(source)) for (const item of source) parts.push(String(this.numberOf(item, depth + 1)))
    else {
      for (const [key, member] of Object.entries(source)) {
        if (isValue(member)) parts.push(`${JSON.stringify(key)}:${this.numberOf(member, depth + 1)}`)
      }
      parts.sort()
    }
    const whole = this.#ofText(Array.isArray(source) ? `[${parts.join()}]` : `{${parts.join()}}`)
    this.#byObject.set(value, whole)
    return whole
  }

  #ofText (text: string): number {
    return keptIn(this.#byText, text, () => ++this.#last)
  }
}
