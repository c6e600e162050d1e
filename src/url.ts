import { show } from './errors.ts'
import { expandOptional, namesOf, parsePath } from './path-pattern.ts'

import type { ParametricNode, PathNode, WildcardNode } from './path-pattern.ts'
import type { RouterOptions } from './route-table.ts'
import type { ReverseArgs, ReverseKwargs } from '../types/index.d.ts'

type RouterLimits = Pick<RouterOptions, 'maxParamLength' | 'ignoreDuplicateSlashes'>

/** A part of a URL: ready text, or a place for the parameters `names`, the first of them at index `first`. */
type Part = string | Place

interface Place {
  readonly names: readonly string[]
  readonly first: number
  readonly write: Writer
}

/** Text for the parameters from `first` on; null when the values do not fit. */
type Writer = (values: readonly string[], first: number) => string | null

/** Values that need neither escaping nor a look at what they could do to a path. */
const PLAIN = /^[\w-]+$/

/** A dot segment as a server may see it that decodes once more, or takes a backslash for a slash. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i

/**
 * Compiles the path of a route into templates, one for each set of parameters that it takes:
 * `/bookings/:id?` has two.
 *
 * @param path a path as Fastify registers it, prefix included
 * @throws SyntaxError or TypeError for a pattern that is no regular expression
 */
export function compile (path: string, limits: RouterLimits): UrlTemplate[] {
  return expandOptional(path).map((one) => new UrlTemplate(one, limits))
}

/** A path that can be filled: `/bookings/:id` with `{ id: 7 }` is `/bookings/7`. */
export class UrlTemplate {
  readonly path: string
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  readonly #known: ReadonlySet<string>
  readonly #parts: readonly Part[]

  constructor (path: string, limits: RouterLimits) {
    const nodes = parsePath(limits.ignoreDuplicateSlashes ? path.replace(/\/{2,}/g, '/') : path)
    this.path = path
    this.names = nodes.flatMap(namesOf)
    this.#known = new Set(this.names)
    this.#parts = toParts(nodes, limits)
  }

  /**
   * The URL, or null when the parameters are not exactly the path's, or a value does not fit its place.
   *
   * @param args fill, in order, what `kwargs` leaves open
   * @param kwargs values by name
   */
  fill (args: ReverseArgs, kwargs: ReverseKwargs): string | null {
    const values: string[] = []
    let used = 0
    for (const name of this.names) {
      const value = toText(Object.hasOwn(kwargs, name) && isGiven(kwargs[name]) ? kwargs[name] : args[used++])
      if (value === null) return null
      values.push(value)
    }
    if (used < args.length) return null
    for (const name in kwargs) {
      if (!this.#known.has(name) && Object.hasOwn(kwargs, name) && isGiven(kwargs[name])) return null
    }
    return this.#write(values)
  }

  /** Why `fill` answers null, for a developer to read. */
  explain (args: ReverseArgs, kwargs: ReverseKwargs): string {
    const given = Object.keys(kwargs).filter((name) => isGiven(kwargs[name]))
    const open = this.names.filter((name) => !given.includes(name))
    const missing = open.filter((_, i) => !isGiven(args[i]))
    const unknown = given.filter((name) => !this.#known.has(name))
    const reasons: string[] = []
    if (missing.length > 0) reasons.push(`${quoted(missing)} missing`)
    if (unknown.length > 0) reasons.push(`${quoted(unknown)} unknown`)
    if (args.length > open.length) reasons.push(`${args.length - open.length} positional too many`)
    if (reasons.length === 0) {
      const values = this.names.map((name) => given.includes(name) ? kwargs[name] : args[open.indexOf(name)])
      reasons.push(...this.#misfits(values))
    }
    const takes = this.names.length === 0 ? 'no parameters' : quoted(this.names)
    return `${this.path} takes ${takes}: ${reasons.join(', ')}`
  }

  #misfits (values: readonly unknown[]): string[] {
    const texts = values.map(toText)
    const misfits = this.names.filter((_, i) => texts[i] === null)
    if (misfits.length === 0) {
      for (const part of this.#parts) {
        if (typeof part !== 'string' && part.write(texts as string[], part.first) === null) misfits.push(...part.names)
      }
    }
    if (misfits.length === 0) return ['the URL would start with two slashes']
    return misfits.map((name) => `"${name}" cannot be ${show(values[this.names.indexOf(name)])}`)
  }

  #write (values: readonly string[]): string | null {
    let url = ''
    for (const part of this.#parts) {
      if (typeof part === 'string') {
        url += part
        continue
      }
      const text = part.write(values, part.first)
      if (text === null) return null
      url += text
    }
    // Two slashes in front would name a host, not a path.
    return url.startsWith('//') ? null : url
  }
}

/** Whether a value is there to be used: null, undefined and the empty string fill no parameter. */
function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function toText (value: unknown): string | null {
  switch (typeof value) {
    case 'string': return value === '' ? null : value
    case 'number': return Number.isFinite(value) ? String(value) : null
    case 'bigint':
    case 'boolean': return String(value)
    default: return null
  }
}

function toParts (nodes: readonly PathNode[], limits: RouterLimits): Part[] {
  const parts: Part[] = []
  let first = 0
  let segmentStart = ''
  for (const node of nodes) {
    if (node.kind === 'static') {
      parts.push(encodeText(node.text))
      segmentStart = node.text.slice(node.text.lastIndexOf('/') + 1)
    } else {
      const names = namesOf(node)
      parts.push({ names, first, write: toWriter(node, segmentStart, parts.length === 0, limits) })
      first += names.length
    }
  }
  return parts
}

/**
 * @param segmentStart the static text that stands before the node in its segment
 * @param isWhole whether the path begins with the node
 */
function toWriter (node: ParametricNode | WildcardNode, segmentStart: string, isWhole: boolean, limits: RouterLimits) {
  if (node.kind === 'wildcard') return isWhole ? writeWholePath : toWildcardWriter(segmentStart)
  if (node.pattern === null) return toParameterWriter(segmentStart, limits.maxParamLength)
  return toMatchedWriter(node, node.pattern, segmentStart, limits.maxParamLength)
}

function toParameterWriter (segmentStart: string, maxLength: number): Writer {
  return function writeParameter (values, first) {
    const value = values[first]
    if (value.length > maxLength) return null
    if (PLAIN.test(value)) return value
    return isSafe(segmentStart + value) ? encodeURIComponent(value) : null
  }
}

function toMatchedWriter (node: ParametricNode, pattern: RegExp, segmentStart: string, maxLength: number): Writer {
  const { names, texts } = node
  const encodedTexts = texts.map(encodeText)
  return function writeMatched (values, first) {
    let decoded = ''
    let encoded = ''
    for (let i = 0; i < names.length; i++) {
      const value = values[first + i]
      if (value.length > maxLength || !value.isWellFormed()) return null
      decoded += value + texts[i]
      encoded += encodeURIComponent(value) + encodedTexts[i]
    }
    if (!isSafe(segmentStart + decoded)) return null
    // The router divides the text among the parameters by its own pattern; it must come to the same division.
    const match = pattern.exec(decoded)
    return match !== null && names.every((_, i) => match[i + 1] === values[first + i]) ? encoded : null
  }
}

function toWildcardWriter (segmentStart: string): Writer {
  return function writeWildcard (values, first) {
    const value = values[first]
    return isSafe(segmentStart + value) ? encodeWildcard(value) : null
  }
}

/** The path `*` begins with its parameter, so that the value brings the leading slash along. */
function writeWholePath (values: readonly string[], first: number): string | null {
  const value = values[first]
  return value.startsWith('/') && isSafe(value) ? `/${encodeWildcard(value.slice(1))}` : null
}

/** A slash between two segments stays; any other is escaped, for the router may drop or merge it. */
function encodeWildcard (value: string): string {
  return encodeURIComponent(value).replace(/(?<!^|%2F)%2F(?!%2F|$)/g, '/')
}

function isSafe (text: string): boolean {
  return text.isWellFormed() && !DOT_SEGMENT.test(text)
}

/** `?` and `#` would end the path; the router never matches them in one, but the URL stays harmless. */
function encodeText (text: string): string {
  return encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}

function quoted (names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}
