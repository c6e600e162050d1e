import { isEnding, readVersionNotice } from './notice.ts'
import { pageOf } from './url.ts'

import type { VersionedFetchOptions, VersionNoticeSource } from '../../types/client.d.ts'
import type { Place } from './options.ts'

/** Hears of a response. It never throws. */
export type Listener = (response: VersionNoticeSource, url: string, method: string, version: string | null) => void

const MAX_REMEMBERED = 100
const VARYING = /\/(?:\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![^/?#])/gi

/** What calls `onNotice` when a version ends, once for each kind of request; undefined: nobody wants to know. */
export function toListener ({ onNotice, place }: VersionedFetchOptions): Listener | undefined {
  const { header, param } = place as Place
  /** The last notice by kind of request, the oldest first. */
  const remembered = new Map<string, string>()

  return onNotice && function listen (response, url, method, version) {
    // What an async function throws or waits for does not reach its caller.
    (async () => {
      const notice = readVersionNotice(response, url, { method, version, header, param })
      if (!notice || !isEnding(notice)) return
      const kind = `${notice.version} ${method} ${pageOf(url)}`.replace(VARYING, '/*')
      const text = JSON.stringify({ ...notice, message: '' }, withoutVarying)
      if (remembered.get(kind) === text) return
      remembered.delete(kind)
      remembered.set(kind, text)
      if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as string)
      await onNotice(notice)
    })().catch(() => {})
  }
}

function withoutVarying (_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(VARYING, '/*') : value
}
