import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { toBrownouts } from './brownouts.ts'
import { fieldsOf, knownFieldsOf, toFlag } from './checks.ts'
import { toHttpDate, toInstant, toStructuredDate } from './instant.ts'
import { linkValue } from '../http/headers.ts'
import { toDocsLinks } from './docs-link.ts'

import type { Brownouts } from './brownouts.ts'
import type { DocsLink } from './docs-link.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

/** How a version ends, ready for the headers of a response. Instants are milliseconds since the epoch. */
export interface Ending {
  /** What ends, for the messages of errors. */
  readonly subject: string
  /** When it becomes deprecated: by default at its sunset. Infinity for never. */
  readonly deprecatedAt: number
  /** Null if it is never gone. */
  readonly sunsetAt: number | null
  /** The value of Deprecation (RFC 9745), or null. */
  readonly deprecation: string | null
  /** The value of Sunset (RFC 8594), or null. */
  readonly sunset: string | null
  /** Link-values. */
  readonly links: readonly string[]
  /** The targets of these links. */
  readonly infos: readonly DocsLink[]
  /** The windows in which it does not answer, or null if there are none. */
  readonly brownouts: Brownouts | null
  /** Whether the version is not released yet. */
  readonly isPreview: boolean
}

/** The endings by version. */
export type Lifecycle = ReadonlyMap<string, Ending>

const EXPECTED = 'an object { deprecated?, sunset?, info?, brownouts? } with at least one of the two dates'
const FIELDS = ['deprecated', 'sunset', 'info', 'brownouts']
const EXPECTED_OF_VERSION = 'an object { deprecated?, sunset?, info?, brownouts?, preview? } with "preview: true" ' +
  'or at least one of the two dates'
const FIELDS_OF_VERSION = [...FIELDS, 'preview']

/**
 * Reads the option `lifecycle`.
 *
 * @param allowedVersions null or empty if any version may have one
 * @returns null if no version has one
 * @throws FST_ERR_VERSIONING_OPTION naming the version, the field and the value
 */
export function toLifecycle (value: unknown, allowedVersions: AllowedVersions | null | undefined): Lifecycle | null {
  if (value === null) return null
  const lifecycle = new Map<string, Ending>()
  for (const [version, given] of fieldsOf('lifecycle', value, 'an object of versions, or null')) {
    const option = `lifecycle.${version}`
    if (allowedVersions?.length && !allowedVersions.includes(version)) {
      throw new VersioningOptionError(option, `one of allowedVersions, ${show(allowedVersions)}`, show(version))
    }
    const fields = knownFieldsOf(option, given, EXPECTED_OF_VERSION, FIELDS_OF_VERSION)
    const isPreview = toFlag(fields.get('preview'), `${option}.preview`)
    if (isPreview && fields.has('deprecated')) {
      const expected = 'none, because the version is a preview'
      throw new VersioningOptionError(`${option}.deprecated`, expected, show(fields.get('deprecated')))
    }
    if (!isPreview && !hasDate(fields)) throw new VersioningOptionError(option, EXPECTED_OF_VERSION, show(given))
    lifecycle.set(version, toEndingOf(option, fields, `Version ${show(version)}`, isPreview))
  }
  return lifecycle.size === 0 ? null : lifecycle
}

/**
 * Checks that no released version follows a preview.
 *
 * @param allowedVersions in release order; null or empty if there is no order
 * @throws FST_ERR_VERSIONING_OPTION naming the preview and the version
 */
export function checkPreviews (
  lifecycle: Lifecycle | null, allowedVersions: AllowedVersions | null | undefined
): void {
  if (lifecycle === null) return
  let preview: string | undefined
  for (const version of allowedVersions ?? []) {
    if (version === null) continue
    if (lifecycle.get(version)?.isPreview) {
      preview ??= version
    } else if (preview !== undefined) {
      const expected = `no preview, because allowedVersions has the released version ${show(version)} after it`
      throw new VersioningOptionError(`lifecycle.${preview}.preview`, expected, 'true')
    }
  }
}

/**
 * Reads how one route ends.
 *
 * @param option the option that it is the value of, for the error
 * @param subject what ends, for the message of the error that says so
 * @throws FST_ERR_VERSIONING_OPTION naming the field and the value
 */
export function toEnding (option: string, value: unknown, subject: string): Ending {
  const fields = knownFieldsOf(option, value, EXPECTED, FIELDS)
  if (!hasDate(fields)) throw new VersioningOptionError(option, EXPECTED, show(value))
  return toEndingOf(option, fields, subject, false)
}

/** The message of the error in a brownout that ends at an instant. */
export function brownoutMessage ({ subject, sunset }: Ending, end: number): string {
  return `${subject} is in a brownout until ${toHttpDate(end)}` + (sunset === null ? '.' : `, and ends on ${sunset}.`)
}

function hasDate (fields: ReadonlyMap<string, unknown>): boolean {
  return fields.has('deprecated') || fields.has('sunset')
}

function toEndingOf (
  option: string, fields: ReadonlyMap<string, unknown>, subject: string, isPreview: boolean
): Ending {
  const [deprecatedAt, sunsetAt] = ['deprecated', 'sunset'].map((field) => (
    fields.has(field) ? toInstant(`${option}.${field}`, fields.get(field)) : null
  ))
  if (deprecatedAt !== null && sunsetAt !== null && sunsetAt < deprecatedAt) {
    const expected = `an instant not before "${option}.deprecated" (RFC 9745, section 4)`
    throw new VersioningOptionError(`${option}.sunset`, expected, show(fields.get('sunset')))
  }
  const infos = fields.has('info') ? toDocsLinks(`${option}.info`, fields.get('info')) : []
  const sunset = sunsetAt === null ? null : toHttpDate(sunsetAt)
  return {
    subject,
    deprecatedAt: deprecatedAt ?? sunsetAt ?? Infinity,
    sunsetAt,
    deprecation: deprecatedAt === null ? null : toStructuredDate(deprecatedAt),
    sunset,
    links: [
      ...isPreview ? [] : linksTo(infos, 'deprecation'),
      ...sunsetAt === null ? [] : linksTo(infos, 'sunset')
    ],
    infos,
    brownouts: toBrownouts(`${option}.brownouts`, fields.get('brownouts') ?? [], sunsetAt),
    isPreview
  }
}

function linksTo (infos: readonly DocsLink[], relation: string): string[] {
  return infos.map(({ href, attributes }) => linkValue(href, relation, attributes))
}
