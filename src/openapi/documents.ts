import fp from 'fastify-plugin'

import { DocumentError, show, suggestionFor } from '../errors.ts'
import { Marks, finish } from './document.ts'
import { Operations } from './operations.ts'
import { shownAs, transformFor } from './transform.ts'
import { fromYamlText, toYamlText } from './yaml.ts'

import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { DeclaredOptions } from '../routes.ts'
import type { Document } from './document.ts'
import type { Options } from './options.ts'
import type { Swagger } from './peers.ts'
import type { Scheme } from '../scheme.ts'
import type { OpenapiDocument } from '../../types/openapi.d.ts'

/** What @fastify/swagger decorates an app with. */
type MakeDocument = (options?: { yaml: boolean }) => OpenapiDocument | string

type OnRoute = (options: DeclaredOptions) => void
type OnReady = (done: () => void) => void

/** The documents of an app, by version: each is made when it is first asked for. */
export class Documents {
  readonly #options: Options
  readonly #operations: Operations
  readonly #made = new Map<string, MakeDocument>()
  #isReady = false

  /** Has @fastify/swagger take in the routes that are declared from now on. */
  static async of (server: FastifyInstance, swagger: Swagger, options: Options): Promise<Documents> {
    const declared: DeclaredOptions[] = []
    const documents = new Documents(options, new Operations(server, declared, swagger.formatParamUrl))
    server.addHook('onRoute', function collect (route) { declared.push(route) })
    server.addHook('onReady', async function settle () {
      documents.#isReady = true
      warnOfVersions(options.versions, documents.#operations.schemes)
    })
    async function prepareDocuments (instance: FastifyInstance): Promise<void> {
      for (const version of options.versions) documents.#prepare(instance, swagger, version)
    }
    // @fastify/swagger-ui asks for a plugin of this name.
    await server.register(fp(prepareDocuments, { name: '@fastify/swagger' }))
    return documents
  }

  private constructor (options: Options, operations: Operations) {
    this.#options = options
    this.#operations = operations
  }

  /**
   * The document of a version, as an object or as YAML.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a version that has none, and before the app is ready
   */
  read (version: string, yaml: boolean): OpenapiDocument | string {
    this.#check(version)
    if (!this.#isReady) throw new DocumentError('Documents are made when the app is ready: await app.ready() first.')
    return (this.#made.get(version) as MakeDocument)({ yaml })
  }

  /**
   * The transform that shows the routes of a version alone.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a version that has no document
   */
  transform (version: string): SwaggerTransform {
    this.#check(version)
    const transform = transformFor(version, this.#operations, this.#options.documentOf(version).transform, null)
    return function transformForOpenapi (input) {
      if ('swaggerObject' in input) throw new DocumentError('Give @fastify/swagger the option openapi: not Swagger 2.')
      const { openapiObject } = input
      const info = { ...openapiObject.info, 'x-api-version': version }
      const informed = { ...input, openapiObject: { ...openapiObject, info } as typeof openapiObject }
      return transform(informed) as ReturnType<SwaggerTransform>
    }
  }

  /** Each version has an @fastify/swagger of its own, which leaves no decorator. */
  #prepare (server: FastifyInstance, swagger: Swagger, version: string): void {
    const { transform, transformObject, openapi, ...others } = this.#options.documentOf(version)
    const operations = this.#operations
    const marks = new Marks()
    let isYaml = false
    const options: FastifyDynamicSwaggerOptions = {
      ...others,
      // A transform sees it there.
      openapi: { ...openapi, info: { ...openapi?.info, 'x-api-version': version } } as typeof openapi & object,
      transform: transformFor(version, operations, transform, marks) as SwaggerTransform,
      transformObject: (made) => {
        const { openapiObject } = made as unknown as { openapiObject: Document }
        const finished = finish(openapiObject, version, marks, this.#options.serviceDesc)
        // What is in a document twice would be an alias in YAML.
        const document: object = JSON.parse(JSON.stringify(finished))
        const changed: unknown = transformObject === undefined ? document : transformObject({ openapiObject: document })
        if (typeof changed === 'object' && changed !== null && !(changed instanceof Promise)) {
          return isYaml ? toYamlText(changed) : changed
        }
        throw new DocumentError(`"transformObject" must return the document of ${show(version)}, got ${show(changed)}.`)
      }
    }
    let takeIn: OnRoute | null = null
    let collectSchemas: OnReady
    const instance = Object.create(server, {
      addHook: {
        value (name: string, hook: OnRoute & OnReady) {
          if (name === 'onRoute') takeIn = hook
          if (name === 'onReady') collectSchemas = hook
        }
      },
      // @fastify/swagger would take the schemas of all contexts, of which the last with an `$id` wins.
      getSchemas: { value: () => operations.schemasOf(version).all },
      decorate: {
        value: (_name: string, make: MakeDocument) => this.#made.set(version, function makeDocument (format) {
          if (takeIn !== null) operations.of(version).map(shownAs).forEach(takeIn)
          takeIn = null
          collectSchemas(() => {})
          isYaml = format?.yaml === true
          return isYaml ? fromYamlText(make(format) as string) : make(format)
        })
      }
    })
    swagger(instance, options, () => {})
  }

  #check (version: string): void {
    const { versions } = this.#options
    if (versions.includes(version)) return
    throw new DocumentError(`There is no document of version ${show(version)}, but of ${show(versions)}.`)
  }
}

/** A version that none of the schemes permits is probably written wrong. */
function warnOfVersions (versions: readonly string[], schemes: readonly Scheme[]): void {
  if (schemes.length === 0) return
  const known = schemes.flatMap(({ allowedVersions }) => allowedVersions ?? []).filter((version) => version !== null)
  for (const version of versions.filter((one) => !schemes.some((scheme) => scheme.permits(one)))) {
    const message = `No route can have version ${show(version)}, which has a document.`
    const near = suggestionFor(version, [...new Set(known)])
    process.emitWarning(message + near, 'FastifyVersioningWarning', 'FST_WARN_VERSION_DOCUMENT')
  }
}
