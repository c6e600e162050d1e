/** A host that no URL has. It is the base of URLs where there is no page. */
export const NOWHERE = 'http://-/'

/**
 * Parses a URL as `fetch` does: without a base, a relative URL is relative to the page.
 *
 * @returns the URL, or undefined if it is not a valid one of HTTP
 */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    // A Request accepts no user name in its URL; other libraries do.
    const parsed = new URL(base || /^https?:\/\//i.test(url) ? url : new Request(url).url, base)
    if (/^http/.test(parsed.href)) return parsed
  } catch {}
}
