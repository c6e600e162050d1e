import { NOT_ENDING, readVersionNotice } from './notice.ts'
import { checkOptions } from './options.ts'
import { toPlaceWriter } from './places.ts'
import { parseUrl } from './url.ts'

import type { VersionedFetchOptions, VersionNoticeSource } from '../../types/client.d.ts'
import type { Place } from './options.ts'
import type { Fields } from './places.ts'

/**
 * Names the version in a request.
 *
 * @param url as the caller wrote it
 * @param headers a copy of the caller's, into which the version is written
 * @returns the URL, and what is to hear of the response, which never throws; undefined: the URL is not to be told
 */
export type Teller = (url: string, headers: Fields, method: string) => [url: string, hear: Listener] | undefined

type Listener = (response: VersionNoticeSource & { readonly url?: string }) => void

const NUMBER_OR_UUID = /\/(\d+|[\da-f-]{36})(?![\w.-])/gi

/** @throws TypeError naming the option that is wrong */
export function toTeller (options: VersionedFetchOptions): Teller {
  checkOptions(options)
  const { version, origins, onNotice } = options
  const place = options.place as Place
  const write = toPlaceWriter(version, place)
  /** The last notices, the oldest first. */
  const remembered = new Set<string>()

  return (given, headers, method) => {
    if (origins && !origins.includes(parseUrl(given)?.origin as string)) return undefined
    const [url, named] = write(given, headers)
    return [url, (response) => {
      // What an async function throws does not reach its caller.
      (async () => {
        const context = { ...place, method, version: named }
        const notice = onNotice && readVersionNotice(response, response.url || url, context)
        if (!notice || notice.message.endsWith(NOT_ENDING)) return
        const kind = JSON.stringify(notice).replace(NUMBER_OR_UUID, '/*')
        if (remembered.has(kind)) return
        if (remembered.add(kind).size > 100) remembered.delete([...remembered][0])
        await onNotice(notice)
      })().catch(() => {})
    }]
  }
}
