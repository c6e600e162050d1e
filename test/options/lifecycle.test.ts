import { runInNewContext } from 'node:vm'
import t from 'tap'

import { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { ending } from '../fixtures/lifecycle.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

const DATE = /^Invalid "lifecycle\.v1\.deprecated": expected a Date, an ISO 8601 date, or a date-time with offset, /
const INFO = /^Invalid "lifecycle\.v1\.info": expected an http or https URL, or a reference to one, got /

interface Refused { what: string, options: object, message: RegExp | string }

/** Values of `deprecated` that are no instant. */
const noInstants: Record<string, unknown> = {
  'a number': 1767225600,
  null: null,
  'an empty string': '',
  'a day that no year has': '2026-02-30',
  'a leap day of another year': '2026-02-29',
  'a month that no year has': '2026-13-01',
  'a month zero': '2026-00-10',
  'a date-time without offset': '2026-01-01T00:00:00',
  'an hour 25': '2026-01-01T25:00:00Z',
  'a minute 60': '2026-01-01T00:60:00Z',
  'a leap second': '2016-12-31T23:59:60Z',
  'an offset of 24 hours': '2026-01-01T00:00:00+24:00',
  'a date in words': 'January 1, 2026',
  'an HTTP date': 'Thu, 01 Jan 2026 00:00:00 GMT',
  'only a month': '2026-01',
  'a basic date': '20260101',
  'a year of six digits': '+002026-01-01',
  'the year 0': '0000-01-01',
  'space around it': ' 2026-01-01',
  'a line after it': '2026-01-01\n',
  'a Date that is none': new Date(NaN),
  'a Date of the year 10000': new Date('+010000-01-01T00:00:00Z'),
  'a Date before Christ': new Date('-000001-01-01T00:00:00Z'),
  'an object with getTime': { getTime: () => 0 }
}

const noReferences: Record<string, unknown> = {
  'a number': 7,
  'an empty string': '',
  'another scheme': 'javascript:alert(1)',
  'a mail address': 'mailto:api@example.com',
  'a URL without host': 'https://',
  'an invalid port': '//example.com:port/',
  'a line break': '/leaving\r\nSet-Cookie: a=b',
  'space around it': ' /leaving'
}

const noClocks: Record<string, () => unknown> = {
  'a text': () => '1',
  NaN: () => NaN,
  null: () => null,
  'a Date': () => new Date(0),
  'a promise': async () => 1,
  'a promise that is rejected': () => Promise.reject(new Error('late'))
}

const deprecated = '2026-01-01'

const refuseds: Refused[] = [
  ...Object.entries(noInstants).map(([what, value]) => ({
    what: `a date that is ${what}`, options: { lifecycle: { v1: { deprecated: value } } }, message: DATE
  })),
  ...Object.entries(noReferences).map(([what, info]) => ({
    what: `info with ${what}`, options: { lifecycle: { v1: { deprecated, info } } }, message: INFO
  })),
  {
    what: 'a sunset that is not a date',
    options: { lifecycle: { v1: { deprecated, sunset: 'soon' } } },
    message: /^Invalid "lifecycle\.v1\.sunset": .+, got 'soon'\. See /
  },
  {
    what: 'a sunset before the deprecation',
    options: { lifecycle: { v2: { deprecated: '2026-01-01T00:00:00.001Z', sunset: deprecated } } },
    message: 'Invalid "lifecycle.v2.sunset": expected an instant not before "lifecycle.v2.deprecated" ' +
      "(RFC 9745, section 4), got '2026-01-01'."
  },
  {
    what: 'a version that is not allowed',
    options: { lifecycle: { v9: { deprecated } } },
    message: "Invalid \"lifecycle.v9\": expected one of allowedVersions, [ 'v1', 'v2' ], got 'v9'."
  },
  {
    what: 'a version of a name that objects have',
    options: { lifecycle: JSON.parse('{ "__proto__": { "deprecated": "2026-01-01" } }') },
    message: /^Invalid "lifecycle\.__proto__": expected one of allowedVersions/
  },
  {
    what: 'a lifecycle with a prototype',
    options: { lifecycle: { __proto__: { v1: { deprecated } } } },
    message: /^Invalid "lifecycle": expected an object of versions, or null, got /
  },
  { what: 'a lifecycle that is a list', options: { lifecycle: [] }, message: /^Invalid "lifecycle"/ },
  { what: 'a lifecycle that is a Map', options: { lifecycle: new Map() }, message: /^Invalid "lifecycle"/ },
  { what: 'a lifecycle that is true', options: { lifecycle: true }, message: /^Invalid "lifecycle".+got true\. / },
  {
    what: 'an ending without a date',
    options: { lifecycle: { v1: { info: '/' } } },
    message: /^Invalid "lifecycle\.v1": expected an object .+ at least one of the two dates, got \{ info: '\/' \}\. /
  },
  { what: 'an ending that is a date', options: { lifecycle: { v1: deprecated } }, message: /^Invalid "lifecycle\.v1"/ },
  { what: 'an ending that is null', options: { lifecycle: { v1: null } }, message: /^Invalid "lifecycle\.v1"/ },
  {
    what: 'an ending with another field',
    options: { lifecycle: { v1: { deprecated, sunsetAt: 1 } } },
    message: 'Invalid "lifecycle.v1.sunsetAt": expected one of the fields deprecated, sunset, info, preview, ' +
      'got 1. Did you mean \'sunset\'?'
  },
  ...[{ href: '/' }, ['/'], []].map((info) => ({
    what: `info that is ${JSON.stringify(info)}`, options: { lifecycle: { v1: { deprecated, info } } }, message: INFO
  })),
  {
    what: 'a version with brownouts',
    options: { lifecycle: { v1: { deprecated, brownouts: [] } } },
    message: /^Invalid "lifecycle\.v1\.brownouts": expected one of the fields deprecated, sunset, info, preview, got \[/
  },
  {
    what: 'a number as reportVersions',
    options: { reportVersions: 1 },
    message: 'Invalid "reportVersions": expected true or false, got 1.'
  },
  {
    what: 'null as enforceSunset',
    options: { enforceSunset: null },
    message: 'Invalid "enforceSunset": expected true or false, got null.'
  },
  {
    what: 'a function as enforceSunset',
    options: { enforceSunset: () => true },
    message: 'Invalid "enforceSunset": expected true or false, got [Function: '
  },
  {
    what: 'a preview that is a text',
    options: { lifecycle: { v2: { preview: 'yes' } } },
    message: 'Invalid "lifecycle.v2.preview": expected true or false, got \'yes\'.'
  },
  {
    what: 'a version that is not a preview and has no date',
    options: { lifecycle: { v2: { preview: false } } },
    message: /^Invalid "lifecycle\.v2": expected an object /
  },
  {
    what: 'a clock that is a number',
    options: { now: 7 },
    message: 'Invalid "now": expected a function that returns milliseconds since the epoch, got 7.'
  },
  ...Object.entries(noClocks).map(([what, now]) => ({
    what: `a clock that returns ${what}`,
    options: { now },
    message: /^Invalid "now": expected a function that returns milliseconds since the epoch, got .+\. See /
  })),
  {
    what: 'a clock that throws',
    options: { now: () => { throw new Error('broken') } },
    message: 'Invalid "now": expected a function that returns milliseconds since the epoch, got Error: broken.'
  },
  ...['a,b', '', ' a', 'a ', 'a\nb', 'ä'].map((version) => ({
    what: `a report of the version ${JSON.stringify(version)}`,
    options: { reportVersions: true, allowedVersions: ['v1', version, null] },
    message: /^Invalid "reportVersions": expected allowedVersions of visible ASCII without commas, .+, got '/
  }))
]

for (const { what, options, message } of refuseds) {
  t.test(`${what} is refused at boot`, async (t) => {
    const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], ...options }
    await t.rejects(async () => appWith(t, settings), { code: 'FST_ERR_VERSIONING_OPTION', statusCode: 500, message })
  })
}

const accepteds: Record<string, VersioningOptions> = {
  'a Date of another realm': { lifecycle: { v1: { deprecated: runInNewContext('new Date(0)') } } },
  'an object of another realm': { lifecycle: runInNewContext('({ v1: { deprecated: "2026-01-01" } })') },
  'an object without prototype': { lifecycle: Object.assign(Object.create(null), { v1: { deprecated } }) },
  'a version that is undefined': { lifecycle: { v9: undefined } as never },
  'a field that is undefined': { lifecycle: { v1: { deprecated, sunset: undefined, info: undefined } } },
  'a sunset at the deprecation': { lifecycle: { v1: { deprecated, sunset: new Date(deprecated) } } },
  'an empty lifecycle': { lifecycle: {} },
  'a preview that a released version follows': { lifecycle: { v1: { preview: true }, v2: { deprecated } } },
  'a preview that is deprecated': { lifecycle: { v2: { preview: true, deprecated } } },
  'a preview that is the last': { lifecycle: { v1: { deprecated, preview: false }, v2: { preview: true } } },
  'only previews': { allowedVersions: ['a', 'b', null], lifecycle: { a: { preview: true }, b: { preview: true } } },
  'a preview with a sunset': { lifecycle: { v2: { preview: true, sunset: '2026-12-31', info: '/' } } },
  'a preview where all versions are allowed': { allowedVersions: null, lifecycle: { v1: { preview: true } } },
  'any version where all are allowed': { allowedVersions: null, lifecycle: { v9: { deprecated } } },
  'a report of versions with space in them': { reportVersions: true, allowedVersions: ['spring 2026', '"1"', 'v'] },
  'a report of no versions': { reportVersions: true, allowedVersions: null }
}

for (const [what, options] of Object.entries(accepteds)) {
  t.test(`${what} is accepted`, async (t) => {
    const app = await appWith(t, { ...ending, allowedVersions: ['v1', 'v2'], lifecycle: null, ...options })
    await t.resolves(async () => app.ready())
  })
}

t.test('a lifecycle without a scheme is checked against the versions of its context', async (t) => {
  await t.rejects(async () => appWith(t, { allowedVersions: ['v1'], lifecycle: { v9: { deprecated } } }), {
    message: /^Invalid "lifecycle\.v9"/
  })
})

t.test('a lifecycle is checked against the versions of the instance that is the scheme', async (t) => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['a'] })
  await t.rejects(async () => appWith(t, { scheme, lifecycle: { v1: { deprecated } } }), {
    message: /expected one of allowedVersions, \[ 'a' \]/
  })
})

t.test('versions reported by the scheme of a route must fit into a header', async (t) => {
  class Odd extends BaseVersioning {
    override readonly allowedVersions = ['a,b']
    override readVersion () { return 'a,b' }
  }
  const app = await appWith(t, { ...ending, reportVersions: true })
  t.throws(() => app.get('/', { versioning: Odd }, async () => ''), {
    code: 'FST_ERR_VERSIONING_OPTION', message: /^Invalid "reportVersions": .+, got 'a,b'\. The route is GET \/\. See /
  })
})

t.test('a route cannot be a preview', async (t) => {
  const app = await appWith(t, ending)
  t.throws(() => app.get('/', { deprecated: { sunset: '2026-12-31', preview: true } as never }, async () => ''), {
    message: /^Invalid "deprecated\.preview": expected one of the fields deprecated, sunset, info, got true/
  })
})

t.test('the option deprecated of a route is checked as an entry is', async (t) => {
  const app = await appWith(t, ending)
  t.throws(() => app.get('/', { deprecated: true as never }, async () => ''), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "deprecated": expected an object .+, got true\. The route is GET \/\. See /
  })
  t.throws(() => app.get('/', { deprecated: { deprecated: 'soon' } }, async () => ''), {
    message: /^Invalid "deprecated\.deprecated": .+, got 'soon'\. The route is GET \/\. See /
  })
})

t.test('the option deprecated of a route requires a date', async (t) => {
  const app = await appWith(t, ending)
  t.throws(() => app.get('/', { deprecated: { info: '/leaving' } as never }, async () => ''), {
    message: /^Invalid "deprecated": expected .+ at least one of the two dates, got { info: '\/leaving' }\. The route /
  })
})

t.test('a version-neutral route cannot be deprecated', async (t) => {
  const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning })
  t.throws(() => app.get('/health', { versioning: false, deprecated: { deprecated } }, async () => ''), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: 'Invalid "deprecated": expected none, because the route has no version, ' +
      "got { deprecated: '2026-01-01' }. The route is GET /health."
  })
})

t.test('an error about a route names the route', async (t) => {
  const app = await appWith(t, ending)
  t.throws(() => app.get('/bookings', { deprecated: { sunset: 'x' } }, async () => ''), {
    code: 'FST_ERR_VERSIONING_OPTION',
    message: /^Invalid "deprecated\.sunset": expected .+, got 'x'\. The route is GET \/bookings\. See /
  })
})

t.test('an error about an option is one line', async (t) => {
  await t.rejects(appWith(t, { ...ending, now: new Error('a\nb') as never }), { message: /got Error: a\. See / })
})
