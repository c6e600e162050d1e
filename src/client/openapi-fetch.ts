import { toListener } from './listener.ts'
import { fieldsOf } from './request.ts'
import { toWriter } from './write.ts'

import type { VersionedFetchOptions, VersionMiddleware } from '../../types/client.d.ts'

/** A middleware for openapi-fetch. */
export function versionMiddleware (options: VersionedFetchOptions): VersionMiddleware {
  const write = toWriter(options)
  const listen = toListener(options)
  const writeInto = ({ url, headers }: Request) => write(url, (name) => headers.get(name))
  return {
    async onRequest ({ request }) {
      const { url, headers } = writeInto(request)
      // The Request is not the caller's: openapi-fetch has made it for its middleware.
      for (const [name, value] of headers) request.headers.set(name, value)
      return url === request.url ? undefined : new Request(url, await fieldsOf(request))
    },
    onResponse ({ request, response }) {
      const { version, isTold } = writeInto(request)
      if (isTold) listen?.(response, response.url || request.url, request.method, version)
      return undefined
    }
  }
}
