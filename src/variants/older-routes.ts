import { changesIn, inherited, schemeOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { watchCalls } from './calls.ts'
import { describe } from './changelog.ts'
import { derive } from './derive.ts'
import { SharedSchemaStore } from './shared-schemas.ts'
import { VersionsByRoute } from './versions-by-route.ts'
import { writtenForOf } from './written-for.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Changes } from '../changes/changes.ts'
import type { HandledRoute, RouteSchema, SharedSchemas, Variants } from '../changes/variant.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { DeclaredOptions, Route, Routes } from '../routes.ts'
import type { AppChange } from '../../types/index.d.ts'
import type { Call } from './calls.ts'
import type { Plan } from './derive.ts'
import type { References } from './requests.ts'
import type { Served } from './versions-by-route.ts'

const isWatched = inherited<true>('isWatched')

type Done = (error?: Error | null) => void
type After = (hook: (error: Error | null, done: Done) => void) => void

/** The older routes of an app that changes make. */
export class OlderRoutes {
  readonly #routes: Routes
  readonly #options: RouterOptions
  readonly #versions: VersionsByRoute
  /** The shared schemas of contexts, as they were before changes added older ones. */
  readonly schemas = new SharedSchemaStore()
  /** The contexts that were given changes. */
  readonly #given = new Map<Changes, FastifyInstance>()
  /** By context, what it has declared and no plan was made for yet. */
  readonly #calls = new Map<FastifyInstance, Call[]>()
  readonly #plans = new Map<Route, Plan>()
  readonly #references: References = new Map()
  /** What `app.changes` shows once the app is ready. */
  readonly #described = new Map<Changes, readonly AppChange[]>()
  /** Once the app is ready, the shared schemas of all contexts that have the changes. */
  readonly #shared = new Map<Changes, readonly SharedSchemas[]>()

  constructor (routes: Routes, options: RouterOptions) {
    this.#routes = routes
    this.#options = options
    this.#versions = new VersionsByRoute(routes, options)
  }

  /** Call it when a context is given changes. */
  watch (fastify: FastifyInstance, changes: Changes): void {
    this.#given.set(changes, fastify)
    if (isWatched.of(fastify)) return
    isWatched.set(fastify, true)
    watchCalls(fastify, this.#routes, (call) => this.#onCall(call))
  }

  /**
   * Call it when the app is ready: the versions of a route, and the schemas of its context, may have changed since its
   * context was loaded.
   *
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the route, or a change that touches none
   */
  check (): void {
    const { list } = this.#routes
    if (this.#given.size === 0) return
    const declared = this.#declared()
    const versions = new VersionsByRoute({ list: [...declared.values()] }, this.#options)
    const servers = new Set([...this.#given.values(), ...list.map(({ server }) => server)])
    const changing = [...servers].filter((server) => changesIn(server) !== null)
    const schemasOf = new Map(changing.map((server) => [server, this.schemas.of(server)]))
    for (const [route, asDeclared] of declared) this.#checkRoute(route, versions.of(asDeclared), schemasOf)
    const names = [...new Set(list.map(nameIn).filter((name) => name !== null))]
    for (const changes of this.#given.keys()) {
      const having = [...schemasOf].filter(([server]) => changesIn(server) === changes)
      const shared = [...new Set(having.map(([, schemas]) => schemas))]
      this.#shared.set(changes, shared)
      changes.checkUsed(names, shared)
      this.#described.set(changes, this.describe(changes))
      changes.forget()
    }
    this.#plans.clear()
    this.schemas.settle()
  }

  /**
   * The shared schemas to convert a value with: of the context itself or, if it lacks some, of the first context that
   * has the same changes and all schemas.
   */
  schemasFor (server: FastifyInstance, changes: Changes, id: string): SharedSchemas {
    const own = this.schemas.of(server)
    if (changes.isComplete(id, own)) return own
    return this.#shared.get(changes)?.find((schemas) => changes.isComplete(id, schemas)) ?? own
  }

  /** What `app.changes` shows. */
  describe (changes: Changes): readonly AppChange[] {
    return this.#described.get(changes) ?? describe(changes, this.#plans.values())
  }

  /**
   * The declared routes with the claims they had, by route. Without older routes, because a route that was declared
   * later may take their versions. The routes that Fastify refused have left the list.
   */
  #declared (): ReadonlyMap<Route, Route> {
    const isMade = (route: Route) => route.variant !== null && !this.#plans.has(route)
    return new Map(this.#routes.list.filter((route) => !isMade(route)).map((route) => {
      const plan = this.#plans.get(route)
      return [route, plan === undefined ? route : { ...route, claim: plan.claim }]
    }))
  }

  #checkRoute (
    route: Route, { versions, isSame }: Served, schemasOf: ReadonlyMap<FastifyInstance, SharedSchemas>
  ): void {
    const { server, isAdded, options } = route
    const changes = changesIn(server)
    if (changes === null || schemeOf(route) === null || isAdded) return
    const plan = this.#plans.get(route)
    const isServedAsBefore = versions.join('\n') === plan?.handledRoute.served.join('\n')
    if (plan !== undefined && isApplied(plan.variants)) {
      if (!isSame) throw severalMethods(route)
      if (isServedAsBefore) return
      const before = show(plan.handledRoute.served)
      throw new VersionChangeOptionError(
        `${labelOf(route)} serves the versions ${show(versions)}, but ${before} when its context had loaded: ` +
        'a route of the same URL was declared later, elsewhere. Say with the option "version" which versions each of ' +
        'them serves.'
      )
    }
    const schemas = schemasOf.get(server) as SharedSchemas
    if (isSame && isServedAsBefore && schemas === plan?.schemas) return
    const handledRoute = plan?.handledRoute ?? handledRouteOf(route, options as DeclaredOptions, versions)
    if (!isApplied(changes.variantsOf({ ...handledRoute, served: versions }, schemas))) return
    throw new VersionChangeOptionError(
      `Changes make older routes of ${labelOf(route)}, but that was not known when its context had loaded. Declare ` +
      'it after fastify-versioning is registered with "changes", by app.route() or app.get() and the like, and add ' +
      'the schemas that it refers to before its context has loaded.'
    )
  }

  /** Once a context has loaded, its schemas are known, and Fastify has compiled nothing yet. */
  #onCall (call: Call): void {
    const { server } = call
    const calls = this.#calls.get(server)
    if (calls !== undefined) {
      calls.push(call)
      return
    }
    this.#calls.set(server, [call])
    const after = server.after as unknown as After
    after.call(server, (error, done) => {
      const declared = this.#calls.get(server) as Call[]
      this.#calls.delete(server)
      try {
        if (!error) this.#planAll(server, declared)
        done(error)
      } catch (failure) {
        done(failure as Error)
      }
    })
  }

  #planAll (server: FastifyInstance, calls: readonly Call[]): void {
    const changes = changesIn(server)
    if (changes === null) return
    const schemas = this.schemas.of(server)
    for (const call of calls) if (schemeOf(call.routes[0]) !== null) this.#plan(call, changes, schemas)
  }

  #plan (call: Call, changes: Changes, schemas: SharedSchemas): void {
    const { routes } = call
    const [route] = routes
    const { versions, isSame } = this.#versions.of(route)
    const handledRoute = handledRouteOf(route, route.options as DeclaredOptions, versions)
    const variants = changes.variantsOf(handledRoute, schemas)
    const plan = { routes, claim: route.claim?.copy() ?? null, handledRoute, schemas, variants }
    this.#plans.set(route, plan)
    if (!isApplied(variants)) return
    if (!isSame) throw severalMethods(route)
    derive(call, plan, { routes: this.#routes, schemas: this.schemas, references: this.#references })
  }
}

/** A route as changes see it. */
function handledRouteOf (route: Route, options: RouteOptions, served: readonly string[]): HandledRoute {
  const writtenFor = writtenForOf(route, options)
  // A part of it may be replaced by an older one.
  const schema = options.schema === undefined ? undefined : { ...options.schema as RouteSchema }
  const isChosen = schemeOf(route)?.whyNoChoice === null
  const hasParams = /[:*]/.test(route.url)
  return { name: nameIn(route), label: labelOf(route), schema, hasParams, served, isChosen, writtenFor }
}

/** Whether changes make something else of a route than was declared. */
function isApplied ({ handled, older }: Variants): boolean {
  return handled !== null || older.length > 0
}

/** The name of a route in changes: without the namespace that is the version. */
function nameIn (route: Route): string | null {
  const { name, namespace: { names } } = route
  if (name === null) return null
  const full = [...names, name].join(':')
  return schemeOf(route)?.shortNameOf(full) ?? full
}

function severalMethods (route: Route): Error {
  return new VersionChangeOptionError(
    `Changes touch ${labelOf(route)}, which serves other versions under one method than under another. Declare a ` +
    'route for each method.'
  )
}
