import { appOf } from '../boot/app.ts'
import { contextOf } from '../context.ts'
import { eventsOf } from '../events/events.ts'
import { toPercent } from '../http/uri.ts'
import { isWithin } from '../instances.ts'
import { expandOptional, namesOf, shapeOf } from '../paths/pattern.ts'
import { routeOf } from '../routes.ts'
import { canServe, isServedBy } from '../routing/coverage.ts'
import { minorOf } from './options.ts'

import type { FastifyInstance } from 'fastify'
import type { AppEvent } from '../events/events.ts'
import type { Registry } from '../links/registry.ts'
import type { RouterOptions } from '../fastify/router-options.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { DocumentOptions } from '../../types/openapi.d.ts'

/** The field in an operation of @fastify/swagger with a function that returns the `Operation` of which it is made. */
export const MADE_OF = 'x-fastify-versioning'

/** The `Operation` of each operation in a document, wherever a transform of the user has put it. */
export const shownOperations = new WeakMap<object, Operation>()

/** The methods of OpenAPI before 3.2, which has all methods. */
export const OPENAPI_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** Matches a parameter of a path, with its pattern, in which groups may have groups. */
const ROUTE_PARAMETER = /(?<!:):([^:(./-]+)(?:\((?:[^()\\]|\\.|\((?:[^()\\]|\\.|\([^()]*\))*\))*\))?/g

/** One method and one path of a route. An optional parameter makes two paths. */
export interface Operation {
  /** The options of the route as they were declared. */
  readonly declared: DeclaredOptions
  readonly method: string
  readonly record: Route
  /** The record of the route with only this path as its URL. */
  readonly route: Route
  /** The name of an event, or null for a route. */
  readonly event: string | null
  /** The parameter of the path that is the version, or null. */
  readonly versionParam: string | null
  /** The end of the operationId, if the route has another method, or another path with a parameter. */
  readonly suffix: string
}

/** Returns the operations of routes in the order of their declaration, one for each method and path. */
export function allOperations (options: readonly DeclaredOptions[], { routes }: Registry): Operation[] {
  const ofGet = new Set(options.filter(({ method }) => method.includes('GET')).map(({ url }) => url))
  return options.flatMap((declared) => {
    const record = routeOf(declared.config, routes) as Route
    // At the root of a prefix Fastify adds a HEAD route to each of two paths, and GET is shown at one of them.
    if (record.isAdded && !ofGet.has(declared.url)) return []
    const { scheme } = record
    // @fastify/swagger gives HEAD an id of its own.
    const [first] = record.methods.filter((method) => method !== 'HEAD')
    return expandOptional(declared.url).flatMap((url, i) => {
      const route = url === record.url ? record : { ...record, url }
      const versionParam = namesOf(url).find((name) => scheme?.params.includes(name)) ?? null
      const ofPath = i === 0 ? '' : `-without-${namesOf(declared.url).at(-1)}`
      return record.methods.map((method) => {
        const ofMethod = method === first || method === 'HEAD' ? '' : `-${method.toLowerCase()}`
        return { declared, method, record, route, event: null, versionParam, suffix: ofMethod + ofPath }
      })
    })
  })
}

/** Returns the events of a context, and those of contexts below it unless the context has one of the same name. */
export function eventsShownIn (server: FastifyInstance): AppEvent[] {
  const below = appOf(server).events.filter((event) => event.server !== server && isWithin(event.server, server))
  return [...new Map([...below, ...eventsOf(server) ?? []].map((event) => [event.name, event])).values()]
}

/**
 * Returns the events of a version as operations, from OpenAPI 3.1 on. Each event is the response of a route, because
 * @fastify/swagger knows only paths.
 */
export function eventOperationsOf (version: string, context: FastifyInstance, options: DocumentOptions): Operation[] {
  const all = minorOf(options) === 0 ? [] : eventsShownIn(context)
  // A context below may have other versions.
  const shown = all.filter(({ server }) => contextOf(server).scheme?.allows(version))
  return shown.map(({ name, older, schema, server }, i) => {
    const method = 'POST'
    const url = `/x-fastify-versioning-event/${i}`
    const declared = { method, url, config: {}, schema } as unknown as DeclaredOptions
    const route = { server, older, url, scheme: contextOf(server).scheme } as unknown as Route
    return { declared, method, record: route, route, event: name, versionParam: null, suffix: '' }
  })
}

/** Returns the operations in the document of a version: for each method and path, the one that answers there. */
export function operationsOf (
  version: string, all: readonly Operation[], router: RouterOptions, options: DocumentOptions
): Operation[] {
  const byPlace = new Map<string, Operation>()
  for (const operation of all) {
    const { method, record, route, versionParam } = operation
    const isShown = OPENAPI_METHODS.includes(method) || minorOf(options) >= 2
    if (!isShown || !canServe(route, version) || !isServedBy(record, method, version)) continue
    if (isAtOtherHost(route, version)) continue
    const place = `${method} ${shapeOf(pathIn(version, route.url, versionParam), router)}`
    const earlier = byPlace.get(place)
    if (earlier === undefined || precedes(operation, earlier, router)) byPlace.set(place, operation)
  }
  return [...byPlace.values()]
}

/** Tells whether the path of an operation has the version, as a parameter or by its namespace. */
export function isInUrl ({ record: { namespace }, versionParam }: Operation, scheme: Scheme): boolean {
  return versionParam !== null || scheme.versionIn(namespace.names) !== null
}

/** Tells whether a route is for a host that has another version. */
function isAtOtherHost (route: Route, version: string): boolean {
  const { constraints: { host }, scheme } = route
  if (typeof host !== 'string' || scheme === null) return false
  const hosts = scheme.members.map(({ author }) => author.hostFor(version, host)).filter((name) => name !== null)
  if (hosts.length > 0) return !hosts.includes(host)
  // At a host without a version, requests have the default version, unless they may say a version elsewhere.
  return version !== scheme.defaultVersion && isByHost(scheme)
}

/** Tells whether a document can show the version of requests in the host alone. */
export function isByHost ({ members }: Scheme): boolean {
  return members.every(({ ownMethods, parameter }) => (
    parameter === null && !ownMethods.has('mediaTypeFor') && ownMethods.has('hostFor')
  ))
}

/**
 * Tells whether a route is shown rather than another route, because OpenAPI has one operation for each method and path.
 * The order is: fewer constraints, the path that the router prefers (text to a parameter, a pattern to any value), a
 * claim.
 */
function precedes ({ route }: Operation, { route: otherRoute }: Operation, router: RouterOptions): boolean {
  const more = Object.keys(route.constraints).length - Object.keys(otherRoute.constraints).length
  if (more !== 0) return more < 0
  const [path, otherPath] = [route, otherRoute].map(({ url }) => shapeOf(url, router))
  const at = [...path].findIndex((character, i) => character !== otherPath[i])
  return at === -1 ? route.claim !== null && otherRoute.claim === null : path[at] === '^' || otherPath[at] === ':'
}

/**
 * Returns a path of a route with the version in it.
 *
 * @param path the path of the route, or the path that a transform has returned
 * @param versionParam the parameter that is the version, or null
 */
export function pathIn (version: string, path: string, versionParam: string | null): string {
  // OpenAPI has no optional parameters in paths, and no path without a slash, such as `*` of Fastify.
  const [whole] = expandOptional(path.startsWith('/') ? path : `/${path}`)
  if (versionParam === null) return whole
  return whole.replace(ROUTE_PARAMETER, (all, name) => name === versionParam ? toPathText(version) : all)
}

/** Returns a version in which all that has a meaning in a path of Fastify or OpenAPI is escaped. */
function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}
