/** What no URI holds (RFC 3986, appendix A): above all nothing that ends it in a header. */
const NOT_URI = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]|%(?![\dA-Fa-f]{2})/gu

/** A text as a URI reference: in ASCII, with all that is none escaped as UTF-8. */
export function toUriText (text: string): string {
  return text.toWellFormed().replace(NOT_URI, encodeURIComponent)
}

const DOT = 2

/** The unreserved characters of RFC 3986 section 2.3, by code. */
const UNRESERVED = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-~') {
  UNRESERVED[character.charCodeAt(0)] = 1
}
UNRESERVED['.'.charCodeAt(0)] = DOT

/** Whether a text holds only unreserved characters and not only dots, so that it means nothing anywhere in a URL. */
export function isPlain (text: string): boolean {
  let kinds = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code > 127 ? 0 : UNRESERVED[code]
    if (kind === 0) return false
    kinds |= kind
  }
  return kinds !== DOT
}

/** As encodeURIComponent; a lone surrogate becomes U+FFFD. */
export function encode (text: string): string {
  return isPlain(text) ? text : encodeURIComponent(text.toWellFormed())
}

/** A character of ASCII as it is escaped (RFC 3986, section 2.1). */
export function toPercent (character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
