import { contextOf } from '../context.ts'
import { schemaIn } from '../changes/documents.ts'
import { DocumentError } from '../errors.ts'
import { show } from '../messages.ts'
import { expandOptional, namesOf, parsePath } from './old-pattern.ts'
import { MARK } from './document.ts'
import { describedWith, endingOf, sentenceOf } from './ending.ts'
import { withVersion, withoutPathParameters } from './naming.ts'
import { contextOf as schemasOf, pathIn } from './operations.ts'

import type { SwaggerTransform } from '@fastify/swagger'
import type { ParametricNode, PathNode } from './old-pattern.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Mark } from './document.ts'
import type { Schema } from './naming.ts'
import type { Operation, Operations } from './operations.ts'
import type { Subject } from './options.ts'

/** What @fastify/swagger gives to a transform for a document of OpenAPI 3. */
type Input = Extract<Parameters<SwaggerTransform>[0], { openapiObject: unknown }>

/** Without a schema the route is shown with its own. */
type Result = Omit<ReturnType<SwaggerTransform>, 'schema'> & { readonly schema?: Schema }

const kOperation: unique symbol = Symbol('fastify-versioning.operation')
/** The methods of OpenAPI. From 3.2 on it has them all. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** An operation as a route that @fastify/swagger is shown. */
type ShownOptions = DeclaredOptions & { readonly [kOperation]?: Operation }

/** An operation as a route: without its own transform, which would replace ours. */
export function shownAs (operation: Operation): ShownOptions {
  const { declared, method, route: { url } } = operation
  const { swaggerTransform: _own, ...config } = { ...declared.config }
  return { ...declared, method: method as DeclaredOptions['method'], url, config, [kOperation]: operation }
}

/**
 * A transform that shows the routes of a version, with the version where requests specify it.
 *
 * @param given the transform of the user, which runs first
 * @param isOurs whether we finish the document: then its operations have marks
 */
export function transformFor (
  subject: Subject, operations: Operations, given: SwaggerTransform | undefined, isOurs: boolean
): (input: Input) => Result {
  const { version } = subject
  return function transform (asDeclared) {
    const shown: ShownOptions = asDeclared.route as DeclaredOptions
    const route = operations.routeDeclaredBy(shown[kOperation]?.declared ?? shown)
    // The plugin has not seen its declaration.
    if (route === undefined) return resultOf(given, asDeclared)
    const input = { ...asDeclared, schema: schemaIn(route, version, asDeclared.schema) as Schema }
    const methods = [shown.method].flat().filter((method) => isDescribed(method, input.openapiObject.openapi))
    const operation = shown[kOperation] ?? operations.find(subject, route, methods)
    if (methods.length === 0 || operation === null) return { schema: { hide: true }, url: input.url }
    const own = operation.declared.config?.swaggerTransform ?? given
    const { schema, url } = resultOf(own, { ...input, url: operation.route.url })
    if (schema?.hide === true) return { schema, url }
    const named = withAll(version, schema ?? {}, operation)
    const versioned = withEnding(named, version, operation.route, () => operations.successorOf(operation, subject))
    const path = pathIn(version, url, operation.route)
    if (!isOurs) return { schema: versioned, url: path }
    const referring = operations.of(subject).schemas.refer(versioned, schemasOf(operation.record))
    const mark: Mark = { shown: operation, hasBody: schema?.body !== undefined }
    return { schema: { ...referring, [MARK]: () => mark } as Schema, url: path }
  }
}

/** Whether OpenAPI has a place for a method. */
function isDescribed (method: string, openapi: string | undefined): boolean {
  return METHODS.includes(method) || Number(openapi?.split('.')[1]) >= 2
}

/** The result of a transform of a route, or the route itself. */
function resultOf (own: SwaggerTransform | false | undefined, input: Input): Result {
  if (!own) return input
  const result: unknown = own(input)
  if (typeof result !== 'object' || result === null || result instanceof Promise) {
    throw new DocumentError(`A transform must return { schema, url }, got ${show(result)} for ${input.url}.`)
  }
  const { schema = input.schema, url } = result as ReturnType<SwaggerTransform>
  return { schema, url }
}

function withAll (version: string, schema: Schema, operation: Operation): Schema {
  const { declared, route } = operation
  const [whole] = expandOptional(declared.url)
  const left = namesIn(route.url)
  const omitted = namesIn(whole).filter((name) => !left.includes(name))
  const shown = namesIn(pathIn(version, route.url, route))
  const gone = namesIn(whole).filter((name) => !shown.includes(name))
  const described = withoutPathParameters(gone, withPatterns(withOwnId(schema, omitted), route), route)
  return withVersion(version, described, operation)
}

function namesIn (path: string): string[] {
  return parsePath(path).flatMap(namesOf)
}

/** An `operationId` is unique, so that the path without an optional parameter needs its own. */
function withOwnId (schema: Schema, omitted: readonly string[]): Schema {
  const { operationId } = schema
  if (operationId === undefined || omitted.length === 0) return schema
  return { ...schema, operationId: `${operationId}-without-${omitted.join('-')}` }
}

/** Says which values the parameters of a path take, where the user does not describe them. */
function withPatterns (schema: Schema, { url }: Route): Schema {
  if (schema.params !== undefined || !url.includes('(')) return schema
  const nodes = parsePath(url).filter((node) => node.kind !== 'static')
  const properties = nodes.flatMap((node) => namesOf(node).map((name) => (
    [name, isPatterned(node) ? { type: 'string', pattern: node.pattern.source } : { type: 'string' }] as const
  )))
  return { ...schema, params: { type: 'object', properties: Object.fromEntries(properties) } }
}

/**
 * Whether a node is one parameter that has a pattern; parameters that share a segment have one pattern for all of it.
 */
function isPatterned (node: PathNode): node is ParametricNode & { readonly pattern: RegExp } {
  return node.kind === 'parametric' && node.pattern !== null && node.names.length === 1 && node.texts[0] === ''
}

/**
 * Adds to an operation how it ends. What the user has written wins, except that the description begins with the end.
 */
function withEnding (schema: Schema, version: string, route: Route, successor: () => string | null): Schema {
  const ending = endingOf(route, version)
  if (ending === undefined) return schema
  const { sunsetAt, deprecatedAt, info } = ending
  const context = contextOf(route.server)
  return {
    // A route that ends by itself is in a preview still.
    ...context.lifecycle?.get(version)?.isPreview === true ? { 'x-stability-level': 'beta' } : {},
    ...deprecatedAt <= context.now() ? { deprecated: true } : {},
    ...sunsetAt === null ? {} : { 'x-sunset': new Date(sunsetAt).toISOString().slice(0, 10) },
    ...info === null ? {} : { externalDocs: { url: info } },
    ...schema,
    description: describedWith(sentenceOf(ending, successor(), route.server), schema.description)
  }
}
