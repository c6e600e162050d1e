import { show } from '../messages.ts'
import { isPlain } from '../http/uri.ts'
import { expandOptional, mergeSlashes, namesOf, parsePath } from './pattern.ts'

import type { ParametricNode, PathNode, RouterOptions, WildcardNode } from './pattern.ts'
import type { ReverseArgs, ReverseKwargs } from '../../types/index.d.ts'

/** The options of the router that a link has to respect. */
type Limits = Pick<RouterOptions, 'maxParamLength' | 'ignoreDuplicateSlashes'>

/** Makes text for a URL of a value; null when the value does not fit. */
type Writer = (value: string) => string | null

/** The gap that one parameter fills in a path, and the ready text that follows it. */
interface Gap {
  readonly name: string
  /** Whether a parameter before it has the same name: the router keeps one value of the two, and so do links. */
  readonly isRepeated: boolean
  /** Up to which length a value of plain characters is used without further checks; -1 for none. */
  readonly plainLength: number
  readonly write: Writer
  readonly text: string
}

/** Parameters that share a segment whose pattern divides it among them. */
interface SharedSegment {
  /** Index of the first one among the gaps. */
  readonly first: number
  readonly node: ParametricNode
  readonly pattern: RegExp
  /** The static text before them in their segment. */
  readonly segmentStart: string
}

/** Fills a path with plain values, which need no escapes. */
export interface PlainTemplate {
  readonly start: string
  /** How many parameters the path has. */
  readonly count: number
  /** Those without a value. */
  readonly gaps: readonly Pick<Gap, 'name' | 'plainLength' | 'text'>[]
}

const NONE: readonly string[] = Object.freeze([])

/** A dot segment as a server may see it that decodes once more, or takes a backslash for a slash. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i

/**
 * Compiles the path of a route into templates, one for each set of parameters that it takes:
 * `/bookings/:id?` has two.
 *
 * @param path a path as Fastify registers it, prefix included
 * @throws SyntaxError or TypeError for a pattern that is not a regular expression
 */
export function compile (path: string, limits: Limits): UrlTemplate[] {
  return expandOptional(path).map((one) => new UrlTemplate(one, limits))
}

/** A path that can be filled: `/bookings/:id` with `{ id: 7 }` is `/bookings/7`. */
export class UrlTemplate {
  readonly path: string
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  readonly #start: string
  readonly #gaps: readonly Gap[]
  readonly #shared: readonly SharedSegment[]
  readonly #hasRepeated: boolean
  /** Whether the URL would start with two slashes, which name a host. */
  readonly #isUnlinkable: boolean

  constructor (path: string, limits: Limits) {
    const nodes = parsePath(limits.ignoreDuplicateSlashes ? mergeSlashes(path) : path)
    this.path = path
    this.names = nodes.flatMap(namesOf)
    this.#start = encodeText(textOf(nodes[0]))
    this.#isUnlinkable = this.#start.startsWith('//')
    this.#gaps = toGaps(nodes, limits.maxParamLength)
    this.#shared = toSharedSegments(nodes)
    this.#hasRepeated = this.#gaps.some(({ isRepeated }) => isRepeated)
  }

  /**
   * The URL, or null when the parameters are not exactly the path's, or a value does not fit.
   *
   * @param args fill, in order, what `kwargs` leaves open
   * @param kwargs values by name
   * @param impliedName a parameter of the path that has the value `implied` unless `kwargs` has one, or null
   * @param empty parameters without a text, which a request may have
   */
  fill (
    args: ReverseArgs, kwargs: ReverseKwargs, impliedName: string | null = null, implied: string = '',
    empty: readonly string[] = NONE
  ): string | null {
    if (this.#isUnlinkable || (this.#hasRepeated && args.length > 0)) return null
    const gaps = this.#gaps
    const values: string[] | null = this.#shared.length === 0 ? null : []
    let url = this.#start
    let isImpliedOpen = impliedName !== null
    let named = 0
    let positional = 0
    // An index, because an iterator costs as much as the rest of the loop.
    for (let i = 0; i < gaps.length; i++) {
      const { name, isRepeated, plainLength, write, text } = gaps[i]
      const isImplied = name === impliedName
      if (isImplied) isImpliedOpen = false
      // What any object inherits, such as `constructor`, is never text.
      let value = toText(kwargs[name])
      if (value !== '') named += isRepeated ? 0 : 1
      else if (isImplied && !isSet(kwargs, name)) value = implied
      else if (!empty.includes(name)) value = toText(args[positional++])
      if (value === '' && !empty.includes(name)) return null
      const written = value.length <= plainLength && isPlain(value) ? value : write(value)
      if (written === null) return null
      url += written + text
      values?.push(value)
    }
    const isExact = Object.keys(kwargs).length === named || givenIn(kwargs).length === named
    if (!isExact || isImpliedOpen || (positional < args.length && args.slice(positional).some(isGiven))) return null
    return values === null || this.#shared.every((segment) => fits(segment, values)) ? url : null
  }

  /**
   * A template for plain values, which takes a third of the time, or null if the path is more than plain segments.
   *
   * @param name a parameter that always has the same value, or null
   */
  toPlain (name: string | null, value: string): PlainTemplate | null {
    if (this.#isUnlinkable || this.#hasRepeated || this.#shared.length > 0) return null
    let start = this.#start
    const gaps: { name: string, plainLength: number, text: string }[] = []
    for (const gap of this.#gaps) {
      const { plainLength, text } = gap
      if (gap.name !== name) {
        gaps.push({ name: gap.name, plainLength, text })
      } else {
        const written = gap.write(value)
        if (written === null) return null
        const last = gaps.at(-1)
        if (last === undefined) start += written + text
        else last.text += written + text
      }
    }
    return { start, count: this.names.length, gaps }
  }

  /** Whether the parameters with a text are exactly the path's, even if a value does not fit. */
  takes (kwargs: ReverseKwargs): boolean {
    const given = Object.keys(kwargs).filter((name) => kwargs[name] !== undefined && typeof kwargs[name] !== 'object')
    return given.every((name) => this.names.includes(name)) && this.names.every((name) => given.includes(name))
  }

  /** Why `fill` returns null, for a developer to read. */
  explain (args: ReverseArgs, kwargs: ReverseKwargs): string {
    const given = givenIn(kwargs)
    const open = this.names.filter((name) => !given.includes(name))
    const missing = open.filter((_, i) => !isGiven(args[i]))
    const unknown = given.filter((name) => !this.names.includes(name))
    const reasons: string[] = []
    if (missing.length > 0) reasons.push(`${quoted(missing)} missing`)
    if (unknown.length > 0) reasons.push(`${quoted(unknown)} unknown`)
    const surplus = args.slice(open.length).filter(isGiven).length
    if (surplus > 0) reasons.push(`${surplus} positional too many`)
    if (this.#hasRepeated && args.length > 0) reasons.push('a name that stands twice takes no positional values')
    if (reasons.length === 0) {
      const values = this.names.map((name) => given.includes(name) ? kwargs[name] : args[open.indexOf(name)])
      reasons.push(...this.#misfits(values))
    }
    const takes = this.names.length === 0 ? 'no parameters' : quoted(this.names)
    return `${this.path} takes ${takes}: ${reasons.join(', ')}`
  }

  #misfits (values: readonly unknown[]): string[] {
    if (this.#isUnlinkable) return ['the URL would start with two slashes']
    const texts = values.map(toText)
    const misfits = this.#gaps.filter(({ write }, i) => texts[i] === '' || write(texts[i]) === null)
    const shared = misfits.length > 0 ? [] : this.#shared.filter((segment) => !fits(segment, texts))
    const names = [...misfits.map(({ name }) => name), ...shared.flatMap(({ node }) => node.names)]
    return names.map((name) => `"${name}" cannot be ${show(values[this.names.indexOf(name)])}`)
  }
}

/**
 * The URL for the parameters of a request, or null if they are not all plain: then `fill` may find one.
 *
 * @param kwargs with a value for each parameter of the path
 */
export function fillPlain ({ start, count, gaps }: PlainTemplate, kwargs: ReverseKwargs): string | null {
  let url = start
  for (let i = 0; i < gaps.length; i++) {
    const { name, plainLength, text } = gaps[i]
    const value = kwargs[name]
    if (typeof value !== 'string' || value === '' || value.length > plainLength || !isPlain(value)) return null
    url += value + text
  }
  return Object.keys(kwargs).length === count ? url : null
}

/**
 * The parameters without a text, of all that the router has taken from a URL.
 *
 * @param given the parameters that the caller gives instead; only the wildcard may be empty
 */
export function emptyIn (params: ReverseKwargs, given?: ReverseKwargs): readonly string[] {
  let empty = NONE
  for (const name in params) {
    if (params[name] !== '') continue
    if (name === '*' || given === undefined || !Object.hasOwn(given, name)) empty = [...empty, name]
  }
  return empty
}

/** Whether a value is there to be used: null, undefined and the empty string fill no parameter. */
function isGiven (value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A value as text; `''` for one that fills no parameter. */
export function toText (value: unknown): string {
  switch (typeof value) {
    case 'string': return value
    case 'number': return Number.isFinite(value) ? String(value) : ''
    case 'bigint':
    case 'boolean': return String(value)
    default: return ''
  }
}

function isSet (kwargs: ReverseKwargs, name: string): boolean {
  return kwargs[name] !== undefined && Object.hasOwn(kwargs, name)
}

/** The names that have a value. */
function givenIn (kwargs: ReverseKwargs): string[] {
  return Object.keys(kwargs).filter((name) => isGiven(kwargs[name]))
}

function quoted (names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}

/** The gaps that the parameters of a path fill, in its order. */
function toGaps (nodes: readonly PathNode[], maxParamLength: number): Gap[] {
  const gaps: Gap[] = []
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'static') continue
    const names = namesOf(node)
    const segmentStart = segmentStartOf(nodes[i - 1])
    // A `%` in front could make an escape of plain characters, an empty text leaves a dot segment as it is, and a whole
    // path has to begin with a slash.
    const isPlainWritten = i > 0 && !segmentStart.includes('%') && isSafe(segmentStart)
    const plainLength = isPlainWritten ? maxParamLength : -1
    const write = toWriter(node, segmentStart, i === 0, maxParamLength)
    for (const [j, name] of names.entries()) {
      const isRepeated = gaps.some((gap) => gap.name === name)
      const own = node.kind === 'parametric' ? node.texts[j] : ''
      const text = j === names.length - 1 ? own + textOf(nodes[i + 1]) : own
      gaps.push({ name, isRepeated, plainLength, write, text: encodeText(text) })
    }
  }
  return gaps
}

/** The segments of a path that hold parameters with a pattern. */
function toSharedSegments (nodes: readonly PathNode[]): SharedSegment[] {
  const shared: SharedSegment[] = []
  let first = 0
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'parametric' && node.pattern !== null) {
      shared.push({ first, node, pattern: node.pattern, segmentStart: segmentStartOf(nodes[i - 1]) })
    }
    first += namesOf(node).length
  }
  return shared
}

/** The static text before a node in its segment. */
function segmentStartOf (before: PathNode | undefined): string {
  const text = textOf(before)
  return text.slice(text.lastIndexOf('/') + 1)
}

function textOf (node: PathNode | undefined): string {
  return node?.kind === 'static' ? node.text : ''
}

/** Whether the router divides the text of a segment among its parameters as the values do. */
function fits ({ first, node, pattern, segmentStart }: SharedSegment, values: readonly string[]): boolean {
  const { names, texts } = node
  const own = values.slice(first, first + names.length)
  const text = own.map((value, i) => value + texts[i]).join('')
  const match = isSafe(segmentStart + text) ? pattern.exec(text) : null
  return match !== null && own.every((value, i) => match[i + 1] === value)
}

/**
 * @param segmentStart the static text before the node in its segment
 * @param isWhole whether the path begins with the node
 */
function toWriter (
  node: ParametricNode | WildcardNode, segmentStart: string, isWhole: boolean, maxLength: number
): Writer {
  if (node.kind === 'parametric') {
    // Whether the whole segment of several parts is safe is checked by `fits`, once all parts of it are there.
    const isPart = node.pattern !== null
    return function writeParameter (value) {
      if (value.length > maxLength) return null
      return (isPart ? value.isWellFormed() : isSafe(segmentStart + value)) ? encodeURIComponent(value) : null
    }
  }
  // The path `*` begins with its parameter, so that the value brings the leading slash along.
  if (isWhole) return (value) => value.startsWith('/') && isSafe(value) ? `/${encodeWildcard(value.slice(1))}` : null
  return (value) => isSafe(segmentStart + value) ? encodeWildcard(value) : null
}

/** A slash between two segments stays; any other is escaped, because the router may drop or merge it. */
function encodeWildcard (value: string): string {
  return encodeURIComponent(value).replace(/(?<!^|%2F)%2F(?!%2F|$)/g, '/')
}

function isSafe (text: string): boolean {
  return text.isWellFormed() && !DOT_SEGMENT.test(text)
}

/** `?` and `#` would end the path; the router never matches them in one, but the URL stays harmless. */
export function encodeText (text: string): string {
  return encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}
