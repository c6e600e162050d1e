import { contextOf } from '../context.ts'
import { parseMediaRange } from '../http/accept.ts'
import { withParameter } from '../http/headers.ts'
import { versionBySubtype } from '../options/media-types.ts'
import { MediaTypeVersioning } from '../schemes/media-type.ts'
import { isByHost, isInUrl } from './operations.ts'

import type { MediaRange } from '../http/accept.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { VersionParameter } from '../../types/index.d.ts'
import type { Content, Item, Message } from './document.ts'
import type { Operation } from './operations.ts'

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'QUERY']
/** Methods whose Content-Type Fastify ignores. With other methods, it refuses `application/json` without a body. */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']
/** Statuses whose responses have no body, except the text that explains a redirect. */
const BODILESS = /^(?:1|20[45]|3)/
/** Media types that get no version: that of an error, and those of forms, which the client sends with a boundary. */
const UNVERSIONED = /^(?:application\/problem\+json$|multipart\/)/

/** Says in an operation where its requests specify the version, unless its path or its host has it. */
export function addVersion (item: Item, operation: Operation, scheme: Scheme, version: string): void {
  const { method, route: { claim, older, server } } = operation
  if (isInUrl(operation, scheme)) return
  // A route for requests without a version answers these requests, too, in the version of its handler.
  const isOptional = claim?.versions.includes(null) === true && older.byVersion?.has(version) !== true
  const isRequired = version !== scheme.defaultVersion && !isOptional
  const host = contextOf(server).baseUrl?.host
  const able = scheme.members.filter((member) => member.allows(version) && (
    member.parameter !== null || member.author.mediaTypeFor(version) !== null ||
    (host !== undefined && member.author.hostFor(version, host))
  ))
  // A document cannot say the media type of a request without a body, so a scheme of Content-Type comes last.
  const member = able.find((candidate) => candidate.parameter !== null || candidate.place !== 'content-type') ?? able[0]
  if (member === undefined) return
  if (member.parameter !== null) return addParameter(item, member.parameter, version, isRequired)
  if (member.author.mediaTypeFor(version) === null) return
  if (member.place === 'content-type') addToBody(item, member, version, isRequired, method)
  else addToResponses(item, member, version, isRequired)
}

/**
 * Adds the parameter that has the version. It replaces a parameter of the user, but keeps its description, because that
 * parameter allows versions that are refused.
 */
export function addParameter (
  item: Item, { in: place, name }: VersionParameter, value: string, isRequired: boolean
): void {
  const all = item.parameters ??= []
  const textOf = (written: string) => place === 'header' ? written.toLowerCase() : written
  const index = all.findIndex((existing) => existing.in === place && textOf(existing.name) === textOf(name))
  const { description = 'The version of the API', required = false } = all[index] ?? {}
  // Swagger UI selects the default, so that the version is also in the requests where it may be left out.
  const schema = { type: 'string', enum: [value], ...isRequired || required ? {} : { default: value } }
  const parameter = { in: place, name, required: isRequired || required, description, schema, example: value }
  all.splice(index === -1 ? all.length : index, 1, parameter)
}

/**
 * Writes the version into the media types of responses, if clients specify it in the media type that they accept. At
 * least one response gets the version, but no error. Beside other responses, `default` is an error.
 */
function addToResponses ({ responses }: Item, scheme: Scheme, version: string, isRequired: boolean): void {
  const all: [status: string, response: Message][] = Object.entries(responses).filter(([name]) => !/^[45]/.test(name))
  const successful = all.length === 1 ? all : all.filter(([status]) => status !== 'default')
  for (const [, response] of successful) {
    if (response.content !== undefined) response.content = versioned(response.content, scheme, version)
  }
  const types = successful.flatMap(([, { content }]) => Object.keys(content ?? {}))
  if (!isRequired || types.some((type) => isNaming(type, scheme))) return
  const [first = ['200', { description: 'Default Response' }]] = successful
  const [status, response] = successful.find(([name]) => !BODILESS.test(name)) ?? first
  const [media = { schema: {} }] = Object.values(response.content ?? {})
  responses[status] = { ...response, content: { [ownTypeOf(scheme, version)]: media, ...response.content } }
}

function addToBody (item: Item, scheme: Scheme, version: string, isRequired: boolean, method: string): void {
  const type = ownTypeOf(scheme, version)
  if (item.requestBody !== undefined) {
    // The scheme reads the parameter of any type. The type of a form gets it only if the version is required, because
    // the client writes this type best, with its boundary.
    const content = Object.entries(versioned(item.requestBody.content, scheme, version)).map(([written, media]) => (
      [isRequired && !isNaming(written, scheme) ? withParameter(written, scheme.versionParam, version) : written, media]
    ))
    item.requestBody.content = Object.fromEntries(content)
  } else if (METHODS_WITH_BODY.includes(method)) item.requestBody = { content: { [type]: { schema: {} } } }
  else if (isRequired && METHODS_WITHOUT_BODY.includes(method)) {
    addParameter(item, { in: 'header', name: 'Content-Type' }, type, isRequired)
  }
}

function ownTypeOf ({ author }: Scheme, version: string): string {
  return author.mediaTypeFor(version, 'application/json') ?? author.mediaTypeFor(version) as string
}

/** Returns the media types of a message with the version. A type that the user has written with the version wins. */
function versioned (content: Content, scheme: Scheme, version: string): Content {
  const types = Object.entries(content).sort(([a], [b]) => Number(isNaming(a, scheme)) - Number(isNaming(b, scheme)))
  return Object.fromEntries(types.map(([type, media]) => [typeFor(type, scheme, version), media]))
}

/** Returns a media type with the version. A type that has a version, or cannot have one, stays as it is. */
function typeFor (mediaType: string, scheme: Scheme, version: string): string {
  const type = parseMediaRange(mediaType)
  if (type === null || UNVERSIONED.test(type.mediaType) || isNaming(mediaType, scheme)) return mediaType
  const versionedType = scheme.author.mediaTypeFor(version, type.sent)
  if (versionedType !== null) return mediaType.replace(type.sent, () => versionedType)
  // @fastify/swagger writes `application/json` if a route names no type.
  return mediaType === 'application/json' ? ownTypeOf(scheme, version) : mediaType
}

/** Tells whether a media type has a version. */
function isNaming (mediaType: string, scheme: Scheme): boolean {
  const type = parseMediaRange(mediaType)
  return type !== null && (type.parameters.has(scheme.versionParam.toLowerCase()) || namesVersion(scheme, type))
}

/** Tells whether a media type has a version in its subtype. */
function namesVersion ({ author, mediaTypes }: Scheme, type: Pick<MediaRange, 'mediaType' | 'sent'>): boolean {
  return author instanceof MediaTypeVersioning && versionBySubtype(type, mediaTypes) !== null
}

/** Returns the public address to which requests for a version are sent, or null if nobody knows it. */
export function addressOf (server: object, scheme: Scheme | null, version: string): string | null {
  const { baseUrl } = contextOf(server)
  if (baseUrl === null) return null
  const members = scheme?.members ?? []
  const able = members.filter((member) => member.allows(version))
  const host = able.map(({ author }) => author.hostFor(version, baseUrl.host)).find((name) => name !== null)
  // At a host without this version, a request gets the default version, or the version that the host has.
  const isDefault = scheme === null || !isByHost(scheme) || version === scheme.defaultVersion
  const isOther = members.some((member) => member.versionInHost(baseUrl.host) !== undefined)
  if (host === undefined && (!isDefault || isOther)) return null
  return `${baseUrl.protocol}://${host ?? baseUrl.host}${baseUrl.path}`
}
