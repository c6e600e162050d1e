import { show, warn } from '../messages.ts'
import { ignoreRejection } from '../promises.ts'
import { OUR_CLASSES } from './unused-settings.ts'

import type { RawRequest } from '../../types/index.d.ts'
import type { Versioned } from '../routes.ts'
import type { Scheme } from '../schemes/scheme.ts'

/** The host is in the key of every cache. */
const IN_KEYS = ['host', ':authority', 'x-forwarded-host']

/** Warns of schemes of the app that have no `vary`, although they read a header of a request without headers. */
export function checkVary (routes: readonly Versioned[]): void {
  const schemes = new Set(routes.flatMap(({ scheme }) => scheme.members))
  for (const scheme of schemes) {
    const names = scheme.vary ? [] : headersReadBy(scheme)
    if (names.length === 0) continue
    warn('FST_WARN_VERSION_HEADER', `Write vary = ${show(names.join(', '))} into the class ${scheme.label}: it reads ` +
      `${names.length > 1 ? 'these request headers' : 'this request header'}, and without Vary, caches send the ` +
      'response of one version to clients of another.')
  }
}

function headersReadBy ({ author }: Scheme): string[] {
  const isOurs = [...OUR_CLASSES].some(({ prototype }) => prototype.readVersion === author.readVersion)
  if (isOurs || author.readVersion === undefined) return []
  const names = new Set<string>()
  const headers = new Proxy({}, {
    get: (_headers, name) => { if (typeof name === 'string') names.add(name.toLowerCase()) }
  })
  try {
    ignoreRejection(author.readVersion({ headers, url: '/', method: 'GET' } as unknown as RawRequest))
  } catch {
    // It needs more of a request, or refuses this one.
  }
  return [...names].filter((name) => !IN_KEYS.includes(name))
}
