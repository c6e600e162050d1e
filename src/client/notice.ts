import { dayOf, httpDate, structuredDate } from './dates.ts'
import { fieldIn, parameterOf, split } from './fields.ts'
import { linksIn } from './links.ts'
import { pageOf, resolve } from './url.ts'

import type {
  VersionNotice, VersionNoticeContext, VersionNoticeHeaders, VersionNoticeSource
} from '../../types/client.d.ts'

/** A response as one of the libraries has it. */
interface AnyResponse {
  readonly headers?: VersionNoticeHeaders
  readonly status?: number
  readonly statusCode?: number
  readonly url?: string
}

type Facts = Omit<VersionNotice, 'message'>

/** Reads what a response tells about its version. */
export function readVersionNotice (
  response: VersionNoticeSource | null | undefined, url?: string | URL | null,
  { method, version, header = 'API-Version', param = 'version' }: VersionNoticeContext = {}
): VersionNotice | null {
  const source = (response ?? {}) as AnyResponse
  const get = toReader(source.headers && typeof source.headers === 'object' ? source.headers : source)
  const asked = String(url || source.url || '')
  const links = linksIn(get('link'), asked && resolve(asked)?.href)
  const type = split(get('content-type'), ';').map(parameterOf)
  const parameter = type.find(([name]) => name === param.toLowerCase())?.[1] ?? ''
  const served = [get(header), parameter, version ?? ''].find(isPrintable) ?? null
  const deprecatedAt = structuredDate(get('deprecation'))
  const deprecated = listOf(get('api-deprecated-versions'))
  const facts: Facts = {
    version: served,
    deprecatedAt,
    sunsetAt: httpDate(get('sunset')),
    isDeprecated: isPast(deprecatedAt) || deprecated.includes(served as string),
    isGone: (source.status ?? source.statusCode) === 410,
    successor: links.get('successor-version') ?? null,
    latest: links.get('latest-version') ?? null,
    info: links.get('deprecation') ?? links.get('sunset') ?? null,
    supported: listOf(get('api-supported-versions')),
    deprecated
  }
  const { sunsetAt, isGone, successor, latest, info, supported } = facts
  const isTold = [deprecatedAt, sunsetAt, isGone, successor, latest, info, ...supported, ...deprecated].some(Boolean)
  const page = asked && [method, pageOf(asked)].filter(Boolean).join(' ')
  return isTold ? { ...facts, message: messageOf(facts, page) } : null
}

/** Whether a version ends, or has ended. */
export function isEnding ({ deprecatedAt, sunsetAt, isDeprecated, isGone }: Facts): boolean {
  return Boolean(deprecatedAt ?? sunsetAt) || isDeprecated || isGone
}

/** @param page what it is a version of; `''`: that is not known */
function messageOf (facts: Facts, page: string): string {
  const { version, deprecatedAt, sunsetAt, isDeprecated, isGone, successor, latest, info, supported, deprecated } = facts
  const subject = [version, page].filter(Boolean).join(' of ') || 'This version'
  if (!isEnding(facts)) return `${subject} is not deprecated`

  const phrases = isGone ? [`is gone${since(sunsetAt)}`] : []
  if (isDeprecated && !isGone) phrases.push(`is deprecated${since(deprecatedAt)}`)
  else if (deprecatedAt && !isGone) phrases.push(`will be deprecated on ${dayOf(deprecatedAt)}`)
  if (sunsetAt && !isGone) phrases.push(`${isPast(sunsetAt) ? 'ended' : 'ends'} on ${dayOf(sunsetAt)}`)

  const others = supported.filter((one) => one !== version)
  const link = successor ?? latest
  // A version is a segment of the link, a value of its query or the first label of its host.
  const parts = (link ?? '').split(/[/?&=#]/).flatMap((part) => [part, part.split('.')[0]])
  const next = link ? parts.find((part) => others.includes(part)) : others.filter((one) => !deprecated.includes(one)).pop()
  const use = [next, link].filter(Boolean).join(': ')
  return `${subject} ${phrases.join(' and ')}${use ? `; use ${use}` : info ? `; see ${info}` : ''}`
}

function since (date: Date | null): string {
  return date && isPast(date) ? ` since ${dayOf(date)}` : ''
}

function isPast (date: Date | null): boolean {
  return date !== null && +date <= Date.now()
}

function isPrintable (text: string): boolean {
  return /^[ -~]+$/.test(text)
}

function listOf (text: string): string[] {
  return text.split(',').map((version) => version.trim()).filter(isPrintable)
}

/** What reads a header, whose name may be in any case; `''`: it is not there. */
function toReader (headers: VersionNoticeHeaders): (name: string) => string {
  return (name) => {
    const lower = name.toLowerCase()
    const value = 'get' in headers && typeof headers.get === 'function' ? headers.get(lower) : fieldIn(Object.entries(headers), lower)
    return [value ?? ''].flat().join(', ').trim()
  }
}
