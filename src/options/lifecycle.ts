import { must, forbid } from '../errors.ts'
import { types } from 'node:util'

import { toUriText } from '../http/uri.ts'
import { show } from '../messages.ts'
import { toInstant } from './instant.ts'
import { fieldsOf } from './read.ts'

import type { Listing } from './read.ts'

/** The stages of a version or a route, ready for the headers of a response. Instants are in ms since the epoch. */
export interface Retirement {
  /** The retired version or URL, as messages name it. */
  readonly subject: string
  /** The instant from which it is deprecated, by default its sunset; Infinity for never. */
  readonly deprecatedAt: number
  /** The instant of its sunset, or null. */
  readonly sunsetAt: number | null
  /** The value of Deprecation (RFC 9745), or null. */
  readonly deprecation: string | null
  /** The value of Sunset (RFC 8594), or null. */
  readonly sunset: string | null
  /** The URL of a page that says more, in ASCII, or null. */
  readonly info: string | null
  /** Link-values to this page, as in a header; '' for none. */
  readonly links: string
  /** The instant of the version's release, or null. */
  readonly releasedAt: number | null
  /** Whether the version is not released yet. */
  readonly isPreview: boolean
}

export type Lifecycle = ReadonlyMap<string, Retirement>

const FIELDS_OF_ROUTE = ['deprecated', 'sunset', 'info']
const FIELDS_OF_VERSION = [...FIELDS_OF_ROUTE, 'released', 'preview']

const ORIGIN = 'http://localhost'
const LINE = /^\S(?:.*\S)?$/
/** Words in place of a URL, or a host without `https://`. */
const NO_LINK = /^[^/.?#:]+\s|^\w[\w-]*\.[\w.-]+\//

/** Reads the option `lifecycle`; null if it has no version. */
export function toLifecycle (value: unknown, name: string, { allowedVersions }: Listing): Lifecycle | null {
  const lifecycle = new Map<string, Retirement>()
  for (const [version, entry] of fieldsOf(name, value, 'an object of versions, or null')) {
    const option = `${name}.${version}`
    const isAllowed = !allowedVersions?.length || allowedVersions.includes(version)
    must(isAllowed, option, `one of allowedVersions, ${show(allowedVersions)}`, version)
    lifecycle.set(version, toRetirement(option, entry, `Version ${show(version)}`, FIELDS_OF_VERSION))
  }
  return lifecycle.size === 0 ? null : lifecycle
}

/**
 * Reads the stages of a version, or of a route.
 *
 * @param subject the retired version or URL, as the message of a 410 names it
 */
export function toRetirement (option: string, value: unknown, subject: string, names = FIELDS_OF_ROUTE): Retirement {
  const fields = fieldsOf(option, value, `an object { ${names.join('?, ')}? }`, names)
  const { deprecated, sunset, info, released, preview = false } = Object.fromEntries(fields)
  must(typeof preview === 'boolean', `${option}.preview`, 'true or false', preview)
  const dates = { released, deprecated, sunset }
  if (!preview && Object.values(dates).every((date) => date === undefined)) {
    const orElse = names === FIELDS_OF_ROUTE
      ? ''
      : ' (A version that is not released has "preview: true" instead, and any other may have "released".)'
    forbid(option, `Add a date to "${option}": "deprecated", "sunset" or both.${orElse}`)
  }
  if (preview && released !== undefined) {
    forbid(option, `Remove "${option}.preview", or "${option}.released": a preview is not released yet.`)
  }
  const [releasedAt, deprecatedAt, sunsetAt] = toInstants(option, dates)
  const href = info === undefined ? null : toHref(`${option}.info`, info)
  const isDeprecated = deprecatedAt !== null || (!preview && sunsetAt !== null)
  const relations = [...isDeprecated ? ['deprecation'] : [], ...sunsetAt === null ? [] : ['sunset']]
  return {
    subject,
    deprecatedAt: deprecatedAt ?? sunsetAt ?? Infinity,
    sunsetAt,
    deprecation: deprecatedAt === null ? null : `@${Math.floor(deprecatedAt / 1000)}`,
    sunset: sunsetAt === null ? null : new Date(sunsetAt).toUTCString(),
    info: href,
    links: href === null ? '' : relations.map((relation) => `<${href}>; rel="${relation}"`).join(', '),
    releasedAt,
    isPreview: preview
  }
}

/** Reads the dates of a version or a route, which must be in order; null for each date that is undefined. */
function toInstants (option: string, dates: Readonly<Record<string, unknown>>): (number | null)[] {
  let last: readonly [name: string, date: unknown, instant: number] | null = null
  return Object.entries(dates).map(([name, date]) => {
    if (date === undefined) return null
    const instant = toInstant(`${option}.${name}`, date)
    if (last !== null && last[2] > instant) {
      const [first, then] = [last[1], date].map((each) => types.isDate(each) ? each.toISOString() : each)
      const reason = last[0] === 'deprecated' ? 'RFC 9745 forbids the other order.' : 'it is released first.'
      forbid(option, `Move "${option}.${name}" (${then}) behind "${option}.${last[0]}" (${first}): ${reason}`)
    }
    last = [name, date, instant]
    return instant
  })
}

/** Returns, in ASCII, the normal form of an absolute URL, or a reference as it is written, which clients resolve. */
function toHref (option: string, value: unknown): string {
  const isLine = typeof value === 'string' && LINE.test(value) && !NO_LINK.test(value)
  const isLink = isLine && URL.canParse(value, ORIGIN) && /^https?:/.test(new URL(value, ORIGIN).protocol)
  must(isLink, option, 'an http or https URL, or a reference to one', value)
  return toUriText(URL.canParse(value) ? new URL(value).href : value)
}
