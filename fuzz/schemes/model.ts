// What RFC 9110, SPEC.md and the docs say of each place. Nothing here is taken from src/.

import { parse as parseMediaType } from 'content-type'
import fastQuery from 'fast-querystring'
import { parse as parseQuery } from 'node:querystring'
import { parseList } from 'structured-headers'

/** A media range as data: what it means is known before it is written. */
export interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly q: string | null
}

/** What a scheme has to read, or undefined if no parser knows. */
export type Read = readonly string[] | undefined

const NONE: readonly string[] = []

/** README, AcceptHeaderVersioning: the highest-ranked range wins, by weight, then by specificity, then by order. */
export function ofMediaRanges (ranges: readonly MediaRange[]): Read {
  const ranked = ranges.map((range, order) => ({ range, order, q: Number(range.q ?? 1) })).filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || specificity(b.range) - specificity(a.range) || a.order - b.order)
  const [first] = ranked
  return first === undefined ? NONE : versionIn(first.range)
}

/** RFC 9110, section 12.5.1: from a wildcard, whose parameters make no difference, to a media type with parameters. */
function specificity ({ type, subtype, parameters }: MediaRange): number {
  if (type === '*') return 0
  if (subtype === '*') return 1
  return parameters.length === 0 ? 2 : 3
}

export function versionIn ({ parameters }: Pick<MediaRange, 'parameters'>): readonly string[] {
  const found = parameters.find(([name]) => name.toLowerCase() === 'version')
  return found === undefined ? NONE : [found[1]]
}

/** A media range that is alone, as content-type reads it, which takes nearly all that are invalid. */
export function ofOneRange (header: string): Read {
  if (/["\\,]/.test(header) || /q/i.test(header) || !isMediaRange(header)) return undefined
  const version = parseMediaType(header).parameters['version']
  return version === undefined ? NONE : [version]
}

/** RFC 9110, section 8.3.1, without quoted strings. */
function isMediaRange (text: string): boolean {
  const [type, ...parameters] = text.split(';').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
  const token = /^[\w!#$%&'*+.^`|~-]+$/
  const names = parameters.map((parameter) => parameter.split('=')[0]!.toLowerCase())
  return type!.split('/').length === 2 && type!.split('/').every((part) => token.test(part)) &&
    parameters.map((parameter) => parameter.split('=')).every((pair) => {
      return pair.length === 2 && pair.every((part) => token.test(part))
    }) &&
    new Set(names).size === names.length
}

/** docs/schemes.md, "Several places": a list, as structured-headers reads one of tokens. */
export function ofList (header: string): Read {
  if (!/^[a-z]\w*(?:[ \t]*,[ \t]*[a-z]\w*)*$/i.test(header)) return undefined
  return parseList(header).map(([member]) => String(member))
}

/** The last value of a repeated parameter wins, by the rules of Fastify's default parser. */
export function ofQuery (query: string): Read {
  const value = fastQuery.parse(query)['version']
  return value === undefined ? NONE : [[value].flat().at(-1)!]
}

/**
 * As Node and the URL standard read a query. They agree with Fastify's parser where every percent sign is followed by
 * two digits of valid UTF-8. Elsewhere Fastify leaves a value as it is, and they put U+FFFD into it.
 */
export function ofValidQuery (query: string): Read {
  try {
    decodeURIComponent(query)
  } catch {
    return undefined
  }
  const value = parseQuery(query, '&', '=', { maxKeys: 0 })['version']
  const last = new URLSearchParams(query).getAll('version').at(-1)
  if ([value].flat().at(-1) !== last) return undefined
  return last === undefined ? NONE : [last]
}

/** SPEC.md, HostNameVersioning 1 to 4. */
export function ofHost (host: string): Read {
  const label = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/.exec(host.split(':')[0]!)?.[1]
  return label === undefined ? NONE : [label]
}
