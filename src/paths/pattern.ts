import type { RouterOptions } from '../fastify/router-options.ts'

/**
 * A path of Fastify's router (find-my-way) as a row of texts with a parameter between each two: `/at/:hour-:minute` is
 * `/at/`, hour, `-`, minute and an empty text.
 */
export interface ParsedPath {
  readonly texts: readonly string[]
  /** A wildcard is called `*`. A pattern is the parameter's own regular expression, or null. */
  readonly params: readonly { readonly name: string, readonly pattern: RegExp | null }[]
}

/** A token of a path: a text, in which a colon is doubled, a parameter with its name, or a wildcard. */
const PATH_TOKEN = /(::|[^:*]+)|:([^(./-]*)|\*/y
const PLAIN_NAME = /^\w+$/
const OPTIONAL_LAST_PARAMETER = /(\/:[^/()]*)\?(\/?)$/

/**
 * Returns the paths that the router makes of a path: two if the last parameter is optional, first the path with it.
 * `/bookings/:id?` is `/bookings/:id` and `/bookings`.
 */
export function expandOptional (path: string): string[] {
  const optional = path.includes('?') ? OPTIONAL_LAST_PARAMETER.exec(path) : null
  if (optional === null) return [path]
  const [, segment, slash] = optional
  const before = path.slice(0, optional.index)
  return [before + segment + slash, before + slash || '/']
}

/**
 * Parses a path.
 *
 * @param path with optional parameters expanded
 * @throws SyntaxError if a pattern is not a regular expression; the router refuses that route, too
 */
export function parsePath (path: string): ParsedPath {
  const texts = ['']
  const params: ParsedPath['params'][number][] = []
  for (const { source, name, group } of tokensIn(path)) {
    if (name === null) {
      texts[params.length] += source === '::' ? ':' : source
      continue
    }
    params.push({ name, pattern: groupPattern(group) })
    texts.push('')
  }
  return { texts, params }
}

/** The part of a path between two slashes, with the slash in front. */
export interface Segment {
  readonly source: string
  /** The parameter that is the segment by itself, perhaps with a pattern, or optional; or null. */
  readonly param: string | null
}

/** Returns the segments of a path. A pattern may have slashes, and belongs to one segment. */
export function segmentsOf (path: string): Segment[] {
  const segments: Segment[] = []
  for (const { source, name } of tokensIn(path)) {
    for (const part of name === null ? source.split(/(?=\/)/) : [source]) {
      const last = segments.at(-1)
      if (last === undefined || part.startsWith('/')) segments.push({ source: part, param: null })
      else {
        const isAlone = name !== null && part !== '*' && last.source === '/'
        const param = isAlone ? name.replace(/\?$/, '') : null
        segments[segments.length - 1] = { source: last.source + part, param }
      }
    }
  }
  return segments
}

/** Yields the tokens of a path: texts, whose name is null, parameters with their pattern as a group, and wildcards. */
function * tokensIn (path: string): Generator<{ source: string, name: string | null, group: string }> {
  for (let at = 0; at < path.length;) {
    PATH_TOKEN.lastIndex = at
    const [token, text, name = '*'] = PATH_TOKEN.exec(path) as unknown as [string, string?, string?]
    const start = at + token.length
    const end = token.startsWith(':') && text === undefined && path[start] === '(' ? endOfGroup(path, start) : start
    yield { source: path.slice(at, end), name: text === undefined ? name : null, group: path.slice(start, end) }
    at = end
  }
}

/** Returns the names of the parameters of a path, whose last parameter may be optional. */
export function namesOf (path: string): string[] {
  return parsePath(expandOptional(path)[0]).params.map(({ name }) => name)
}

/** Tells whether a path has a parameter. Most paths show it without being parsed. */
export function hasParam (path: string, name: string): boolean {
  const isSegment = PLAIN_NAME.test(name) && !path.includes('(') && `${path}/`.includes(`/:${name}/`)
  return isSegment || (path.includes(name) && namesOf(path).includes(name))
}

/** Returns an expanded path without the names of its parameters: the router takes paths of one shape for one path. */
export function shapeOf (
  path: string, options: RouterOptions, toText = ({ source }: RegExp): string => source
): string {
  const rooted = path === '*' ? '/*' : path
  const merged = options.ignoreDuplicateSlashes ? rooted.replace(/\/{2,}/g, '/') : rooted
  const { texts, params } = parsePath(options.ignoreTrailingSlash ? merged.replace(/(?<=.)\/$/, '') : merged)
  return texts.map((text, i) => {
    const escaped = text.replaceAll(':', '::')
    const shown = options.caseSensitive ? escaped : escaped.toLowerCase()
    if (i === params.length) return shown
    const { name, pattern } = params[i]
    return shown + (name === '*' ? '*' : `:${pattern === null ? '' : toText(pattern)}`)
  }).join('')
}

/** Tells whether two paths differ at most in the patterns of their parameters, which the router does not compare. */
export function isSameButPatterns (path: string, otherPath: string, options: RouterOptions): boolean {
  const [shapes, others] = [path, otherPath].map((path) => (
    expandOptional(path).map((each) => shapeOf(each, options, () => '()'))
  ))
  return shapes.some((shape) => others.includes(shape))
}

/** Returns the pattern of a group. The router anchors patterns, so it drops a `^` and a `$` of the group. */
function groupPattern (group: string): RegExp | null {
  return group === '' ? null : new RegExp(`^${group.replace(/^\(\^/, '(').replace(/\$\)$/, ')')}$`)
}

/** Returns the index after the parenthesis that closes the group at `at`. A backslash escapes the next character. */
function endOfGroup (path: string, at: number): number {
  let depth = 0
  for (; at < path.length; at++) {
    if (path[at] === '\\') at++
    else if (path[at] === '(') depth++
    else if (path[at] === ')' && --depth === 0) return at + 1
  }
  throw new SyntaxError(`Unterminated pattern in "${path}"`)
}
