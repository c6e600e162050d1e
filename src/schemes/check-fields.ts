import { KINDS, must, forbid } from '../errors.ts'
import { isToken, namesIn } from '../http/headers.ts'
import { show } from '../messages.ts'
import { SETTINGS, normalizeSettings } from '../options/options.ts'
import { RULES } from './reading.ts'

import type { VersioningScheme } from '../../types/index.d.ts'
import type { Settings } from '../options/options.ts'

const LINK_PLACES = ['path', 'namespace', 'query', 'host', 'nowhere']

/** What of a scheme is read once, when it is registered, and is in its record. */
export const FIELDS = [
  'label', 'place', 'placeText', 'vary', 'invalidVersionMessage', 'knownAfterRouting', 'linkPlace', 'linkOptions',
  'defaultVersion'
] as const
const READ_ONCE = [...FIELDS, ...Object.keys(SETTINGS), 'refusalKind', 'hostnameRegex']

/**
 * What is read once cannot be computed. Only the classes of this package have accessors.
 *
 * @throws FST_ERR_VERSIONING_OPTION for an accessor in place of a field
 */
export function checkFields (scheme: object): void {
  for (let owner = scheme; !Object.hasOwn(owner, RULES); owner = Object.getPrototypeOf(owner)) {
    for (const name of READ_ONCE) {
      const get = Object.getOwnPropertyDescriptor(owner, name)?.get
      if (get === undefined) continue
      forbid('vary', `Make "${name}" of ${scheme.constructor.name} a class field, not a getter: the plugin reads it ` +
        'once, when it is registered.')
    }
  }
}

/** Whether an app has replaced what the classes of this package say, by a field of an object or of a class. */
export function isReplaced (scheme: object, name: string): boolean {
  let owner = scheme
  while (!Object.hasOwn(owner, name) && !Object.hasOwn(owner, RULES)) owner = Object.getPrototypeOf(owner)
  return !Object.hasOwn(owner, RULES)
}

/**
 * Checks a scheme when all class fields are there, which come after the constructor.
 *
 * @param hasHost whether it extends HostNameVersioning
 * @returns its settings
 * @throws FST_ERR_VERSIONING_OPTION for a field that is not right
 */
export function checkScheme (scheme: VersioningScheme, hasHost: boolean): Settings {
  checkFields(scheme)
  const { defaultVersion, linkPlace, refusalKind, vary } = scheme
  const isText = defaultVersion === null || defaultVersion === undefined || typeof defaultVersion === 'string'
  if (!isText) {
    const shown = typeof defaultVersion === 'function' ? 'a function' : show(defaultVersion)
    forbid('defaultVersion', `Invalid "defaultVersion" of ${scheme.constructor.name}: expected a string or null, got ` +
      `${shown}. Pass { header, version } to the constructor or to the plugin.`)
  }
  const settings = normalizeSettings(scheme)
  const isVary = vary === null || (typeof vary === 'string' && namesIn(vary).every(isToken))
  must(isVary, 'vary', 'the name of a request header, or null', vary)
  must(Object.hasOwn(KINDS, String(refusalKind)), 'refusalKind', `one of ${Object.keys(KINDS).join(', ')}`, refusalKind)
  must(LINK_PLACES.includes(String(linkPlace)), 'linkPlace', `one of ${LINK_PLACES.join(', ')}`, linkPlace)
  must(linkPlace !== 'host' || hasHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace)
  const { hostnameRegex: pattern } = scheme as { readonly hostnameRegex?: unknown }
  const isPattern = pattern === undefined || (pattern instanceof RegExp && hasGroup(pattern))
  must(isPattern, 'hostnameRegex', 'a regular expression with a group for the version', pattern)
  return settings
}

/** An alternative that matches nothing leaves all groups empty, but there. */
function hasGroup ({ source, flags }: RegExp): boolean {
  return (new RegExp(`|${source}`, flags).exec('') as RegExpExecArray).length > 1
}
