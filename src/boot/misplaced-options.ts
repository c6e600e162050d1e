import { warnOfSome } from '../messages.ts'
import { isRange } from '../options/version-range.ts'
import { SCHEME } from '../schemes/base.ts'
import { labelOf } from '../routes.ts'

import type { Route } from '../routes.ts'

/** Whether a value is meant for the plugin: others have options of these names, and OpenAPI has `deprecated: true`. */
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
      // Most have no names but those of Fastify.
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

function hasListedVersion (value: unknown, listed: readonly unknown[]): boolean {
  const versions = isRange(value) ? [value.from, value.to] : [value].flat()
  return versions.some((version) => typeof version === 'string' && listed.includes(version))
}
