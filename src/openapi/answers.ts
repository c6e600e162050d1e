import { contextOf } from '../context.ts'
import { VersionError } from '../errors.ts'
import { retirementOf } from './retirement.ts'
import { isInUrl } from './operations.ts'

import type { Retirement } from '../options/lifecycle.ts'
import type { Scheme } from '../schemes/base.ts'
import type { Components } from './components.ts'
import type { Item, Message } from './document.ts'
import type { HeadNote } from './retirement.ts'
import type { Operation } from './operations.ts'

/** What is alike in the responses of operations. */
interface Answer {
  /** Names of the headers of all answers, also of a retired version. */
  readonly names: readonly string[]
  /** Names of the headers of an answer in the version. */
  readonly served: readonly string[]
  readonly refusals: ReadonlyMap<string, readonly Refusal[]>
  /** The components of the refusals, made when the first operation refers to them. */
  readonly pointers: Map<string, string>
}

type Refusal = Pick<VersionError, 'message' | 'statusCode'> & { readonly code: string }

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
const AMBIGUOUS: Refusal = new VersionError('ambiguous', 'The request specifies different versions')
const GONE: Refusal = new VersionError('gone', 'The version is gone')
/** What Fastify validates of a request besides its body, which a GET has not. */
const VALIDATED = ['querystring', 'query', 'params', 'headers']
const WITHOUT_BODY = ['GET', 'HEAD', 'TRACE']

/** What the responses of a document say of the plugin: the headers that it sends, and its refusals. */
export class Answers {
  readonly #version: string
  readonly #head: HeadNote
  readonly #components: Components
  /** By what they follow from, which most operations have in common. */
  readonly #known = new Map<string, Answer>()
  readonly #numbers = new Map<unknown, number>()

  constructor (version: string, head: HeadNote, components: Components) {
    this.#version = version
    this.#head = head
    this.#components = components
  }

  addTo ({ responses }: Item, operation: Operation, scheme: Scheme): void {
    const answer = this.#answerOf(operation, scheme)
    for (const response of Object.values(responses)) this.#addHeaders(response, answer.served)
    for (const [status, refusals] of answer.refusals) {
      // Fastify makes the body of an error by the schema of `4xx` or `default` as well.
      if (status in responses || `${status[0]}XX` in responses || 'default' in responses) continue
      let pointer = answer.pointers.get(status)
      if (pointer === undefined) {
        answer.pointers.set(status, pointer = this.#describe(Number(status), refusals, operation, answer))
      }
      responses[status] = { $ref: pointer }
    }
  }

  #answerOf (operation: Operation, scheme: Scheme): Answer {
    const { declared: { errorHandler }, route: { claim, constraints: { host }, server } } = operation
    const retirement = retirementOf(operation, this.#version)
    const numbers = [server, scheme, retirement, errorHandler, host].map((one) => this.#numberOf(one))
    const key = `${numbers} ${claim === null} ${isInUrl(operation)} ${isRead(operation)}`
    let answer = this.#known.get(key)
    if (answer === undefined) {
      const { servedVersion } = contextOf(server)
      const names = headersOf(operation, scheme, retirement, this.#head)
      const served = servedVersion === null ? names : [...names, servedVersion]
      const refusals = refusalsOf(operation, scheme, this.#version, retirement)
      this.#known.set(key, answer = { names, served, refusals, pointers: new Map() })
    }
    return answer
  }

  #numberOf (one: unknown): number {
    const number = this.#numbers.get(one) ?? this.#numbers.size
    this.#numbers.set(one, number)
    return number
  }

  #describe (status: number, refusals: readonly Refusal[], operation: Operation, { names }: Answer): string {
    const [text, ...others] = refusals.map(({ message }) => message)
    const description = [text, ...others.map((one) => one.charAt(0).toLowerCase() + one.slice(1))].join(' or ')
    const response: Message = { description, ...bodyOf(status, refusals, operation) }
    this.#addHeaders(response, refusals.includes(GONE) ? names : names.filter((name) => name.startsWith('API-')))
    return this.#components.refer('responses', componentOf(refusals[0]), response)
  }

  /** The user's descriptions win. */
  #addHeaders (response: Message, names: readonly string[]): void {
    if (names.length === 0) return
    const own = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
    for (const name of names) {
      if (own.includes(name.toLowerCase())) continue
      const description = HEADERS[name] ?? 'The version that is served'
      const $ref = this.#components.refer('headers', name, { description, schema: { type: 'string' } })
      response.headers = { ...response.headers, [name]: { $ref } }
    }
  }
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

/** How an operation refuses a version, by status. A request to a path or a host with the version has the right one. */
function refusalsOf (
  operation: Operation, scheme: Scheme, version: string, retirement: Retirement | undefined
): Map<string, Refusal[]> {
  const { members, allowedVersions } = scheme
  const { claim, constraints: { host }, server } = operation.route
  const isAtHost = (one: Scheme) => typeof host === 'string' && one.hostFor(version, host) !== null
  const isNamed = isInUrl(operation) || members.some(isAtHost)
  const free = members.filter((one) => one.impliedParam === null && !one.readsNamespaces && !isAtHost(one))
  // A request without a version is refused by the first scheme of a list.
  const first = scheme.allows(scheme.defaultVersion) ? [] : members.slice(0, 1)
  const isListed = Boolean(allowedVersions?.length) || claim !== null
  const isAmbiguous = free.some(isNamedTwice) || free.length > (isNamed ? 0 : 1)
  const isRetired = contextOf(server).enforceSunset && typeof retirement?.sunsetAt === 'number'
  const all = [
    ...isListed && !isNamed ? [...first, ...free].flatMap(refusalOf) : [],
    ...isAmbiguous ? [AMBIGUOUS] : [],
    ...isRetired ? [GONE] : []
  ]
  const byStatus = new Map<string, Refusal[]>(all.map(({ statusCode }) => [String(statusCode), []]))
  for (const refusal of all) {
    const others = byStatus.get(String(refusal.statusCode)) as Refusal[]
    if (others.every(({ code }) => code !== refusal.code)) others.push(refusal)
  }
  return byStatus
}

/** The refusal of a scheme; none if it needs a request, or is not the client's mistake. */
function refusalOf (scheme: Scheme): Refusal[] {
  try {
    const { code, statusCode, message } = scheme.refusal() as Error & Refusal
    return statusCode >= 400 && statusCode < 500 ? [{ code, statusCode, message: TEXTS[code] ?? message }] : []
  } catch {
    return []
  }
}

/** Whether one place can have two versions: a header sent twice, or a media type by its subtype and a parameter. */
function isNamedTwice (scheme: Scheme): boolean {
  const mediaType = scheme.mediaTypeFor('v')
  return scheme.parameter?.in === 'header' ||
    (mediaType !== null && scheme.namesVersion({ mediaType, sent: mediaType }))
}

/** The body of a refusal, or nothing if an error handler of the user makes it. Fastify's own has a name. */
function bodyOf (status: number, refusals: readonly Refusal[], operation: Operation): Message {
  const { declared: { errorHandler }, route: { server } } = operation
  if (errorHandler !== undefined || server.errorHandler.name !== 'defaultErrorHandler') return {}
  // Where Fastify itself answers with the status, it has its own codes.
  const isShared = [400, 415].includes(status) && isRead(operation)
  const text = { type: 'string' }
  const ours = { type: 'string', enum: refusals.map(({ code }) => code) }
  const code = isShared ? { anyOf: [ours, text] } : ours
  const properties = { statusCode: { type: 'integer', enum: [status] }, code, error: text, message: text }
  const error = { type: 'object', properties, required: ['statusCode', 'message'] }
  return { content: { 'application/json': { schema: error } } }
}

/** Whether Fastify reads or validates a request, and has errors of its own. */
function isRead ({ declared: { schema = {} }, method }: Operation): boolean {
  return !WITHOUT_BODY.includes(method) || VALIDATED.some((part) => part in schema)
}

/** The name of a component: `VersionNotFound` of `FST_ERR_VERSION_NOT_FOUND`. */
function componentOf ({ code }: Refusal): string {
  const words = String(code).replace(/^FST_ERR_/, '').split(/[^A-Za-z\d]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('')
}
