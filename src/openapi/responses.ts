import { contextOf, schemeOf } from '../context.ts'
import { VersionAmbiguousError, VersionBrownoutError, VersionGoneError, refusalKindOf } from '../errors.ts'
import { servedVersions } from '../lifecycle/served.ts'
import { TITLES } from '../requests/problem.ts'
import { groupOf } from '../routes.ts'
import { endingOf } from './ending.ts'
import { isInUrl } from './naming.ts'
import { versionInHost } from './slots.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Refusal } from '../errors.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'
import type { Operation } from './operations.ts'
import type { RefusalReason } from '../../types/index.d.ts'

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

/** Why a scheme refuses a version. */
const REASONS_OF_SCHEMES: readonly RefusalReason[] = ['missing', 'unsupported', 'unserved']
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
const PREVIEW_VERSIONS = header('API-Preview-Versions', 'The versions that are not released yet')
const SUPPORTED_VERSIONS = header('API-Supported-Versions', 'The versions that are served')
const DEPRECATION = header('Deprecation', 'When this becomes deprecated (RFC 9745)')
const LINK = header('Link', 'Further reading, and the same resource in later versions (RFC 8288)')
const LINK_TO_DOCUMENT = header('Link', 'The document of this version (RFC 8631)')
const RETRY_AFTER = header('Retry-After', 'The number of seconds until this answers again (RFC 9110, section 10.2.3)')
const SUNSET = header('Sunset', 'When this may stop working (RFC 8594)')

/** The headers that responses of a route have in a version. */
export function headersOf (operation: Operation, version: string, hasServiceDesc: boolean): Component[] {
  const { route } = operation
  const { servedVersion } = contextOf(route.server)
  const isTold = servedVersion !== null && servedVersion !== 'content-type'
  return [
    ...endingHeadersOf(operation, version, hasServiceDesc),
    ...isTold ? [header(servedVersion, 'The version that is served')] : [],
    ...reportHeadersOf(route)
  ]
}

/** The headers of a response that says that the version is gone, or does not answer for a while. */
export function refusedHeadersOf (operation: Operation, version: string, hasServiceDesc: boolean): Component[] {
  const { route } = operation
  const hasBrownouts = (endingOf(route, version)?.brownouts ?? null) !== null
  return [
    ...hasBrownouts ? [RETRY_AFTER] : [],
    ...endingHeadersOf(operation, version, hasServiceDesc),
    ...reportHeadersOf(route)
  ]
}

/** The headers that say how the version ends, and where to read about it. */
function endingHeadersOf (operation: Operation, version: string, hasServiceDesc: boolean): Component[] {
  const ending = endingOf(operation.route, version)
  const link = hasLinks(operation, version, ending) ? LINK : hasServiceDesc ? LINK_TO_DOCUMENT : null
  return [
    ...ending?.deprecation ? [DEPRECATION] : [],
    ...ending?.sunset ? [SUNSET] : [],
    ...link === null ? [] : [link]
  ]
}

/** Whether a response says where to read more, or links to the same in a later version, which a header cannot. */
function hasLinks ({ route, method }: Operation, version: string, ending: Ending | undefined): boolean {
  if (ending === undefined || ending.links.length > 0) return ending !== undefined
  const scheme = schemeOf(route) as Scheme
  const { allowedVersions, isInLinks, vary } = scheme
  if ((!isInLinks && vary !== null) || !allowedVersions?.length) return false
  const destination = { route, group: groupOf(route, method), scheme, context: contextOf(route.server) }
  const served = servedVersions(destination, version)
  // What follows a preview are previews, which no link leads to.
  return served.list.slice(served.after(version)).some((one) => one.version !== null && !one.isPreview)
}

/** The headers that every refusal has as well. */
export function reportHeadersOf (route: Route): Component[] {
  const { lifecycle, reportVersions } = contextOf(route.server)
  if (!reportVersions || !schemeOf(route)?.allowedVersions?.length) return []
  const endings = [...lifecycle?.values() ?? []]
  return [
    SUPPORTED_VERSIONS,
    ...endings.some(({ deprecatedAt }) => deprecatedAt !== Infinity) ? [DEPRECATED_VERSIONS] : [],
    ...endings.some(({ isPreview }) => isPreview) ? [PREVIEW_VERSIONS] : []
  ]
}

function header (name: string, description: string): Component {
  return { name, value: { description, schema: { type: 'string' } } }
}

/** What decides how an operation answers requests whose version is refused. */
interface Refusing {
  readonly context: VersioningContext
  readonly scheme: Scheme
  /** Whether there are versions that are not allowed, or not served. */
  readonly isListed: boolean
  /**
   * Whether the path or the host of the route has the version, so that requests to it cannot have another one there.
   */
  readonly isNamed: boolean
  /** Whether the route is for one host. */
  readonly isAtHost: boolean
  /** Whether the version, or the route, ends for good. */
  readonly isEnding: boolean
  /** Whether it does not answer for a while before. */
  readonly hasBrownouts: boolean
  /** Whether Fastify makes the bodies of errors, and not an error handler of the user. */
  readonly isByFastify: boolean
  /** Whether Fastify validates requests. */
  readonly isValidating: boolean
  /** Whether Fastify parses the bodies of requests. */
  readonly isParsing: boolean
}

/** How the operations of a document answer requests whose version is refused. Most of them do it alike. */
export class Refusals {
  readonly #hasNullable: boolean
  readonly #ownBody: unknown
  readonly #known: { readonly of: Refusing, readonly responses: readonly RefusalResponse[] }[] = []

  /**
   * @param openapi the version of OpenAPI
   * @param ownBody the schema of what error handlers of the user send, or undefined if it is not known
   */
  constructor (openapi: string, ownBody: unknown) {
    this.#hasNullable = openapi.startsWith('3.0')
    this.#ownBody = ownBody
  }

  /** One response for all refusals of a status; none where every version is allowed. */
  of (operation: Operation, version: string): readonly RefusalResponse[] {
    const refusing = refusingOf(operation, version)
    const known = this.#known.find(({ of }) => (
      Object.entries(refusing).every(([name, value]) => of[name as keyof Refusing] === value)
    ))
    if (known !== undefined) return known.responses
    const responses = this.#responsesOf(refusing)
    this.#known.push({ of: refusing, responses })
    return responses
  }

  #responsesOf (refusing: Refusing): RefusalResponse[] {
    const { context, isByFastify } = refusing
    const byStatus = new Map<string, Refusal[]>()
    for (const error of errorsOf(refusing)) {
      const kind = refusalKindOf(error)
      const status = String((kind && context.statusCodes[kind]) ?? error.statusCode)
      byStatus.set(status, [...byStatus.get(status) ?? [], error])
    }
    const own = this.#ownBody === undefined ? {} : { content: { 'application/json': { schema: this.#ownBody } } }
    return [...byStatus].map(([status, errors]) => {
      const others = othersOf(status, refusing)
      const content = { content: bodyOf(Number(status), errors, others?.codes ?? [], context, this.#hasNullable) }
      return {
        name: nameFor(errors[0]) + (others === null ? '' : 'OrInvalidRequest'),
        status,
        isOfEnding: errors.some((error) => error instanceof VersionGoneError || error instanceof VersionBrownoutError),
        value: { description: toSentence(errors, others), ...isByFastify ? content : own }
      }
    })
  }
}

function refusingOf ({ route, declared, method, endpoint: { constraints } }: Operation, version: string): Refusing {
  const scheme = schemeOf(route) as Scheme
  const context = contextOf(route.server)
  const { host } = constraints
  const isAtHost = typeof host === 'string'
  const { attachValidation, schema } = declared
  const ending = endingOf(route, version)
  const hasBody = !WITHOUT_BODY.includes(method)
  return {
    context,
    scheme,
    isListed: Boolean(scheme.allowedVersions?.length) || route.groups !== null,
    isNamed: isInUrl(route) ||
      (isAtHost && scheme.members.some((one) => versionInHost(one, host) !== null)),
    isAtHost,
    isEnding: context.enforceSunset && typeof ending?.sunsetAt === 'number',
    hasBrownouts: (ending?.brownouts ?? null) !== null,
    isByFastify: declared.errorHandler === undefined && hasDefaultErrorHandler(route.server),
    isValidating: attachValidation !== true && schema !== undefined &&
      [...VALIDATED, ...hasBody ? ['body'] : []].some((name) => schema[name as keyof typeof schema] !== undefined),
    isParsing: hasBody
  }
}

/** Fastify does not say whose error handler a context has, but its own has a name. */
function hasDefaultErrorHandler ({ errorHandler }: FastifyInstance): boolean {
  return errorHandler.name === 'defaultErrorHandler'
}

/** What Fastify itself answers with the status of a refusal. */
interface Others {
  readonly text: string
  readonly codes: readonly string[]
}

function othersOf (status: string, { isValidating, isParsing }: Refusing): Others | null {
  if (status === '415' && isParsing) return { text: 'the media type is not supported', codes: [WRONG_TYPE] }
  const codes = [...isValidating ? [NOT_VALID] : [], ...isParsing ? NOT_PARSED : []]
  return status === '400' && codes.length > 0 ? { text: 'the request is not valid', codes } : null
}

/** What a response means: "The version is not found". */
function toSentence (errors: readonly Refusal[], others: Others | null): string {
  const titles = errors.map(({ code, message }) => TITLES[code] ?? message)
  const all = [...titles, ...others === null ? [] : [others.text]]
  if (all.length === 1) return all[0]
  const [first, ...rest] = all.map((title) => title.replace(/\.$/, ''))
  const parts = [first, ...rest.map((title) => title[0].toLowerCase() + title.slice(1))]
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
}

function errorsOf ({ scheme, isListed, isNamed, isAtHost, isEnding, hasBrownouts }: Refusing): Refusal[] {
  const { members } = scheme
  const free = members.filter((one) => readsElsewhere(one) && !(isAtHost && one.documentation === 'host'))
  // A request without a version is refused by the first scheme of a list.
  const isRequired = !scheme.allows(scheme.defaultVersion)
  const refusing = members.filter((one, i) => free.includes(one) || (i === 0 && isRequired))
  const isAmbiguous = free.some(namesTwice) || free.length > (isNamed ? 0 : 1)
  const all = [
    ...isListed && !isNamed ? refusing.map(errorOf) : [],
    isAmbiguous ? new VersionAmbiguousError('', scheme.allowedVersions) : null,
    isEnding ? new VersionGoneError('', scheme.allowedVersions) : null,
    hasBrownouts ? new VersionBrownoutError('', scheme.allowedVersions) : null
  ]
  const errors = all.filter((error) => error !== null)
  return errors.filter(({ code }, i) => errors.findIndex((other) => other.code === code) === i)
}

/** Whether a scheme reads the version neither in a path nor in a namespace, where an operation has its own or none. */
function readsElsewhere ({ impliedParam, readsNamespaces }: Scheme): boolean {
  return impliedParam === null && !readsNamespaces
}

/** The refusal of a scheme; null if it needs a request, or is not the client's mistake. */
function errorOf (scheme: Scheme): Refusal | null {
  try {
    const error = scheme.refusal() as Refusal
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
function nameFor ({ code }: Refusal): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join('')
}

/**
 * What Fastify makes of an error, or the problem that takes its place (RFC 9457).
 *
 * @param others the codes of other errors with this status, which are never problems
 */
function bodyOf (
  status: number, errors: readonly Refusal[], others: readonly string[],
  { problemDetails: problems }: VersioningContext, hasNullable: boolean
): object {
  const text = { type: 'string' }
  const number = { type: 'integer', enum: [status] }
  const errorWith = (codes: readonly string[]) => ({
    'application/json': {
      schema: {
        type: 'object',
        properties: { statusCode: number, code: { type: 'string', enum: codes }, error: text, message: text },
        required: ['statusCode', 'message']
      }
    }
  })
  const codes = errors.map((error) => error.code)
  if (problems === null) return errorWith([...codes, ...others])
  const orNull = (schema: { type: string }) => (
    hasNullable ? { ...schema, nullable: true } : { ...schema, type: [schema.type, 'null'] }
  )
  const hasNull = errors.some((error) => error.allowedVersions?.includes(null))
  const list = { type: 'array', items: hasNull ? orNull(text) : text }
  const allowedVersions = errors.every((error) => error.allowedVersions) ? list : orNull(list)
  const texts = { type: text, title: text, detail: text, instance: text }
  const reason = { type: 'string', enum: errors.flatMap(({ reason }) => reason ?? REASONS_OF_SCHEMES) }
  const properties = { ...texts, status: number, code: { type: 'string', enum: codes }, reason, allowedVersions }
  return {
    'application/problem+json': { schema: { type: 'object', properties } },
    ...others.length === 0 ? {} : errorWith(others)
  }
}
