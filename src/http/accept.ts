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

// Sticky, and each of them a plain run of characters, so that reading takes linear time whatever the header holds.
const TOKEN = /[\w!#$%&'*+.^`|~-]+/y
const MEDIA_TYPE = /[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/y
const QUOTED_STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/y
const NOT_DELIMITER = /[^",;]+/y
/** What a full or partial wildcard must not look like. */
const WRONG_WILDCARD = /^\*\/[^*]|\/\*./

/** RFC 9110 section 12.4.2, and a little more than it: any number of digits, and `.5` for `0.5`. */
const QVALUE = /^(?:0|0?\.\d+|0\.|1(?:\.0*)?)$/

/**
 * Reads an Accept header (RFC 9110 section 12.5.1) in linear time. What does not follow the grammar is skipped: a media
 * range where its type is malformed, otherwise the parameter alone. A quoted string that never ends takes the rest of
 * the header with it. A weight counts wherever among the parameters it stands.
 *
 * @returns the media ranges in the order of the header
 */
export function parseAccept (header: string): MediaRange[] {
  const reader = new Reader(header)
  const ranges: MediaRange[] = []
  while (!reader.isAtEnd()) {
    const range = readMediaRange(reader)
    if (range !== null) ranges.push(range)
    reader.skipTo(',')
    reader.skip(',')
  }
  return ranges
}

/** Reads the media type of a Content-Type header (RFC 9110 section 8.3), or returns null if it is malformed. */
export function parseContentType (header: string): MediaRange | null {
  return readMediaRange(new Reader(header))
}

function readMediaRange (reader: Reader): MediaRange | null {
  reader.skipSpace()
  const sent = reader.take(MEDIA_TYPE)
  if (sent === undefined || !reader.isAtDelimiter() || isWrong(sent)) return null

  const parameters = new Map<string, string>()
  let quality = 1
  while (reader.skip(';')) {
    reader.skipSpace()
    const name = reader.take(TOKEN)?.toLowerCase()
    const value = reader.skip('=') ? readValue(reader) : undefined
    if (name === undefined || value === undefined || !reader.isAtDelimiter()) reader.skipTo(';')
    else if (name !== 'q') parameters.set(name, value)
    else if (QVALUE.test(value)) quality = Number(value)
  }
  return { mediaType: sent.toLowerCase(), sent, parameters, quality }
}

function isWrong (mediaType: string): boolean {
  return mediaType.includes('*') && WRONG_WILDCARD.test(mediaType)
}

function readValue (reader: Reader): string | undefined {
  const token = reader.take(TOKEN)
  return token ?? reader.take(QUOTED_STRING)?.slice(1, -1).replace(/\\([^])/g, '$1')
}

/** A header and how far it has been read. */
class Reader {
  readonly #text: string
  #at = 0

  constructor (text: string) {
    this.#text = text
  }

  isAtEnd (): boolean {
    return this.#at >= this.#text.length
  }

  /** The match of the sticky pattern here, which is then read, or undefined if it does not match. */
  take (pattern: RegExp): string | undefined {
    const start = this.#at
    pattern.lastIndex = start
    if (!pattern.test(this.#text)) return undefined
    this.#at = pattern.lastIndex
    return this.#text.slice(start, this.#at)
  }

  /** Whether this character comes next, which is then read. */
  skip (character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  skipSpace (): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++
  }

  /** Whether a `,`, a `;` or the end comes next, after optional space, which is read. */
  isAtDelimiter (): boolean {
    this.skipSpace()
    return this.isAtEnd() || this.#text[this.#at] === ',' || this.#text[this.#at] === ';'
  }

  /** Skips to the next comma outside quoted strings, or optionally to the next semicolon. */
  skipTo (delimiter: ',' | ';'): void {
    while (!this.isAtEnd()) {
      const next = this.#text[this.#at]
      if (next === ',' || next === delimiter) return
      if (this.take(NOT_DELIMITER) !== undefined || this.take(QUOTED_STRING) !== undefined) continue
      this.#at = next === '"' ? this.#text.length : this.#at + 1
    }
  }
}
