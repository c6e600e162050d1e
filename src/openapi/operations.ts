import { schemeOf } from '../context.ts'
import { toPercent } from '../http/uri.ts'
import { expandOptional, namesOf, shapeOf } from '../paths/pattern.ts'
import { routeIn, routeOf, slotOf } from '../routes.ts'
import { canServe, isServedBy } from '../routing/coverage.ts'

import type { SwaggerTransform } from '@fastify/swagger'
import type { Registry } from '../links/registry.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** The field of a schema, and of what @fastify/swagger makes of it, that has a function which returns the operation. */
export const MADE_OF = 'x-fastify-versioning'

/** What the operations of documents are made of, wherever a transform of the user has put them. */
export const shownOperations = new WeakMap<object, Operation>()

/** Stands for a version: no path that a client sends has this character. */
const ANY = '\0'

/** A parameter of a path, with its pattern, in which groups may have groups. */
const PARAMETER = /(?<!:):([^:(./-]+)(?:\((?:[^()\\]|\\.|\((?:[^()\\]|\\.|\([^()]*\))*\))*\))?/g

/** A route in one method and at one path: an optional parameter makes two of them. */
export interface Operation {
  /** What @fastify/swagger gets, without the transform of the route, which would replace ours. */
  readonly declared: DeclaredOptions
  readonly transform: SwaggerTransform | false | undefined
  readonly method: string
  readonly record: Route
  /** The record of the route, but its URL is this path alone. */
  readonly route: Route
  /** The name of the event, if it is one; undefined for a route. */
  readonly event?: string
  /** The method, and how the router sees the path. */
  readonly place: string
  /** The same, with what stands for the version in place of its parameter. */
  readonly placeOfAny: string
  /** The parameter of the path that is the version, or null. */
  readonly versionParam: string | null
  /** What its id has at the end, if the route has another method, or another path with a parameter. */
  readonly suffix: string
  /** Whether no route with the same constraints has the version before this one. */
  readonly serves: (version: string) => boolean
  /** Whether a request without a version is answered, perhaps by another route. */
  readonly answersDefault: boolean
  /** Whether the path has the version, as a parameter or by its namespace. */
  readonly isInUrl: boolean
  /** Operations of one kind have one context, scheme and host, and the same answers in a version. */
  readonly kind: string
}

/** The operations of routes, in the order of their declaration: one for each method and path. */
export function allOperations (options: readonly DeclaredOptions[], registry: Registry): Operation[] {
  const operations: Operation[] = []
  const numbers = new Map<unknown, number>()
  for (const declared of options) {
    const { config, errorHandler, schema } = declared
    const record = routeOf(config, registry.routes) as Route
    const { claim, constraints: { host }, namespace, retirement, server } = record
    const scheme = schemeOf(record)
    const isInNamespace = (scheme?.versionIn(namespace.names) ?? null) !== null
    const context = [server, scheme, retirement, host, errorHandler].map((part) => {
      if (!numbers.has(part)) numbers.set(part, numbers.size)
      return numbers.get(part)
    })
    for (const [i, url] of expandOptional(declared.url).entries()) {
      const route = url === record.url ? record : { ...record, url }
      const versionParam = namesOf(url).find((name) => scheme?.params.includes(name)) ?? null
      const isInUrl = versionParam !== null || isInNamespace
      // @fastify/swagger gives HEAD an id of its own.
      const [first] = record.methods.filter((method) => method !== 'HEAD')
      for (const method of record.methods) {
        const ofMethod = method === first || method === 'HEAD' ? '' : `-${method.toLowerCase()}`
        const slot = slotOf(record, method)
        const isServed = slot === null || routeIn(slot, scheme?.defaultVersion ?? null) !== null
        const answersDefault = isServed && scheme?.allows(scheme.defaultVersion) === true
        const operation: Operation = {
          declared: {
            ...declared,
            method: method as 'GET',
            url,
            config: { ...config, swaggerTransform: undefined as never },
            schema: { ...schema, [MADE_OF]: () => operation } as object
          },
          transform: config?.swaggerTransform,
          method,
          record,
          route,
          place: `${method} ${shapeOf(url, registry.options)}`,
          placeOfAny: `${method} ${shapeOf(pathIn(ANY, url, versionParam), registry.options)}`,
          versionParam,
          suffix: ofMethod + (i === 0 ? '' : `-without-${namesOf(declared.url).at(-1)}`),
          serves: (version) => isServedBy(record, method, version),
          answersDefault,
          isInUrl,
          kind: `${context} ${claim === null} ${isInUrl} ${answersDefault}`
        }
        operations.push(operation)
      }
    }
  }
  return operations
}

/** The operations of a version: one for each method and path, the one that answers there. */
export function operationsOf (version: string, all: readonly Operation[], options: RouterOptions): Operation[] {
  const byPlace = new Map<string, Operation>()
  const [any, versionText] = [ANY, version].map(toPathText)
  const text = options.caseSensitive ? versionText : versionText.toLowerCase()
  for (const operation of all) {
    const { placeOfAny, route, serves } = operation
    if (!canServe(route, version) || !serves(version) || isAtOtherHost(route, version)) continue
    const place = placeOfAny.replace(any, text)
    const earlier = byPlace.get(place)
    if (earlier === undefined || precedes(operation, earlier)) byPlace.set(place, operation)
  }
  return [...byPlace.values()]
}

/** Whether a route is for a host that has another version. */
function isAtOtherHost (route: Route, version: string): boolean {
  const { host } = route.constraints
  const scheme = schemeOf(route)
  if (typeof host !== 'string' || scheme === null) return false
  const hosts = scheme.members.map(({ author }) => author.hostFor(version, host)).filter((name) => name !== null)
  if (hosts.length > 0) return !hosts.includes(host)
  // A host without a version has the default one, unless the version may be in another place.
  return version !== scheme.defaultVersion && isByHost(scheme)
}

/** Whether a document shows the version of requests in the host alone. */
export function isByHost ({ members }: Scheme): boolean {
  return members.every(({ ownMethods, parameter }) => (
    parameter === null && !ownMethods.has('mediaTypeFor') && ownMethods.has('hostFor')
  ))
}

/**
 * Which of two routes is shown, because OpenAPI has one operation for each method and path. What counts is, in this
 * order: fewer constraints, the path that the router prefers (text to a parameter, a pattern to any value), a claim.
 */
function precedes ({ place, route }: Operation, { place: otherPlace, route: otherRoute }: Operation): boolean {
  const more = Object.keys(route.constraints).length - Object.keys(otherRoute.constraints).length
  if (more !== 0) return more < 0
  const at = [...place].findIndex((character, i) => character !== otherPlace[i])
  return at === -1 ? route.claim !== null && otherRoute.claim === null : place[at] === '^' || otherPlace[at] === ':'
}

/**
 * A path of a route with the version in it.
 *
 * @param path the path of the route, or the path that a transform has returned
 * @param versionParam the parameter that is the version, or null
 */
export function pathIn (version: string, path: string, versionParam: string | null): string {
  // OpenAPI has no optional parameter of a path, nor a path without a slash, as Fastify has in `*`.
  const [whole] = expandOptional(path.startsWith('/') ? path : `/${path}`)
  if (versionParam === null) return whole
  return whole.replace(PARAMETER, (all, name) => name === versionParam ? toPathText(version) : all)
}

/** What has a meaning in a path of Fastify or OpenAPI is escaped. */
function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}
