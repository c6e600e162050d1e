interface Page { document?: { baseURI: string }, location?: { href: string } }

/** Writes the version into a URL; null: the URL has no place for it. */
export type WriteUrl = (url: string) => string | null

/** What begins with a host or a slash and means what it says: without spaces, backslashes and dot segments. */
const PLAIN_URL =
  /^((?:https?:)?\/\/[^\s\\/?#]+|(?=\/(?!\/)))((?:(?!\/(?:\.|%2e){1,2}(?:[/?#]|$))[^\s\\?#])*)([?#]\S*)?$/i

/** A URL, relative to a base where there is one; undefined: it is none. */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    return new URL(url, base)
  } catch {}
}

/** A URL as `fetch` understands it, which in a browser may be relative. */
export function resolve (url: string): URL | undefined {
  const { document, location } = globalThis as Page
  return parseUrl(url, document?.baseURI ?? location?.href)
}

/** Origin and pathname of a URL, which a log may show; of one that cannot be resolved what is before the query. */
export function pageOf (url: string): string {
  const { origin = '', pathname = url.split(/[?#]/)[0] } = resolve(url) ?? {}
  return origin + pathname
}

/** @param name the decoded name of the parameter */
export function toQueryWriter (version: string, name: string): WriteUrl {
  const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(version)}`
  return function writeQuery (url) {
    const [, path, query = '', fragment] = /^([^?#]*)(?:\?([^#]*))?([^]*)$/.exec(url.trim()) as RegExpExecArray
    const pairs = query ? query.split('&') : []
    // With `&` in front, a `?` that begins a name is part of it.
    const isOurs = pairs.map((pair) => new URLSearchParams(`&${pair}`).has(name))
    const first = isOurs.indexOf(true)
    if (first < 0) pairs.push(parameter)
    else pairs[first] = parameter
    return `${path}?${pairs.filter((_, i) => i === first || !isOurs[i]).join('&')}${fragment}`
  }
}

/**
 * @param template a path whose last segment holds `{version}`
 * @param versions those that a segment may hold; undefined: all that look like the own one
 */
export function toPathWriter (version: string, template: string, versions?: readonly string[]): WriteUrl {
  const base = template.slice(0, template.lastIndexOf('/'))
  const [start, end] = template.slice(base.length).split('{version}')
  const own = toPattern(encodeURIComponent(version))
  const known = versions
    ? [version, ...versions].map((one) => toPattern(encodeURIComponent(one))).join('|')
    : own.replace(/\d+(?:\\\.\d+)*/g, '\\d+(?:\\.\\d+)*')
  const segment = new RegExp(`^${toPattern(start)}(?:${known})${toPattern(end)}(?![^/])`, 'i')
  return function writePath (url) {
    const [, origin, path, rest = ''] = partsOf(url) ?? []
    if (!`${path}/`.startsWith(`${base}/`)) return null
    return origin + base + start + encodeURIComponent(version) + end + path.slice(base.length).replace(segment, '') + rest
  }
}

/** @param template `{version}` and the rest of the host */
export function toHostWriter (version: string, template: string): WriteUrl {
  const rest = template.slice('{version}.'.length)
  const host = new RegExp(`^((?:https?:)?//(?:.*@)?)(?:[^.:@/]+\\.)?(${toPattern(rest)}(?::\\d*)?)$`, 'i')
  return function writeHost (url) {
    const [, origin, path, query = ''] = partsOf(url, true) ?? []
    const written = host.test(origin) ? origin.replace(host, `$1${version}.$2`) : null
    return written && written + path + query
  }
}

/** The host with what is before it, the path, and the rest; a URL that does not say it plainly is resolved. */
function partsOf (url: string, needsHost?: boolean): RegExpExecArray | null {
  const parts = PLAIN_URL.exec(url)
  return parts && (parts[1] || !needsHost) ? parts : PLAIN_URL.exec(resolve(url)?.href ?? '')
}

/** A text as a regular expression that matches only it. */
function toPattern (text: string): string {
  return text.replace(/[^\w%/]/g, '\\$&')
}
