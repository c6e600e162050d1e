import { isDeepStrictEqual } from 'node:util'

import { contextOf, schemeOf } from '../context.ts'
import { parseContentType } from '../http/accept.ts'
import { withParameter as withTypeParameter } from '../http/media-type.ts'
import { urlOf } from './addresses.ts'
import { versionParamOf } from './operations.ts'
import { propertiesOf, withProperty, withoutProperty } from './properties.ts'

import type { FastifySchema } from 'fastify'
import type { Route } from '../routes.ts'
import type { Operation } from './operations.ts'
import type { Scheme } from '../scheme.ts'
import type { VersionParameter } from '../../types/index.d.ts'
import type { JsonSchema } from './properties.ts'

/** The schema of a route, with what @fastify/swagger reads of it besides Fastify. */
export type Schema = FastifySchema & {
  readonly cookies?: unknown, readonly description?: string, readonly servers?: unknown
}

const PROBLEM = 'application/problem+json'
const DESCRIPTION = 'The version of the API'
const CONTAINERS = { query: 'querystring', header: 'headers', cookie: 'cookies' } as const
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'QUERY']
/** What Fastify and @fastify/swagger take where a route says nothing. */
const DEFAULT_STATUS = '200'
const DEFAULT_DESCRIPTION = 'Default Response'

/** How the requests of an operation specify a version. */
interface Naming {
  readonly route: Route
  readonly version: string
  /** The server with the version in its host, or null. */
  readonly server: string | null
  readonly hasBody: boolean
  /** Whether a request without a version does not get this one. */
  readonly isRequired: boolean
}

/**
 * The schema of an operation with what its requests need. That is the version, where the route's scheme and the scheme
 * that chooses among routes read it, and what other constraints require: a host, or Fastify's `Accept-Version`.
 */
export function withVersion (version: string, schema: Schema, operation: Operation): Schema {
  const { route, method, choosing, host, constraints } = operation
  const hasBody = schema.body !== undefined || METHODS_WITH_BODY.includes(method)
  const scheme = schemeOf(route)
  const ownServer = typeof constraints.host === 'string'
    ? `//${constraints.host}${contextOf(route.server).baseUrl?.path ?? ''}`
    : null
  const server = host === null ? null : ownServer ?? urlOf(route.server, host)
  // A route for requests without a version answers them as well.
  const isRequired = version !== scheme?.defaultVersion && route.claim?.versions.includes(null) !== true
  const naming = { route, version, server, hasBody, isRequired }
  const own = isInUrl(route) ? [] : scheme?.members.filter((one) => one.allows(version)) ?? []
  let named = withVersionBy(own, naming, schema)
  if (choosing !== null) {
    named = withVersionBy(choosing.scheme.members, { ...naming, isRequired: choosing.isRequired }, named)
  }
  if (ownServer !== null) named = { servers: [{ url: ownServer }], ...named }
  if (typeof constraints.version !== 'string') return named
  return withParameter({ in: 'header', name: 'Accept-Version' }, constraints.version, true, named, route)
}

/** Whether the path of a route has the version, as a parameter or by its namespace. */
export function isInUrl (route: Route): boolean {
  const scheme = schemeOf(route)
  return versionParamOf(route) !== null || (scheme !== null && scheme.versionIn(route.namespace.names) !== null)
}

/** The schema of an operation, with the version where one of the schemes reads it. */
function withVersionBy (schemes: readonly Scheme[], naming: Naming, schema: Schema): Schema {
  const { route, version, server, hasBody, isRequired } = naming
  const scheme = namingSchemeOf(schemes, naming, schema)
  if (scheme === undefined) return schema
  const { documentation, parameter } = scheme
  if (parameter !== null) return withParameter(parameter, version, isRequired, schema, route)
  if (documentation === 'host') return { servers: [{ url: server }], ...schema }
  if (documentation === 'responseType') return withResponseTypes(scheme, naming, schema)
  if (hasBody) return withBodyTypes(scheme, naming, schema)
  const contentType: VersionParameter = { in: 'header', name: 'Content-Type' }
  return withParameter(contentType, scheme.mediaTypeFor(version) as string, isRequired, schema, route)
}

/**
 * The first scheme that has a place for the version in every request of an operation, or else in some of them;
 * undefined if none has one. A document cannot give the Content-Type of a request without a body, so a scheme that
 * reads it comes last there.
 */
function namingSchemeOf (
  schemes: readonly Scheme[], naming: Naming, schema: Schema
): Scheme | undefined {
  const { version, hasBody } = naming
  const able = schemes.filter((one) => canName(one, naming))
  const placed = able.filter(({ documentation }) => hasBody || documentation !== 'bodyType')
  return placed.find((one) => canNameAlways(one, version, schema)) ?? placed[0] ?? able[0]
}

function canName (scheme: Scheme, { server, version }: Naming): boolean {
  const { documentation } = scheme
  if (documentation === 'host') return server !== null
  return documentation === 'parameter' || scheme.mediaTypeFor(version) !== null
}

/** Whether each media type that a client may send or accept can have the version. */
function canNameAlways (scheme: Scheme, version: string, schema: Schema): boolean {
  const { documentation } = scheme
  if (documentation === 'parameter' || documentation === 'host') return true
  const types = documentation === 'bodyType' ? typesSent(schema) : typesAskedFor(schema)
  return types.every((type) => isNaming(typeFor(type, scheme, version), scheme))
}

/**
 * The schema of an operation without the parameters that are in a path of the route, but not in the path that is shown:
 * the version, and an optional parameter.
 */
export function withoutPathParameters (names: readonly string[], schema: Schema, { server }: Route): Schema {
  const { params, ...others } = schema
  const rest = names.reduce((left, name) => withoutProperty(left, name, server.getSchemas()), params)
  return rest === undefined ? others : { ...others, params: rest }
}

function withParameter (
  { in: place, name }: VersionParameter, value: string, isRequired: boolean, schema: Schema, { server }: Route
): Schema {
  const container = CONTAINERS[place]
  const own = propertiesOf(schema[container], server.getSchemas())
  const textOf = (one: string) => place === 'header' ? one.toLowerCase() : one
  if ([...own.keys()].some((one) => textOf(one) === textOf(name))) return schema
  // Swagger UI selects the default, so that the version is also in the requests where it may be left out.
  const selected = isRequired ? {} : { default: value }
  const property = { type: 'string', enum: [value], ...selected, description: DESCRIPTION }
  return { ...schema, [container]: withProperty(schema[container], name, property, isRequired) }
}

/**
 * If clients specify the version in the media type that they accept, responses have it. If none of their media types
 * can have the version, one that can is added, because clients must be able to specify it.
 */
function withResponseTypes (scheme: Scheme, { version, isRequired }: Naming, schema: Schema): Schema {
  const toType = (type: string) => typeFor(type, scheme, version)
  const isMissing = isRequired && !typesAskedFor(schema).map(toType).some((type) => isNaming(type, scheme))
  const added = isMissing ? [ownTypeOf(scheme, version)] : []
  const types = [...new Set([...added, ...typesIn(schema.produces, scheme, version)])]
  const askedFor = askedForIn(schema)
  const response = Object.fromEntries(responsesIn(schema).map(([status, one]) => (
    [status, withContentTypes(one, toType, askedFor.some(([other]) => other === status) ? added : [])]
  )))
  // A response without content, or one that is not described, gets the content.
  if (askedFor.every(([, one]) => one.type === 'null')) {
    const [status, { type: _none, ...others }] = askedFor[0] ?? [DEFAULT_STATUS, { description: DEFAULT_DESCRIPTION }]
    response[status] = { ...others, content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) }
  }
  return { ...schema, produces: types, response }
}

/** The media types that a client accepts. */
function typesAskedFor (schema: Schema): readonly string[] {
  const { produces = [] } = schema
  const responses = askedForIn(schema).filter(([, one]) => one.type !== 'null')
  return responses.length === 0 ? produces : responses.flatMap(([, one]) => contentTypesOf(one) ?? produces)
}

/** A client accepts the media types of a successful response. */
function askedForIn (schema: Schema): [string, JsonSchema][] {
  const successful = responsesIn(schema).filter(([status]) => status.startsWith('2'))
  return successful.length > 0 ? successful : responsesIn(schema).filter(([status]) => status === 'default')
}

function responsesIn ({ response }: Schema): [string, JsonSchema][] {
  return Object.entries((response ?? {}) as Record<string, JsonSchema>)
}

/** If a client sends a media type with its version, the request body has it. */
function withBodyTypes (scheme: Scheme, { version, isRequired }: Naming, schema: Schema): Schema {
  const toType = (given: string) => {
    const type = typeFor(given, scheme, version)
    // The parameter is read whatever the type is, but a form's type is best left to the client, for its boundary.
    return !isRequired || isNaming(type, scheme) ? type : withTypeParameter(type, scheme.versionParam, version)
  }
  const consumes = typesIn(schema.consumes, scheme, version).map(toType)
  return { ...schema, body: withContentTypes((schema.body ?? {}) as JsonSchema, toType), consumes }
}

function typesSent ({ body, consumes = [] }: Schema): readonly string[] {
  return contentTypesOf((body ?? {}) as JsonSchema) ?? consumes
}

/** The media types that a route says it has, or else the API's, with the version. */
function typesIn (given: readonly string[] | undefined, scheme: Scheme, version: string): string[] {
  if (given !== undefined && given.length > 0) return given.map((type) => typeFor(type, scheme, version))
  return [ownTypeOf(scheme, version)]
}

function ownTypeOf (scheme: Scheme, version: string): string {
  return scheme.mediaTypeFor(version, 'application/json') ?? scheme.mediaTypeFor(version) as string
}

/** The media types that a message lists, or null if it lists none. */
function contentTypesOf ({ content }: JsonSchema): string[] | null {
  return typeof content === 'object' && content !== null ? Object.keys(content) : null
}

/**
 * A request or a response with a list of media types.
 *
 * @param added types that it has as well
 */
function withContentTypes (
  message: JsonSchema, toType: (type: string) => string, added: readonly string[] = []
): JsonSchema {
  const written = contentTypesOf(message)
  if (written === null) return message
  const content = message.content as JsonSchema
  // A type that the user has written with the version precedes a type that gets it.
  const types = written.map((type) => [toType(type), type]).filter(([type, given]) => (
    type === given || !written.some((one) => isDeepStrictEqual(parseContentType(one), parseContentType(type)))
  ))
  const all = [...added.map((type) => [type, written[0]]), ...types]
  return { ...message, content: Object.fromEntries(all.map(([type, given]) => [type, content[given]])) }
}

/** A media type with the version; one that already has a version, or cannot have one, stays as it is. */
function typeFor (given: string, scheme: Scheme, version: string): string {
  const type = parseContentType(given)
  if (type === null || type.mediaType === PROBLEM || type.mediaType.startsWith('multipart/')) return given
  if (isNaming(given, scheme)) return given
  const versioned = scheme.mediaTypeFor(version, type.sent)
  return versioned === null ? given : given.replace(type.sent, () => versioned)
}

/** Whether a media type has a version. */
function isNaming (given: string, scheme: Scheme): boolean {
  const type = parseContentType(given)
  if (type === null) return false
  return type.parameters.has(scheme.versionParam.toLowerCase()) || scheme.namesVersion(type)
}
