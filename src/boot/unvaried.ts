import { withNames } from '../http/response-headers.ts'
import { show, warn } from '../messages.ts'
import { ignoreRejection } from '../promises.ts'
import { isReplaced } from '../schemes/check-fields.ts'

import type { RawRequest } from '../../types/index.d.ts'
import type { Versioned } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** The headers with the host, which every cache has in its keys. */
const IN_KEYS = ['host', ':authority']

/** Warns of schemes of the app whose `vary` lacks a header that they read of a request without headers. */
export function checkVary (routes: readonly Versioned[]): void {
  for (const scheme of new Set(routes.flatMap(({ scheme }) => scheme.members))) {
    const written = scheme.vary ?? ''
    const names = headersReadBy(scheme).filter((name) => withNames(written, name) !== written)
    if (names.length === 0) continue
    const vary = withNames(written, names.join())
    warn('FST_WARN_VERSION_HEADER', `Write vary = ${show(vary)} into the class ${scheme.label}: it reads ` +
      `${names.length > 1 ? 'these request headers' : 'this request header'}, and without Vary, caches send the ` +
      'response of one version to clients of another.')
  }
}

function headersReadBy ({ author, linkPlace }: Scheme): string[] {
  if (!isReplaced(author, 'readVersion')) return []
  const names = new Set<string>()
  const headers: Readonly<Record<string, string>> = new Proxy({}, {
    get (headers, name) {
      if (name in headers) return Reflect.get(headers, name)
      if (typeof name === 'string') names.add(name.toLowerCase())
    }
  })
  try {
    const request = { headers, url: '/', method: 'GET', get cookies () { return headers.cookie } }
    ignoreRejection(author.readVersion?.(request as unknown as RawRequest))
  } catch {
    // The scheme needs more of a request, or refuses this request.
  }
  // For versions in the host, the plugin adds X-Forwarded-Host where the app trusts a proxy.
  if (linkPlace === 'host') names.delete('x-forwarded-host')
  return [...names].filter((name) => !IN_KEYS.includes(name))
}
