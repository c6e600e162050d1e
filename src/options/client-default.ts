import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { knownFieldsOf } from './checks.ts'
import { isFieldName, isFieldNames } from '../http/headers.ts'

import type { DefaultByHeader, DefaultByRequest } from '../../types/index.d.ts'

/** A default version that depends on the client, as it was given. */
export type DefaultByClient = DefaultByHeader | DefaultByRequest

const EXPECTED = 'a string, null, { header, version } or { vary, version }'

/**
 * Reads the setting `defaultVersion`.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the field and the value
 */
export function toDefaultVersion (value: unknown): string | DefaultByClient | null {
  if (value === null || typeof value === 'string') return value
  const fields = knownFieldsOf('defaultVersion', value, EXPECTED, ['header', 'vary', 'version'])
  if (fields.has('header') === fields.has('vary')) {
    throw new VersioningOptionError('defaultVersion', EXPECTED, show(value))
  }
  const [header, vary, version] = ['header', 'vary', 'version'].map((name) => fields.get(name))
  if (fields.has('header') && !isFieldName(header)) {
    throw new VersioningOptionError('defaultVersion.header', 'the name of a request header', show(header))
  }
  if (fields.has('vary') && vary !== null && !isFieldNames(vary)) {
    throw new VersioningOptionError('defaultVersion.vary', 'the name of a request header, or null', show(vary))
  }
  if (typeof version !== 'function') {
    throw new VersioningOptionError('defaultVersion.version', 'a function that returns a version', show(version))
  }
  return Object.freeze(Object.fromEntries(fields)) as unknown as DefaultByClient
}
