import t from 'tap'

import { spied } from './fixtures.ts'

import type { VersionedFetchOptions, VersionNotice } from '../../types/client.d.ts'

const AT = 'https://api.example.com'
const ENDING = { deprecation: '@1', sunset: 'Thu, 31 Dec 2099 00:00:00 GMT' }

/** A versioned fetch whose answers the test sets, and what was noticed. */
function noticing (options: Partial<VersionedFetchOptions> = {}) {
  const notices: VersionNotice[] = []
  const answer = { status: 200, headers: ENDING as Record<string, string> }
  const onNotice = (notice: VersionNotice) => { notices.push(notice) }
  const { api } = spied({ header: 'API-Version' }, { onNotice, ...options }, () => new Response(null, answer))
  return { api, notices, answer }
}

t.test('onNotice is called once for each method, origin and pathname', async (t) => {
  const { api, notices } = noticing()
  for (const url of [
    '/bookings/7', '/bookings/8?page=2', '/bookings/00000000-0000-4000-8000-00000000000a#x', '/bookings/9'
  ]) await api(AT + url)
  t.equal(notices.length, 1)
  t.equal(notices[0].message, `v2 of GET ${AT}/bookings/7 is deprecated as of 01 Jan 1970 ` +
    'and retired as of 31 Dec 2099')
  for (const [url, method] of [
    [`${AT}/bookings/7`, 'POST'], [`${AT}/bookings`, 'GET'], [`${AT}/bookings/7/guests`, 'GET'],
    ['https://other.example.com/bookings/7', 'GET'], [`${AT}/bookings/a7`, 'GET'], [`${AT}/v2/bookings/7`, 'GET']
  ] as const) {
    await api(url, { method })
    await api(new Request(url, { method }))
  }
  t.equal(notices.length, 7)
})

t.test('onNotice is called again when the notice changes, and at a 410', async (t) => {
  const { api, notices, answer } = noticing()
  const ask = async () => { for (const id of [1, 2]) await api(`${AT}/bookings/${id}`) }
  await ask()
  answer.headers = { ...ENDING, sunset: 'Thu, 31 Dec 2098 00:00:00 GMT' }
  await ask()
  answer.headers = { ...answer.headers, link: '</v3/bookings/1>; rel="successor-version"' }
  await ask()
  answer.status = 410
  await ask()
  t.same(notices.map(({ isGone }) => isGone), [false, false, false, true])
})

t.test('onNotice is not called again for links to other ids', async (t) => {
  const { api, notices, answer } = noticing()
  for (const id of [1, 2, 3]) {
    answer.headers = { ...ENDING, link: `</v3/bookings/${id}>; rel="successor-version"` }
    await api(`${AT}/bookings/${id}`)
  }
  t.equal(notices.length, 1)
})

t.test('onNotice is not called again for the last hundred notices', async (t) => {
  const { api, notices } = noticing()
  const ask = async (count: number) => { for (let i = 0; i < count; i++) await api(`${AT}/a${i}`) }
  await ask(100)
  await ask(100)
  t.equal(notices.length, 100)
  await ask(101)
  t.equal(notices.length, 101)
  await api(`${AT}/a0`)
  t.equal(notices.length, 102)
  await api(`${AT}/a100`)
  t.equal(notices.length, 102)
})

t.test('onNotice is not called for a version without an ending', async (t) => {
  const { api, notices, answer } = noticing()
  answer.headers = {
    'api-supported-versions': 'v1, v2', 'api-deprecated-versions': 'v1', link: '</v3>; rel="successor-version"'
  }
  await api(AT)
  answer.headers = {}
  await api(AT)
  t.equal(notices.length, 0)
})

t.test('the version of a notice is the served one, or else the requested one', async (t) => {
  const { api, notices, answer } = noticing()
  await api(`${AT}/a`, { headers: { 'api-version': 'v1' } })
  answer.headers = { ...ENDING, 'api-version': 'v0' }
  await api(`${AT}/b`)
  t.same(notices.map(({ version }) => version), ['v1', 'v0'])
})

t.test('errors and rejections of onNotice are ignored, and its promise is not awaited', async (t) => {
  for (const onNotice of [
    () => { throw new Error('broken') }, async () => { throw new Error('broken') }, () => new Promise(() => {}),
    () => ({ then () { throw new Error('broken') } })
  ]) {
    const { api } = noticing({ onNotice })
    t.equal((await api(AT)).status, 200)
  }
})

t.test('a value that is not a response reaches the caller', async (t) => {
  const strange = Object.create(null, { url: { value: '' }, headers: { get () { throw new Error('no headers') } } })
  const { api } = spied({ query: 'version' }, { onNotice () {} }, () => strange)
  t.equal(await api(AT), strange)
})

t.test('without onNotice nothing is read from a response', async (t) => {
  const response = new Proxy(new Response(), { get: (_, name) => name === 'then' ? undefined : t.fail(String(name)) })
  const { api } = spied({ query: 'version' }, {}, () => response)
  t.equal(await api(AT), response)
})
