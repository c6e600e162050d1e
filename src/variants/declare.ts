import { changesIn, inherited, schemeOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { changeLabel } from '../changes/steps.ts'
import { show } from '../messages.ts'
import { labelOf, narrow } from '../routes.ts'
import { MAX_HANDLERS } from '../routing/constraint.ts'
import { watchCalls } from './calls.ts'
import { upgradeRequests } from './requests.ts'
import { downgradeResponses } from './responses.ts'
import { Serving } from './served.ts'
import { SharedSchemaStore } from './shared-schemas.ts'
import { writtenForOf } from './written-for.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Changes } from '../changes/changes.ts'
import type { HandledRoute, RouteSchema, SharedSchemas, Variant, Variants } from '../changes/variant.ts'
import type { RouterOptions } from '../paths/pattern.ts'
import type { DeclaredOptions, Route, Routes } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { AppChange } from '../../types/index.d.ts'
import type { Call } from './calls.ts'
import type { References } from './requests.ts'

/** As `hide` in the schema of an older route: a document of @fastify/swagger alone has the newest one. */
export const OLDER = 'older'
const PARTS = ['body', 'querystring', 'query', 'params', 'headers', 'response']

const watched = inherited<true>('watched')

type Done = (error?: Error | null) => void
type After = (hook: (error: Error | null, done: Done) => void) => void

/** How a route was looked at when its context had loaded. */
interface Look {
  /** The route, and the HEAD routes that Fastify added to it. */
  readonly routes: readonly Route[]
  /** What the route claims; changes may leave it less. */
  readonly claim: Route['claim']
  readonly asked: HandledRoute
  readonly schemas: SharedSchemas
  readonly variants: Variants
}

/** The older routes of an app that changes make. */
export class Variation {
  readonly #routes: Routes
  readonly #options: RouterOptions
  readonly #serving: Serving
  /** The shared schemas of contexts, as they were before changes added older ones. */
  readonly schemas = new SharedSchemaStore()
  /** The contexts that were given changes. */
  readonly #given = new Map<Changes, FastifyInstance>()
  /** By context, what it has declared since the last look. */
  readonly #calls = new Map<FastifyInstance, Call[]>()
  readonly #looks = new Map<Route, Look>()
  readonly #references: References = new Map()
  /** What `app.changes` shows once the app is ready. */
  readonly #described = new Map<Changes, readonly AppChange[]>()

  constructor (routes: Routes, options: RouterOptions) {
    this.#routes = routes
    this.#options = options
    this.#serving = new Serving(routes, options)
  }

  /** Call it when a context is given changes. */
  watch (fastify: FastifyInstance, changes: Changes): void {
    this.#given.set(changes, fastify)
    if (watched.of(fastify)) return
    watched.set(fastify, true)
    watchCalls(fastify, this.#routes, (call) => this.#take(call))
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
    const serving = new Serving({ list: [...declared.values()] }, this.#options)
    const servers = new Set([...this.#given.values(), ...list.map(({ server }) => server)])
    const changing = [...servers].filter((server) => changesIn(server) !== null)
    const schemasOf = new Map(changing.map((server) => [server, this.schemas.of(server)]))
    for (const [route, asDeclared] of declared) this.#checkRoute(route, serving.versionsOf(asDeclared), schemasOf)
    const names = [...new Set(list.map(nameIn).filter((name) => name !== null))]
    for (const changes of this.#given.keys()) {
      const having = [...schemasOf].filter(([server]) => changesIn(server) === changes)
      changes.checkUsed(names, [...new Set(having.map(([, schemas]) => schemas))])
      this.#described.set(changes, this.describe(changes))
      changes.forget()
    }
    this.#looks.clear()
    this.schemas.settle()
  }

  /** What `app.changes` shows. */
  describe (changes: Changes): readonly AppChange[] {
    const described = this.#described.get(changes)
    if (described !== undefined) return described
    const looks = [...this.#looks.values()].map(({ routes, asked, variants: { handled, older } }) => ({
      changes: new Set([handled, ...older].flatMap((one) => one?.changes ?? [])),
      // Under NamespaceVersioning the URL itself is in one version.
      served: asked.isChosen ? asked.served : changes.versions,
      shown: routes.flatMap(({ methods, url, name }) => methods.map((method) => ({
        key: `${method} ${url}`, route: Object.freeze({ method, url, name })
      })))
    }))
    const servedAt = new Map<string, readonly string[]>()
    for (const { served, shown } of looks) {
      for (const { key } of shown) servedAt.set(key, [...servedAt.get(key) ?? [], ...served])
    }
    return Object.freeze(changes.list.map((change) => {
      const { version, description } = change
      const since = new Set(changes.versions.slice(changes.versions.indexOf(version)))
      const touched = looks.filter((one) => one.changes.has(change)).flatMap(({ shown }) => shown)
        .filter(({ key }) => servedAt.get(key)?.some((one) => since.has(one)))
      // Several handlers of a URL are one route of it.
      const routes = new Map(touched.map(({ key, route }) => [`${key} ${route.name}`, route]))
      return Object.freeze({ version, description, routes: Object.freeze([...routes.values()]) })
    }))
  }

  /**
   * The routes as the app has declared them, without older routes: a route that was declared later may take
   * versions from these. The routes that Fastify refused have left the list.
   */
  #declared (): ReadonlyMap<Route, Route> {
    const isMade = (route: Route) => route.variant !== null && !this.#looks.has(route)
    return new Map(this.#routes.list.filter((route) => !isMade(route)).map((route) => {
      const look = this.#looks.get(route)
      return [route, look === undefined ? route : { ...route, claim: look.claim }]
    }))
  }

  #checkRoute (
    route: Route, { versions, isSame }: ReturnType<Serving['versionsOf']>,
    schemasOf: ReadonlyMap<FastifyInstance, SharedSchemas>
  ): void {
    const { server, isAdded, options } = route
    const changes = changesIn(server)
    if (changes === null || schemeOf(route) === null || isAdded) return
    const look = this.#looks.get(route)
    const isServedAsBefore = versions.join('\n') === look?.asked.served.join('\n')
    if (look !== undefined && isApplied(look.variants)) {
      if (!isSame) throw severalMethods(route)
      if (isServedAsBefore) return
      const before = show(look.asked.served)
      throw new VersionChangeOptionError(
        `${labelOf(route)} serves the versions ${show(versions)}, but ${before} when its context had loaded: ` +
        'a route of the same URL was declared later, elsewhere. Say with the option "version" which versions each of ' +
        'them serves.'
      )
    }
    const schemas = schemasOf.get(server) as SharedSchemas
    if (isSame && isServedAsBefore && schemas === look?.schemas) return
    const asked = look?.asked ?? askedOf(route, options as DeclaredOptions, versions)
    if (!isApplied(changes.variantsOf({ ...asked, served: versions }, schemas))) return
    throw new VersionChangeOptionError(
      `Changes make older routes of ${labelOf(route)}, but that was not known when its context had loaded. Declare ` +
      'it after fastify-versioning is registered with "changes", by app.route() or app.get() and the like, and add ' +
      'the schemas that it refers to before its context has loaded.'
    )
  }

  /** Once a context has loaded, its schemas are known, and Fastify has compiled nothing yet. */
  #take (call: Call): void {
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
        if (!error) this.#lookAll(server, declared)
        done(error)
      } catch (failure) {
        done(failure as Error)
      }
    })
  }

  #lookAll (server: FastifyInstance, calls: readonly Call[]): void {
    const changes = changesIn(server)
    if (changes === null) return
    const schemas = this.schemas.of(server)
    for (const call of calls) if (schemeOf(call.routes[0]) !== null) this.#look(call, changes, schemas)
  }

  #look (call: Call, changes: Changes, schemas: SharedSchemas): void {
    const { options, routes } = call
    const [route] = routes
    const { versions, isSame } = this.#serving.versionsOf(route)
    const asked = askedOf(route, route.options as DeclaredOptions, versions)
    const variants = changes.variantsOf(asked, schemas)
    this.#looks.set(route, { routes, claim: route.claim, asked, schemas, variants })
    if (!isApplied(variants)) return
    if (!isSame) throw severalMethods(route)
    if (hasSocket(options) && variants.older.length > 0) {
      throw new VersionChangeOptionError(
        `Changes do not apply to websocket routes, but ${labelOf(route)} is touched by ${listed(variants.older)}.`
      )
    }
    this.#derive(call, variants, asked.schema)
  }

  /** @param declared the schema of the route, which may become the schema of an older version */
  #derive (call: Call, { asDeclared, handled, older }: Variants, declared: RouteSchema | undefined): void {
    const { server, routes } = call
    const own = asDeclared.length === 0 ? older[0] : null
    const newest = handled?.schema ?? declared
    const written = own ?? handled
    const others = own === null ? older : older.slice(1)
    if (others.length > 0) this.#checkChoice(routes[0], others)
    if (older.length > 0) this.#routes.hasVariants = true
    for (const one of handled === null ? older : [handled, ...older]) this.schemas.add(server, one)
    for (const route of routes) {
      narrow(route, own?.versions ?? asDeclared)
      if (written !== null) setParts(ownSchemaOf(route), written.schema)
      if (own !== null) this.#convert(route, own, newest)
    }
    for (const variant of others) {
      for (const route of this.#declare(call, variant)) {
        if (ownSchemaOf(route) === ownSchemaOf(routes[0])) {
          throw new VersionChangeOptionError(
            `An onRoute hook gives all versions of ${labelOf(route)} one schema. Let it give each route its own: ` +
            'route.schema = { ...route.schema, … }.'
          )
        }
        // Hooks have seen its schema, too, and may have made newer parts of it.
        setParts(ownSchemaOf(route), variant.schema)
        this.#convert(route, variant, newest)
      }
    }
  }

  /** @param newest the schema of the version that the handler speaks */
  #convert (route: Route, variant: Variant, newest: RouteSchema | undefined): void {
    const { upgrade, link } = variant
    route.variant = { upgrade, link }
    upgradeRequests(route, variant, newest, this.#references)
    downgradeResponses(route, variant)
  }

  #declare (call: Call, variant: Variant): readonly Route[] {
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

  #checkChoice (route: Route, others: readonly Variant[]): void {
    const { label, whyNoChoice: why } = schemeOf(route) as Scheme
    if (why !== null) {
      throw new VersionChangeOptionError(
        `${label} cannot choose the older routes that changes make of ${labelOf(route)}: expected ${why}. The ` +
        `changes are ${listed(others)}.`
      )
    }
    const { length: count } = this.#routes.sharing(route)
    if (count + others.length > MAX_HANDLERS) throw tooMany(route, others, count)
  }
}

/** A route as changes see it. */
function askedOf (route: Route, options: RouteOptions, served: readonly string[]): HandledRoute {
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

function optionsFor ({ versions, schema }: Variant, { options, routes }: Call): RouteOptions {
  const { method, writtenFor: _ownVersion, schema: given, ...others } = options
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
function setParts (own: Record<string, unknown>, schema: RouteSchema): RouteSchema {
  for (const part of PARTS) {
    if (schema[part] === undefined) delete own[part]
    else own[part] = schema[part]
  }
  return own
}

/** Fastify has taken over the object in the options, which is the route's own, and compiles it later. */
function ownSchemaOf ({ options }: Route): Record<string, unknown> {
  return (options as DeclaredOptions).schema as Record<string, unknown>
}

function listed (variants: readonly Variant[]): string {
  return [...new Set(variants.flatMap(({ changes }) => changes))].map(changeLabel).join(', ')
}

function tooMany (route: Route, others: readonly Variant[], count: number): Error {
  const kept = others.slice(0, MAX_HANDLERS - count)
  const known = new Set(kept.flatMap(({ changes }) => changes))
  const retired = others.slice(kept.length).map((variant) => ({
    ...variant, changes: variant.changes.filter((change) => !known.has(change))
  }))
  return new VersionChangeOptionError(
    `Changes make ${others.length} older routes of ${labelOf(route)}, and versions choose among ${MAX_HANDLERS} ` +
    `routes at most. Retire the oldest of them: ${listed(retired)}.`
  )
}

/** Whether @fastify/websocket answers requests to a route, with messages that nothing converts. */
function hasSocket (options: RouteOptions): boolean {
  const { websocket, wsHandler } = options as { websocket?: unknown, wsHandler?: unknown }
  return Boolean(websocket) || wsHandler !== undefined
}

function severalMethods (route: Route): Error {
  return new VersionChangeOptionError(
    `Changes touch ${labelOf(route)}, which serves other versions under one method than under another. Declare a ` +
    'route for each method.'
  )
}
