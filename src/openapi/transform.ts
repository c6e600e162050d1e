import { contextOf, schemeOf } from '../context.ts'
import { readClock } from '../lifecycle/clock.ts'
import { expandOptional, namesOf, parsePath } from '../paths/pattern.ts'
import { MARK } from './document.ts'
import { endingOf } from './ending.ts'
import { withConstraints, withVersion } from './naming.ts'
import { pathIn } from './operations.ts'

import type { SwaggerTransform } from '@fastify/swagger'
import type { VersioningContext } from '../context.ts'
import type { Info } from '../options/link-info.ts'
import type { ParametricNode, PathNode } from '../paths/pattern.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Marks } from './document.ts'
import type { Schema } from './naming.ts'
import type { Operations } from './operations.ts'

type Input = Parameters<SwaggerTransform>[0]

const kDeclared: unique symbol = Symbol('fastify-versioning.declared')

/** A route as @fastify/swagger is shown it. */
export type ShownOptions = DeclaredOptions & { readonly [kDeclared]?: DeclaredOptions }

/**
 * A route as @fastify/swagger is to see it: once for each method, for a version may have another route in one of them;
 * and without a transform of its own, which would take the place of ours.
 */
export function shownAs (declared: DeclaredOptions): ShownOptions[] {
  const methods = [declared.method].flat()
  const { swaggerTransform, ...config } = { ...declared.config }
  if (methods.length === 1 && swaggerTransform === undefined) return [declared]
  return methods.map((method) => {
    // What is changed later is seen, but for a HEAD route, of which @fastify/swagger may make a copy.
    const shown = method === 'HEAD' ? { ...declared } : Object.create(declared)
    return Object.assign(shown, { method, config, [kDeclared]: declared })
  })
}

/**
 * A transform that shows the routes of a version as its requests name it.
 *
 * @param given the transform of the user, which is asked first
 * @param marks takes in the operations that have versions; null: the document is not ours to finish
 */
export function transformFor (
  version: string, operations: Operations, given: SwaggerTransform | undefined, marks: Marks | null
): SwaggerTransform {
  return function transform (input: Input) {
    const shown: ShownOptions = input.route as DeclaredOptions
    const declared = shown[kDeclared] ?? shown
    const route = operations.routeDeclaredBy(declared)
    const methods = [shown.method].flat()
    const isShown = route === undefined || methods.some((method) => operations.has(version, route, method))
    if (!isShown) return { schema: { hide: true }, url: input.url }
    const own = declared.config?.swaggerTransform ?? given
    const { schema = input.schema, url } = own ? own(input) : input
    if (route === undefined || schema?.hide === true) return { schema, url }
    const choosing = operations.choosing(route, methods[0])
    const named = withVersion(version, withPatterns(schema ?? {}, route), route, methods, choosing)
    const versioned = withEnding(withConstraints(declared.constraints, named, route), version, route)
    const isMarked = marks !== null && schemeOf(route) !== null
    const path = pathIn(version, url, route)
    return { schema: isMarked ? { ...versioned, [MARK]: marks.add(route) } : versioned, url: path }
  }
}

/** Says which values the parameters of a path take, where the user does not describe them. */
function withPatterns (schema: Schema, { url }: Route): Schema {
  if (schema.params !== undefined || !url.includes('(')) return schema
  const nodes = parsePath(expandOptional(url)[0]).filter((node) => node.kind !== 'static')
  const properties = nodes.flatMap((node) => namesOf(node).map((name) => (
    [name, isPatterned(node) ? { type: 'string', pattern: node.pattern.source } : { type: 'string' }] as const
  )))
  return { ...schema, params: { type: 'object', properties: Object.fromEntries(properties) } }
}

/** Whether a node is one parameter that has a pattern; those that share a segment have one for it as a whole. */
function isPatterned (node: PathNode): node is ParametricNode & { readonly pattern: RegExp } {
  return node.kind === 'parametric' && node.pattern !== null && node.names.length === 1 && node.texts[0] === ''
}

function docsAt ({ href, title }: Info): { url: string, description?: string } {
  return title === null ? { url: href } : { url: href, description: title }
}

/** Says of an operation that it ends; what the user says of it comes first. */
function withEnding (schema: Schema, version: string, route: Route): Schema {
  const ending = endingOf(route, version)
  if (ending === undefined) return schema
  const { sunsetAt, deprecatedAt, infos: [info] } = ending
  return {
    ...deprecatedAt <= readClock(contextOf(route.server) as VersioningContext) ? { deprecated: true } : {},
    ...sunsetAt === null ? {} : { 'x-sunset': new Date(sunsetAt).toISOString().slice(0, 10) },
    ...info === undefined ? {} : { externalDocs: docsAt(info) },
    ...schema
  }
}
