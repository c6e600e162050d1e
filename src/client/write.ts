import { toMediaTypeWriter } from './media-types.ts'
import { checkOptions } from './options.ts'
import { resolve, toHostWriter, toPathWriter, toQueryWriter } from './url.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'
import type { Place } from './options.ts'
import type { WriteUrl } from './url.ts'

/** A request with the version in its place. */
export interface Written {
  readonly url: string
  /** The headers to set. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The version that the request names; null: none. */
  readonly version: string | null
  /** Whether the version may be told to this URL. */
  readonly isTold: boolean
}

/** Reads a header of the caller; null or `''`: it is not there. */
export type GetField = (name: string) => string | null

/** @param url as the caller wrote it */
export type Write = (url: string, get: GetField) => Written

const NOTHING = { headers: [], version: null, isTold: true }

/** @throws TypeError naming the option that is wrong */
export function toWriter (options: VersionedFetchOptions): Write {
  checkOptions(options)
  const { origins } = options
  const writeInto = toPlaceWriter(options.version, options.place as Place)
  return function write (url, get) {
    const isHttp = !/^\s*(?!https?:)[a-z][\w+.-]*:/i.test(url)
    const isTold = isHttp && (!origins || origins.includes(resolve(url)?.origin as string))
    return { url, ...NOTHING, isTold, ...isTold && writeInto(url, get) }
  }
}

function toPlaceWriter (version: string, place: Place): (...args: Parameters<Write>) => Partial<Written> {
  const { accept, contentType, param = 'version', header, query, path, versions, host } = place
  if (header) {
    return function writeHeader (_url, get) {
      const own = get(header)
      return own ? { version: own } : { version, headers: [[header, version]] }
    }
  }
  if (accept) {
    const writeMediaTypes = toMediaTypeWriter(version, accept, param)
    return function writeMediaTypeFields (_url, get) {
      const fields = ['accept', ...contentType ? ['content-type'] : []]
      const named = fields.map((name) => [name, get(name) || (name === 'accept' ? accept : '')] as const)
        .filter(([, text]) => text).map(([name, text]) => [name, writeMediaTypes(text)] as const)
      const own = named.find(([, { isOwn }]) => isOwn)
      if (own) return { version: own[1].version }
      return { version, headers: named.map(([name, { text }]) => [name, text]) }
    }
  }
  const writeUrl: WriteUrl =
    query ? toQueryWriter(version, query) : path ? toPathWriter(version, path, versions) : toHostWriter(version, host as string)
  return function writeUrlPlace (url) {
    const written = writeUrl(url)
    return written === null ? {} : { version, url: written }
  }
}
