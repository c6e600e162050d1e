import { toAnnotator } from './annotator.ts'
import { keyOf } from './fields.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'
import type { Place } from './options.ts'

/** The members of undici's dispatch options that the version concerns. */
interface DispatchOptions {
  readonly origin?: string | URL
  readonly path: string
  readonly method: string
  readonly query?: Readonly<Record<string, unknown>> | null
  /** An object, pairs in a Map or in another iterable, or a list of names and values in turn. */
  readonly headers?: object | null
}

interface DispatchHandler {
  onResponseStart? (controller: unknown, statusCode: number, headers: object, statusMessage?: string): void
}

type Dispatch = (request: DispatchOptions, handler: DispatchHandler) => boolean

/** An interceptor for undici's `compose`. */
export function versionInterceptor (
  options: VersionedFetchOptions
): <Given extends (options: never, handler: never) => boolean>(dispatch: Given) => Given {
  const annotate = toAnnotator(options)
  const annotateWithoutOrigin = toAnnotator({ ...options, origins: undefined })
  const { query: parameter, accept, header } = options.place as Place

  const toDispatch = (dispatch: Dispatch): Dispatch => (request, handler) => {
    const { origin, path, query } = request
    // The path of CONNECT is a host.
    if (path[0] !== '/') return dispatch(request, handler)
    // A path that begins with two slashes would be a host.
    const given = (origin ? new URL(origin).origin : path[1] === '/' ? '/.' : '') + path
    const headers = accept ?? header ? recordOf(request.headers) : {}
    const annotated = (origin ? annotate : annotateWithoutOrigin)(given, {
      get: (name) => [headers[keyOf(headers, name)] ?? []].flat().join(', '),
      set (name, value) { headers[keyOf(headers, name)] = value }
    }, request.method)
    if (!annotated) return dispatch(request, handler)

    const [url, onResponse] = annotated
    const pathAt = origin ? url.indexOf('/', 8) : url.startsWith('/.//') ? 2 : 0
    const target = query && parameter
      // undici refuses a path with a query if there is also this one.
      ? { query: { ...query, [parameter]: options.version } }
      : url !== given && { origin: origin && url.slice(0, pathAt), path: url.slice(pathAt) }
    const fields = (accept ?? header) && { headers }
    return dispatch({ ...request, ...target as object, ...fields as object }, new Proxy(handler, {
      get (target, name) {
        const own = target[name as 'onResponseStart']
        return own && ((...args: Parameters<typeof own>) => {
          // A status below 200 announces the response.
          if (name === 'onResponseStart' && args[1] > 199) onResponse({ status: args[1], headers: args[2] })
          return own.apply(target, args)
        })
      }
    }))
  }
  return toDispatch as never
}

function recordOf (headers: object | null | undefined): Record<string, string | string[]> {
  if (Array.isArray(headers)) {
    return Object.fromEntries(headers.flatMap((name, i) => i % 2 ? [] : [[name, headers[i + 1]]]))
  }
  return headers && Symbol.iterator in headers ? Object.fromEntries(headers as Map<string, string>) : { ...headers }
}
