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

/** What stands for a value in a copy, which is that deep in it. */
type Take = (value: unknown, depth: number) => unknown

/**
 * Reads a value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined
 * or functions are left out. Numbers, BigInts and bytes stay, because serializers take them. Each object is read once,
 * from where it is nearest, because objects may all refer to each other.
 */
export class JsonReader {
  /** By what JSON has of them: dates, and other instances of which it has an object. */
  readonly #originals = new Map<unknown, object>()
  #copies = new Map<object, object>()
  /** Copies that are empty yet. */
  #left: [copy: object, source: object, depth: number][] = []

  read (given: unknown): unknown {
    return this.#all(given, this.#json)
  }

  /** A value with instances again where no function has altered them: a serializer knows how to write them. */
  restore (value: unknown): unknown {
    return this.#originals.size === 0 ? value : this.#all(value, this.#original)
  }

  #all (given: unknown, take: Take): unknown {
    this.#copies = new Map()
    this.#left = []
    const whole = take(given, 0)
    for (const [copy, source, depth] of this.#left) {
      if (Array.isArray(copy)) {
        for (const item of source as unknown[]) copy.push(take(item, depth + 1) ?? null)
        continue
      }
      for (const [key, member] of Object.entries(source)) {
        const value = take(member, depth + 1)
        if (value !== undefined) put(copy as Members, key, value)
      }
    }
    return whole
  }

  readonly #json: Take = (given, depth) => {
    if (typeof given !== 'object' || given === null) return isJson(given) ? given : undefined
    if (depth === MAX_DEPTH || ArrayBuffer.isView(given)) return given
    const known = this.#copies.get(given)
    if (known !== undefined) return known
    const { toJSON } = given as { toJSON?: unknown }
    const hasMethod = typeof toJSON === 'function'
    const isSame = !hasMethod && isPlain(given)
    const source: unknown = hasMethod ? toJSON.call(given, '') : isSame ? given : membersOf(given)
    if (typeof source !== 'object' || source === null) {
      // Any other text or number may be equal by chance.
      if (given instanceof Date && source !== null) this.#originals.set(source, given)
      return isJson(source) ? source : undefined
    }
    const json = this.#copy(given, source, depth)
    if (!isSame) this.#originals.set(json, given)
    return json
  }

  readonly #original: Take = (value, depth) => {
    const original = this.#originals.get(value)
    if (original !== undefined || depth === MAX_DEPTH || !isPlain(value)) return original ?? value
    return this.#copies.get(value) ?? this.#copy(value, value, depth)
  }

  #copy (given: object, source: object, depth: number): object {
    const copy = Array.isArray(source) ? [] : {}
    this.#copies.set(given, copy)
    this.#left.push([copy, source, depth])
    return copy
  }
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
