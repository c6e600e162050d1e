import { isPlain, isValue, jsonOf, put } from './json.ts'

type Members = Readonly<Record<string, unknown>>
/** The value as it is stored, what of it the older version can say, and what the client says instead. */
type Sides<Value> = readonly [stored: Value, seen: Value, sent: Value]
type Id = string | number

/** How deep values are merged. Further in, the client's value stays as it is, so that it cannot exhaust the stack. */
const MAX_DEPTH = 1000

/**
 * A value with what a client has changed, who knows an older version. It takes linear time, because clients choose how
 * long lists are.
 *
 * @param current as it is stored
 * @param seen what of it the older version can say
 * @param value what the client says instead
 * @returns what the client could not see, or has left as it was, as it is stored
 */
export function merged (current: unknown, seen: unknown, value: unknown): unknown {
  return merge([current, seen, value], new Numbers(), 0)
}

function merge ([current, seen, value]: Sides<unknown>, numbers: Numbers, depth: number): unknown {
  if (numbers.of(value) === numbers.of(seen)) return current
  const sides = [current, seen, value].map(jsonOf)
  if (depth === MAX_DEPTH || !sides.every(isPlain)) return value
  const lists = sides.filter((side) => Array.isArray(side))
  const inner = (sides: Sides<unknown>) => merge(sides, numbers, depth + 1)
  if (lists.length === 3) return mergeItems(lists as unknown as Sides<unknown[]>, numbers, inner)
  return lists.length > 0 ? value : mergeMembers(sides as unknown as Sides<Members>, numbers, inner)
}

type Inner = (sides: Sides<unknown>) => unknown

function mergeMembers ([stored, seen, sent]: Sides<Members>, numbers: Numbers, inner: Inner): Members {
  const whole = {}
  for (const [key, member] of Object.entries(stored)) if (!Object.hasOwn(seen, key)) put(whole, key, member)
  for (const [key, member] of Object.entries(sent)) {
    if (!isValue(member)) continue
    if (!Object.hasOwn(seen, key)) put(whole, key, member)
    else if (Object.hasOwn(stored, key)) put(whole, key, inner([stored[key], seen[key], member]))
    // An upgrade has made it of nothing.
    else if (numbers.of(member) !== numbers.of(seen[key])) put(whole, key, member)
  }
  return whole
}

/** An item that the client may have put in the place of another one is as it was sent: it must not get its members. */
function mergeItems ([stored, seen, sent]: Sides<readonly unknown[]>, numbers: Numbers, inner: Inner): unknown {
  // The older version may have another order.
  const storedIds = placesById(stored)
  const places = seen.map((item, i) => storedIds.get(idOf(item)) ?? i)
  if (stored.length !== seen.length || new Set(places).size < places.length) return sent
  const ordered = places.map((place) => stored[place])
  const pairs = pairsOf([ordered, seen, sent], numbers)
  return sent.map((item, i) => {
    const pair = pairs[i]
    return pair === undefined ? item : inner([ordered[pair], seen[pair], item])
  })
}

/**
 * The item that each sent one was. Both are equal, or have the same `id`, or they are the only ones left, in the same
 * place.
 *
 * @returns by its place, the place of the item that the client has seen; undefined if nothing says which one it was
 */
function pairsOf ([stored, seen, sent]: Sides<readonly unknown[]>, numbers: Numbers): (number | undefined)[] {
  const pairs: (number | undefined)[] = sent.map(() => undefined)
  const isInPlace = (i: number) => sent.length === seen.length && idOf(sent[i]) === idOf(seen[i])
  const seenAs = placesBy(seen, numbers)
  for (const [number, places] of placesBy(sent, numbers)) {
    const equal = seenAs.get(number) ?? []
    // One of several has been removed, and nothing says which.
    const isUnsure = places.length < equal.length && new Set(equal.map((i) => numbers.of(stored[i]))).size > 1
    for (const [nth, i] of places.entries()) {
      if (!isUnsure) pairs[i] = equal[nth]
      else if (isInPlace(i) && numbers.of(seen[i]) === number) pairs[i] = i
    }
  }
  const seenIds = placesById(seen)
  for (const [id, i] of placesById(sent)) pairs[i] ??= seenIds.get(id)
  const left = [...pairs.keys()].filter((i) => pairs[i] === undefined)
  if (left.length === 1 && isInPlace(left[0]) && !pairs.includes(left[0])) pairs[left[0]] = left[0]
  return pairs
}

/** The places of equal items, by their number. */
function placesBy (items: readonly unknown[], numbers: Numbers): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const [i, item] of items.entries()) {
    const number = numbers.of(item)
    const equal = places.get(number)
    if (equal === undefined) places.set(number, [i])
    else equal.push(i)
  }
  return places
}

/** The places of items, by an `id` that no other item has. */
function placesById (items: readonly unknown[]): Map<Id | null, number> {
  const places = new Map<Id | null, number>()
  const ids = items.map(idOf)
  const twice = new Set(ids.filter((id, i) => places.size === places.set(id, i).size))
  for (const id of twice.add(null)) places.delete(id)
  return places
}

function idOf (item: unknown): Id | null {
  const { id } = Object(jsonOf(item)) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Gives values that JSON has alike the same number, whatever the order of their members. */
class Numbers {
  readonly #byObject = new Map<unknown, number>()
  readonly #byText = new Map<string, number>()
  #last = 0

  of (value: unknown, depth = 0): number {
    const known = this.#byObject.get(value)
    if (known !== undefined) return known
    const source = jsonOf(value)
    if (!isPlain(source)) return this.#ofText(`${typeof source} ${String(source)}`)
    // What leads back to itself, or is too deep, is like nothing else.
    const number = ++this.#last
    this.#byObject.set(value, number)
    if (depth === MAX_DEPTH) return number
    const parts: string[] = []
    if (Array.isArray(source)) for (const item of source) parts.push(String(this.of(item, depth + 1)))
    else {
      for (const [key, member] of Object.entries(source)) {
        if (isValue(member)) parts.push(`${JSON.stringify(key)}:${this.of(member, depth + 1)}`)
      }
      parts.sort()
    }
    const whole = this.#ofText(Array.isArray(source) ? `[${parts.join()}]` : `{${parts.join()}}`)
    this.#byObject.set(value, whole)
    return whole
  }

  #ofText (text: string): number {
    const known = this.#byText.get(text) ?? ++this.#last
    this.#byText.set(text, known)
    return known
  }
}
