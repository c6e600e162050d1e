import { contextOf } from '../context.ts'
import { VersioningConflictError, VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { toHref } from '../options/lifecycle.ts'
import { knownFieldsOf, must } from '../options/read.ts'

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { AllowedVersions } from '../../types/index.d.ts'
import type { DocumentOptions, OpenapiOptions } from '../../types/openapi.d.ts'

/** What one document is about. */
export interface Subject {
  /** What the document is called: `v2`, or `bookings v2`. */
  readonly name: string
  readonly version: string
  /** The team whose routes it has; null if it has the routes of the whole context. */
  readonly team: string | null
}

/** The options of the plugin, checked. */
export interface Options {
  readonly subjects: readonly Subject[]
  /** The names of the teams that have their own documents. If there are none, the documents have all routes. */
  readonly teams: readonly string[]
  /** The options of @fastify/swagger for a document. */
  readonly documentOf: (subject: Subject) => DocumentOptions
  readonly routePrefix: string
  /** Options of @fastify/swagger-ui, or null if there is no UI. */
  readonly ui: NonNullable<Exclude<OpenapiOptions['ui'], false>> | null
  readonly serviceDesc: boolean
  /** A schema of the body that an error handler makes of a refusal, or null if it is not known. */
  readonly refusal: object | null
  /** Where the status of the API is shown, for its catalog (RFC 9727), or null if there is no catalog. */
  readonly catalog: readonly string[] | null
}

/** A name that begins a path, or several segments of it. */
const TEAM = /^[\w.~-]+(?:\/[\w.~-]+)*$/
const ROUTE_PREFIX = 'a path without parameters that begins with a slash and does not end with one'
/** What OpenAPI requires of every API. */
const DEFAULT_INFO = { title: 'API', version: '1.0.0' }

/**
 * @param server the context of the documents
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function toOptions (given: OpenapiOptions, server: FastifyInstance): Options {
  const {
    versions, document, routePrefix = '/documentation', ui = {}, serviceDesc, refusal, catalog, ...general
  } = given
  checkDocumentOptions(general)
  if (document !== undefined && typeof document !== 'function') {
    throw new VersioningOptionError('document', 'a function that returns options for a version', show(document))
  }
  if (typeof routePrefix !== 'string' || !/^\/[^?#:*]*[^/?#:*]$/.test(routePrefix)) {
    throw new VersioningOptionError('routePrefix', ROUTE_PREFIX, show(routePrefix))
  }
  if (ui !== false && !isObject(ui)) {
    throw new VersioningOptionError('ui', 'options of @fastify/swagger-ui, or false', show(ui))
  }
  const { routePrefix: uiPrefix, transformSpecification } = ui as Record<string, unknown>
  checkAbsent('ui.routePrefix', uiPrefix, 'the option "routePrefix" says where the UI is')
  checkAbsent('ui.transformSpecification', transformSpecification,
    'the option "transformObject" changes the documents that are served')
  if (refusal !== undefined && !isObject(refusal)) {
    throw new VersioningOptionError('refusal', 'a schema of the body that your error handler sends', show(refusal))
  }
  const isServiceDesc = serviceDesc ?? false
  must(typeof isServiceDesc === 'boolean', 'serviceDesc', 'true or false', serviceDesc)
  const links = isServiceDesc ? 'serviceDesc' : catalog !== undefined && catalog !== false ? 'catalog' : null
  if (links !== null && ui === false) {
    throw new VersioningConflictError(`"${links}" links to documents, and "ui: false" serves none. Leave out one.`)
  }
  const subjects = toSubjects(versions, contextOf(server).settings.allowedVersions)
  return {
    subjects,
    teams: [...new Set(subjects.map(({ team }) => team))].filter((team) => team !== null),
    documentOf: (subject) => merge(general, document === undefined ? {} : ownOptions(document, subject)),
    routePrefix,
    ui: ui === false ? null : ui,
    serviceDesc: isServiceDesc,
    refusal: refusal ?? null,
    catalog: toCatalog(catalog, server)
  }
}

/** What the option `document` returns for a document. */
function ownOptions (document: NonNullable<OpenapiOptions['document']>, { version, team }: Subject): DocumentOptions {
  const own: unknown = team === null ? document(version) : document(version, team)
  if (!isObject(own) || own instanceof Promise) {
    const given = [version, team].filter((one) => one !== null).map(show)
    throw new VersioningOptionError(`document(${given.join(', ')})`, 'an object of options', show(own))
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

/** The documents of the option `versions`. */
function toSubjects (given: unknown, allowedVersions: AllowedVersions | null): readonly Subject[] {
  if (isObject(given) && !(Symbol.iterator in given)) {
    const teams = Object.entries(given)
    if (teams.length === 0) throw new VersioningOptionError('versions', 'at least one team with its versions', '{}')
    return teams.flatMap(([team, versions]) => {
      if (!TEAM.test(team)) throw new VersioningOptionError('versions', 'names of teams like "bookings"', show(team))
      return toVersions(`versions.${team}`, versions).map((version) => ({ name: `${team} ${version}`, version, team }))
    })
  }
  const versions = given === undefined && allowedVersions !== null
    ? allowedVersions.filter((one) => one !== null)
    : given
  return toVersions('versions', versions, given).map((version) => ({ name: version, version, team: null }))
}

function toVersions (option: string, versions: unknown, given = versions): string[] {
  const isIterable = isObject(versions) && Symbol.iterator in versions
  const listed = isIterable ? [...versions as Iterable<unknown>] : []
  if (listed.length > 0 && listed.every((one) => typeof one === 'string')) return [...new Set<string>(listed)]
  const why = option === 'versions' && given === undefined ? ', because the context has no allowedVersions' : ''
  throw new VersioningOptionError(option, `a list of versions${why}`, show(given))
}

/** @throws FST_ERR_VERSIONING_OPTION where the catalog could not be at the root, or could not have absolute links */
function toCatalog (given: unknown, server: FastifyInstance): readonly string[] | null {
  if (given === undefined || given === false) return null
  const fields = given === true ? new Map() : knownFieldsOf('catalog', given, 'true, false or { status }', ['status'])
  const status = fields.has('status') ? [toHref('catalog.status', fields.get('status'))] : []
  if (contextOf(server).baseUrl === null) {
    throw new VersioningConflictError('The option "catalog" needs the option "baseUrl" of fastify-versioning: ' +
      'the links of a catalog are absolute.')
  }
  if (server.prefix !== '') {
    throw new VersioningConflictError('The option "catalog" cannot be used in a context with a prefix, because ' +
      'the catalog is at /.well-known/api-catalog. Use it where you register fastify-versioning/openapi at the root.')
  }
  return status
}

/**
 * The options of all documents, with the options of one version over them, also field by field in `openapi` and `info`.
 */
function merge (general: DocumentOptions, own: DocumentOptions): DocumentOptions {
  const infos = [DEFAULT_INFO, general.openapi?.info ?? {}, own.openapi?.info ?? {}].flatMap(Object.entries)
  const info = Object.fromEntries(infos.filter(([, value]) => value !== undefined))
  // @fastify/swagger changes the objects it is given, such as `paths`, so versions must not share them.
  const openapi = structuredClone({ ...general.openapi, ...own.openapi, info })
  return { ...general, ...own, openapi } as DocumentOptions
}
