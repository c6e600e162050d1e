import t from 'tap'

import versioning, { AcceptHeaderVersioning, HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { appWith } from '../fixtures/app-with.ts'
import { documentOf, documented, ok } from './app.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'
import type { Doc, Operation } from './app.ts'

const now = () => Date.UTC(2026, 5, 1)
const info = { title: 'API', version: '1', description: 'Rooms.' }
const header = { scheme: HeaderVersioning, now }
const query = { scheme: QueryParameterVersioning }
const sunset = '2026-12-31'
const deprecated = '2026-01-01'
const ended = { sunset }

async function documentWith (
  t: Test, options: VersioningOptions, deprecated?: VersionEnding, schema: object = {}
): Promise<Doc> {
  const app = await documented(t, { ...header, ...options }, (app) => {
    app.get('/a', { schema, ...deprecated && { deprecated } }, ok)
    app.get('/neutral', { versioning: false }, ok)
  }, { openapi: { info } })
  return documentOf(app, app.openapi.names[0])
}

const ENDINGS: [VersionEnding, string, object][] = [
  [{ deprecated }, 'Deprecated since 1 January 2026.', { deprecated: true }],
  [{ deprecated: '2026-07-01' }, 'Deprecated from 1 July 2026.', {}],
  [{ deprecated, sunset: '2026-12-31T23:00:00Z' }, 'Deprecated since 1 January 2026. Ends on 31 December 2026.',
    { deprecated: true, 'x-sunset': sunset }],
  [{ sunset: '2026-05-31' }, 'Ended on 31 May 2026.', { deprecated: true, 'x-sunset': '2026-05-31' }],
  [{ sunset, info: '/v1' }, 'Ends on 31 December 2026.', { 'x-sunset': sunset }]
]

for (const [ending, sentence, expected] of ENDINGS) {
  const endingOf = ({ deprecated, 'x-sunset': sunset, description, externalDocs }: Operation) => (
    JSON.parse(JSON.stringify({ deprecated, 'x-sunset': sunset, description, externalDocs }))
  )

  t.test(`the head of a document alone says "${sentence}" of its version`, async (t) => {
    const { info, paths } = await documentWith(t, { lifecycle: { v1: ending } })
    const notice = ending.info === undefined ? '' : ' Retirement notice: /v1'
    t.equal(info.description, `${sentence} Use v2.${notice}\n\nRooms.`)
    t.strictSame(endingOf(paths['/a'].get), expected)
    t.strictSame(endingOf(paths['/neutral'].get), {})
  })

  t.test(`an operation that ends by itself says "${sentence}"`, async (t) => {
    const { info, paths } = await documentWith(t, {}, ending, { description: 'All.' })
    t.equal(info.description, 'Rooms.')
    t.strictSame(endingOf(paths['/a'].get), {
      ...expected,
      description: `${sentence}\n\nAll.`,
      ...ending.info !== undefined && { externalDocs: { url: ending.info, description: 'Retirement notice' } }
    })
  })
}

const three = ['v1', 'v2', 'v3']
const SUCCESSORS: [string, VersioningOptions, string][] = [
  ['the latest version', { allowedVersions: three, lifecycle: { v1: ended } }, ' Use v3.'],
  ['the latest version that is not retired', { allowedVersions: three, lifecycle: { v1: ended, v3: ended } },
    ' Use v2.'],
  ['no preview', { allowedVersions: three, lifecycle: { v1: ended, v3: { preview: true } } }, ' Use v2.'],
  ['no version', { allowedVersions: ['v1'], lifecycle: { v1: ended } }, ''],
  ['a dated version', { allowedVersions: ['2025-01-01', '2026-01-01'], lifecycle: { '2025-01-01': ended } },
    ' Use version 2026-01-01.']
]

for (const [what, options, expected] of SUCCESSORS) {
  t.test(`the head of a document whose version is retired recommends ${what}`, async (t) => {
    const { info } = await documentWith(t, options)
    t.equal(info.description, `Ends on 31 December 2026.${expected}\n\nRooms.`)
  })
}

t.test('the head of a document recommends no version without a document', async (t) => {
  const versioning = { ...header, allowedVersions: three, lifecycle: { v1: ended } }
  const app = await documented(t, versioning, (app) => app.get('/a', ok), { versions: ['v1', 'v2'] })
  t.equal(documentOf(app, 'v1').info.description, 'Ends on 31 December 2026. Use v2.')
})

t.test('what the user describes in an operation is kept', async (t) => {
  const own = { deprecated: false, 'x-sunset': 'soon', externalDocs: { url: 'https://own.example.com' } }
  const lifecycle = { v1: { deprecated, sunset, info: 'https://example.com/v1' } }
  const response = { 200: { type: 'string', headers: { sunset: { type: 'string', description: 'Mine' } } } }
  const { get } = (await documentWith(t, { lifecycle }, undefined, { ...own, response })).paths['/a']
  t.match(get, { 'x-sunset': 'soon', externalDocs: own.externalDocs })
  t.notOk(get.deprecated)
  t.match(get.responses[200].headers, { sunset: { description: 'Mine' }, Deprecation: {} })
  t.notOk(get.responses[200].headers?.Sunset)
})

/** A document of contexts with other lifecycles, which are below one without a scheme. */
async function documentOfContexts (t: Test, version: string, lifecycles: VersioningOptions['lifecycle'][]) {
  const app = await appWith(t, { scheme: null, now })
  await app.register(openapi, { versions: ['v1', 'v2'] })
  for (const [i, lifecycle] of lifecycles.entries()) {
    app.register(async (api: FastifyInstance) => {
      await api.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle })
      api.get('/', ok)
    }, { prefix: `/${i}` })
  }
  await app.ready()
  return documentOf(app, version)
}

t.test('the head of a document has the ending of its version only if all of its contexts agree', async (t) => {
  const same = await documentOfContexts(t, 'v1', [{ v1: ended }, { v1: { ...ended } }])
  t.equal(same.info.description, 'Ends on 31 December 2026. Use v2.')
  const { info, paths } = await documentOfContexts(t, 'v1', [{ v1: ended }, { v1: { sunset: '2027-12-31' } }])
  t.equal(info.description, undefined)
  t.match(paths['/0/'].get.description, 'Ends on 31 December 2026.')
  t.match(paths['/1/'].get.description, 'Ends on 31 December 2027.')
})

t.test('a preview in one of two contexts is shown in its operations alone, without a text', async (t) => {
  const { info, paths } = await documentOfContexts(t, 'v2', [{ v2: { preview: true } }, {}])
  t.strictSame([info.description, 'x-stability-level' in info], [undefined, false])
  t.match(paths['/0/'].get, { 'x-stability-level': 'beta', description: undefined })
  t.notOk('x-stability-level' in paths['/1/'].get)
})

t.test('the document of a preview says that it is one, and where to read more', async (t) => {
  const lifecycle = { v2: { preview: true, info: '/v2' } } as const
  const app = await documented(t, { ...header, lifecycle, reportVersions: true }, (app) => {
    app.get('/a', ok)
    app.get('/own', { deprecated: { sunset: '2099-01-01' } }, ok)
  })
  const beta = { 'x-stability-level': 'beta' }
  const { info, paths, ...document } = documentOf(app, 'v2')
  t.match({ info, paths, ...document }, { ...beta, info: beta, paths: { '/a': { get: beta }, '/own': { get: beta } } })
  t.equal(info.description, 'This version is a preview: it may change before its release. See: /v2')
  t.strictSame(['description', 'deprecated'].filter((one) => one in paths['/a'].get), [])
  t.strictSame(Object.keys(paths['/a'].get.responses[200].headers ?? {}), ['API-Supported-Versions'])
  t.notMatch(JSON.stringify(documentOf(app, 'v1')), 'stability')
})

const HEADERS: [string, VersioningOptions, string[]][] = [
  ['no ending', {}, []],
  ['a deprecation', { lifecycle: { v1: { deprecated } } }, ['Deprecation']],
  ['a sunset and where to read more', { lifecycle: { v1: { sunset, info: '/v1' } } }, ['Sunset', 'Link']],
  ['links to later versions', { ...query, lifecycle: { v1: { deprecated } } }, ['Deprecation', 'Link']],
  ['the latest version', { ...query, allowedVersions: ['v1'], lifecycle: { v1: { deprecated } } }, ['Deprecation']],
  ['a preview and no version as the later ones',
    { ...query, allowedVersions: ['v1', 'v2', null], lifecycle: { v1: { deprecated }, v2: { preview: true } } },
    ['Deprecation']],
  ['a report', { reportVersions: true }, ['API-Supported-Versions']],
  ['a report with endings', { reportVersions: true, lifecycle: { v2: { deprecated } } },
    ['API-Supported-Versions', 'API-Deprecated-Versions']],
  ['the version that is served', { servedVersion: 'X-Served!' }, ['X-Served!']]
]

for (const [what, options, expected] of HEADERS) {
  t.test(`the responses of a document have the headers of ${what}`, async (t) => {
    const { paths, components } = await documentWith(t, options)
    const keys = expected.map((name) => name.replace('!', '-'))
    t.strictSame(paths['/a'].get.responses[200].headers ?? {}, Object.fromEntries(expected.map((name, i) => (
      [name, { $ref: `#/components/headers/${keys[i]}` }]
    ))))
    t.strictSame(Object.keys(components.headers ?? {}).sort(), keys.toSorted())
    t.equal(paths['/neutral'].get.responses[200].headers, undefined)
  })
}

t.test('the refusals of a document have the headers of the report alone', async (t) => {
  const options = { reportVersions: true, scheme: AcceptHeaderVersioning, lifecycle: { v1: { deprecated } } }
  const { components } = await documentWith(t, options)
  const names = ['API-Supported-Versions', 'API-Deprecated-Versions']
  t.strictSame(Object.keys(components.responses?.VersionNotAcceptable.headers ?? {}), names)
})

const gone = { deprecated: '2025-01-01', sunset: '2026-01-01', info: '/v1' }
const GONE: [string, VersioningOptions][] = [
  ['dates and links', {}],
  ['a report', { reportVersions: true, lifecycle: { v1: gone, v2: { deprecated } } }],
  ['the version that is served', { servedVersion: 'X-Served' }],
  ['a sunset alone', { lifecycle: { v1: { sunset: '2026-01-01' } } }]
]

for (const [what, options] of GONE) {
  t.test(`the 410 of a document has the headers that are sent with ${what}`, async (t) => {
    const own = { ...header, lifecycle: { v1: gone }, enforceSunset: true, ...options }
    const app = await documented(t, own, (app) => app.get('/a', ok))
    const { headers, statusCode } = await app.inject({ url: '/a', headers: { 'api-version': 'v1' } })
    const names = ['deprecation', 'sunset', 'link', 'api-supported-versions', 'api-deprecated-versions', 'x-served']
    const described = Object.keys(documentOf(app, 'v1').components.responses?.VersionGone.headers ?? {})
    t.equal(statusCode, 410)
    t.strictSame(described.map((name) => name.toLowerCase()), names.filter((one) => one in headers))
  })
}
