import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { linksOf } from '../fixtures/lifecycle.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { VersionEnding } from '../../types/index.d.ts'

const NOW = Date.parse('2026-06-01')
const GONE: VersionEnding = { deprecated: '2026-01-01', sunset: '2026-03-01' }
const DEPRECATED: VersionEnding = { deprecated: '2026-01-01' }
const LATER: VersionEnding = { deprecated: '2026-09-01' }
const RUNS = tries(50)
const MANY = ['v1', 'v2', 'v3', 'v4', 'v5']

const ending = fc.constantFrom(undefined, undefined, GONE, DEPRECATED, LATER)

interface Route { readonly versions: readonly string[] | null, readonly deprecated: VersionEnding | undefined }

/** Routes that share the versions among them, and perhaps one that takes what they leave. */
const routes: fc.Arbitrary<Route[]> = fc.tuple(
  fc.array(fc.integer({ min: -1, max: 2 }), { minLength: MANY.length, maxLength: MANY.length }),
  fc.array(ending, { minLength: 3, maxLength: 3 }),
  fc.option(ending, { freq: 4, nil: null }),
  fc.nat({ max: 3 })
).map(([owners, endings, open, at]) => {
  const claimed = endings.map((deprecated, i) => ({
    versions: MANY.filter((_, j) => owners[j] === i), deprecated
  })).filter(({ versions }) => versions.length > 0)
  const rest = open === null ? [] : [{ versions: null, deprecated: open }]
  return [...claimed.slice(0, at), ...rest, ...claimed.slice(at)]
}).filter((all) => all.length > 0)

const apps = fc.record({
  routes,
  lifecycle: fc.record(Object.fromEntries(MANY.map((version) => [version, ending]))),
  ask: fc.shuffledSubarray(MANY, { minLength: MANY.length })
})

interface Model { readonly routes: readonly Route[], readonly lifecycle: Record<string, VersionEnding | undefined> }

/** How a version ends: as its route, or else as the lifecycle says, or null if no route has it. */
function endingOf ({ routes, lifecycle }: Model, version: string): VersionEnding | undefined | null {
  const route = routes.find(({ versions }) => versions?.includes(version)) ??
    routes.find(({ versions }) => versions === null)
  return route === undefined ? null : route.deprecated ?? lifecycle[version]
}

function isAnswered (model: Model, version: string): boolean {
  const ends = endingOf(model, version)
  return ends !== null && ends !== GONE
}

function check (model: Model, version: string, what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  const told = `${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`
  throw new Error(`${what} of ${version} is ${told} in ${JSON.stringify(model)}`)
}

/** A header's list; one that is absent is empty. */
function listOf (value: unknown): string[] {
  return typeof value === 'string' ? value.split(', ') : []
}

t.test(`reports and successors have exactly the versions that are answered at the URL: ${RUNS} apps`, async (t) => {
  let count = 0
  await fc.assert(fc.asyncProperty(apps, async ({ ask, ...model }) => {
    const { lifecycle } = model
    const app = await appWith(t, {
      scheme: QueryParameterVersioning,
      allowedVersions: MANY,
      lifecycle,
      reportVersions: true,
      enforceSunset: true,
      now: () => NOW
    })
    for (const { versions, deprecated } of model.routes) {
      app.get('/', { ...versions === null ? {} : { version: versions }, ...deprecated && { deprecated } }, ok)
    }
    const answered = MANY.filter((version) => isAnswered(model, version))
    for (const version of ask) {
      const response = await app.inject(`/?version=${version}`)
      const { statusCode, headers } = response
      const ends = endingOf(model, version)
      check(model, version, 'the status', statusCode, isAnswered(model, version) ? 200 : ends === null ? 404 : 410)
      check(model, version, 'the report', listOf(headers['api-supported-versions']), answered)
      check(model, version, 'the report of deprecation', listOf(headers['api-deprecated-versions']), (
        answered.filter((one) => endingOf(model, one) === DEPRECATED)
      ))
      const later = answered.filter((one) => one > version)
      const expected = ends && later.length > 0
        ? [`successor-version /?version=${later[0]}`, `latest-version /?version=${later.at(-1)}`]
        : []
      check(model, version, 'the successors', linksOf(response), expected)
      count += expected.length
    }
    await app.close()
  }), { numRuns: RUNS })
  t.ok(count > RUNS, `${count} links`)
})
