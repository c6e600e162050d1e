import { keptIn } from '../changes/schema.ts'
import { contextOf } from '../context.ts'
import { VersionError } from '../errors.ts'
import { hasDefaultErrorHandler } from '../fastify/error-handler.ts'
import { servedAt, toServed } from '../lifecycle/served-versions.ts'
import { counterpartIn } from '../links/find-target.ts'
import { VERSION_PLACEHOLDER } from '../options/media-types.ts'
import { hasParam } from '../paths/pattern.ts'
import { routeIn, slotOf } from '../routes.ts'
import { VALIDATED } from '../older-routes/older-schemas.ts'
import { MediaTypeVersioning } from '../schemes/media-type.ts'
import { referencesIn } from './components.ts'
import { isInUrl } from './operations.ts'
import { servedIn } from './retirement.ts'

import type { FastifyRequest } from 'fastify'
import type { ServedUrl } from '../lifecycle/served-versions.ts'
import type { Arrival } from '../passage.ts'
import type { Scheme } from '../schemes/scheme.ts'
import type { Document, Item, Message } from './document.ts'
import type { Operation } from './operations.ts'

/** The headers that the plugin sends, with their descriptions. */
const HEADERS = {
  Deprecation: 'When this becomes deprecated (RFC 9745)',
  Sunset: 'When this may stop working (RFC 8594)',
  Link: 'Further reading, and the same resource in later versions (RFC 8288)',
  'API-Supported-Versions': 'The versions that are served',
  'API-Deprecated-Versions': 'The versions that are deprecated'
}
const GONE_REFUSAL = new VersionError('gone')
const AMBIGUOUS = new VersionError('ambiguous', 'The request specifies different versions.')
type Header = readonly [name: string, description: string]

/** Returns a function that writes in an operation which headers the plugin sends, and how it refuses a version. */
export function answersOf (document: Document, version: string) {
  const refer = referencesIn(document)

  /** Adds headers to a response, unless the user has described them. */
  function addHeaders (response: Message, headers: readonly Header[]): void {
    const present = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
    for (const [name, description] of headers) {
      if (present.includes(name.toLowerCase())) continue
      const reference = refer('headers', name, { description, schema: { type: 'string' } })
      response.headers = { ...response.headers, [name]: reference }
    }
  }

  return function addAnswers ({ responses }: Item, operation: Operation, scheme: Scheme | null): void {
    const { declared, route: { server } } = operation
    const headers = headersOf(operation, scheme, version)
    const { servedVersion } = contextOf(server)
    const isServed = servedVersion !== null && scheme !== null
    const served: Header[] = isServed ? [[servedVersion, 'The version that is served']] : []
    // The plugin does not know the body that another error handler sends.
    const hasBody = hasDefaultErrorHandler(server, declared)
    const described = Object.values(responses)
    const isValidated = VALIDATED.some((part) => part in (declared.schema ?? {}))
    const byStatus = new Map<number, Refusal[]>()
    for (const error of refusalsOf(operation, scheme, version)) keptIn(byStatus, error.statusCode, () => []).push(error)
    for (const [status, errors] of byStatus) {
      const codes = [...new Set(errors.map(({ code }) => code))]
      const messages = errors.map(({ message }) => message)
      if (status === 400 && isValidated) messages.push('Or the request is invalid.')
      const description = [...new Set(messages)].join(' ')
      const response = { description, ...hasBody && errorBody(status, codes) }
      addHeaders(response, status === 410 ? headers : headers.filter(([name]) => name.startsWith('API-')))
      // The user has described this response: Fastify serializes errors by a schema of `4xx` or `default` as well.
      if (status in responses || '4XX' in responses || 'default' in responses) continue
      responses[status] = refer('responses', componentFor(codes[0]), response)
    }
    for (const response of described) addHeaders(response, [...headers, ...served])
  }
}

/** Returns the headers of an operation. A route without a version has only the headers of its own retirement. */
function headersOf (operation: Operation, scheme: Scheme | null, version: string): Header[] {
  const { now, reportVersions } = contextOf(operation.route.server)
  const { deprecation, sunset } = servedIn(operation, version).retirement ?? {}
  const isReported = reportVersions && scheme !== null && scheme.listedVersions.length > 0
  const isSent = {
    Deprecation: Boolean(deprecation),
    Sunset: Boolean(sunset),
    Link: isLinkedIn(operation, scheme, version),
    'API-Supported-Versions': isReported,
    'API-Deprecated-Versions': isReported && servedBy(operation, scheme).versions.some(({ goneAt, retirement }) => (
      (retirement?.deprecatedAt ?? Infinity) < Infinity && now() < goneAt
    ))
  }
  return Object.entries(HEADERS).filter(([name]) => isSent[name as keyof typeof HEADERS])
}

/** Returns the versions at the URL of an operation. */
function servedBy ({ method, record }: Operation, scheme: Scheme): ServedUrl {
  return servedAt({ route: record, slot: slotOf(record, method), scheme } as Arrival)
}

/**
 * Tells whether responses in a version link to more about its retirement, or to the same resource in a later version
 * that has not ended and is no preview.
 */
function isLinkedIn (operation: Operation, scheme: Scheme | null, version: string): boolean {
  const { deprecation = null, links = '', sunset = null } = servedIn(operation, version).retirement ?? {}
  if (links !== '') return true
  if ((deprecation === null && sunset === null) || !scheme?.allowedVersions?.length) return false
  const { declared: { config }, record: { server, url } } = operation
  const { baseUrl, now, trustsProxy } = contextOf(server)
  if (scheme.inHost.length > 0 && trustsProxy && baseUrl === null) return false
  const isInLinks = scheme.members.some(({ linkPlace, ownMethods, param }) => (
    (param === null ? linkPlace !== 'nowhere' : hasParam(url, param)) || ownMethods.has('reverse')
  ))
  if (!isInLinks) return false
  const request = { server, version, routeOptions: { config } } as unknown as FastifyRequest
  const { linked } = servedBy(operation, scheme)
  // For a version that is not listed, slice(-1).slice(1) is empty.
  return linked.slice(linked.findIndex((served) => served.version === version)).slice(1).some((served) => {
    if (served.version === null) return false
    // Each namespace may have a context with its own dates.
    const target = scheme.readsNamespaces ? counterpartIn(served.version, scheme, request) : null
    if (target === undefined) return false
    const { goneAt, isPreview } = target === null ? served : toServed(served.version, target.route)
    return !isPreview && now() < goneAt
  })
}

type Refusal = Error & { readonly code: string, readonly statusCode: number }

/** Returns the errors by which an operation refuses versions. If the path or the host has the version, it is right. */
function refusalsOf (operation: Operation, scheme: Scheme | null, version: string): Refusal[] {
  const gone = servedIn(operation, version).goneAt < Infinity ? [GONE_REFUSAL] : []
  if (scheme === null) return gone
  const { method, record, route: { claim, constraints: { host } } } = operation
  const { allowedVersions, clientDefault, defaultVersion, members } = scheme
  const isAtHost = (member: Scheme) => typeof host === 'string' && member.author.hostFor(version, host) !== null
  const isNamed = isInUrl(operation, scheme) || members.some(isAtHost)
  const free = members.filter((member) => member.param === null && !member.readsNamespaces && !isAtHost(member))
  const isChecked = !isNamed && (Boolean(allowedVersions?.length) || claim !== null)
  const slot = slotOf(record, method)
  const isServed = slot === null || routeIn(slot, defaultVersion) !== null
  const answersDefault = isServed && scheme.allows(defaultVersion) && clientDefault === null
  // The first scheme of a list refuses a request without a version. The default of a client may be wrong.
  const first = answersDefault ? [] : members.slice(0, 1)
  const isAmbiguous = free.some(isNamedTwice) || free.length > (isNamed ? 0 : 1)
  return [
    ...isChecked ? [...first, ...free].map(refusalOf) : [],
    ...isAmbiguous ? [AMBIGUOUS] : [],
    ...gone
  ].filter(({ statusCode }) => statusCode >= 400 && statusCode < 500)
}

/** Returns the error with which a scheme refuses, or the error that it throws because it has no request. */
function refusalOf ({ author, invalidVersionMessage }: Scheme): Refusal {
  try {
    return author.refusal(invalidVersionMessage) as Refusal
  } catch (error) {
    return error as Refusal
  }
}

/** Tells whether one place can have two versions: a header sent twice, or the subtype and a parameter of a type. */
function isNamedTwice ({ author, mediaTypes, parameter }: Scheme): boolean {
  const hasVendorType = mediaTypes?.some((type) => type.includes(VERSION_PLACEHOLDER)) === true
  return parameter?.in === 'header' || (author instanceof MediaTypeVersioning && hasVendorType)
}

function errorBody (status: number, codes: readonly string[]): Message {
  const text = { type: 'string' }
  const ours = { type: 'string', enum: codes }
  // Fastify refuses a body, or a query, with codes of its own.
  const code = status === 400 || status === 415 ? { anyOf: [ours, text] } : ours
  const properties = { statusCode: { type: 'integer', enum: [status] }, code, error: text, message: text }
  const schema = { type: 'object', properties, required: ['statusCode', 'message'] }
  return { content: { 'application/json': { schema } } }
}

/** Returns the name of a component: `VersionNotFound` for `FST_ERR_VERSION_NOT_FOUND`. */
function componentFor (code: string): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
}
