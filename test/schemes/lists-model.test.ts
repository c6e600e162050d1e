import Fastify from 'fastify'
import t from 'tap'

import versioning from '../../src/index.ts'
import { declareIn, differing, places, requestOf, refusalOf } from '../fixtures/places.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { VersioningSchemeClass } from '../../types/index.d.ts'
import type { Place } from '../fixtures/places.ts'

/** How a list is given: by its classes, or with instances that have settings of their own. */
type Member = { readonly place: Place, readonly own: readonly string[] | null }

type Settings = { readonly defaultVersion: string | null, readonly allowedVersions: readonly string[] | null }

/** The versions that a request names, by the places of a list in its order, or null where it names none. */
type Named = readonly (string | null)[]

type Answer = { version: string | null, vary: string | undefined } | { code: string, message: string }

const allPlaces = Object.values(places)
const early = allPlaces.filter(({ isKnownBeforeRouting }) => isKnownBeforeRouting)

const listed = fc.option(fc.uniqueArray(fc.constantFrom('v1', 'v2'), { minLength: 1 }), { nil: null })
const settings: fc.Arbitrary<Settings> = fc.record({
  defaultVersion: fc.constantFrom('v1', 'v2', null), allowedVersions: listed
})

function listsOf (all: readonly Place[], owns: fc.Arbitrary<readonly string[] | null>): fc.Arbitrary<Member[]> {
  return fc.shuffledSubarray([...all], { minLength: 1, maxLength: all.length }).chain((list) => (
    fc.tuple(...list.map((place) => owns.map((own) => ({ place, own }))))
  ))
}

/** Several requests, so that one that is kept from an earlier request is seen; most name few versions. */
function requestsFor (list: readonly Member[]): fc.Arbitrary<Named[]> {
  const maybe = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom('v1', 'v1', 'v2', 'v9'))
  return fc.array(fc.tuple(...list.map(() => maybe)), { minLength: 3, maxLength: 8 })
}

function schemesOf (list: readonly Member[], { defaultVersion }: Settings) {
  return list.map(({ place: { Scheme }, own }): VersioningSchemeClass | InstanceType<typeof Scheme> => (
    own === null ? Scheme : new Scheme({ allowedVersions: own, defaultVersion })
  ))
}

/** What the documentation says of a list. */
function answerTo (
  list: readonly Member[], { defaultVersion, allowedVersions }: Settings, named: Named, served: readonly string[] | null
): Answer {
  const vary = list.map(({ place }) => place.vary).filter((field) => field !== null).join(', ') || undefined
  const naming = list.map((member, i) => ({ ...member, version: named[i] })).filter(({ version }) => version !== null)
  const [first, ...others] = naming
  if (others.some(({ version }) => version !== first.version)) {
    const texts = naming.map(({ place }) => `the ${place.text}`)
    return { code: 'FST_ERR_VERSION_AMBIGUOUS', message: differing(texts, served ?? allowedVersions ?? []) }
  }
  const { place, own } = first ?? { place: list[0].place, own: null }
  const version = first === undefined ? defaultVersion : first.version
  const allowed = own ?? allowedVersions
  const isUnchecked = first === undefined && list.length === 1 && !place.isDefaultChecked
  const isPermitted = allowed === null || version === null
    ? allowed === null || isUnchecked
    : isUnchecked || version === defaultVersion || allowed.includes(version)
  const listed = served ?? (allowedVersions?.length ? allowedVersions : own ?? [])
  const { code, message } = refusalOf(place.refusal, first?.version ?? null, listed)
  if (!isPermitted) return { code, message }
  if (served === null || (version !== null && served.includes(version))) return { version, vary }
  // The schemes that SPEC.md does not have say that the version is missing.
  const missing = refusalOf(list[0].place.refusal, null, served)
  if (version === null && missing !== list[0].place.refusal) return { code, message: missing.message }
  return { code, message: `This URL answers GET in ${served.join(', ')}.` }
}

async function ask (app: FastifyInstance, list: readonly Member[], named: Named): Promise<Answer> {
  const namings = list.flatMap(({ place }, i) => named[i] === null ? [] : [place.naming(named[i])])
  const response = await app.inject(requestOf('/probe', ...namings))
  const { statusCode, version, code, message } = response.json()
  return statusCode === undefined ? { version, vary: response.headers.vary as string | undefined } : { code, message }
}

/** @param hasList whether the expected list of versions is known: the place of the route may have one version alone */
function compare (answer: Answer, expected: Answer, named: Named, hasList: boolean): void {
  const [a, b] = [answer, expected].map((one) => JSON.stringify(one))
  if (a === b || (!hasList && a.replace(/ Versions: [^.]*\./, '') === b.replace(/ Versions: [^.]*\./, ''))) return
  throw new Error(`${JSON.stringify(named)}: ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`)
}

t.test('any list of schemes answers as documented', async () => {
  const cases = fc.tuple(listsOf(allPlaces, fc.oneof(fc.constant(null), listed)), settings).chain(([list, given]) => (
    fc.tuple(fc.constant(list), fc.constant(given), requestsFor(list))
  ))
  await fc.assert(fc.asyncProperty(cases, async ([list, given, requests]) => {
    const app = Fastify()
    await app.register(versioning, { scheme: schemesOf(list, given), ...given })
    declareIn(app, list.map(({ place }) => place), {
      url: '/probe', method: 'GET', handler: async (request) => ({ version: request.version })
    })
    for (const named of requests) compare(await ask(app, list, named), answerTo(list, given, named, null), named, false)
    await app.close()
  }), { numRuns: tries(40) })
})

t.test('any list whose places are known before routing chooses the handler of the version', async () => {
  // URLPathVersioning alone has no URL without a version.
  const lists = listsOf(early, fc.constant(null)).filter((list) => list.some(({ place }) => place !== places.path))
  const cases = fc.tuple(lists, settings, fc.uniqueArray(fc.constantFrom('v1', 'v2'), {
    minLength: 1
  })).chain(([list, given, served]) => (
    fc.tuple(fc.constant(list), fc.constant(given), fc.constant(served), requestsFor(list))
  ))
  await fc.assert(fc.asyncProperty(cases, async ([list, given, claims, requests]) => {
    const app = Fastify()
    await app.register(versioning, { scheme: schemesOf(list, given), ...given })
    // In the order in which the scheme lists them, or else as they are declared.
    const order: readonly string[] = given.allowedVersions ?? claims
    const served = order.filter((version) => (claims as readonly string[]).includes(version))
    fc.pre(claims.every((version) => order.includes(version)))
    for (const version of claims) {
      declareIn(app, list.map(({ place }) => place), {
        url: '/probe', method: 'GET', version, handler: async (request) => ({ version: request.version })
      })
    }
    for (const named of requests) {
      compare(await ask(app, list, named), answerTo(list, given, named, served), named, true)
    }
    await app.close()
  }), { numRuns: tries(40) })
})
