import { KINDS, VersioningOptionError, addSentence } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { SETTINGS } from '../options/options.ts'
import { must } from '../options/read.ts'

import type { RefusalKind, VersionParameter } from '../../types/index.d.ts'

const LINK_PLACES = ['path', 'namespace', 'query', 'host', 'nowhere'] as const
export type LinkPlace = typeof LINK_PLACES[number]

const NAMES = Object.keys(SETTINGS)

/** What must be a field: the plugin reads it once, when the scheme is registered. */
const FIELDS = [
  'defaultVersion', 'allowedVersions', 'versionParam', 'versionHeader', 'mediaTypes', 'resolveVersion', 'label',
  'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting', 'hostnameRegex',
  'linkOptions', 'refusalKind'
]
/** What only the classes of this package may replace. */
const INTERNAL = [
  'allows', 'defaultFor', 'defaultOfLinks', 'documentation', 'find', 'hasOwnReverse', 'inHost', 'inPath', 'inQuery',
  'isInLinks', 'isList', 'listedVersions', 'members', 'named', 'namesVersion', 'naming', 'readsNamespaces', 'resolve',
  'shortNameOf', 'varies', 'versionIn', 'versionInHost', 'whyNoChoice'
]
const PARAMETER = "{ in, name } with 'query', 'header' or 'cookie' as in, or null"

/** What a class field may have filled in wrongly. */
interface Checked {
  readonly linkPlace: LinkPlace
  readonly parameter: VersionParameter | null
  readonly refusalKind: RefusalKind
}

/** @throws FST_ERR_VERSIONING_OPTION for settings that are no object, or that have nearly the name of one */
export function checkSettings (settings: unknown): void {
  must(typeof settings === 'object' && settings !== null, 'settings', 'an object', settings)
  for (const [option, value] of Object.entries(settings)) {
    const hint = NAMES.includes(option) ? '' : suggestionFor(option, NAMES)
    if (hint !== '') throw addSentence(new VersioningOptionError(option, 'a setting of schemes', show(value)), hint)
  }
}

/** @throws FST_ERR_VERSIONING_OPTION where the class of a scheme has an accessor in place of a field */
export function checkFields (scheme: object): void {
  for (let owner = scheme; owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const name of FIELDS) {
      const property = Object.getOwnPropertyDescriptor(owner, name)
      if (property?.get === undefined && property?.set === undefined) continue
      throw new VersioningOptionError(name, `a field of ${scheme.constructor.name}`, 'an accessor')
    }
  }
}

/** As `checkFields`, when all class fields are there. */
export function checkScheme (scheme: Checked): void {
  checkFields(scheme)
  let owner: object = scheme
  let names = Object.keys(scheme)
  do {
    const taken = names.find((name) => INTERNAL.includes(name))
    const expected = `another name for a member of ${scheme.constructor.name}, because the plugin has one of this name`
    if (taken !== undefined) throw new VersioningOptionError(taken, expected, show(Reflect.get(owner, taken)))
    owner = Object.getPrototypeOf(owner)
    names = Object.getOwnPropertyNames(owner)
    // The classes of this package have their place on the prototype.
  } while (!names.includes('place'))
  const { linkPlace, parameter, refusalKind } = scheme
  must(Object.hasOwn(KINDS, refusalKind), 'refusalKind', `one of ${Object.keys(KINDS).join(', ')}`, refusalKind)
  must(LINK_PLACES.includes(linkPlace), 'linkPlace', `one of ${LINK_PLACES.join(', ')}`, linkPlace)
  const canBeInHost = linkPlace !== 'host' || 'hostnameRegex' in scheme
  must(canBeInHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace)
  const { in: place, name } = Object(parameter) as Partial<VersionParameter>
  const isParameter = ['query', 'header', 'cookie'].includes(place as string) && typeof name === 'string' && name !== ''
  must(parameter === null || isParameter, 'parameter', PARAMETER, parameter)
}
