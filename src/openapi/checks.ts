import { partOf } from '../changes/parts.ts'
import { contextOf } from '../context.ts'
import { VersioningOptionError, forbid } from '../errors.ts'
import { registryOf } from '../links/registry.ts'
import { shortList, show, warn } from '../messages.ts'
import { hasZod } from '../older-routes/documents.ts'
import { labelOf } from '../routes.ts'
import { OPENAPI_METHODS, eventsShownIn, operationsOf } from './operations.ts'
import { minorOf } from './options.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { DocumentOptions } from '../../types/openapi.d.ts'
import type { Operation } from './operations.ts'
import type { Options } from './options.ts'

/**
 * Checks at onReady what documents are made of, and warns of the routes and events that they leave out.
 *
 * @param all the operations of all versions
 * @throws FST_ERR_VERSIONING_OPTION naming the option or the route that is wrong
 */
export function checkDocuments (
  server: FastifyInstance, { byVersion, versions }: Options, all: readonly Operation[]
): void {
  const { options: router, routes: { list } } = registryOf(server)
  const isEmpty = all.every(({ declared: { schema }, record }) => schema?.hide && record.scheme === null)
  if (isEmpty && list.some(({ scheme, isAdded }) => scheme !== null && !isAdded)) {
    warn('FST_WARN_VERSION_DOCUMENT', 'Register fastify-versioning/openapi in the context of the routes, or wrap the ' +
      'plugin that registers it in fastify-plugin: its own context has no routes, so the documents are empty.')
  }
  checkListed(versions, all, server)
  checkZodPlugin(versions, all)
  for (const [version, options] of byVersion) {
    for (const { declared: { config = {}, schema = {}, url }, method } of operationsOf(version, all, router, options)) {
      const { swaggerTransform: transform = options.transform } = config
      // A transform may return another schema.
      if (transform || isHidden(schema, options)) continue
      checkSecurity(schema, `${method} ${url}`, options)
      checkRouteLibrary(schema, `${method} ${url}`)
    }
  }
  warnUnshown(server, [...byVersion.values()], all)
}

/** Warns of routes and events that no document shows, because its version of OpenAPI cannot. */
function warnUnshown (
  server: FastifyInstance, documents: readonly DocumentOptions[], all: readonly Operation[]
): void {
  const older = documents.filter((options) => minorOf(options) < 2)
  const unshown = all.filter(({ declared: { schema = {} }, route }) => (
    !route.methods.some((method) => OPENAPI_METHODS.includes(method)) &&
    older.some((options) => !isHidden(schema, options))
  ))
  if (unshown.length > 0) {
    const labels = [...new Set(unshown.map(({ route }) => labelOf(route)))]
    warn('FST_WARN_VERSION_DOCUMENT', `Documents leave out ${shortList(labels)}, because OpenAPI has these methods ` +
      "from 3.2 on. Set openapi: { openapi: '3.2.0' }, or hide these routes with schema: { hide: true }.")
  }
  // A user who sets 3.0 knows that it has no webhooks.
  const isByDefault = documents.some(({ openapi }) => openapi?.openapi === undefined)
  const events = isByDefault ? eventsShownIn(server).map(({ name }) => show(name)) : []
  if (events.length > 0) {
    warn('FST_WARN_VERSION_DOCUMENT', `Documents leave out the events ${shortList(events)}, because OpenAPI has ` +
      "webhooks from 3.1 on. Set openapi: { openapi: '3.1.0' }, or '3.0.3' if they may be left out.")
  }
}

/** Tells whether @fastify/swagger hides an operation with this schema. */
export function isHidden (
  { hide, tags = [] }: FastifySchema, { hiddenTag = 'X-HIDDEN', hideUntagged }: DocumentOptions
): boolean {
  return Boolean(hide || (hideUntagged && tags.length === 0) || tags.includes(hiddenTag))
}

/**
 * Checks that a document has the schemes of security that an operation needs, because @fastify/swagger reads them.
 *
 * @param schema of the route
 * @param label the route in an error
 * @throws FST_ERR_VERSIONING_OPTION naming the scheme of security, and what needs it
 */
export function checkSecurity ({ security }: FastifySchema, label: string, { openapi }: DocumentOptions): void {
  const schemes = openapi?.components?.securitySchemes ?? {}
  for (const [option, needed] of [['"openapi.security"', openapi?.security], [`"security" of ${label}`, security]]) {
    const name = [needed ?? []].flat().flatMap(Object.keys).find((key) => !Object.hasOwn(schemes, key))
    if (name === undefined) continue
    const advice = `Add ${show(name)} to "openapi.components.securitySchemes": ${String(option)} needs it.`
    throw new VersioningOptionError(advice, 'openapi.md#options')
  }
}

/**
 * Refuses schemas of Zod and other libraries (https://standardschema.dev). Only a transform makes JSON Schema of them.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the library and the route
 */
function checkRouteLibrary ({ response, ...parts }: FastifySchema, label: string): void {
  const media = Object.values({ ...parts, ...Object(response) }).flatMap((part) => [...partOf(part).values()])
  const standard = media.map(({ schema }) => Object(schema)['~standard']).find((found) => found !== undefined)
  if (standard === undefined) return
  const advice = `Set "transform", such as jsonSchemaTransform of fastify-type-provider-zod: ${label} has a schema ` +
    `of ${show(standard.vendor)}, which @fastify/swagger cannot show.`
  throw new VersioningOptionError(advice, 'openapi.md#typebox-and-zod')
}

/** Throws FST_ERR_VERSIONING_OPTION if changes alter Zod schemas that a plugin shows from a table of its own. */
function checkZodPlugin (versions: readonly string[], all: readonly Operation[]): void {
  for (const server of new Set(all.map(({ route }) => route.server))) {
    const isMixed = server.hasPlugin('fastify-zod-openapi') && versions.some((version) => hasZod(server, version))
    if (!isMixed) continue
    throw new VersioningOptionError(
      'Use fastify-type-provider-zod for documents of Zod schemas with "changes": the transform of ' +
      'fastify-zod-openapi cannot show a schema as it was in an older version.'
    )
  }
}

/** Throws FST_ERR_VERSIONING_OPTION for a version that no context lists, because it is probably a misspelling. */
function checkListed (versions: readonly string[], all: readonly Operation[], server: object): void {
  const contextSchemes = new Set([contextOf(server).scheme, ...all.map(({ route }) => route.scheme)])
  const schemes = [...contextSchemes].filter((scheme) => scheme !== null)
  const listed = [...new Set(schemes.flatMap(({ listedVersions }) => listedVersions))]
  const isListedEverywhere = schemes.length > 0 && schemes.every(({ listedVersions }) => listedVersions.length > 0)
  const wrong = versions.find((version) => !schemes.some((scheme) => scheme.allows(version)))
  if (!isListedEverywhere || wrong === undefined) return
  forbid('versions', `Unknown version ${show(wrong)} in "versions". The contexts allow ${listed.map(show).join(', ')}.`)
}
