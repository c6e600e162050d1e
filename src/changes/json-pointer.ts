/** The keys of a JSON pointer in a URI (RFC 6901, section 6); null for another fragment. */
export function keysOf (fragment: string): string[] | null {
  if (fragment === '') return []
  if (!fragment.startsWith('/')) return null
  try {
    const keys = decodeURIComponent(fragment.slice(1)).split('/')
    return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return null
  }
}

/** The JSON pointer of these keys (RFC 6901, section 3). */
export function pointerOf (keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
