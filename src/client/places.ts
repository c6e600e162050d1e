import { parameterIn } from './fields.ts'
import { parseUrl } from './url.ts'

import type {
  AcceptPlace, ContentTypePlace, HeaderPlace, HostPlace, PathPlace, QueryPlace, VersionedFetchOptions
} from '../../types/client.d.ts'

/** The option `place` as one object. */
export type Place = Partial<AcceptPlace & ContentTypePlace & HeaderPlace & QueryPlace & PathPlace & HostPlace>

/**
 * Writes the version into a URL or into headers.
 *
 * @returns the version, or a version that the caller has written, false if the URL has no place for it, or '' if no
 * type of the request can carry it
 */
type Write = (url: URL, headers: Headers) => string | false | undefined | void

type Rules = Readonly<Record<string, { readonly test: (json: string) => boolean }>>

/** Functions that make a `Write` of the template of each place. The version needs no escaping. */
const WRITERS: Readonly<Record<
  string, (template: string, version: string, param: string, contentType?: boolean) => Write
>> = {
  accept (accept, version, param, contentType) {
    const [vendorType] = accept.match(/[^\s,;]+{version}[^\s,;]*/) ?? '\n'
    const pattern = new RegExp(escaped(vendorType!).replace('{version}', '([\\w.~-]+)'), 'i')
    const names = [accept && 'accept', contentType && 'content-type'].filter(Boolean) as string[]
    return (_, headers) => {
      const present = names.map((name) => headers.get(name)).join()
      const named = pattern.exec(present)?.[1] || parameterIn(present, param)
      if (named || (!accept && !present)) return named || ''
      for (const name of names) {
        const existing = headers.get(name)
        // `*` alone is no media type.
        const field = existing?.includes('/') ? existing : name === 'accept' && accept
        if (field) {
          headers.set(name, /{version}/.test(field)
            ? field.replaceAll('{version}', version)
            : field.replace(MEDIA_TYPE, (text) => /"/.test(text) ? text : `${text}; ${param}=${version}`))
        }
      }
    }
  },

  header (name, version) {
    return (_, headers) => headers.get(name) || headers.set(name, version)
  },

  query (name, version) {
    const parameter = `${encodeURIComponent(name)}=${version}`
    // URLSearchParams ignores a `?` in front, which may belong to the name, but not after `&`.
    const isOurs = (pair: string) => new URLSearchParams(`&${pair}`).has(name)
    return (url) => {
      const pairs = `${url.search}`.split(/^\?|&/).slice(1).map((pair) => isOurs(pair) ? parameter : pair)
      if (!pairs.includes(parameter)) pairs.push(parameter)
      url.search = '?' + pairs.join('&')
    }
  },

  path (template, version) {
    // A segment that differs from the version only in its numbers is a version. v7 looks like v1.0, but 7 not like 1.0.
    const numbered = escaped(version).replace(/\d+(\\.\d+)*/g, (_, dots, before) => (
      `\\d+(\\.\\d+)${dots && !before ? '+' : '*'}`
    ))
    const start = escaped(template).replace(/\/[^/]*$/, '($&)?').replace('{version}', numbered)
    const pattern = new RegExp(`^${start}(?![^/])`)
    const text = template.replace('{version}', version)
    return (url) => pattern.test(url.pathname = `${url.pathname}`.replace(pattern, text)) && version
  },

  host (template, version) {
    const pattern = new RegExp(`^([^.]+\\.)?${escaped(template.slice(10))}$`, 'i')
    const text = template.replace('{version}', version)
    return (url) => pattern.test(url.hostname = `${url.hostname}`.replace(pattern, text)) && version
  }
}

/** The forms of the options of a place as JSON. */
const TEMPLATES: Rules = {
  accept: /^"(?!.*\\\w).+\/.+"$/,
  header: /^"[\w-]+"$/,
  query: /^"[^"\\]+"$/,
  path: /^"(\/\w[\w.~-]*)*\/[\w.~-]*{version}[\w.~-]*"$/,
  host: /^"{version}(\.[\w-]+)+"$/,
  param: /^"[\w-]+"$/,
  // True, false or undefined.
  contentType: /^[uft]/
}

/** A quoted string, or a type (RFC 9110, section 12.5.1). */
const MEDIA_TYPE = /"(?:[^"\\]|\\[^])*"?|[^,;"]+\/[^\s,;"]*/g

/**
 * Checks the options, and makes the function that writes the version.
 *
 * @throws TypeError naming the option that is wrong or unknown
 */
export function toWriter ({ version, place, ...others }: VersionedFetchOptions): Write {
  const { contentType, param = 'version', ...template } = Object(place) as Place
  const [name = contentType && 'accept'] = Object.keys(template)
  checkRules({
    version: template.host ? /^"[a-z\d-]+"$/ : /^"\w[\w.~-]*"$/,
    place: { test: () => !!name && !Object.keys(name === 'accept' ? template : place as object)[1] },
    onNotice: /^u/,
    origins: { test: (json) => json === JSON.stringify(others.origins?.map?.((origin) => parseUrl(origin)?.origin)) }
  }, { version, place, ...others })
  checkRules(TEMPLATES, { contentType, param, ...template })
  return WRITERS[name as string](template[name as never] ?? '', version, param, contentType)
}

/** Checks options as JSON, where a function is undefined. */
function checkRules (rules: Rules, options: Record<string, unknown>): void {
  for (const option in options) {
    const text = JSON.stringify(options[option])
    if (!rules[option]?.test(text)) throw new TypeError(`Invalid "${option}": ${text}`)
  }
}

/** Returns a text as a regular expression that matches only the text. `{version}` stays. */
function escaped (text: string): string {
  return text.replace(/[.+*^$|]/g, '\\$&')
}
