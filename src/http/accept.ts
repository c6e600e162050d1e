import { trimSpace } from './headers.ts'

/** A media range of an Accept header. */
export interface MediaRange {
  /** Type and subtype in lower case: `application/json`, `application/*` or a full wildcard. */
  readonly mediaType: string
  /** The same as the client has written it. */
  readonly sent: string
  /** Parameters other than the weight, with names in lower case. The last value of a repeated parameter wins. */
  readonly parameters: ReadonlyMap<string, string>
  /** The weight, from 0 to 1. */
  readonly quality: number
}

// No character fits two parts of a pattern, so that reading takes linear time whatever the header holds.
const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source
const QUOTED = /"[^"\\]*(?:\\[^][^"\\]*)*"/.source
/** What is between commas or semicolons. A quoted string without an end takes the rest of the header with it. */
const MEMBERS = new RegExp(`(?:[^",]|${QUOTED}|"[^]*)+`, 'g')
const PARTS = new RegExp(`(?:[^";]|${QUOTED}|"[^]*)+`, 'g')
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`)
/** What a full or partial wildcard must not look like. */
const WRONG_WILDCARD = /^\*\/[^*]|\/\*./
const PARAMETER = new RegExp(`^[ \\t]*(${TOKEN})=(?:(${TOKEN})|(${QUOTED}))[ \\t]*$`)
/** RFC 9110 section 12.4.2, and a little more than it: any number of digits, and `.5` for `0.5`. */
const QVALUE = /^(?:0|0?\.\d+|0\.|1(?:\.0*)?)$/

/**
 * Reads an Accept header (RFC 9110 section 12.5.1) in linear time. What does not follow the grammar is skipped: a media
 * range where its type is malformed, otherwise the parameter alone. A weight counts wherever among the parameters it
 * stands.
 *
 * @returns the media ranges in the order of the header
 */
export function parseAccept (header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const member of split(header, ',', MEMBERS)) {
    const range = readMediaRange(member)
    if (range !== null) ranges.push(range)
  }
  return ranges
}

/** Reads the media type of a Content-Type header (RFC 9110 section 8.3), or returns null if it is malformed. */
export function parseContentType (header: string): MediaRange | null {
  return /^[ \t]*,/.test(header) ? null : readMediaRange(split(header, ',', MEMBERS)[0])
}

function readMediaRange (member: string): MediaRange | null {
  const parts = split(member, ';', PARTS)
  const sent = trimSpace(parts[0])
  if (member.startsWith(';') || !TYPE.test(sent) || (sent.includes('*') && WRONG_WILDCARD.test(sent))) return null
  const parameters = new Map<string, string>()
  let quality = 1
  for (let i = 1; i < parts.length; i++) {
    const found = PARAMETER.exec(parts[i])
    if (found === null) continue
    const name = found[1].toLowerCase()
    const value = found[2] ?? found[3].slice(1, -1).replace(/\\([^])/g, '$1')
    if (name !== 'q') parameters.set(name, value)
    else if (QVALUE.test(value)) quality = Number(value)
  }
  return { mediaType: sent.toLowerCase(), sent, parameters, quality }
}

/** The parts of a text between separators that are not in quoted strings: at least one. */
function split (text: string, separator: string, pattern: RegExp): readonly string[] {
  return text.includes('"') ? text.match(pattern) as string[] : text.split(separator)
}
