import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

/** The public address of an app, as its owner has configured it. */
export interface BaseUrl {
  readonly protocol: 'http' | 'https'
  /** Hostname, and port if it is not the default of the protocol. */
  readonly host: string
  /** The prefix of the path of every link: `''` or `/api`. */
  readonly path: string
}

const EXPECTED = 'an http or https URL without credentials, query and fragment, or null'

/**
 * Reads the option `baseUrl`.
 *
 * @param value a string or a URL, or null
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
