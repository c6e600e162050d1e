import { must, forbid } from '../errors.ts'
import { types } from 'node:util'

import { toUriText } from '../http/uri.ts'
import { show } from '../messages.ts'
import { toInstant } from './instant.ts'
import { fieldsOf } from './read.ts'

import type { Listing } from './read.ts'

/** How a version is retired, ready for the headers of a response. Instants are milliseconds since the epoch. */
export interface Retirement {
  /** What is retired, for the messages of errors. */
  readonly subject: string
  /** When it becomes deprecated: by default at its sunset. Infinity for never. */
  readonly deprecatedAt: number
  /** Null if it is never gone. */
  readonly sunsetAt: number | null
  /** The value of Deprecation (RFC 9745), or null. */
  readonly deprecation: string | null
  /** The value of Sunset (RFC 8594), or null. */
  readonly sunset: string | null
  /** The URL of a page that says more, in ASCII, or null. */
  readonly info: string | null
  /** Link-values to it, as in a header; '' for none. */
  readonly links: string
  /** Whether the version is not released yet. */
  readonly isPreview: boolean
}

export type Lifecycle = ReadonlyMap<string, Retirement>

const FIELDS = ['deprecated', 'sunset', 'info']

const ORIGIN = 'http://localhost'
/** A line without space around it. */
const LINE = /^\S(?:.*\S)?$/

/** Reads the option `lifecycle`; null if no version is retired, or a preview. */
export function toLifecycle (value: unknown, name: string, { allowedVersions }: Listing): Lifecycle | null {
  const lifecycle = new Map<string, Retirement>()
  for (const [version, given] of fieldsOf(name, value, 'an object of versions, or null')) {
    const option = `${name}.${version}`
    const isAllowed = !allowedVersions?.length || allowedVersions.includes(version)
    must(isAllowed, option, `one of allowedVersions, ${show(allowedVersions)}`, version)
    lifecycle.set(version, toRetirement(option, given, `Version ${show(version)}`, [...FIELDS, 'preview']))
  }
  return lifecycle.size === 0 ? null : lifecycle
}

/**
 * Reads how a route is retired, or a version.
 *
 * @param subject what is retired, for the message of the error that says so
 */
export function toRetirement (option: string, value: unknown, subject: string, names = FIELDS): Retirement {
  const fields = fieldsOf(option, value, `an object { ${names.join('?, ')}? }`, names)
  const { deprecated, sunset, info, preview = false } = Object.fromEntries(fields)
  must(typeof preview === 'boolean', `${option}.preview`, 'true or false', preview)
  if (!preview && deprecated === undefined && sunset === undefined) {
    const orPreview = names === FIELDS ? '' : ' (A version that is not released has "preview: true" instead.)'
    forbid(option, `Add a date to "${option}": "deprecated", "sunset" or both.${orPreview}`)
  }
  const deprecatedAt = deprecated === undefined ? null : toInstant(`${option}.deprecated`, deprecated)
  const sunsetAt = sunset === undefined ? null : toInstant(`${option}.sunset`, sunset)
  const isInOrder = deprecatedAt === null || sunsetAt === null || deprecatedAt <= sunsetAt
  if (!isInOrder) {
    const [first, last] = [deprecated, sunset].map((date) => types.isDate(date) ? date.toISOString() : date)
    forbid(option, `Move "${option}.sunset" (${last}) behind "${option}.deprecated" (${first}): RFC 9745 forbids the ` +
      'other order.')
  }
  const href = info === undefined ? null : toHref(`${option}.info`, info)
  const isDeprecated = deprecatedAt !== null || !preview
  const relations = [...isDeprecated ? ['deprecation'] : [], ...sunsetAt === null ? [] : ['sunset']]
  return {
    subject,
    deprecatedAt: deprecatedAt ?? sunsetAt ?? Infinity,
    sunsetAt,
    deprecation: deprecatedAt === null ? null : `@${Math.floor(deprecatedAt / 1000)}`,
    sunset: sunsetAt === null ? null : new Date(sunsetAt).toUTCString(),
    info: href,
    links: href === null ? '' : relations.map((relation) => `<${href}>; rel="${relation}"`).join(', '),
    isPreview: preview
  }
}

/** An absolute URL in its normal form, or a reference as it is written, which clients resolve; in ASCII. */
function toHref (option: string, value: unknown): string {
  const isLine = typeof value === 'string' && LINE.test(value)
  const isLink = isLine && URL.canParse(value, ORIGIN) && /^https?:/.test(new URL(value, ORIGIN).protocol)
  must(isLink, option, 'an http or https URL, or a reference to one', value)
  return toUriText(URL.canParse(value) ? new URL(value).href : value)
}
