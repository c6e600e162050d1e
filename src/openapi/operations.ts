import { schemeOf } from '../context.ts'
import { toPercent } from '../http/uri.ts'
import { registryOf } from '../links/scope.ts'
import { expandOptional, fillParameter, hasParameter } from '../paths/pattern.ts'
import { UrlTemplate } from '../paths/template.ts'
import { CONSTRAINT } from '../routing/constraint.ts'
import { Places, isReachedIn } from '../routing/reach.ts'

import type { FastifyInstance } from 'fastify'
import type { Registry } from '../links/registry.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Choosing } from '../routing/reach.ts'
import type { SharedSchemas } from './properties.ts'

/** What stands for the value of a parameter, to ask who answers a URL; the first that the path takes. */
const SAMPLES = ['sample', '7', 'a', '2000-01-01', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6']

/** Of OpenAPI. Fastify has more. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** A path that a document shows in one method. */
interface Shown {
  readonly route: Route
  /** How many constraints there are, such as a host, besides the version. */
  readonly constraints: number
}

/** Which routes the documents of an app show. To be asked when the app is ready. */
export class Operations {
  readonly #server: FastifyInstance
  readonly #declared: readonly DeclaredOptions[]
  readonly #registry: Registry
  readonly #formatPath: (path: string) => string
  readonly #byVersion = new Map<string, ReadonlyMap<Route, ReadonlySet<string>>>()
  #knownPlaces: Places | undefined

  /**
   * @param declared the routes in the order of their declaration
   * @param formatPath makes a path of OpenAPI of one of Fastify
   */
  constructor (server: FastifyInstance, declared: readonly DeclaredOptions[], formatPath: (path: string) => string) {
    this.#server = server
    this.#registry = registryOf(server) as Registry
    this.#declared = declared
    this.#formatPath = formatPath
  }

  /** Whether the document of a version shows a route in a method. */
  has (version: string, route: Route, method: string): boolean {
    return this.#of(version).get(route)?.has(method) === true
  }

  /** The schemas that the document of a version may refer to: those of the contexts of its routes. */
  schemasOf (version: string): SharedSchemas {
    const contexts = new Set([this.#server, ...[...this.#of(version).keys()].map(({ server }) => server)])
    return Object.assign({}, ...[...contexts].map((context) => context.getSchemas()))
  }

  /** How requests come to a route whose own scheme does not choose among the routes of its URL; null: it does. */
  choosing (route: Route, method: string): Choosing | null {
    return this.#places.choosing(route, method)
  }

  /** The route that was declared with these options; undefined where the plugin has not seen it. */
  routeDeclaredBy (options: object): Route | undefined {
    return this.#registry.routes.declaredBy(options)
  }

  #of (version: string): ReadonlyMap<Route, ReadonlySet<string>> {
    let shown = this.#byVersion.get(version)
    if (shown === undefined) this.#byVersion.set(version, shown = this.#shownIn(version))
    return shown
  }

  /** OpenAPI has one operation for a path and a method: the one that asks for fewest constraints, or was first. */
  #shownIn (version: string): ReadonlyMap<Route, ReadonlySet<string>> {
    this.#registry.update()
    const byPath = new Map<string, Shown>()
    for (const options of this.#declared) {
      const route = this.#registry.routes.declaredBy(options)
      if (route === undefined || !isReachedIn(route, version)) continue
      const path = this.#formatPath(pathIn(version, route.url, route))
      const constraints = constraintsOf(options)
      for (const method of route.methods.filter((one) => METHODS.includes(one))) {
        if (!this.#isAnswered(route, method, version)) continue
        const key = `${method} ${path}`
        const other = byPath.get(key)
        if (other === undefined || constraints < other.constraints) byPath.set(key, { route, constraints })
      }
    }
    const shown = new Map<Route, Set<string>>()
    for (const [key, { route }] of byPath) {
      const methods = shown.get(route) ?? new Set()
      shown.set(route, methods.add(key.slice(0, key.indexOf(' '))))
    }
    return shown
  }

  get #places (): Places {
    this.#knownPlaces ??= new Places(this.#registry.routes.list, this.#registry.options)
    return this.#knownPlaces
  }

  /** Whether no other route has the version at its URL, nor the URL with the version in it. */
  #isAnswered (route: Route, method: string, version: string): boolean {
    const { options, ownership } = this.#registry
    if (!this.#places.isServedBy(route, method, version)) return false
    const param = versionParamOf(route)
    if (param === null) return true
    const template = new UrlTemplate(expandOptional(route.url)[0], options)
    for (const sample of SAMPLES) {
      const values = Object.fromEntries(template.names.map((name) => [name, name === param ? version : sample]))
      const url = template.fill([], values)
      if (url !== null) return ownership.isOwn(ownership.find([method], template.path), url)
    }
    return true
  }
}

/**
 * The path of a route with the version in it, where it has a place for it.
 *
 * @param path that of the route, or what a transform has made of it
 */
export function pathIn (version: string, path: string, route: Route): string {
  const param = versionParamOf(route)
  // OpenAPI has no optional parameter of a path, nor a path without a slash, as Fastify has in `*`.
  const [whole] = expandOptional(path.startsWith('/') ? path : `/${path}`)
  return param === null ? whole : fillParameter(whole, param, toPathText(version))
}

/** The parameter of the path that is the version; null: none. */
export function versionParamOf (route: Route): string | null {
  const scheme = schemeOf(route)
  const params = (scheme?.schemes ?? [scheme]).map((one) => one?.impliedParam)
  return params.find((name) => name && hasParameter(route.url, name)) ?? null
}

/** What has a meaning in a path of Fastify or OpenAPI is escaped. */
function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}

function constraintsOf ({ constraints }: DeclaredOptions): number {
  return Object.keys(constraints ?? {}).filter((name) => name !== CONSTRAINT).length
}
