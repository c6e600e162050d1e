/** How deep values are read. What is further in stays as it is. */
const MAX_DEPTH = 100

type Members = Record<string, unknown>

/** Whether JSON has a value as it is, and nothing in it needs to be read. */
export function isJson (value: unknown, depth = 0): boolean {
  if (typeof value !== 'object') return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
  if (value === null) return true
  if (depth === MAX_DEPTH || !isPlain(value)) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isJson(value[i], depth + 1)) return false
    return true
  }
  // Without a list of keys, which nothing else needs.
  for (const key in value) if (!isJson((value as Members)[key], depth + 1)) return false
  return true
}

/**
 * Reads a value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined
 * or functions are left out. Numbers, BigInts and bytes stay, because serializers take them; so does an object that
 * leads back to itself, because the older schema may drop it.
 */
export class JsonReader {
  /** The objects around the value. */
  readonly #within: unknown[] = []
  /** By what JSON has of them: instances of classes, such as dates. */
  readonly #originals = new Map<unknown, object>()

  readonly read = (given: unknown): unknown => {
    if (typeof given !== 'object' || given === null) return isJson(given) ? given : undefined
    if (ArrayBuffer.isView(given)) return given
    const { toJSON } = given as { toJSON?: unknown }
    if (isPlain(given) && typeof toJSON !== 'function') return this.#inside(given, given, this.read)
    const value: unknown = typeof toJSON === 'function' ? toJSON.call(given, '') : membersOf(given)
    const json = typeof value === 'object' && value !== null ? this.#inside(given, value, this.read) : this.read(value)
    if (json !== null && json !== undefined) this.#originals.set(json, given)
    return json
  }

  /** A value with instances again where no function has altered them: a serializer knows how to write them. */
  readonly restore = (value: unknown): unknown => {
    const original = this.#originals.get(value)
    if (original !== undefined) return original
    return this.#originals.size > 0 && isPlain(value) ? this.#inside(value, value, this.restore) : value
  }

  #inside (given: object, value: object, each: (member: unknown) => unknown): object {
    const within = this.#within
    if (within.length === MAX_DEPTH || within.includes(given)) return value
    within.push(given)
    const copy = Array.isArray(value)
      ? Array.from(value, (item) => each(item) ?? null)
      : eachMember(value as Members, each)
    within.pop()
    return copy
  }
}

function eachMember (object: Members, each: (member: unknown) => unknown): Members {
  const copy: Members = {}
  for (const [key, member] of Object.entries(object)) {
    const other = each(member)
    if (other !== undefined) put(copy, key, other)
  }
  return copy
}

/** A copy that may be changed: an instance of a class becomes a plain object. */
export function shallow (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice()
  return isPlain(value) ? { ...value } : membersOf(value)
}

/** An array, or an object that no class has made. */
export function isPlain (value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

/** The properties of an instance with those that its class has by getters, which serializers read as well. */
function membersOf (instance: object): Members {
  const members: Members = {}
  for (let one = Object.getPrototypeOf(instance); one !== Object.prototype && one !== null;) {
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(one) as PropertyDescriptorMap)) {
      try {
        if (get !== undefined) put(members, key, (instance as Members)[key])
      } catch {} // The schema may not have it.
    }
    one = Object.getPrototypeOf(one)
  }
  return Object.assign(members, instance)
}

/** A property of any name: `__proto__` is one as well. */
export function put (object: Members, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}
