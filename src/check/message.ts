import { namesInPointer, shortJson } from './json.ts'

import type { Difference } from '../../types/check.d.ts'

/**
 * A difference as a person would say it: `POST /bookings  body: "guest" is required now`.
 *
 * @param words what has become of what is at this location: `is required now`
 */
export function messageOf (at: string, words: string): string {
  const [operation, names] = operationIn(at)
  const place = placeOf(names)
  return `${operation && `${operation}  `}${place && `${place} `}${words}`
}

/** The operation of a location, `GET /bookings` or `webhook "made"`, or '', and the names of what is in it. */
export function operationIn (at: string): readonly [operation: string, names: readonly string[]] {
  const names = namesInPointer(at)
  if (names[0] === 'webhooks' && names.length > 2) return [`webhook ${shortJson(names[1])}`, names.slice(3)]
  if (names[0] !== 'paths') return ['', names]
  const [path = '', ...below] = names.slice(1)
  const [method = '', ...rest] = below[0] === 'additionalOperations' ? below.slice(1) : below
  return [`${method.toUpperCase()} ${path}`, rest]
}

/** A difference as one of the shared schema that it is in: `Booking: "guest" is required now`. */
export function messageOfSchema (within: string, words: string): string {
  const [, , name, ...names] = namesInPointer(within)
  const path = pathOf('', ['', ...names])
  return `${name}: ${path && `${shortJson(path)} `}${words}`
}

/** The words that a difference was made of: `is required now`. */
export function wordsOf ({ at, message, schema }: Difference): string {
  const start = messageOf(at, '')
  const isOfSchema = schema !== undefined && !message.startsWith(start)
  return message.slice((isOfSchema ? messageOfSchema(schema.at, '') : start).length)
}

/** What in an operation differs: the `path` `guests[].name` of the `body`, or of `response 200`. */
interface Subject {
  /** `query`, `header`, `body` or `response 200`. */
  readonly message: string
  /** A media type that is not JSON, or ''. */
  readonly type: string
  /** What the path is of, if it is of a header: `header `, or ''. */
  readonly header: string
  /** Empty for all of it. */
  readonly path: string
  /** The name of the callback that it is in. */
  readonly callback?: string
}

/** @returns null for what is no message, such as `security` */
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

/** A place in an operation: `body: "guest"`, `response 200: header "X-Total"`, `callback "made" body: "guest"`. */
function placeOf (names: readonly string[]): string {
  const [part = '', name = ''] = names
  const subject = subjectOf(names)
  if (subject === null) return name === '' ? part : `${part.slice(0, -1)} ${shortJson(name)}`
  const { callback, header, message, path, type } = subject
  const start = callback === undefined ? '' : `callback ${shortJson(callback)} `
  return `${start}${message}${type && ` (${type})`}${path && `: ${header}${shortJson(path)}`}`
}

/** A part of a value: `guest.name`, `rooms[].beds`, and `*` for any other property. A keyword is left out. */
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
