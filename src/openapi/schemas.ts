import { isDeepStrictEqual } from 'node:util'

import { isVersioned, schemasIn } from '../changes/documents.ts'
import { nameFor } from './components.ts'

import type { Route } from '../routes.ts'

type Schemas = Readonly<Record<string, unknown>>
/** The `$id`s in the document, by the `$id`s of a context. A schema without an entry keeps its own. */
type Ids = ReadonlyMap<string, string>
type InContext = Pick<Route, 'server' | 'ownScheme'>

const NO_IDS: Ids = new Map()

/**
 * The shared schemas of the contexts of routes, in a version. One that differs from another of its `$id` gets a number:
 * `booking-2`. Changes do not apply to neutral routes.
 *
 * @returns the schemas by their `$id` in the document, and how the schema of a route refers to them
 */
export function sharedSchemasOf (routes: readonly InContext[], version: string) {
  const all: Record<string, unknown> = {}
  const versioned = new Map<object, Ids>()
  const others = new Map<object, Ids>()
  for (const route of routes) {
    const { server } = route
    const known = isVersioned(route) ? versioned : others
    if (known.has(server)) continue
    const own: Schemas = known === versioned ? schemasIn(server, version) : server.getSchemas()
    const ids = newIdsFor(own, all)
    for (const [id, schema] of Object.entries(own)) all[ids.get(id) ?? id] = renamed(schema, ids)
    known.set(server, ids)
  }
  const refer = (schema: unknown, route: InContext): object => {
    const ids = (isVersioned(route) ? versioned : others).get(route.server) ?? NO_IDS
    return renamed(schema, ids) as object
  }
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
