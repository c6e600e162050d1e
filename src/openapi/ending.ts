import { isDeepStrictEqual } from 'node:util'

import { contextOf, schemeOf } from '../context.ts'

import type { Ending } from '../options/lifecycle.ts'
import type { Route } from '../routes.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** How a route ends in a version, or undefined if it does not. */
export function endingOf (route: Route, version: string): Ending | undefined {
  if (schemeOf(route) === null) return undefined
  return route.ending ?? contextOf(route.server).lifecycle?.get(version)
}

/**
 * How a version ends, if all of its routes agree, or undefined.
 *
 * @param server the context that counts if there are none
 */
export function endingOfAll (routes: readonly Route[], version: string, server: object): Ending | undefined {
  const [first, ...others] = new Set(routes.length === 0 ? [server] : routes.map((route) => route.server))
  const of = (one: object) => contextOf(one).lifecycle?.get(version)
  return others.every((one) => isDeepStrictEqual(of(one), of(first))) ? of(first) : undefined
}

/**
 * Says how something ends, or that it is a preview, for readers of its description.
 *
 * @param successor the version to use instead, or null if there is none
 * @param server the context whose clock counts
 */
export function sentenceOf (ending: Ending, successor: string | null, server: object): string {
  const { deprecation, deprecatedAt, sunsetAt, isPreview, info } = ending
  const now = contextOf(server).now()
  const use = successor === null ? 'See' : `Use ${nameOfVersion(successor)}`
  return [
    ...isPreview ? ['This version is a preview: it may change before its release.'] : [],
    ...deprecation === null ? [] : [`Deprecated ${deprecatedAt <= now ? 'since' : 'from'} ${dayOf(deprecatedAt)}.`],
    ...sunsetAt === null ? [] : [`${sunsetAt <= now ? 'Ended' : 'Ends'} on ${dayOf(sunsetAt)}.`],
    ...info !== null ? [`${use}: ${info}`] : successor !== null ? [`${use}.`] : []
  ].join(' ')
}

/** A description that begins with how something ends. */
export function describedWith (sentence: string, description: unknown): string {
  return typeof description === 'string' && description !== '' ? `${sentence}\n\n${description}` : sentence
}

/** A version as a sentence has it: `v2`, but `version 2025-01-01`. */
export function nameOfVersion (version: string): string {
  return /^v\d/i.test(version) ? version : `version ${version}`
}

function dayOf (instant: number): string {
  return DAY.format(instant)
}
