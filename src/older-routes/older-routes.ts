import { isDeepStrictEqual } from 'node:util'

import { labelsOf, refuse } from '../changes/convert.ts'
import { tagRulesOf } from '../changes/etags.ts'
import { formsOf, hasOlderResponse, isRequest, isTouched, partsOf, withSchemas } from '../changes/forms.ts'
import { merged } from '../changes/merge.ts'
import { UNORDERED, versionsOf } from '../changes/read.ts'
import { schemasIn as allSchemasIn, entriesOf } from '../changes/schema.ts'
import { BY_VERSION } from '../changes/stage.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { changesIn, contextOf, schemeOf } from '../context.ts'
import { VersionChangeOptionError, forbid } from '../errors.ts'
import { fastifyPartsOf, removesAll } from '../fastify/compilers.ts'
import { show } from '../messages.ts'
import { isServedAtUrl, labelOf, routeIn, shortNameOf, slotOf } from '../routes.ts'
import { ownVersionsOf } from '../routing/coverage.ts'
import { addRouteHooks, convertPayload } from './hooks.ts'
import { writtenForOf } from './written-for.ts'

import type { FastifyInstance } from 'fastify'
import type { AppChange } from '../../types/index.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { Form, HandledRoute } from '../changes/forms.ts'
import type { ReadChange, Step } from '../changes/read.ts'
import type { VersioningContext } from '../context.ts'
import type { Compiled, FastifyParts } from '../fastify/compilers.ts'
import type { DeclaredOptions, Route } from '../routes.ts'

/** What Fastify validates. */
const VALIDATED = ['body', 'querystring', 'query', 'params', 'headers']
const COMPILED = [...VALIDATED, 'response']

type Compile = (definition: object) => Compiled

/** A route in a context that has changes. */
interface Entry {
  readonly route: Route
  /** The route that the user declared: a HEAD route that Fastify has added has the handler of its GET route. */
  readonly declared: Route
  readonly options: DeclaredOptions
  readonly changes: Changes
  /** Its schema as it was declared. */
  schema: HandledRoute['schema']
  /** The changes that are undone for older versions. */
  undone: ReadonlySet<ReadChange>
  /** The changes that apply to it: these, and those that its handler does not know. */
  used: ReadonlySet<ReadChange>
}

/** What changes cannot see. */
export interface Unseen {
  /** Routes that have no schema for their successful responses, in versions before a change of a schema. */
  readonly routes: Route[]
  /** Parts of routes that have a changed schema without its `$id`, as messages call them. */
  readonly copies: string[]
}

/** The keys of schemas for successful responses. */
const SUCCESS = /^(?:2|default$)/i

/** The routes of an app that changes apply to. */
export class OlderRoutes {
  readonly #contexts: FastifyInstance[] = []
  readonly #entries: Entry[] = []
  /** Those whose schemas are known, and have not been noted yet. */
  readonly #fresh: Entry[] = []
  /** What is wrong with schemas that have been noted. */
  #failure: unknown = null
  /** By schema. */
  readonly #compiled = new WeakMap<object, { compile: unknown, use: string, compiled: Compiled }[]>()
  readonly #described = new WeakMap<Changes, readonly AppChange[]>()
  readonly #waiting = new WeakMap<FastifyInstance, (() => void)[]>()
  readonly #unseen: Unseen = { routes: [], copies: [] }
  #parts: FastifyParts | null = null

  /** At the registration of a context that is given changes. */
  addContext (server: FastifyInstance): void {
    checkVersions(contextOf(server))
    this.#parts ??= fastifyPartsOf(server)
    this.#contexts.push(server)
    server.addHook('onSend', convertPayload as never)
  }

  /** At onRoute. Fastify reads hooks and schemas of a route when the app is ready. */
  add (route: Route, options: DeclaredOptions): void {
    const changes = changesIn(route.server)
    if (changes === null || schemeOf(route) === null) return
    const isDeclared = ({ route: { methods, url } }: Entry) => url === route.url && methods.includes('GET')
    const declared = (route.isAdded ? this.#entries.findLast(isDeclared)?.declared : null) ?? route
    const entry: Entry = { route, declared, options, changes, schema: {}, undone: new Set(), used: new Set() }
    this.#entries.push(entry)
    // Fastify takes the object when all onRoute hooks have run, which may replace it, and reads it when it is ready.
    let own: Record<string, unknown> = { ...options.schema }
    const set = (schema: object) => { own = { ...schema } }
    Object.defineProperty(options, 'schema', { get: () => own, set, configurable: true, enumerable: true })
    this.#afterRoutes(route.server, () => {
      entry.schema = { ...own }
      this.#fresh.push(entry)
      addRouteHooks(options, route, this.#parts as FastifyParts)
      // Fastify has a compiler only for routes that validate. Documents do not show a query without parameters.
      const isValidated = VALIDATED.some((part) => own[part] !== undefined)
      if (!isValidated && route.server.validatorCompiler === undefined && hasRequestChange(entry)) own.querystring = {}
      compileFor(entry, own, () => { this.#note() })
    })
  }

  /** Schemas may refer to those inside other ones. What is thrown while Fastify reads them is no error of boot. */
  #note (): void {
    try {
      for (const { route, schema, changes } of this.#fresh.splice(0)) changes.note(schemasIn(schema), labelOf(route))
    } catch (error) {
      this.#failure ??= error
    }
  }

  /** When the schemas of a context are known. A function that waits costs as much as a plugin: all share one. */
  #afterRoutes (server: FastifyInstance, complete: () => void): void {
    const waiting = this.#waiting.get(server)
    const all = waiting ?? []
    all.push(complete)
    if (waiting !== undefined) return
    this.#waiting.set(server, all)
    server.after(() => {
      this.#waiting.delete(server)
      for (const complete of all) complete()
    })
  }

  /**
   * At onReady, when it is known which versions come to which routes.
   *
   * @param list all routes of the app
   * @param settleEvents returns the changes that apply to events. The schemas of all routes are noted before.
   * @returns what changes cannot see, for warnings
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and what is wrong
   */
  settle (list: readonly Route[], settleEvents: () => readonly ReadChange[]): Unseen {
    const entries = this.#entries
    this.#note()
    if (this.#failure !== null) throw this.#failure
    for (const { changes } of entries) changes.closeSchemas()
    for (const entry of entries) this.#settleRoute(entry, list)
    for (const changes of new Set(entries.map(({ changes }) => changes))) {
      const routes = entries.filter((entry) => entry.changes === changes).map(({ route }) => route)
      settleTags(routes)
    }
    const used = new Set([...entries.flatMap((entry) => [...entry.used]), ...settleEvents()])
    const servers = [...new Set([...this.#contexts, ...list.map(({ server }) => server)])]
    const names = [...new Set(list.map(nameIn).filter((name) => name !== null))]
    for (const changes of new Set(servers.flatMap((server) => changesIn(server) ?? []))) {
      changes.checkUsed(names, servers.filter((server) => changesIn(server) === changes), used)
    }
    return this.#unseen
  }

  /** Whether a validator removes what an upgrade misspells, from schemas that are open as well. Call it afterwards. */
  losesMembers (): boolean {
    const upgraded = this.#entries.filter(({ route }) => (
      [...route.older.byVersion?.values() ?? []].some(({ request }) => request.length > 0)
    ))
    return [...new Set(upgraded.map(validatorCompilerOf))].some(removesAll)
  }

  /**
   * What `app.changes` shows: the changes of a context, newest first, with the declared routes that each converts, and
   * with those whose URL newer handlers serve as the change says.
   */
  describe (changes: Changes): readonly AppChange[] {
    const known = this.#described.get(changes)
    if (known !== undefined) return known
    const described = changes.list.map((one): AppChange => {
      const { version, description } = one.change
      const since = changes.versions.slice(one.index)
      const touched = this.#entries.filter(({ route, undone, used }) => !route.isAdded && (
        undone.has(one) || (used.has(one) && since.some((later) => isServedAtUrl(route, later)))
      ))
      const byEndpoint = new Map(touched.flatMap(({ route: { methods, url, name } }) => (
        methods.map((method) => [`${method} ${url}`, { method, url, name }])
      )))
      return { version, description, routes: [...byEndpoint.values()] }
    })
    // The app is ready, and nothing changes any more.
    if (changes.servers !== null) this.#described.set(changes, described)
    return described
  }

  #settleRoute (entry: Entry, list: readonly Route[]): void {
    const { route, declared, options, changes: { versions }, changes, schema } = entry
    const compiledFor = compiledVersionOf(entry)
    if (compiledFor !== null) restore(entry)
    const served = servedBy(route, changes)
    if (served.length === 0) return
    const label = labelOf(route)
    const newest = Math.max(...served, ...servedBy(declared, changes))
    const writtenFor = writtenForOf(route, options)
    const spoken = writtenFor === null ? newest : versions.indexOf(writtenFor)
    if (spoken < newest) {
      const served = show(versions[newest])
      forbid('writtenFor', `Set "writtenFor" to ${served} or later: the route serves ${served}, and a handler that ` +
        `is written for ${show(writtenFor)} cannot know it. Route: ${label}.`)
    }
    const undone = changes.steps.filter(({ index }) => index <= spoken && index > served[0])
    checkNamed(entry, undone, list)
    const { stages } = changes.editionsIn(route.server)
    const later = stages.filter(({ step }) => step.index > spoken).flatMap((stage) => (
      schemasIn(schema).flatMap((one) => [...stage.shapeOf(one).changes()])
    ))
    if (writtenFor === null) checkSpoken(entry, later, spoken)
    const wrong = later.filter(({ index }) => index <= (compiledFor ?? Infinity))
    if (wrong.length > 0) {
      throw new VersionChangeOptionError(
        `${label} serves ${show(versions[spoken])} at most, but its schemas are those after ${labelsOf(wrong)}. Set ` +
        '"version" if the route serves newer versions, "writtenFor" if its handler is newer, or write the schemas as ' +
        'they were.'
      )
    }
    const handled = {
      server: route.server,
      name: nameIn(route),
      label,
      methods: route.methods,
      schema,
      served,
      spoken,
      compile: (bundle: object, part: string, type: string | null) => this.#compile(entry, bundle, part, type)
    }
    const forms = formsOf(handled, stages)
    if (!route.isAdded) changes.routes.push(handled)
    entry.undone = new Set(forms.flatMap(({ changes }) => changes))
    entry.used = new Set([...later, ...entry.undone, ...sentencesOf(entry, served)])
    const { websocket, wsHandler } = options as { websocket?: unknown, wsHandler?: unknown }
    const isWebsocket = websocket === true || wsHandler !== undefined
    if (!isWebsocket) noteUnseen(entry, undone, forms, this.#unseen)
    if (forms.length === 0) return
    if (isWebsocket) {
      refuse(forms[0].changes, label, 'messages', `websockets are not converted: ${BY_VERSION}`)
    }
    const byVersion = new Map(forms.flatMap((form) => form.versions.map((index) => [versions[index], form])))
    route.older = { ...route.older, byVersion }
  }

  #compile ({ route, options }: Entry, schema: object, part: string, contentType: string | null): Compiled {
    const { server, methods: [method], url } = route
    const [, httpStatus] = part.split(' ')
    const compile = httpStatus === undefined
      ? validatorCompilerOf({ route, options })
      : (options.serializerCompiler ?? server.serializerCompiler) as Compile
    // A compiler of the app may look at the part and at the media type.
    const use = `${part} ${contentType}`
    const known = this.#compiled.get(schema) ?? []
    this.#compiled.set(schema, known)
    const same = known.find((one) => one.compile === compile && one.use === use)
    if (same !== undefined) return same.compiled
    const compiled = compile({
      ...httpStatus === undefined ? { schema, httpPart: part } : { schema: openSerializer(schema), httpStatus },
      ...contentType !== null && { contentType },
      method,
      url
    })
    known.push({ compile, use, compiled })
    return compiled
  }
}

/**
 * Notes what changes cannot see of a route.
 *
 * @param steps before which it serves versions
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a route that upgrades its body, and does not say what it answers
 */
function noteUnseen (
  { route, schema, changes }: Entry, steps: readonly Step[], forms: readonly Form[], { routes, copies }: Unseen
): void {
  const { isAdded, methods, server, url } = route
  const isDescribed = Object.keys(Object(schema.response)).some((status) => SUCCESS.test(status))
  const upgrading = forms.find(({ request }) => request.includes('body'))
  if (upgrading !== undefined && !isDescribed) {
    throw new VersionChangeOptionError(
      `Change ${labelsOf(upgrading.changes)}: write a response schema for ${labelOf(route)}, whose body it upgrades. ` +
      'Older clients would get the newest shape. If the response did not change, write "response": { 200: {} }, or ' +
      '{ 204: {} } if it has no body.'
    )
  }
  const isSpecial = methods.every((method) => ['HEAD', 'OPTIONS'].includes(method)) || url.endsWith('*')
  const changed = new Set(steps.flatMap(({ schemas }) => [...schemas.keys()]))
  if (isAdded || isSpecial || schema.hide === true || changed.size === 0) return
  if (!isDescribed) routes.push(route)
  const shared = changes.editionsIn(server).copies
  for (const [name, part] of partsOf(schema)) {
    if (forms.some(({ parts }) => isTouched(parts.get(name)))) continue
    const ids = allSchemasIn([...part.values()].map(({ schema }) => schema)).map((one) => shared.find(one))
    const id = ids.find((id) => id !== null && changed.has(id))
    if (id !== undefined) copies.push(`${labelOf(route)}, ${name} (${show(id)})`)
  }
}

/** Lets routes with the same changes take the version off entity tags: a tag belongs to a URL, whatever its method. */
function settleTags (routes: readonly Route[]): void {
  const urls = new Map<string | null, Set<string>>()
  for (const { url, older: { byVersion } } of routes) {
    for (const [version, form] of byVersion ?? []) {
      if (hasOlderResponse(form)) urls.set(version, (urls.get(version) ?? new Set()).add(url))
    }
  }
  if (urls.size === 0) return
  const rulesOf = tagRulesOf(urls)
  for (const route of routes) route.older = { ...route.older, tags: rulesOf(route.url) }
}

function validatorCompilerOf ({ route: { server }, options }: Pick<Entry, 'route' | 'options'>): Compile {
  return (options.validatorCompiler ?? server.validatorCompiler) as Compile
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for versions of a context in another order than its changes have them */
function checkVersions ({ changes, scheme }: VersioningContext): void {
  const { list, versions } = changes as Changes
  if (scheme === null || list.length === 0) return
  const own = versionsOf(scheme.allowedVersions)
  if (own.length === 0) throw new VersionChangeOptionError(UNORDERED)
  const [here, there] = [own.filter((one) => versions.includes(one)), versions.filter((one) => own.includes(one))]
  if (isDeepStrictEqual(here, there)) return
  throw new VersionChangeOptionError(
    `The "allowedVersions" ${show(here)} are in another order than the "changes" have them, ${show(there)}. Use one ` +
    'order, or give the context its own "changes", or null for none.'
  )
}

/** The schemas of the parts of a route that changes apply to. */
function schemasIn (schema: HandledRoute['schema']): unknown[] {
  return [...partsOf(schema).values()].flatMap((part) => [...part.values()].map(({ schema }) => schema))
}

/**
 * The same routes may be registered in each namespace, or each namespace may have handlers for its version.
 *
 * @param later the changes of its schemas that are newer than what it speaks
 * @throws FST_ERR_VERSION_CHANGE_OPTION unless the route says which version its handler speaks
 */
function checkSpoken ({ route, changes: { steps, versions } }: Entry, later: ReadChange[], spoken: number): void {
  const { claim, namespace: { names } } = route
  const byName = steps.filter(({ index }) => index > spoken)
    .flatMap(({ routes }) => [...routes.get(nameIn(route) ?? '')?.values() ?? []])
  const all = new Set([...later, ...byName.map(({ change }) => change)])
  if (all.size === 0 || claim !== null || names.length === 0 || !schemeOf(route)!.readsNamespaces) return
  const [newest, own] = [versions.at(-1), versions[spoken]].map(show)
  throw new VersionChangeOptionError(
    `Change ${labelsOf([...all])}: set "writtenFor" for ${labelOf(route)}, on the route or on its register(). Write ` +
    `${newest} if all namespaces share the handler, or ${own} if this namespace has its own.`
  )
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION for a route without a name that has what changes of its URL are about */
function checkNamed ({ route, schema }: Entry, steps: readonly Step[], list: readonly Route[]): void {
  if (route.name !== null || steps.every(({ routes }) => routes.size === 0)) return
  const own = partsOf(schema)
  const names = new Set(list.filter(({ url }) => url === route.url).map(nameIn))
  for (const [name, parts] of steps.flatMap(({ routes }) => [...routes])) {
    for (const [part, { change }] of names.has(name) ? parts : []) {
      if (!own.has(part)) continue
      const reason = `the route has no name, and ${show(name)} has its URL`
      refuse([change], labelOf(route), part, `${reason}: give it that name, or another if the change is not about it`)
    }
  }
}

/**
 * The changes without functions that a route has.
 *
 * @param served the indexes of the versions that come to it
 * @throws FST_ERR_VERSION_CHANGE_OPTION where one handler answers before and after such a change
 */
function sentencesOf ({ route, changes: { steps, versions } }: Entry, served: readonly number[]): ReadChange[] {
  const changes = steps.flatMap(({ sentences }) => sentences.get(nameIn(route) ?? '') ?? [])
  for (const change of changes) {
    const [before, after] = [served.findLast((at) => at < change.index), served.find((at) => at >= change.index)]
    if (before === undefined || after === undefined) continue
    refuse([change], labelOf(route), 'handler', `one handler answers in ${show(versions[before])} and in ` +
      `${show(versions[after])}. Give the change functions, or declare another handler with "version"`)
  }
  return changes
}

/** The index of the version whose schemas Fastify compiles for a route; null for the newest. */
function compiledVersionOf ({ route, options, changes: { steps, versions }, schema }: Entry): number | null {
  if (route.claim === null && route.namespace.names.length === 0) return null
  if (!COMPILED.some((part) => schema[part] !== undefined)) return null
  const ownVersions = ownVersionsOf(route)
  const newest = versions.findLast((version) => ownVersions.includes(version)) ?? ''
  const spoken = versions.indexOf(writtenForOf(route, options) ?? newest)
  return spoken !== -1 && steps.some(({ index }) => index > spoken) ? spoken : null
}

/**
 * Gives a route that serves older versions only the schemas as they were: its handler speaks the newest of these.
 * Fastify reads them when no schema can be added any more.
 *
 * @param compiled what Fastify has of the schema of the route
 */
function compileFor (entry: Entry, compiled: object, note: () => void): void {
  const { route: { server }, changes, schema } = entry
  const version = compiledVersionOf(entry)
  if (version === null) return
  for (const part of COMPILED.filter((part) => schema[part] !== undefined)) {
    const use = part === 'response' ? 'serialized' : 'validated'
    const get = () => {
      note()
      const edition = changes.editionsIn(server).editionIn(version)
      return changed(entry, part, (one) => edition.isStale(one) ? edition.bundle(one, use) : one)
    }
    Object.defineProperty(compiled, part, { get, configurable: true, enumerable: true })
  }
}

/** A part of the schema of a route with other schemas. */
function changed ({ schema }: Entry, part: string, change: (schema: unknown) => unknown): unknown {
  if (part !== 'response') return withSchemas(schema[part], change)
  return Object.fromEntries(entriesOf(schema[part]).map(([status, one]) => [status, withSchemas(one, change)]))
}

/** Gives a route its schema as it was declared, once Fastify has compiled it: documents show it. */
function restore (entry: Entry): void {
  const { options, schema } = entry
  for (const part of COMPILED.filter((part) => schema[part] !== undefined)) {
    const declared = { value: changed(entry, part, (one) => one), configurable: true, enumerable: true, writable: true }
    Object.defineProperty(options.schema, part, declared)
    // Fastify has copied it.
    if (part === 'query') Object.defineProperty(options.schema, 'querystring', declared)
  }
}

/** Whether changes of a route upgrade a part of it, which older versions alone may have. */
function hasRequestChange ({ route, changes }: Entry): boolean {
  const name = nameIn(route) ?? ''
  return changes.steps.some(({ routes }) => [...routes.get(name)?.keys() ?? []].some(isRequest))
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
  const scheme = schemeOf(route)
  return (scheme && shortNameOf(full, scheme)) ?? full
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
    const changes = requireChanges(this)
    return changes.editionsIn(this).converter(direction, id, changes.indexOf(version))(value)
  }
}

/** `app.merge`. */
export function mergeValue (
  this: FastifyInstance, id: string, current: unknown, value: unknown, version: string
): unknown {
  return merged(current, value, (stored) => this.upgrade(id, this.downgrade(id, stored, version), version))
}

/** @throws FST_ERR_VERSION_CHANGE_OPTION where a context has none */
export function requireChanges (server: FastifyInstance): Changes {
  const changes = changesIn(server)
  if (changes !== null) return changes
  throw new VersionChangeOptionError(
    'This instance has no changes. Call upgrade(), downgrade(), merge() or checkChanges() with the instance in which ' +
    'you registered fastify-versioning with "changes".'
  )
}
