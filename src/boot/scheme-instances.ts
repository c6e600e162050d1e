import { isDeepStrictEqual } from 'node:util'

import type { Settings } from '../options/settings.ts'
import type { VersioningScheme, VersioningSchemeClass } from '../../types/index.d.ts'

interface Made {
  readonly scheme: VersioningScheme
  readonly schemeClass: VersioningSchemeClass
  readonly settings: Settings
}

/** The schemes that the plugin has made of classes for an app: contexts that want the same one share it. */
export class SchemeInstances {
  readonly #made: Made[] = []

  /** The scheme of a class with settings: of equal settings the same one. */
  of (schemeClass: VersioningSchemeClass, settings: Settings): VersioningScheme {
    const known = this.#made.find((made) => (
      made.schemeClass === schemeClass && isDeepStrictEqual(made.settings, settings)
    ))
    if (known !== undefined) return known.scheme
    const scheme: VersioningScheme = Reflect.construct(schemeClass, [settings])
    this.#made.push({ scheme, schemeClass, settings })
    return scheme
  }
}

/**
 * Whether two schemes read the same where a client names a version, though they may permit different ones: of one class
 * those whose fields are the same.
 */
export function areAlike (a: VersioningScheme, b: VersioningScheme): boolean {
  const [one, other] = [a, b].map((scheme) => ({ ...scheme, allowedVersions: null, defaultVersion: null }))
  return a.constructor === b.constructor && isDeepStrictEqual(one, other)
}
