/** What no URI holds (RFC 3986, appendix A): above all nothing that ends it in a header. */
const NOT_URI = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]|%(?![\dA-Fa-f]{2})/gu

/** A text as a URI reference: in ASCII, with all that is none escaped as UTF-8. */
export function toUriText (text: string): string {
  return text.toWellFormed().replace(NOT_URI, encodeURIComponent)
}
