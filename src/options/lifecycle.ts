import { VersioningOptionError, show } from '../errors.ts'
import { fieldsOf, knownFieldsOf } from './checks.ts'
import { toHttpDate, toInstant, toStructuredDate } from './instant.ts'
import { linkValue } from '../http/headers.ts'
import { toInfos } from './link-info.ts'

import type { Info } from './link-info.ts'
import type { AllowedVersions } from '../../types/index.d.ts'

/** How a version ends, ready for the headers of a response. Instants are milliseconds since the epoch. */
export interface Ending {
  /** From when on it is deprecated: its sunset where it says no more. */
  readonly deprecatedAt: number
  /** Null: never. */
  readonly sunsetAt: number | null
  /** The field Deprecation (RFC 9745); null: none. */
  readonly deprecation: string | null
  /** The field Sunset (RFC 8594); null: none. */
  readonly sunset: string | null
  /** Link-values. */
  readonly links: readonly string[]
  /** What these link to. */
  readonly infos: readonly Info[]
  /** Of the error once it is gone; null: it never is. */
  readonly message: string | null
}

/** The endings by version. */
export type Lifecycle = ReadonlyMap<string, Ending>

const EXPECTED = 'an object { deprecated?, sunset?, info? } with at least one of the two dates'
const FIELDS = ['deprecated', 'sunset', 'info']

/**
 * Reads the option `lifecycle`.
 *
 * @param allowedVersions null or empty: any version may have one
 * @returns null where no version has one
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
    lifecycle.set(version, toEnding(option, given, `Version ${show(version)}`))
  }
  return lifecycle.size === 0 ? null : lifecycle
}

/**
 * Reads how one version ends, or one route.
 *
 * @param option the option that it is the value of, for the error
 * @param subject what ends, for the message of the error that says so
 * @throws FST_ERR_VERSIONING_OPTION naming the field and the value
 */
export function toEnding (option: string, value: unknown, subject: string): Ending {
  const fields = knownFieldsOf(option, value, EXPECTED, FIELDS)
  const [deprecatedAt, sunsetAt] = ['deprecated', 'sunset'].map((field) => (
    fields.has(field) ? toInstant(`${option}.${field}`, fields.get(field)) : null
  ))
  const first = deprecatedAt ?? sunsetAt
  if (first === null) throw new VersioningOptionError(option, EXPECTED, show(value))
  if (sunsetAt !== null && sunsetAt < first) {
    const expected = `an instant not before "${option}.deprecated" (RFC 9745, section 4)`
    throw new VersioningOptionError(`${option}.sunset`, expected, show(fields.get('sunset')))
  }
  const infos = fields.has('info') ? toInfos(`${option}.info`, fields.get('info')) : []
  const sunset = sunsetAt === null ? null : toHttpDate(sunsetAt)
  return {
    deprecatedAt: first,
    sunsetAt,
    deprecation: deprecatedAt === null ? null : toStructuredDate(deprecatedAt),
    sunset,
    links: [
      ...linksTo(infos, 'deprecation'),
      ...sunsetAt === null ? [] : linksTo(infos, 'sunset')
    ],
    infos,
    message: sunset === null ? null : `${subject} is gone since ${sunset}.`
  }
}

function linksTo (infos: readonly Info[], relation: string): string[] {
  return infos.map(({ href, attributes }) => linkValue(href, relation, attributes))
}
