import { isDeepStrictEqual } from 'node:util'

import { contextOf } from '../context.ts'
import { toServed } from '../lifecycle/served-versions.ts'
import { DATE } from './markdown.ts'

import type { Served } from '../lifecycle/served-versions.ts'
import type { Retirement } from '../options/lifecycle.ts'
import type { Document, Item } from './document.ts'
import type { Operation } from './operations.ts'

export type HeadNote = ReturnType<typeof headNoteOf>

/**
 * Returns what the head of a document says: the retirement of its version, or undefined if it has none or if the
 * contexts of its operations disagree, and the version to use instead, or null.
 *
 * @param server the context of the documents, which counts where no operation has versions
 * @param versions the versions that have a document, in release order
 */
export function headNoteOf (
  version: string, operations: readonly Operation[], server: object, versions: readonly string[]
) {
  const servers = new Set(operations.filter(({ route }) => route.scheme !== null).map(({ route }) => route.server))
  const lifecycles = [...servers.size === 0 ? [server] : servers].map((context) => contextOf(context).lifecycle)
  const [retirement, ...others] = lifecycles.map((lifecycle) => lifecycle?.get(version))
  const isAgreed = others.every((another) => isDeepStrictEqual(another, retirement))
  const successor = versions.slice(versions.indexOf(version) + 1).findLast((later) => lifecycles.every((lifecycle) => {
    const { isPreview = false, deprecatedAt = Infinity } = lifecycle?.get(later) ?? {}
    return !isPreview && deprecatedAt === Infinity
  })) ?? null
  return { retirement: isAgreed ? retirement : undefined, successor }
}

/** Returns how a version of an operation is served. An operation without versions has no part in their dates. */
export function servedIn ({ route }: Operation, version: string): Served {
  return toServed(route.scheme === null ? null : version, route)
}

/** Says in the head of a document how its version is retired, or that it is a preview. */
export function addToHead (document: Document, { retirement, successor }: HeadNote, server: object): void {
  if (retirement === undefined) return
  const { info } = document
  const { isPreview, info: notice, deprecatedAt, sunsetAt } = retirement
  if (sunsetAt !== null) info['x-sunset'] ??= dateOf(sunsetAt)
  if (isPreview) document['x-stability-level'] = info['x-stability-level'] ??= 'beta'
  const isRetired = deprecatedAt !== Infinity
  info.description = beginningWith([
    isPreview ? 'This version is a preview: it may change before its release.' : '',
    ...datesOf(retirement, server),
    isRetired && successor !== null ? `Use ${versionText(successor)}.` : '',
    notice === null ? '' : `${isRetired ? 'Retirement notice' : 'See'}: ${notice}`
  ], info.description)
}

/**
 * Says in an operation how it is retired. What the user has written stays. The description begins with the dates if
 * they are not those in the head of the document.
 */
export function addToOperation (item: Item, operation: Operation, version: string, head: HeadNote): void {
  const { route: { server }, declared: { schema = {} } } = operation
  const { retirement, isPreview } = servedIn(operation, version)
  if (retirement === undefined) return
  const { sunsetAt, deprecatedAt, info: notice } = retirement
  // A route with a retirement of its own still belongs to a preview.
  if (isPreview) item['x-stability-level'] ??= 'beta'
  if (!('deprecated' in schema) && deprecatedAt <= contextOf(server).now()) item.deprecated = true
  if (sunsetAt !== null) item['x-sunset'] ??= dateOf(sunsetAt)
  if (isDeepStrictEqual(retirement, head.retirement)) return
  item.description = beginningWith(datesOf(retirement, server), item.description)
  const ofNotice = deprecatedAt === Infinity ? {} : { description: 'Retirement notice' }
  if (notice !== null) item.externalDocs ??= { url: notice, ...ofNotice }
}

/** Returns a time as RFC 3339 writes it, or only its date at midnight in UTC. */
function dateOf (time: number): string {
  return new Date(time).toISOString().replace(/T00:00:00\.000Z$|\.000(?=Z$)/, '')
}

function datesOf ({ deprecation, deprecatedAt, sunsetAt }: Retirement, server: object): string[] {
  const now = contextOf(server).now()
  return [
    deprecation === null ? '' : `Deprecated ${deprecatedAt <= now ? 'since' : 'from'} ${DATE.format(deprecatedAt)}.`,
    sunsetAt === null ? '' : `${sunsetAt <= now ? 'Ended' : 'Ends'} on ${DATE.format(sunsetAt)}.`
  ]
}

function beginningWith (sentences: readonly string[], description: string | undefined): string | undefined {
  return [sentences.filter(Boolean).join(' '), description].filter(Boolean).join('\n\n') || undefined
}

/** Returns a version as a sentence has it: `v2`, but `version 2025-01-01`. */
export function versionText (version: string): string {
  return /^v\d/i.test(version) ? version : `version ${version}`
}
