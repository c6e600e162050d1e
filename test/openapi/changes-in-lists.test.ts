import t from 'tap'

import { compare } from '../../src/check/index.ts'
import openapi from '../../src/openapi.ts'
import { places } from '../fixtures/places.ts'
import { VERSIONS } from '../changes/bookings.ts'
import { twins } from '../changes/twins.ts'

import type { Place } from '../fixtures/places.ts'

const { accept, contentType, header, host, path, query } = places
const LISTS: readonly (readonly Place[])[] = [
  [header], [host], [header, query], [host, header], [host, query], [contentType, accept], [path]
]
const lifecycle = { v1: { deprecated: '2025-01-01', sunset: '2099-01-01' } }

for (const list of LISTS) {
  const label = list.map(({ place }) => place).join(', ')
  t.test(`documents with changes are like documents written by hand under ${label}`, async (t) => {
    const [byHand, withChanges] = await twins(t, {
      options: { scheme: list.map(({ Scheme }) => Scheme), lifecycle, servedVersion: 'API-Version' },
      prepare: (app) => app.register(openapi, {}),
      ...list.includes(path) && { prefix: '/:version' },
      hasErrorHandler: true
    })
    for (const version of VERSIONS) {
      const documents = [byHand, withChanges].map((app) => app?.openapi(version) as Record<string, unknown>)
      t.same(documents[1]?.info, documents[0]?.info, version)
      t.same(documents[1]?.servers, documents[0]?.servers, version)
      t.same(compare(...documents as [object, object]), [], version)
      t.same(compare(...documents.reverse() as [object, object]), [], version)
    }
    const [v1, , v3] = VERSIONS.map((version) => withChanges?.openapi(version) as object)
    const changes = compare(v1 as object, v3 as object).filter(({ kind }) => kind === 'breaking')
    t.match(changes.map(({ at }) => at).join(' '), /requestBody.*guest/, 'what breaks clients of v1 in v3 shows')
  })
}
