import { changesIn, schemeOf } from '../context.ts'
import { entriesOf } from './schema.ts'

import type { FastifyInstance } from 'fastify'
import type { Route } from '../routes.ts'
import type { Edition } from './edition.ts'
import type { Part } from './forms.ts'
import type { ObjectSchema } from './schema.ts'

/** Whether the schemas of a route depend on the version. */
export function isVersioned (route: Pick<Route, 'server' | 'ownScheme'>): boolean {
  return schemeOf(route) !== null && changesIn(route.server) !== null
}

/** The schema of a route as a document of a version shows it: with references as they were written. */
export function schemaIn (route: Route, version: string, given: object): ObjectSchema {
  const { byVersion, declared } = route.older
  const schema: ObjectSchema = { ...given, ...declared }
  const form = byVersion?.get(version)
  if (form === undefined) return schema
  const shown: Record<string, unknown> = { ...schema }
  delete shown.query
  const older = new Map([...form.parts].map(([name, part]) => [name, shownPart(part, form.edition)] as const))
  for (const part of ['body', 'querystring']) if (older.has(part)) shown[part] = older.get(part)
  if (schema.response === undefined) return shown
  const responses = entriesOf(schema.response).map(([status]) => (
    [status, older.get(`response ${status.toLowerCase()}`)]
  ))
  return { ...shown, response: Object.fromEntries(responses) }
}

/** The shared schemas of a context as a document of a version shows them. */
export function schemasIn (server: FastifyInstance, version: string): Record<string, unknown> {
  const schemas = server.getSchemas() as Record<string, unknown>
  const changes = changesIn(server)
  if (changes === null || !changes.versions.includes(version)) return schemas
  const edition = changes.lineageOf(schemas).editionIn(changes.indexOf(version))
  const ids = new Set([...Object.keys(schemas), ...edition.schemas.keys()])
  return Object.fromEntries([...ids].map((id) => {
    const place = edition.find(id.replace(/#$/, ''))
    const schema = schemas[id] ?? place?.schema
    if (place === null || !edition.isStale(schema)) return [id, schema]
    return [id, { $id: id, ...edition.copy(place, (reference) => reference) as object }]
  }))
}

function shownPart ({ slices }: Part, edition: Edition): unknown {
  const written = [...slices].map(([type, { schema }]) => [type, asItWas(edition, schema)] as const)
  const [[type, only]] = written
  return type === null ? only : { content: Object.fromEntries(written.map(([one, schema]) => [one, { schema }])) }
}

function asItWas (edition: Edition, schema: unknown): unknown {
  return edition.isStale(schema) ? edition.copy(edition.at(schema), (reference) => reference) : schema
}
