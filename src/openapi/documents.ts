import { DocumentError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { REFUSAL, finish } from './document.ts'
import { Operations } from './operations.ts'
import { shownAs, transformFor } from './transform.ts'
import { fromYamlText, toYamlText } from './yaml.ts'

import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { DeclaredOptions } from '../routes.ts'
import type { Document } from './document.ts'
import type { Options, Subject } from './options.ts'
import type { Swagger } from './peers.ts'
import type { Teams } from './teams.ts'
import type { OpenapiDocument } from '../../types/openapi.d.ts'

/** What @fastify/swagger decorates an app with. */
type MakeDocument = (options?: { yaml: boolean }) => OpenapiDocument | string

type OnRoute = (options: DeclaredOptions) => void
type OnReady = (done: () => void) => void

/** The documents of an app, by name. Each is made when it is first needed. */
export class Documents {
  /** The context of the documents. */
  readonly server: FastifyInstance
  readonly operations: Operations
  readonly #options: Options
  readonly #made = new Map<string, MakeDocument>()
  #isReady = false

  /** The documents have the routes that are declared from now on. */
  constructor (server: FastifyInstance, swagger: Swagger, options: Options, teams: Teams) {
    const declared: DeclaredOptions[] = []
    this.server = server
    this.#options = options
    this.operations = new Operations(server, declared, options.subjects, teams, swagger.formatParamUrl)
    server.addHook('onRoute', function collect (route) { declared.push(route) })
    server.addHook('onReady', async () => {
      this.#isReady = true
      warnOfVersions(options.subjects, this.operations)
    })
    for (const subject of options.subjects) this.#prepare(swagger, subject)
  }

  get hasTeams (): boolean {
    return this.#options.teams.length > 0
  }

  /**
   * A document, as an object or as YAML.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a name that no document has, and before the app is ready
   */
  read (name: string, yaml: boolean): OpenapiDocument | string {
    this.#check(name)
    if (!this.#isReady) throw new DocumentError('Documents are made when the app is ready: await app.ready() first.')
    return (this.#made.get(name) as MakeDocument)({ yaml })
  }

  /**
   * The transform that shows the routes of a document alone.
   *
   * @throws FST_ERR_VERSION_DOCUMENT for a name that no document has
   */
  transform (name: string): SwaggerTransform {
    const subject = this.#check(name)
    const transform = transformFor(subject, this.operations, this.#options.documentOf(subject).transform, false)
    return function transformForOpenapi (input) {
      if ('swaggerObject' in input) throw new DocumentError('Give @fastify/swagger the option openapi: not Swagger 2.')
      const { openapiObject } = input
      const info = { ...openapiObject.info, 'x-api-version': subject.version }
      const informed = { ...input, openapiObject: { ...openapiObject, info } as typeof openapiObject }
      return transform(informed) as ReturnType<SwaggerTransform>
    }
  }

  /** Each document has its own @fastify/swagger, which leaves no decorator. */
  #prepare (swagger: Swagger, subject: Subject): void {
    const { transform, transformObject, openapi, ...others } = this.#options.documentOf(subject)
    const { refusal, serviceDesc } = this.#options
    const { name, version } = subject
    const { server, operations } = this
    let isYaml = false
    const options: FastifyDynamicSwaggerOptions = {
      ...others,
      // A transform sees it there.
      openapi: { ...openapi, info: { ...openapi?.info, 'x-api-version': version } } as typeof openapi & object,
      transform: transformFor(subject, operations, transform, true) as SwaggerTransform,
      transformObject: (made) => {
        const { openapiObject } = made as unknown as { openapiObject: Document }
        const { ending } = operations.of(subject)
        const successor = operations.latestAfter(subject)
        const finished = finish(openapiObject, { subject, server, hasServiceDesc: serviceDesc, ending, successor })
        // What is in a document twice would be an alias in YAML.
        const document: object = JSON.parse(JSON.stringify(finished))
        const changed: unknown = transformObject === undefined ? document : transformObject({ openapiObject: document })
        if (typeof changed === 'object' && changed !== null && !(changed instanceof Promise)) {
          return isYaml ? toYamlText(changed) : changed
        }
        throw new DocumentError(`"transformObject" must return the document of ${show(name)}, got ${show(changed)}.`)
      }
    }
    let takeIn: OnRoute | null = null
    let collectSchemas: OnReady
    const instance = Object.assign(Object.create(server), {
      addHook (name: string, hook: OnRoute & OnReady) {
        if (name === 'onRoute') takeIn = hook
        if (name === 'onReady') collectSchemas = hook
      },
      // @fastify/swagger would take the schemas of all contexts, of which the last with an `$id` wins.
      getSchemas () {
        const { schemas } = operations.of(subject)
        // Among the shared schemas, its references to them become references of the document.
        const own = refusal && { $id: REFUSAL, [REFUSAL]: true, allOf: [schemas.refer(refusal, server)] }
        return own === null ? schemas.all : { ...schemas.all, [REFUSAL]: own }
      },
      decorate: (_name: string, make: MakeDocument) => this.#made.set(name, function makeDocument (format) {
        if (takeIn !== null) operations.of(subject).all.map(shownAs).forEach(takeIn)
        takeIn = null
        collectSchemas(() => {})
        isYaml = format?.yaml === true
        return isYaml ? fromYamlText(make(format) as string) : make(format)
      })
    })
    swagger(instance, options, () => {})
  }

  #check (name: string): Subject {
    const { subjects } = this.#options
    const subject = subjects.find((one) => one.name === name)
    if (subject !== undefined) return subject
    const names = subjects.map((one) => one.name)
    throw new DocumentError(`There is no document of version ${show(name)}. There are documents of ${show(names)}.`)
  }
}

/** A version that none of the schemes allows, or a team without routes, is probably written wrong. */
function warnOfVersions (subjects: readonly Subject[], operations: Operations): void {
  for (const subject of subjects) {
    const { version, team } = subject
    const schemes = operations.schemesFor(subject)
    if (schemes.some((scheme) => scheme.allows(version)) || (team === null && schemes.length === 0)) continue
    const known = schemes.flatMap(({ allowedVersions }) => allowedVersions).filter((one) => one !== null)
    const message = schemes.length === 0
      ? `No route with versions begins with ${show(`/${team}`)} or has this namespace, but there is ` +
        `a document of ${show(subject.name)}.`
      : `No route can have version ${show(version)}, which has a document.`
    const near = suggestionFor(version, [...new Set(known)])
    process.emitWarning(message + near, 'FastifyVersioningWarning', 'FST_WARN_VERSION_DOCUMENT')
  }
}
