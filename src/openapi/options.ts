import { VersioningConflictError, VersioningOptionError, show } from '../errors.ts'
import { toFlag } from '../options/checks.ts'

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { AllowedVersions } from '../../types/index.d.ts'
import type { DocumentOptions, OpenapiOptions } from '../../types/openapi.d.ts'

/** The options of the plugin, checked. */
export interface Options {
  readonly versions: readonly string[]
  /** Those of @fastify/swagger for the document of a version. */
  readonly documentOf: (version: string) => DocumentOptions
  readonly routePrefix: string
  /** Options of @fastify/swagger-ui; null: there is no UI. */
  readonly ui: NonNullable<Exclude<OpenapiOptions['ui'], false>> | null
  readonly serviceDesc: boolean
}

/** What OpenAPI wants to know of every API. */
const DEFAULT_INFO = { title: 'API', version: '1.0.0' }

/**
 * @param allowedVersions those of the context
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toOptions (given: OpenapiOptions, allowedVersions: AllowedVersions | null): Options {
  const { versions, document, routePrefix = '/documentation', ui = {}, serviceDesc, ...general } = given
  checkDocumentOptions(general)
  if (document !== undefined && typeof document !== 'function') {
    throw new VersioningOptionError('document', 'a function that returns options for a version', show(document))
  }
  if (typeof routePrefix !== 'string' || !/^\/[^?#:*]*[^/?#:*]$/.test(routePrefix)) {
    throw new VersioningOptionError('routePrefix', 'a path that begins with a slash', show(routePrefix))
  }
  if (ui !== false && (typeof ui !== 'object' || ui === null)) {
    throw new VersioningOptionError('ui', 'options of @fastify/swagger-ui, or false', show(ui))
  }
  const { routePrefix: uiPrefix, transformSpecification } = ui as Record<string, unknown>
  checkAbsent('ui.routePrefix', uiPrefix, 'the option "routePrefix" says where the UI is')
  checkAbsent('ui.transformSpecification', transformSpecification,
    'the option "transformObject" changes the documents that are served')
  const isServiceDesc = toFlag('serviceDesc', serviceDesc, false)
  if (isServiceDesc && ui === false) {
    throw new VersioningConflictError('"serviceDesc" links to documents, and "ui: false" serves none. Leave out one.')
  }
  return {
    versions: toVersions(versions, allowedVersions),
    documentOf: (version) => merge(general, document === undefined ? {} : ownOptions(document(version), version)),
    routePrefix,
    ui: ui === false ? null : ui,
    serviceDesc: isServiceDesc
  }
}

/** What the option `document` returns for a version. */
function ownOptions (own: unknown, version: string): DocumentOptions {
  if (!isObject(own) || own instanceof Promise) {
    throw new VersioningOptionError(`document(${show(version)})`, 'an object of options', show(own))
  }
  checkDocumentOptions(own)
  return own
}

function checkDocumentOptions (given: DocumentOptions): void {
  const { mode, swagger, decorator, openapi, transform, transformObject } = given as FastifyDynamicSwaggerOptions
  const why = 'documents are made of the routes, as OpenAPI 3'
  // @fastify/swagger writes its default into options that an app gives to both.
  if (mode !== 'dynamic') checkAbsent('mode', mode, why)
  checkAbsent('swagger', swagger, why)
  checkAbsent('decorator', decorator, why)
  if (openapi !== undefined && openapi as unknown !== true && !isObject(openapi)) {
    throw new VersioningOptionError('openapi', 'an object of OpenAPI', show(openapi))
  }
  const { title = '' } = openapi?.info ?? {}
  if (typeof title !== 'string') throw new VersioningOptionError('openapi.info.title', 'a string', show(title))
  for (const [option, value] of Object.entries({ transform, transformObject })) {
    if (value !== undefined && typeof value !== 'function') {
      throw new VersioningOptionError(option, 'a function', show(value))
    }
  }
}

function checkAbsent (option: string, value: unknown, why: string): void {
  if (value !== undefined) throw new VersioningOptionError(option, `none: ${why}`, show(value))
}

function isObject (value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function toVersions (given: unknown, allowedVersions: AllowedVersions | null): readonly string[] {
  const isIterable = typeof given === 'object' && given !== null && Symbol.iterator in given
  const listed = isIterable ? [...given as Iterable<unknown>] : []
  const versions = given === undefined ? allowedVersions?.filter((one) => one !== null) ?? [] : listed
  const isValid = versions.length > 0 && versions.every((one) => typeof one === 'string')
  if (isValid) return [...new Set<string>(versions)]
  const why = given === undefined ? ', for the context has no allowedVersions' : ''
  throw new VersioningOptionError('versions', `a list of versions${why}`, show(given))
}

/** The options of one version over those of all; of `openapi` the fields, and of its `info` as well. */
function merge (general: DocumentOptions, own: DocumentOptions): DocumentOptions {
  const infos = [DEFAULT_INFO, general.openapi?.info ?? {}, own.openapi?.info ?? {}].flatMap(Object.entries)
  const info = Object.fromEntries(infos.filter(([, value]) => value !== undefined))
  // @fastify/swagger writes into what it is given, such as `paths`, and those of another version are not its own.
  const openapi = structuredClone({ ...general.openapi, ...own.openapi, info })
  return { ...general, ...own, openapi } as DocumentOptions
}
