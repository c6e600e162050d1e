import { schemaIn } from '../older-routes/documents.ts'
import { DocumentError, isOfBoot } from '../errors.ts'
import { swaggerDocumentOf } from '../fastify/swagger.ts'
import { registryOf } from '../links/registry.ts'
import { shortList, show, warn } from '../messages.ts'
import { checkDocuments, checkSecurity, isHidden } from './checks.ts'
import { nameFor, removeUnused } from './components.ts'
import { finish } from './finished-document.ts'
import { MADE_OF, allOperations, eventOperationsOf, operationsOf, pathIn } from './operations.ts'
import { headNoteOf } from './retirement.ts'
import { sharedSchemasOf, zodComponentsOf } from './schemas.ts'

import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { DeclaredOptions } from '../routes.ts'
import type { OpenapiDocument } from '../../types/openapi.d.ts'
import type { Document } from './document.ts'
import type { Operation } from './operations.ts'
import type { Options } from './options.ts'

/** Makes the document of a version. Throws FST_ERR_VERSION_DOCUMENT if it has none, or before the app is ready. */
export type MakeDocument = (version: string, yaml: boolean) => OpenapiDocument | string

type Input = Parameters<SwaggerTransform>[0]
interface ByPart { readonly body: object, readonly response: Readonly<Record<number, object>> }

/** Returns what makes the documents of a context. They show the routes that are declared from now on. */
export function documentsOf (server: FastifyInstance, options: Options): MakeDocument {
  const { byVersion, versions } = options
  const declared: DeclaredOptions[] = []
  const hasHead = [...byVersion.values()].some(({ exposeHeadRoutes }) => exposeHeadRoutes)
  const warned = new Set<string>()
  let all: readonly Operation[] | null = null
  server.addHook('onRoute', (route) => {
    // @fastify/swagger hides all other HEAD routes itself.
    if (hasHead || route.method !== 'HEAD' || route.config?.swagger?.exposeHeadRoute) declared.push(route)
  })
  server.addHook('onReady', async () => {
    all = allOperations(declared, registryOf(server))
    checkDocuments(server, options, all)
  })

  return function makeDocument (version, yaml) {
    const ofVersion = byVersion.get(version)
    if (ofVersion === undefined) {
      const hint = `There are documents of ${show(versions)}.`
      throw new DocumentError(`There is no document of version ${show(version)}. ${hint}`)
    }
    if (all === null) throw new DocumentError('Documents are made when the app is ready: await app.ready() first.')
    // @fastify/swagger changes the options that it is given, such as `paths`.
    const openapi = structuredClone(ofVersion.openapi) as OpenapiDocument
    const operations = operationsOf(version, all, registryOf(server).options, ofVersion)
    const shown = [...operations, ...eventOperationsOf(version, server, ofVersion)]
    const routes = shown.map(({ route }) => route)
    const { shared, refer } = sharedSchemasOf(routes, server, version)
    const zod = zodComponentsOf(routes, version)
    const kept = new Set(Object.keys(openapi.components?.schemas ?? {}))
    const names = new Set(kept)
    /** The operation that @fastify/swagger makes now. */
    let current = ''

    function buildLocalReference ({ $id }: { readonly $id?: unknown }): string {
      const name = nameFor(String($id), (candidate) => names.has(candidate))
      names.add(name)
      return name
    }

    /**
     * Calls the transform of the user, writes the version into the path, and marks the operation with its `Operation`.
     */
    function transform (operation: Operation, { schema: written = {}, ...input }: Input): ReturnType<SwaggerTransform> {
      const { declared: { config = {} }, event, route, versionParam } = operation
      const { swaggerTransform: custom = ofVersion?.transform } = config
      current = event === null ? `${String(input.route.method)} ${input.url}` : `the event ${show(event)}`
      const older = schemaIn(route, version, written) as Input['schema']
      const result = custom ? custom({ ...input, schema: older }) : { schema: older, url: input.url }
      checkResult(result, `A transform must return { schema, url } for ${event === null ? input.url : current}`)
      // @fastify/swagger, too, keeps what a transform does not return.
      const whole = result.schema || older
      // The document shows the value of an event alone, and no tag hides it.
      const schema = event === null ? whole : { response: whole.response, hide: Boolean(whole.hide), tags: [MADE_OF] }
      const url = event === null ? result.url || input.url : input.url
      if (!isHidden(schema, ofSwagger)) checkSecurity(schema, current, ofSwagger)
      if (custom && schema.hide !== true) {
        zod.add(route, older, (part) => {
          const made = custom({ ...input, schema: { body: part, response: { 200: part } } }).schema as ByPart
          return [made.body, made.response[200]]
        })
      }
      // `finish` adds the other parameters of the path, which takes less time.
      const shown = { [MADE_OF]: () => operation, params: {}, ...refer(schema, route) } as object
      return { schema: shown, url: pathIn(version, url, versionParam) }
    }

    function transformObject (input: Parameters<SwaggerTransformObject>[0]): object {
      current = ''
      const { openapiObject } = input as unknown as { openapiObject: Document }
      finish(openapiObject, version, server, headNoteOf(version, operations, server, versions))
      const document = (ofVersion?.transformObject ? ofVersion.transformObject(input) : openapiObject) as Document
      checkResult(document, `"transformObject" must return the document of ${show(version)}`)
      Object.assign(document.components?.schemas ?? {}, zod.components)
      const lacking = shortList(removeUnused(document, kept))
      if (lacking !== '' && !warned.has(lacking)) {
        warned.add(lacking)
        warn('FST_WARN_VERSION_DOCUMENT', `The document of ${show(version)} lacks ${lacking}, to which it refers. ` +
          'Set "transformObject" next to the "transform" of Zod. Instead of "definitions" in a route, use ' +
          'app.addSchema().')
      }
      // In YAML, an object that the document has twice would be an alias.
      return yaml ? JSON.parse(JSON.stringify(document)) : document
    }

    const ofSwagger = { refResolver: { buildLocalReference }, ...ofVersion, openapi, transformObject }
    const inputs = shown.map((operation): RouteOptions => {
      const { declared, method, route: { url } } = operation
      const swaggerTransform: SwaggerTransform = (input) => transform(operation, input)
      return { ...declared, method, url, config: { ...declared.config, swaggerTransform } }
    })
    try {
      return swaggerDocumentOf(inputs, shared, ofSwagger, yaml)
    } catch (cause) {
      if (isOfBoot(cause) || cause instanceof DocumentError) throw cause
      const at = current === '' ? '' : ` at ${current}`
      throw new DocumentError(`Cannot make the document of ${show(version)}${at}: ${show(cause)}`, { cause })
    }
  }
}

/** Throws FST_ERR_VERSION_DOCUMENT unless a function of the user has returned an object. */
function checkResult (result: unknown, rule: string): void {
  if (typeof result === 'object' && result !== null && !(result instanceof Promise)) return
  throw new DocumentError(`${rule}, got ${show(result)}.`)
}
