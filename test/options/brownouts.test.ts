import t from 'tap'

import { toBrownouts } from '../../src/options/brownouts.ts'
import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { fc, tries } from '../fixtures/property.ts'

import type { Brownouts } from '../../src/options/brownouts.ts'

interface Refused { what: string, brownouts: unknown, message: RegExp }

const sunset = '2026-12-31'
const noon = { from: '2026-12-01T12:00Z', to: '2026-12-01T13:00Z' }
const many = Array.from({ length: 101 }, (_, i) => ({
  from: new Date(Date.UTC(2026, 0, i + 1)), to: new Date(Date.UTC(2026, 0, i + 1, 1))
}))

const refuseds: Refused[] = [
  { what: 'an object', brownouts: noon, message: /^Invalid "lifecycle\.v1\.brownouts": expected a list of / },
  { what: 'true', brownouts: true, message: /^Invalid "lifecycle\.v1\.brownouts": expected a list .+, got true\. / },
  { what: '101 windows', brownouts: many, message: /^Invalid "lifecycle\.v1\.brownouts": .+, got 101 windows\. / },
  { what: 'null in the list', brownouts: [null], message: /^Invalid "lifecycle\.v1\.brownouts\.0": expected a window/ },
  {
    what: 'a hole in the list',
    // eslint-disable-next-line no-sparse-arrays
    brownouts: [, noon],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0": expected a window \{ from, to \}, got undefined\. /
  },
  {
    what: 'no end',
    brownouts: [{ from: noon.from }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0\.to": expected a Date, or a date-time .+, got undefined\. /
  },
  { what: 'no start', brownouts: [{ to: noon.to }], message: /^Invalid "lifecycle\.v1\.brownouts\.0\.from": / },
  {
    what: 'another field',
    brownouts: [{ ...noon, until: noon.to }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0\.until": expected one of the fields from, to, got /
  },
  {
    what: 'a start without an offset',
    brownouts: [{ ...noon, from: '2026-12-01T12:00' }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0\.from": expected a Date, or a date-time with offset such/
  },
  {
    what: 'a start that is a day',
    brownouts: [{ ...noon, from: '2026-12-01' }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0\.from": expected a Date, or a date-time with offset such as/
  },
  { what: 'a number as end', brownouts: [{ ...noon, to: 1 }], message: /^Invalid "lifecycle.v1.brownouts.0.to"/ },
  {
    what: 'a window of no length',
    brownouts: [{ from: noon.from, to: '2026-12-01T13:00+01:00' }],
    message: /0\.to": expected an instant after "lifecycle\.v1\.brownouts\.0\.from", got '2026-12-01T13:00\+01/
  },
  {
    what: 'an end before the start',
    brownouts: [{ from: noon.to, to: noon.from }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.0\.to": expected an instant after/
  },
  {
    what: 'a window that begins in the one before',
    brownouts: [noon, { from: '2026-12-01T12:59:59.999Z', to: '2026-12-01T14:00Z' }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.1\.from": expected an instant not before the end of the window/
  },
  {
    what: 'windows that are not sorted',
    brownouts: [noon, { from: '2026-11-01T12:00Z', to: '2026-11-01T13:00Z' }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.1\.from": .+Tue, 01 Dec 2026 13:00:00 GMT, got '2026-11-01T12:00Z'\. /
  },
  {
    what: 'a window that ends after the sunset',
    brownouts: [noon, { from: '2026-12-30T23:00Z', to: '2026-12-31T00:00:00.001Z' }],
    message: /^Invalid "lifecycle\.v1\.brownouts\.1\.to": expected an instant not after the sunset, got '2026-12-31T00/
  }
]

for (const { what, brownouts, message } of refuseds) {
  t.test(`brownouts with ${what} are refused at boot`, async (t) => {
    const lifecycle = { v1: { sunset, brownouts: brownouts as never } }
    await t.rejects(async () => appWith(t, { scheme: QueryParameterVersioning, lifecycle }), {
      code: 'FST_ERR_VERSIONING_OPTION', message
    })
  })
}

const accepteds: Record<string, object[]> = {
  'no windows': [],
  'Dates as windows': [{ from: new Date(0), to: new Date(1) }],
  '100 windows': many.slice(1),
  'a window that ends at the sunset': [{ from: '2026-12-30T00:00Z', to: '2026-12-31T00:00Z' }],
  'a window that begins where another ends': [noon, { from: noon.to, to: '2026-12-01T14:00Z' }]
}

for (const [what, brownouts] of Object.entries(accepteds)) {
  t.test(`brownouts with ${what} are accepted`, async (t) => {
    const lifecycle = { v1: { sunset, brownouts: brownouts as never } }
    await t.resolves(async () => appWith(t, { scheme: QueryParameterVersioning, lifecycle }))
  })
}

t.test('a route may have brownouts', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  t.doesNotThrow(() => app.get('/a', { deprecated: { sunset, brownouts: [noon] } }, async () => ''))
  t.throws(() => app.get('/b', { deprecated: { sunset, brownouts: [{ ...noon, from: 'soon' }] } }, async () => ''), {
    message: /^Invalid "deprecated\.brownouts\.0\.from": .+ The route is GET \/b\. /
  })
})

/** Windows by their first and last instants, in milliseconds. */
function windowsOf (...bounds: [from: number, to: number][]): Brownouts {
  return toBrownouts('', bounds.map(([from, to]) => ({ from: new Date(from), to: new Date(to) })), null) as Brownouts
}

t.test('a window contains each instant from its start until before its end', async (t) => {
  const brownouts = windowsOf([10, 20], [30, 40])
  t.same([9, 9.9, 10, 19.9, 20, 29, 30, 39, 40, Infinity, -Infinity].map((now) => brownouts.at(now).end), [
    null, null, 20, 20, null, null, 40, 40, null, null, null
  ])
})

t.test('windows without a gap end together', async (t) => {
  const brownouts = windowsOf([10, 20], [20, 30], [30, 40], [41, 50])
  t.same([10, 20, 35, 40, 41].map((now) => brownouts.at(now).end), [40, 40, 40, null, 50])
})

t.test('the end of a window is found at any instants, in any order', async (t) => {
  const instants = fc.uniqueArray(fc.nat(60), { minLength: 2, maxLength: 14 })
  const nows = fc.array(fc.integer({ min: -2, max: 62 }), { minLength: 50, maxLength: 50 })
  fc.assert(fc.property(instants, nows, (unsorted, all) => {
    const sorted = unsorted.toSorted((a, b) => a - b)
    const bounds = sorted.flatMap<[number, number]>((from, i) => (
      i % 2 === 0 && i + 1 < sorted.length ? [[from, sorted[i + 1]]] : []
    ))
    const brownouts = windowsOf(...bounds)
    for (const now of all) {
      const [, end = null] = bounds.find(([from, to]) => now >= from && now < to) ?? []
      if (brownouts.at(now).end !== end) t.fail(`${JSON.stringify(bounds)} at ${now}`)
    }
  }), { numRuns: tries(200) })
})

t.test('the next five windows are announced, until each is over', async (t) => {
  const brownouts = windowsOf([0, 1000], [2000, 2500], [3000, 4000], [5000, 6000], [7000, 8000], [9000, 10000])
  t.equal(brownouts.at(-1).attribute, '; brownouts="1970-01-01T00:00:00Z/1970-01-01T00:00:01Z ' +
    '1970-01-01T00:00:02Z/1970-01-01T00:00:02.500Z 1970-01-01T00:00:03Z/1970-01-01T00:00:04Z ' +
    '1970-01-01T00:00:05Z/1970-01-01T00:00:06Z 1970-01-01T00:00:07Z/1970-01-01T00:00:08Z"')
  t.equal(brownouts.at(9999).attribute, '; brownouts="1970-01-01T00:00:09Z/1970-01-01T00:00:10Z"')
  t.equal(brownouts.at(10000).attribute, '')
  t.match(brownouts.at(2499).attribute, /^; brownouts="1970-01-01T00:00:02Z/)
})
