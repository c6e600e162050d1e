import { NOT_ENDING, readVersionNotice } from './notice.ts'
import { checkOptions } from './options.ts'
import { toPlaceWriter } from './places.ts'
import { parseUrl } from './url.ts'

import type { VersionedFetchOptions, VersionNoticeSource } from '../../types/client.d.ts'
import type { Place } from './options.ts'
import type { Fields } from './places.ts'

/**
 * Writes the version into a request.
 *
 * @param url as the caller wrote it
 * @param headers a copy of the caller's headers; the version is written into it
 * @returns the URL, and a function to call with the response, which never throws; or undefined if the request must be
 * sent as it is
 */
type Annotator = (url: string, headers: Fields, method: string) =>
  [url: string, onResponse: ResponseListener] | undefined

export type ResponseListener = (response: VersionNoticeSource & { readonly url?: string }) => void

const NUMBER_OR_UUID = /\/(\d+|[\da-f-]{36})(?![\w.-])/gi

/** @throws TypeError naming the option that is wrong */
export function toAnnotator (options: VersionedFetchOptions): Annotator {
  checkOptions(options)
  const { version, origins, onNotice } = options
  const place = options.place as Place
  const write = toPlaceWriter(version, place)
  /** The last notices, oldest first. */
  const remembered = new Set<string>()

  return (given, headers, method) => {
    if (origins && !origins.includes(parseUrl(given)?.origin as string)) return undefined
    const [url, requested] = write(given, headers)
    return [url, (response) => {
      // Errors thrown inside an async function do not reach its caller.
      (async () => {
        const context = { ...place, method, version: requested }
        const notice = onNotice && readVersionNotice(response, response.url || url, context)
        if (!notice || notice.message.endsWith(NOT_ENDING)) return
        // The clock of the client advances between two responses with the same instant.
        const kind = JSON.stringify({ ...notice, retryAt: 0 }).replace(NUMBER_OR_UUID, '/*')
        if (remembered.has(kind)) return
        if (remembered.add(kind).size > 100) remembered.delete([...remembered][0])
        await onNotice(notice)
      })().catch(() => {})
    }]
  }
}
