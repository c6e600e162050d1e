import { httpDate, keyOf, linksIn, parameterIn, structuredDate } from './fields.ts'
import { parseUrl } from './url.ts'

import type { VersionNotice, VersionNoticeContext, VersionNoticeSource } from '../../types/client.d.ts'

/** The characters of a version in a list. */
const VERSION = /[!-+\--~]+/g

/** The end of the message about a version that is not being retired. */
export const NOT_ENDING = 'is not deprecated'

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
  const read = (name: string) => String(
    (typeof headers.get === 'function' ? headers.get(name) : headers[keyOf(headers, name)]) ?? ''
  ).trim()
  const list = (name: string) => read(`api-${name}-versions`).match(VERSION) ?? [] as string[]

  const from = url ?? source.url
  const parsed = from ? parseUrl(String(from)) : undefined
  // Without a user name.
  const page = parsed && parsed.origin + parsed.pathname
  const links = linksIn(read('link'), parsed && page + parsed.search)
  const { 'successor-version': successor = null, 'latest-version': latest = null } = links
  const [version = null] = (read(header) || parameterIn(read('content-type'), param) || requested)?.match(VERSION) ?? []
  const deprecatedAt = structuredDate(read('deprecation'))
  const sunsetAt = httpDate(read('sunset'))
  const supported = list('supported')
  const deprecated = list('deprecated')
  const now = Date.now()
  const isDeprecated = (deprecatedAt ?? Infinity) as number <= now || deprecated.includes(version as string)
  const isPreview = list('preview').includes(version as string)
  const is410 = (source.status ?? source.statusCode) === 410
  const [seconds] = read('retry-after').match(/^\d{1,9}$/) ?? []
  const retryAt = is410 && seconds ? new Date(now + +seconds * 1000) : null
  const isGone = is410 && !retryAt
  const info = links.deprecation ?? links.sunset ?? null

  const on = (date: Date | null, past: string, future: string) => date && (+date <= now ? past : future) +
    date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  const ending = isGone
    ? on(sunsetAt, 'was retired on ', 'was retired before ') ?? 'has been retired'
    : [
        retryAt && `is unavailable until ${retryAt.toJSON().slice(0, 16)}Z`,
        on(deprecatedAt, 'has been deprecated since ', 'will be deprecated on ') ?? (isDeprecated && 'is deprecated'),
        on(sunsetAt, 'was due to be retired on ', 'will be retired on ')
      ].filter(Boolean).join(' and ')
  if (!(ending || isPreview || successor || latest || info || supported[0] || deprecated[0])) return null

  const target = successor ?? latest
  // The version of a link is in a segment, in its query or in its host.
  const parts = target ? [...target.split(/[/=&]/), ...target.split(/[/.]/)] : supported
  const next = supported.filter((one) => one !== version && !deprecated.includes(one) && parts.includes(one)).pop()
  const advice = [next, target].filter(Boolean).join(': ')
  const place = page ? ` of ${[method, page].filter(Boolean).join(' ')}` : ''
  const message = `${version ?? 'This version'}${place} ` +
    (ending ? ending + (advice && `; use ${advice}`) : NOT_ENDING)
  return {
    version,
    deprecatedAt,
    sunsetAt,
    isDeprecated,
    isGone,
    isPreview,
    retryAt,
    successor,
    latest,
    info,
    supported,
    deprecated,
    message
  }
}
