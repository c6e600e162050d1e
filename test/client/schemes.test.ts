import t from 'tap'
import { Agent, fetch as undiciFetch } from 'undici'

import { versionedFetch } from '../../src/client/index.ts'
import { fc, tries } from '../fixtures/property.ts'
import { pairs, serve } from './server.ts'

import type { VersionNotice } from '../../types/client.d.ts'
import type { Answer } from './server.ts'

const VERSIONS = ['v1', 'v2', '1.0', '2026-01-01', 'A.b_1~-']

/** Every host is this machine. */
const agent = new Agent({
  connect: { lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) }
})
t.teardown(() => agent.close())
const fetch = ((input: never, init: object) => undiciFetch(input, { ...init, dispatcher: agent })) as never

const segment = fc.constantFrom(
  'bookings', '7', 'a%20b', '%c3%A9', '%2F', 'x;y=1', '~', 'V', 'v', 'version', '!$&', '_'
)
const pair = fc.constantFrom('', 'a', 'a=1', 'a=2', 'b=%2f+c', 'q=%zz', '=', '&&', 'x=a=b', 'versions=v1', "'", '?')
const target = (versions: readonly string[]) => fc.record({
  path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`),
  query: fc.option(fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')), { nil: null }),
  version: fc.constantFrom(...versions),
  isPost: fc.boolean()
})

for (const pair of pairs) {
  t.test(`the server reads the version that the client writes into ${pair.name}, and the same URL`, async (t) => {
    const { versions = VERSIONS } = pair
    const origin = await serve(t, pair, versions)
    await fc.assert(fc.asyncProperty(target(versions), async ({ path, query, version, isPost }) => {
      const api = versionedFetch({ version, place: pair.place }, fetch)
      const url = path + (query === null ? '' : `?${query}`)
      const isContentType = pair.name === 'Content-Type'
      const body = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
      const response = await api(origin + url, isPost || isContentType ? body : {})
      const answer = await response.json() as Answer
      const ours = 'path' in pair.place ? `/${version}${url}` : 'query' in pair.place ? withQuery(url, version) : url
      // As a URL parser sends it.
      const { pathname, search } = new URL(ours, origin)
      if (answer.version !== version || answer.url !== pathname + (search || (ours.endsWith('?') ? '?' : ''))) {
        throw new Error(JSON.stringify({ answer, expected: pathname + search }))
      }
    }), { numRuns: tries(60) })
  })

  t.test(`a client that specifies its version by ${pair.name} learns that it ends`, async (t) => {
    const notices: VersionNotice[] = []
    const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2099-12-31', info: '/docs' } }
    const origin = await serve(t, pair, ['v1', 'v2'], { lifecycle, reportVersions: true, servedVersion: 'API-Version' })
    const ask = async (version: string) => {
      const api = versionedFetch({ version, place: pair.place, onNotice: (notice) => { notices.push(notice) } }, fetch)
      return await api(`${origin}/bookings/7`, {
        method: 'POST', body: '{}', headers: { 'content-type': 'application/json' }
      })
    }
    t.equal((await ask('v2')).status, 200)
    t.same(notices, [])
    t.equal((await ask('v1')).status, 200)
    t.match(notices, [{
      version: 'v1',
      deprecatedAt: new Date('2020-01-01'),
      sunsetAt: new Date('2099-12-31'),
      // A URL in a namespace answers the version of the namespace alone.
      supported: pair.name === 'the namespace' ? ['v1'] : ['v1', 'v2'],
      deprecated: ['v1'],
      isDeprecated: true,
      isGone: false,
      info: /^http:.*\/docs$/
    }])
    t.match(notices[0].message, /^v1 of POST http:\S+7 is deprecated as of 01 Jan 2020 /)
    t.match(notices[0].message, / and retired as of 31 Dec 2099/)
    t.match(notices[0].message, /; use (?:v2$|http:\S+)/)
  })
}

t.test('a client learns that its version is gone', async (t) => {
  const notices: VersionNotice[] = []
  const lifecycle = { v1: { sunset: '2020-01-01' } }
  for (const pair of pairs) {
    const origin = await serve(t, pair, ['v1', 'v2'], { lifecycle, enforceSunset: true })
    const onNotice = (notice: VersionNotice) => { notices.push(notice) }
    const api = versionedFetch({ version: 'v1', place: pair.place, onNotice }, fetch)
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    t.equal((await api(`${origin}/bookings/7`, init)).status, 410)
  }
  t.same(notices.map(({ isGone }) => isGone), pairs.map(() => true))
  t.match(notices[0].message, /^v1 of POST http:\S+\/bookings\/7 is retired as of 01 Jan 2020$/)
})

function withQuery (url: string, version: string): string {
  return /\?./.test(url) ? `${url}&version=${version}` : `${url.replace('?', '')}?version=${version}`
}
