import { isDeepStrictEqual } from 'node:util'

import { contextOf, schemeOf } from '../context.ts'

import type { Retirement } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'
import type { Document, Item } from './document.ts'
import type { Operation } from './operations.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** What the head of a document says of the retirement of its version. */
export interface HeadNote {
  /** Undefined if it is not retired, or if the contexts of its routes disagree. */
  readonly retirement: Retirement | undefined
  /** The version to use instead, or null. */
  readonly successor: string | null
}

/**
 * @param routes of all contexts that the document shows
 * @param server the context of the documents, which counts where no route has versions
 * @param versions the versions that have a document, in release order
 */
export function headNoteOf (
  version: string, routes: readonly Route[], server: object, versions: readonly string[]
): HeadNote {
  const servers = routes.filter((route) => schemeOf(route) !== null).map((route) => route.server)
  const lifecycles = (servers.length === 0 ? [server] : servers).map((context) => contextOf(context).lifecycle)
  const [retirement, ...others] = lifecycles.map((lifecycle) => lifecycle?.get(version))
  const later = versions.slice(versions.indexOf(version) + 1)
  const isAgreed = others.every((another) => isDeepStrictEqual(another, retirement))
  const staysEverywhere = (version: string) => lifecycles.every((lifecycle) => stays(lifecycle?.get(version)))
  return { retirement: isAgreed ? retirement : undefined, successor: later.findLast(staysEverywhere) ?? null }
}

/** Whether a version is released, and has no date of its retirement. */
function stays (stage: Retirement | undefined): boolean {
  return stage === undefined || (!stage.isPreview && stage.deprecatedAt === Infinity)
}

/** How an operation is retired in a version, or undefined if it is not. */
export function retirementOf ({ route }: Operation, version: string): Retirement | undefined {
  return route.retirement ?? ofVersion(route, version)
}

/** How the version of a route is retired: a route without versions is not. */
function ofVersion (route: Route, version: string): Retirement | undefined {
  return schemeOf(route) === null ? undefined : contextOf(route.server).lifecycle?.get(version)
}

/** Says in the head of a document how its version is retired, or that it is a preview. */
export function addToHead (document: Document, { retirement, successor }: HeadNote, server: object): void {
  if (retirement === undefined) return
  const { info } = document
  const { isPreview, info: notice, deprecatedAt } = retirement
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
  const retirement = retirementOf(operation, version)
  if (retirement === undefined) return
  const { sunsetAt, deprecatedAt, info: notice } = retirement
  // A route that is retired by itself is in a preview still.
  if (ofVersion(operation.route, version)?.isPreview === true) item['x-stability-level'] ??= 'beta'
  if (!('deprecated' in schema) && deprecatedAt <= contextOf(server).now()) item.deprecated = true
  if (sunsetAt !== null) item['x-sunset'] ??= dateOf(sunsetAt)
  if (isDeepStrictEqual(retirement, head.retirement)) return
  item.description = beginningWith(datesOf(retirement, server), item.description)
  const ofNotice = deprecatedAt === Infinity ? {} : { description: 'Retirement notice' }
  if (notice !== null) item.externalDocs ??= { url: notice, ...ofNotice }
}

/** A time as RFC 3339 writes it, or only its date at midnight in UTC. */
function dateOf (time: number): string {
  return new Date(time).toISOString().replace(/T00:00:00\.000Z$|\.000(?=Z$)/, '')
}

function datesOf ({ deprecation, deprecatedAt, sunsetAt }: Retirement, server: object): string[] {
  const now = contextOf(server).now()
  return [
    deprecation === null ? '' : `Deprecated ${deprecatedAt <= now ? 'since' : 'from'} ${DAY.format(deprecatedAt)}.`,
    sunsetAt === null ? '' : `${sunsetAt <= now ? 'Ended' : 'Ends'} on ${DAY.format(sunsetAt)}.`
  ]
}

function beginningWith (sentences: readonly string[], description: string | undefined): string | undefined {
  return [sentences.filter(Boolean).join(' '), description].filter(Boolean).join('\n\n') || undefined
}

/** A version as a sentence has it: `v2`, but `version 2025-01-01`. */
export function versionText (version: string): string {
  return /^v\d/i.test(version) ? version : `version ${version}`
}
