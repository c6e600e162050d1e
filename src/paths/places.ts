import { namesOf } from './pattern.ts'

import type { ParametricNode, PathNode, WildcardNode } from './pattern.ts'
import type { RouterOptions } from './ownership.ts'

/** What of the router's configuration bears upon the text of a URL. */
export type RouterLimits = Pick<RouterOptions, 'maxParamLength' | 'ignoreDuplicateSlashes'>

/** The place of a parameter, and the ready text that follows it. */
export interface Place {
  readonly name: string
  /** Whether a parameter before it has the same name: the router keeps one value of the two, and so do links. */
  readonly isRepeated: boolean
  /** Up to which length a value of plain characters stands as it is. */
  readonly plainLength: number
  readonly write: Writer
  readonly text: string
}

/** Makes text for a URL of a value; null when it does not fit. */
type Writer = (value: string) => string | null

/** Parameters that share a segment whose pattern divides it among them. */
export interface Group {
  /** Index of the first one among the places. */
  readonly first: number
  readonly node: ParametricNode
  readonly pattern: RegExp
  /** The static text that stands before them in their segment. */
  readonly segmentStart: string
}

/** A dot segment as a server may see it that decodes once more, or takes a backslash for a slash. */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=$|[/\\]|%2f|%5c)/i

/** The places of a path's parameters, in its order. */
export function toPlaces (nodes: readonly PathNode[], limits: RouterLimits): Place[] {
  const places: Place[] = []
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'static') continue
    const names = namesOf(node)
    const segmentStart = segmentStartOf(nodes[i - 1])
    const maxLength = node.kind === 'wildcard' ? Infinity : limits.maxParamLength
    // A `%` in front could make an escape of plain characters, and a whole path has to begin with a slash.
    const plainLength = i === 0 || segmentStart.includes('%') ? 0 : maxLength
    const write = toWriter(node, segmentStart, i === 0, maxLength)
    for (const [j, name] of names.entries()) {
      const isRepeated = places.some((place) => place.name === name)
      const own = node.kind === 'parametric' ? node.texts[j] : ''
      const text = j === names.length - 1 ? own + textOf(nodes[i + 1]) : own
      places.push({ name, isRepeated, plainLength, write, text: encodeText(text) })
    }
  }
  return places
}

/** The segments of a path that hold parameters with a pattern. */
export function toGroups (nodes: readonly PathNode[]): Group[] {
  const groups: Group[] = []
  let first = 0
  for (const [i, node] of nodes.entries()) {
    if (node.kind === 'parametric' && node.pattern !== null) {
      groups.push({ first, node, pattern: node.pattern, segmentStart: segmentStartOf(nodes[i - 1]) })
    }
    first += namesOf(node).length
  }
  return groups
}

/** The static text in front of a node, as far as it is of the same segment. */
function segmentStartOf (before: PathNode | undefined): string {
  const text = textOf(before)
  return text.slice(text.lastIndexOf('/') + 1)
}

function textOf (node: PathNode | undefined): string {
  return node?.kind === 'static' ? node.text : ''
}

/** Whether the router divides the text of a segment among its parameters as the values do. */
export function fits ({ first, node, pattern, segmentStart }: Group, values: readonly string[]): boolean {
  const { names, texts } = node
  const own = values.slice(first, first + names.length)
  const text = own.map((value, i) => value + texts[i]).join('')
  const match = isSafe(segmentStart + text) ? pattern.exec(text) : null
  return match !== null && own.every((value, i) => match[i + 1] === value)
}

/**
 * @param segmentStart the static text that stands before the node in its segment
 * @param isWhole whether the path begins with the node
 */
function toWriter (
  node: ParametricNode | WildcardNode, segmentStart: string, isWhole: boolean, maxLength: number
): Writer {
  if (node.kind === 'wildcard') return isWhole ? writeWholePath : toWildcardWriter(segmentStart)
  return node.pattern === null ? toSegmentWriter(segmentStart, maxLength) : toPartWriter(maxLength)
}

function toSegmentWriter (segmentStart: string, maxLength: number): Writer {
  return function writeSegment (value) {
    return value.length <= maxLength && isSafe(segmentStart + value) ? encodeURIComponent(value) : null
  }
}

/** What it could do to the segment is looked at once all parts of it are there. */
function toPartWriter (maxLength: number): Writer {
  return function writePart (value) {
    return value.length > maxLength || !value.isWellFormed() ? null : encodeURIComponent(value)
  }
}

function toWildcardWriter (segmentStart: string): Writer {
  return function writeWildcard (value) {
    return isSafe(segmentStart + value) ? encodeWildcard(value) : null
  }
}

/** The path `*` begins with its parameter, so that the value brings the leading slash along. */
function writeWholePath (value: string): string | null {
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
export function encodeText (text: string): string {
  return encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}
