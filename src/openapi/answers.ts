import { contextOf } from '../context.ts'
import { referencesIn } from './components.ts'
import { retirementOf } from './retirement.ts'

import type { Retirement } from '../options/lifecycle.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Document, Item, Message } from './document.ts'
import type { Operation } from './operations.ts'
import type { HeadNote } from './retirement.ts'

/** What the operations of one kind have in their responses. */
interface Answer {
  /** The headers of an answer in the version, by their names. */
  readonly headers: readonly (readonly [name: string, value: object])[]
  /** How they refuse a version. */
  readonly refusals: readonly { readonly status: number, readonly name: string, readonly response: Message }[]
}

const HEADERS: Readonly<Record<string, string>> = {
  Deprecation: 'When this becomes deprecated (RFC 9745)',
  Sunset: 'When this may stop working (RFC 8594)',
  Link: 'Further reading, and the same resource in later versions (RFC 8288)',
  'API-Supported-Versions': 'The versions that are served',
  'API-Deprecated-Versions': 'The versions that are deprecated'
}
const AMBIGUOUS = 'FST_ERR_VERSION_AMBIGUOUS'
const GONE = 'FST_ERR_VERSION_GONE'
const TEXTS: Readonly<Record<string, string>> = {
  FST_ERR_VERSION_NOT_ACCEPTABLE: 'The version is not acceptable',
  FST_ERR_VERSION_NOT_FOUND: 'The version is not found',
  FST_ERR_VERSION_NOT_SUPPORTED: 'The version is not supported',
  FST_ERR_VERSION_UNSUPPORTED_MEDIA_TYPE: 'The version of the media type is not supported',
  [AMBIGUOUS]: 'The request specifies different versions',
  [GONE]: 'The version is gone'
}

/** Says in the responses of a document's operations which headers the plugin sends, and how it refuses a version. */
export function answersOf (document: Document, version: string, head: HeadNote) {
  const byKind = new Map<string, Answer>()
  const refer = referencesIn(document)

  /** The user's descriptions win. */
  function addHeaders (response: Message, headers: Answer['headers']): void {
    const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
    for (const [name, value] of headers) {
      if (own.includes(name.toLowerCase())) continue
      response.headers = { ...response.headers, [name]: refer('headers', name, value) }
    }
  }

  function answerOf (operation: Operation, scheme: Scheme): Answer {
    const { declared, route: { server } } = operation
    const { servedVersion } = contextOf(server)
    const retirement = retirementOf(operation, version)
    const names = headersOf(operation, scheme, retirement, head)
    // Fastify's own error handler has a name. The body of another one is unknown.
    const isOurs = declared.errorHandler === undefined && server.errorHandler.name === 'defaultErrorHandler'
    const refusals = [...refusalsOf(operation, scheme, version, retirement)].map(([status, texts]) => {
      const codes = [...texts.keys()]
      const response = { description: sentenceOf([...texts.values()]), ...isOurs && bodyOf(status, codes) }
      addHeaders(response, described(texts.has(GONE) ? names : names.filter((name) => name.startsWith('API-'))))
      return { status, name: componentFor(codes[0]), response }
    })
    return { headers: described(servedVersion === null ? names : [...names, servedVersion]), refusals }
  }

  return function addAnswers ({ responses }: Item, operation: Operation, scheme: Scheme): void {
    let answer = byKind.get(operation.kind)
    if (answer === undefined) byKind.set(operation.kind, answer = answerOf(operation, scheme))
    if (answer.headers.length > 0) for (const one of Object.values(responses)) addHeaders(one, answer.headers)
    for (const { status, name, response } of answer.refusals) {
      // Fastify makes the body of an error by the schema of `4xx` or `default` as well.
      if (status in responses || '4XX' in responses || 'default' in responses) continue
      responses[status] = refer('responses', name, response)
    }
  }
}

function described (names: readonly string[]): Answer['headers'] {
  return names.map((name) => (
    [name, { description: HEADERS[name] ?? 'The version that is served', schema: { type: 'string' } }]
  ))
}

function headersOf (
  { route }: Operation, { listedVersions, members }: Scheme, retirement: Retirement | undefined, head: HeadNote
): string[] {
  const { lifecycle, reportVersions } = contextOf(route.server)
  const isReported = reportVersions && listedVersions.length > 0
  const isAnyDeprecated = [...lifecycle?.values() ?? []].some(({ deprecatedAt }) => deprecatedAt !== Infinity)
  const isLinked = members.some(({ impliedParam, linkPlace }) => impliedParam !== null || linkPlace !== 'nowhere')
  return [
    ...retirement?.deprecation ? ['Deprecation'] : [],
    ...retirement?.sunset ? ['Sunset'] : [],
    ...retirement && (retirement.links !== '' || (isLinked && head.successor !== null)) ? ['Link'] : [],
    ...isReported ? ['API-Supported-Versions'] : [],
    ...isReported && isAnyDeprecated ? ['API-Deprecated-Versions'] : []
  ]
}

/**
 * How an operation refuses a version: by status, texts by their codes. A request to a path or a host with the version
 * has the right one.
 */
function refusalsOf (
  { answersDefault, isInUrl, route }: Operation, scheme: Scheme, version: string, retirement: Retirement | undefined
): Map<number, Map<string, string>> {
  const { members, allowedVersions } = scheme
  const { claim, constraints: { host }, server } = route
  const isAtHost = (one: Scheme) => typeof host === 'string' && one.hostFor(version, host) !== null
  const isNamed = isInUrl || members.some(isAtHost)
  const free = members.filter((one) => one.impliedParam === null && !one.readsNamespaces && !isAtHost(one))
  const byStatus = new Map<number, Map<string, string>>()
  const add = (status: number, code: string, text = TEXTS[code]) => (
    byStatus.set(status, new Map([...byStatus.get(status) ?? [], [code, text]]))
  )
  if (!isNamed && (Boolean(allowedVersions?.length) || claim !== null)) {
    // A request without a version is refused by the first scheme of a list. A client may have a wrong default.
    const first = answersDefault && scheme.clientDefault === null ? [] : members.slice(0, 1)
    for (const one of [...first, ...free]) {
      const { code, statusCode, message } = refusalOf(one)
      if (statusCode >= 400 && statusCode < 500) add(statusCode, code, TEXTS[code] ?? message)
    }
  }
  if (free.some(isNamedTwice) || free.length > (isNamed ? 0 : 1)) add(400, AMBIGUOUS)
  if (contextOf(server).enforceSunset && typeof retirement?.sunsetAt === 'number') add(410, GONE)
  return byStatus
}

/** The error that a scheme refuses with; it may need a request, and then is the error of the scheme. */
function refusalOf (scheme: Scheme): Error & { readonly code: string, readonly statusCode: number } {
  try {
    return scheme.refusal(scheme.invalidVersionMessage) as ReturnType<typeof refusalOf>
  } catch (error) {
    return error as ReturnType<typeof refusalOf>
  }
}

/** Whether one place can have two versions: a header sent twice, or a media type by its subtype and a parameter. */
function isNamedTwice (scheme: Scheme): boolean {
  const mediaType = scheme.mediaTypeFor('v')
  return scheme.parameter?.in === 'header' ||
    (mediaType !== null && scheme.namesVersion({ mediaType, sent: mediaType }))
}

function bodyOf (status: number, codes: readonly string[]): Message {
  const text = { type: 'string' }
  const ours = { type: 'string', enum: codes }
  // Fastify refuses a body, or a query, with codes of its own.
  const code = status === 400 || status === 415 ? { anyOf: [ours, text] } : ours
  const properties = { statusCode: { type: 'integer', enum: [status] }, code, error: text, message: text }
  const schema = { type: 'object', properties, required: ['statusCode', 'message'] }
  return { content: { 'application/json': { schema } } }
}

/** Several reasons as one sentence. */
function sentenceOf ([first, ...others]: readonly string[]): string {
  return [first, ...others.map((one) => one.charAt(0).toLowerCase() + one.slice(1))].join(' or ')
}

/** The name of a component: `VersionNotFound` of `FST_ERR_VERSION_NOT_FOUND`. */
function componentFor (code: string): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
}
