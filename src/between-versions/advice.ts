import { namesIn } from '../check/json.ts'
import { difference } from '../check/message.ts'

import type { Difference } from '../../types/check.d.ts'

/** A difference for the developer of a client, at one place. */
export interface Advice {
  readonly kind: Difference['kind']
  /** The location in the documents. */
  readonly at: string
  /** `body`, `querystring`, `response 200`, or '' for the whole operation. */
  readonly part: string
  /** A clause with names in backticks: "`guest` is no longer in the response". */
  readonly text: string
  /** The same of a single value, if it is about the items of a list: `room` for `items[].room`; or null. */
  readonly ofItem: string | null
}

/** Where it is, and what it is called, as `compare` says it. */
const PLACE = /^(path|query|header|cookie|body|response \S+?)(?: \([^)]*\))?(?::? (header )?("(?:[^"\\]|\\.)*"))?:? $/s
/** What a shared schema of several operations is called. */
const SHARED = /^[^:]*: (?:"(?:[^"\\]|\\.)*" )?/s

const PLACES: Readonly<Record<string, string>> = { header: 'headers', cookie: 'cookies' }
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false'
}

/** What to do, by the words of `compare`: in requests, and in responses. */
const WORDS: Readonly<Record<string, readonly [request: string, response: string]>> = {
  'was removed': ['do not send NAME in PLACE any more', 'NAME is no longer in PLACE'],
  'is new': ['you may send NAME in PLACE', 'NAME is new in PLACE'],
  'is new and required': ['send NAME in PLACE: it is required', 'NAME is new in PLACE'],
  'is required now': ['always send NAME in PLACE', 'NAME is always in PLACE'],
  'is not required any more': ['NAME in PLACE may be left out', 'NAME may be missing in PLACE']
}

/** A difference of a shared schema, in each message that has the schema. */
export function atEachPlace ({ places, ...difference }: Difference): Difference[] {
  return (places ?? [difference.at]).map((at) => ({ ...difference, at }))
}

/** Says a difference as advice. */
export function adviceOf ({ at, kind, message }: Difference): Advice {
  const [, , method = '', field = '', name = ''] = namesIn(at)
  const parts: Readonly<Record<string, string>> = {
    parameters: name === 'query' ? 'querystring' : name, requestBody: 'body', responses: `response ${name}`
  }
  const saidAlways = { kind, at, part: parts[field] ?? '' }
  // The same location without words.
  const start = difference(kind, at, '').message
  const words = message.startsWith(start) ? message.slice(start.length) : message.replace(SHARED, '')
  const subject = method === '' ? start : start.slice(start.indexOf('  ') + 2)
  const place = PLACE.exec(subject)
  if (place === null) return { ...saidAlways, text: subject.replace(/"(.*)"/, '`$1`') + saying(words), ofItem: null }
  const [, from, header = '', quoted] = place
  const [isResponse, status] = [from.startsWith('response'), from.slice('response '.length)]
  const where = `the ${!isResponse ? PLACES[from] ?? from : status.startsWith('2') ? 'response' : `${status} response`}`
  if (quoted === undefined) return { ...saidAlways, text: `${where} ${saying(words)}`, ofItem: null }
  const path = String(JSON.parse(quoted))
  const say = (path: string) => {
    const text = WORDS[words]?.[Number(isResponse)] ?? `NAME in PLACE ${saying(words)}`
    return text.replace(/NAME|PLACE/g, (part) => part === 'PLACE' ? where : `${header}\`${path}\``)
  }
  const item = /^[^[]*\[\]\.(.+)$/s.exec(path)?.[1]
  return { ...saidAlways, text: say(path), ofItem: item === undefined ? null : say(item) }
}

function saying (words: string): string {
  return words.replace(/^is (.*) now, was (.*)$/s, (_all, is: string, was: string) => (
    `is now ${typesIn(is)}, not ${typesIn(was)}`
  ))
}

function typesIn (text: string): string {
  return text.replace(/\w+/g, (type) => TYPES[type] ?? type)
}
