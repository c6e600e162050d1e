import { contextOf } from '../context.ts'
import { componentsOf } from './components.ts'
import { retirementOf } from './retirement.ts'

import type { Retirement } from '../options/lifecycle.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Refer } from './components.ts'
import type { Document, Item, Message } from './document.ts'
import type { Operation } from './operations.ts'
import type { HeadNote } from './retirement.ts'

/** What the operations of one kind have in their responses. */
interface Answer {
  /** The headers of an answer in the version. */
  readonly headers: ReadonlyMap<string, Refer>
  readonly refusals: ReadonlyMap<number, Refer>
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

/** What all operations of a document share. */
interface Shared {
  readonly version: string
  readonly head: HeadNote
  /** Whether Fastify reads or validates requests of one of them, and then answers with codes of its own. */
  readonly isRead: boolean
  readonly component: ReturnType<typeof componentsOf>
}

/** Says in the responses of a document's operations which headers the plugin sends, and how it refuses a version. */
export function answersOf (document: Document, version: string, head: HeadNote, isRead: boolean) {
  const shared: Shared = { version, head, isRead, component: componentsOf(document) }
  const byKind = new Map<string, Answer>()
  return function addAnswers ({ responses }: Item, operation: Operation, scheme: Scheme): void {
    let answer = byKind.get(operation.kind)
    if (answer === undefined) {
      byKind.set(operation.kind, answer = answerOf(operation, scheme, shared))
    }
    if (answer.headers.size > 0) for (const one of Object.values(responses)) addHeaders(one, answer.headers)
    for (const [status, refer] of answer.refusals) {
      // Fastify makes the body of an error by the schema of `4xx` or `default` as well.
      if (!(status in responses || '4XX' in responses || 'default' in responses)) responses[status] = refer()
    }
  }
}

function answerOf (operation: Operation, scheme: Scheme, { version, head, isRead, component }: Shared): Answer {
  const retirement = retirementOf(operation, version)
  const { servedVersion } = contextOf(operation.route.server)
  const names = headersOf(operation, scheme, retirement, head)
  const headersFor = (listed: readonly string[]) => new Map(listed.map((name) => {
    const header = { description: HEADERS[name] ?? 'The version that is served', schema: { type: 'string' } }
    return [name, component('headers', name, () => header)] as const
  }))
  const refusals = [...refusalsOf(operation, scheme, version, retirement)].map(([status, texts]) => {
    const codes = [...texts.keys()]
    const describe = () => {
      const body = bodyOf(status, codes, operation, isRead)
      const response: Message = { description: sentenceOf([...texts.values()]), ...body }
      addHeaders(response, headersFor(codes.includes(GONE) ? names : names.filter((name) => name.startsWith('API-'))))
      return response
    }
    return [status, component('responses', componentFor(codes[0]), describe)] as const
  })
  return {
    headers: headersFor(servedVersion === null ? names : [...names, servedVersion]), refusals: new Map(refusals)
  }
}

/** The user's descriptions win. */
function addHeaders (response: Message, headers: ReadonlyMap<string, Refer>): void {
  const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
  const others = [...headers].filter(([name]) => !own.includes(name.toLowerCase()))
  if (others.length === 0) return
  response.headers = { ...response.headers, ...Object.fromEntries(others.map(([name, refer]) => [name, refer()])) }
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
    ...retirement && (retirement.links.length > 0 || (isLinked && head.successor !== null)) ? ['Link'] : [],
    ...isReported ? ['API-Supported-Versions'] : [],
    ...isReported && isAnyDeprecated ? ['API-Deprecated-Versions'] : []
  ]
}

/**
 * How an operation refuses a version: by status, texts by their codes. A request to a path or a host with the version
 * has the right one.
 */
function refusalsOf (
  { isInUrl, route }: Operation, scheme: Scheme, version: string, retirement: Retirement | undefined
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
    // A request without a version is refused by the first scheme of a list.
    const first = scheme.allows(scheme.defaultVersion) ? [] : members.slice(0, 1)
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

/** The body of a refusal, or nothing if an error handler of the user makes it. Fastify's own has a name. */
function bodyOf (
  status: number, codes: readonly string[], { declared, route }: Operation, isRead: boolean
): Message {
  if (declared.errorHandler !== undefined || route.server.errorHandler.name !== 'defaultErrorHandler') return {}
  const text = { type: 'string' }
  const ours = { type: 'string', enum: codes }
  const code = isRead && (status === 400 || status === 415) ? { anyOf: [ours, text] } : ours
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
