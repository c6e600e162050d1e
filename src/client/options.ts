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
  readonly unversioned?: Readonly<Record<string, string>> | null
  readonly host?: string
}

const TOKEN = /^[\w-]+$/
const VERSION = /^\w[\w.~-]*$/

/** What the template of each place looks like. */
const TEMPLATES: Readonly<Record<string, RegExp>> = {
  accept: /^(?!(.*{version}){2})[ -~]*\/[ -~]*$/,
  header: TOKEN,
  // Any text that can be encoded.
  query: /^[^\ud800-\udfff]+$/u,
  path: /^(?!.*\/\.+\/)(\/[\w.~-]+)*\/[\w.~-]*{version}[\w.~-]*$/,
  host: /^{version}(\.[\w-]+)+$/
}

/** A path without a version: it has neither dot segments nor a slash at its end. */
const PREFIX = /^(?!.*\/\.+(\/|$))(\/|(\/[\w.~-]+)+)$/

/** @throws TypeError naming the option that is wrong */
export function checkOptions ({ version, place, origins, onNotice }: VersionedFetchOptions): void {
  const given = Object(place) as Record<string, unknown>
  const { param = 'version', unversioned } = given
  const [name, another] = Object.keys(TEMPLATES).filter((one) => one in given)
  const isLike = (pattern: RegExp, value: unknown) => typeof value === 'string' && pattern.test(value)
  const prefixes = Object.entries(Object(unversioned))
  const checks: Record<string, unknown> = {
    place: name && !another,
    [`place.${name}`]: name && isLike(TEMPLATES[name], given[name]),
    'place.param': isLike(TOKEN, param),
    'place.unversioned': unversioned == null || (
      given.path && prefixes[0] && prefixes.every(([one, prefix]) => isLike(VERSION, one) && isLike(PREFIX, prefix))
    ),
    version: isLike(given.host ? /^[a-z\d-]+$/ : VERSION, version),
    origins: origins?.every?.((origin) => parseUrl(origin)?.origin === origin) ?? !origins,
    onNotice: typeof (onNotice ?? isLike) === 'function'
  }
  for (const option in checks) {
    if (!checks[option]) throw new TypeError(`Invalid "${option}"`)
  }
}
