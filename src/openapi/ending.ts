import { isDeepStrictEqual } from 'node:util'

import { contextOf, schemeOf } from '../context.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Document, Item } from './document.ts'
import type { Operation } from './operations.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** What the head of a document says of the retirement of its version. */
export interface Retirement {
  /** Undefined if it is not retired, or if the contexts of its routes disagree. */
  readonly ending: Ending | undefined
  /** The version to use instead, or null. */
  readonly successor: string | null
}

/**
 * @param server the context of the documents, which counts where no operation has versions
 * @param versions the versions that have a document, in release order
 */
export function retirementOf (
  version: string, operations: readonly Operation[], server: object, versions: readonly string[]
): Retirement {
  const routes = operations.map(({ route }) => route).filter((route) => schemeOf(route) !== null)
  const contexts = new Set<object>(routes.length === 0 ? [server] : routes.map((route) => route.server))
  const lifecycles = [...contexts].map((one) => contextOf(one).lifecycle)
  const [ending, ...others] = lifecycles.map((one) => one?.get(version))
  const later = versions.slice(versions.indexOf(version) + 1)
  return {
    ending: others.every((one) => isDeepStrictEqual(one, ending)) ? ending : undefined,
    successor: later.findLast((one) => lifecycles.every((lifecycle) => lifecycle?.has(one) !== true)) ?? null
  }
}

/** How an operation that has versions is retired in one of them, or undefined if it is not. */
export function endingOf ({ route }: Operation, version: string): Ending | undefined {
  return route.ending ?? contextOf(route.server).lifecycle?.get(version)
}

/** Says in the head of a document how its version is retired, or that it is a preview. */
export function addToHead (document: Document, { ending, successor }: Retirement, server: object): void {
  if (ending === undefined) return
  const { info } = document
  const { isPreview, info: notice, deprecatedAt } = ending
  if (isPreview) document['x-stability-level'] = info['x-stability-level'] ??= 'beta'
  const isRetired = deprecatedAt !== Infinity
  info.description = beginningWith([
    isPreview ? 'This version is a preview: it may change before its release.' : '',
    ...datesOf(ending, server),
    isRetired && successor !== null ? `Use ${nameOf(successor)}.` : '',
    notice === null ? '' : `${isRetired ? 'Retirement notice' : 'See'}: ${notice}`
  ], info.description)
}

/**
 * Says in an operation how it is retired. What the user has written stays. The description begins with the dates if
 * they are not those in the head of the document.
 */
export function addToOperation (item: Item, operation: Operation, version: string, head: Retirement): void {
  const { route: { server }, declared: { schema = {} } } = operation
  const ending = endingOf(operation, version)
  if (ending === undefined) return
  const { sunsetAt, deprecatedAt, info: notice } = ending
  // A route that is retired by itself is in a preview still.
  if (contextOf(server).lifecycle?.get(version)?.isPreview === true) item['x-stability-level'] ??= 'beta'
  if (!('deprecated' in schema) && deprecatedAt <= contextOf(server).now()) item.deprecated = true
  if (sunsetAt !== null) item['x-sunset'] ??= new Date(sunsetAt).toISOString().slice(0, 10)
  if (isDeepStrictEqual(ending, head.ending)) return
  item.description = beginningWith(datesOf(ending, server), item.description)
  if (notice !== null) item.externalDocs ??= { url: notice, description: 'Retirement notice' }
}

function datesOf ({ deprecation, deprecatedAt, sunsetAt }: Ending, server: object): string[] {
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
export function nameOf (version: string): string {
  return /^v\d/i.test(version) ? version : `version ${version}`
}
