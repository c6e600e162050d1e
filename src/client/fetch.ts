import { membersOf, moved } from './request.ts'
import { toTeller } from './teller.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'

/** Wraps `fetch` so that every call names the version. */
export function versionedFetch (
  options: VersionedFetchOptions, fetch: typeof globalThis.fetch = globalThis.fetch
): typeof globalThis.fetch {
  const tell = toTeller(options)

  return async (input, init) => {
    // A Request of any realm or library has headers.
    const { url = String(input), headers: own, method, referrer, referrerPolicy } = input as Request
    const headers = new Headers(init?.headers ?? own)
    const told = tell(url, headers, init?.method ?? method ?? 'GET')
    if (!told) return fetch(input, init)

    const [target, hear] = told
    const response = await fetch(
      target === url ? input : own ? await moved(input as Request, target) : target,
      // With an init, a Request loses its referrer.
      { ...own && { referrer, referrerPolicy }, ...membersOf(init), headers }
    )
    hear(response)
    return response
  }
}
