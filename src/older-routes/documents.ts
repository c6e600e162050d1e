import { withSchemas } from '../changes/parts.ts'
import { entriesOf, idsIn, normalId } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'
import { changesIn } from '../context.ts'

import type { FastifyInstance } from 'fastify'
import type { Edition } from '../changes/edition.ts'
import type { ObjectSchema } from '../changes/schema.ts'
import type { Route } from '../routes.ts'

/** Tells whether the schemas of a route may depend on the version. */
export function isVersioned ({ scheme, server }: Pick<Route, 'server' | 'scheme'>): boolean {
  return scheme !== null && changesIn(server) !== null
}

/** Returns the schema of a route as the document of a version shows it, with references as they were written. */
export function schemaIn (route: Route, version: string, declared: object): ObjectSchema {
  const form = route.older.byVersion?.get(version)
  if (form === undefined) return { ...declared }
  const then = (name: string, now: unknown) => {
    const [media] = form.parts.get(name)?.values() ?? []
    return withSchemas(media?.written ?? now, (schema) => asItWas(form.edition, schema))
  }
  const { query, body, querystring = query, response, ...others } = declared as ObjectSchema
  const shown: Record<string, unknown> = others
  for (const [name, now] of Object.entries({ body, querystring })) {
    const part = then(name, now)
    if (part !== undefined) shown[name] = part
  }
  const responses = entriesOf(response).map(([status, now]) => {
    const name = `response ${status.toLowerCase()}`
    return [form.renamed.get(name)?.slice('response '.length) ?? status, then(name, now)]
  })
  if (response !== undefined) shown.response = Object.fromEntries(responses)
  return shown
}

/** Returns the shared schemas of a context as the document of a version shows them. */
export function sharedSchemasIn (server: FastifyInstance, version: string): Record<string, unknown> {
  const schemas = server.getSchemas() as Record<string, unknown>
  const edition = editionOf(server, version)
  if (edition === null) return schemas
  const ids = new Set([...Object.keys(schemas), ...edition.schemas.keys()])
  return Object.fromEntries([...ids].flatMap((id) => {
    const place = edition.find(normalId(id))
    const schema = schemas[id] ?? place?.schema
    if (schema === undefined || isZod(schema)) return []
    if (place === null || !edition.isStale(schema)) return [[id, schema]]
    return [[id, { $id: id, ...edition.copy(place, (reference) => reference) as object }]]
  }))
}

/** Tells whether routes of a context have Zod schemas with ids, which may be different in a version. */
export function hasZod (server: FastifyInstance, version: string): boolean {
  return [...editionOf(server, version)?.schemas.values() ?? []].some(isZod)
}

/** Returns the Zod schemas that the schema of a route leads to, by their ids: as they are now, and in a version. */
export function zodIn (route: Route, version: string, shown: object): Map<string, readonly [object, object]> {
  const edition = isVersioned(route) ? editionOf(route.server, version) : null
  const found = new Map<string, readonly [now: object, then: object]>()
  const left: object[] = [shown]
  for (const schema of left) {
    for (const [id, now] of idsIn([schema])) {
      if (!isZod(now) || found.has(id)) continue
      const then = (edition?.find(id)?.schema ?? now) as object
      found.set(id, [now, then])
      left.push(then)
    }
  }
  return found
}

/** Returns the schemas of a context as they were in a version; null if the changes do not know the version. */
function editionOf (server: FastifyInstance, version: string): Edition | null {
  const changes = changesIn(server)
  if (changes === null || !changes.versions.includes(version)) return null
  return changes.editionsIn(server).editionIn(changes.indexOf(version))
}

/** Returns a schema as it was. A Zod schema stays, because a transform makes references of schemas in it with an id. */
function asItWas (edition: Edition, schema: unknown): unknown {
  if (isZod(schema) || !edition.isStale(schema)) return schema
  return edition.copy(edition.at(schema), (reference) => reference)
}
