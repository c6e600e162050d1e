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
  readonly versions?: readonly string[]
  readonly host?: string
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
/** Any text that a URL can have escaped. */
const TEXT = /^[^\ud800-\udfff]+$/u

/** What each place can be, and the versions that it carries so that the server reads the same. */
const PLACES: Readonly<Record<string, readonly [place: RegExp, version: RegExp]>> = {
  accept: [/^[\t -~]*\/[\t -~]*$/, /^[ -~]+$/],
  header: [TOKEN, /^[!-+\--~]+( +[!-+\--~]+)*$/],
  query: [TEXT, TEXT],
  path: [/^\/([^?#{}]*\/)?[^?#{}/]*\{version\}[^?#{}/]*$/, /^(?!\.\.?$)[^\ud800-\udfff]+$/u],
  host: [/^\{version\}(\.[\w-]+)+$/, /^[a-z\d]([a-z\d-]*[a-z\d])?$/]
}

/** Whether a text can stand in a header without quotes. */
export function isToken (text: string): boolean {
  return TOKEN.test(text)
}

/** @throws TypeError naming the option */
export function check (isRight: unknown, option: string): asserts isRight {
  if (!isRight) throw new TypeError(`Invalid option "${option}"`)
}

/** @throws TypeError naming the option that is wrong */
export function checkOptions (options: VersionedFetchOptions): void {
  const { version, place, origins, onNotice } = options
  const { accept, contentType = false, param = 'version', versions = [] } = place as Place
  const [name, ...others] = Object.keys(PLACES).filter((one) => one in place)
  const value = (place as unknown as Record<string, unknown>)[name]
  check(name && others.length === 0, 'place')
  check(isLike(value, PLACES[name][0]), `place.${name}`)
  check(isLike(version, accept?.includes('{version}') ? TOKEN : PLACES[name][1]), 'version')
  check(typeof contentType === 'boolean', 'place.contentType')
  check(isLike(param, TOKEN), 'place.param')
  check(Array.isArray(versions) && versions.every((one) => isLike(one, TEXT)), 'place.versions')
  check(origins === undefined || (Array.isArray(origins) && origins.every(isOrigin)), 'origins')
  check(onNotice === undefined || typeof onNotice === 'function', 'onNotice')
}

function isLike (value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

function isOrigin (value: unknown): boolean {
  return parseUrl(value as string)?.origin === value
}
