import { contextOf, schemeOf } from '../context.ts'
import { VersionAmbiguousError, VersionGoneError, refusalKindOf } from '../errors.ts'
import { TITLES } from '../requests/problem.ts'
import { endingOf } from './ending.ts'
import { isInUrl } from './naming.ts'

import type { VersioningContext } from '../context.ts'
import type { Ending } from '../options/lifecycle.ts'
import type { Refusal } from '../errors.ts'
import type { Route } from '../routes.ts'
import type { Scheme } from '../scheme.ts'

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

const DEPRECATED_VERSIONS = header('API-Deprecated-Versions', 'The versions that are deprecated')
const SUPPORTED_VERSIONS = header('API-Supported-Versions', 'The versions that are served')
const DEPRECATION = header('Deprecation', 'From when on this is deprecated (RFC 9745)')
const LINK = header('Link', 'Where to read more, and the same in later versions (RFC 8288)')
const LINK_TO_DOCUMENT = header('Link', 'Where this version is described (RFC 8631)')
const SUNSET = header('Sunset', 'From when on this may be gone (RFC 8594)')

/** The headers that responses of a route have in a version. */
export function headersOf (route: Route, version: string, hasServiceDesc: boolean): Component[] {
  const { servedVersion } = contextOf(route.server)
  const isTold = servedVersion !== null && servedVersion !== 'content-type'
  return [
    ...endingHeadersOf(route, version, hasServiceDesc),
    ...isTold ? [header(servedVersion, 'The version that is served')] : [],
    ...reportHeadersOf(route)
  ]
}

/** Those that say how the version ends, and where to read of it: a refusal that it is gone has them as well. */
export function endingHeadersOf (route: Route, version: string, hasServiceDesc: boolean): Component[] {
  const ending = endingOf(route, version)
  const link = hasLinks(route, ending) ? LINK : hasServiceDesc ? LINK_TO_DOCUMENT : null
  return [
    ...ending?.deprecation ? [DEPRECATION] : [],
    ...ending?.sunset ? [SUNSET] : [],
    ...link === null ? [] : [link]
  ]
}

/** Whether a response says where to read more, or links to the same in a later version, which a header cannot. */
function hasLinks (route: Route, ending: Ending | undefined): boolean {
  const { isInLinks, vary } = schemeOf(route) as Scheme
  return ending !== undefined && (ending.links.length > 0 || isInLinks || vary === null)
}

/** Those that every refusal has as well. */
export function reportHeadersOf (route: Route): Component[] {
  const { lifecycle, reportVersions } = contextOf(route.server)
  if (!reportVersions || !schemeOf(route)?.allowedVersions?.length) return []
  return lifecycle === null ? [SUPPORTED_VERSIONS] : [SUPPORTED_VERSIONS, DEPRECATED_VERSIONS]
}

function header (name: string, description: string): Component {
  return { name, value: { description, schema: { type: 'string' } } }
}

/** What decides which refusals a route has in a version. */
interface Refusing {
  readonly context: VersioningContext
  readonly scheme: Scheme
  /** Whether a request may name a version that is not permitted, or not served. */
  readonly isRefusing: boolean
  /** Whether the version, or the route, ends for good. */
  readonly isEnding: boolean
}

/** How the routes of a document answer requests whose version is refused. Most of them do it alike. */
export class Refusals {
  readonly #hasNullable: boolean
  readonly #known: { readonly of: Refusing, readonly responses: readonly RefusalResponse[] }[] = []

  /** @param openapi the version of OpenAPI */
  constructor (openapi: string) {
    this.#hasNullable = openapi.startsWith('3.0')
  }

  /** One response for all refusals of a status; none where every version is permitted. */
  of (route: Route, version: string): readonly RefusalResponse[] {
    const context = contextOf(route.server)
    const scheme = schemeOf(route) as Scheme
    const isListed = Boolean(scheme.allowedVersions?.length) || route.groups !== null
    // A request to a path that names the version can name no other one.
    const isRefusing = isListed && !isInUrl(route)
    const isEnding = context.enforceSunset && typeof endingOf(route, version)?.sunsetAt === 'number'
    const known = this.#known.find(({ of }) => (
      of.context === context && of.scheme === scheme && of.isRefusing === isRefusing && of.isEnding === isEnding
    ))
    if (known !== undefined) return known.responses
    const refusing = { context, scheme, isRefusing, isEnding }
    const responses = responsesOf(refusing, this.#hasNullable)
    this.#known.push({ of: refusing, responses })
    return responses
  }
}

function responsesOf (refusing: Refusing, hasNullable: boolean): RefusalResponse[] {
  const { context } = refusing
  const byStatus = new Map<string, Refusal[]>()
  for (const error of errorsOf(refusing)) {
    const kind = refusalKindOf(error)
    const status = String((kind && context.statusCodes[kind]) ?? error.statusCode)
    byStatus.set(status, [...byStatus.get(status) ?? [], error])
  }
  return [...byStatus].map(([status, errors]) => ({
    name: nameFor(errors[0]),
    status,
    isOfEnding: errors.some((error) => error instanceof VersionGoneError),
    value: {
      description: errors.map(({ code, message }) => TITLES[code] ?? message).join(', or: '),
      content: bodyOf(Number(status), errors, context, hasNullable)
    }
  }))
}

function errorsOf ({ scheme, isRefusing, isEnding }: Refusing): Refusal[] {
  const { members } = scheme
  // A request without a version is refused by the first scheme of a list.
  const isRequired = !scheme.permits(scheme.defaultVersion)
  const isAmbiguous = members.length > 1 || members.some(namesTwice)
  const all = [
    ...isRefusing ? members.filter((one, i) => readsElsewhere(one) || (i === 0 && isRequired)).map(errorOf) : [],
    isAmbiguous ? new VersionAmbiguousError('', scheme.allowedVersions) : null,
    isEnding ? new VersionGoneError('', scheme.allowedVersions) : null
  ]
  const errors = all.filter((error) => error !== null)
  return errors.filter(({ code }, i) => errors.findIndex((other) => other.code === code) === i)
}

/** Whether a scheme reads the version neither in a path nor in a namespace, where an operation has its own or none. */
function readsElsewhere ({ impliedParam, readsNamespaces }: Scheme): boolean {
  return impliedParam === null && !readsNamespaces
}

/** The refusal of a scheme; null: it needs a request, or is no mistake of the client. */
function errorOf (scheme: Scheme): Refusal | null {
  try {
    const error = scheme.refusal() as Refusal
    return error.statusCode >= 400 && error.statusCode < 500 ? error : null
  } catch {
    return null
  }
}

/** Whether one place can name two versions: a header sent twice, or a media type by its subtype and a parameter. */
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

/** What Fastify makes of an error, or the problem that takes its place (RFC 9457). */
function bodyOf (
  status: number, errors: readonly Refusal[], { problemDetails: problems }: VersioningContext, hasNullable: boolean
): object {
  const text = { type: 'string' }
  const code = { type: 'string', enum: errors.map((error) => error.code) }
  const number = { type: 'integer', enum: [status] }
  if (problems === null) {
    const properties = { statusCode: number, code, error: text, message: text }
    return { 'application/json': { schema: { type: 'object', properties, required: ['statusCode', 'message'] } } }
  }
  const orNull = (schema: { type: string }) => (
    hasNullable ? { ...schema, nullable: true } : { ...schema, type: [schema.type, 'null'] }
  )
  const hasNull = errors.some((error) => error.allowedVersions?.includes(null))
  const list = { type: 'array', items: hasNull ? orNull(text) : text }
  const allowedVersions = errors.every((error) => error.allowedVersions) ? list : orNull(list)
  const texts = { type: text, title: text, detail: text, instance: text }
  const properties = { ...texts, status: number, code, allowedVersions }
  return { 'application/problem+json': { schema: { type: 'object', properties } } }
}
