import { isVersioned, schemasIn } from '../changes/documents.ts'
import { schemeOf } from '../context.ts'
import { toPercent } from '../http/uri.ts'
import { registryOf } from '../links/scope.ts'
import { expandOptional, fillParameter, hasParameter, yieldsTo } from './old-pattern.ts'
import { endingOf, endingOfAll } from './ending.ts'
import { DocumentSchemas } from './schemas.ts'
import { Slots, isOfHost } from './slots.ts'

import type { FastifyInstance } from 'fastify'
import type { Registry } from '../links/registry.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Subject } from './options.ts'
import type { Access, Endpoint } from './slots.ts'
import type { Scheme } from '../scheme.ts'
import type { Teams } from './teams.ts'

/** A route at one of its paths, in one method, as a document may show it. */
export interface Operation extends Endpoint, Access {
  readonly declared: DeclaredOptions
  readonly method: string
}

/** The operations of a document. */
interface Shown {
  /**
   * In the order of the document. OpenAPI has one place for all operations of one path and method: the last one counts,
   * and the one before it where that one is hidden.
   */
  readonly all: readonly Operation[]
  /** The one that counts for each path and method. */
  readonly counting: readonly Operation[]
  /** The routes that have versions, each at one of its paths. */
  readonly routes: readonly Route[]
  /** How the version ends, if all of these routes agree, or undefined. */
  readonly ending: Ending | undefined
  /** The schemas that the document may refer to: the schemas of the contexts of its routes. */
  readonly schemas: DocumentSchemas
}

/** Which operations the documents of an app show. Use it when the app is ready. */
export class Operations {
  readonly #server: FastifyInstance
  readonly #declared: readonly DeclaredOptions[]
  readonly #subjects: readonly Subject[]
  readonly #teams: Teams
  readonly #registry: Registry
  readonly #formatPath: (path: string) => string
  readonly #bySubject = new Map<string, Shown>()
  #knownSlots: Slots | undefined

  /**
   * @param declared the routes in the order of their declaration
   * @param formatPath makes a path of OpenAPI of one of Fastify
   */
  constructor (
    server: FastifyInstance, declared: readonly DeclaredOptions[], subjects: readonly Subject[], teams: Teams,
    formatPath: (path: string) => string
  ) {
    this.#server = server
    this.#registry = registryOf(server)
    this.#declared = declared
    this.#subjects = subjects
    this.#teams = teams
    this.#formatPath = formatPath
  }

  /**
   * The operation that a document shows a route as, or null if it does not.
   *
   * @param methods the methods of the route that may be shown
   */
  find (subject: Subject, route: Route, methods: readonly string[]): Operation | null {
    return this.of(subject).counting.find(({ declared, method }) => (
      this.routeDeclaredBy(declared) === route && methods.includes(method)
    )) ?? null
  }

  /** The latest version with the same operation, if it does not end, or null if none is later. */
  successorOf ({ method, route }: Operation, subject: Subject): string | null {
    const key = keyOf(method, route, subject)
    const later = this.#laterThan(subject).findLast((other) => this.of(other).counting.some((one) => (
      keyOf(one.method, one.route, other) === key && endingOf(one.route, other.version) === undefined
    )))
    return later?.version ?? null
  }

  /** The latest version after another one, if it does not end, or null if none is later. */
  latestAfter (subject: Subject): string | null {
    return this.#laterThan(subject).findLast((other) => this.of(other).ending === undefined)?.version ?? null
  }

  /** The documents of the same team after one. */
  #laterThan (subject: Subject): readonly Subject[] {
    const own = this.#subjects.filter(({ team }) => team === subject.team)
    return own.slice(own.indexOf(subject) + 1)
  }

  /** The route that was declared with these options; undefined where the plugin has not seen it. */
  routeDeclaredBy (options: DeclaredOptions): Route | undefined {
    return this.#registry.routes.declaredBy(options)
  }

  /** The schemes of the routes that a document may show. */
  schemesFor (subject: Subject): Scheme[] {
    const routes = this.#declared.map((declared) => this.routeDeclaredBy(declared) as Route)
    const schemes = routes.filter((route) => this.#teams.has(route, subject)).map(schemeOf)
    return [...new Set(schemes)].filter((scheme) => scheme !== null)
  }

  of (subject: Subject): Shown {
    let shown = this.#bySubject.get(subject.name)
    if (shown === undefined) this.#bySubject.set(subject.name, shown = this.#shownIn(subject))
    return shown
  }

  #shownIn (subject: Subject): Shown {
    const { version } = subject
    const byPath = new Map<string, Operation[]>()
    for (const declared of this.#declared) {
      const route = this.routeDeclaredBy(declared) as Route
      if (!this.#teams.has(route, subject)) continue
      const paths = expandOptional(declared.url)
      for (const endpoint of this.#slots.of(route).filter(({ route: { url } }) => paths.includes(url))) {
        const path = pathIn(version, endpoint.route.url, endpoint.route)
        for (const method of route.methods) {
          const access = this.#slots.accessTo(endpoint, method, version, path)
          if (access === null) continue
          const key = `${method} ${this.#formatPath(path)}`
          byPath.set(key, [...byPath.get(key) ?? [], { ...endpoint, ...access, declared, method }])
        }
      }
    }
    const groups = [...byPath.values()].map((group) => group.sort(byBreadth).reverse())
    const all = groups.flat()
    const counting = groups.map((group) => group.findLast(({ declared }) => !isHidden(declared)))
    const routes = all.map(({ route }) => route).filter((route) => schemeOf(route) !== null)
    const contexts = new Map<object, Record<string, unknown>>([[this.#server, this.#server.getSchemas()]])
    for (const { record } of all) {
      const { server } = record
      contexts.set(contextOf(record), isVersioned(record) ? schemasIn(server, version) : server.getSchemas())
    }
    return {
      all,
      counting: counting.filter((one) => one !== undefined),
      routes,
      ending: endingOfAll(routes, version, this.#server),
      schemas: new DocumentSchemas(contexts)
    }
  }

  get #slots (): Slots {
    this.#knownSlots ??= new Slots(this.#registry.routes.list, this.#registry.options)
    return this.#knownSlots
  }
}

const versioned = new WeakMap<object, object>()

/** What stands for the schemas of a route: its context, or the versions of its context. */
export function contextOf (route: Route): object {
  if (!isVersioned(route)) return route.server
  const known = versioned.get(route.server) ?? {}
  versioned.set(route.server, known)
  return known
}

/** What an operation has in common with the same one of another version. */
function keyOf (method: string, route: Route, { version }: Subject): string {
  const own = toPathText(version)
  const segments = pathIn(version, route.url, route).split('/')
  return `${method} ${segments.map((one) => one === own ? '{version}' : one.replace(/^:\w+/, ':')).join('/')}`
}

/**
 * The one with the fewest constraints comes first, or the one that answers at the address of the app, or the one whose
 * path the router tries last.
 */
function byBreadth (a: Operation, b: Operation): number {
  const constraints = Object.keys(a.constraints).length - Object.keys(b.constraints).length
  if (constraints !== 0) return constraints
  const home = Number(isAtHome(b)) - Number(isAtHome(a))
  if (home !== 0) return home
  return Number(yieldsTo(b.slot.shape, a.slot.shape)) - Number(yieldsTo(a.slot.shape, b.slot.shape))
}

/** Whether an operation is for a host that is the one of the app. */
function isAtHome (operation: Operation): boolean {
  return operation.home !== null && isOfHost(operation, operation.home)
}

function isHidden ({ schema }: DeclaredOptions): boolean {
  return (schema as { hide?: boolean } | undefined)?.hide === true
}

/**
 * A path of a route with the version in it, if the path has a parameter for it.
 *
 * @param path the path of the route, or the path that a transform has returned
 * @param route the record, whose URL has no optional parameter
 */
export function pathIn (version: string, path: string, route: Route): string {
  const param = versionParamOf(route)
  // OpenAPI has no optional parameter of a path, nor a path without a slash, as Fastify has in `*`.
  const [whole] = expandOptional(path.startsWith('/') ? path : `/${path}`)
  return param === null ? whole : fillParameter(whole, param, toPathText(version))
}

/** The parameter of the path that is the version, or null. */
export function versionParamOf (route: Route): string | null {
  const scheme = schemeOf(route)
  const params = scheme === null ? [] : scheme.inPath.map(({ impliedParam }) => impliedParam)
  return params.find((name) => name !== null && hasParameter(route.url, name)) ?? null
}

/** What has a meaning in a path of Fastify or OpenAPI is escaped. */
export function toPathText (version: string): string {
  return encodeURIComponent(version.toWellFormed()).replace(/[!'()*]/g, toPercent)
}
