import { valueAt } from './schema.ts'

/** The depth to which values are read. Values further in stay as they are. */
export const MAX_DEPTH = 100

/** The members of an object by their names. */
export type Members = Record<string, unknown>

/**
 * Tells whether a value is plain JSON data, so that nothing in it needs to be replaced.
 *
 * @param source the object that the value was made from, if the members that it has passed on need not be read
 * @param isOpen whether no object in the value may be frozen
 */
export function isJson (value: unknown, source: Members | null = null, isOpen = false, depth = 0): boolean {
  if (typeof value !== 'object') return isValue(value)
  if (value === null) return true
  // An object that contains itself is too deep.
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
  // `for…in` needs no list of keys.
  for (const key in value) {
    const member = (value as Members)[key]
    if (typeof member === 'string' || typeof member === 'number') continue
    const isPassedOn = source !== null && typeof member === 'object' && member === source[key]
    if (!isPassedOn && !isJson(member, null, isOpen, depth + 1)) return false
  }
  return true
}

/** Tells whether a value that is no object can be serialized. It is true of all objects. */
export function isValue (value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/**
 * Reads a value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined
 * or functions are left out. Numbers, BigInts and bytes stay, because serializers take them.
 *
 * @returns the value, and `restore`, which puts instances back where no function has altered them, because serializers
 * can write instances
 */
export function readJson (source: unknown) {
  /** Dates and instances of classes, by what JSON has in place of them. */
  const originals = new Map<unknown, object>()
  let value = exchanged(source, (value) => {
    // `Date.prototype.toJSON` returns the same text, but is slower.
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
      // Of texts and numbers, only those of dates are noted. Another one may be equal to a member by chance.
      if (copy !== null && (typeof copy === 'object' || original instanceof Date)) originals.set(copy, original)
    })
  }
  /**
   * A text may be that of a date elsewhere, so it stays where it was a text before.
   *
   * @param takesDate tells whether the schema at a path takes dates, or texts; null if it takes both
   */
  function restore (result: unknown, takesDate?: (path: readonly string[]) => boolean | null): unknown {
    if (originals.size === 0) return result
    if (isLean && takesDate === undefined) {
      const originalOf = (value: unknown, before: unknown) => value === before ? value : originals.get(value) ?? value
      const restored = exchanged(result, originalOf, source)
      if (restored !== WHOLE) return restored
    }
    return copyOf(result, (value, at) => {
      const original = originals.get(value)
      if (original === undefined || typeof value === 'object') return original ?? value
      const path = keysTo(at)
      return takesDate?.(path) ?? valueAt(source, path) !== value ? original : value
    })
  }
  return { value, restore }
}

/** The result for a value that has more than plain objects and dates, or is so deep that it may contain itself. */
const WHOLE = Symbol('whole')

/** The depth to which `exchanged` reads. It reads a shared object in each place, so work may double at each level. */
const LEAN_DEPTH = 10

/**
 * Returns a value in which `exchange` replaces all but plain objects. Objects in which nothing differs stay.
 *
 * @param beside another value, whose parts `exchange` gets beside the parts in the same places
 */
function exchanged (
  value: unknown, exchange: (value: unknown, beside: unknown) => unknown, beside?: unknown, depth = 0
): unknown {
  if (!isPlain(value)) return exchange(value, beside)
  if (depth === LEAN_DEPTH) return WHOLE
  const keys = Array.isArray(value) ? null : Object.keys(value)
  let copy: unknown = value
  for (let i = 0; i < (keys ?? value as unknown[]).length; i++) {
    const key = (keys === null ? i : keys[i]) as string
    const member = (value as Members)[key]
    if (typeof member === 'number') continue
    const result = exchanged(member, exchange, (beside as Members | null | undefined)?.[key], depth + 1)
    if (result === WHOLE) return WHOLE
    if (result === member) continue
    if (copy === value) copy = shallow(value)
    put(copy as Members, key, result)
  }
  return copy
}

/** The position of a value: the object or list that holds it, and the path to this holder. The outermost has none. */
export interface At { readonly holder: unknown, readonly path: readonly string[], readonly key?: string }

/** Returns the keys that lead to a value. */
export function keysTo ({ path, key }: At): readonly string[] {
  return key === undefined ? path : [...path, key]
}

/**
 * Returns a copy of a value. Each object is copied once, where it is least deep, because objects may all refer to each
 * other.
 *
 * @param read returns what the copy has in place of a value. Plain objects are copied, other results stay as they are,
 * and members that are undefined are left out
 * @param note is called for each object that `read` has replaced
 */
export function copyOf (
  root: unknown, read: (value: unknown, at: At) => unknown, note?: (copy: unknown, original: object) => void
): unknown {
  const copies = new Map<unknown, unknown>()
  const left: [copy: object, source: object, path: readonly string[]][] = []
  function copyAt (original: unknown, at: At): unknown {
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
  const whole = copyAt(root, { holder: null, path: [] })
  for (const [copy, source, path] of left) {
    // `entries` of a list includes holes, which JSON has as null.
    for (const [key, member] of Array.isArray(source) ? source.entries() : Object.entries(source)) {
      const value = copyAt(member, { holder: source, path, key: String(key) })
      if (Array.isArray(copy)) copy.push(value ?? null)
      else if (value !== undefined) put(copy as Members, String(key), value)
    }
  }
  return whole
}

/** Returns all objects in a value, and the value itself. */
export function objectsIn (root: unknown): ReadonlySet<unknown> {
  const objects = new Set<unknown>([root])
  for (const value of objects) {
    for (const member of isPlain(value) ? Object.values(value) : []) {
      if (typeof member === 'object' && member !== null) objects.add(member)
    }
  }
  return objects
}

/** Returns what JSON has in place of a value, but does not replace members of the value. */
export function jsonOf (value: unknown): unknown {
  const { toJSON } = (typeof value === 'object' && value !== null ? value : {}) as { toJSON?: unknown }
  const source: unknown = typeof toJSON === 'function' ? toJSON.call(value, '') : value
  if (typeof source !== 'object' || source === null) return isJson(source) ? source : undefined
  return isPlain(source) || ArrayBuffer.isView(source) ? source : membersOf(source)
}

/** Returns a shallow copy, which may be modified. An instance of a class becomes a plain object. */
export function shallow (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice()
  return isPlain(value) ? { ...value } : membersOf(value)
}

/** Tells whether a value is an array, or an object that no class has made. */
export function isPlain (value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value) || isOutermost(prototype)
}

/** Tells whether a prototype is the last of its chain. Other realms have an `Object.prototype` of their own. */
function isOutermost (prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null
}

/** Returns the properties of an instance and the getters of its class, because serializers read getters as well. */
function membersOf (instance: object): Members {
  const members: Members = {}
  for (let prototype = Object.getPrototypeOf(instance); !isOutermost(prototype);) {
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype) as PropertyDescriptorMap)) {
      try {
        if (get !== undefined) put(members, key, (instance as Members)[key])
      } catch {} // A getter that throws may be one that the schema does not have.
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return Object.assign(members, instance)
}

/** Sets a property of any name: an assignment to `__proto__` would set the prototype. */
export function put (object: Members, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}
