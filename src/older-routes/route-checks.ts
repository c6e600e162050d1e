import { isDeepStrictEqual } from 'node:util'

import { labelsOf, refuseChange } from '../changes/convert.ts'
import { partsOf } from '../changes/parts.ts'
import { UNORDERED, versionsOf } from '../changes/read-changes.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { nameIn } from './entry.ts'

import type { Changes } from '../changes/changes.ts'
import type { ReadChange, Step } from '../changes/read-changes.ts'
import type { VersioningContext } from '../context.ts'
import type { Route } from '../routes.ts'
import type { Entry } from './entry.ts'

/** Throws FST_ERR_VERSION_CHANGE_OPTION if a context has versions in another order than its changes have them. */
export function checkSameOrder ({ changes, scheme }: VersioningContext): void {
  const { list, versions } = changes as Changes
  if (scheme === null || list.length === 0) return
  const ordered = versionsOf(scheme.allowedVersions)
  if (ordered.length === 0) throw new VersionChangeOptionError(UNORDERED)
  const here = ordered.filter((version) => versions.includes(version))
  const there = versions.filter((version) => ordered.includes(version))
  if (isDeepStrictEqual(here, there)) return
  throw new VersionChangeOptionError(
    `The "allowedVersions" ${show(here)} are in another order than the "changes" have them, ${show(there)}. Use one ` +
    'order, or give the context its own "changes", or null for none.'
  )
}

/**
 * Throws FST_ERR_VERSION_CHANGE_OPTION if a route in a namespace has to say which version its handler is written for.
 * An app may register the same routes in each namespace, or each namespace may have handlers for its version.
 *
 * @param later the changes of the route's schemas that are newer than its handler
 */
export function checkWrittenFor (
  { route, changes: { steps, versions } }: Entry, later: ReadChange[], writtenFor: number
): void {
  const { claim, namespace: { names }, scheme } = route
  const byName = steps.filter(({ index }) => index > writtenFor)
    .flatMap(({ routes }) => [...routes.get(nameIn(route) ?? '')?.values() ?? []])
  const all = new Set([...later, ...byName.map(({ change }) => change)])
  if (all.size === 0 || claim !== null || names.length === 0 || !scheme?.readsNamespaces) return
  const [newest, current] = [versions.at(-1), versions[writtenFor]].map(show)
  throw new VersionChangeOptionError(
    `Change ${labelsOf([...all])}: set "writtenFor" for ${labelOf(route)}, on the route or on its register(). Write ` +
    `${newest} if all namespaces share the handler, or ${current} if this namespace has its own.`
  )
}

/** Throws FST_ERR_VERSION_CHANGE_OPTION for a route without a name if a change names another route at its URL. */
export function checkNamed ({ route, schema }: Entry, steps: readonly Step[], list: readonly Route[]): void {
  if (route.name !== null || steps.every(({ routes }) => routes.size === 0)) return
  const ownParts = partsOf(schema)
  const names = new Set(list.filter(({ url }) => url === route.url).map(nameIn))
  for (const [name, parts] of steps.flatMap(({ routes }) => [...routes])) {
    for (const [part, { change }] of names.has(name) ? parts : []) {
      if (!ownParts.has(part)) continue
      const reason = `the route has no name, and ${show(name)} has its URL: give it that name, or another if the ` +
        'change is not about it'
      refuseChange([change], labelOf(route), part, reason)
    }
  }
}

/**
 * Returns the changes without functions that name a route.
 *
 * @param served the indexes of the versions that come to the route
 * @throws FST_ERR_VERSION_CHANGE_OPTION where one handler answers before and after such a change
 */
export function sentencesOf ({ route, changes: { steps, versions } }: Entry, served: readonly number[]): ReadChange[] {
  const changes = steps.flatMap(({ sentences }) => sentences.get(nameIn(route) ?? '') ?? [])
  for (const change of changes) {
    const [before, after] = [served.findLast((at) => at < change.index), served.find((at) => at >= change.index)]
    if (before === undefined || after === undefined) continue
    refuseChange([change], labelOf(route), 'handler', `one handler answers in ${show(versions[before])} and in ` +
      `${show(versions[after])}. Give the change functions, or declare another handler with "version"`)
  }
  return changes
}
