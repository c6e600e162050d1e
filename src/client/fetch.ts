import { check } from './options.ts'
import { toListener } from './listener.ts'
import { fieldsOf, fieldsIn } from './request.ts'
import { toWriter } from './write.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'

/** Wraps `fetch` so that every call names the version. */
export function versionedFetch (
  options: VersionedFetchOptions, fetch: typeof globalThis.fetch = globalThis.fetch
): typeof globalThis.fetch {
  const write = toWriter(options)
  const listen = toListener(options)
  check(typeof fetch === 'function', 'fetch')

  return async function fetchVersion (input, init) {
    // Of any realm or library.
    const request = typeof (input as Request).url === 'string' ? input as Request : undefined
    const url = request ? request.url : String(input)
    const headers = new Headers(init?.headers ?? request?.headers)
    const written = write(url, (name) => headers.get(name))
    for (const [name, value] of written.headers) headers.set(name, value)

    const isMoved = written.url !== url
    const fields = request && isMoved ? await fieldsOf(request, init) : init
    const response = await fetch(
      isMoved ? written.url : input, written.headers.length > 0 ? { ...fieldsIn(fields), headers } : fields
    )
    const method = init?.method ?? request?.method ?? 'GET'
    if (written.isTold) listen?.(response, response.url || written.url, method.toUpperCase(), written.version)
    return response
  }
}
