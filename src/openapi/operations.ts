import { schemeOf } from '../context.ts'
import { toPercent } from '../http/uri.ts'
import { registryOf } from '../links/scope.ts'
import { expandOptional, fillParameter, hasParameter, yieldsTo } from '../paths/pattern.ts'
import { DocumentSchemas } from './schemas.ts'
import { Slots } from './slots.ts'

import type { FastifyInstance } from 'fastify'
import type { Registry } from '../links/registry.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Choosing, Endpoint } from './slots.ts'
import type { Scheme } from '../scheme.ts'

/** A route at one of its paths, in one method, as a document may show it. */
export interface Operation {
  /** The record of the route, whose URL is this path alone. */
  readonly route: Route
  readonly declared: DeclaredOptions
  readonly method: string
  readonly endpoint: Endpoint
  /** How requests come to it; null: by the scheme of the route. */
  readonly choosing: Choosing | null
  /** The host where requests to it have the version; null: no host names it. */
  readonly host: string | null
}

/** The operations of a version. */
interface Shown {
  /**
   * Those of one path and method together, because OpenAPI has one place for them: the one to show comes last, so that
   * the one before it is shown where it is hidden.
   */
  readonly groups: readonly (readonly Operation[])[]
  readonly schemas: DocumentSchemas
}

/** Which operations the documents of an app show. To be asked when the app is ready. */
export class Operations {
  readonly #server: FastifyInstance
  readonly #declared: readonly DeclaredOptions[]
  readonly #registry: Registry
  readonly #formatPath: (path: string) => string
  readonly #byVersion = new Map<string, Shown>()
  #knownSlots: Slots | undefined

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

  /** The operations of a version in the order of a document; of those at one path and method the last one counts. */
  of (version: string): readonly Operation[] {
    return this.#of(version).groups.flat()
  }

  /** The schemas that the document of a version may refer to: those of the contexts of its routes. */
  schemasOf (version: string): DocumentSchemas {
    return this.#of(version).schemas
  }

  /**
   * The operation of a version that a route is shown as; null: none.
   *
   * @param methods those of the route that may be shown
   */
  find (version: string, route: Route, methods: readonly string[]): Operation | null {
    const shown = this.#of(version).groups.map((group) => group.findLast(({ declared }) => !isHidden(declared)))
    return shown.find((one) => (
      one !== undefined && this.routeDeclaredBy(one.declared) === route && methods.includes(one.method)
    )) ?? null
  }

  /** The route that was declared with these options; undefined where the plugin has not seen it. */
  routeDeclaredBy (options: DeclaredOptions): Route | undefined {
    return this.#registry.routes.declaredBy(options)
  }

  /** The schemes of the routes that documents may show. */
  get schemes (): Scheme[] {
    const schemes = this.#declared.map((declared) => schemeOf(this.routeDeclaredBy(declared) as Route))
    return [...new Set(schemes)].filter((scheme) => scheme !== null)
  }

  #of (version: string): Shown {
    let shown = this.#byVersion.get(version)
    if (shown === undefined) this.#byVersion.set(version, shown = this.#shownIn(version))
    return shown
  }

  #shownIn (version: string): Shown {
    const byPath = new Map<string, Operation[]>()
    for (const declared of this.#declared) {
      const route = this.routeDeclaredBy(declared) as Route
      const paths = expandOptional(declared.url)
      for (const endpoint of this.#slots.of(route).filter(({ route: { url } }) => paths.includes(url))) {
        const path = pathIn(version, endpoint.route.url, endpoint.route)
        for (const method of route.methods.filter((one) => this.#slots.answers(endpoint, one, version, path))) {
          const key = `${method} ${this.#formatPath(path)}`
          const choosing = this.#slots.choosing(endpoint, method)
          const host = this.#slots.hostFor(endpoint, method, version)
          const operation = { route: endpoint.route, declared, method, endpoint, choosing, host }
          byPath.set(key, [...byPath.get(key) ?? [], operation])
        }
      }
    }
    const groups = [...byPath.values()].map((group) => group.sort(byBreadth).reverse())
    const contexts = new Set([this.#server, ...groups.flat().map(({ route }) => route.server)])
    return { groups, schemas: new DocumentSchemas([...contexts]) }
  }

  get #slots (): Slots {
    if (this.#knownSlots === undefined) {
      const { routes, options } = this.#registry
      this.#knownSlots = new Slots(routes.list, options)
    }
    return this.#knownSlots
  }
}

/** The one with the fewest constraints comes first, or the one whose path the router tries last. */
function byBreadth ({ endpoint: a }: Operation, { endpoint: b }: Operation): number {
  const constraints = Object.keys(a.constraints).length - Object.keys(b.constraints).length
  if (constraints !== 0) return constraints
  return Number(yieldsTo(b.slot.shape, a.slot.shape)) - Number(yieldsTo(a.slot.shape, b.slot.shape))
}

function isHidden ({ schema }: DeclaredOptions): boolean {
  return (schema as { hide?: boolean } | undefined)?.hide === true
}

/**
 * A path of a route with the version in it, where it has a place for it.
 *
 * @param path that of the route, or what a transform has made of it
 * @param route the record, whose URL has no optional parameter
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
  const params = scheme === null ? [] : scheme.inPath.map(({ impliedParam }) => impliedParam)
  return params.find((name) => name !== null && hasParameter(route.url, name)) ?? null
}

/** What has a meaning in a path of Fastify or OpenAPI is escaped. */
function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}
