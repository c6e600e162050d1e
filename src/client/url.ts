/**
 * Parses a URL as `fetch` does: without a base, a relative URL is relative to the page.
 *
 * @returns the URL, or undefined if it is not valid
 */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    // A Request accepts no user name in its URL; other libraries do.
    return new URL(base || /^https?:\/\//i.test(url) ? url : new Request(url).url, base)
  } catch {}
}
