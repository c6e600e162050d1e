/** The unreserved characters of RFC 3986 section 2.3, by code, but for the dot and the tilde. */
const PLAIN = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  PLAIN[character.charCodeAt(0)] = 1
}

/** Whether a text holds only letters, digits, `_` and `-`, which mean nothing anywhere in a URL. */
export function isPlain (text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127 || PLAIN[code] === 0) return false
  }
  return true
}

/** As encodeURIComponent; a lone surrogate becomes U+FFFD. */
export function encode (text: string): string {
  return isPlain(text) ? text : encodeURIComponent(text.toWellFormed())
}
