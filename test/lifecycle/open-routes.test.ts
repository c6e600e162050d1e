import Fastify from 'fastify'
import LinkHeader from 'http-link-header'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { fc, tries } from '../fixtures/property.ts'
import { showRefusals } from '../fixtures/show-refusals.ts'

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'

const VERSIONS = ['v1', 'v2', 'v3']
const NOW = Date.parse('2026-06-01')
const GONE: VersionEnding = { deprecated: '2026-01-01', sunset: '2026-03-01' }
const DEPRECATED: VersionEnding = { deprecated: '2026-01-01' }
const LATER: VersionEnding = { deprecated: '2026-09-01' }
const handler = async () => 'ok'

t.test('a refusal lists no versions where an open route answers every possible version', async (t) => {
  const app = await appWith({ scheme: QueryParameterVersioning, allowedVersions: null })
  showRefusals(app)
  app.get('/', { version: 'v1', deprecated: GONE }, handler)
  app.get('/', { version: 'v2' }, handler)
  app.get('/', handler)
  t.match((await app.inject(byQuery('v1'))).json(), { status: 410, allowedVersions: null })
})

t.test('a refusal lists no versions where neither a list nor a route has any', async (t) => {
  const app = await appWith({
    scheme: QueryParameterVersioning, allowedVersions: null, lifecycle: { v1: GONE }
  })
  showRefusals(app)
  app.get('/', handler)
  t.match((await app.inject(byQuery('v1'))).json(), { status: 410, allowedVersions: null })
})

async function appWith (options: VersioningOptions): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(versioning, {
    allowedVersions: VERSIONS, reportVersions: true, enforceSunset: true, now: () => NOW, ...options
  })
  return app
}

type Ask = (version: string) => InjectOptions

const byQuery: Ask = (version) => ({ url: `/?version=${version}` })
const byAccept: Ask = (version) => ({ url: '/', headers: { accept: `*/*;version=${version}` } })

/** The successors of a response as `<relation> <target>`. */
function successorsOf ({ headers: { link } }: LightMyRequestResponse): string[] {
  const { refs } = LinkHeader.parse(link?.toString() ?? '')
  return refs.filter(({ rel }) => rel.endsWith('-version')).map(({ rel, uri }) => `${rel} ${uri}`)
}

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

async function modelApp (scheme: VersioningOptions['scheme'], { routes, lifecycle }: Model): Promise<FastifyInstance> {
  const given = Object.entries(lifecycle).filter((pair): pair is [string, VersionEnding] => pair[1] !== undefined)
  const app = await appWith({
    scheme, allowedVersions: MANY, lifecycle: given.length === 0 ? null : Object.fromEntries(given)
  })
  for (const { versions, deprecated } of routes) {
    app.get('/', { ...versions === null ? {} : { version: versions }, ...deprecated && { deprecated } }, handler)
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

t.test(`a report lists exactly the versions that are answered at the URL: ${RUNS} apps`, async () => {
  await fc.assert(fc.asyncProperty(apps, async ({ ask, ...model }) => {
    const app = await modelApp(AcceptHeaderVersioning, model)
    const answered = MANY.filter((version) => isAnswered(model, version))
    const deprecated = answered.filter((version) => endingOf(model, version) === DEPRECATED)
    for (const version of ask) {
      const { statusCode, headers } = await app.inject(byAccept(version))
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
    const app = await modelApp(QueryParameterVersioning, model)
    for (const version of ask) {
      const later = MANY.slice(MANY.indexOf(version) + 1).filter((one) => isAnswered(model, one))
      const isEnding = Boolean(endingOf(model, version))
      const expected = isEnding && later.length > 0
        ? [`successor-version /?version=${later[0]}`, `latest-version /?version=${later.at(-1)}`]
        : []
      const response = await app.inject(byQuery(version))
      check(model, version, 'the successors', successorsOf(response), expected)
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
