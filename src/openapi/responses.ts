import { contextOf, schemeOf } from '../context.ts'
import { VersionError } from '../errors.ts'
import { linkedVersions } from '../lifecycle/served.ts'
import { slotOf } from '../routes.ts'
import { endingOf } from './ending.ts'
import { isInUrl } from './naming.ts'
import { versionInHost } from './slots.ts'

import type { FastifySchema } from 'fastify'
import type { Ending } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { Operation } from './operations.ts'

/** A response or a header that the operations of a document share. */
export interface Component {
  readonly name: string
  readonly value: object
}

/** The response of a refusal. */
export interface RefusalResponse extends Component {
  readonly status: string
  /** Whether it says that a version is gone, and so how the version ends. */
  readonly isOfEnding: boolean
}

/** What refusals mean, by their codes. */
const TITLES = {
  FST_ERR_VERSION_AMBIGUOUS: 'The request specifies different versions',
  FST_ERR_VERSION_GONE: 'The version is gone',
  FST_ERR_VERSION_NOT_ACCEPTABLE: 'The version is not acceptable',
  FST_ERR_VERSION_NOT_FOUND: 'The version is not found',
  FST_ERR_VERSION_NOT_SUPPORTED: 'The version is not supported',
  FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE: 'The version of the media type is not supported'
}
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']
/** What Fastify validates of a request besides its body. */
const VALIDATED = ['querystring', 'query', 'params', 'headers']
/** The codes of Fastify for a request that does not fit the schemas of its route, or cannot be parsed. */
const NOT_VALID = 'FST_ERR_VALIDATION'
const NOT_PARSED = [
  'FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'
]
const WRONG_TYPE = 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

const DEPRECATED_VERSIONS = header('API-Deprecated-Versions', 'The versions that are deprecated')
const SUPPORTED_VERSIONS = header('API-Supported-Versions', 'The versions that are served')
const DEPRECATION = header('Deprecation', 'When this becomes deprecated (RFC 9745)')
const LINK = header('Link', 'Further reading, and the same resource in later versions (RFC 8288)')
const LINK_TO_DOCUMENT = header('Link', 'The document of this version (RFC 8631)')
const SUNSET = header('Sunset', 'When this may stop working (RFC 8594)')

/** The headers of the responses of an operation, by what they answer. */
interface Headers {
  readonly served: readonly Component[]
  readonly refused: readonly Component[]
  /** The version is gone. */
  readonly gone: readonly Component[]
}

export function headersOf (operation: Operation, version: string, hasServiceDesc: boolean): Headers {
  const { route } = operation
  const { servedVersion } = contextOf(route.server)
  const isTold = servedVersion !== null
  const ending = endingOf(route, version)
  const link = hasLinks(operation, version, ending) ? LINK : hasServiceDesc ? LINK_TO_DOCUMENT : null
  const refused = reportHeadersOf(route)
  const ofEnding = [
    ...ending?.deprecation ? [DEPRECATION] : [],
    ...ending?.sunset ? [SUNSET] : [],
    ...link === null ? [] : [link]
  ]
  return {
    served: [...ofEnding, ...isTold ? [header(servedVersion, 'The version that is served')] : [], ...refused],
    refused,
    gone: [...ofEnding, ...refused]
  }
}

/** Whether a response says where to read more, or links to the same in a later version, which a header cannot. */
function hasLinks ({ route, method }: Operation, version: string, ending: Ending | undefined): boolean {
  if (ending === undefined || ending.links.length > 0) return ending !== undefined
  const scheme = schemeOf(route) as Scheme
  const { allowedVersions, isInLinks, vary } = scheme
  if ((!isInLinks && vary !== null) || !allowedVersions?.length) return false
  const destination = { route, slot: slotOf(route, method), scheme, context: contextOf(route.server) }
  const served = linkedVersions(destination)
  const at = served.findIndex((one) => one.version === version)
  return at !== -1 && served.slice(at + 1).some((one) => one.version !== null && !one.isPreview)
}

/** The headers that every response has. */
function reportHeadersOf (route: Route): Component[] {
  const { lifecycle, reportVersions } = contextOf(route.server)
  if (!reportVersions || !schemeOf(route)?.allowedVersions?.length) return []
  const endings = [...lifecycle?.values() ?? []]
  return [
    SUPPORTED_VERSIONS,
    ...endings.some(({ deprecatedAt }) => deprecatedAt !== Infinity) ? [DEPRECATED_VERSIONS] : []
  ]
}

function header (name: string, description: string): Component {
  return { name, value: { description, schema: { type: 'string' } } }
}

/**
 * How an operation answers requests whose version is refused: one response for all refusals of a status.
 *
 * @param ownBody the schema of what error handlers of the user send, or undefined if it is not known
 */
export function refusalsOf (operation: Operation, version: string, ownBody: unknown): RefusalResponse[] {
  const { route: { server }, declared } = operation
  const byStatus = new Map<string, VersionError[]>()
  for (const error of errorsOf(operation, version)) {
    const status = String(error.statusCode)
    byStatus.set(status, [...byStatus.get(status) ?? [], error])
  }
  // Otherwise an error handler of the user makes the bodies of errors. Fastify's own has a name.
  const isByFastify = declared.errorHandler === undefined && server.errorHandler.name === 'defaultErrorHandler'
  const own = ownBody === undefined ? {} : { content: { 'application/json': { schema: ownBody } } }
  return [...byStatus].map(([status, errors]) => {
    const others = othersOf(status, operation)
    const content = { content: bodyOf(Number(status), errors, others?.codes ?? []) }
    return {
      name: nameFor(errors[0]) + (others === null ? '' : 'OrInvalidRequest'),
      status,
      isOfEnding: errors.some(({ kind }) => kind === 'gone'),
      value: { description: toSentence(errors, others), ...isByFastify ? content : own }
    }
  })
}

/** What Fastify itself answers with the status of a refusal. */
interface Others {
  readonly text: string
  readonly codes: readonly string[]
}

function othersOf (status: string, { method, declared: { attachValidation, schema } }: Operation): Others | null {
  const isParsing = !WITHOUT_BODY.includes(method)
  if (status === '415' && isParsing) return { text: 'the media type is not supported', codes: [WRONG_TYPE] }
  const validated = [...VALIDATED, ...isParsing ? ['body'] : []] as (keyof FastifySchema)[]
  const isValidating = attachValidation !== true && validated.some((name) => schema?.[name] !== undefined)
  const codes = [...isValidating ? [NOT_VALID] : [], ...isParsing ? NOT_PARSED : []]
  return status === '400' && codes.length > 0 ? { text: 'the request is not valid', codes } : null
}

/** What a response means: "The version is not found". */
function toSentence (errors: readonly VersionError[], others: Others | null): string {
  const titles = errors.map(({ code, message }) => TITLES[code] ?? message)
  const all = [...titles, ...others === null ? [] : [others.text]]
  if (all.length === 1) return all[0]
  const [first, ...rest] = all.map((title) => title.replace(/\.$/, ''))
  const parts = [first, ...rest.map((title) => title[0].toLowerCase() + title.slice(1))]
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
}

function errorsOf ({ route, constraints: { host } }: Operation, version: string): VersionError[] {
  const scheme = schemeOf(route) as Scheme
  const { members, allowedVersions } = scheme
  const ending = endingOf(route, version)
  const isAtHost = typeof host === 'string'
  // The path or the host of the route has the version, so that requests to it cannot have another one there.
  const isNamed = isInUrl(route) || (isAtHost && members.some((one) => versionInHost(one, host) !== null))
  const free = members.filter((one) => readsElsewhere(one) && !(isAtHost && one.documentation === 'host'))
  // A request without a version is refused by the first scheme of a list.
  const isRequired = !scheme.allows(scheme.defaultVersion)
  const refusing = members.filter((one, i) => free.includes(one) || (i === 0 && isRequired))
  const isListed = Boolean(allowedVersions?.length) || route.slots !== null
  const isAmbiguous = free.some(namesTwice) || free.length > (isNamed ? 0 : 1)
  const isEnding = contextOf(route.server).enforceSunset && typeof ending?.sunsetAt === 'number'
  const all = [
    ...isListed && !isNamed ? refusing.map(errorOf) : [],
    isAmbiguous ? new VersionError('ambiguous', '', allowedVersions) : null,
    isEnding ? new VersionError('gone', '', allowedVersions) : null
  ]
  const errors = all.filter((error) => error !== null)
  return errors.filter(({ code }, i) => errors.findIndex((other) => other.code === code) === i)
}

/** Whether a scheme reads the version neither in a path nor in a namespace, where an operation has its own or none. */
function readsElsewhere ({ impliedParam, readsNamespaces }: Scheme): boolean {
  return impliedParam === null && !readsNamespaces
}

/** The refusal of a scheme; null if it needs a request, or is not the client's mistake. */
function errorOf (scheme: Scheme): VersionError | null {
  try {
    const error = scheme.refusal() as VersionError
    return error.statusCode >= 400 && error.statusCode < 500 ? error : null
  } catch {
    return null
  }
}

/** Whether one place can have two versions: a header sent twice, or a media type by its subtype and a parameter. */
function namesTwice (scheme: Scheme): boolean {
  const mediaType = scheme.mediaTypeFor('v')
  const isVendorType = mediaType !== null && scheme.namesVersion({ mediaType, sent: mediaType })
  return isVendorType || scheme.parameter?.in === 'header'
}

/** `VersionNotFound` of `FST_ERR_VERSION_NOT_FOUND`. */
function nameFor ({ code }: VersionError): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join('')
}

/**
 * What Fastify makes of an error.
 *
 * @param others the codes of other errors with this status
 */
function bodyOf (status: number, errors: readonly VersionError[], others: readonly string[]): object {
  const text = { type: 'string' }
  const codes = [...errors.map((error) => error.code), ...others]
  const number = { type: 'integer', enum: [status] }
  const properties = { statusCode: number, code: { type: 'string', enum: codes }, error: text, message: text }
  return { 'application/json': { schema: { type: 'object', properties, required: ['statusCode', 'message'] } } }
}
