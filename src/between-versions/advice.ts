import { operationIn, subjectOf, wordsOf } from '../check/message.ts'

import type { Difference } from '../../types/check.d.ts'

/** A difference at one place, in words for the developer of a client. */
export interface Advice {
  readonly kind: Difference['kind']
  /** The location in the documents. */
  readonly at: string
  /** The name of the shared schema that has the difference, or null. */
  readonly schema: string | null
  /** `body`, `querystring`, `response 200`, or '' for the whole operation. */
  readonly part: string
  /** A clause with names in backticks: "`guest` is no longer in the response". */
  readonly text: string
  /** The clause for a single item if the difference is in the items of a list, or null: `room` for `items[].room`. */
  readonly ofItem: string | null
}

const PLACES: Readonly<Record<string, string>> = { header: 'headers', cookie: 'cookies' }
const TYPE_NOUNS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false'
}

/** The clauses for the words of `compare`: in requests, and in responses. */
const INSTRUCTIONS: Readonly<Record<string, readonly [request: string, response: string]>> = {
  'was removed': ['do not send NAME in PLACE any more', 'NAME is no longer in PLACE'],
  'is new': ['you may send NAME in PLACE', 'NAME is new in PLACE'],
  'is new and required': ['send NAME in PLACE: it is required', 'NAME is new in PLACE'],
  'is allowed now': ['you may send OTHERS in PLACE', 'there may be OTHERS in PLACE'],
  'is not allowed any more': ['do not send OTHERS in PLACE any more', 'there are no OTHERS in PLACE any more'],
  'is required now': ['always send NAME in PLACE', 'NAME is always in PLACE'],
  'is not required any more': ['NAME in PLACE may be left out', 'NAME may be missing in PLACE']
}

/** Returns a difference of a shared schema once for each place that has the schema. */
export function atEachPlace ({ places, ...difference }: Difference): Difference[] {
  return (places ?? [difference.at]).map((at) => ({ ...difference, at }))
}

/** Tells whether an operation is new or was removed. */
export function isWholeOperation ({ at, message }: Difference): boolean {
  const [operation, names] = operationIn(at)
  return names.length === 0 && /^ {2}(?:was removed|is new)/.test(message.slice(operation.length))
}

/** Returns a difference as advice. */
export function adviceOf (difference: Difference): Advice {
  const { at, kind } = difference
  const schema = difference.schema?.name ?? null
  const words = wordsOf(difference)
  const [operation, names] = operationIn(at)
  const [field = '', name = ''] = names
  const subject = operation === '' ? null : subjectOf(names)
  if (subject === null) {
    const start = name === '' ? field : `${field.slice(0, -1)} \`${name}\``
    return { kind, at, schema, part: '', text: `${start && `${start} `}${saying(words)}`, ofItem: null }
  }
  const { callback, header, message, path } = subject
  const advice = { kind, at, schema, part: message === 'query' ? 'querystring' : message.toLowerCase() }
  const isCall = callback !== undefined || at.startsWith('#/webhooks/')
  const isResponse = field === 'responses'
  const status = names.length > 2 && name.startsWith('2') ? '' : `${name} `
  const place = `the ${isResponse ? `${status}response` : PLACES[message] ?? message}`
  const call = callback !== undefined ? `callback \`${callback}\`` : operation.replaceAll('"', '`')
  const where = isCall ? call : place
  if (path === '') return { ...advice, text: `${where} ${saying(words)}`, ofItem: null }
  const say = (path: string) => {
    const text = INSTRUCTIONS[words]?.[Number(isResponse || isCall)] ?? 'NAME in PLACE WORDS'
    const name = /(?:^|\.)\*$/.test(path) ? `any other property${holderOf(path)}` : `${header}\`${path}\``
    const named = { NAME: name, OTHERS: `other properties${holderOf(path)}`, PLACE: where, WORDS: saying(words) }
    return text.replace(/NAME|OTHERS|PLACE|WORDS/g, (part) => named[part as keyof typeof named])
  }
  const item = /^[^[]*\[\]\.(.+)$/s.exec(path)?.[1]
  return { ...advice, text: say(path), ofItem: item === undefined ? null : say(item) }
}

/** Returns the words for whose properties a path such as `rooms[].*` stands for. */
function holderOf (path: string): string {
  const holder = path.replace(/\.?\*$/, '')
  return holder && ` of \`${holder}\``
}

function saying (words: string): string {
  return words.replace(/^is (.*) now, was (.*)$/s, (_all, is: string, was: string) => (
    `is now ${typesIn(is)}, not ${typesIn(was)}`
  ))
}

function typesIn (text: string): string {
  return text.replace(/\w+/g, (type) => TYPE_NOUNS[type] ?? type)
}
