/** A URL; undefined: it is none. Without a base it is relative to the page, as `fetch` understands it. */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    // A Request accepts no user name in its URL; other libraries do.
    return new URL(base || /^https?:\/\//i.test(url) ? url : new Request(url).url, base)
  } catch {}
}
