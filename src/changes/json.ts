/** How deep values are read. What is further in stays as it is. */
const MAX_DEPTH = 100

type Members = Record<string, unknown>

/**
 * Reads a value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined
 * or functions are left out. Copied only where it differs. Numbers, BigInts and bytes stay, because serializers take
 * them; so does an object that leads back to itself, because the older schema may drop it.
 */
export class JsonReader {
  /** The objects around the value. */
  readonly #within: unknown[] = []
  /** By what JSON has of them: instances of classes, such as dates. */
  #originals: Map<unknown, object> | null = null

  readonly read = (given: unknown): unknown => {
    if (typeof given === 'object' && given !== null) return this.#readObject(given)
    return typeof given === 'function' || typeof given === 'symbol' ? undefined : given
  }

  /** A value with instances again where no function has altered them: a serializer knows how to write them. */
  readonly restore = (value: unknown): unknown => {
    const original = this.#originals?.get(value)
    if (original !== undefined) return original
    return this.#originals !== null && isPlain(value) ? this.#inside(value, value, this.restore) : value
  }

  #readObject (given: object): unknown {
    if (isPlain(given) && !Object.hasOwn(given, 'toJSON')) return this.#inside(given, given, this.read)
    if (ArrayBuffer.isView(given)) return given
    const { toJSON } = given as { toJSON?: unknown }
    const value: unknown = typeof toJSON === 'function' ? toJSON.call(given, '') : membersOf(given)
    const json = typeof value === 'object' && value !== null ? this.#inside(given, value, this.read) : this.read(value)
    if (json !== null && json !== undefined) (this.#originals ??= new Map()).set(json, given)
    return json
  }

  #inside (given: object, value: object, each: (member: unknown) => unknown): object {
    const within = this.#within
    if (within.length === MAX_DEPTH || within.includes(given)) return value
    within.push(given)
    const copy = Array.isArray(value) ? eachItem(value, each) : eachMember(value as Members, each)
    within.pop()
    return copy
  }
}

/** @returns the list itself if no item differs */
export function eachItem (list: readonly unknown[], each: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const other = each(item) ?? null
    if (other !== item) (copy ??= list.slice())[i] = other
  }
  return copy ?? list
}

/** @returns the object itself if no member differs */
function eachMember (object: Members, each: (member: unknown) => unknown): Members {
  let copy: Members | null = null
  // Without a list of keys, which nothing needs where nothing differs.
  for (const key in object) {
    const member = object[key]
    const other = each(member)
    if (copy === null) {
      if (other === member && other !== undefined) continue
      copy = {}
      for (const before in object) {
        if (before === key) break
        put(copy, before, object[before])
      }
    }
    if (other !== undefined) put(copy, key, other)
  }
  return copy ?? object
}

/** A copy that may be changed: an instance of a class becomes a plain object. */
export function shallow (value: unknown): unknown {
  if (Array.isArray(value)) return value.slice()
  if (typeof value !== 'object' || value === null) return value
  return isPlain(value) ? { ...value } : membersOf(value)
}

/** An array, or an object that no class has made. */
function isPlain (value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

/** The properties of an instance with those that its class has by getters, which serializers read as well. */
function membersOf (instance: object): Members {
  const members: Members = {}
  for (let one = Object.getPrototypeOf(instance); one !== Object.prototype && one !== null;) {
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(one) as PropertyDescriptorMap)) {
      if (get !== undefined) put(members, key, valueIn(instance as Members, key))
    }
    one = Object.getPrototypeOf(one)
  }
  return Object.assign(members, instance)
}

/** Undefined if a getter throws: the schema may not have it. */
function valueIn (instance: Members, key: string): unknown {
  try {
    return instance[key]
  } catch {
    return undefined
  }
}

/** A property of any name: `__proto__` is one as well. */
export function put (object: Members, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}
