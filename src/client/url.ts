/** The base of URLs where there is no page, with a host that no URL has. */
export const NOWHERE = 'http://-/'

/**
 * Parses a URL as `fetch` does: without a base, a relative URL is relative to the page.
 *
 * @returns the URL, or undefined if it is no valid URL of HTTP
 */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    // A Request refuses a user name in its URL, but other libraries accept it.
    const parsed = new URL(base || /^https?:\/\//i.test(url) ? url : new Request(url).url, base)
    if (/^http/.test(parsed.href)) return parsed
  } catch {}
}
