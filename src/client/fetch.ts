import { toAnnotator } from './annotator.ts'
import { membersOf, moved } from './request.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'

/** Wraps `fetch` so that every call sends the version. */
export function versionedFetch (
  options: VersionedFetchOptions, fetch: typeof globalThis.fetch = globalThis.fetch
): typeof globalThis.fetch {
  const annotate = toAnnotator(options)

  return async (input, init) => {
    // A Request of any realm or library has headers.
    const { url = String(input), headers: own, method, referrer, referrerPolicy } = input as Request
    const headers = new Headers(init?.headers ?? own)
    const annotated = annotate(url, headers, init?.method ?? method ?? 'GET')
    if (!annotated) return fetch(input, init)

    const [target, onResponse] = annotated
    const response = await fetch(
      target === url ? input : own ? await moved(input as Request, target, init?.body != null) : target,
      // With an init, a Request loses its referrer.
      { ...own && { referrer, referrerPolicy }, ...membersOf(init), headers }
    )
    onResponse(response)
    return response
  }
}
