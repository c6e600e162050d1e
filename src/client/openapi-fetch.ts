import { toAnnotator } from './annotator.ts'
import { moved } from './request.ts'

import type { VersionedFetchOptions, VersionMiddleware } from '../../types/client.d.ts'
import type { ResponseListener } from './annotator.ts'

/** A middleware for openapi-fetch, which makes the Request before it calls its middleware. */
export function versionMiddleware (options: VersionedFetchOptions): VersionMiddleware {
  const annotate = toAnnotator(options)
  /** By the options of a call, which are one object from its request to its response. */
  const listeners = new WeakMap<object, ResponseListener>()
  return {
    async onRequest ({ request, options }) {
      const annotated = annotate(request.url, request.headers, request.method)
      if (!annotated) return request
      const [url, onResponse] = annotated
      listeners.set(options, onResponse)
      return url === request.url ? request : moved(request, url)
    },
    onResponse ({ response, options }) {
      listeners.get(options)?.(response)
      return undefined
    }
  }
}
