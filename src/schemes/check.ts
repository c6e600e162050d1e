import { KINDS, VersioningOptionError, addSentence } from '../errors.ts'
import { isToken, namesIn } from '../http/headers.ts'
import { show, suggestionFor } from '../messages.ts'
import { SETTINGS, normalizeSettings } from '../options/options.ts'
import { must } from '../options/read.ts'

const LINK_PLACES = ['path', 'namespace', 'query', 'host', 'nowhere']
const NAMES = Object.keys(SETTINGS)
/** What must be a field: the plugin reads it once, when the scheme is registered. */
const FIELDS = [
  ...NAMES, 'label', 'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting',
  'hostnameRegex', 'linkOptions', 'refusalKind'
]
/** What else a class below the ones of this package may replace. */
const OPEN = [
  'readVersion', 'determineVersion', 'isAllowedVersion', 'permit', 'refusal', 'linkVersion', 'reverse', 'mediaTypeFor',
  'hostFor', 'impliedParam', 'parameter', ...Object.getOwnPropertyNames(Object.prototype)
]

/** @throws FST_ERR_VERSIONING_OPTION for settings that are no object, or that have nearly the name of one */
export function checkSettings (settings: unknown): void {
  must(typeof settings === 'object' && settings !== null, 'settings', 'an object', settings)
  for (const [option, value] of Object.entries(settings)) {
    const hint = NAMES.includes(option) ? '' : suggestionFor(option, NAMES)
    if (hint !== '') throw addSentence(new VersioningOptionError(option, 'a setting of schemes', show(value)), hint)
  }
}

/**
 * Checks what the classes of an app add to the one of this package that they extend.
 *
 * @throws FST_ERR_VERSIONING_OPTION for an accessor in place of a field, and a member with a name that the plugin uses
 */
export function checkMembers (scheme: object): void {
  const { name: className } = scheme.constructor
  const taken = `another name for a member of ${className}, because the plugin has one of this name`
  let ours: object = Object.getPrototypeOf(scheme)
  // The classes of this package have their place on the prototype.
  while (Object.getOwnPropertyDescriptor(ours, 'place')?.value === undefined) ours = Object.getPrototypeOf(ours)
  for (let owner = scheme; owner !== ours; owner = Object.getPrototypeOf(owner)) {
    for (const [name, { enumerable, get, value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      const isField = FIELDS.includes(name)
      must(!isField || get === undefined, name, `a field of ${className}`, get)
      const isTaken = !isField && name in ours && !OPEN.includes(name) && (owner !== scheme || enumerable)
      must(!isTaken, name, taken, value)
    }
  }
}

/** As `checkMembers`, when all class fields are there: they are checked and read like settings. */
export function checkScheme (scheme: object): void {
  checkMembers(scheme)
  const { allowedVersions, mediaTypes } = normalizeSettings(scheme)
  Object.assign(scheme, { allowedVersions, mediaTypes })
  const { defaultVersion, hostnameRegex, linkPlace, refusalKind, vary } = scheme as Record<string, unknown>
  const isText = defaultVersion === null || typeof defaultVersion === 'string'
  const expected = 'a string or null, because only the constructor of BaseVersioning takes a function'
  must(isText, 'defaultVersion', expected, defaultVersion)
  const isVary = vary === null || (typeof vary === 'string' && namesIn(vary).every(isToken))
  must(isVary, 'vary', 'the name of a request header, or null', vary)
  const isKind = Object.hasOwn(KINDS, String(refusalKind))
  must(isKind, 'refusalKind', `one of ${Object.keys(KINDS).join(', ')}`, refusalKind)
  must(LINK_PLACES.includes(String(linkPlace)), 'linkPlace', `one of ${LINK_PLACES.join(', ')}`, linkPlace)
  const hasHost = 'hostnameRegex' in scheme
  must(linkPlace !== 'host' || hasHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace)
  const isPattern = hostnameRegex instanceof RegExp && hasGroup(hostnameRegex)
  must(isPattern || !hasHost, 'hostnameRegex', 'a regular expression with a group for the version', hostnameRegex)
}

/** An alternative that matches nothing leaves all groups empty, but there. */
function hasGroup ({ source, flags }: RegExp): boolean {
  return (new RegExp(`|${source}`, flags).exec('') as RegExpExecArray).length > 1
}
