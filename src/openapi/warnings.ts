import { shortList, show, warn } from '../messages.ts'

import type { Route } from '../routes.ts'

/** Warns of documents in a context without routes, if other contexts have routes with versions. */
export function warnEmpty (routes: readonly Route[]): void {
  if (!routes.some(({ scheme, isAdded }) => scheme !== null && !isAdded)) return
  warn('FST_WARN_VERSION_DOCUMENT', 'Register fastify-versioning/openapi in the context of the routes, or wrap the ' +
    'plugin that registers it in fastify-plugin: its own context has no routes, so the documents are empty.')
}

/** Warns of routes that no document shows, because its version of OpenAPI does not have their methods. */
export function warnMethods (routes: readonly string[]): void {
  if (routes.length === 0) return
  warn('FST_WARN_VERSION_DOCUMENT', `Documents leave out ${shortList(routes)}, because OpenAPI has these methods ` +
    "from 3.2 on. Set openapi: { openapi: '3.2.0' }, or hide these routes with schema: { hide: true }.")
}

/** Warns of events that no document shows, because @fastify/swagger makes OpenAPI 3.0 by default. */
export function warnEvents (names: readonly string[]): void {
  if (names.length === 0) return
  warn('FST_WARN_VERSION_DOCUMENT', `Documents leave out the events ${shortList(names.map(show))}, because OpenAPI ` +
    "has webhooks from 3.1 on. Set openapi: { openapi: '3.1.0' }, or '3.0.3' if they may be left out.")
}

/** Warns once of references in the document of a version that lead nowhere. */
export function warnReferences (version: string, references: readonly string[], warned: Set<string>): void {
  const missing = shortList(references)
  if (missing === '' || warned.has(missing)) return
  warned.add(missing)
  warn('FST_WARN_VERSION_DOCUMENT', `The document of ${show(version)} lacks ${missing}, to which it refers. Set ` +
    '"transformObject" next to the "transform" of Zod. Instead of "definitions" in a route, use app.addSchema().')
}
