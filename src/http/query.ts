import querystring from 'fast-querystring'

import { ReverseOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { encode } from './uri.ts'

import type { LinkQuery } from '../../types/index.d.ts'

/**
 * Writes a query, without the `?`. An array is a parameter that repeats; undefined and null are left out; a lone
 * surrogate becomes U+FFFD.
 *
 * @param query an object, URLSearchParams, or pairs of a name and a value
 * @throws FST_ERR_REVERSE_OPTION for a value that is not a string, number, bigint or boolean
 */
export function toQuery (query: LinkQuery): string {
  if (typeof query !== 'object') throw invalidQuery(query)
  const pairs: string[] = []
  for (const pair of Symbol.iterator in query ? query : Object.entries(query)) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') throw invalidQuery(pair)
    const [name, given] = pair
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value === undefined || value === null) continue
      if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) throw invalidQuery({ [name]: value })
      pairs.push(toQueryParameter(name, String(value)))
    }
  }
  return pairs.join('&')
}

/**
 * One parameter of a query: `version=1.0`.
 *
 * @param name the decoded name
 * @param value the decoded value; a lone surrogate becomes U+FFFD
 */
export function toQueryParameter (name: string, value: string): string {
  return `${encode(name)}=${encode(value)}`
}

/**
 * Sets a parameter in the query of a URL. A parameter of that name is replaced where it first stands and removed where
 * it stands again; a new one comes last. All other parameters, their order, their spelling and a fragment stay.
 *
 * @param url absolute or relative, with or without a query and a fragment
 * @param name the decoded name; names in the URL are decoded for the comparison (`+` is a space)
 * @param value the decoded value, where a lone surrogate becomes U+FFFD; null removes the parameter
 */
export function setQueryParameter (url: string, name: string, value: string | null): string {
  const [beforeFragment, fragment] = cut(url, '#')
  const [path, query] = cut(beforeFragment, '?')
  const pairs: string[] = []
  let parameter = value === null ? null : toQueryParameter(name, value)
  for (const pair of query.length <= 1 ? [] : query.slice(1).split('&')) {
    if (decodedName(pair) !== name) {
      pairs.push(pair)
    } else if (parameter !== null) {
      pairs.push(parameter)
      parameter = null
    }
  }
  if (parameter !== null) pairs.push(parameter)
  return path + (pairs.length === 0 ? '' : `?${pairs.join('&')}`) + fragment
}

/** The parameters in the query of a URL, by the parser that Fastify has unless the app brings another. */
export function queryOf (url: string): Record<string, string | string[]> {
  const start = url.search(/[?#]/)
  return querystring.parse(start === -1 ? '' : url.slice(start + 1))
}

/** The text before the first `mark`, and the rest with the mark. */
function cut (text: string, mark: string): [before: string, rest: string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

function invalidQuery (value: unknown): Error {
  return new ReverseOptionError('query', 'strings, numbers, bigints and booleans by name', show(value))
}

function decodedName (pair: string): string {
  const [name] = pair.split('=', 1)
  if (!/[%+]/.test(name)) return name
  const spaced = name.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
