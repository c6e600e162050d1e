import { readVersionNotice } from './notice.ts'
import { toWriter } from './places.ts'
import { NOWHERE, parseUrl } from './url.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'

const NUMBER_OR_UUID = /\/([\da-f-]{36}|\d+)\b/gi

/** Wraps `fetch` so that every call sends the version. */
export function versionedFetch (
  options: VersionedFetchOptions, fetch: typeof globalThis.fetch = globalThis.fetch
): typeof globalThis.fetch {
  const write = toWriter(options ?? {})
  const { version, place, origins, onNotice } = options
  /** The last notices, oldest first. */
  const remembered: string[] = []

  return async (input, init) => {
    // A Request of any realm or library has headers.
    const { url = String(input), headers: requestHeaders } = input as Request
    // Without a page, a path gets a host that no URL has. Headers are written even if the URL is not valid.
    const found = parseUrl(url) ?? parseUrl(url.replace(/^\/(?![\s/\\])/, NOWHERE)) ?? {} as URL
    if (origins && !origins.includes(found.origin)) return fetch(input, init)
    const headers = new Headers(init?.headers ?? requestHeaders)
    const { href } = found
    const requested = write(found, headers) ?? version
    const isMoved = found.href !== href
    // Two slashes at the beginning of a path would make a host of it.
    const target = isMoved ? found.href.replace(/^http:\/\/-(?=\/(\/?))/, (_, slash) => slash && '/.') : url
    const members: Record<string, unknown> = {}
    // A Request loses its referrer if fetch gets an init. Its members are inherited, so `for in` reads them.
    for (const source of [requestHeaders && input as Request, init]) {
      for (const name in source) if (source[name as never] !== undefined) members[name] = source[name as never]
    }
    if (requestHeaders && init?.body == null) {
      delete members.body
      // A stream cannot be sent with `keepalive`, by browsers over HTTP/1.1, or again after a redirect. Node 20 and 22
      // lose an ArrayBuffer at redirects. The type of a Blob, which a slice lacks, becomes a header.
      const blob = isMoved && (await (input as Request).blob()).slice()
      if ((blob as Blob).size) members.body = blob
    }
    const response = await fetch(isMoved ? target : input, { ...members, headers })
    const report = async () => {
      const notice = onNotice && readVersionNotice(response, response.url || target, {
        method: 'GET', ...members, ...place, version: requested as string
      })
      if (!notice || / is not /.test(notice.message)) return
      const kind = notice.isGone + notice.message.replace(NUMBER_OR_UUID, '/')
      if (remembered.includes(kind)) return
      if (remembered.push(kind) > 100) remembered.shift()
      await onNotice(notice)
    }
    report().catch(() => {})
    return response
  }
}
