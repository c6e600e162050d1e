import { parseUrl } from './url.ts'

import type {
  AcceptPlace, HeaderPlace, HostPlace, PathPlace, QueryPlace, VersionedFetchOptions
} from '../../types/client.d.ts'

/** The option `place` as one object. */
export type Place = Partial<AcceptPlace & HeaderPlace & QueryPlace & PathPlace & HostPlace>

const TOKEN = /^[\w-]+$/

/** What the template of each place looks like. */
const PLACES: Readonly<Record<string, RegExp>> = {
  accept: /^(?!(.*{version}){2})[ -~]*\/[ -~]*$/,
  header: TOKEN,
  // Any text that can be encoded.
  query: /^[^\ud800-\udfff]+$/u,
  path: /^(?!.*\/\.+\/)(\/[\w.~-]+)*\/[\w.~-]*{version}[\w.~-]*$/,
  host: /^{version}(\.[\w-]+)+$/
}

/** @throws TypeError naming the option that is wrong or unknown */
export function checkOptions ({ version, place, origins, onNotice, ...others }: VersionedFetchOptions): void {
  const { contentType, param, ...given } = Object(place) as Place
  const [name = '', ...more] = Object.keys(given)
  const names = Object.keys(PLACES).join(', ')
  const check = (option: string, isRight: unknown, expected = '') => {
    if (!isRight) throw new TypeError(`Invalid "${option}"${expected && `: expected one of ${expected}`}`)
  }
  const isLike = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value)
  for (const other in others) check(other, false, 'version, place, origins, onNotice')
  check('place', Object.hasOwn(PLACES, name) && !more[0], names)
  check(`place.${name}`, isLike(given[name as 'path'], PLACES[name]))
  check('place.param', isLike(param ?? name, TOKEN))
  check('version', isLike(version, given.host ? /^[a-z\d-]+$/ : /^\w[\w.~-]*$/))
  check('origins', origins?.every?.((origin) => parseUrl(origin)?.origin === origin) ?? !origins)
  check('onNotice', typeof (onNotice ?? check) === 'function')
}
