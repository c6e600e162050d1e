import { VersioningConflictError, VersioningOptionError, show } from '../errors.ts'
import { toFlag } from '../options/checks.ts'

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
  for (const option of ['mode', 'swagger', 'decorator'] as const) checkAbsent(option, general)
  if (document !== undefined && typeof document !== 'function') {
    throw new VersioningOptionError('document', 'a function that returns options for a version', show(document))
  }
  if (typeof routePrefix !== 'string' || !/^\/[^?#:*]*[^/?#:*]$/.test(routePrefix)) {
    throw new VersioningOptionError('routePrefix', 'a path that begins with a slash', show(routePrefix))
  }
  if (ui !== false && (typeof ui !== 'object' || ui === null)) {
    throw new VersioningOptionError('ui', 'options of @fastify/swagger-ui, or false', show(ui))
  }
  const isServiceDesc = toFlag('serviceDesc', serviceDesc, false)
  if (isServiceDesc && ui === false) {
    throw new VersioningConflictError('"serviceDesc" links to documents, and "ui: false" serves none. Leave out one.')
  }
  return {
    versions: toVersions(versions, allowedVersions),
    documentOf: (version) => merge(general, document?.(version) ?? {}),
    routePrefix,
    ui: ui === false ? null : ui,
    serviceDesc: isServiceDesc
  }
}

function checkAbsent (option: string, given: object): void {
  const value = Object.entries(given).find(([name]) => name === option)?.[1]
  if (value === undefined) return
  throw new VersioningOptionError(option, 'none: documents are made of the routes, as OpenAPI 3', show(value))
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
  const info = { ...DEFAULT_INFO, ...general.openapi?.info, ...own.openapi?.info }
  // @fastify/swagger writes into what it is given, such as `paths`, and those of another version are not its own.
  const openapi = structuredClone({ ...general.openapi, ...own.openapi, info })
  return { ...general, ...own, openapi } as DocumentOptions
}
