/** How deep values are read before circles are looked for. */
const MAX_DEPTH = 100

const TOO_DEEP = new Error('The value may lead back to itself')

type Known = Map<unknown, unknown> | null

/**
 * A value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined or
 * functions are left out. Copied only where it differs. BigInts and bytes stay, because serializers take them. An
 * object that leads back to itself stays there as it is: the older schema may drop it.
 */
export function toJson (given: unknown): unknown {
  try {
    return read(given, 0, null)
  } catch (error) {
    if (error !== TOO_DEEP) throw error
    return read(given, 0, new Map())
  }
}

/** @param known objects as JSON has them, or null if they are not remembered */
function read (given: unknown, depth: number, known: Known): unknown {
  switch (typeof given) {
    case 'object': return given === null ? null : readObject(given, depth, known)
    case 'number': return Number.isFinite(given) ? given : null
    case 'function': case 'symbol': return undefined
    default: return given
  }
}

function readObject (given: object, depth: number, known: Known): unknown {
  const isList = Array.isArray(given)
  const isPlain = isList || Object.getPrototypeOf(given) === Object.prototype
  if (known === null) {
    if (depth > MAX_DEPTH) throw TOO_DEEP
  } else {
    if (known.has(given)) return known.get(given)
    known.set(given, given)
  }
  let value: unknown = given
  if (!isPlain || Object.hasOwn(given, 'toJSON')) {
    const { toJSON } = given as { toJSON?: unknown }
    if (typeof toJSON === 'function') value = toJSON.call(given, '')
    else if (ArrayBuffer.isView(given)) return given
    else if (!isPlain) value = { ...given }
  }
  const json = value === given || typeof value === 'object'
    ? Array.isArray(value) ? readList(value, depth, known) : readMembers(value as object | null, depth, known)
    : read(value, depth, known)
  known?.set(given, json)
  return json
}

function readList (list: readonly unknown[], depth: number, known: Known): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const json = read(item, depth + 1, known) ?? null
    if (json !== item) (copy ??= list.slice())[i] = json
  }
  return copy ?? list
}

function readMembers (value: object | null, depth: number, known: Known): object | null {
  const object = value as Record<string, unknown>
  let copy: Record<string, unknown> | null = null
  // Without a list of keys, which nothing needs where nothing differs.
  for (const key in object) {
    const member = object[key]
    const json = read(member, depth + 1, known)
    if (copy === null) {
      if (json === member && json !== undefined) continue
      copy = membersBefore(object, key)
    }
    if (json !== undefined) put(copy, key, json)
  }
  return copy ?? object
}

function membersBefore (object: Record<string, unknown>, end: string): Record<string, unknown> {
  const copy = {}
  for (const key of Object.keys(object)) {
    if (key === end) break
    put(copy, key, object[key])
  }
  return copy
}

/** A property of any name: `__proto__` is one as well. */
export function put (object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}
