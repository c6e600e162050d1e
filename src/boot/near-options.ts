import leven from 'leven'

import { forbid } from '../errors.ts'

/** Names from the options of the plugin and from other frameworks, each with the route option that is meant. */
const ROUTE_NAMES = new Map([
  ['allowedVersions', 'version'], ['apiVersion', 'version'], ['apiVersions', 'version'], ['api_version', 'version'],
  ['deprecation', 'deprecated'], ['lifecycle', 'deprecated'], ['sunset', 'deprecated']
])

/** The options of a registration that no other plugin reads on a route. */
export const OF_REGISTRATION = new Set([
  'changes', 'defaultVersion', 'enforceSunset', 'logVersion', 'reportVersions', 'resolveVersion', 'servedVersion',
  'versionHeader', 'versionParam'
])

// Other plugins may read options such as `versionId` and `replicated`, which differ in more letters.
const checkRouteNames = checker('route', {
  name: 0, version: 1, versioning: 1, deprecated: 2, writtenFor: 2
}, ROUTE_NAMES)

// The plugin that is registered may have an option `versions`, so no letter of `version` may differ.
const checkRegisterNames = checker('register', { namespace: 0, version: 0, writtenFor: 2 }, new Map())

/**
 * Checks the names of the options of a route.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the option
 */
export function checkRouteOptions (options: object): void {
  checkRouteNames(options)
  const { namespace, scheme } = options as { readonly namespace?: unknown, readonly scheme?: unknown }
  if (typeof scheme === 'function') forbid('versioning', 'Unknown route option "scheme". Did you mean "versioning"?')
  if (namespace === undefined) return
  forbid('namespace', 'Move "namespace" from this route to the register() of the plugin that declares it.')
}

/**
 * Checks that a `register()` has no options of routes, which nothing reads there. Another plugin may have options of
 * these names, with other values.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the option
 */
export function checkRegisterOptions (options: object): void {
  checkRegisterNames(options)
  const { deprecated, versioning } = options as { readonly deprecated?: unknown, readonly versioning?: unknown }
  const move = (name: string, setting: string) => forbid(name, `Move "${name}" from this register() to its routes, ` +
    `or register fastify-versioning in this context with another ${setting}.`)
  if (versioning === false || typeof versioning === 'function') move('versioning', '"scheme", such as null')
  const { sunset, deprecated: date } = Object(deprecated)
  if (sunset !== undefined || date !== undefined) move('deprecated', '"lifecycle"')
}

/**
 * Returns a check that refuses options with nearly the name of ours, such as `versions`, which would have no effect.
 *
 * @param distances by our option, how many letters of another name may differ
 * @param others further names, each with our option that is meant
 * @returns a function that throws FST_ERR_VERSIONING_OPTION naming both options
 */
function checker (
  kind: string, distances: Readonly<Record<string, number>>, others: ReadonlyMap<string, string>
): (options: object) => void {
  const names = Object.keys(distances)
  const checked = new Set(names)
  const check = (option: string) => {
    const near = others.get(option) ??
      names.find((name) => isNear(option.toLowerCase(), name.toLowerCase(), distances[name]))
    if (near !== undefined) forbid(near, `Unknown ${kind} option "${option}". Did you mean "${near}"?`)
    if (kind === 'route' && OF_REGISTRATION.has(option)) {
      forbid(option, `Move "${option}" from this route to the registration of fastify-versioning. If only this route ` +
        'needs it, register the plugin again in a context of the route.')
    }
    checked.add(option)
  }
  return (options) => {
    for (const option in options) if (!checked.has(option)) check(option)
  }
}

/** Tells whether names differ in few letters, or have the same letters in another order. */
export function isNear (option: string, name: string, distance: number): boolean {
  return leven(option, name) <= distance || [...option].sort().join() === [...name].sort().join()
}
