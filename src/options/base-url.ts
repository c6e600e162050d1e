import { VersioningOptionError, show } from '../errors.ts'

/** The address of an app from outside, as its owner knows it. */
export interface BaseUrl {
  readonly protocol: 'http' | 'https'
  /** Hostname and, where it is not the protocol's own, port. */
  readonly host: string
  /** What stands in front of the path of every link: `''` or `/api`. */
  readonly path: string
}

const EXPECTED = 'an http or https URL without credentials, query and fragment, or null'

/**
 * Reads the option `baseUrl`.
 *
 * @param value a string or a URL; null: none
 * @throws FST_ERR_VERSIONING_OPTION
 */
export function toBaseUrl (value: unknown): BaseUrl | null {
  if (value === null) return null
  const text = value instanceof URL ? value.href : value
  if (typeof text !== 'string' || !URL.canParse(text)) throw new VersioningOptionError('baseUrl', EXPECTED, show(value))
  const { protocol, host, pathname, username, password, href } = new URL(text)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  if (!isWeb || username !== '' || password !== '' || /[?#]/.test(href) || pathname.includes('//')) {
    throw new VersioningOptionError('baseUrl', EXPECTED, show(value))
  }
  return { protocol: protocol === 'http:' ? 'http' : 'https', host, path: pathname.replace(/\/$/, '') }
}
