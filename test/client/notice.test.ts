import { setImmediate } from 'node:timers/promises'

import t from 'tap'

import { readVersionNotice } from '../../src/client/index.ts'
import { spied } from './fixtures.ts'

import type { VersionedFetchOptions, VersionNotice } from '../../types/client.d.ts'

const URL = 'https://api.example.com/v1/bookings/7?token=secret#x'
const SUNSET = 'Thu, 31 Dec 2099 00:00:00 GMT'

t.test('the message about a deprecated version is one sentence', async (t) => {
  const response = new Response(null, {
    headers: {
      'API-Version': 'v1',
      Deprecation: '@1767225600',
      Sunset: SUNSET,
      Link: '</docs>; rel="deprecation sunset", </v2/bookings/7>; rel="successor-version", ' +
        '</v3/bookings/7>; rel=latest-version',
      'API-Supported-Versions': 'v1, v2, v3',
      'API-Deprecated-Versions': 'v1'
    }
  })
  t.same(readVersionNotice(response, URL, { method: 'GET' }), {
    version: 'v1',
    deprecatedAt: new Date('2026-01-01'),
    sunsetAt: new Date('2099-12-31'),
    isDeprecated: true,
    isGone: false,
    successor: 'https://api.example.com/v2/bookings/7',
    latest: 'https://api.example.com/v3/bookings/7',
    info: 'https://api.example.com/docs',
    supported: ['v1', 'v2', 'v3'],
    deprecated: ['v1'],
    message: 'v1 of GET https://api.example.com/v1/bookings/7 is deprecated as of 01 Jan 2026 and ' +
      'retired as of 31 Dec 2099; use https://api.example.com/v2/bookings/7'
  })
})

const AT = 'https://api.example.com/x'
const sentences: Array<[Record<string, string>, number, string]> = [
  [{ deprecation: '@1' }, 200, `This version of ${AT} is deprecated as of 01 Jan 1970`],
  [{ deprecation: '@4102444800', 'api-version': 'v1' }, 200, `v1 of ${AT} is deprecated as of 01 Jan 2100`],
  [{ deprecation: 'true' }, 200, `This version of ${AT} is deprecated`],
  [{ deprecation: SUNSET }, 200, `This version of ${AT} is deprecated as of 31 Dec 2099`],
  [{ sunset: SUNSET }, 200, `This version of ${AT} is retired as of 31 Dec 2099`],
  [{ sunset: 'Sun, 06 Nov 1994 08:49:37 GMT' }, 410, `This version of ${AT} is retired as of 06 Nov 1994`],
  [{}, 410, `This version of ${AT} is retired`],
  [{ 'api-version': 'v1', 'api-supported-versions': 'v1, v2, v3', 'api-deprecated-versions': 'v1, v2' }, 200,
    `v1 of ${AT} is deprecated; use v3`],
  [{ 'api-version': 'v2', 'api-supported-versions': 'v2, v3', 'api-deprecated-versions': 'v1' }, 200,
    `v2 of ${AT} is not deprecated`],
  [{ deprecation: '@1', link: '</y?version=v3>; rel="latest-version"', 'api-supported-versions': 'v1, v2, v3' }, 200,
    `This version of ${AT} is deprecated as of 01 Jan 1970; use https://api.example.com/y?version=v3`],
  [{ 'api-version': 'v3', 'api-supported-versions': 'v2, v3', deprecation: '@1' }, 200,
    `v3 of ${AT} is deprecated as of 01 Jan 1970; use v2`],
  [{ 'content-type': 'text/html;a-version=v2;Version="v1"', deprecation: '@1' }, 200,
    `v1 of ${AT} is deprecated as of 01 Jan 1970`]
]

for (const [headers, status, message] of sentences) {
  t.test(`the notice of a ${status} with ${JSON.stringify(headers)} is "${message}"`, async (t) => {
    t.equal(readVersionNotice(new Response(null, { headers, status }), AT)?.message, message)
  })
}

t.test('a 410 is of a retirement unless it has a Retry-After', async (t) => {
  const sunset = SUNSET
  for (const [retryAfter, status, isGone] of [
    ['60', 503, false], ['60', 200, false], ['60', 410, false], [SUNSET, 410, false], ['', 410, true]
  ] as const) {
    const notice = readVersionNotice(new Response(null, { headers: { sunset, 'retry-after': retryAfter }, status }), AT)
    t.match(notice, { isGone }, `${status} ${retryAfter}`)
  }
})

t.test('the notice of a response without anything to report is null', async (t) => {
  for (const nothing of [
    null, undefined, {}, new Headers(), new Response(), { headers: {} }, { 'API-Version': 'v1' },
    { deprecation: 'soon', sunset: 'soon', link: '<a>; rel="next"', 'api-supported-versions': ' , ' }
  ]) t.equal(readVersionNotice(nothing), null)
})

const RFC = 'Sun, 06 Nov 1994 08:49:37 GMT'
/** The second one has a wrong day of the week, as the example of RFC 8594. */
const rightDates = [[RFC, '1994-11-06T08:49:37.000Z'], ['Sat, 31 Dec 2018 23:59:59 GMT', '2018-12-31T23:59:59.000Z']]
const wrongDates = [
  'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'Sun, 29 Feb 2026 00:00:00 GMT', '1994-11-06',
  'Sun, 06 Nov 1994 25:49:37 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 +0100',
  '06 Nov 1994 08:49:37 GMT', '@784111777', `${RFC}, ${RFC}`, '12345id Date'
].map((text) => [text, null])
const instants = [
  ['@1688169599', '2023-06-30T23:59:59.000Z'], ['@-1', '1969-12-31T23:59:59.000Z'], ['@0', '1970-01-01T00:00:00.000Z'],
  ['@1688169599;a=b', '2023-06-30T23:59:59.000Z'],
  ...rightDates,
  ...['1688169599', '@1688169599.5', '@99999999999999', '@', '?1', '@1, @2', 'true'].map((text) => [text, null])
]

for (const [name, rows] of [['sunset', [...rightDates, ...wrongDates]], ['deprecation', instants]] as const) {
  for (const [text, expected] of rows) {
    t.test(`the header ${name}: ${text} is read as ${expected}`, async (t) => {
      const notice = readVersionNotice({ [name]: text, 'api-supported-versions': 'v1' })
      t.equal(notice?.[`${name === 'sunset' ? name : 'deprecated'}At`]?.toISOString() ?? null, expected)
    })
  }
}

const links: Array<[string, string | null]> = [
  ['<https://h/a,b;c>; rel="successor-version"', 'https://h/a,b;c'],
  ['<//h/a>;rel=successor-version', 'https://h/a'],
  ['<../a>; title="x, <https://evil/>; rel=\\"successor-version\\""; rel="next Successor-Version"',
    'https://api.example.com/a'],
  ['<a>; rel=next, , <b>; rel=successor-version; rel=next, <c>; rel=successor-version', 'https://api.example.com/b/b'],
  ['<a>; rel = "successor-version" ; title*=UTF-8\'\'%e2', 'https://api.example.com/b/a'],
  ['<a>; anchor="/other"; rel="successor-version"', null],
  ['<javascript:alert(1)>; rel="successor-version"', null],
  ['<http://[>; rel="successor-version"', null],
  ['<a; rel="successor-version"', null],
  ['<>; rel="successor-version"', 'https://api.example.com/b/c'],
  ['<a>; title="unended; rel=successor-version', null]
]

for (const [link, expected] of links) {
  t.test(`the header Link: ${link} has the successor ${expected}`, async (t) => {
    const headers = { link, 'api-supported-versions': 'v1' }
    t.equal(readVersionNotice(headers, 'https://api.example.com/b/c')?.successor, expected)
  })
}

t.test('without a URL the links of a notice stay as they were sent', async (t) => {
  for (const [target, expected] of [
    ['/v2/x', '/v2/x'], ['https://h/x', 'https://h/x'], ['javascript:alert(1)', null], ['a\nb', null]
  ] as const) {
    const headers = { link: `<${target}>; rel="successor-version"`, deprecation: '@1' }
    t.equal(readVersionNotice(headers)?.successor, expected)
  }
  t.equal(readVersionNotice({ link: '</a>; rel="successor-version"; anchor="/b"', deprecation: '@1' })?.successor, null)
  t.equal(readVersionNotice({ deprecation: '@1' })?.message, 'This version is deprecated as of 01 Jan 1970')
})

t.test('the info of a notice is the first link about the deprecation, or else about the sunset', async (t) => {
  t.equal(readVersionNotice({ link: '</a>; rel=sunset, </b>; rel=deprecation, </c>; rel=deprecation' })?.info, '/b')
  t.equal(readVersionNotice({ link: '</a>; rel=sunset' })?.info, '/a')
})

t.test('a notice is read from the headers of any library', async (t) => {
  const fields = { DEPRECATION: '@1', 'Api-Supported-Versions': ['v1', 'v2'], 'x-version': 2 }
  const sources = [
    fields, { headers: fields, status: 200 }, { headers: fields, statusCode: 200 },
    { headers: new Headers({ deprecation: '@1', 'api-supported-versions': 'v1, v2', 'x-version': '2' }) },
    { get: (name: string) => ({ ...fields, deprecation: '@1', 'api-supported-versions': 'v1,v2' })[name] }
  ]
  for (const source of sources) {
    const notice = readVersionNotice(source, null, { header: 'x-version' })
    t.match(notice, { version: '2', deprecatedAt: new Date(1000), supported: ['v1', 'v2'], isGone: false })
  }
  t.equal(readVersionNotice({ headers: {}, statusCode: 410 }, AT)?.isGone, true)
  t.equal(readVersionNotice({ headers: {}, status: 410, url: AT })?.message, `This version of ${AT} is retired`)
})

t.test('user names in URLs, and characters that a terminal would obey, are not in the message', async (t) => {
  const headers = { deprecation: '@1', 'api-version': '\u001b[31mv1\n2', 'api-supported-versions': '\u001b' }
  const link = '</v2/x?a>; rel="successor-version", <>; rel="latest-version"'
  const notice = readVersionNotice({ ...headers, link }, 'https://user:password@api.example.com/x?b#c')
  t.match(notice, { successor: 'https://api.example.com/v2/x?a', latest: 'https://api.example.com/x?b' })
  t.match(notice?.message, /^[ -~]+$/)
  t.notMatch(notice?.message, /password/)
})

t.test('hostile headers take linear time', async (t) => {
  for (const part of [
    '<a>', '<', '>', '"', '\\', '\\"', '<a>"', '<a>\\"', ';', '; ', ';a', ';a=', ';a="', '<a>;rel="', ',', ' ', '\t',
    '<a>; rel=successor-version,', 'v1,', 'a=b'
  ]) {
    const text = part.repeat(50_000)
    const read = () => readVersionNotice({
      link: text, 'content-type': `a/b${text}`, deprecation: text, sunset: text, 'api-supported-versions': text
    }, AT)
    t.doesNotThrow(read, part)
    t.doesNotThrow(() => readVersionNotice({ link: `<a>;rel="${text}`, 'api-version': text }, AT))
  }
})

t.test('names that every object has are not read as headers', async (t) => {
  t.equal(readVersionNotice({ link: '</a>; rel="__proto__ constructor"' }), null)
  t.equal(readVersionNotice(JSON.parse('{ "__proto__": "x", "constructor": "y" }')), null)
})

const ENDING = { deprecation: '@1', sunset: SUNSET }

const API = 'https://api.example.com'

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
  ]) await api(API + url)
  t.equal(notices.length, 1)
  t.equal(notices[0].message, `v2 of GET ${API}/bookings/7 is deprecated as of 01 Jan 1970 ` +
    'and retired as of 31 Dec 2099')
  for (const [url, method] of [
    [`${API}/bookings/7`, 'POST'], [`${API}/bookings`, 'GET'], [`${API}/bookings/7/guests`, 'GET'],
    ['https://other.example.com/bookings/7', 'GET'], [`${API}/bookings/a7`, 'GET'], [`${API}/v2/bookings/7`, 'GET']
  ] as const) {
    await api(url, { method })
    await api(new Request(url, { method }))
  }
  t.equal(notices.length, 7)
})

t.test('onNotice is called again when the notice changes, and at a 410, but not for other ids', async (t) => {
  const { api, notices, answer } = noticing()
  const ask = async (headers: (id: number) => Record<string, string>) => {
    for (const id of [1, 2]) {
      answer.headers = headers(id)
      await api(`${API}/bookings/${id}`)
    }
  }
  await ask(() => ENDING)
  await ask(() => ({ ...ENDING, sunset: 'Thu, 31 Dec 2098 00:00:00 GMT' }))
  await ask((id) => ({ ...ENDING, link: `</v3/bookings/${id}>; rel="successor-version"` }))
  answer.status = 410
  await ask((id) => ({ ...ENDING, link: `</v3/bookings/${id}>; rel="successor-version"` }))
  t.same(notices.map(({ isGone }) => isGone), [false, false, false, true])
})

t.test('onNotice is not called again for the last hundred notices', async (t) => {
  const { api, notices } = noticing()
  const ask = async (count: number) => { for (let i = 0; i < count; i++) await api(`${API}/a${i}`) }
  await ask(100)
  await ask(100)
  t.equal(notices.length, 100)
  await ask(101)
  t.equal(notices.length, 101)
  await api(`${API}/a0`)
  t.equal(notices.length, 102)
  await api(`${API}/a100`)
  t.equal(notices.length, 102)
})

t.test('onNotice is not called for a version without an ending', async (t) => {
  const { api, notices, answer } = noticing()
  answer.headers = {
    'api-supported-versions': 'v1, v2', 'api-deprecated-versions': 'v1', link: '</v3>; rel="successor-version"'
  }
  await api(API)
  answer.headers = {}
  await api(API)
  t.equal(notices.length, 0)
})

t.test('the version of a notice is the served one, or else the requested one', async (t) => {
  const { api, notices, answer } = noticing()
  await api(`${API}/a`, { headers: { 'api-version': 'v1' } })
  answer.headers = { ...ENDING, 'api-version': 'v0' }
  await api(`${API}/b`)
  t.same(notices.map(({ version }) => version), ['v1', 'v0'])
})

t.test('a notice names no version where the URL has no place for one', async (t) => {
  for (const [place, url, version] of [
    [{ path: '/api/{version}' }, `${API}/health`, null], [{ path: '/api/{version}' }, `${API}/api/v2`, 'v2'],
    [{ host: '{version}.example.com' }, 'https://example.net', null], [{ query: 'version' }, API, 'v2']
  ] as const) {
    const notices: VersionNotice[] = []
    const { api } = spied(place, { onNotice: (notice) => notices.push(notice) }, () => (
      new Response(null, { headers: { deprecation: '@1' } })
    ))
    await api(url)
    t.match(notices, [{ version }], url)
  }
})

t.test('errors and rejections of onNotice are ignored, and its promise is not awaited', async (t) => {
  for (const onNotice of [
    () => { throw new Error('broken') }, async () => { throw new Error('broken') }, () => new Promise(() => {}),
    () => ({ then () { throw new Error('broken') } })
  ]) {
    const { api } = noticing({ onNotice })
    t.equal((await api(API)).status, 200)
  }
  const strange = Object.create(null, { url: { value: '' }, headers: { get () { throw new Error('no headers') } } })
  t.equal(await spied({ query: 'version' }, { onNotice () {} }, () => strange).api(API), strange)
})

t.test('without onNotice nothing is read from a response', async (t) => {
  const response = new Proxy(new Response(), { get: (_, name) => name === 'then' ? undefined : t.fail(String(name)) })
  const { api } = spied({ query: 'version' }, {}, () => response)
  t.equal(await api(API), response)
})

t.test('a request that could not carry its version is a notice, once', async (t) => {
  const messages: string[] = []
  const { api } = spied({ contentType: true }, { onNotice: ({ message }) => messages.push(message) })
  const url = 'https://api.example.com/bookings'
  for (const path of ['/7', '/8']) await api(`${url}${path}`)
  await api(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  await api(url, { method: 'DELETE' })
  await setImmediate()
  t.same(messages, [
    `This version of GET ${url}/7 is only the default`, `This version of DELETE ${url} is only the default`
  ])
})

t.test('the notice about a request without its version has the version that was served, and how it ends', async (t) => {
  const notices: VersionNotice[] = []
  const { api } = spied({ contentType: true }, { onNotice: (notice) => notices.push(notice) }, () => (
    new Response(null, { headers: { 'api-version': 'v1', deprecation: '@1767225600' } })
  ))
  await api('https://api.example.com/bookings')
  await setImmediate()
  t.match(notices, [{
    version: 'v1',
    message: 'v1 of GET https://api.example.com/bookings is deprecated as of 01 Jan 2026 and only the default'
  }])
})
