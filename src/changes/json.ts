/** How deep values are read before circles are looked for. */
const MAX_DEPTH = 100

const TOO_DEEP = new Error('The value may lead back to itself')

/** What is remembered of a value while it is read; null for what is not. */
interface Memory {
  /** Objects as JSON has them. */
  readonly known: Map<unknown, unknown> | null
  /** Dates by their texts. */
  readonly dates: Map<string, Date> | null
}

const NOTHING: Memory = { known: null, dates: null }

/**
 * A value as JSON has it: the result of `toJSON` replaces what has this method, and properties that are undefined or
 * functions are left out. Copied only where it differs. BigInts and bytes stay, because serializers take them. An
 * object that leads back to itself stays there as it is: the older schema may drop it.
 *
 * @param dates is given the dates of the value by their texts
 */
export function toJson (given: unknown, dates: Map<string, Date> | null = null): unknown {
  try {
    return read(given, 0, dates === null ? NOTHING : { known: null, dates })
  } catch (error) {
    if (error !== TOO_DEEP) throw error
    return read(given, 0, { known: new Map(), dates })
  }
}

/** A value with dates again where their texts are. */
export function withDates (
  value: unknown, dates: ReadonlyMap<string, Date>, known = new Map<unknown, unknown>()
): unknown {
  if (typeof value === 'string') return dates.get(value) ?? value
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (known.has(value)) return known.get(value)
  known.set(value, value)
  const entries = Object.entries(value).map(([key, member]) => [key, withDates(member, dates, known)] as const)
  const dated = Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
  known.set(value, dated)
  return dated
}

function read (given: unknown, depth: number, memory: Memory): unknown {
  switch (typeof given) {
    case 'object': return given === null ? null : readObject(given, depth, memory)
    case 'number': return Number.isFinite(given) ? given : null
    case 'function': case 'symbol': return undefined
    default: return given
  }
}

function readObject (given: object, depth: number, memory: Memory): unknown {
  const { known, dates } = memory
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
    ? Array.isArray(value) ? readList(value, depth, memory) : readMembers(value as object | null, depth, memory)
    : read(value, depth, memory)
  known?.set(given, json)
  if (dates !== null && given instanceof Date) dates.set(json as string, given)
  return json
}

function readList (list: readonly unknown[], depth: number, memory: Memory): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const json = read(item, depth + 1, memory) ?? null
    if (json !== item) (copy ??= list.slice())[i] = json
  }
  return copy ?? list
}

function readMembers (value: object | null, depth: number, memory: Memory): object | null {
  const object = value as Record<string, unknown>
  let copy: Record<string, unknown> | null = null
  // Without a list of keys, which nothing needs where nothing differs.
  for (const key in object) {
    const member = object[key]
    const json = read(member, depth + 1, memory)
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
