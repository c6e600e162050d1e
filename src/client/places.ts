import { parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

import type { Place } from './options.ts'

/** The headers of a request. */
export interface Fields {
  get (name: string): string | null | undefined
  set (name: string, value: string): void
}

/** Writes the version into a URL, or into the headers, and returns the URL and the version that is requested. */
type WriteVersion = (url: string, headers: Fields) => [url: string, version: string]

/** A quoted string, or what is between separators: a type or a parameter (RFC 9110, section 12.5.1). */
const PART = /"(?:[^"\\]|\\[^])*"?|[^\s,;"]+/g

/** A host that no URL has. It is the base of paths where there is no page. */
const NOWHERE = 'http://-'
const ORIGIN = '(?:https?:)?//'

/** @param version contains no character that needs escaping */
export function toPlaceWriter (version: string, place: Place): WriteVersion {
  const { accept = '', contentType, param = 'version', header, query, path, unversioned, host } = place
  if (header) {
    return (url, headers) => {
      if (!headers.get(header)) headers.set(header, version)
      return [url, headers.get(header) as string]
    }
  }
  if (query) return toQueryWriter(version, query)
  if (path) return toPathWriter(version, path, unversioned)
  if (host) {
    const rest = toPattern(host.slice(10).toLowerCase())
    return toUrlWriter(
      version, `^(${ORIGIN}(?:[^/?#]*@)?)(?:[^/?#:.@]+\\.)?(?=${rest}(?![^:/?#]))`, `$1${version}.`
    )
  }
  return toMediaTypeWriter(version, accept, param, contentType)
}

/** Replaces a part of a URL as `fetch` sends it, which has no dot segments and no backslashes. */
function toUrlWriter (
  version: string, pattern: string, write: string | ((...groups: string[]) => string)
): WriteVersion {
  const part = new RegExp(pattern)
  return (url) => {
    const isPath = /^\/(?!\s*[/\\])/.test(url)
    const href = String(parseUrl(url) ?? (isPath ? parseUrl(NOWHERE + url) : url))
    const target = href.replace(part, write as string)
    // Two slashes at its beginning would make the path a host.
    return [target === href ? url : target.replace(/^http:\/\/-(?=\/(\/?))/, (_, slash) => slash && '/.'), version]
  }
}

function toQueryWriter (version: string, query: string): WriteVersion {
  const parameter = `${encodeURIComponent(query)}=${version}`
  // With `&` in front, a `?` that begins a name is part of it.
  const isOurs = (pair: string) => new URLSearchParams(`&${pair}`).has(query)
  return toUrlWriter(version, '^(?!(?!https?:)\\w+:)([^?#]*)\\??([^#]*)', (_, start, text) => {
    const pairs = text ? text.split('&') : []
    if (!pairs.some(isOurs)) pairs.push(parameter)
    return `${start}?${pairs.map((pair) => isOurs(pair) ? parameter : pair).join('&')}`
  })
}

function toPathWriter (version: string, path: string, unversioned: Place['unversioned']): WriteVersion {
  const at = path.lastIndexOf('/')
  // A segment that differs from the version only in its numbers is a version. v7 looks like v1.0, but 7 not like 1.0.
  const known = toPattern(version).replace(/\d+(\\.\d+)*/g, (_, dots, before) => (
    `\\d+(\\.\\d+)${dots && !before ? '+' : '*'}`
  ))
  const prefixes = new Map(Object.entries(unversioned ?? { '': path.slice(0, at) }))
  const target = prefixes.get(version) ?? path.replace('{version}', version)
  const [versioned, ...others] = [path, ...[...prefixes.values()].sort().reverse()].map(toPattern)
  return toUrlWriter(
    version,
    // The longest prefix is tried first; the root is the empty one.
    `^(${ORIGIN}[^/?#]+|(?=/))(?:${[versioned.replace('{version}', known), ...others].join('|').replace(/\/$/, '')})` +
      `(?![^/?#])${target === '/' ? '/?' : ''}`,
    `$1${target}`
  )
}

function toMediaTypeWriter (version: string, accept: string, param: string, contentType?: boolean): WriteVersion {
  const [vendorType] = /[^\s,;]+{version}[^\s,;]*/.exec(accept) ?? []
  // Without a vendor type nothing matches.
  const pattern = new RegExp(`(?<![^\\s,])${toPattern(vendorType ?? '\n').replace('{version}', '([^\\s,;{]+)')}`, 'i')
  return (url, headers) => {
    const fields = { accept: headers.get('accept'), 'content-type': contentType && headers.get('content-type') }
    const present = Object.values(fields).join()
    const own = pattern.exec(present)?.[1] ?? parameterIn(present, param)
    if (own) return [url, own]
    fields.accept ||= accept
    for (const [name, field] of Object.entries(fields)) {
      if (!field) continue
      headers.set(name, /{version}/.test(field)
        ? field.replace(/{version}/g, version)
        : field.replace(PART, (text) => /^[^="]+\//.test(text) ? `${text}; ${param}=${version}` : text))
    }
    return [url, version]
  }
}

/** A text as a regular expression that matches only it; `{version}` stays. */
function toPattern (text: string): string {
  return text.replace(/[.+*^$|]/g, '\\$&')
}
