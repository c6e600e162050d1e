import type { RouterOptions } from '../paths/pattern.ts'

/**
 * How Fastify's router (find-my-way) reads the path of a route. A path is a row of static texts, parametric nodes and
 * perhaps a last wildcard. A parametric node runs from a `:` to the end of its segment and holds one parameter or
 * several, which `-`, `.` or the parentheses of a pattern set apart: `/:id`, `/:from-:to`, `/at/:hour(^\\d+)h:minute`.
 */
export interface ParametricNode {
  readonly kind: 'parametric'
  readonly names: readonly string[]
  /** The static text that follows each parameter; as many as there are names. */
  readonly texts: readonly string[]
  /** The pattern of the whole decoded node, or null if the router takes anything up to the next slash. */
  readonly pattern: RegExp | null
}

export interface StaticNode { readonly kind: 'static', readonly text: string }
export interface WildcardNode { readonly kind: 'wildcard' }
export type PathNode = StaticNode | ParametricNode | WildcardNode

/**
 * A path without the names of its parameters: static texts, in which a colon is `::`, and what the router matches
 * between them.
 */
export type Shape = readonly string[]

const COLON = ':'
const PARAMETER_MARK = '\0'
const WILDCARD_MARK = '\x01'
const OPTIONAL_LAST_PARAMETER = /(\/:[^/()]*)\?(\/?)$/

/**
 * The paths that the router makes of one: two if the last parameter is optional, the one with the parameter first.
 * `/bookings/:id?` is `/bookings/:id` and `/bookings`.
 */
export function expandOptional (path: string): string[] {
  const optional = OPTIONAL_LAST_PARAMETER.exec(path)
  if (optional === null) return [path]
  const [, segment, slash] = optional
  const before = path.slice(0, optional.index)
  return [before + segment + slash, before + slash || '/']
}

/**
 * Reads a path, optional parameters expanded, as the router does.
 *
 * @throws SyntaxError or TypeError if a pattern is not a regular expression; the router refuses that route, too
 */
export function parsePath (path: string): PathNode[] {
  const nodes: PathNode[] = []
  let text = ''
  let at = 0
  while (at < path.length) {
    if (path.startsWith('::', at)) {
      text += COLON
      at += 2
    } else if (path[at] === COLON || path[at] === '*') {
      if (text !== '') nodes.push({ kind: 'static', text })
      text = ''
      if (path[at] === '*') {
        nodes.push({ kind: 'wildcard' })
        at++
      } else {
        const { node, end } = parseParametricNode(path, at)
        nodes.push(node)
        at = end
      }
    } else {
      text += path[at++]
    }
  }
  if (text !== '') nodes.push({ kind: 'static', text })
  return nodes
}

/** The parameters of a node; a wildcard is called `*`. */
export function namesOf (node: PathNode): readonly string[] {
  if (node.kind === 'static') return []
  return node.kind === 'wildcard' ? ['*'] : node.names
}

/** Whether a path, perhaps with an optional parameter, has a parameter of the name. */
export function hasParameter (path: string, name: string): boolean {
  return expandOptional(path).some((one) => parsePath(one).flatMap(namesOf).includes(name))
}

/**
 * A path with a text in place of a parameter: `/:version(^v\\d$)/bookings` with `v1` is `/v1/bookings`.
 *
 * @param path with optional parameters expanded
 * @param text as it stands in a path
 */
export function fillParameter (path: string, name: string, text: string): string {
  let filled = ''
  let at = 0
  while (at < path.length) {
    const isParameter = path[at] === COLON && path[at + 1] !== COLON
    const nameEnd = isParameter ? endOfName(path, at + 1) : at
    let end = at + (path.startsWith('::', at) ? 2 : 1)
    if (isParameter) end = path[nameEnd] === '(' ? endOfPattern(path, nameEnd) : nameEnd
    filled += isParameter && path.slice(at + 1, nameEnd) === name ? text : path.slice(at, end)
    at = end
  }
  return filled
}

function parseParametricNode (path: string, start: number): { node: ParametricNode, end: number } {
  const names: string[] = []
  const texts: string[] = []
  let source = ''
  let precedingText: string | null = null
  let isMatched = false
  let at = start
  while (path[at] === COLON) {
    const nameEnd = endOfName(path, at + 1)
    names.push(path.slice(at + 1, nameEnd))
    at = nameEnd
    const hasPattern = path[at] === '('
    if (hasPattern) {
      const patternEnd = endOfPattern(path, at)
      source += withoutAnchors(path.slice(at, patternEnd))
      isMatched = true
      at = patternEnd
    } else {
      // After a bare parameter the router does not let the next one hold the text between the two.
      source += precedingText === null ? '(.*?)' : `(${precedingText}|(?:(?!${precedingText}).)*)`
      isMatched ||= path[at] === '-' || path[at] === '.'
    }
    const textEnd = endOfText(path, at)
    const text = path.slice(at, textEnd).replaceAll('::', COLON)
    const escaped = text.replaceAll('%', '%25').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    texts.push(text)
    source += escaped
    precedingText = hasPattern ? null : escaped
    at = textEnd
  }
  const pattern = isMatched ? new RegExp(`^${source}$`) : null
  return { node: { kind: 'parametric', names, texts, pattern }, end: at }
}

function endOfName (path: string, at: number): number {
  return at + path.slice(at).search(/[(./-]|$/)
}

/** Static text between parameters: up to the next slash or the next parameter; `::` is a colon of the text. */
function endOfText (path: string, at: number): number {
  return path.length - path.slice(at).replace(/(?:[^/:]|::)*/, '').length
}

/** The index after the parenthesis that closes the one at `at`; a backslash escapes the next character. */
function endOfPattern (path: string, at: number): number {
  let depth = 0
  for (; at < path.length; at++) {
    if (path[at] === '\\') at++
    else if (path[at] === '(') depth++
    else if (path[at] === ')' && --depth === 0) return at + 1
  }
  throw new SyntaxError(`Unterminated pattern in "${path}"`)
}

/** The router anchors the node as a whole, so it drops a `^` and a `$` of a single parameter's pattern. */
function withoutAnchors (group: string): string {
  return group.replace(/^\(\^/, '(').replace(/\$\)$/, ')')
}

/** The shape of a path, optional parameters expanded: the router takes two paths of one shape for the same. */
export function shapeOf (path: string, options: RouterOptions): Shape {
  return parsePath(normalize(path, options)).map((node) => {
    if (node.kind === 'wildcard') return '*'
    if (node.kind === 'parametric') return `:${node.pattern?.source ?? ''}`
    return folded(node.text.replaceAll(COLON, '::'), options)
  })
}

/** A text as the router compares it. */
function folded (text: string, { caseSensitive }: RouterOptions): string {
  return caseSensitive ? text : text.toLowerCase()
}

/** A path, optional parameters expanded, as the router keeps it. */
export function normalize (path: string, { ignoreDuplicateSlashes, ignoreTrailingSlash }: RouterOptions): string {
  const merged = ignoreDuplicateSlashes ? mergeSlashes(path) : path
  return ignoreTrailingSlash && merged.length > 1 && merged.endsWith('/') ? merged.slice(0, -1) : merged
}

/**
 * Whether a path matches each URL that another path matches. A pattern does not cover a different one, because what the
 * two have in common is not known.
 *
 * @param path with optional parameters expanded, as the other one
 */
export function covers (path: string, other: string, options: RouterOptions): boolean {
  const nodes = parsePath(normalize(other, options))
  // A parameter stands in the text as its number between two characters that no path has.
  const text = nodes.map((node, i) => {
    if (node.kind === 'static') return node.text
    return node.kind === 'wildcard' ? WILDCARD_MARK : PARAMETER_MARK + i + PARAMETER_MARK
  }).join('')
  let at = 0
  for (const node of parsePath(normalize(path, options))) {
    if (node.kind === 'wildcard') return true
    const isStatic = node.kind === 'static'
    const end = at + (isStatic ? node.text.length : text.slice(at).search(/\/|$/))
    const own = text.slice(at, end)
    const isTaken = isStatic ? folded(own, options) === folded(node.text, options) : takesSegment(node, own, nodes)
    if (!isTaken) return false
    at = end
  }
  return at === text.length
}

/** Whether a parametric node takes whatever a segment of another path may be. */
function takesSegment ({ pattern }: ParametricNode, segment: string, nodes: readonly PathNode[]): boolean {
  if (segment.includes(WILDCARD_MARK)) return false
  if (pattern === null) return true
  if (!segment.includes(PARAMETER_MARK)) return pattern.test(segment)
  const [start, i] = segment.split(PARAMETER_MARK)
  const node = nodes[Number(i)]
  return start === '' && node.kind === 'parametric' && node.pattern?.source === pattern.source
}

/**
 * Whether the router tries one path only after another wherever both match a URL. It prefers text to a parameter, and a
 * parameter to a wildcard, at the first difference between the two.
 */
export function yieldsTo (shape: Shape, other: Shape): boolean {
  const at = shape.findIndex((part, i) => part !== other[i])
  // The first difference is between two parts of a kind, unless one is a wildcard: text and parameters take turns.
  return shape[at] === '*' || other[at]?.startsWith(shape[at]) === true
}

/** Whether a part of a shape is static text, which begins with a slash wherever it stands. */
export function isText (part: string): boolean {
  return part.startsWith('/')
}

/** A path for a router that treats several slashes in a row as one. */
export function mergeSlashes (path: string): string {
  return path.replace(/\/{2,}/g, '/')
}
