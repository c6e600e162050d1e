import { namesIn, show } from './json.ts'

import type { Difference } from '../../types/check.d.ts'

/**
 * A difference as a person would say it: `POST /bookings  body: "guest" is required now`.
 *
 * @param words what has become of what is at this location: `is required now`
 */
export function difference (kind: Difference['kind'], at: string, words: string): Difference {
  const [operation, names] = operationIn(at)
  const place = placeOf(names)
  return { kind, at, message: `${operation && `${operation}  `}${place && `${place} `}${words}` }
}

/** The operation of a location, `GET /bookings`, or a text without characters, and the names of what is in it. */
export function operationIn (at: string): readonly [operation: string, names: readonly string[]] {
  const names = namesIn(at)
  if (names[0] !== 'paths') return ['', names]
  const [path = '', ...below] = names.slice(1)
  const [method = '', ...rest] = below[0] === 'additionalOperations' ? below.slice(1) : below
  return [`${method.toUpperCase()} ${path}`, rest]
}

/** What a difference says of the shared schema that it is in: `Booking: "guest" is required now`. */
export function ofSchema ([schema, within]: readonly [schema: string, within: string], words: string) {
  const name = namesIn(schema).at(-1) as string
  const place = schemaOf('', ['', ...namesIn(within)])
  return { schema: { name, at: schema + within }, shared: `${name}: ${place && `${place} `}${words}` }
}

/** A place in an operation: `body: "guest"`, `query: "page"`, `response 200: header "X-Total"`. */
function placeOf ([part = '', name = '', ...rest]: readonly string[]): string {
  if (part === 'parameters') return `${name}: ${schemaOf(rest[0], rest.slice(1))}`
  if (part === 'requestBody') return contentOf('body', [name, ...rest])
  if (part !== 'responses') return name === '' ? part : `${part.slice(0, -1)} ${show(name)}`
  if (rest[0] !== 'headers') return contentOf(`response ${name}`, rest)
  return `response ${name}: header ${schemaOf(rest[1], rest.slice(2))}`
}

/** A part of a message. A media type of JSON is not mentioned. */
function contentOf (message: string, [, type, ...rest]: readonly (string | undefined)[]): string {
  if (type === undefined) return message
  if (rest.length === 0) return `${message}: ${show(type)}`
  const place = schemaOf('', rest)
  return `${message}${/\bjson\b/.test(type) ? '' : ` (${type})`}${place === '' ? '' : `: ${place}`}`
}

/** A part of a value: `"guest.name"`, `"rooms[].beds"`, and `"*"` for any other property. A keyword is left out. */
function schemaOf (name = '', names: readonly (string | undefined)[]): string {
  let path = names[0] === 'itemSchema' ? '[]' : name
  for (let i = 1; i < names.length; i++) {
    if (names[i] === 'items') path += '[]'
    else if (names[i] === 'properties') path += `.${names[++i]}`
    else if (names[i] === 'additionalProperties') path += '.*'
    else break
  }
  return path === '' ? '' : show(path.replace(/^\./, ''))
}
