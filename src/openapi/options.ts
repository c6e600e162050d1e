import { contextOf } from '../context.ts'
import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

import type { FastifyInstance } from 'fastify'
import type { DocumentOptions, OpenapiOptions } from '../../types/openapi.d.ts'

/** The options of the plugin, checked. */
export interface Options {
  readonly versions: readonly string[]
  /** The options of @fastify/swagger for the document of a version. */
  readonly byVersion: ReadonlyMap<string, DocumentOptions>
  readonly routePrefix: string
  /** Options of @fastify/swagger-ui, or null if there is no UI. */
  readonly ui: NonNullable<Exclude<OpenapiOptions['ui'], false>> | null
}

const ROUTE_PREFIX = 'a path without parameters that begins with a slash and does not end with one'
/** What OpenAPI requires of every API. */
const DEFAULT_INFO = { title: 'API', version: '1.0.0' }

/**
 * @param server the context of the documents
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toOptions (given: OpenapiOptions, server: FastifyInstance): Options {
  const { versions: listed, document, routePrefix = '/documentation', ui = {}, ...general } = given
  must(typeof document === 'function', 'document', 'a function that returns options for a version', document)
  const isPath = typeof routePrefix === 'string' && /^\/[^?#:*]*[^/?#:*]$/.test(routePrefix)
  must(isPath, 'routePrefix', ROUTE_PREFIX, routePrefix)
  must(ui === false || isObject(ui), 'ui', 'options of @fastify/swagger-ui, or false', ui)
  const { routePrefix: uiPrefix, transformSpecification } = ui as Record<string, unknown>
  must(false, 'ui.routePrefix', 'none: the option "routePrefix" says where the UI is', uiPrefix)
  must(false, 'ui.transformSpecification', 'none: "transformObject" changes what is served', transformSpecification)
  const versions = toVersions(listed ?? contextOf(server).settings.allowedVersions?.filter((one) => one !== null))
  checkOptions(general)
  const byVersion = new Map(versions.map((version) => {
    const own: DocumentOptions = document === undefined ? {} : document(version)
    if (!isObject(own) || own instanceof Promise) {
      throw new VersioningOptionError(`document(${show(version)})`, 'an object of options', show(own))
    }
    checkOptions(own)
    return [version, merge(version, general, own)]
  }))
  return { versions, byVersion, routePrefix, ui: ui === false ? null : ui }
}

function toVersions (given: unknown): string[] {
  const listed = isObject(given) && Symbol.iterator in given ? [...given as Iterable<unknown>] : []
  if (listed.length > 0 && listed.every((one) => typeof one === 'string')) return [...new Set(listed)]
  const why = given === undefined ? ', because the context has no allowedVersions' : ''
  throw new VersioningOptionError('versions', `a list of versions${why}`, show(given))
}

function checkOptions (options: DocumentOptions): void {
  const { mode, swagger, decorator, catalog, serviceDesc, refusal, openapi, ...functions } = options as OptionsGiven
  // @fastify/swagger writes its default into options that an app gives to both.
  must(mode === 'dynamic', 'mode', 'none: documents are made of the routes', mode)
  must(false, 'swagger', 'none: documents are OpenAPI 3', swagger)
  must(false, 'decorator', 'none: the documents are at app.openapi', decorator)
  must(false, 'catalog', 'none: a route of the app can serve it', catalog)
  must(false, 'serviceDesc', 'none: a hook of the app can send the link', serviceDesc)
  must(false, 'refusal', 'none: "openapi.components.responses" goes first', refusal)
  must(openapi === true || isObject(openapi), 'openapi', 'an object of OpenAPI', openapi)
  const { title } = (openapi as DocumentOptions['openapi'])?.info ?? {}
  must(typeof title === 'string', 'openapi.info.title', 'a string', title)
  for (const option of ['transform', 'transformObject']) {
    must(typeof functions[option] === 'function', option, 'a function', functions[option])
  }
}
type OptionsGiven = Record<string, unknown>

/** The options of one version over the options of all, also field by field in `openapi` and `info`. */
function merge (version: string, general: DocumentOptions, own: DocumentOptions): DocumentOptions {
  const infos = [DEFAULT_INFO, general.openapi?.info ?? {}, own.openapi?.info ?? {}].flatMap(Object.entries)
  const info = Object.fromEntries([...infos.filter(([, value]) => value !== undefined), ['x-api-version', version]])
  return { ...general, ...own, openapi: { ...general.openapi, ...own.openapi, info } } as DocumentOptions
}

/** @throws FST_ERR_VERSIONING_OPTION unless the option is valid or absent */
function must (isValid: boolean, option: string, expected: string, value: unknown): void {
  if (!isValid && value !== undefined) throw new VersioningOptionError(option, expected, show(value))
}

function isObject (value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
