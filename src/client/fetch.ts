import { readVersionNotice } from './notice.ts'
import { checkOptions } from './options.ts'
import { toPlaceWriter } from './places.ts'
import { parseUrl } from './url.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'
import type { Place } from './options.ts'

const NUMBER_OR_UUID = /\/(\d+|[\da-f-]{36})(?![\w.-])/gi

/** Wraps `fetch` so that every call sends the version. */
export function versionedFetch (
  options: VersionedFetchOptions, fetch: typeof globalThis.fetch = globalThis.fetch
): typeof globalThis.fetch {
  checkOptions(options)
  const { version, origins, onNotice } = options
  const place = options.place as Place
  const write = toPlaceWriter(version, place)
  /** The last notices, oldest first. */
  const remembered = new Set<string>()

  const report = async (response: Response, url: string, method: string, requested: string) => {
    const context = { ...place, method, version: requested }
    const notice = onNotice && readVersionNotice(response, response.url || url, context)
    if (!notice || / is not deprecated$/.test(notice.message)) return
    const kind = notice.message.replace(NUMBER_OR_UUID, '/*')
    if (remembered.has(kind)) return
    if (remembered.add(kind).size > 100) remembered.delete([...remembered][0])
    await onNotice(notice)
  }

  return async (input, init) => {
    // A Request of any realm or library has headers.
    const { url = String(input), headers: own, method, referrer, referrerPolicy } = input as Request
    if (origins && !origins.includes(parseUrl(url)?.origin as string)) return fetch(input, init)
    const headers = new Headers(init?.headers ?? own)
    const [target, requested] = write(url, headers)
    const members = membersOf(init)
    const response = await fetch(
      target === url ? input : own ? await moved(input as Request, target, members.body) : target,
      // With an init, a Request loses its referrer.
      { ...own && { referrer, referrerPolicy }, ...members, headers }
    )
    report(response, target, init?.method ?? method ?? 'GET', requested).catch(() => {})
    return response
  }
}

/** What `fetch` reads from an object, with the inherited members of a Request. */
function membersOf (given: object | undefined): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const name in given) members[name] = given[name as never]
  return members
}

/**
 * Copies a Request to another URL. Its body is read first, unless the call has another one: a stream cannot be sent
 * with `keepalive`, by browsers over HTTP/1.1, or again after a redirect.
 */
async function moved (request: Request, url: string, otherBody: unknown): Promise<Request> {
  const init = membersOf(request)
  // An ArrayBuffer is lost at redirects in Node 20 and 22; the type of the Blob, which a slice lacks, becomes a header.
  const body = otherBody == null && (await request.blob()).slice()
  init.body = body && body.size ? body : null
  // As `fetch` does it: no Request can be made with the mode of a page load.
  if (init.mode === 'navigate') init.mode = 'same-origin'
  return new (request.constructor as typeof Request)(url, init)
}
