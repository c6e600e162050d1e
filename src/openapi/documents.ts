import { hasZod, schemaIn } from '../older-routes/documents.ts'
import { contextOf, schemeOf } from '../context.ts'
import { DocumentError, VersioningOptionError, forbid, isOfBoot } from '../errors.ts'
import { swaggerDocumentOf } from '../fastify/swagger.ts'
import { registryOf } from '../links/registry.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { nameFor, referencesToNothing, removeUnused } from './components.ts'
import { finish } from './finished-document.ts'
import { MADE_OF, allOperations, operationsOf, pathIn } from './operations.ts'
import { headNoteOf } from './retirement.ts'
import { sharedSchemasOf, zodComponentsOf } from './schemas.ts'
import { checkLibrary, checkSecurity, isHidden } from './shown-schema.ts'
import { eventOperationsOf, eventsShownIn, moveEvents } from './webhooks.ts'
import { warnEmpty, warnEvents, warnMethods, warnReferences } from './warnings.ts'

import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { DeclaredOptions } from '../routes.ts'
import type { DocumentOptions, OpenapiDocument } from '../../types/openapi.d.ts'
import type { Document } from './document.ts'
import type { Operation } from './operations.ts'
import type { Options } from './options.ts'

/** @throws FST_ERR_VERSION_DOCUMENT for a version without a document, before the app is ready, and for what fails */
export type MakeDocument = (version: string, yaml: boolean) => OpenapiDocument | string

type Input = Parameters<SwaggerTransform>[0]
interface ByPart { readonly body: object, readonly response: Readonly<Record<number, object>> }

/** The methods of OpenAPI. From 3.2 on it has them all. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** Makes the documents of a context, of the routes that are declared from now on. */
export function documentsOf (server: FastifyInstance, { byVersion, versions }: Options): MakeDocument {
  const declared: DeclaredOptions[] = []
  const hasHead = [...byVersion.values()].some(({ exposeHeadRoutes }) => exposeHeadRoutes)
  const warned = new Set<string>()
  let all: readonly Operation[] | null = null
  server.addHook('onRoute', (route) => {
    // @fastify/swagger hides other HEAD routes in the end.
    if (hasHead || route.method !== 'HEAD' || route.config?.swagger?.exposeHeadRoute) declared.push(route)
  })
  server.addHook('onReady', async () => {
    all = allOperations(declared, registryOf(server))
    const isEmpty = all.every(({ declared: { schema }, record }) => schema?.hide && schemeOf(record) === null)
    if (isEmpty) warnEmpty(registryOf(server).routes.list)
    checkListed(versions, all, server)
    checkTransform(versions, all)
    for (const [version, options] of byVersion) {
      for (const { declared, method, transform = options.transform } of shownIn(version, options, all)) {
        const schema = declared.schema as object
        const label = `${method} ${declared.url}`
        // A transform may return another schema.
        if (transform || isHidden(schema, options)) continue
        checkSecurity(schema, label, options)
        checkLibrary(schema, label)
      }
    }
    if (![...byVersion.values()].every(hasAllMethods)) warnUnshown(all)
    // Who writes 3.0 knows that it has no webhooks.
    const isByDefault = [...byVersion.values()].some(({ openapi }) => openapi?.openapi === undefined)
    if (isByDefault) warnEvents(eventsShownIn(server).map(({ name }) => name))
  })

  /** The operations that the document of a version shows. */
  function shownIn (version: string, options: DocumentOptions, declared: readonly Operation[]): Operation[] {
    const shown = hasAllMethods(options) ? declared : declared.filter(({ method }) => METHODS.includes(method))
    return operationsOf(version, shown, registryOf(server).options)
  }

  return function makeDocument (version, yaml) {
    const ofVersion = byVersion.get(version)
    if (ofVersion === undefined) {
      const hint = `There are documents of ${show(versions)}.`
      throw new DocumentError(`There is no document of version ${show(version)}. ${hint}`)
    }
    if (all === null) throw new DocumentError('Documents are made when the app is ready: await app.ready() first.')
    // @fastify/swagger changes what it is given, such as `paths`.
    const openapi = structuredClone(ofVersion.openapi) as OpenapiDocument
    const operations = shownIn(version, ofVersion, all)
    // A route of each kind stands for its context.
    const routes = [...new Map(operations.map(({ kind, route }) => [kind, route])).values()]
    const head = headNoteOf(version, routes, server, versions)
    const events = minorOf(ofVersion) === 0 ? [] : eventOperationsOf(server)
    const shownRoutes = [...routes, ...events.map(({ route }) => route)]
    const { shared, refer } = sharedSchemasOf(shownRoutes, server, version)
    const zod = zodComponentsOf(shownRoutes, version)
    const kept = new Set(Object.keys(openapi.components?.schemas ?? {}))
    const names = new Set(kept)
    /** The operation that @fastify/swagger makes now. */
    let current = ''

    function buildLocalReference ({ $id }: { readonly $id?: unknown }): string {
      const name = nameFor(String($id), (candidate) => names.has(candidate))
      names.add(name)
      return name
    }

    /** The transform of the user comes first. The path gets the version, and the operation knows what it is made of. */
    function transform (input: Input): ReturnType<SwaggerTransform> {
      const { [MADE_OF]: madeOf, ...written } = input.schema as Record<string, unknown>
      const { event, route, transform: custom = ofVersion?.transform, versionParam } = (madeOf as () => Operation)()
      current = event === undefined ? `${String(input.route.method)} ${input.url}` : `the event ${show(event)}`
      const older = schemaIn(route, version, written) as Input['schema']
      const result = custom ? custom({ ...input, schema: older }) : { schema: older, url: input.url }
      checkResult(result, `A transform must return { schema, url } for ${event === undefined ? input.url : current}`)
      // What is missing stays, as in @fastify/swagger.
      const whole = result.schema || older
      // Of an event it shows the value alone, and no tag hides it.
      const schema = event === undefined ? whole : { response: whole.response, hide: whole.hide, tags: [MADE_OF] }
      const url = event === undefined ? result.url || input.url : input.url
      if (!isHidden(schema, options)) checkSecurity(schema, current, options)
      if (custom && schema.hide !== true) {
        zod.add(route, older, (part) => {
          const made = custom({ ...input, schema: { body: part, response: { 200: part } } }).schema as ByPart
          return [made.body, made.response[200]]
        })
      }
      // The other parameters of the path are added later, which takes less time.
      const shown = { [MADE_OF]: madeOf, params: {}, ...refer(schema, route) } as object
      return { schema: shown, url: pathIn(version, url, versionParam) }
    }

    function transformObject (input: Parameters<SwaggerTransformObject>[0]): object {
      current = ''
      const { openapiObject } = input as unknown as { openapiObject: Document }
      moveEvents(openapiObject)
      finish(openapiObject, version, server, head)
      const document = (ofVersion?.transformObject ? ofVersion.transformObject(input) : openapiObject) as Document
      checkResult(document, `"transformObject" must return the document of ${show(version)}`)
      Object.assign(document.components?.schemas ?? {}, zod.components)
      removeUnused(document, kept)
      warnReferences(version, referencesToNothing(document), warned)
      // What is in it twice would be an alias.
      return yaml ? JSON.parse(JSON.stringify(document)) : document
    }

    const options = { refResolver: { buildLocalReference }, ...ofVersion, openapi, transform, transformObject }
    try {
      return swaggerDocumentOf([...operations, ...events].map(({ declared }) => declared), shared, options, yaml)
    } catch (cause) {
      if (isOfBoot(cause) || cause instanceof DocumentError) throw cause
      const at = current === '' ? '' : ` at ${current}`
      throw new DocumentError(`Cannot make the document of ${show(version)}${at}: ${show(cause)}`, { cause })
    }
  }
}

/** Whether a document shows every method, as OpenAPI does from 3.2 on. */
function hasAllMethods (options: DocumentOptions): boolean {
  return minorOf(options) >= 2
}

/** The 1 of OpenAPI 3.1. By default @fastify/swagger makes 3.0. */
function minorOf ({ openapi }: DocumentOptions): number {
  return Number(openapi?.openapi?.split('.')[1] ?? 0)
}

/** Warns of routes that no document before OpenAPI 3.2 shows, such as those of QUERY. */
function warnUnshown (all: readonly Operation[]): void {
  const unshown = all.filter(({ declared: { schema }, route: { methods } }) => (
    !methods.some((method) => METHODS.includes(method)) && (schema as { hide?: boolean }).hide !== true
  ))
  warnMethods([...new Set(unshown.map(({ route }) => labelOf(route)))])
}

/** @throws FST_ERR_VERSION_DOCUMENT unless a function of the user has returned an object */
function checkResult (result: unknown, rule: string): void {
  if (typeof result === 'object' && result !== null && !(result instanceof Promise)) return
  throw new DocumentError(`${rule}, got ${show(result)}.`)
}

/** @throws FST_ERR_VERSIONING_OPTION where changes alter Zod schemas that a plugin shows by its own table of them */
function checkTransform (versions: readonly string[], all: readonly Operation[]): void {
  for (const server of new Set(all.map(({ route }) => route.server))) {
    const isMixed = server.hasPlugin('fastify-zod-openapi') && versions.some((version) => hasZod(server, version))
    if (!isMixed) continue
    throw new VersioningOptionError(
      'Use fastify-type-provider-zod for documents of Zod schemas with "changes": the transform of ' +
      'fastify-zod-openapi cannot show a schema as it was in an older version.'
    )
  }
}

/** @throws FST_ERR_VERSIONING_OPTION for a version that no context lists, which is probably written wrong */
function checkListed (versions: readonly string[], all: readonly Operation[], server: object): void {
  const contextSchemes = new Set([contextOf(server).scheme, ...all.map(({ route }) => schemeOf(route))])
  const schemes = [...contextSchemes].filter((scheme) => scheme !== null)
  const listed = [...new Set(schemes.flatMap(({ listedVersions }) => listedVersions))]
  const isListedEverywhere = schemes.length > 0 && schemes.every(({ listedVersions }) => listedVersions.length > 0)
  const wrong = versions.find((version) => !schemes.some((scheme) => scheme.allows(version)))
  if (!isListedEverywhere || wrong === undefined) return
  forbid('versions', `Unknown version ${show(wrong)} in "versions". The contexts allow ${listed.map(show).join(', ')}.`)
}
