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

/** @throws TypeError naming the option that is wrong or unknown */
export function checkOptions (options: VersionedFetchOptions): void {
  const { version, place, origins, onNotice } = options
  const given = Object(place) as Record<string, unknown>
  const { param = 'version', unversioned } = given
  const places = Object.keys(TEMPLATES)
  const [name, another] = places.filter((one) => one in given)
  check(typeof place === 'object' && place, 'Invalid "place": expected an object')
  checkNames('', options, ['version', 'place', 'origins', 'onNotice'])
  checkNames('place.', given, [...places, 'contentType', 'param', 'unversioned'])
  check(name, `Invalid "place": expected one of ${places.join(', ')}`)
  check(!another, `Invalid "place": expected one place, got ${name} and ${another}`)
  const isLike = (pattern: RegExp, value: unknown) => typeof value === 'string' && pattern.test(value)
  const prefixes = Object.entries(Object(unversioned))
  const checks: Record<string, unknown> = {
    [`place.${name}`]: isLike(TEMPLATES[name], given[name]),
    'place.param': isLike(TOKEN, param),
    'place.unversioned': unversioned == null || (
      given.path && prefixes[0] && prefixes.every(([one, prefix]) => isLike(VERSION, one) && isLike(PREFIX, prefix))
    ),
    version: isLike(given.host ? /^[a-z\d-]+$/ : VERSION, version),
    origins: origins?.every?.((origin) => parseUrl(origin)?.origin === origin) ?? !origins,
    onNotice: typeof (onNotice ?? isLike) === 'function'
  }
  for (const option in checks) check(checks[option], `Invalid "${option}"`)
}

function checkNames (prefix: string, given: object, known: readonly string[]): void {
  for (const name in given) {
    check(known.includes(name), `Unknown option "${prefix}${name}": expected one of ${known.join(', ')}`)
  }
}

function check (isRight: unknown, message: string): void {
  if (!isRight) throw new TypeError(message)
}
