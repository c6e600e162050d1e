import { versionedFetch } from '../../src/client/index.ts'

import type { VersionedFetchOptions, VersionPlace } from '../../types/client.d.ts'

/** What a call hands to the `fetch` that it wraps. */
export interface Call { input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1] }

/** A versioned fetch that answers itself, and what it was called with. */
export function spied (
  place: VersionPlace, options: Partial<VersionedFetchOptions> = {}, answer = () => new Response()
) {
  const calls: Call[] = []
  const api = versionedFetch({ version: 'v2', place, ...options }, async (input, init) => {
    calls.push({ input, init })
    return answer()
  })
  return { api, calls }
}

/** The URL that a call to `url` goes to. */
export async function urlOf (place: VersionPlace, url: string, version = 'v2'): Promise<string> {
  const { api, calls } = spied(place, { version })
  await api(url)
  return String(calls[0].input)
}

/** The header that a call with such headers sends. */
export async function fieldOf (
  place: VersionPlace, name: string, headers: Record<string, string>, options: Partial<VersionedFetchOptions> = {}
): Promise<string | null> {
  const { api, calls } = spied(place, options)
  await api('https://api.example.com/bookings', { headers })
  return new Headers(calls[0].init?.headers).get(name)
}
