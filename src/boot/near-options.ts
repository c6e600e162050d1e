import leven from 'leven'

import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

/** The route options of the plugin, and how many letters of another one may differ. */
const MAX_DISTANCE = { name: 0, version: 1, versioning: 2, deprecated: 3, writtenFor: 3 }

/**
 * Checks that a route has no option that is nearly one of ours, such as `versions`: it would have no effect.
 *
 * @param known the options of earlier routes that are not
 * @throws FST_ERR_VERSIONING_OPTION naming both
 */
export function checkNearOptions (options: object, known: Set<string>): void {
  for (const option of Object.keys(options)) {
    if (known.has(option)) continue
    const value: unknown = Reflect.get(options, option)
    if (option === 'namespace') {
      throw new VersioningOptionError(option, 'a namespace on the register() of a context with routes', show(value))
    }
    const own = Object.hasOwn(MAX_DISTANCE, option) ? undefined : nearest(option)
    if (own === undefined) known.add(option)
    else throw new VersioningOptionError(option, `the route option "${own}" instead`, show(value))
  }
}

function nearest (option: string): string | undefined {
  const [found] = Object.entries(MAX_DISTANCE).find(([own, distance]) => (
    leven(option.toLowerCase(), own.toLowerCase()) <= distance
  )) ?? []
  return found
}
