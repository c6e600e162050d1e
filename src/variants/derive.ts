import { schemeOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { changeLabel } from '../changes/steps.ts'
import { labelOf } from '../routes.ts'
import { MAX_HANDLERS } from '../routing/store.ts'
import { upgradeRequests } from './requests.ts'
import { downgradeResponses } from './responses.ts'

import type { RouteOptions } from 'fastify'
import type { HandledRoute, RouteSchema, SharedSchemas, Variant, Variants } from '../changes/variant.ts'
import type { DeclaredOptions, Route, Routes } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { Call } from './calls.ts'
import type { References } from './requests.ts'
import type { SharedSchemaStore } from './shared-schemas.ts'

/**
 * The value of `hide` in the schemas of older routes. It keeps them out of a document that @fastify/swagger makes
 * alone; ours recognize it and show them.
 */
export const OLDER = 'older'
const SCHEMA_PARTS = ['body', 'querystring', 'query', 'params', 'headers', 'response']

/** What changes make of a route, as it was planned when its context had loaded. */
export interface Plan {
  /** The route, and the HEAD routes that Fastify added to it. */
  readonly routes: readonly Route[]
  /** What the route claims; changes may leave it less. */
  readonly claim: Route['claim']
  readonly handledRoute: HandledRoute
  readonly schemas: SharedSchemas
  readonly variants: Variants
}

/** What the older routes of an app share. */
export interface AppRecords {
  readonly routes: Routes
  readonly schemas: SharedSchemaStore
  readonly references: References
}

/**
 * Declares the older routes of a route, and gives it the schemas of the version that its handler speaks.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION where the route cannot have them
 */
export function derive (call: Call, { handledRoute, variants }: Plan, app: AppRecords): void {
  const { server, options, routes } = call
  const { asDeclared, handled, older } = variants
  if (hasSocket(options) && older.length > 0) {
    throw new VersionChangeOptionError(
      `Changes do not apply to websocket routes, but ${labelOf(routes[0])} is touched by ${listed(older)}.`
    )
  }
  // Where no version is served as declared, the declared route itself becomes the newest of the older ones.
  const itself = asDeclared.length === 0 ? older[0] : null
  const added = itself === null ? older : older.slice(1)
  const replacement = itself ?? handled
  const handlerSchema = handled?.schema ?? handledRoute.schema
  if (added.length > 0) checkChoice(routes[0], added, app.routes)
  if (older.length > 0) app.routes.hasVariants = true
  for (const one of handled === null ? older : [handled, ...older]) app.schemas.add(server, one)
  for (const route of routes) {
    route.claim?.narrow(itself?.versions ?? asDeclared)
    if (replacement !== null) setParts(ownSchemaOf(route), replacement.schema)
    if (itself !== null) makeOlder(route, itself, handlerSchema, app.references)
  }
  for (const variant of added) {
    for (const route of declare(call, variant)) {
      if (ownSchemaOf(route) === ownSchemaOf(routes[0])) {
        throw new VersionChangeOptionError(
          `An onRoute hook gives all versions of ${labelOf(route)} one schema. Let it give each route its own: ` +
          'route.schema = { ...route.schema, … }.'
        )
      }
      // Hooks have seen its schema, and may have put newer parts into it.
      setParts(ownSchemaOf(route), variant.schema)
      makeOlder(route, variant, handlerSchema, app.references)
    }
  }
}

/** @param handlerSchema the schema of the version that the handler speaks */
function makeOlder (
  route: Route, variant: Variant, handlerSchema: RouteSchema | undefined, references: References
): void {
  route.variant = { link: variant.link }
  upgradeRequests(route, variant, handlerSchema, references)
  downgradeResponses(route, variant)
}

function declare (call: Call, variant: Variant): readonly Route[] {
  try {
    return call.declare(optionsFor(variant, call))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'FST_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED') throw error
    throw new VersionChangeOptionError(
      `Changes give ${labelOf(call.routes[0])} a schema for the body, but requests of this method have none: ` +
      `${listed([variant])}.`
    )
  }
}

function checkChoice (route: Route, added: readonly Variant[], routes: Routes): void {
  const { label, whyNoChoice: why } = schemeOf(route) as Scheme
  if (why !== null) {
    throw new VersionChangeOptionError(
      `${label} cannot choose the older routes that changes make of ${labelOf(route)}: expected ${why}. The ` +
      `changes are ${listed(added)}.`
    )
  }
  const { length: count } = routes.list.filter(({ url, methods }) => (
    url === route.url && methods.some((method) => route.methods.includes(method))
  ))
  if (count + added.length > MAX_HANDLERS) throw tooMany(route, added, count)
}

function optionsFor ({ versions, schema }: Variant, { options, routes }: Call): RouteOptions {
  const { method, writtenFor: _writtenFor, schema: given, ...others } = options
  return {
    ...others,
    method: typeof method === 'string' ? method : [...method],
    // What onRoute hooks add that is not a part, they add again.
    schema: { ...setParts({ ...given }, schema), hide: schema.hide === true || OLDER } as object,
    // Routes of one version share their claim.
    version: versions.length === 1 ? versions[0] : versions,
    exposeHeadRoute: routes.some(({ isAdded }) => isAdded)
  }
}

/** Gives an object the parts of a schema, and no others. */
function setParts (target: Record<string, unknown>, schema: RouteSchema): RouteSchema {
  for (const part of SCHEMA_PARTS) {
    if (schema[part] === undefined) delete target[part]
    else target[part] = schema[part]
  }
  return target
}

/** The very object that Fastify compiles when the app is ready: changes to it count. */
function ownSchemaOf ({ options }: Route): Record<string, unknown> {
  return (options as DeclaredOptions).schema as Record<string, unknown>
}

function listed (variants: readonly Variant[]): string {
  return [...new Set(variants.flatMap(({ changes }) => changes))].map(changeLabel).join(', ')
}

function tooMany (route: Route, added: readonly Variant[], count: number): Error {
  const kept = added.slice(0, MAX_HANDLERS - count)
  const known = new Set(kept.flatMap(({ changes }) => changes))
  const retired = added.slice(kept.length).map((variant) => ({
    ...variant, changes: variant.changes.filter((change) => !known.has(change))
  }))
  return new VersionChangeOptionError(
    `Changes make ${added.length} older routes of ${labelOf(route)}, and versions choose among ${MAX_HANDLERS} ` +
    `routes at most. Retire the oldest of them: ${listed(retired)}.`
  )
}

/** Whether @fastify/websocket answers requests to a route, with messages that nothing converts. */
function hasSocket (options: RouteOptions): boolean {
  const { websocket, wsHandler } = options as { websocket?: unknown, wsHandler?: unknown }
  return Boolean(websocket) || wsHandler !== undefined
}
