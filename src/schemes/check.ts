import { VersioningOptionError } from '../errors.ts'
import { must } from '../options/read.ts'

import type { VersionParameter } from '../../types/index.d.ts'

const LINK_PLACES = ['path', 'namespace', 'query', 'host', 'nowhere'] as const
export type LinkPlace = typeof LINK_PLACES[number]

/** What must be a field: the plugin reads it once, when the scheme is registered. */
const FIELDS = [
  'defaultVersion', 'allowedVersions', 'versionParam', 'versionHeader', 'mediaTypes', 'resolveVersion', 'label',
  'place', 'placeText', 'vary', 'linkPlace', 'invalidVersionMessage', 'knownAfterRouting'
]
const PARAMETER = "{ in, name } with 'query', 'header' or 'cookie' as in, or null"

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

/** As `checkFields`, when all class fields are there: they say what documents and links can have. */
export function checkPlace (
  scheme: { readonly linkPlace: LinkPlace, readonly parameter: VersionParameter | null }
): void {
  checkFields(scheme)
  const { linkPlace, parameter } = scheme
  must(LINK_PLACES.includes(linkPlace), 'linkPlace', `one of ${LINK_PLACES.join(', ')}`, linkPlace)
  const canBeInHost = linkPlace !== 'host' || 'hostnameRegex' in scheme
  must(canBeInHost, 'linkPlace', 'a scheme that extends HostNameVersioning', linkPlace)
  const { in: place, name } = Object(parameter) as Partial<VersionParameter>
  const isParameter = ['query', 'header', 'cookie'].includes(place as string) && typeof name === 'string' && name !== ''
  must(parameter === null || isParameter, 'parameter', PARAMETER, parameter)
}
