import { namesInPointer, shortJson } from './json.ts'

import type { Difference } from '../../types/check.d.ts'

/**
 * Returns a difference as a person would say it: `POST /bookings  body: "guest" is required now`.
 *
 * @param words the change at this location: `is required now`
 */
export function messageOf (at: string, words: string): string {
  const [operation, names] = operationIn(at)
  const place = placeOf(names)
  return `${operation && `${operation}  `}${place && `${place} `}${words}`
}

/** Returns the operation, `GET /bookings` or `webhook "made"` or '', of a location, and the names in it. */
export function operationIn (at: string): readonly [operation: string, names: readonly string[]] {
  const names = namesInPointer(at)
  if (names[0] === 'webhooks' && names.length > 2) return [`webhook ${shortJson(names[1])}`, names.slice(3)]
  if (names[0] !== 'paths') return ['', names]
  const [path = '', ...below] = names.slice(1)
  const [method = '', ...rest] = below[0] === 'additionalOperations' ? below.slice(1) : below
  return [`${method.toUpperCase()} ${path}`, rest]
}

/** Returns a difference in a shared schema as a person would say it: `Booking: "guest" is required now`. */
export function messageOfSchema (within: string, words: string): string {
  const [, , name, ...names] = namesInPointer(within)
  const path = pathOf('', ['', ...names])
  return `${name}: ${path && `${shortJson(path)} `}${words}`
}

/** Returns the words in the message of a difference: `is required now`. */
export function wordsOf ({ at, message, schema }: Difference): string {
  const start = messageOf(at, '')
  const isOfSchema = schema !== undefined && !message.startsWith(start)
  return message.slice((isOfSchema ? messageOfSchema(schema.at, '') : start).length)
}

/** The part of an operation that differs: the `path` `guests[].name` of the `body`, or of `response 200`. */
interface Subject {
  /** `query`, `header`, `body` or `response 200`. */
  readonly message: string
  /** A media type that is not JSON, or ''. */
  readonly type: string
  /** The text `header ` if the path is that of a header, otherwise ''. */
  readonly header: string
  /** The path in the value. It is empty if the whole value differs. */
  readonly path: string
  /** The name of the callback that has the message. */
  readonly callback?: string
}

/** Returns the part of an operation that has some names, or null if it is no message, such as `security`. */
export function subjectOf ([part = '', name = '', ...rest]: readonly string[]): Subject | null {
  if (part === 'parameters') return { message: name, type: '', header: '', path: pathOf(rest[0], rest.slice(1)) }
  if (part === 'callbacks' && rest.length > 2) return { ...subjectOf(rest.slice(2))!, callback: name }
  if (part !== 'requestBody' && part !== 'responses') return null
  const message = part === 'requestBody' ? 'body' : `response ${name}`
  const [field, type = '', ...inside] = part === 'requestBody' ? [name, ...rest] : rest
  if (field === 'headers') return { message, type: '', header: 'header ', path: pathOf(type, inside) }
  if (inside.length === 0) return { message, type: '', header: '', path: type }
  return { message, type: /\bjson\b/.test(type) ? '' : type, header: '', path: pathOf('', inside) }
}

/**
 * Returns a part of an operation as text: `body: "guest"`, `response 200: header "X-Total"`, `callback "made" body`.
 */
function placeOf (names: readonly string[]): string {
  const [part = '', name = ''] = names
  const subject = subjectOf(names)
  if (subject === null) return name === '' ? part : `${part.slice(0, -1)} ${shortJson(name)}`
  const { callback, header, message, path, type } = subject
  const start = callback === undefined ? '' : `callback ${shortJson(callback)} `
  return `${start}${message}${type && ` (${type})`}${path && `: ${header}${shortJson(path)}`}`
}

/** Returns the path in a value: `guest.name`, `rooms[].beds`, `*` for any other property, and nothing for a keyword. */
function pathOf (name = '', names: readonly string[]): string {
  let path = names[0] === 'itemSchema' ? '[]' : name
  for (let i = 1; i < names.length; i++) {
    if (names[i] === 'items') path += '[]'
    else if (names[i] === 'properties') path += `.${names[++i]}`
    else if (names[i] === 'additionalProperties') path += '.*'
    else break
  }
  return path.replace(/^\./, '')
}
