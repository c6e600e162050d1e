import { refuseChange, labelsOf } from '../changes/convert.ts'
import { tagRuleOf } from '../changes/etags.ts'
import { changesOf } from '../changes/read-changes.ts'
import { byVersionOf, formsOf, hasOlderResponse } from '../changes/route-forms.ts'
import { keptIn, mapValues } from '../changes/schema.ts'
import { BY_VERSION } from '../changes/stage.ts'
import { openSerializer } from '../changes/unknown-properties.ts'
import { changesIn, contextOf, findContext } from '../context.ts'
import { VersionChangeOptionError, forbid } from '../errors.ts'
import { fastifyPartsOf, removesAll } from '../fastify/compilers.ts'
import { hookSkipper, skippableHook } from '../fastify/skipped-hooks.ts'
import { show } from '../messages.ts'
import { isServedAtUrl, labelOf } from '../routes.ts'
import { hasRequestChange, nameIn, partSchemasOf, servedBy } from './entry.ts'
import { addRouteHooks, convertPayload } from './hooks.ts'
import { VALIDATED, compileFor, compiledVersionOf, restore } from './older-schemas.ts'
import { checkNamed, checkSameOrder, checkWrittenFor, sentencesOf } from './route-checks.ts'
import { isLeftOut, noteUnseen } from './unseen.ts'

import type { FastifyInstance } from 'fastify'
import type { AppChange } from '../../types/index.d.ts'
import type { Changes } from '../changes/changes.ts'
import type { ReadChange } from '../changes/read-changes.ts'
import type { Stage } from '../changes/stage.ts'
import type { Compiled, Compiler, FastifyParts } from '../fastify/compilers.ts'
import type { HookSkipper } from '../fastify/skipped-hooks.ts'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { Entry } from './entry.ts'
import type { Unseen } from './unseen.ts'

/** The function that a compiler has made of an older schema. */
interface Made {
  readonly compile: Compiler
  /** The part of a route, and the media type. */
  readonly use: string
  /** The method and the URL if the compiler has read them; null if it makes the same function for all routes. */
  readonly endpoint: string | null
  readonly compiled: Compiled
}

/** The routes of an app that changes apply to. */
export class OlderRoutes {
  readonly #contexts: FastifyInstance[] = []
  readonly #entries: Entry[] = []
  /** Entries whose schemas are known, but not noted yet. */
  readonly #fresh: Entry[] = []
  /** The first error of noting schemas, which `settle` throws. */
  #failure: unknown = null
  /** The compiled functions of each older schema. */
  readonly #compiled = new WeakMap<object, Made[]>()
  /** How many schemas have been compiled for a method and URL. */
  readonly #counts = new Map<string, number>()
  readonly #described = new WeakMap<Changes, readonly AppChange[]>()
  readonly #waiting = new WeakMap<FastifyInstance, (() => void)[]>()
  readonly #unseen: Unseen = {
    routes: [], copies: [], renamed: [], faults: [], parts: new Map(), replaced: [], leftOut: []
  }

  #parts: FastifyParts | null = null
  #skipper: HookSkipper | null = null

  /** Adds a context. Call it at the registration of a context that is given changes. */
  addContext (server: FastifyInstance): void {
    checkSameOrder(contextOf(server))
    this.#parts ??= fastifyPartsOf(server)
    this.#skipper ??= hookSkipper(server)
    this.#contexts.push(server)
    server.addHook('onSend', skippableHook(convertPayload) as never)
  }

  /** Adds a route at onRoute. Fastify reads the hooks and schemas of a route only when the app gets ready. */
  add (route: Route, options: DeclaredOptions): void {
    const { context: { changes }, scheme } = route
    if (changes === null || scheme === null) return
    const isDeclared = ({ route: { methods, url } }: Entry) => url === route.url && methods.includes('GET')
    const declared = (route.isAdded ? this.#entries.findLast(isDeclared)?.declared : null) ?? route
    const entry: Entry = { route, declared, options, changes, schema: {}, undone: new Set(), used: new Set() }
    this.#entries.push(entry)
    // Later onRoute hooks may replace the schema. Fastify takes the object after them, but reads it when it is ready.
    let compiled: Record<string, unknown> = { ...options.schema }
    const set = (schema: object) => { compiled = { ...schema } }
    Object.defineProperty(options, 'schema', { get: () => compiled, set, configurable: true, enumerable: true })
    this.#afterRoutes(route.server, () => {
      entry.schema = { ...compiled }
      this.#fresh.push(entry)
      addRouteHooks(options, route, this.#parts as FastifyParts)
      // Fastify makes a validator compiler only if a route has something to validate, so the route gets an empty query,
      // which documents do not show.
      const lacksValidator = validatorCompilerOf(entry) === undefined &&
        VALIDATED.every((part) => compiled[part] === undefined)
      if (lacksValidator && hasRequestChange(entry)) compiled.querystring = {}
      compileFor(entry, compiled, () => { this.#note() })
    })
  }

  /** Notes the schemas of new routes. Fastify would hide an error that is thrown while it reads them, so it is kept. */
  #note (): void {
    try {
      for (const { route, schema, changes } of this.#fresh.splice(0)) {
        changes.note(partSchemasOf(schema), labelOf(route))
      }
    } catch (error) {
      this.#failure ??= error
    }
  }

  /** Calls a function when the schemas of a context are known. All share one `after`, which costs like a plugin. */
  #afterRoutes (server: FastifyInstance, complete: () => void): void {
    keptIn(this.#waiting, server, () => {
      const all: (() => void)[] = []
      server.after(() => {
        this.#waiting.delete(server)
        for (const complete of all) complete()
      })
      return all
    }).push(complete)
  }

  /**
   * Decides how routes serve older versions, at onReady, when it is known which versions come to which routes.
   *
   * @param list all routes of the app
   * @param settleEvents returns the changes that apply to events, and notes copies of changed schemas. It is called
   * when the schemas of all routes are noted
   * @returns what changes cannot see, for warnings
   * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change, the route and what is wrong
   */
  settle (list: readonly Route[], settleEvents: (copies: string[]) => readonly ReadChange[]): Unseen {
    const entries = this.#entries
    this.#note()
    if (this.#failure !== null) throw this.#failure
    const servers = [...new Set([...this.#contexts, ...list.map(({ server }) => server)])]
    const allChanges = new Set(servers.flatMap((server) => changesIn(server) ?? []))
    for (const changes of allChanges) changes.closeSchemas()
    for (const { route } of entries) route.older = { ...route.older, skipper: this.#skipper }
    for (const entry of entries) this.#settleRoute(entry, list)
    this.#unseen.leftOut.push(...list.filter((route) => isLeftOut(route, allChanges)))
    for (const changes of new Set(entries.map(({ changes }) => changes))) {
      const routes = entries.filter((entry) => entry.changes === changes).map(({ route }) => route)
      settleTags(routes)
    }
    const used = new Set([...entries.flatMap((entry) => [...entry.used]), ...settleEvents(this.#unseen.copies)])
    const names = [...new Set(list.map(nameIn).filter((name) => name !== null))]
    for (const changes of allChanges) {
      changes.checkUsed(names, servers.filter((server) => changesIn(server) === changes), used)
    }
    return this.#unseen
  }

  /** Tells, after `settle`, whether validators of upgrades remove unknown, maybe misspelt, members of open schemas. */
  losesMembers (): boolean {
    const upgraded = this.#entries.filter(({ route }) => (
      [...route.older.byVersion?.values() ?? []].some(({ request }) => request.length > 0)
    ))
    return [...new Set(upgraded.map(validatorCompilerOf))].some(removesAll)
  }

  /**
   * Returns what `app.changes` shows: the changes of a context, newest first, each with the declared routes that it
   * converts, and with the older handlers that it is about, if newer handlers serve their URLs. If there are none, a
   * change without functions shows the routes that it names: newer versions may not have their URLs.
   */
  describe (changes: Changes): readonly AppChange[] {
    const cached = this.#described.get(changes)
    if (cached !== undefined) return cached
    const described = changes.list.map((change): AppChange => {
      const { version, description } = change.change
      const since = changes.versions.slice(change.index)
      const declared = this.#entries.filter(({ route }) => !route.isAdded)
      const touched = declared.filter(({ route, undone, used }) => (
        undone.has(change) || (used.has(change) && since.some((later) => isServedAtUrl(route, later)))
      ))
      const isNamed = ({ route }: Entry) => (
        changes.steps.some(({ sentences }) => sentences.get(nameIn(route) ?? '')?.includes(change))
      )
      const shown = touched.length > 0 ? touched : declared.filter(isNamed)
      const byEndpoint = new Map(shown.flatMap(({ route: { methods, url, name } }) => (
        methods.map((method) => [`${method} ${url}`, { method, url, name }])
      )))
      return { version, description, routes: [...byEndpoint.values()] }
    })
    // The app is ready, so the routes stay as they are.
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
    const writtenFor = route.writtenFor === null ? newest : versions.indexOf(route.writtenFor)
    if (writtenFor < newest) {
      const served = show(versions[newest])
      forbid('writtenFor', `Set "writtenFor" to ${served} or later: the route serves ${served}, and a handler that ` +
        `is written for ${show(route.writtenFor)} cannot know it. Route: ${label}.`)
    }
    const undone = changes.steps.filter(({ index }) => index <= writtenFor && index > served[0])
    checkNamed(entry, undone, list)
    const { stages } = changes.editionsIn(route.server)
    const changesOfParts = (stages: readonly Stage[]) => stages.flatMap((stage) => (
      partSchemasOf(schema).flatMap((part) => changesOf(stage.shapeOf(part).allSteps()))
    ))
    const later = changesOfParts(stages.filter(({ step }) => step.index > writtenFor))
    const outer = replacedBy(changes, route.server)
    const isLost = changesOfParts(outer?.editionsIn(route.server).stages ?? []).some(({ change }) => {
      const index = versions.indexOf(change.version)
      const hasOwn = (id: string) => changes.steps.some(({ schemas }) => schemas.has(id))
      return index > served[0] && index <= writtenFor && !Object.keys(Object(change.schemas)).some(hasOwn)
    })
    if (isLost && !route.isAdded) this.#unseen.replaced.push(route)
    if (route.writtenFor === null) checkWrittenFor(entry, later, writtenFor)
    const wrong = later.filter(({ index }) => index <= (compiledFor ?? Infinity))
    if (wrong.length > 0) {
      const option = route.scheme?.readsNamespaces
        ? '"namespace" on a register() that fastify-plugin does not wrap'
        : '"version"'
      throw new VersionChangeOptionError(
        `${label} serves ${show(versions[writtenFor])} at most, but its schemas are those after ${labelsOf(wrong)}. ` +
        `Set ${option} if the route serves newer versions, "writtenFor" if its handler is newer, or write the ` +
        'schemas as they were.'
      )
    }
    const handled = {
      server: route.server,
      name: nameIn(route),
      label,
      methods: route.methods,
      schema,
      served,
      writtenFor,
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
      refuseChange(forms[0].changes, label, 'messages', `websockets are not converted: ${BY_VERSION}`)
    }
    route.older = { ...route.older, byVersion: byVersionOf(forms, versions) }
  }

  #compile ({ route, options }: Entry, schema: object, part: string, contentType: string | null): Compiled {
    const { server, methods: [method], url } = route
    const [, httpStatus] = part.split(' ')
    const compile = httpStatus === undefined
      ? validatorCompilerOf({ route, options })
      : (options.serializerCompiler ?? server.serializerCompiler) as Compiler
    // A compiler of the app may read the part and the media type.
    const use = `${part} ${contentType}`
    const endpoint = `${method} ${url}`
    const ofSchema = keptIn(this.#compiled, schema, (): Made[] => [])
    const same = ofSchema.find((made) => (
      made.compile === compile && made.use === use && (made.endpoint ?? endpoint) === endpoint
    ))
    if (same !== undefined) return same.compiled
    const count = (this.#counts.get(endpoint) ?? 0) + 1
    this.#counts.set(endpoint, count)
    let seen: string | null = null
    const look = <T>(value: T): T => {
      seen = endpoint
      return value
    }
    const compiled = compile({
      ...httpStatus === undefined ? { schema, httpPart: part } : { schema: openSerializer(schema), httpStatus },
      ...contentType !== null && { contentType },
      get method () { return look(method) },
      // StandaloneValidator keeps the newest schema of the route under the URL itself.
      get url () { return look(`${url};older-${count}`) }
    })
    ofSchema.push({ compile, use, endpoint: seen, compiled })
    return compiled
  }
}

/** Gives routes with the same changes their tag rules. A tag belongs to a URL, so all methods of it have one rule. */
function settleTags (routes: readonly Route[]): void {
  const urls = new Map<string | null, Set<string>>()
  for (const { url, older: { byVersion } } of routes) {
    for (const [version, form] of byVersion ?? []) {
      if (hasOlderResponse(form)) keptIn(urls, version, () => new Set<string>()).add(url)
    }
  }
  if (urls.size === 0) return
  for (const route of routes) {
    const tags = mapValues(urls, (urls, version) => tagRuleOf(version, urls.has(route.url)))
    route.older = { ...route.older, tags }
  }
}

/** Returns the changes of an outer context that these replace, or null: an empty list replaces them on purpose. */
function replacedBy (changes: Changes, server: object): Changes | null {
  for (let outer = server; changes.list.length > 0 && findContext(outer) !== undefined;) {
    if (changesIn(outer) !== changes) return changesIn(outer)
    outer = Object.getPrototypeOf(outer)
  }
  return null
}

/** Returns the validator compiler of a route. It is undefined until a route of the context validates something. */
function validatorCompilerOf ({ route: { server }, options }: Pick<Entry, 'route' | 'options'>): Compiler {
  return (options.validatorCompiler ?? server.validatorCompiler) as Compiler
}
