import { mergeSlashes, parsePath } from './pattern.ts'
import { encodeText } from './places.ts'

import type { PathNode } from './pattern.ts'

/** A path without the names of its parameters: static texts, and what the router matches between them. */
export type Shape = readonly string[]

interface ShapeOptions {
  readonly caseSensitive: boolean
  readonly ignoreDuplicateSlashes: boolean
  readonly ignoreTrailingSlash: boolean
}

const WILDCARD = '*'
const PARAMETER = ':'

/** The shape of a path, optional parameters expanded, as a router with these options has it. */
export function shapeOf (path: string, options: ShapeOptions): Shape {
  return parsePath(normalize(path, options)).map((node) => {
    if (node.kind === 'wildcard') return WILDCARD
    if (node.kind === 'parametric') return PARAMETER + (node.pattern?.source ?? '')
    return options.caseSensitive ? node.text : node.text.toLowerCase()
  })
}

function normalize (path: string, { ignoreDuplicateSlashes, ignoreTrailingSlash }: ShapeOptions): string {
  const merged = ignoreDuplicateSlashes ? mergeSlashes(path) : path
  return ignoreTrailingSlash && merged.length > 1 && merged.endsWith('/') ? merged.slice(0, -1) : merged
}

/**
 * Whether the router tries one path only after another wherever both match a URL. It prefers text to a parameter, and a
 * parameter to a wildcard; up to the first difference both go the same way.
 */
export function yieldsTo (shape: Shape, other: Shape): boolean {
  const at = shape.findIndex((part, i) => part !== other[i])
  if (at === -1) return false
  const part = shape[at]
  const preferred = other[at]
  if (part === WILDCARD) return true
  if (preferred === undefined || preferred === WILDCARD || !isText(preferred)) return false
  return !isText(part) || preferred.startsWith(part)
}

/** What a URL must look like for one of the paths to match it; a pattern of a parameter is left to the router. */
export function patternOf (paths: readonly string[]): RegExp {
  return new RegExp(`^(?:${paths.map((path) => parsePath(path).map(sourceOf).join('')).join('|')})$`)
}

function sourceOf (node: PathNode): string {
  if (node.kind === 'wildcard') return '.*'
  if (node.kind === 'parametric') return '[^/]*'
  return encodeText(node.text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function isText (part: string): boolean {
  return part !== WILDCARD && !part.startsWith(PARAMETER)
}
