import { parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

import type { Place } from './options.ts'

/** Headers of a request, or what is as good. */
export interface Fields {
  get (name: string): string | null | undefined
  set (name: string, value: string): void
}

/** Writes the version into a URL, or into the headers, and returns the URL and the version that the request names. */
export type WriteVersion = (url: string, headers: Fields) => [url: string, version: string]

/** A quoted string, or what is between separators: a type or a parameter (RFC 9110, section 12.5.1). */
const PART = /"(?:[^"\\]|\\[^])*"?|[^\s,;"]+/g

/** A URL that means what its text looks like, from its host on. */
const PLAIN_URL = /^(?:https?:)?\/\/(?!\/|.*(?:\/\.|[\s\\]))/i

/** @param version has no character that needs an escape */
export function toPlaceWriter (
  version: string, { accept = '', contentType, param = 'version', header, query, path, host = '' }: Place
): WriteVersion {
  if (header) {
    return (url, headers) => {
      if (!headers.get(header)) headers.set(header, version)
      return [url, headers.get(header) as string]
    }
  }
  if (accept) return toMediaTypeWriter(version, accept, param, contentType)

  const toUrlWriter = (pattern: string, write: string | ((...groups: string[]) => string)): WriteVersion => (url) => [
    ((!PLAIN_URL.test(url) && parseUrl(url)?.href) || url).replace(new RegExp(pattern, 'i'), write as string), version
  ]
  if (query) {
    const parameter = `${encodeURIComponent(query)}=${version}`
    // With `&` in front, a `?` that begins a name is part of it.
    const isOurs = (pair: string) => new URLSearchParams(`&${pair}`).has(query)
    return toUrlWriter('^(?!(?!https?:)\\w+:)([^?#]*)\\??([^#]*)', (_, start, text) => {
      const pairs = text ? text.split('&') : []
      if (!pairs.some(isOurs)) pairs.push(parameter)
      return `${start}?${pairs.map((pair) => isOurs(pair) ? parameter : pair).join('&')}`
    })
  }
  const origin = '(?:https?:)?//'
  if (path) {
    const at = path.lastIndexOf('/')
    // What looks like the own version is one, with other numbers; 7 does not look like 1.0, but v7 like v1.0.
    const known = toPattern(version).replace(/\d+(\\.\d+)*/g, (_, dots, before) => (
      `\\d+(\\.\\d+)${dots && !before ? '+' : '*'}`
    ))
    const [base, segment] = [path.slice(0, at), path.slice(at)].map(toPattern)
    return toUrlWriter(
      `^((?:${origin}[^/?#]+)?${base})(?:${segment.replace('{version}', known)})?(?![^/?#])`,
      `$1${path.slice(at).replace('{version}', version)}`
    )
  }
  return toUrlWriter(
    `^(${origin}(?:[^/?#]*@)?)(?:[^/?#:.@]+\\.)?(?=${toPattern(host.slice(10))}(?![^:/?#]))`, `$1${version}.`
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
