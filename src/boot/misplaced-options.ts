import { isWithin } from '../instances.ts'
import { warnOfSome } from '../messages.ts'
import { isRange } from '../options/version-range.ts'
import { SCHEME } from '../schemes/base.ts'
import { labelOf } from '../routes.ts'
import { OF_REGISTRATION } from './near-options.ts'

import type { Route, Versioned } from '../routes.ts'
import type { App } from './app.ts'

/** By option, a test for values that are meant for the plugin. Other plugins, and OpenAPI, have such names, too. */
const IS_OURS: Readonly<Record<string, (value: unknown, listed: readonly unknown[]) => boolean>> = {
  version: hasListedVersion,
  writtenFor: hasListedVersion,
  versioning: (value) => value === false || SCHEME in Object(typeof value === 'function' ? value.prototype : value),
  deprecated: (value) => Object(value).sunset !== undefined || Object(value).deprecated !== undefined
}

/** Warns of options of the plugin inside `config` or `schema` of a route, unless a hook has moved them out of it. */
export function checkPlaces (routes: readonly Route[]): void {
  const misplaced: string[] = []
  for (const route of routes) {
    if (route.isAdded) continue
    const options = Object(route.options)
    for (const holder of ['config', 'schema']) {
      // Most configs and schemas have only names that Fastify knows.
      for (const name in options[holder]) {
        const isOurs = Object.hasOwn(IS_OURS, name) && options[name] === undefined &&
          IS_OURS[name](options[holder][name], route.scheme?.listedVersions ?? [])
        if (isOurs) misplaced.push(`${holder}.${name} of ${labelOf(route)}`)
      }
    }
  }
  warnOfSome('FST_WARN_VERSION_SETTINGS', misplaced, 'Move these options of routes out of "config" or "schema", next ' +
    'to "handler", because nothing reads them inside: %s.')
}

/** Tells whether an option of a `register()` is probably meant for a registration of the plugin. */
function isOfRegistration (name: string, value: unknown, listed: readonly unknown[]): boolean {
  if (name === 'scheme') return IS_OURS.versioning(value ?? false, listed)
  if (name === 'lifecycle') return hasListedVersion(Object.keys(Object(value)), listed)
  return name === 'allowedVersions' || OF_REGISTRATION.has(name)
}

/** Warns of options of a registration on the `register()` of routes, unless that context has a registration, too. */
export function checkRegisters ({ registers, registrations, registry: { routes: { list } } }: App): void {
  const misplaced: string[] = []
  for (const { server, options } of registers) {
    const isBelow = (holder: { readonly server: object }) => isWithin(holder.server, server)
    const route = list.find((route): route is Versioned => route.scheme !== null && isBelow(route))
    if (route === undefined || registrations.some(isBelow)) continue
    const { listedVersions } = route.scheme
    // An app may give all its plugins the same options, as with autoload.
    const isGiven = (name: string, value: unknown) => registrations.some((around) => (
      isWithin(server, around.server) && Reflect.get(around.options, name) === value
    ))
    const names = Object.entries(options)
      .filter(([name, value]) => isOfRegistration(name, value, listedVersions) && !isGiven(name, value))
      .map(([name]) => name)
    if (names.length > 0) misplaced.push(`${names.join(', ')} (${labelOf(route)})`)
  }
  warnOfSome('FST_WARN_VERSION_SETTINGS', misplaced, 'Register fastify-versioning with these options inside the ' +
    'plugins that have them in register(), unless the plugins read them: %s.')
}

function hasListedVersion (value: unknown, listed: readonly unknown[]): boolean {
  const versions = isRange(value) ? [value.from, value.to] : [value].flat()
  return versions.some((version) => typeof version === 'string' && listed.includes(version))
}
