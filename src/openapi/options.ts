import { isObject } from '../changes/schema.ts'
import { contextOf } from '../context.ts'
import { forbid, must } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { checkRoutePrefix, toArray } from '../options/read.ts'
import { checkOrder } from '../options/release-order.ts'

import type { FastifyInstance, RegisterOptions } from 'fastify'
import type { DocumentOptions, OpenapiOptions } from '../../types/openapi.d.ts'

/** The checked options of the plugin. */
export interface Options {
  readonly versions: readonly string[]
  /** The options of @fastify/swagger for the document of a version. */
  readonly byVersion: ReadonlyMap<string, DocumentOptions>
  readonly routePrefix: string
  /** Options of @fastify/swagger-ui, or null if there is no UI. */
  readonly ui: NonNullable<Exclude<OpenapiOptions['ui'], false>> | null
}

const isFunction = (value: unknown) => typeof value === 'function'
/** The values that options of @fastify/swagger must have, by their paths, where it does not check them itself. */
const EXPECTED: readonly (readonly [expected: string, isRight: (value: unknown) => boolean, paths: string[]])[] = [
  ['an object', (value) => value === true || isObject(value), ['openapi']],
  ["a version of OpenAPI 3, such as '3.1.0'", (value) => /^3\.\d+\.\d/.test(String(value)), ['openapi.openapi']],
  ['an object', isObject, ['openapi.info', 'refResolver']],
  ['a string', (value) => typeof value === 'string', ['openapi.info.title', 'openapi.info.version', 'hiddenTag']],
  ['a function', isFunction, ['transform', 'transformObject', 'refResolver.buildLocalReference']],
  ['true or false', (value) => typeof value === 'boolean',
    ['exposeHeadRoutes', 'hideUntagged', 'stripBasePath', 'convertConstToEnum']]
]
/** The advice for options of @fastify/swagger that must not be there. */
const FORBIDDEN: readonly (readonly [advice: string, names: string[]])[] = [
  ['Move "?" out of "document": all documents share it.', ['versions', 'document', 'routePrefix', 'ui']],
  ['Remove "?": documents are OpenAPI 3.', ['swagger']],
  ['Remove "?": documents are at app.openapi.', ['decorator']],
  ['Move "?" into "openapi".', ['info', 'servers', 'tags', 'components', 'security', 'paths']],
  ['Move "?" into "ui".',
    ['indexPrefix', 'initOAuth', 'logo', 'staticCSP', 'theme', 'transformStaticCSP', 'uiConfig', 'uiHooks']],
  ['Remove "?": a route of the app can serve it.', ['catalog']],
  ['Remove "?": a hook of the app can send the link.', ['serviceDesc']],
  ['Remove "?": "openapi.components.responses" goes first.', ['refusal']],
  ['Remove "?": documents are made of the routes.', ['mode']]
]
/** The known options. A name that is nearly one of these is a mistake, another is of a newer @fastify/swagger. */
const SWAGGER_OPTIONS = [
  'prefix', 'logLevel', 'logSerializers', ...FORBIDDEN.flatMap(([, names]) => names),
  ...EXPECTED.flatMap(([, , paths]) => paths)
]
/** The fields of `info` that OpenAPI requires. */
const DEFAULT_INFO = { title: 'API', version: '1.0.0' }

/**
 * Checks the options, and returns them with the options of each version.
 *
 * @param server the context of the documents
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toOptions (options: OpenapiOptions, server: FastifyInstance): Options {
  const { versions: listed, document, routePrefix = '/documentation', ui = {}, ...general } = options
  must(document === undefined || isFunction(document), 'document', 'a function that returns options for a version',
    document)
  checkRoutePrefix(options.routePrefix, (options as RegisterOptions).prefix)
  must(ui === false || isObject(ui), 'ui', 'options of @fastify/swagger-ui, or false', ui)
  const { routePrefix: prefix, transformSpecification } = ui as Record<string, unknown>
  if (prefix !== undefined) forbid('ui', 'Move "ui.routePrefix" to "routePrefix".')
  if (transformSpecification !== undefined) {
    forbid('ui', 'Remove "ui.transformSpecification": "transformObject" changes what is served.')
  }
  const inherited = contextOf(server).settings.allowedVersions?.filter((name) => name !== null)
  const versions = toVersions(listed ?? inherited)
  checkOrder(versions, 'fastify-versioning/openapi', listed === undefined ? 'allowedVersions' : 'versions')
  checkDocumentOptions(general)
  const byVersion = new Map(versions.map((version) => {
    const special: DocumentOptions = document === undefined ? {} : document(version)
    const isRight = isObject(special) && !(special instanceof Promise)
    must(isRight, `document(${show(version)})`, 'an object of options', special)
    checkDocumentOptions(special)
    return [version, mergeOptions(version, general, special)]
  }))
  return { versions, byVersion, routePrefix, ui: ui === false ? null : ui }
}

/** Returns the 1 of OpenAPI 3.1. By default @fastify/swagger makes 3.0. */
export function minorOf ({ openapi }: DocumentOptions): number {
  return Number(openapi?.openapi?.split('.')[1] ?? 0)
}

function toVersions (versions: unknown): string[] {
  const listed = toArray(versions) ?? []
  if (listed.length > 0 && listed.every((version) => typeof version === 'string')) return [...new Set(listed)]
  const why = versions === undefined ? ', because the context has no allowedVersions' : ''
  must(false, 'versions', `a list of versions${why}`, versions)
}

function checkDocumentOptions (options: DocumentOptions): void {
  for (const [option, value] of Object.entries(options)) {
    const hint = value === undefined || SWAGGER_OPTIONS.includes(option) ? '' : suggestionFor(option, SWAGGER_OPTIONS)
    if (hint !== '') forbid(option, `Unknown option "${option}" of documents.${hint}`)
  }
  for (const [advice, names] of FORBIDDEN) {
    const name = names.find((candidate) => ((options as Record<string, unknown>)[candidate] ?? null) !== null)
    // @fastify/swagger writes its default into the options if an app gives the same object to both plugins.
    if (name === undefined || (name === 'mode' && options[name as never] === 'dynamic')) continue
    forbid(name, advice.replace('?', name))
  }
  for (const [expected, isRight, paths] of EXPECTED) {
    for (const path of paths) {
      const value = path.split('.').reduce<unknown>((part, name) => Object(part)[name], options)
      must((value ?? null) === null || isRight(value), path, expected, value)
    }
  }
}

/** Returns the options of one version over the options of all, merged field by field in `openapi` and `info`, too. */
function mergeOptions (version: string, general: DocumentOptions, special: DocumentOptions): DocumentOptions {
  const infos = [DEFAULT_INFO, general.openapi?.info ?? {}, special.openapi?.info ?? {}].flatMap(Object.entries)
  const infoEntries = infos.filter(([, value]) => (value ?? null) !== null)
  const info = Object.fromEntries([...infoEntries, ['x-api-version', version]])
  return { ...general, ...special, openapi: { ...general.openapi, ...special.openapi, info } } as DocumentOptions
}
