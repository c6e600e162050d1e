import swagger from '@fastify/swagger'

import { schemaIn } from '../changes/documents.ts'
import { contextOf, schemeOf } from '../context.ts'
import { DocumentError, VersioningOptionError } from '../errors.ts'
import { registryOf } from '../links/scope.ts'
import { show } from '../messages.ts'
import { nameFor, removeUnused } from './components.ts'
import { headNoteOf } from './retirement.ts'
import { finish } from './finish.ts'
import { MADE_OF, allOperations, operationsOf } from './operations.ts'
import { pathIn } from './paths.ts'
import { sharedSchemasOf } from './schemas.ts'

import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
import type { FastifyInstance, FastifyPluginCallback } from 'fastify'
import type { DeclaredOptions } from '../routes.ts'
import type { OpenapiDocument } from '../../types/openapi.d.ts'
import type { Document } from './document.ts'
import type { Operation } from './operations.ts'
import type { Options } from './options.ts'

/** What @fastify/swagger decorates an app with. */
type MakeDocument = (options: { yaml: boolean }) => OpenapiDocument | string
type Input = Parameters<SwaggerTransform>[0]

/** The methods of OpenAPI. From 3.2 on it has them all. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** The documents of a context by version. */
export class Documents {
  readonly #server: FastifyInstance
  readonly #options: Options
  /** Null until the app is ready. */
  #operations: readonly Operation[] | null = null
  readonly #served = new Map<string, string>()

  /** The documents have the routes that are declared from now on. */
  constructor (server: FastifyInstance, options: Options) {
    this.#server = server
    this.#options = options
    const declared: DeclaredOptions[] = []
    server.addHook('onRoute', (route) => { declared.push(route) })
    server.addHook('onReady', async () => {
      this.#operations = allOperations(declared, registryOf(server))
      checkVersions(options.versions, this.#operations, server)
    })
  }

  /** A document as it is served, made when it is first requested. */
  text (version: string, yaml: boolean): string {
    const key = `${version} ${yaml}`
    let text = this.#served.get(key)
    if (text === undefined) {
      const document = this.make(version, yaml)
      this.#served.set(key, text = typeof document === 'string' ? document : JSON.stringify(document))
    }
    return text
  }

  /**
   * Gives the operations of a version to an @fastify/swagger of its own.
   *
   * @returns an object, or text if it is YAML
   * @throws FST_ERR_VERSION_DOCUMENT for a version without a document, and before the app is ready
   */
  make (version: string, yaml: boolean): OpenapiDocument | string {
    const { byVersion, versions } = this.#options
    const server = this.#server
    if (!versions.includes(version)) {
      const known = `There are documents of ${show(versions)}.`
      throw new DocumentError(`There is no document of version ${show(version)}. ${known}`)
    }
    const all = this.#operations
    if (all === null) {
      throw new DocumentError('Documents are made when the app is ready: await app.ready() first.')
    }
    const { transform, transformObject, ...others } = byVersion.get(version) as FastifyDynamicSwaggerOptions
    // @fastify/swagger changes what it is given, such as `paths`.
    const openapi = structuredClone(others.openapi) as OpenapiDocument
    const hasAllMethods = Number(openapi.openapi?.split('.')[1]) >= 2
    const operations = operationsOf(version, all, registryOf(server).options)
      .filter(({ method }) => hasAllMethods || METHODS.includes(method))
    const retirement = headNoteOf(version, operations, server, versions)
    // Routes that are in all documents come last: the schemas of the others keep their names.
    const [neutral, versioned] = [true, false].map((isNeutral) => (
      operations.map(({ route }) => route).filter((route) => (schemeOf(route) === null) === isNeutral)
    ))
    const schemas = sharedSchemasOf([...versioned, ...neutral], server, version)
    const kept = new Set(Object.keys(openapi.components?.schemas ?? {}))
    const names = new Set(kept)
    const hooks = standIn({
      refResolver: {
        buildLocalReference ({ $id }) {
          const name = nameFor(String($id), (one) => names.has(one))
          names.add(name)
          return name
        }
      },
      ...others,
      openapi,
      transform: (input) => transformed(input, version, transform, schemas),
      transformObject (made) {
        const { openapiObject } = made as unknown as { openapiObject: Document }
        finish(openapiObject, version, server, retirement)
        const document = transformObject === undefined ? openapiObject : transformObject(made)
        checkResult(document, `"transformObject" must return the document of ${show(version)}`)
        removeUnused(document as Document, kept)
        // What is in it twice would be an alias.
        return yaml ? JSON.parse(JSON.stringify(document)) : document
      }
    }, schemas.all)
    for (const { declared } of operations) hooks.onRoute(declared)
    hooks.onReady(() => {})
    return hooks.make({ yaml })
  }
}

/**
 * An @fastify/swagger for one document, with a stand-in for the app. In the app it would show each route once, and
 * take the schemas of all contexts, the last of which wins with its `$id`.
 */
function standIn (options: FastifyDynamicSwaggerOptions, schemas: object) {
  const hooks: Record<string, unknown> = {}
  const app = {
    addHook (name: string, hook: unknown) { hooks[name] = hook },
    decorate (_name: string, make: MakeDocument) { hooks.make = make },
    getSchemas: () => schemas
  }
  ;(swagger as unknown as FastifyPluginCallback<object>)(app as unknown as FastifyInstance, options, () => {})
  return hooks as unknown as {
    onRoute (route: DeclaredOptions): void, onReady (done: () => void): void, make: MakeDocument
  }
}

/** The transform of the user comes first. The path gets the version, and the operation remembers what it is made of. */
function transformed (
  input: Input, version: string, general: SwaggerTransform | undefined, schemas: ReturnType<typeof sharedSchemasOf>
): ReturnType<SwaggerTransform> {
  const madeOf = (input.route.schema as Record<string, () => Operation>)[MADE_OF]
  const { route, transform: own = general, versionParam } = madeOf()
  const given = { ...input, schema: schemaIn(route, version, input.schema) } as Input
  const result = own ? own(given) : given
  checkResult(result, `A transform must return { schema, url } for ${input.url}`)
  const { schema = given.schema, url = input.url } = result
  const shown = schemas.refer(schema, route)
  // We describe the parameters of the own path, in less time than @fastify/swagger.
  const params = url === input.url ? { params: {} } : {}
  return { schema: { ...params, ...shown, [MADE_OF]: madeOf } as object, url: pathIn(version, url, versionParam) }
}

/** @throws FST_ERR_VERSION_DOCUMENT unless a function of the user has returned an object */
function checkResult (result: unknown, rule: string): void {
  if (typeof result === 'object' && result !== null && !(result instanceof Promise)) return
  throw new DocumentError(`${rule}, got ${show(result)}.`)
}

/** @throws FST_ERR_VERSIONING_OPTION for a version that no context lists, which is probably written wrong */
function checkVersions (versions: readonly string[], all: readonly Operation[], server: object): void {
  const own = new Set([contextOf(server).scheme, ...all.map(({ route }) => schemeOf(route))])
  const schemes = [...own].filter((scheme) => scheme !== null)
  const known = [...new Set(schemes.flatMap(({ listedVersions }) => listedVersions))]
  const isListedEverywhere = schemes.length > 0 && schemes.every(({ listedVersions }) => listedVersions.length > 0)
  const wrong = versions.find((version) => !schemes.some((scheme) => scheme.allows(version)))
  if (!isListedEverywhere || wrong === undefined) return
  throw new VersioningOptionError('versions', `versions that a context lists, such as ${show(known)}`, show(wrong))
}
