import { fieldIn } from './fields.ts'
import { toListener } from './listener.ts'
import { toWriter } from './write.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'
import type { Place } from './options.ts'

type Entries = ReadonlyArray<readonly [name: string, value: unknown]>

/** What undici dispatches, as far as the version is concerned. */
interface DispatchOptions {
  readonly origin?: string | URL
  readonly path: string
  readonly method: string
  readonly query?: Readonly<Record<string, unknown>> | null
  readonly headers?: unknown
}

interface DispatchHandler {
  onResponseStart? (controller: unknown, statusCode: number, headers: object, statusMessage?: string): void
}

type Dispatch = (request: DispatchOptions, handler: DispatchHandler) => boolean

/** An interceptor for undici's `compose`. */
export function versionInterceptor (
  options: VersionedFetchOptions
): <Given extends (options: never, handler: never) => boolean>(dispatch: Given) => Given {
  const write = toWriter(options)
  const listen = toListener(options)
  const { query: parameter } = options.place as Place

  return (dispatch) => {
    const dispatchVersion: Dispatch = (request, handler) => {
      const { origin, path, method, query } = request
      const entries = entriesOf(request.headers)
      const url = (origin ? new URL(origin).origin : '') + path
      const { version, isTold, ...written } = write(url, (name) => fieldIn(entries, name.toLowerCase()))
      const next: Record<string, unknown> = { ...request }
      if (written.headers.length > 0) next.headers = recordOf(entries, written.headers)
      if (query && parameter && isTold) {
        // undici refuses a path that has a query besides this one.
        next.query = { ...query, [parameter]: version }
      } else if (written.url !== url) {
        const [start] = /^(?:https?:\/\/[^/?#]*)?/i.exec(written.url) as RegExpExecArray
        next.origin = start || origin
        next.path = written.url.slice(start.length)
      }
      return (dispatch as unknown as Dispatch)(next as unknown as DispatchOptions, listen && isTold
        ? heard(handler, (response) => listen(response, written.url, method, version))
        : handler)
    }
    return dispatchVersion as never
  }
}

/** A handler that hears of the response first. */
function heard (handler: DispatchHandler, hear: (response: { statusCode: number, headers: object }) => void) {
  return new Proxy(handler, {
    get (target, name) {
      const own = target[name as keyof DispatchHandler] as unknown
      if (typeof own !== 'function') return own
      return (...args: Parameters<NonNullable<DispatchHandler['onResponseStart']>>) => {
        // Other statuses inform of a response that is to come.
        if (name === 'onResponseStart' && args[1] >= 200) hear({ statusCode: args[1], headers: args[2] })
        return own.apply(target, args) as unknown
      }
    }
  })
}

/** Headers as undici takes them: names and values in turn, pairs of them, or an object. */
function entriesOf (headers: unknown): Entries {
  if (Array.isArray(headers)) return headers.flatMap((name, i) => i % 2 ? [] : [[name, headers[i + 1]]])
  const given = (headers ?? {}) as Iterable<Entries[number]>
  return given[Symbol.iterator] ? [...given] : Object.entries(given)
}

/** An object of headers, as every interceptor reads them. */
function recordOf (entries: Entries, added: Entries): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  const names = added.map(([name]) => name.toLowerCase())
  const kept = entries.filter(([name]) => !names.includes(name.toLowerCase()))
  for (const [name, value] of [...kept, ...added]) record[name] = name in record ? [record[name], value].flat() : value
  return record
}
