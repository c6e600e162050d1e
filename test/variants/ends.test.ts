import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { byCursor, cursor } from './bookings.ts'
import { compareTwins, requestsIn } from './twins.ts'

import type { InjectOptions } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Naming, Place } from '../fixtures/places.ts'

const { accept, contentType, header, host, path, query } = places
const LISTS: readonly (readonly Place[])[] = [
  [accept], [contentType], [header], [host], [path], [query], [header, query], [host, header]
]
const PINS: Readonly<Record<string, string>> = { a: 'v1', b: 'v2', c: 'v3', d: 'v9' }

/** What becomes of versions, and of requests without one. */
const OPTIONS: Record<string, VersioningOptions> = {
  'versions that end': {
    reportVersions: true,
    servedVersion: 'API-Served-Version',
    lifecycle: {
      v1: { deprecated: '2025-01-01', sunset: '2099-01-01', info: 'https://example.com/v1' },
      v2: { deprecated: '2026-01-01' }
    }
  },
  'a version that is gone': {
    reportVersions: true, enforceSunset: true, lifecycle: { v1: { deprecated: '2024-01-01', sunset: '2025-01-01' } }
  },
  'a preview': { reportVersions: true, lifecycle: { v3: { preview: true } } },
  'a default version': { defaultVersion: 'v2', lifecycle: { v2: { deprecated: '2025-01-01' } } },
  'a default version for each client': {
    defaultVersion: { header: 'X-API-Key', version: (key) => PINS[key ?? ''] },
    lifecycle: { v1: { deprecated: '2025-01-01' } }
  },
  'names of versions': { resolveVersion: (name) => name === 'latest' ? 'v3' : name }
}

/** Requests that specify a version in one of several places, or none, by several clients. */
function requestsTo (list: readonly Place[]): (version: string) => InjectOptions[] {
  return (version) => list.flatMap((place) => {
    const names = version === 'v3' ? [version, 'latest', 'v9'] : [version]
    const named = names.map((name) => asking(version, place.naming(name)))
    const unnamed = place === path ? [] : [undefined, ...Object.keys(PINS)].map((key) => asking(version, {}, key))
    return [...named, ...unnamed].flat()
  })
}

/** What a client of a version asks: to create a booking, to create none, and to get a list. */
function asking (version: string, { segment, headers, query }: Naming, key?: string): InjectOptions[] {
  const isAsked = [0, 3, 5]
  return requestsIn(version).filter((_request, i) => isAsked.includes(i)).map((request) => ({
    ...request,
    url: `${segment === undefined ? '' : `/${segment}`}${request.url as string}`,
    headers: { ...request.headers, ...headers, ...key !== undefined && { 'x-api-key': key } },
    ...query && { query: { ...query } }
  }))
}

for (const list of LISTS) {
  const label = list.map(({ place }) => place).join(' and ')
  for (const [what, options] of Object.entries(OPTIONS)) {
    t.test(`routes from changes answer like routes written by hand under ${label}, with ${what}`, async (t) => {
      const scheme = list.map(({ Scheme }) => Scheme)
      const prefix = list.includes(path) ? { prefix: '/:version' } : {}
      await compareTwins(t, { options: { ...options, scheme }, ...prefix }, requestsTo(list))
    })
  }
}

t.test('links for a client with a default version have the parameters of that version', async (t) => {
  const change = { version: 'v2', description: 'Cursors.', routes: { bookings: cursor } }
  const app = await appWith(t, {
    scheme: QueryParameterVersioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion: { header: 'X-API-Key', version: (key) => PINS[key ?? ''] },
    changes: [change]
  })
  const link = { query: { cursor: 'c3' } }
  app.get('/bookings', { name: 'bookings', schema: { querystring: byCursor } }, async (_request, reply) => [
    reply.reverse('bookings', null, link), reply.reverse(null, null, { ...link, version: null }),
    reply.reverse('bookings', null, { ...link, version: 'v2' })
  ])
  const ask = async (key: string) => (await app.inject({ url: '/bookings', headers: { 'x-api-key': key } })).json()
  t.same(await ask('a'), ['/bookings?page=3&version=v1', '/bookings?page=3', '/bookings?cursor=c3&version=v2'])
  t.same(await ask('b'), ['/bookings?cursor=c3&version=v2', '/bookings?cursor=c3', '/bookings?cursor=c3&version=v2'])
})
