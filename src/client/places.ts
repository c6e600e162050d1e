import { parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

import type { Place } from './options.ts'

/** Writes the version into a URL, or into the headers, and returns the URL and the version that is requested. */
type WriteVersion = (url: string, headers: Headers) => [url: string, version: string]

/** Writes the version into a part of a URL. */
type WritePart = (origin: string, path: string, query: string) => string

/** A quoted string, or what is between separators: a type or a parameter (RFC 9110, section 12.5.1). */
const PART = /"(?:[^"\\]|\\[^])*"?|[^\s,;"]+/g

/** The origin, the path and the query of a URL. */
const PARTS = /^((?:https?:)?\/\/[^/?#]+)?(?!\w+:)([^?#]*)(\??[^#]*)/

/** A host that no URL has. It is the base of paths where there is no page. */
const NOWHERE = 'http://-'

/** @param version contains no character that needs escaping */
export function toPlaceWriter (version: string, place: Place): WriteVersion {
  const { accept, header, query, path, host = '' } = place
  if (accept) return toMediaTypeWriter(version, accept, place)
  if (header) {
    return (url, headers) => {
      const own = headers.get(header) || version
      headers.set(header, own)
      return [url, own]
    }
  }
  const write = query ? toQueryWriter(version, query) : path ? toPathWriter(version, path) : toHostWriter(version, host)
  return (url) => {
    const isPath = /^\/(?!\s*[/\\])/.test(url)
    const href = String(parseUrl(url) ?? (isPath ? parseUrl(url, NOWHERE) : url))
    const target = href.replace(PARTS, (_, origin = '', ...parts) => write(origin, parts[0], parts[1]))
    // Two slashes at its beginning would make the path a host.
    return [target === href ? url : target.replace(/^http:\/\/-(?=\/(\/?))/, (_, slash) => slash && '/.'), version]
  }
}

function toQueryWriter (version: string, name: string): WritePart {
  const parameter = `${encodeURIComponent(name)}=${version}`
  // With `&` in front, a `?` that begins a name is part of it.
  const isOurs = (pair: string) => new URLSearchParams(`&${pair}`).has(name)
  return (origin, path, query) => {
    const pairs = query.length > 1 ? query.slice(1).split('&') : []
    if (!pairs.some(isOurs)) pairs.push(parameter)
    return `${origin}${path}?${pairs.map((pair) => isOurs(pair) ? parameter : pair).join('&')}`
  }
}

function toPathWriter (version: string, template: string): WritePart {
  // A segment that differs from the version only in its numbers is a version. v7 looks like v1.0, but 7 not like 1.0.
  const known = toPattern(version).replace(/\d+(\\.\d+)*/g, (_, dots, before) => (
    `\\d+(\\.\\d+)${dots && !before ? '+' : '*'}`
  ))
  const [prefix, segment] = toPattern(template).split(/(\/[^/]*$)/)
  const start = new RegExp(`^${prefix}(${segment.replace('{version}', known)})?(?![^/])`)
  return (origin, path, query) => (
    origin + (origin || path[0] === '/' ? path.replace(start, template.replace('{version}', version)) : path) + query
  )
}

function toHostWriter (version: string, template: string): WritePart {
  const rest = template.slice(10).toLowerCase()
  const host = new RegExp(`(//(?:.*@)?)(?:[^:.@]+\\.)?(?=${toPattern(rest)}(:\\d+)?$)`)
  return (origin, path, query) => origin.replace(host, `$1${version}.`) + path + query
}

function toMediaTypeWriter (version: string, accept: string, { param = 'version', contentType }: Place): WriteVersion {
  const [vendorType] = /[^\s,;]+{version}[^\s,;]*/.exec(accept) ?? []
  const pattern = new RegExp(`(?<![^\\s,])${toPattern(vendorType ?? '\n').replace('{version}', '([^\\s,;{]+)')}`, 'i')
  return (url, headers) => {
    const names = contentType ? ['accept', 'content-type'] : ['accept']
    const present = names.map((name) => headers.get(name)).join()
    const own = pattern.exec(present)?.[1] ?? parameterIn(present, param)
    if (own) return [url, own]
    if (!headers.get('accept')) headers.set('accept', accept)
    for (const name of names) {
      const field = headers.get(name)
      if (field) {
        headers.set(name, field.includes('{version}')
          ? field.replaceAll('{version}', version)
          : field.replace(PART, (text) => /^[^="]+\//.test(text) ? `${text}; ${param}=${version}` : text))
      }
    }
    return [url, version]
  }
}

/** A text as a regular expression that matches only it; `{version}` stays. */
function toPattern (text: string): string {
  return text.replace(/[.+*^$|]/g, '\\$&')
}
