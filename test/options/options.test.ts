import { runInNewContext } from 'node:vm'
import t from 'tap'

import versioning, {
  AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, QueryParameterVersioning, URLPathVersioning, byDate
} from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, LightMyRequestResponse, RouteShorthandOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const deprecated = '2026-01-01'
const HEADER = 'the name of a request header'
const VERSIONS = "a list such as ['v1', 'v2'], or null"
const CLOCK = 'a function that returns milliseconds since the epoch'
const FLAG = 'true or false'
const SERVED = "the name of a response header that has no meaning yet, such as 'API-Version', or null"

/** The option that an error names, what it expects or the whole message, and values that it refuses. */
type Refused = [option: string, expected: string | RegExp, options: readonly object[]]

const refuseds: Refused[] = [
  ['scheme', 'a scheme such as HeaderVersioning (a class, an instance or a list), or null', [
    { scheme: 'query' }, { scheme: () => {} }, { scheme: class { determineVersion () {} } },
    { scheme: { readVersion () {} } }
  ]],
  ['scheme.1', 'a scheme such as HeaderVersioning (a class or an instance)',
    [undefined, null, false].map((member) => ({ scheme: [HeaderVersioning, member] }))],
  ['defaultVersion', 'a string, null or { header, version }', [{ defaultVersion: 1 }, { defaultVersion: () => 'v1' }]],
  ['defaultVersion.header', HEADER, ['', 'X Key', null, 7, ['X-Key'], undefined].map((header) => (
    { defaultVersion: { header, version: () => 'v1' } }
  ))],
  ['defaultVersion.version', 'a function that returns a version',
    [{ defaultVersion: { header: 'X-Key' } }, { defaultVersion: { header: 'X-Key', version: 'v1' } }]],
  ['defaultVersion.vary', 'Unknown field "defaultVersion.vary". The fields are header, version. See ',
    [{ defaultVersion: { vary: 'a', version: () => 'v1' } }]],
  ['allowedVersions', VERSIONS, ['v1', ['v1', 2], {}].map((allowedVersions) => ({ allowedVersions }))],
  ['resolveVersion', 'a function without a promise, or null',
    [{ resolveVersion: 'byDate' }, { resolveVersion: async () => 'v1' }]],
  ['versionParam', 'a name without ":"', ['', null, ':version'].map((versionParam) => ({ versionParam }))],
  ['versionParam', 'a name other than "q", which is the weight of a media type', [AcceptHeaderVersioning,
    [HeaderVersioning, AcceptHeaderVersioning]].map((scheme) => ({ scheme, versionParam: 'Q', mediaTypes: ['a/b'] }))],
  ['versionHeader', HEADER, [
    '', ' ', ' a', 'a b', 'a:b', 'a/b', '"a"', 'A,X', 'é', 'a\n', '\na', null, 7, ['a']
  ].map((versionHeader) => ({ versionHeader }))],
  [
    'mediaTypes',
    "an iterable of media types such as 'application/json', with {version} at most once and in the subtype, or null",
    [
      'application/json', ['json'], [1], ['a/'], ['/b'], ['a/b/c'], ['a{version}/b'], ['a/{version}{version}'],
      ['a/*{version}'], ['*/*'], ['a/*'], ['a/b;v={version}'], ['a/{v}'], ['{version}']
    ].map((mediaTypes) => ({ mediaTypes }))
  ],
  ['baseUrl', 'an http or https URL without credentials, parameters, query and fragment, or null', [
    'api', '/api', 7, 'ftp://a', 'http://u@a', 'http://:p@a', 'http://a?b', 'http://a#b', 'http://a//b', 'http://a/?',
    'http://a/:version', 'http://a/b/{version}/'
  ].map((baseUrl) => ({ baseUrl }))],
  ['reportVersions', FLAG, [{ reportVersions: 1 }]],
  ['enforceSunset', FLAG, [{ enforceSunset: null }, { enforceSunset: () => true }]],
  ['logVersion', FLAG, [{ logVersion: 'yes' }]],
  ['servedVersion', SERVED, [
    '', 'a b', 'A:', 'a\r\nb', 'ü', 1, true, ['A'], 'Content-Type', 'content-length', 'Transfer-Encoding',
    'Connection', 'Set-Cookie', 'Date', 'Link', 'vary', 'Deprecation', 'Sunset', 'Cache-Control', 'ETag', 'Location',
    'API-Supported-Versions'
  ].map((servedVersion) => ({ servedVersion }))],
  ['now', CLOCK, [
    7, () => '1', () => NaN, () => null, () => new Date(0), async () => 1, () => Promise.reject(new Error('late'))
  ].map((now) => ({ now }))],
  ['reportVersions', /^Rename the version '.*': "reportVersions" writes all versions into a header, separated by /, [
    'a,b', '', ' a', 'a ', 'a\nb', 'ä'
  ].map((version) => (
    { reportVersions: true, allowedVersions: ['v1', version, null] }
  ))],
  ['servedVersion', 'Rename the version \'a,b\': "servedVersion" writes it into a header. It needs visible ASCII',
    [{ servedVersion: 'Served', allowedVersions: ['a,b'] }]],

  ['lifecycle', 'an object of versions, or null', [{ lifecycle: [] }, { lifecycle: new Map() }, { lifecycle: true }]],
  ['lifecycle.v9', "one of allowedVersions, [ 'v1', 'v2' ]", [{ lifecycle: { v9: { deprecated } } }]],
  ['lifecycle.__proto__', "one of allowedVersions, [ 'v1', 'v2' ]",
    [{ lifecycle: JSON.parse('{ "__proto__": { "deprecated": "2026-01-01" } }') }]],
  ['lifecycle.v1', 'an object { deprecated?, sunset?, info?, released?, preview? }', [deprecated, null].map((v1) => (
    { lifecycle: { v1 } }
  ))],
  ['lifecycle.v1', 'Add a date to "lifecycle.v1": "deprecated", "sunset" or both. (A version that is not released has ',
    [{ info: '/' }, { preview: false }].map((v1) => ({ lifecycle: { v1 } }))],
  ['lifecycle.v1.sunsetAt', 'Unknown field "lifecycle.v1.sunsetAt". Did you mean \'sunset\'? See ',
    [{ lifecycle: { v1: { deprecated, sunsetAt: 1 } } }]],
  ['lifecycle.v1.brownouts', 'Unknown field "lifecycle.v1.brownouts". The fields are deprecated, sunset, info, rel',
    [{ lifecycle: { v1: { deprecated, brownouts: [] } } }]],
  ['lifecycle.v1.released', "a Date, '2026-12-31' or '2026-12-31T12:00:00Z'",
    ['2026-02-30', true].map((released) => ({ lifecycle: { v1: { released } } }))],
  ['lifecycle.v1.released', 'Remove "lifecycle.v1.preview", or "lifecycle.v1.released": a preview is not released yet.',
    [{ lifecycle: { v1: { released: deprecated, preview: true } } }]],
  ['lifecycle.v1.deprecated', /^Move "lifecycle.v1.deprecated" \(2025-12-31\) behind "lifecycle.v1.released" \(2026-0/,
    [{ lifecycle: { v1: { released: deprecated, deprecated: '2025-12-31' } } }]],
  ['lifecycle.v1.sunset', /^Move "lifecycle.v1.sunset" \(2025-12-31T.*\) behind "lifecycle.v1.released" \(2026-/,
    [{ lifecycle: { v1: { released: deprecated, sunset: new Date('2025-12-31') } } }]],
  ['lifecycle.v1.preview', FLAG, [{ lifecycle: { v1: { preview: 'yes' } } }]],
  ['lifecycle.v1.sunset', /^Move "lifecycle.v1.sunset" \(2026-01-01.*\) behind "lifecycle.v1.deprecated" \(2026-01-0/,
    [deprecated, new Date(deprecated)].map((sunset) => (
      { lifecycle: { v1: { deprecated: '2026-01-01T00:00:00.001Z', sunset } } }
    ))],
  [
    'lifecycle.v1.deprecated',
    "a Date, '2026-12-31' or '2026-12-31T12:00:00Z'",
    [
      1767225600, null, '', '2026-02-30', '2026-02-29', '2026-13-01', '2026-00-10', '2026-01-01T00:00:00',
      '2026-01-01T25:00:00Z', '2026-01-01T00:60:00Z', '2016-12-31T23:59:60Z', '2026-01-01T00:00:00+24:00',
      'January 1, 2026', 'Thu, 01 Jan 2026 00:00:00 GMT', '2026-01', '20260101', '+002026-01-01', '0000-01-01',
      ' 2026-01-01', '2026-01-01\n', new Date(NaN), new Date('+010000-01-01T00:00:00Z'),
      new Date('-000001-01-01T00:00:00Z'), { getTime: () => 0 }
    ].map((deprecated) => ({ lifecycle: { v1: { deprecated } } }))
  ],
  ['lifecycle.v1.info', 'an http or https URL, or a reference to one', [
    7, '', 'javascript:alert(1)', 'mailto:api@example.com', 'https://', '//example.com:port/', '/a\r\nSet-Cookie: a=b',
    ' /leaving', 'Use v2!', { href: '/' }, ['/'],
    'docs.example.com/leaving'
  ].map((info) => ({ lifecycle: { v1: { deprecated, info } } }))],

  ['namespace', 'Move "namespace" to the register() of a plugin that declares routes: ', [{ namespace: 'v1' }]],
  ['version', 'Move "version" to a route, or to the register() of a plugin that declares ', [{ version: 'v1' }]],
  ...['versions', 'problemDetails', 'statusCodes', 'brownouts', 'toString'].map((option): Refused => [
    option,
    `Unknown option "${option}". The options are scheme, defaultVersion, allowedVersions, resolveVersion, ` +
      'versionParam, versionHeader, mediaTypes, baseUrl, changes, events, logVersion, lifecycle, ' +
      'reportVersions, enforceSunset, now, servedVersion',
    [{ [option]: true }]
  ])
]

for (const [option, expected, all] of refuseds) {
  t.test(`${option} must be right: ${String(expected).slice(0, 60)}`, async (t) => {
    const isWhole = expected instanceof RegExp || /^[A-Z]/.test(expected)
    const message = isWhole ? expected : `Invalid "${option}": expected ${expected}, got `
    for (const options of all) {
      await t.rejects(async () => appWith(t, { ...settings, ...options }), {
        code: 'FST_ERR_VERSIONING_OPTION', statusCode: 500, message
      }, JSON.stringify(options))
    }
  })
}

const meant: [options: object, hint: RegExp][] = [
  [{ vary: 'A' }, /^Write "vary" into a class that extends a scheme.*custom-schemes\.md#members$/],
  [{ foo: 1 }, /^Unknown option "foo"\. The options are scheme, .+\. See /],
  [{ nom: 1 }, /^Unknown option "nom"\. Did you mean 'now'\? See /],
  [{ shceme: null }, /Did you mean 'scheme'\?/],
  [{ BASEURL: null }, /Did you mean 'baseUrl'\?/],
  [{ defaultVersion: { heder: 'X-Key', version: () => 'v1' } },
    /^Unknown field "defaultVersion\.heder"\. Did you mean 'header'\?/],
  [{ lifecycle: { v1: { deprecated, sunsetAt: 1 } } },
    /^Unknown field "lifecycle\.v1\.sunsetAt"\. Did you mean 'sunset'\? See .+retiring\.md#dates$/],
  [{ now: new Error('a\nb') }, /got Error: a\. See /],
  [{ scheme: Object.fromEntries(Array(60).entries()) }, /got \{ '0': undefined, .{230,240}\.\.\.\. See /]
]

for (const [options, message] of meant) {
  t.test(`the error about ${JSON.stringify(options)} says what it means, in one line`, async (t) => {
    await t.rejects(async () => appWith(t, { ...settings, ...options }), { message })
  })
}

/** Options of a route, and the error. */
const ofRoutes: [options: object, message: RegExp][] = [
  ...['', 'a:b', ':', 7, null].map((name): [object, RegExp] => [
    { name }, /^Invalid "name": expected a non-empty string without ":", got .+ Route: GET \/\. See /
  ]),
  ...[true, null, 'query', Map, { readVersion () {} }].map((versioning): [object, RegExp] => [
    { versioning }, /^Invalid "versioning": expected a scheme such as .+, or false, got .+#another/
  ]),
  [{ deprecated: true }, /^Invalid "deprecated": expected an object .+, got true\. Route: GET \/\. See /],
  [{ deprecated: { info: '/' } }, /^Add a date to "deprecated": "deprecated", "sunset" or both\. Route: GET \/\. See /],
  [{ deprecated: { deprecated: 'soon' } }, /^Invalid "deprecated\.deprecated": .+, got 'soon'\. Route: GET \/\./],
  [{ deprecated: { deprecated, preview: true } }, /^Unknown field "deprecated\.preview"\. The fields are /],
  [
    {
      versioning: class extends BaseVersioning {
        override readonly allowedVersions = ['a,b']
        override readVersion () { return 'a,b' }
      }
    },
    /^Rename the version 'a,b': "reportVersions" .+ Route: GET \/\. See /
  ]
]

for (const [options, message] of ofRoutes) {
  t.test(`a route cannot have the options ${JSON.stringify(options)}`, async (t) => {
    const app = await appWith(t, { ...settings, reportVersions: true })
    const declare = () => app.get('/', options as RouteShorthandOptions, async () => '')
    t.throws(declare, { code: 'FST_ERR_VERSIONING_OPTION', message })
  })
}

t.test('a namespace is a name', async (t) => {
  for (const namespace of ['', 'a:b', 7]) {
    const app = await appWith(t)
    app.register(async () => {}, { namespace: namespace as never })
    await t.rejects(async () => app.ready(), { message: /^Invalid "namespace": expected a non-empty string without / })
  }
})

for (const [field, value, expected] of [
  ['defaultVersion', 5, 'a string or null, got 5'],
  ['defaultVersion', { header: 'X', version: () => 'v1' }, 'a string or null, got { header: '],
  ['defaultVersion', () => 'v1', 'a string or null, got a function. Pass { header, version } to the constructor '],
  ['allowedVersions', 'v1', VERSIONS],
  ['versionParam', '', 'a name without ":"'],
  ['mediaTypes', 'a/b', 'an iterable of media types'],
  ...['', 'a b', 'Accept,', 'a,b c', 'a\r\nb', 1, ['Accept']].map((vary) => (
    ['vary', vary, 'the name of a request header, or null'] as const
  ))
] as const) {
  t.test(`the field ${field} of a scheme is checked like a setting: ${JSON.stringify(value)}`, async (t) => {
    const scheme = Object.assign(new AcceptHeaderVersioning(), { [field]: value }) as AcceptHeaderVersioning
    const owner = field === 'defaultVersion' ? ' of AcceptHeaderVersioning' : ''
    await t.rejects(async () => appWith(t, { scheme }), { message: `Invalid "${field}"${owner}: expected ${expected}` })
  })
}

const accepteds: Record<string, VersioningOptions> = {
  'a Date of another realm': { lifecycle: { v1: { deprecated: runInNewContext('new Date(0)') } } },
  'an object of another realm': { lifecycle: runInNewContext('({ v1: { deprecated: "2026-01-01" } })') },
  'an object without prototype': { lifecycle: Object.assign(Object.create(null), { v1: { deprecated } }) },
  'what is undefined': { lifecycle: { v9: undefined, v1: { deprecated, sunset: undefined } }, mediaTypes: undefined },
  'a sunset at the deprecation': { lifecycle: { v1: { deprecated, sunset: new Date(deprecated) } } },
  'an empty lifecycle': { lifecycle: {} },
  'a version that only has its release': { lifecycle: { v1: { released: deprecated } } },
  'a release at the deprecation': { lifecycle: { v1: { released: new Date(deprecated), deprecated } } },
  'a preview that a released version follows': { lifecycle: { v1: { preview: true }, v2: { deprecated } } },
  'a preview with dates': { lifecycle: { v2: { preview: true, deprecated, sunset: '2026-12-31', info: '/' } } },
  'any version where all are allowed': { allowedVersions: null, lifecycle: { v9: { deprecated } } },
  'a report of versions with space in them': { reportVersions: true, allowedVersions: ['spring 2026', '"1"', null] },
  'a baseUrl that is a URL': { baseUrl: new URL('https://example.com/api') },
  'a report of no versions': { reportVersions: true, allowedVersions: null },
  'options of register() and fastify-cli': { prefix: '/a', logLevel: 'warn', skipOverride: true } as object
}

for (const [what, options] of Object.entries(accepteds)) {
  t.test(`${what} is accepted`, async (t) => {
    const app = bareApp(t)
    app.register(versioning, { ...settings, ...options })
    await t.resolves(async () => app.ready())
  })
}

t.test('a lifecycle is checked against the versions of its context, or of its scheme', async (t) => {
  const lifecycle = { v9: { deprecated } }
  const scheme = new QueryParameterVersioning({ allowedVersions: ['a'] })
  await t.rejects(async () => appWith(t, { allowedVersions: ['v1'], lifecycle }), { message: /^Invalid "lifecycle\.v/ })
  await t.rejects(async () => appWith(t, { scheme, lifecycle }), { message: /one of allowedVersions, \[ 'a' \]/ })
})

t.test('settings have defaults, keep their order, and are copied', async (t) => {
  const versions = ['b', 'a']
  const { defaultVersion, allowedVersions, versionParam } = new BaseVersioning({ allowedVersions: versions.values() })
  t.same({ defaultVersion, allowedVersions, versionParam }, {
    defaultVersion: null, allowedVersions: ['b', 'a'], versionParam: 'version'
  })
  const scheme = new BaseVersioning({ allowedVersions: versions })
  versions.push('c')
  t.equal(scheme.isAllowedVersion('c'), false)
  t.same(new AcceptHeaderVersioning({ mediaTypes: ['a/b'].values() }).mediaTypes, ['a/b'])
  t.equal(new BaseVersioning().allowedVersions, null)
})

const dates = ['2025-06-01', '2025-11-15', null, '2026-03-01']

const resolved: [requested: string, version: string | null][] = [
  ['2025-06-01', '2025-06-01'], ['2025-06-02', '2025-06-01'], ['2025-11-14', '2025-06-01'],
  ['9999-12-31', '2026-03-01'], ['2025-05-31', null], ['0000-01-01', null], ['banana', 'banana'], ['', ''],
  ['2026-02-30', '2026-02-30'], ['2026-3-1', '2026-3-1'], ['20260301', '20260301'], ['2026-04-01\n', '2026-04-01\n'],
  ['2026-04-01T00:00Z', '2026-04-01T00:00Z'], ['٢٠٢٦-04-01', '٢٠٢٦-04-01']
]

for (const [requested, version] of resolved) {
  t.test(`byDate resolves ${JSON.stringify(requested)} to ${version}`, async (t) => {
    t.equal(byDate(requested, dates), version)
    t.equal(byDate(requested, [...dates.toReversed(), 'v1', '2026-02-30']), version, 'in any order, among others')
    t.equal(byDate(requested, ['v1']), requested, 'without dates')
  })
}

const named = [
  '2024-06-20', '2024-06-20.acacia', '2024-09-30.oak', '2024-12-18-preview', '2025-01-01', '2025-02-24.Preview.1', 'v1',
  '2025-02-30.elm', '2025-03-01T00:00Z', '2025-03-01beta', null
]

for (const [requested, version] of [
  ['2024-06-20', '2024-06-20'], ['2024-06-21', '2024-06-20.acacia'], ['2024-12-01', '2024-09-30.oak'],
  ['2024-09-30', '2024-09-30.oak'], ['2024-12-31', '2024-09-30.oak'], ['2030-01-01', '2025-01-01'],
  ['2024-06-19', null],
  ['2024-06-20.acacia', '2024-06-20.acacia'], ['2024-12-18-preview', '2024-12-18-preview'],
  ['2024-07-01.acacia', '2024-07-01.acacia'], ['2024-12-19-preview', '2024-12-19-preview']
] as const) {
  t.test(`byDate resolves ${requested} among versions with names to ${version}`, async (t) => {
    t.equal(byDate(requested, named), version)
    t.equal(named[0], '2024-06-20', 'the list is left as it is')
  })
}

t.test('byDate refuses a date before the first version, if the others are previews', async (t) => {
  t.equal(byDate('2030-01-01', ['2024-12-18-preview']), null)
})

t.test('byDate takes linear time', async (t) => {
  t.equal(byDate('2026-03-01'.repeat(100_000), dates)?.length, 1_000_000)
})

// Inheritance

const lifecycle = { v1: { sunset: '2026-12-31T00:00:00Z' } }
const byHeader = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }

/** An option, what resets it, and what it does to the response of a request for v1: with it, and without it. */
type Cross = [option: VersioningOptions, reset: VersioningOptions, read: (seen: LightMyRequestResponse) => unknown,
  on: unknown, off: unknown]

const crosses: Record<string, Cross> = {
  defaultVersion: [{ defaultVersion: 'v2' }, { defaultVersion: null }, ({ body }) => body.slice(0, 2), 'v2', '{"'],
  allowedVersions: [
    { allowedVersions: ['v2'] }, { allowedVersions: ['v1', 'v2'] }, ({ statusCode }) => statusCode, 400, 200
  ],
  resolveVersion: [
    { resolveVersion: () => 'v2' }, { resolveVersion: null }, ({ body }) => body.slice(0, 2), 'v2', 'v1'
  ],
  versionHeader: [
    { versionHeader: 'X-Version' }, { versionHeader: 'API-Version' }, ({ headers }) => headers.vary, 'X-Version',
    'API-Version'
  ],
  baseUrl: [
    { baseUrl: 'https://api.example.com/base' }, { baseUrl: null }, ({ body }) => body.includes(' /base/'), true, false
  ],
  lifecycle: [
    { lifecycle }, { lifecycle: null }, ({ headers }) => headers.sunset, 'Thu, 31 Dec 2026 00:00:00 GMT', undefined
  ],
  reportVersions: [
    { reportVersions: true }, { reportVersions: false }, ({ headers }) => headers['api-supported-versions'], 'v1, v2',
    undefined
  ],
  enforceSunset: [
    { enforceSunset: true, lifecycle, now: () => Date.parse('2027-01-01') }, { enforceSunset: false },
    ({ statusCode }) => statusCode, 410, 200
  ],
  logVersion: [{ logVersion: true }, { logVersion: false }, ({ body }) => body.endsWith(',version'), true, false],
  servedVersion: [
    { servedVersion: 'Served' }, { servedVersion: null }, ({ headers }) => headers.served, 'v1', undefined
  ]
}

function declare (app: FastifyInstance, path: string): void {
  app.get(path, { name: path }, async (request, reply) => (
    `${request.version} ${reply.reverse(path)} ${Object.keys(Object(request.log).bindings())}`
  ))
}

for (const [name, [option, reset, read, on, off]] of Object.entries(crosses)) {
  t.test(`a child context inherits ${name}, has its own, or resets it`, async (t) => {
    const headers = name === 'defaultVersion' ? {} : { 'api-version': 'v1', 'x-version': 'v1' }
    const answers = async (root: VersioningOptions, child: VersioningOptions) => {
      const app = await appWith(t, { ...byHeader, ...root }, { logger: { level: 'silent' } })
      declare(app, '/root')
      app.register(async (context) => {
        await context.register(versioning, child)
        declare(context, '/child')
      })
      return [read(await app.inject({ url: '/root', headers })), read(await app.inject({ url: '/child', headers }))]
    }
    t.same(await answers(option, {}), [on, on])
    t.same(await answers({}, option), [off, on])
    t.same(await answers(option, reset), [on, off])
    const [, inherited] = await answers({ ...option, scheme: URLPathVersioning }, { scheme: HeaderVersioning })
    t.same(inherited, on, 'under another scheme')
  })
}

t.test('options that nobody has awaited are refused', async (t) => {
  await t.rejects(async () => appWith(t, Promise.resolve(settings) as never), {
    message: /^Invalid "options": expected an object \(await the promise\), got Promise /
  })
})

t.test('a clock in seconds is refused', async (t) => {
  await t.rejects(async () => appWith(t, { ...settings, now: () => Math.floor(Date.now() / 1000) }), {
    message: /^Invalid "now": expected a function that returns milliseconds since the epoch, got \d{10}\./
  })
})

t.test('an iterator of versions that has been read before is refused', async (t) => {
  const versions = ['v1', 'v2'].values()
  await appWith(t, { ...settings, allowedVersions: versions })
  await t.rejects(async () => appWith(t, { ...settings, allowedVersions: versions }), {
    message: /^Invalid "allowedVersions": expected a list such as .*, or null, got Object \[Array Iterator\]/
  })
})

t.test('byDate is passed on, and not called', (t) => {
  t.throws(() => (byDate as () => unknown)(), { message: 'Write "resolveVersion: byDate", without parentheses.' })
  t.end()
})
