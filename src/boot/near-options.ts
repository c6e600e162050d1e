import { forbid } from '../errors.ts'
import leven from 'leven'

export const checkRouteOptions = checker('route', {
  name: 0, version: 1, versioning: 2, deprecated: 3, writtenFor: 3
})

/** Checks the options of a `register()`: `versions` may well be an option of the plugin that is registered. */
export const checkRegisterOptions = checker('register', { namespace: 0, version: 0, writtenFor: 2 })

/**
 * Checks that no option is nearly one of ours, such as `versions`: it would have no effect.
 *
 * @param distances how many letters of another option may differ from each of ours
 * @throws FST_ERR_VERSIONING_OPTION naming both
 */
function checker (kind: string, distances: Readonly<Record<string, number>>): (options: object) => void {
  const names = Object.keys(distances)
  const checked = new Set(names)
  return (options) => {
    for (const option of Object.keys(options)) {
      if (checked.has(option)) continue
      const near = names.find((name) => isNear(option.toLowerCase(), name.toLowerCase(), distances[name]))
      if (near !== undefined) forbid(near, `Unknown ${kind} option "${option}". Did you mean "${near}"?`)
      checked.add(option)
    }
  }
}

/** With few other letters, or with the same ones in another order. */
function isNear (option: string, name: string, distance: number): boolean {
  return leven(option, name) <= distance || [...option].sort().join() === [...name].sort().join()
}
