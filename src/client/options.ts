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
  accept: /.\/./,
  header: /^[\w-]+$/,
  query: /./,
  path: /^\/[\w./~-]*{version}[\w.~-]*$/,
  host: /^{version}(\.[\w-]+)+$/
}

/** @throws TypeError naming the option that is wrong */
export function checkOptions ({ version, place, origins, onNotice }: VersionedFetchOptions, fetch?: unknown): void {
  const given = Object(place) as Record<string, unknown>
  const [name, another] = Object.keys(PLACES).filter((one) => one in given)
  const isLike = (pattern: RegExp, value: unknown) => typeof value === 'string' && pattern.test(value)
  const isFunction = (value: unknown) => value === undefined || typeof value === 'function'
  const wrong = another || !name ? 'place'
    : !isLike(PLACES[name], given[name]) ? `place.${name}`
      : !isLike(given.host ? /^[a-z\d-]+$/ : /^\w[\w.~-]*$/, version) ? 'version'
        : ![origins ?? []].flat().every((origin) => parseUrl(origin)?.origin === origin) ? 'origins'
          : !isFunction(onNotice) ? 'onNotice' : !isFunction(fetch) && 'fetch'
  if (wrong) throw new TypeError(`Invalid option "${wrong}"`)
}
