/** A URL; undefined: it is none. Without a base it is relative to the page, as `fetch` understands it. */
export function parseUrl (url: string, base?: string): URL | undefined {
  try {
    return new URL(base ? url : new Request(url).url, base)
  } catch {}
}
