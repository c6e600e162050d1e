import { linksIn, parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

import type { VersionNotice, VersionNoticeContext, VersionNoticeSource } from '../../types/client.d.ts'

/** The characters of a version in a list. */
const VERSION = /[!-+\--~]+/g

/** A response of any library, or its headers. */
interface AnyResponse {
  readonly headers?: AnyResponse
  readonly get?: (name: string) => unknown
  readonly status?: number
  readonly statusCode?: number
  readonly url?: string
  readonly [name: string]: unknown
}

/** Reads what a response says about its version. */
export function readVersionNotice (
  response: VersionNoticeSource | null | undefined, url?: string | URL | null,
  { method, version: requested, header = 'API-Version', param = 'version' }: VersionNoticeContext = {}
): VersionNotice | null {
  const source = (response ?? {}) as AnyResponse
  const headers = source.headers ?? source
  const read = (name: string) => String((headers.get?.call
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]) ?? '')
  const list = (name: string) => read(`api-${name}-versions`).match(VERSION) ?? [] as string[]

  const address = url || source.url
  const parsed = address && parseUrl(String(address))
  // The message has no user name, password or query.
  const page = parsed && parsed.origin + parsed.pathname
  const {
    'successor-version': successor = null, 'latest-version': latest = null, sunset = null, deprecation: info = sunset
  } = linksIn(read('link'), page && page + parsed.search)
  const [version = null] = (
    read(header) || parameterIn(read('content-type'), param) || requested || ''
  ).match(VERSION) ?? []
  // Before RFC 9745, the header was `true` or an HTTP date.
  const deprecatedAt = dateIn(read('deprecation'), /^@-?\d{1,12}(;|$)/)
  const sunsetAt = dateIn(read('sunset'))
  const supported = list('supported')
  const deprecated = list('deprecated')
  const isDeprecated = read('deprecation') === 'true' || deprecated.includes(version as string) ||
    (deprecatedAt ?? Infinity as unknown as Date) <= new Date()
  // A version whose 410 has Retry-After comes back.
  const isGone = (source.status ?? source.statusCode) === 410 && !read('retry-after')

  const part = (isNow: boolean, word: string, date: Date | null) => (
    date ? `${word} as of ${date.toUTCString().slice(5, 16)}` : isNow && word
  )
  const retirement = [
    part(isDeprecated, 'deprecated', deprecatedAt), part(isGone, 'retired', sunsetAt),
    requested === '' && 'only the default'
  ].filter(Boolean).join(' and ')
  const advice = successor ?? latest ?? supported.filter((text) => text !== version && !deprecated.includes(text)).pop()
  if (!(retirement || advice || info || supported[0] || deprecated[0])) return null

  const sentence = [
    version ?? 'This version', page && 'of', page && method, page, 'is', retirement || 'not deprecated'
  ].filter(Boolean).join(' ')
  const message = sentence + (retirement && advice ? `; use ${advice}` : '')
  return {
    version, deprecatedAt, sunsetAt, isDeprecated, isGone, successor, latest, info, supported, deprecated, message
  }
}

/**
 * Reads an IMF-fixdate (RFC 9110, section 5.6.7), or returns null if it is malformed.
 *
 * @param structured what a date of a structured field looks like, `@1688169599` (RFC 9651, section 3.3.7)
 */
function dateIn (text: string, structured?: RegExp): Date | null {
  if (structured?.test(text)) return new Date(parseInt(text.slice(1)) * 1000)
  const date = new Date(text)
  // The day of the week is not checked.
  return +date && text.slice(5) === date.toUTCString().slice(5) ? date : null
}
