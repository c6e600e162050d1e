import { isDeepStrictEqual } from 'node:util'

import { nameFor } from './components.ts'

import type { FastifyInstance } from 'fastify'

type Schemas = Readonly<Record<string, unknown>>

/**
 * The shared schemas of several contexts. One that differs from another of its `$id` gets a number: `booking-2`.
 *
 * @returns the schemas by their `$id` in the document, and how the schema of a route refers to them
 */
export function sharedSchemasOf (contexts: Iterable<FastifyInstance>) {
  const all: Record<string, unknown> = {}
  const idsOf = new Map<FastifyInstance, Map<string, string>>()
  for (const context of new Set(contexts)) {
    const own: Schemas = context.getSchemas()
    const ids = newIdsFor(own, all)
    for (const [id, schema] of Object.entries(own)) all[ids.get(id) ?? id] = renamed(schema, ids)
    idsOf.set(context, ids)
  }
  const refer = (schema: unknown, context: FastifyInstance): object => (
    renamed(schema, idsOf.get(context) ?? new Map()) as object
  )
  return { all, refer }
}

/** A schema that refers to a renamed one is another schema, too, so this is repeated until nothing changes. */
function newIdsFor (own: Schemas, known: Schemas): Map<string, string> {
  const ids = new Map<string, string>()
  const isOther = (id: string, name: string) => (
    name in known && !isDeepStrictEqual(known[name], renamed(own[id], new Map([...ids, [id, name]])))
  )
  for (let size = -1; ids.size > size;) {
    size = ids.size
    for (const id of Object.keys(own)) {
      if (ids.has(id) || !isOther(id, id)) continue
      ids.set(id, nameFor(id, (name) => name === id || (name in own && name in known) || isOther(id, name)))
    }
  }
  return ids
}

/** A copy with other `$id`s, and with references to them; anything but a plain object or list stays as it is. */
function renamed (value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (ids.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => renamed(one, ids))
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => {
    const isReference = typeof one === 'string' && (key === '$id' || key === '$ref')
    // A reference may lead into a schema: `booking#/properties/id`.
    return [key, isReference ? one.replace(/^[^#]*/, (id) => ids.get(id) ?? id) : renamed(one, ids)]
  }))
}
