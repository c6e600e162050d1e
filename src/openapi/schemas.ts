import { isDeepStrictEqual } from 'node:util'

import { keptIn } from '../changes/schema.ts'
import { hasZod, isVersioned, sharedSchemasIn, zodIn } from '../older-routes/documents.ts'
import { DocumentError } from '../errors.ts'
import { show } from '../messages.ts'
import { nameFor } from './components.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'

type Schemas = Readonly<Record<string, unknown>>
/** Makes JSON schemas of a Zod schema, as the transform of the user does: for a body, and for a response. */
type ToJson = (schema: object) => readonly ({ readonly $id?: unknown, readonly $ref?: unknown } | undefined)[]

/**
 * Collects the shared schemas of the contexts of routes, as they are in a version. A schema that differs from another
 * schema with its `$id` gets a number: `booking-2`.
 *
 * @param routes of all contexts that the document shows
 * @param server the context of the documents
 * @returns the schemas by their `$id` in the document, and a function that refers to them in the schema of a route
 */
export function sharedSchemasOf (routes: readonly Route[], server: FastifyInstance, version: string) {
  const all: Record<string, unknown> = {}
  const versioned = new Map<object, Map<string, string>>()
  const unversioned = new Map<object, Map<string, string>>()
  function idsIn (context: FastifyInstance, idsByContext: Map<object, Map<string, string>>): Map<string, string> {
    return keptIn(idsByContext, context, () => {
      const schemas: Schemas = idsByContext === versioned ? sharedSchemasIn(context, version) : context.getSchemas()
      const ids = newIdsFor(schemas, all)
      for (const [id, schema] of Object.entries(schemas)) all[ids.get(id) ?? id] = renamed(schema, ids)
      return ids
    })
  }
  const idsFor = (route: Route) => idsIn(route.server, isVersioned(route) ? versioned : unversioned)
  // Routes without a version are in all documents, so they come last and schemas of other routes keep their names.
  for (const route of [...routes.filter((candidate) => candidate.scheme !== null), ...routes]) idsFor(route)
  idsIn(server, unversioned)
  return { shared: all, refer: (schema: object, route: Route) => renamed(schema, idsFor(route)) as object }
}

/** Returns the new `$id`s of schemas. A schema that refers to a renamed one is renamed, too, so the loop repeats. */
function newIdsFor (schemas: Schemas, earlier: Schemas): Map<string, string> {
  const ids = new Map<string, string>()
  const isOther = (id: string, name: string) => (
    name in earlier && !isDeepStrictEqual(earlier[name], renamed(schemas[id], new Map([...ids, [id, name]])))
  )
  for (let size = -1; ids.size > size;) {
    size = ids.size
    for (const id of Object.keys(schemas)) {
      if (ids.has(id) || !isOther(id, id)) continue
      ids.set(id, nameFor(id, (name) => name in schemas || isOther(id, name)))
    }
  }
  return ids
}

/** Returns a copy with other `$id`s and references. A value that is no plain object or list stays as it is. */
function renamed (value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (ids.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => renamed(item, ids))
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => {
    const isReference = typeof member === 'string' && (key === '$id' || key === '$ref')
    // A reference may lead into a schema: `booking#/properties/id`.
    return [key, isReference ? member.replace(/^[^#]*/, (id) => ids.get(id) ?? id) : renamed(member, ids)]
  }))
}

/**
 * Collects the components of Zod schemas as they were in a version. A transform refers to the newest schemas, because a
 * registry of Zod has each id once.
 *
 * @param routes of all contexts that the document shows
 */
export function zodComponentsOf (routes: readonly Route[], version: string) {
  const components: Record<string, object> = {}
  const zodById = new Map<string, object>()
  const isNeeded = [...new Set(routes.map(({ server }) => server))].some((server) => hasZod(server, version))
  function add (route: Route, shown: object, toJson: ToJson): void {
    if (!isNeeded) return
    for (const [id, [now, then]] of zodIn(route, version, shown)) {
      const earlier = zodById.get(id)
      if (earlier === then) continue
      if (earlier !== undefined) {
        throw new DocumentError(`The document of ${show(version)} needs two forms of the Zod schema ${show(id)}: ` +
          `${route.url} has another one than the routes before it. Give it a schema without an id.`)
      }
      zodById.set(id, then)
      if (now === then) continue
      const older = toJson(then)
      for (const [i, reference] of toJson(now).entries()) {
        const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(String(reference?.$ref)) ?? []
        if (name === undefined) {
          throw new DocumentError(`A transform must refer to the Zod schema ${show(id)} as a component, because a ` +
            `change alters it, got ${show(reference)}.`)
        }
        // The `$id` that a transform gives to a schema without an id is not the name of the component.
        const { $id: _, ...component } = { ...older[i] }
        components[name] = component
      }
    }
  }
  return { components, add }
}
