import { parameterOf, split } from './fields.ts'
import { isToken } from './options.ts'

/** A header with the version in it. */
export interface Named {
  readonly text: string
  /** The version that it names. */
  readonly version: string
  /** Whether the caller has written it. */
  readonly isOwn: boolean
}

/**
 * What writes a version into the media types of a header.
 *
 * @param accept may hold a vendor type with `{version}`
 * @param param the name of the parameter
 */
export function toMediaTypeWriter (version: string, accept: string, param: string): (text: string) => Named {
  const parameter = ` ${param}=${isToken(version) ? version : `"${version.replace(/["\\]/g, '\\$&')}"`}`
  // The vendor type around its version: never empty, so that a list without one has a start that no type has.
  const [start, end] = (/[^\s,;]*\{version\}[^\s,;]*/.exec(accept) ?? [' {version}'])[0].toLowerCase().split('{version}')

  /** The version that a media type names; `''`: none. */
  function versionIn ([type, ...parameters]: readonly string[]): string {
    const sent = type.trim()
    const lower = sent.toLowerCase()
    const isVendorType = lower.startsWith(start) && lower.endsWith(end)
    const named = parameters.map(parameterOf).find(([name]) => name === param.toLowerCase())
    return (isVendorType && sent.slice(start.length, sent.length - end.length)) || named?.[1] || ''
  }

  return function writeMediaTypes (text) {
    if (text.includes('{version}')) return { text: text.split('{version}').join(version), version, isOwn: false }
    const types = split(text, ',').map((type) => split(type, ';'))
    const own = types.map(versionIn).find(Boolean)
    if (own) return { text, version: own, isOwn: true }
    for (const parts of types) {
      const weight = parts.findIndex((part) => parameterOf(part)[0] === 'q')
      if (parts[0].trim()) parts.splice(weight < 0 ? parts.length : weight, 0, parameter)
    }
    return { text: types.map((parts) => parts.join(';')).join(','), version, isOwn: false }
  }
}
