import { KINDS, VersioningOptionError, addSentence } from '../errors.ts'
import { isFieldNames } from '../http/headers.ts'
import { show, suggestionFor } from '../messages.ts'
import { SETTINGS, normalizeSettings } from '../options/options.ts'
import { must } from '../options/read.ts'

import type { VersionParameter } from '../../types/index.d.ts'

const LINK_PLACES = ['path', 'namespace', 'query', 'host', 'nowhere'] as const
export type LinkPlace = typeof LINK_PLACES[number]

const NAMES = Object.keys(SETTINGS)

/** What must be a field: the plugin reads it once, when the scheme is registered. */
const FIELDS = [
  ...NAMES, 'label', 'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting',
  'hostnameRegex', 'linkOptions', 'refusalKind'
]
const METHODS = [
  'readVersion', 'determineVersion', 'isAllowedVersion', 'permit', 'refusal', 'linkVersion', 'reverse', 'mediaTypeFor',
  'hostFor'
]
/** What else a class below the ones of this package may replace. */
const OPEN = [...METHODS, 'impliedParam', 'parameter', ...Object.getOwnPropertyNames(Object.prototype)]
const PARAMETER = "{ in, name } with 'query', 'header' or 'cookie' as in, or null"

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
  const owners = [scheme]
  let own: object = Object.getPrototypeOf(scheme)
  // The classes of this package have their place on the prototype.
  for (; !Object.hasOwn(own, 'place') || isAccessor(own, 'place'); own = Object.getPrototypeOf(own)) owners.push(own)
  for (const owner of owners) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (FIELDS.includes(name)) {
        if (isAccessor(owner, name)) throw new VersioningOptionError(name, `a field of ${className}`, 'an accessor')
      } else if (name in own && !OPEN.includes(name) && (owner !== scheme || Object.keys(owner).includes(name))) {
        const expected = `another name for a member of ${className}, because the plugin has one of this name`
        throw new VersioningOptionError(name, expected, show(Reflect.get(scheme, name)))
      }
    }
  }
}

function isAccessor (owner: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(owner, name)?.get !== undefined
}

/** As `checkMembers`, when all class fields are there: they are checked and read like settings. */
export function checkScheme (scheme: object): void {
  checkMembers(scheme)
  const { mediaTypes } = normalizeSettings(scheme)
  Object.assign(scheme, { mediaTypes })
  const members = scheme as Record<string, unknown>
  for (const name of METHODS) {
    must(members[name] === undefined || typeof members[name] === 'function', name, 'a method', members[name])
  }
  const { allowedVersions, defaultVersion, hostnameRegex, linkPlace, parameter, refusalKind, vary } = members
  const isList = allowedVersions === null || Array.isArray(allowedVersions)
  must(isList, 'allowedVersions', 'an array of strings and null, or null', allowedVersions)
  const isText = defaultVersion === null || typeof defaultVersion === 'string'
  const expected = 'a string or null, because only the constructor of BaseVersioning takes a function'
  must(isText, 'defaultVersion', expected, defaultVersion)
  must(vary === null || isFieldNames(vary), 'vary', 'the name of a request header, or null', vary)
  const isKind = Object.hasOwn(KINDS, refusalKind as string)
  must(isKind, 'refusalKind', `one of ${Object.keys(KINDS).join(', ')}`, refusalKind)
  must(LINK_PLACES.includes(linkPlace as LinkPlace), 'linkPlace', `one of ${LINK_PLACES.join(', ')}`, linkPlace)
  const canBeInHost = linkPlace !== 'host' || 'hostnameRegex' in scheme
  must(canBeInHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace)
  const isPattern = hostnameRegex instanceof RegExp && hasGroup(hostnameRegex)
  const pattern = 'a regular expression with a group for the version'
  must(isPattern || !('hostnameRegex' in scheme), 'hostnameRegex', pattern, hostnameRegex)
  const { in: place, name } = Object(parameter) as Partial<VersionParameter>
  const isParameter = ['query', 'header', 'cookie'].includes(place as string) && typeof name === 'string' && name !== ''
  must(parameter === null || isParameter, 'parameter', PARAMETER, parameter)
}

/** An alternative that matches nothing leaves all groups empty, but there. */
function hasGroup ({ source, flags }: RegExp): boolean {
  return (new RegExp(`|${source}`, flags).exec('') as RegExpExecArray).length > 1
}
