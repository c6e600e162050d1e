import { contextOf } from '../context.ts'
import { endingOf } from './ending.ts'
import { isInUrl } from './operations.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Scheme } from '../scheme.ts'
import type { Components } from './components.ts'
import type { Item, Message } from './document.ts'
import type { Retirement } from './ending.ts'
import type { Operation } from './operations.ts'

interface Refusal {
  readonly code: string
  readonly statusCode: number
  readonly message: string
}

const HEADERS: Readonly<Record<string, string>> = {
  Deprecation: 'When this becomes deprecated (RFC 9745)',
  Sunset: 'When this may stop working (RFC 8594)',
  Link: 'Further reading, and the same resource in later versions (RFC 8288)',
  'API-Supported-Versions': 'The versions that are served',
  'API-Deprecated-Versions': 'The versions that are deprecated'
}
const TEXTS: Readonly<Record<string, string>> = {
  FST_ERR_VERSION_NOT_ACCEPTABLE: 'The version is not acceptable',
  FST_ERR_VERSION_NOT_FOUND: 'The version is not found',
  FST_ERR_VERSION_NOT_SUPPORTED: 'The version is not supported',
  FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE: 'The version of the media type is not supported'
}
const AMBIGUOUS: Refusal = {
  code: 'FST_ERR_VERSION_AMBIGUOUS', statusCode: 400, message: 'The request specifies different versions'
}
const GONE: Refusal = { code: 'FST_ERR_VERSION_GONE', statusCode: 410, message: 'The version is gone' }

/** What Fastify validates of a request besides its body, which a GET has not. */
const VALIDATED = ['querystring', 'query', 'params', 'headers']
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']

/** Those of schemes: an error costs more than all else of an operation. */
const known = new WeakMap<Scheme, Refusal | null>()

/** Adds the headers that the plugin sends, and its refusals, to the responses of an operation. */
export function addAnswers (
  { responses }: Item, operation: Operation, scheme: Scheme, version: string, components: Components, head: Retirement
): void {
  const { servedVersion } = contextOf(operation.route.server)
  const ending = endingOf(operation, version)
  const names = headersOf(operation, scheme, ending, head)
  const served = servedVersion === null ? names : [...names, servedVersion]
  for (const response of Object.values(responses)) addHeaders(response, served, components)
  for (const [status, refusals] of refusalsOf(operation, scheme, version, ending)) {
    // Fastify makes the body of an error by the schema of `4xx` or `default` as well.
    if (status in responses || `${status[0]}XX` in responses || 'default' in responses) continue
    const codes = refusals.map(({ code }) => code)
    const sent = refusals.includes(GONE) ? names : names.filter((name) => name.startsWith('API-'))
    const isOpen = hasOtherCodes(status, operation)
    const hasBody = hasOwnBody(operation)
    const of = [status, isOpen, hasBody, ...codes, ...sent].join()
    responses[status] = components.refer('responses', componentOf(codes[0]), of, () => {
      const [text, ...others] = refusals.map(({ message }) => message)
      const description = [text, ...others.map((one) => one.charAt(0).toLowerCase() + one.slice(1))].join(' or ')
      const response = hasBody ? { description, content: contentOf(Number(status), codes, isOpen) } : { description }
      addHeaders(response, sent, components)
      return response
    })
  }
}

/** The user's descriptions win. */
function addHeaders (response: Message, names: readonly string[], components: Components): void {
  if (names.length === 0) return
  const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
  const added = names.filter((name) => !own.includes(name.toLowerCase())).map((name) => [
    name, components.refer('headers', name, name, () => (
      { description: HEADERS[name] ?? 'The version that is served', schema: { type: 'string' } }
    ))
  ])
  if (added.length > 0) response.headers = { ...response.headers, ...Object.fromEntries(added) }
}

function headersOf (
  { route }: Operation, { listedVersions, members }: Scheme, ending: Ending | undefined, head: Retirement
): string[] {
  const { lifecycle, reportVersions } = contextOf(route.server)
  const isReported = reportVersions && listedVersions.length > 0
  const isAnyDeprecated = [...lifecycle?.values() ?? []].some(({ deprecatedAt }) => deprecatedAt !== Infinity)
  const isLinked = members.some(({ impliedParam, linkPlace }) => impliedParam !== null || linkPlace !== 'nowhere')
  return [
    ...ending?.deprecation ? ['Deprecation'] : [],
    ...ending?.sunset ? ['Sunset'] : [],
    ...ending && (ending.links.length > 0 || (isLinked && head.successor !== null)) ? ['Link'] : [],
    ...isReported ? ['API-Supported-Versions'] : [],
    ...isReported && isAnyDeprecated ? ['API-Deprecated-Versions'] : []
  ]
}

/** How an operation refuses a version, by status. A request to a path or a host with the version has the right one. */
function refusalsOf (
  operation: Operation, scheme: Scheme, version: string, ending: Ending | undefined
): Map<string, Refusal[]> {
  const { members, allowedVersions } = scheme
  const { claim, constraints: { host }, server } = operation.route
  const isAtHost = (one: Scheme) => typeof host === 'string' && one.hostFor(version, host) !== null
  const isNamed = isInUrl(operation) || members.some(isAtHost)
  const free = members.filter((one) => one.impliedParam === null && !one.readsNamespaces && !isAtHost(one))
  // A request without a version is refused by the first scheme of a list.
  const first = scheme.allows(scheme.defaultVersion) ? [] : members.slice(0, 1)
  const isListed = Boolean(allowedVersions?.length) || claim !== null
  const isRetired = contextOf(server).enforceSunset && typeof ending?.sunsetAt === 'number'
  const byStatus = new Map<string, Refusal[]>()
  for (const refusal of [
    ...isListed && !isNamed ? [...first, ...free].map(refusalOf) : [],
    ...free.some(isNamedTwice) || free.length > (isNamed ? 0 : 1) ? [AMBIGUOUS] : [],
    ...isRetired ? [GONE] : []
  ]) {
    if (refusal === null) continue
    const others = byStatus.get(String(refusal.statusCode)) ?? []
    if (others.every(({ code }) => code !== refusal.code)) {
      byStatus.set(String(refusal.statusCode), [...others, refusal])
    }
  }
  return byStatus
}

/** The refusal of a scheme; null if it needs a request, or is not the client's mistake. */
function refusalOf (scheme: Scheme): Refusal | null {
  let refusal = known.get(scheme)
  if (refusal === undefined) known.set(scheme, refusal = toRefusal(scheme))
  return refusal
}

function toRefusal (scheme: Scheme): Refusal | null {
  try {
    const { code, statusCode, message } = scheme.refusal() as Error & Refusal
    return statusCode >= 400 && statusCode < 500 ? { code, statusCode, message: TEXTS[code] ?? message } : null
  } catch {
    return null
  }
}

/** Whether one place can have two versions: a header sent twice, or a media type by its subtype and a parameter. */
function isNamedTwice (scheme: Scheme): boolean {
  const mediaType = scheme.mediaTypeFor('v')
  return scheme.parameter?.in === 'header' ||
    (mediaType !== null && scheme.namesVersion({ mediaType, sent: mediaType }))
}

/** Whether Fastify makes the body of errors, by an error handler that has a name. */
function hasOwnBody ({ declared: { errorHandler }, route: { server } }: Operation): boolean {
  return errorHandler === undefined && server.errorHandler.name === 'defaultErrorHandler'
}

/** Whether Fastify itself answers with a status as well, because it reads or validates a request. */
function hasOtherCodes (status: string, { declared: { schema = {} }, method }: Operation): boolean {
  return ['400', '415'].includes(status) &&
    (!WITHOUT_BODY.includes(method) || VALIDATED.some((part) => part in schema))
}

function contentOf (status: number, codes: readonly string[], isOpen: boolean): Record<string, object> {
  const text = { type: 'string' }
  const ours = { type: 'string', enum: codes }
  const code = isOpen ? { anyOf: [ours, text] } : ours
  const properties = { statusCode: { type: 'integer', enum: [status] }, code, error: text, message: text }
  return { 'application/json': { schema: { type: 'object', properties, required: ['statusCode', 'message'] } } }
}

/** The name of a component: `VersionNotFound` of `FST_ERR_VERSION_NOT_FOUND`. */
function componentOf (code: string): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
}
