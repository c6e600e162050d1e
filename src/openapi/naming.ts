import { contextOf, schemeOf } from '../context.ts'
import { parseContentType } from '../http/accept.ts'
import { isPermitted } from '../routing/reading.ts'
import { versionParamOf } from './operations.ts'
import { propertiesOf, withProperty, withoutProperty } from './properties.ts'

import type { FastifySchema } from 'fastify'
import type { DeclaredOptions, Route } from '../routes.ts'
import type { VersionParameter, VersioningScheme } from '../../types/index.d.ts'
import type { JsonSchema } from './properties.ts'

/** The schema of a route, with what @fastify/swagger reads of it besides Fastify. */
export type Schema = FastifySchema & { readonly cookies?: unknown, readonly servers?: unknown }

type MediaTypeScheme = VersioningScheme & Required<Pick<VersioningScheme, 'mediaTypeFor'>>

const PROBLEM = 'application/problem+json'
const DESCRIPTION = 'The version of the API'
const CONTAINERS = { query: 'querystring', header: 'headers', cookie: 'cookies' } as const
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']
/** What Fastify and @fastify/swagger take where a route says nothing. */
const DEFAULT_STATUS = '200'
const DEFAULT_DESCRIPTION = 'Default Response'

/** The schema of a route, with the version written where a request to the route names it. */
export function withVersion (version: string, schema: Schema, route: Route, methods: readonly string[]): Schema {
  const scheme = schemeOf(route)
  if (scheme === null) return schema
  const param = versionParamOf(route)
  if (param !== null) return withoutPathParameter(param, schema, route)
  const hasBody = schema.body !== undefined || methods.some((method) => METHODS_WITH_BODY.includes(method))
  const naming = namingSchemeOf(scheme, version, route, hasBody)
  const isRequired = version !== scheme.defaultVersion
  if (naming === undefined) return schema
  if (naming.parameter) return withParameter(naming.parameter, version, isRequired, schema, route)
  if (!hasMediaTypes(naming)) return { servers: [{ url: serverFor(naming, version, route) }], ...schema }
  if (naming.place !== 'content-type') return withResponseTypes(naming, version, schema)
  if (hasBody) return withBodyTypes(naming, version, schema)
  const contentType: VersionParameter = { in: 'header', name: 'Content-Type' }
  return withParameter(contentType, naming.mediaTypeFor(version) as string, isRequired, schema, route)
}

/** The schema of a route, with what its other constraints ask of a request: a host, or Fastify's `Accept-Version`. */
export function withConstraints (constraints: DeclaredOptions['constraints'], schema: Schema, route: Route): Schema {
  const { host, version } = constraints as NonNullable<typeof constraints>
  const served = typeof host === 'string' ? { servers: [{ url: `//${host}` }], ...schema } : schema
  if (typeof version !== 'string') return served
  return withParameter({ in: 'header', name: 'Accept-Version' }, version, true, served, route)
}

/** The server that names the version of a route; null: it is named elsewhere. */
export function serverOf (route: Route, version: string): string | null {
  const naming = namingSchemeOf(schemeOf(route) as VersioningScheme, version, route, true)
  const isByHost = naming !== undefined && !naming.parameter && !hasMediaTypes(naming) && versionParamOf(route) === null
  return isByHost ? serverFor(naming, version, route) : null
}

/** Where the host of an app names a version, the address of that version; null: it has no place for one. */
function serverFor (scheme: VersioningScheme, version: string, { server }: Route): string | null {
  const baseUrl = contextOf(server)?.baseUrl ?? null
  const host = baseUrl === null ? null : scheme.hostFor?.(version, baseUrl.host) ?? null
  return host === null ? null : `${baseUrl?.protocol}://${host}${baseUrl?.path}`
}

/**
 * Of several schemes the first that has a place for the version in a request to the route; undefined: the request
 * names it already, or none has a place. A document cannot tell the Content-Type of a request without body, so that a
 * scheme which reads it comes last there.
 */
function namingSchemeOf (
  scheme: VersioningScheme, version: string, route: Route, hasBody: boolean
): VersioningScheme | undefined {
  const schemes = scheme.schemes ?? [scheme]
  if (schemes.some((one) => typeof one.versionIn?.(route.namespace.names) === 'string')) return undefined
  const able = schemes.filter((one) => isPermitted(one, version) && canName(one, version, route))
  return able.find(({ place }) => hasBody || place !== 'content-type') ?? able[0]
}

function canName (scheme: VersioningScheme, version: string, route: Route): boolean {
  if (scheme.parameter) return true
  return hasMediaTypes(scheme) ? scheme.mediaTypeFor(version) !== null : serverFor(scheme, version, route) !== null
}

function hasMediaTypes (scheme: VersioningScheme): scheme is MediaTypeScheme {
  return typeof scheme.mediaTypeFor === 'function'
}

/** A filled path has the parameter no more, nor may the operation. */
function withoutPathParameter (name: string, schema: Schema, { server }: Route): Schema {
  const { params, ...others } = schema
  const rest = withoutProperty(params, name, server.getSchemas())
  return rest === undefined ? others : { ...others, params: rest }
}

function withParameter (
  { in: place, name }: VersionParameter, value: string, isRequired: boolean, schema: Schema, { server }: Route
): Schema {
  const container = CONTAINERS[place]
  const own = propertiesOf(schema[container], server.getSchemas())
  const isHeader = place === 'header'
  const isKnown = [...own.keys()].some((one) => one === name || (isHeader && isSameHeader(one, name)))
  if (isKnown) return schema
  const property = { type: 'string', enum: [value], description: DESCRIPTION }
  return { ...schema, [container]: withProperty(schema[container], name, property, isRequired) }
}

function isSameHeader (a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Where a client asks for a media type in its version, the responses have that. */
function withResponseTypes (scheme: MediaTypeScheme, version: string, schema: Schema): Schema {
  const { produces, response } = schema
  const types = typesIn(produces, scheme, version)
  const content = Object.fromEntries(types.map((type) => [type, { schema: {} }]))
  const responses = Object.entries((response ?? {}) as Record<string, JsonSchema>).map(([status, one]) => (
    [status, withContentTypes(one, scheme, version)] as const
  ))
  // A client asks for what a successful response has: if that has no content, the version has to be told all the same.
  const successful = responses.filter(([status]) => /^(?:2|default)/.test(status))
  const own = successful.some(([, one]) => one.type !== 'null') ? [] : withContent(successful[0], content)
  return { ...schema, produces: types, response: Object.fromEntries([...responses, ...own]) }
}

/** A response without content, or one that is not described, with the content. */
function withContent (
  [status, response]: readonly [string, JsonSchema] = [DEFAULT_STATUS, { description: DEFAULT_DESCRIPTION }],
  content: JsonSchema
): [string, JsonSchema][] {
  const { type: _none, ...others } = response
  return [[status, { ...others, content }]]
}

/** Where a client sends a media type in its version, the request body has that. */
function withBodyTypes (scheme: MediaTypeScheme, version: string, schema: Schema): Schema {
  const { body = {}, consumes } = schema
  const types = typesIn(consumes, scheme, version)
  return { ...schema, body: withContentTypes(body as JsonSchema, scheme, version), consumes: types }
}

/** The media types that a route says it has, or else that of the API, with the version. */
function typesIn (given: readonly string[] | undefined, scheme: MediaTypeScheme, version: string): string[] {
  if (given !== undefined && given.length > 0) return given.map((type) => typeFor(type, scheme, version))
  return [scheme.mediaTypeFor(version, 'application/json') ?? scheme.mediaTypeFor(version) as string]
}

/** A request or a response whose media types are written out. */
function withContentTypes (message: JsonSchema, scheme: MediaTypeScheme, version: string): JsonSchema {
  const { content } = message
  if (typeof content !== 'object' || content === null) return message
  const types = Object.entries(content).map(([type, media]) => [typeFor(type, scheme, version), media])
  return { ...message, content: Object.fromEntries(types) }
}

/** A media type with the version; one that names a version already, or can name none, stays as it is. */
function typeFor (given: string, scheme: MediaTypeScheme, version: string): string {
  const type = parseContentType(given)
  if (type === null || type.mediaType === PROBLEM || type.mediaType.startsWith('multipart/')) return given
  if (type.parameters.has(scheme.versionParam.toLowerCase()) || scheme.namesVersion?.(type)) return given
  const versioned = scheme.mediaTypeFor(version, type.sent)
  return versioned === null ? given : given.replace(type.sent, () => versioned)
}
