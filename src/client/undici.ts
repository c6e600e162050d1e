import { keyOf } from './fields.ts'
import { toTeller } from './teller.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'
import type { Place } from './options.ts'

/** What undici dispatches, as far as the version is concerned. */
interface DispatchOptions {
  readonly origin?: string | URL
  readonly path: string
  readonly method: string
  readonly query?: Readonly<Record<string, unknown>> | null
  /** An object, pairs in a Map or in another iterable, or names and values in turn. */
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
  const tell = toTeller(options)
  const { query: parameter, accept, header } = options.place as Place

  const toDispatch = (dispatch: Dispatch): Dispatch => (request, handler) => {
    const { origin, path, query } = request
    const start = origin ? new URL(origin).origin : ''
    const headers = accept ?? header ? recordOf(request.headers) : {}
    const told = tell(start + path, {
      get: (name) => [headers[keyOf(headers, name)] ?? []].flat().join(', '),
      set (name, value) { headers[keyOf(headers, name)] = value }
    }, request.method)
    if (!told) return dispatch(request, handler)

    const [url, hear] = told
    const pathAt = start ? url.indexOf('/', 8) : 0
    const target = query && parameter
      // undici refuses a path with a query besides this one.
      ? { query: { ...query, [parameter]: options.version } }
      : { origin: url.slice(0, pathAt) || origin, path: url.slice(pathAt) }
    const fields = (accept ?? header) && { headers }
    return dispatch({ ...request, ...target, ...fields as object } as DispatchOptions, new Proxy(handler, {
      get (target, name) {
        const own = target[name as 'onResponseStart']
        return own && ((...args: Parameters<typeof own>) => {
          // A status below 200 informs of a response that is to come.
          if (name === 'onResponseStart' && args[1] > 199) hear({ status: args[1], headers: args[2] })
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
