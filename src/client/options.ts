import { parseUrl } from './url.ts'

import type { VersionedFetchOptions } from '../../types/client.d.ts'

/** The option `place` as one object. */
export interface Place {
  readonly accept?: string
  readonly contentType?: boolean
  readonly param?: string
  readonly header?: string
  readonly query?: string
  readonly path?: string
  readonly host?: string
}

/** What each place looks like. */
const PLACES: Readonly<Record<string, RegExp>> = {
  accept: /\//,
  header: /^[\w-]+$/,
  query: /./,
  path: /^\/[\w./~-]*{version}[\w.~-]*$/,
  host: /^{version}(\.[\w-]+)+$/
}

/** @throws TypeError naming the option that is wrong */
export function checkOptions ({ version, place, origins, onNotice }: VersionedFetchOptions): void {
  const given = Object(place) as Record<string, unknown>
  const [name, another] = Object.keys(PLACES).filter((one) => one in given)
  const isLike = (pattern: RegExp, value: unknown) => typeof value === 'string' && pattern.test(value)
  const checks: Record<string, unknown> = {
    place: name && !another,
    [`place.${name}`]: name && isLike(PLACES[name], given[name]),
    version: isLike(given.host ? /^[a-z\d-]+$/ : /^\w[\w.~-]*$/, version),
    origins: origins?.every?.((origin) => parseUrl(origin)?.origin === origin) ?? !origins,
    onNotice: typeof (onNotice ?? isLike) === 'function'
  }
  for (const option in checks) {
    if (!checks[option]) throw new TypeError(`Invalid "${option}"`)
  }
}
