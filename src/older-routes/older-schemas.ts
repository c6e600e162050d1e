import { withSchemas } from '../changes/parts.ts'
import { entriesOf } from '../changes/schema.ts'
import { ownVersionsOf } from '../routing/coverage.ts'

import type { Entry } from './entry.ts'

/** The parts of a route that Fastify validates. */
export const VALIDATED = ['body', 'querystring', 'query', 'params', 'headers']
const COMPILED = [...VALIDATED, 'response']

/** Returns the index of the version whose schemas Fastify compiles for a route; null for the newest version. */
export function compiledVersionOf ({ route, changes: { steps, versions }, schema }: Entry): number | null {
  if (route.claim === null && route.namespace.names.length === 0) return null
  if (!COMPILED.some((part) => schema[part] !== undefined)) return null
  const ownVersions = ownVersionsOf(route)
  const newest = versions.findLast((version) => ownVersions.includes(version)) ?? ''
  const writtenFor = versions.indexOf(route.writtenFor ?? newest)
  return writtenFor !== -1 && steps.some(({ index }) => index > writtenFor) ? writtenFor : null
}

/**
 * Gives a route that only serves older versions the schemas as they were in the version that its handler is written
 * for. They are getters, because Fastify reads them when no schema can be added any more.
 *
 * @param compiled the copy of the schema of the route that Fastify has
 * @param note is called before a schema is read
 */
export function compileFor (entry: Entry, compiled: object, note: () => void): void {
  const { route: { server }, changes, schema } = entry
  const version = compiledVersionOf(entry)
  if (version === null) return
  for (const part of COMPILED.filter((part) => schema[part] !== undefined)) {
    const use = part === 'response' ? 'serialized' : 'validated'
    const get = () => {
      note()
      const edition = changes.editionsIn(server).editionIn(version)
      return changed(entry, part, (newest) => edition.isStale(newest) ? edition.bundle(newest, use) : newest)
    }
    Object.defineProperty(compiled, part, { get, configurable: true, enumerable: true })
  }
}

/** Returns a part of the schema of a route in which `change` has replaced the schemas. */
function changed ({ schema }: Entry, part: string, change: (schema: unknown) => unknown): unknown {
  if (part !== 'response') return withSchemas(schema[part], change)
  const responses = entriesOf(schema[part])
  return Object.fromEntries(responses.map(([status, response]) => [status, withSchemas(response, change)]))
}

/** Gives a route its schema as it was declared, when Fastify has compiled it, because documents show this schema. */
export function restore (entry: Entry): void {
  const { options, schema } = entry
  for (const part of COMPILED.filter((part) => schema[part] !== undefined)) {
    const value = changed(entry, part, (declared) => declared)
    const declared = { value, configurable: true, enumerable: true, writable: true }
    Object.defineProperty(options.schema, part, declared)
    // Fastify has copied `query` to `querystring`.
    if (part === 'query') Object.defineProperty(options.schema, 'querystring', declared)
  }
}
