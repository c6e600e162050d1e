import { show } from '../messages.ts'
import { parsePath } from './pattern.ts'
import { routerOf } from './router.ts'

import type { RouterOptions } from '../fastify/router-options.ts'
import type { ParsedPath } from './pattern.ts'
import type { Router } from './router.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/** The values that fill a path. */
export interface Values {
  /** The values of the parameters without a name in `kwargs`, in the order of the path. */
  readonly args: ReverseArgs | null
  readonly kwargs: ReverseKwargs
  /** The parameter of the version, which takes none of `args`, or null. */
  readonly versionParam: string | null
  /** The value of this parameter, whatever `kwargs` say; null for the value in `kwargs`. */
  readonly version: string | null
}

/** A dot segment, also for a server that decodes the path once more, or that takes a backslash for a slash. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i
/** Texts that the router may read in another way than they look: they end a path, or are escapes or double slashes. */
const DOUBTFUL = /[?#;%]|\/\//
/** A value that is the same in a URL, wherever it stands. A segment with such a value is no dot segment. */
const PLAIN = /^[\w~-][\w.~-]*$/

/** A path that can be filled: `/bookings/:id` with `{ id: 7 }` is `/bookings/7`. */
export class Template {
  readonly path: string
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  readonly #parsed: ParsedPath
  /** The texts between the parameters. */
  readonly #encoded: readonly string[]
  readonly #maxLength: number
  /** A router with this path alone, which tells whether values come back from a URL; null if all values do. */
  readonly #router: Router | null
  /** Whether plain values make a URL without further checks. */
  readonly #isSafe: boolean

  /** @param path a path as Fastify registers it, optional parameters expanded */
  constructor (path: string, options: RouterOptions) {
    const { texts, params } = this.#parsed = parsePath(path)
    this.path = path
    this.names = params.map(({ name }) => name)
    this.#encoded = texts.map((text) => encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent))
    this.#maxLength = options.maxParamLength
    this.#router = readsWholeSegments(path, this.#parsed, options) ? null : routerOf([path], options)
    this.#isSafe = this.#router === null && path.startsWith('/') && !DOT_SEGMENT.test(texts.join('x'))
  }

  /** Returns the URL, or null if the parameters are not exactly the path's, or would not come back as they are. */
  fill (values: Values): string | null {
    const { names } = this
    const { versionParam, version } = values
    const kwargs = values.args === null ? values.kwargs : this.toKwargs(values)
    let url = this.#encoded[0]
    let isSafe = this.#isSafe
    for (let i = 0; i < names.length; i++) {
      const name = names[i]
      const value = name === versionParam && version !== null ? version : kwargs[name]
      const isPlain = typeof value === 'string' && value.length <= this.#maxLength && PLAIN.test(value)
      const encoded = isPlain ? value : this.#encode(name, value)
      if (encoded === null) return null
      isSafe &&= isPlain
      url += encoded + this.#encoded[i + 1]
    }
    if (version !== null && !names.includes(versionParam as string)) return null
    for (const name in kwargs) {
      if (!names.includes(name) && isGiven(kwargs[name]) && Object.hasOwn(kwargs, name)) return null
    }
    return isSafe || this.#altered(url, this.toKwargs(values)).length === 0 ? url : null
  }

  /** Returns the parameters whose values do not come back from a URL, or the URL itself if no link may be like it. */
  #altered (url: string, kwargs: ReverseKwargs): readonly string[] {
    const texts = this.names.map((name) => valueText(kwargs[name]))
    // Two slashes at its start would name a host (RFC 3986, section 4.2).
    if (!url.startsWith('/') || url.startsWith('//') || DOT_SEGMENT.test(this.#textOf(texts))) return [url]
    if (this.#router === null) return []
    const read = this.#router.find('GET', url)
    return read === null ? [url] : this.names.filter((name, i) => read.params[name] !== texts[i])
  }

  /** Returns all values by name: a value too many is called `args[1]`, which no path has. */
  toKwargs ({ args, kwargs, versionParam, version }: Values): ReverseKwargs {
    const merged = versionParam === null || version === null ? kwargs : { ...kwargs, [versionParam]: version }
    if (args === null) return merged
    const names = [...new Set(this.names)].filter((name) => name !== versionParam && !Object.hasOwn(kwargs, name))
    // An empty text fills nothing, not even a wildcard.
    const named = args.map((value, i) => [names[i] ?? `args[${i}]`, value === '' ? null : value])
    return { ...Object.fromEntries(named), ...merged }
  }

  /** Returns why `fill` returns null: the parameters that are missing, unknown, or have a value that does not fit. */
  explain (values: Values): string {
    const { names, path } = this
    const kwargs = this.toKwargs(values)
    const unknown = Object.keys(kwargs).filter((name) => !names.includes(name) && isGiven(kwargs[name]))
    const missing = names.filter((name) => !isGiven(kwargs[name]))
    const reasons = [...missing.map((name) => `"${name}" missing`), ...unknown.map((name) => `"${name}" unknown`)]
    const unfit = reasons.length > 0 ? [] : this.#unfit(kwargs, values.versionParam)
    reasons.push(...unfit.map((name) => `"${name}" cannot be ${show(kwargs[name])}`))
    return `${path} (${reasons.join(', ')})`
  }

  /** Returns the parameters at fault. If values do not fit together, the version fits: it is a segment by itself. */
  #unfit (kwargs: ReverseKwargs, versionParam: string | null): readonly string[] {
    const { names } = this
    const texts = names.map((name) => valueText(kwargs[name]))
    const encoded = names.map((name) => this.#encode(name, kwargs[name]))
    const unfit = names.filter((_, i) => {
      const alone = texts.map((text, at) => at === i ? text : 'x')
      const isMatch = this.#parsed.params[i].pattern?.test(texts[i]) !== false
      return encoded[i] === null || !isMatch || DOT_SEGMENT.test(this.#textOf(alone))
    })
    const altered = this.#altered(this.#encoded.map((text, i) => text + (encoded[i] ?? '')).join(''), kwargs)
    const others = names.filter((name) => name !== versionParam)
    return [unfit, others.filter((name) => altered.includes(name)), others].find((some) => some.length > 0) ?? names
  }

  /** Returns the path with texts in place of its parameters. */
  #textOf (texts: readonly string[]): string {
    return this.#parsed.texts.map((text, i) => text + (texts[i] ?? '')).join('')
  }

  /** Encodes a value; null for a value that never fits. A wildcard may be empty, and keeps its slashes. */
  #encode (name: string, value: unknown): string | null {
    const text = valueText(value)
    const isWildcard = name === '*'
    const isMissing = text === '' && (!isWildcard || value !== '')
    if (isMissing || (text.length > this.#maxLength && !isWildcard) || !text.isWellFormed()) return null
    const encoded = encodeURIComponent(text)
    return isWildcard ? encoded.replaceAll('%2F', '/') : encoded
  }
}

/** Tells whether each parameter takes the rest of its segment as it is, whatever the value. */
function readsWholeSegments (path: string, { texts, params }: ParsedPath, options: RouterOptions): boolean {
  // Where case is ignored, the router loses its place behind `İ`, the one letter that is two in lower case.
  if (!options.caseSensitive || DOUBTFUL.test(path)) return false
  const isMerging = options.ignoreDuplicateSlashes || options.ignoreTrailingSlash
  return params.every(({ name, pattern }, i) => {
    const isRest = texts[i + 1].startsWith('/') || (texts[i + 1] === '' && i === params.length - 1)
    return name === '*' ? !isMerging : pattern === null && isRest
  })
}

/** Tells whether a value fills a parameter: null, undefined and the empty string do not. */
function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Returns a value as text, or `''` for a value that fills no parameter. */
export function valueText (value: unknown): string {
  if (typeof value === 'string') return value
  return Number.isFinite(value) || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : ''
}
