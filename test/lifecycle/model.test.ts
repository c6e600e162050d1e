import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'
import { linksOf } from '../fixtures/lifecycle.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'

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

async function modelApp (
  t: Test, scheme: VersioningOptions['scheme'], { routes, lifecycle }: Model
): Promise<FastifyInstance> {
  const app = await appWith(t, {
    scheme, allowedVersions: MANY, lifecycle, reportVersions: true, enforceSunset: true, now: () => NOW
  })
  for (const { versions, deprecated } of routes) {
    app.get('/', { ...versions === null ? {} : { version: versions }, ...deprecated && { deprecated } }, ok)
  }
  return app
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

t.test(`a report lists exactly the versions that are answered at the URL: ${RUNS} apps`, async (t) => {
  await fc.assert(fc.asyncProperty(apps, async ({ ask, ...model }) => {
    const app = await modelApp(t, AcceptHeaderVersioning, model)
    const answered = MANY.filter((version) => isAnswered(model, version))
    const deprecated = answered.filter((version) => endingOf(model, version) === DEPRECATED)
    for (const version of ask) {
      const { statusCode, headers } = await app.inject({ url: '/', headers: { accept: `*/*;version=${version}` } })
      const status = isAnswered(model, version) ? 200 : endingOf(model, version) === null ? 406 : 410
      check(model, version, 'the status', statusCode, status)
      check(model, version, 'the report', listOf(headers['api-supported-versions']), answered)
      check(model, version, 'the report of deprecation', listOf(headers['api-deprecated-versions']), deprecated)
    }
    await app.close()
  }), { numRuns: RUNS })
})

t.test(`successors are exactly the versions that are answered at the URL: ${RUNS} apps`, async (t) => {
  let count = 0
  await fc.assert(fc.asyncProperty(apps, async ({ ask, ...model }) => {
    const app = await modelApp(t, QueryParameterVersioning, model)
    for (const version of ask) {
      const later = MANY.slice(MANY.indexOf(version) + 1).filter((one) => isAnswered(model, one))
      const isEnding = Boolean(endingOf(model, version))
      const expected = isEnding && later.length > 0
        ? [`successor-version /?version=${later[0]}`, `latest-version /?version=${later.at(-1)}`]
        : []
      const response = await app.inject(`/?version=${version}`)
      check(model, version, 'the successors', linksOf(response), expected)
      for (const link of expected) {
        const { statusCode } = await app.inject(link.split(' ')[1])
        check(model, version, `the status of ${link}`, statusCode, 200)
        count++
      }
    }
    await app.close()
  }), { numRuns: RUNS })
  t.ok(count > RUNS, `${count} links`)
})
