import { changesIn, contextOf, schemeOf } from '../context.ts'
import { VersionChangeOptionError, VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf, slotOf } from '../routes.ts'
import { ownVersionsOf } from '../routing/coverage.ts'
import { routeIn } from '../routing/slots.ts'
import { labelsOf, toConvert } from './convert.ts'
import { fastifyPartsOf } from './fastify-parts.ts'
import { partsOf } from './history.ts'
import { addRouteHooks, downgradeError } from './hooks.ts'
import { openSerializer } from './response-schemas.ts'
import { writtenForOf } from './written-for.ts'

import type { FastifyInstance } from 'fastify'
import type { AppChange } from '../../types/index.d.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Changes } from './changes.ts'
import type { FastifyParts } from './fastify-parts.ts'
import type { Form, HandledRoute, Slice } from './history.ts'
import type { Compiled, Older, OlderPart, OlderSlice } from './older.ts'
import type { ReadChange } from './read.ts'

/** Methods whose requests have no body: Fastify takes no schema for one. */
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']

/** A route in a context that has changes. */
interface Entry {
  readonly route: Route
  readonly options: DeclaredOptions
  readonly changes: Changes
  /** The index of the version whose schemas Fastify compiles for the route, or null for the newest. */
  compiledFor: number | null
  schema: HandledRoute['schema']
  /** The indexes of the versions that it serves. */
  served: readonly number[]
  forms: readonly Form[]
  /** The changes that are undone in its schemas when they are compiled. */
  undone: readonly ReadChange[]
}

/** The routes of an app that changes apply to. */
export class OlderRoutes {
  readonly #contexts: FastifyInstance[] = []
  readonly #entries: Entry[] = []
  readonly #compiled = new WeakMap<object, WeakMap<object, Compiled>>()
  #parts: FastifyParts | null = null

  /** At the registration of a context that is given changes. */
  addContext (server: FastifyInstance): void {
    this.#parts ??= fastifyPartsOf(server)
    this.#contexts.push(server)
    server.addHook('onSend', downgradeError as never)
  }

  /** At onRoute. Fastify reads hooks and schemas of a route when the app is ready. */
  add (route: Route, options: DeclaredOptions): void {
    const changes = changesIn(route.server)
    if (changes === null || schemeOf(route) === null) return
    const entry: Entry = { route, options, changes, compiledFor: null, schema: {}, served: [], forms: [], undone: [] }
    this.#entries.push(entry)
    const own: Record<string, unknown> = { ...options.schema }
    options.schema = own
    // All onRoute hooks have run then, and the schemas of the context are known.
    route.server.after(() => {
      entry.schema = { ...options.schema as object }
      addRouteHooks(options, route, this.#parts as FastifyParts)
      if (options.schema !== own) return
      if (route.server.validatorCompiler === undefined) completeSchema(entry, own)
      compileFor(entry, own)
    })
  }

  /**
   * At onReady, when it is known which versions come to which routes.
   *
   * @param list all routes of the app
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and what is wrong
   */
  settle (list: readonly Route[]): void {
    const left = new Set(list)
    const entries = this.#entries.filter(({ route }) => left.has(route))
    for (const { schema, changes } of entries) {
      changes.note([...partsOf(schema).values()].flatMap((schemas) => [...schemas.values()]))
    }
    for (const entry of entries) this.#settleRoute(entry)
    const servers = [...new Set([...this.#contexts, ...list.map(({ server }) => server)])]
    const names = [...new Set(list.map(nameIn).filter((name) => name !== null))]
    for (const changes of new Set(servers.flatMap((server) => changesIn(server) ?? []))) {
      const own = servers.filter((server) => changesIn(server) === changes)
      changes.checkUsed(names, own.map((server) => server.getSchemas()))
    }
  }

  /** What `app.changes` shows: the changes of a context, newest first, and the routes that each of them touches. */
  describe (changes: Changes): readonly AppChange[] {
    return changes.list.map((one) => {
      const touched = this.#entries.filter((entry) => (
        entry.forms.some((form) => form.changes.includes(one)) ||
        (entry.undone.includes(one) && this.#isServedSince(entry, one.index))
      ))
      const routes = touched.flatMap(({ route: { methods, url, name } }) => (
        methods.map((method) => ({ method, url, name }))
      ))
      const byEndpoint = new Map(routes.map((route) => [`${route.method} ${route.url}`, route]))
      return { version: one.change.version, description: one.change.description, routes: [...byEndpoint.values()] }
    })
  }

  /** Whether the URL of a route has a version, perhaps by another handler. */
  #isServedSince ({ route: { url, methods } }: Entry, index: number): boolean {
    return this.#entries.some(({ route, served }) => (
      route.url === url && route.methods.some((method) => methods.includes(method)) &&
      served.some((one) => one >= index)
    ))
  }

  #settleRoute (entry: Entry): void {
    const { route, options, changes, schema } = entry
    const schemas = route.server.getSchemas()
    const served = entry.served = servedBy(route, changes)
    if (served.length === 0) return
    const spoken = this.#spokenBy(entry, served)
    const handled = { name: nameIn(route), label: labelOf(route), schema, served, spoken }
    checkUnconverted(entry, handled)
    if (entry.compiledFor !== null) {
      const parts = [...partsOf(schema).values()].flatMap((one) => [...one.values()])
      entry.undone = changes.changesAfter(spoken, parts, schemas)
    }
    entry.forms = changes.formsOf(handled, schemas)
    if (entry.forms.length === 0) return
    checkServable(handled.label, options, entry.forms)
    const byVersion = new Map<string | null, Older>()
    for (const form of entry.forms) {
      const older = this.#olderOf(entry, form)
      for (const index of form.versions) byVersion.set(changes.versions[index], older)
    }
    route.older.byVersion = byVersion
  }

  /**
   * The index of the version that the handler of a route speaks. A HEAD route that Fastify has added has the handler of
   * its GET route.
   *
   * @throws FST_ERR_VERSIONING_OPTION
   */
  #spokenBy ({ route, options, changes }: Entry, served: readonly number[]): number {
    const { versions } = changes
    const declared = !route.isAdded
      ? undefined
      : this.#entries.find((one) => (
        !one.route.isAdded && one.route.url === route.url && one.options.handler === options.handler
      ))
    const newest = Math.max(...served, ...declared === undefined ? [] : servedBy(declared.route, changes))
    const writtenFor = writtenForOf(route, options)
    const spoken = writtenFor === null ? newest : versions.indexOf(writtenFor)
    if (spoken >= newest) return spoken
    const expected = `no version before ${show(versions[newest])}, which ${labelOf(route)} serves`
    throw new VersioningOptionError('writtenFor', expected, show(writtenFor))
  }

  #olderOf (entry: Entry, form: Form): Older {
    const request: OlderPart[] = []
    const responses = new Map<string, OlderPart | null>()
    for (const [name, part] of form.parts) {
      const subject = `${labelOf(entry.route)}, ${name}`
      const slices = new Map([...part].map(([type, slice]) => (
        [type, this.#sliceOf(entry, form, name, type, slice, subject)] as const
      )))
      const isTouched = [...slices.values()].some((slice) => slice !== null)
      const older = isTouched ? { name, subject, slices } : null
      if (name.startsWith('response ')) responses.set(name.slice('response '.length), older)
      else if (older !== null) request.push(older)
    }
    // As Fastify validates them.
    request.sort((a, b) => a.name < b.name ? -1 : 1)
    const query = form.parts.get('querystring')?.get(null)?.moves ?? []
    const downgradeQuery = query.length === 0
      ? null
      : toConvert(query, 'downgrade', form.changes, `${labelOf(entry.route)}, querystring of a link`)
    return { form, request, responses, downgradeQuery }
  }

  #sliceOf (
    entry: Entry, form: Form, name: string, type: string | null, { schema, moves }: Slice, subject: string
  ): OlderSlice | null {
    if (moves.length === 0) return null
    const isRequest = !name.startsWith('response ')
    const bundle = form.edition.bundle(schema) as object
    return {
      convert: isRequest
        ? toConvert(moves.toReversed(), 'upgrade', form.changes, subject)
        : toConvert(moves, 'downgrade', form.changes, subject, true),
      compiled: this.#compile(entry, bundle, name, type)
    }
  }

  #compile ({ route, options }: Entry, schema: object, name: string, contentType: string | null): Compiled {
    const { server, methods: [method], url } = route
    const httpStatus = name.startsWith('response ') ? name.slice('response '.length) : undefined
    const compiler: unknown = httpStatus === undefined
      ? options.validatorCompiler ?? server.validatorCompiler
      : options.serializerCompiler ?? server.serializerCompiler
    const known = this.#compiled.get(schema) ?? new WeakMap<object, Compiled>()
    this.#compiled.set(schema, known)
    const same = known.get(compiler as object)
    if (same !== undefined) return same
    const definition = httpStatus === undefined
      ? { schema, method, url, httpPart: name }
      : { schema: openSerializer(schema), method, url, httpStatus, contentType }
    const compiled = (compiler as (definition: object) => Compiled)(definition)
    known.set(compiler as object, compiled)
    return compiled
  }
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for a schema that stays as it is, although something in it changes */
function checkUnconverted ({ route, changes, compiledFor }: Entry, handled: HandledRoute): void {
  const { label, name, schema, served, spoken } = handled
  const { stages } = changes.lineageOf(route.server.getSchemas())
  for (const { step, shapes } of stages) {
    if (step.index > spoken && step.index <= (compiledFor ?? Infinity)) {
      const isTouched = (one: unknown) => shapes.of(one).isAlive
      const touched = [...partsOf(schema)].find(([, schemas]) => [...schemas.values()].some(isTouched))
      if (touched === undefined) continue
      throw new VersionChangeOptionError(
        `${label} speaks ${show(changes.versions[spoken])}, but its schema of the ${touched[0]} has what the change ` +
        `${labelsOf(step.changes)} altered. Say with "version" which versions it serves, or write the schema as it was.`
      )
    }
    if (step.index <= served[0] || step.index > spoken) continue
    const method = route.methods.find((one) => WITHOUT_BODY.includes(one))
    if (method !== undefined && step.routes.get(name ?? '')?.has('body')) {
      throw new VersionChangeOptionError(`Change ${labelsOf(step.changes)}, ${label}: ${method} requests have no body.`)
    }
    const part = ['params', 'headers'].find((one) => shapes.of(schema[one]).isAlive)
    if (part === undefined) continue
    throw new VersionChangeOptionError(
      `Change ${labelsOf(step.changes)} alters a schema in the ${part} of ${label}: declare a route for each form, ` +
      'with "version".'
    )
  }
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for a route of @fastify/websocket */
function checkServable (label: string, options: DeclaredOptions, [{ changes }]: readonly Form[]): void {
  const { websocket, wsHandler } = options as { websocket?: unknown, wsHandler?: unknown }
  if (websocket !== true && wsHandler === undefined) return
  throw new VersionChangeOptionError(
    `Change ${labelsOf(changes)}, ${label}: messages of websockets are not converted, so leave the route out.`
  )
}

/** Gives a route that serves older versions only the schemas as they were: its handler speaks the newest of these. */
function compileFor (entry: Entry, schema: Record<string, unknown>): void {
  const { route, options, changes } = entry
  if (route.claim === null && route.namespace.names.length === 0) return
  const own = ownVersionsOf(route)
  const newest = changes.versions.findLast((version) => own.includes(version)) ?? ''
  const spoken = changes.versions.indexOf(writtenForOf(route, options) ?? newest)
  if (spoken === -1 || !changes.steps.some(({ index }) => index > spoken)) return
  const edition = changes.draftOf(route.server.getSchemas()).editionIn(spoken)
  const older = (one: unknown) => edition.isStale(one) ? edition.bundle(one) : one
  for (const part of ['body', 'querystring', 'query']) {
    if (schema[part] !== undefined) schema[part] = older(schema[part])
  }
  if (schema.response !== undefined) {
    const responses = Object.entries(schema.response as object).map(([status, one]) => [status, older(one)])
    schema.response = Object.fromEntries(responses)
  }
  entry.compiledFor = spoken
  route.older.declared = entry.schema
}

/** Fastify has a compiler only for routes that validate: a part that older versions alone have needs one, too. */
function completeSchema ({ route, changes }: Entry, schema: Record<string, unknown>): void {
  for (const { routes } of changes.steps) {
    for (const part of routes.get(nameIn(route) ?? '')?.keys() ?? []) {
      if (!part.startsWith('response') && !partsOf(schema).has(part)) schema[part] = {}
    }
  }
}

/**
 * The indexes of the versions that come to a route.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a version that the changes do not know
 */
function servedBy (route: Route, { versions }: Changes): number[] {
  const own = ownVersionsOf(route)
  const unknown = own.find((version) => version !== null && !versions.includes(version))
  if (unknown !== undefined) {
    throw new VersionChangeOptionError(
      `${labelOf(route)} serves ${show(unknown)}, but its changes are for the versions ${show(versions)}. Give its ` +
      'context the option "changes" for its own versions, or null for none.'
    )
  }
  const slots = route.methods.map((method) => slotOf(route, method))
  return [...versions.keys()].filter((index) => own.includes(versions[index]) && (
    slots.some((slot) => slot === null || routeIn(slot, versions[index]) === route)
  ))
}

/** The name of a route in changes: without the namespace that is the version. */
function nameIn (route: Route): string | null {
  const { name, namespace: { names } } = route
  if (name === null) return null
  const full = [...names, name].join(':')
  return schemeOf(route)?.shortNameOf(full) ?? full
}

/** `app.changes`. */
export function changesGetter (older: OlderRoutes): (this: FastifyInstance) => readonly AppChange[] {
  return function appChanges () {
    const { changes } = contextOf(this)
    return changes === null ? [] : older.describe(changes)
  }
}

/** `app.downgrade` and `app.upgrade`. */
export function converterOf (direction: 'downgrade' | 'upgrade') {
  return function convertValue (this: FastifyInstance, id: string, value: unknown, version: string): unknown {
    return requireChanges(this).convert(direction, id, value, version, this.getSchemas())
  }
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION where a context has none */
export function requireChanges (server: FastifyInstance): Changes {
  const changes = changesIn(server)
  if (changes !== null) return changes
  throw new VersionChangeOptionError('There are no changes in this context: give the plugin the option "changes".')
}
