/** How deep values are read. What is further in stays as it is. */
export const MAX_DEPTH = 100

/** What an object has, by name. */
export type Members = Record<string, unknown>

/**
 * Whether JSON has a value as it is, and nothing in it needs to be read.
 *
 * @param source what the value has been made of, if members that have been passed on need not be read
 * @param isOpen whether nothing in it may be frozen
 */
export function isJson (value: unknown, source: Members | null = null, isOpen = false, depth = 0): boolean {
  if (typeof value !== 'object') return isValue(value)
  if (value === null) return true
  // What refers to itself is too deep.
  if (depth === MAX_DEPTH || (isOpen && !Object.isExtensible(value))) return false
  // Most members are texts or numbers, which need no call.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      if (typeof item !== 'string' && typeof item !== 'number' && !isJson(item, null, isOpen, depth + 1)) return false
    }
    return true
  }
  if (!isPlain(value)) return false
  // Without a list of keys, which nothing else needs.
  for (const key in value) {
    const member = (value as Members)[key]
    if (typeof member === 'string' || typeof member === 'number') continue
    const isPassedOn = source !== null && typeof member === 'object' && member === source[key]
    if (!isPassedOn && !isJson(member, null, isOpen, depth + 1)) return false
  }
  return true
}

/** Whether something that is no object can be serialized. */
export function isValue (value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/**
 * Reads a value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined
 * or functions are left out. Numbers, BigInts and bytes stay, because serializers take them.
 *
 * @returns the value, and what puts instances back where no function has altered them: serializers can write these
 */
export function readJson (source: unknown) {
  /** By what JSON has of them: dates, and what is more than a plain object. */
  const originals = new Map<unknown, object>()
  const originalOf = (value: unknown) => originals.get(value) ?? value
  let value = exchanged(source, (value) => {
    // `toJSON` gives the same, but slowly.
    if (value instanceof Date && value.toJSON === Date.prototype.toJSON && Number.isFinite(value.getTime())) {
      const text = value.toISOString()
      originals.set(text, value)
      return text
    }
    return isJson(value) ? value : WHOLE
  })
  const isLean = value !== WHOLE
  if (!isLean) {
    value = copyOf(source, jsonOf, (copy, original) => {
      // Any other text or number may be equal by chance.
      if (copy !== null && (typeof copy === 'object' || original instanceof Date)) originals.set(copy, original)
    })
  }
  function restore (result: unknown): unknown {
    if (originals.size === 0) return result
    const restored = isLean ? exchanged(result, originalOf) : WHOLE
    return restored === WHOLE ? copyOf(result, originalOf) : restored
  }
  return { value, restore }
}

/** Stands for a value that has more than plain objects and dates, or may lead back to itself. */
const WHOLE = Symbol('whole')

/** How deep objects may share others, each of which is then read wherever it is. */
const LEAN_DEPTH = 10

/** A value with others in place of what is no plain object. Only objects in which something differs are copied. */
function exchanged (value: unknown, exchange: (value: unknown) => unknown, depth = 0): unknown {
  if (!isPlain(value)) return exchange(value)
  if (depth === LEAN_DEPTH) return WHOLE
  const keys = Array.isArray(value) ? null : Object.keys(value)
  let copy: unknown = value
  for (let i = 0; i < (keys ?? value as unknown[]).length; i++) {
    const key = (keys === null ? i : keys[i]) as string
    const member = (value as Members)[key]
    if (typeof member === 'number') continue
    const result = exchanged(member, exchange, depth + 1)
    if (result === WHOLE) return WHOLE
    if (result === member) continue
    if (copy === value) copy = shallow(value)
    put(copy as Members, key, result)
  }
  return copy
}

/** Where a value is: in an object, or a list, that is at a path. The outermost value is in nothing. */
export interface At { readonly holder: unknown, readonly path: readonly string[], readonly key?: string }

/** The keys that lead to a value. */
export function keysTo ({ path, key }: At): readonly string[] {
  return key === undefined ? path : [...path, key]
}

/**
 * A copy of a value. Each object is copied once, from where it is nearest, because objects may all refer to each other.
 *
 * @param read what the copy has of a value: objects that are plain are copied, all others stay, and members that are
 * undefined are left out
 * @param note is told of objects of which the copy has something else
 */
export function copyOf (
  root: unknown, read: (value: unknown, at: At) => unknown, note?: (copy: unknown, original: object) => void
): unknown {
  const copies = new Map<unknown, unknown>()
  const left: [copy: object, source: object, path: readonly string[]][] = []
  function take (original: unknown, at: At): unknown {
    if (typeof original !== 'object' || original === null) return read(original, at)
    if (copies.has(original)) return copies.get(original)
    const path = keysTo(at)
    if (path.length === MAX_DEPTH) return original
    const source = read(original, at)
    const copy = !isPlain(source) ? source : Array.isArray(source) ? [] : {}
    if (isPlain(source)) left.push([copy as object, source, path])
    copies.set(original, copy)
    if (source !== original) note?.(copy, original)
    return copy
  }
  const whole = take(root, { holder: null, path: [] })
  for (const [copy, source, path] of left) {
    // A hole is an item as well.
    for (const [key, member] of Array.isArray(source) ? source.entries() : Object.entries(source)) {
      const value = take(member, { holder: source, path, key: String(key) })
      if (Array.isArray(copy)) copy.push(value ?? null)
      else if (value !== undefined) put(copy as Members, String(key), value)
    }
  }
  return whole
}

/** The objects in a value, which is one of them. */
export function objectsIn (root: unknown): ReadonlySet<unknown> {
  const objects = new Set<unknown>([root])
  for (const value of objects) {
    for (const member of isPlain(value) ? Object.values(value) : []) {
      if (typeof member === 'object' && member !== null) objects.add(member)
    }
  }
  return objects
}

/** What JSON has in place of a value, which may hold others that JSON has otherwise. */
export function jsonOf (value: unknown): unknown {
  const { toJSON } = (typeof value === 'object' && value !== null ? value : {}) as { toJSON?: unknown }
  const source: unknown = typeof toJSON === 'function' ? toJSON.call(value, '') : value
  if (typeof source !== 'object' || source === null) return isJson(source) ? source : undefined
  return isPlain(source) || ArrayBuffer.isView(source) ? source : membersOf(source)
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
  return prototype === Object.prototype || prototype === null || Array.isArray(value) || isOutermost(prototype)
}

/** Whether nothing is inherited behind a prototype: other realms have an `Object.prototype` of their own. */
function isOutermost (prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null
}

/** The properties of an instance with those that its class has by getters, which serializers read as well. */
function membersOf (instance: object): Members {
  const members: Members = {}
  for (let prototype = Object.getPrototypeOf(instance); !isOutermost(prototype);) {
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype) as PropertyDescriptorMap)) {
      try {
        if (get !== undefined) put(members, key, (instance as Members)[key])
      } catch {} // The schema may not have it.
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return Object.assign(members, instance)
}

/** A property of any name: `__proto__` is one as well. */
export function put (object: Members, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}
