import { isToken, quoted } from './headers.ts'

/** A media type with a parameter at its end, whose value is quoted where it must be (RFC 9110, section 5.6.6). */
export function withParameter (mediaType: string, name: string, value: string): string {
  return `${mediaType.replace(/[;\s]+$/, '')}; ${name}=${isToken(value) ? value : quoted(value)}`
}

/** Whether a vendor type has the syntax of another type: `application/vnd.acme.v2+json` and `application/json` do. */
export function hasSyntaxOf (vendorType: string, mediaType: string): boolean {
  const syntax = mediaType.slice(mediaType.indexOf('/') + 1)
  return vendorType.toLowerCase().endsWith(`+${syntax.toLowerCase()}`)
}
