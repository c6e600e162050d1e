import { isDeepStrictEqual } from 'node:util'

/** The new `$id`s of the schemas of a context, by their own. A schema without an entry keeps its own. */
type Names = ReadonlyMap<string, string>

/**
 * The shared schemas of several contexts in one document. Where contexts have different schemas under one `$id`, the
 * last one keeps it, and the others get a number: `booking-2`.
 */
export class DocumentSchemas {
  /** By their `$id` in the document. */
  readonly all: Readonly<Record<string, unknown>>
  readonly #names = new Map<object, Names>()

  /** @param contexts the schemas of each */
  constructor (contexts: ReadonlyMap<object, Record<string, unknown>>) {
    const known = new Map<string, unknown>()
    const parts: [string, unknown][][] = []
    for (const [context, own] of [...contexts].toReversed()) {
      const names = namesFor(own, known)
      const part = Object.entries(own).map(([id, schema]) => [names.get(id) ?? id, renamed(schema, names)] as const)
      for (const [id, schema] of part) known.set(id, schema)
      parts.unshift(part as [string, unknown][])
      this.#names.set(context, names)
    }
    this.all = Object.fromEntries(parts.flat())
  }

  /** A schema of a route with references as the document has them. */
  refer<Schema> (schema: Schema, context: object): Schema {
    const names = this.#names.get(context) as Names
    return names.size === 0 ? schema : renamed(schema, names) as Schema
  }
}

/** A schema that refers to a renamed schema is a different schema, too, so this is repeated until nothing changes. */
function namesFor (own: Record<string, unknown>, known: ReadonlyMap<string, unknown>): Names {
  const names = new Map<string, string>()
  const isApart = ([id, schema]: readonly [string, unknown]) => (
    !names.has(id) && known.has(id) && !isDeepStrictEqual(known.get(id), renamed(schema, names))
  )
  for (let found = Object.entries(own).find(isApart); found !== undefined; found = Object.entries(own).find(isApart)) {
    const [id, schema] = found
    let i = 2
    const isTaken = (name: string) => (
      known.has(name) && !isDeepStrictEqual(known.get(name), renamed(schema, new Map([...names, [id, name]])))
    )
    while (isTaken(`${id}-${i}`)) i++
    names.set(id, `${id}-${i}`)
  }
  return names
}

/** A copy with other `$id`s, and with references to them; anything but a plain object or list stays as it is. */
function renamed (value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, names))
  if (typeof value !== 'object' || value === null || names.size === 0) return value
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => {
    const isReference = typeof one === 'string' && (key === '$id' || key === '$ref')
    // A reference may lead into a schema: `booking#/properties/id`.
    return [key, isReference ? one.replace(/^[^#]*/, (id) => names.get(id) ?? id) : renamed(one, names)]
  }))
}
