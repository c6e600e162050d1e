import { moved } from './request.ts'
import { toTeller } from './teller.ts'

import type { VersionedFetchOptions, VersionMiddleware } from '../../types/client.d.ts'

/** A middleware for openapi-fetch, which has made the Request for its middleware. */
export function versionMiddleware (options: VersionedFetchOptions): VersionMiddleware {
  const tell = toTeller(options)
  return {
    async onRequest ({ request }) {
      const [url] = tell(request.url, request.headers, '') ?? [request.url]
      return url === request.url ? request : moved(request, url)
    },
    onResponse ({ request, response }) {
      tell(request.url, request.headers, request.method)?.[1](response)
      return undefined
    }
  }
}
