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

// The patterns are sticky: each begins at a given index. No character fits two parts of a pattern, so that reading
// takes linear time whatever the header holds.
const WORD = /[\w!#$%&'*+.^`|~-]+/.source
const QUOTED = /"[^"\\]*(?:\\[^][^"\\]*)*"/.source
const END = /[ \t]*(?=[,;]|$)/.source
const TYPE = new RegExp(`[ \\t]*(${WORD}/${WORD})${END}`, 'y')
/** After a semicolon, a parameter or anything else. A quoted string without an end takes the rest of the header. */
const PART = new RegExp(`;(?:[ \\t]*(${WORD})=(?:(${WORD})|(${QUOTED}))${END}|(?:[^",;]|${QUOTED}|"[^]*)*)`, 'y')
/** The text between two commas. */
const MEMBER = new RegExp(`(?:[^",]|${QUOTED}|"[^]*)*`, 'y')
/** A wildcard that is neither full nor partial. */
const WRONG_WILDCARD = /^\*\/[^*]|\/\*./
/** A weight (RFC 9110, section 12.4.2), and a little more: any number of digits, and `.5` for `0.5`. */
const QVALUE = /^(?:0|0?\.\d+|0\.|1(?:\.0*)?)$/

/**
 * Reads an Accept header (RFC 9110 section 12.5.1) in linear time. It skips text that does not follow the grammar: a
 * media range where its type is malformed, otherwise the parameter alone. A weight counts wherever among the parameters
 * it stands.
 *
 * @returns the media ranges in the order of the header
 */
export function parseAccept (header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (let at = 0; at < header.length; at = MEMBER.lastIndex + 1) {
    const range = parseMediaRange(header, at)
    if (range !== null) ranges.push(range)
    MEMBER.lastIndex = at
    MEMBER.test(header)
  }
  return ranges
}

/** Reads one media range, or the type of a Content-Type header (RFC 9110 section 8.3); null if it is malformed. */
export function parseMediaRange (header: string, start = 0): MediaRange | null {
  TYPE.lastIndex = start
  const sent = TYPE.exec(header)?.[1]
  if (sent === undefined || (sent.includes('*') && WRONG_WILDCARD.test(sent))) return null
  const parameters = new Map<string, string>()
  let quality = 1
  for (let at = TYPE.lastIndex; header[at] === ';'; at = PART.lastIndex) {
    PART.lastIndex = at
    const [, written, token, text] = PART.exec(header) as RegExpExecArray
    if (written === undefined) continue
    const name = written.toLowerCase()
    const value = token ?? text.slice(1, -1).replace(/\\([^])/g, '$1')
    if (name !== 'q') parameters.set(name, value)
    else if (QVALUE.test(value)) quality = Number(value)
  }
  return { mediaType: sent.toLowerCase(), sent, parameters, quality }
}
