import { show } from './errors.ts'
import { expandOptional, namesOf, parsePath } from './path-pattern.ts'

import type { ParametricNode, PathNode, WildcardNode } from './path-pattern.ts'
import type { RouterOptions } from './route-table.ts'
import type { ReverseArgs, ReverseKwargs } from '../types/index.d.ts'

type RouterLimits = Pick<RouterOptions, 'maxParamLength' | 'ignoreDuplicateSlashes'>

/** A place for parameters, and the ready text that follows it. */
interface Place {
  readonly names: readonly string[]
  readonly write: Writer
  readonly text: string
}

/** Reads the values of a place and makes text of them; null when they do not fit. */
type Writer = (values: Values) => string | null

/** The characters, by code, that need neither escaping nor a look at what they could do to a path. */
const PLAIN = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  PLAIN[character.charCodeAt(0)] = 1
}

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
  readonly #start: string
  readonly #places: readonly Place[]
  /** Whether a name stands twice in the path: the router keeps one value, and so do links. */
  readonly #hasTwins: boolean

  constructor (path: string, limits: RouterLimits) {
    const nodes = parsePath(limits.ignoreDuplicateSlashes ? path.replace(/\/{2,}/g, '/') : path)
    this.path = path
    this.names = nodes.flatMap(namesOf)
    this.#start = nodes[0].kind === 'static' ? encodeText(nodes[0].text) : ''
    this.#places = toPlaces(nodes, limits)
    this.#hasTwins = new Set(this.names).size < this.names.length
  }

  /**
   * The URL, or null when the parameters are not exactly the path's, or a value does not fit its place.
   *
   * @param args fill, in order, what `kwargs` leaves open
   * @param kwargs values by name
   * @param impliedName a parameter that has a value unless `kwargs` has one for it; null: none
   */
  fill (
    args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null = null, implied: string = ''
  ): string | null {
    if (impliedName !== null && !this.names.includes(impliedName)) return null
    if (this.#hasTwins && args.length > 0) return null
    const values = new Values(args, kwargs, impliedName, implied)
    let url = this.#start
    for (const place of this.#places) {
      const text = place.write(values)
      if (text === null) return null
      url += text + place.text
    }
    // Two slashes in front would name a host, not a path.
    return values.areUsedUpBy(this.names) && !url.startsWith('//') ? url : null
  }

  /** Why `fill` answers null, for a developer to read. */
  explain (args: ReverseArgs, kwargs: ReverseKwargs): string {
    const given = Object.keys(kwargs).filter((name) => isGiven(kwargs[name]))
    const open = this.names.filter((name) => !given.includes(name))
    const missing = open.filter((_, i) => !isGiven(args[i]))
    const unknown = given.filter((name) => !this.names.includes(name))
    const reasons: string[] = []
    if (missing.length > 0) reasons.push(`${quoted(missing)} missing`)
    if (unknown.length > 0) reasons.push(`${quoted(unknown)} unknown`)
    if (args.length > open.length) reasons.push(`${args.length - open.length} positional too many`)
    if (this.#hasTwins && args.length > 0) reasons.push('a name that stands twice takes no positional values')
    if (reasons.length === 0) {
      const values = this.names.map((name) => given.includes(name) ? kwargs[name] : args[open.indexOf(name)])
      reasons.push(...this.#misfits(values))
    }
    const takes = this.names.length === 0 ? 'no parameters' : quoted(this.names)
    return `${this.path} takes ${takes}: ${reasons.join(', ')}`
  }

  #misfits (values: readonly unknown[]): string[] {
    const misfits = this.names.filter((_, i) => toText(values[i]) === '')
    if (misfits.length === 0) {
      const all = new Values(values as ReverseArgs, {}, null, '')
      for (const { names, write } of this.#places) {
        if (write(all) === null) misfits.push(...names)
      }
    }
    if (misfits.length === 0) return ['the URL would start with two slashes']
    return misfits.map((name) => `"${name}" cannot be ${show(values[this.names.indexOf(name)])}`)
  }
}

/** The parameters of one link, read in the order of the path. */
class Values {
  readonly #args: ReverseArgs
  readonly #kwargs: ReverseKwargs
  readonly #impliedName: string | null
  readonly #implied: string
  #used = 0

  constructor (args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null, implied: string) {
    this.#args = args
    this.#kwargs = kwargs
    this.#impliedName = impliedName
    this.#implied = implied
  }

  /** The value of a parameter as text; `''` where there is none. */
  read (name: string): string {
    const value = Object.hasOwn(this.#kwargs, name) ? this.#kwargs[name] : undefined
    if (isGiven(value)) return toText(value)
    return name === this.#impliedName && value === undefined ? this.#implied : toText(this.#args[this.#used++])
  }

  /** Whether there is no value beyond those that the names have read. */
  areUsedUpBy (names: readonly string[]): boolean {
    if (this.#used < this.#args.length) return false
    for (const name in this.#kwargs) {
      if (!names.includes(name) && isGiven(this.#kwargs[name]) && Object.hasOwn(this.#kwargs, name)) return false
    }
    return true
  }
}

/** Whether a value is there to be used: null, undefined and the empty string fill no parameter. */
function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A value as text; `''` for one that fills no parameter. */
function toText (value: unknown): string {
  switch (typeof value) {
    case 'string': return value
    case 'number': return Number.isFinite(value) ? String(value) : ''
    case 'bigint':
    case 'boolean': return String(value)
    default: return ''
  }
}

function toPlaces (nodes: readonly PathNode[], limits: RouterLimits): Place[] {
  const places: Place[] = []
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'static') continue
    const before = nodes[i - 1]
    const after = nodes[i + 1]
    const segmentStart = before?.kind === 'static' ? before.text.slice(before.text.lastIndexOf('/') + 1) : ''
    const write = toWriter(node, segmentStart, i === 0, limits)
    places.push({ names: namesOf(node), write, text: after?.kind === 'static' ? encodeText(after.text) : '' })
  }
  return places
}

/**
 * @param segmentStart the static text that stands before the node in its segment
 * @param isWhole whether the path begins with the node
 */
function toWriter (
  node: ParametricNode | WildcardNode, segmentStart: string, isWhole: boolean, limits: RouterLimits
): Writer {
  if (node.kind === 'wildcard') return isWhole ? writeWholePath : toWildcardWriter(segmentStart)
  if (node.pattern === null) return toParameterWriter(node.names[0], segmentStart, limits.maxParamLength)
  return toMatchedWriter(node, node.pattern, segmentStart, limits.maxParamLength)
}

function toParameterWriter (name: string, segmentStart: string, maxLength: number): Writer {
  return function writeParameter (values) {
    const value = values.read(name)
    if (value === '' || value.length > maxLength) return null
    if (isPlain(value)) return value
    return isSafe(segmentStart + value) ? encodeURIComponent(value) : null
  }
}

function toMatchedWriter (node: ParametricNode, pattern: RegExp, segmentStart: string, maxLength: number): Writer {
  const { names, texts } = node
  const encodedTexts = texts.map(encodeText)
  return function writeMatched (values) {
    const parameters = names.map((name) => values.read(name))
    let decoded = ''
    let encoded = ''
    for (const [i, value] of parameters.entries()) {
      if (value === '' || value.length > maxLength || !value.isWellFormed()) return null
      decoded += value + texts[i]
      encoded += encodeURIComponent(value) + encodedTexts[i]
    }
    if (!isSafe(segmentStart + decoded)) return null
    // The router divides the text among the parameters by its own pattern; it must come to the same division.
    const match = pattern.exec(decoded)
    return match !== null && parameters.every((value, i) => match[i + 1] === value) ? encoded : null
  }
}

function toWildcardWriter (segmentStart: string): Writer {
  return function writeWildcard (values) {
    const value = values.read('*')
    return value !== '' && isSafe(segmentStart + value) ? encodeWildcard(value) : null
  }
}

/** The path `*` begins with its parameter, so that the value brings the leading slash along. */
function writeWholePath (values: Values): string | null {
  const value = values.read('*')
  return value.startsWith('/') && isSafe(value) ? `/${encodeWildcard(value.slice(1))}` : null
}

/** A slash between two segments stays; any other is escaped, for the router may drop or merge it. */
function encodeWildcard (value: string): string {
  return encodeURIComponent(value).replace(/(?<!^|%2F)%2F(?!%2F|$)/g, '/')
}

function isPlain (text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127 || PLAIN[code] === 0) return false
  }
  return true
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
