import t from 'tap'

import { fieldOf, spied, urlOf } from './fixtures.ts'

import type { VersionPlace } from '../../types/client.d.ts'

const AT = 'https://api.example.com'

const query = { query: 'version' }
const path = { path: '/{version}' }
const apiPath = { path: '/api/v{version}' }
const host = { host: '{version}.example.com' }

const urls: readonly (readonly [place: VersionPlace, url: string, expected: string, version?: string])[] = [
  [query, `${AT}/x?`, `${AT}/x?version=v2`],
  [query, `${AT}/x?&a`, `${AT}/x?&a&version=v2`],
  [query, `${AT}/x?a=1&version=&b`, `${AT}/x?a=1&version=v2&b`],
  [query, `${AT}/x?version=v1&a&version=v3`, `${AT}/x?version=v2&a&version=v2`],
  [query, `${AT}/x?ver%73ion=v1`, `${AT}/x?version=v2`],
  [query, `${AT}/x??version=v1`, `${AT}/x??version=v1&version=v2`],
  [query, 'http://u:p%40@[::1]:8080/%c3%A9?q=%zz&&a=%2f+b&a=2#f?version=v1',
    'http://u:p%40@[::1]:8080/%c3%A9?q=%zz&&a=%2f+b&a=2&version=v2#f?version=v1'],
  [{ query: 'api version' }, `${AT}/x?api+version=v1&y`, `${AT}/x?api%20version=v2&y`],
  [query, '/bookings?page=2', '/bookings?page=2&version=v2'],
  [query, 'bookings?page=2#top', 'bookings?page=2#top'],
  [query, '/..//x', '/.//x?version=v2'],
  [path, `${AT}/v1/bookings/7`, `${AT}/v2/bookings/7`],
  [path, AT, `${AT}/v2/`],
  [path, '//api.example.com/v1/x', '//api.example.com/v1/x'],
  [path, 'https:/api.example.com/v1/x', `${AT}/v2/x`],
  [path, '?page=2', '?page=2'],
  [path, '/%2e%2e/bookings', '/v2/bookings'],
  [path, '/a/../v1/bookings', '/v2/bookings'],
  [apiPath, `${AT}/API/v1/x`, `${AT}/API/v1/x`, '2'],
  [apiPath, 'HTTPS://API.example.com/api/v1/x', `${AT}/api/v2/x`, '2'],
  [path, 'blob:https://api.example.com/v1', 'blob:https://api.example.com/v1'],
  [path, `${AT}/2025-07-31/x`, `${AT}/2026-01-01/x`, '2026-01-01'],
  [path, `${AT}/1.5/x`, `${AT}/2/x`, '2'],
  [path, `${AT}/v1/x`, `${AT}/v1.1/x`, 'v1.1'],
  [path, `${AT}/7/x`, `${AT}/1.0/7/x`, '1.0'],
  [path, `${AT}\\v10.3\\x`, `${AT}/v2/x`],
  [path, `${AT}/V1/x`, `${AT}/v2/V1/x`],
  [path, `${AT}/v1x`, `${AT}/v2/v1x`],
  [apiPath, `${AT}/api/x`, `${AT}/api/v2/x`, '2'],
  [apiPath, `${AT}/api`, `${AT}/api/v2`, '2'],
  [host, `${AT}/x`, 'https://v2.example.com/x'],
  [host, 'https://example.com', 'https://v2.example.com/'],
  [host, 'http://u:p@V1.Example.COM:81?a#b', 'http://u:p@v2.example.com:81/?a#b'],
  [host, 'https://v1.exampleXcom/', 'https://v1.exampleXcom/'],
  [host, 'https://v1.ex%61mple.com/x', 'https://v2.example.com/x'],
  [{ host: '{version}.Example.com' }, 'https://v1.example.com/x', 'https://v2.example.com/x'],
  [host, 'https://other.net/v1.example.com', 'https://other.net/v1.example.com'],
  [host, 'https://v1.example.com@other.net/', 'https://v1.example.com@other.net/']
]

for (const [place, url, expected, version] of urls) {
  t.test(`"${url}" becomes "${expected}" for ${version ?? 'v2'} by ${JSON.stringify(place)}`, async (t) => {
    t.equal(await urlOf(place, url, version), expected)
  })
}

for (const [place, url, expected] of [
  [query, 'bookings', 'https://app.example.com/a/bookings?version=v2'],
  [query, '?page=2', 'https://app.example.com/a/b?page=2&version=v2'],
  [path, 'bookings', 'https://app.example.com/v2/a/bookings'],
  [path, '/v1/x', 'https://app.example.com/v2/x'],
  [host, '/x', 'https://v2.example.com/x']
] as const) {
  t.test(`the relative URL ${url} on a page becomes ${expected} by ${JSON.stringify(place)}`, async (t) => {
    const { Request: original } = globalThis
    t.teardown(() => { globalThis.Request = original })
    // In a browser a Request is relative to the page.
    globalThis.Request = class extends original {
      constructor (input: string | URL | Request, init?: RequestInit) {
        super(typeof input === 'string' ? new URL(input, 'https://app.example.com/a/b') : input, init)
      }
    }
    t.equal(await urlOf(place, url), expected)
  })
}

const accept = { accept: 'application/json' }
const vendor = { accept: 'application/vnd.acme.{version}+json' }
const both = { ...accept, contentType: true }
const bodies: VersionPlace = { contentType: true, param: 'v' }

const fields: Array<[VersionPlace, string, Record<string, string>, string | null]> = [
  [accept, 'accept', { accept: 'text/html;q=0.5 , */*;level=1; q=0.1' },
    'text/html; version=v2;q=0.5 , */*; version=v2;level=1; q=0.1'],
  [accept, 'accept', { accept: 'a/b;x=", c/d;version=\\"v1";q=1,text/html' },
    'a/b; version=v2;x=", c/d;version=\\"v1";q=1,text/html; version=v2'],
  [accept, 'accept', { accept: 'text/html, a/json;Version="v1"' }, 'text/html, a/json;Version="v1"'],
  [accept, 'accept', { accept: 'application/json;aversion=v1' }, 'application/json; version=v2;aversion=v1'],
  [{ ...accept, param: 'v' }, 'accept', { accept: 'application/json;version=1' }, 'application/json; v=v2;version=1'],
  [{ accept: 'a/ld+json; profile="https://x, y"', param: 'v', contentType: false }, 'accept', {},
    'a/ld+json; v=v2; profile="https://x, y"'],
  [{ ...accept, param: 'V' }, 'accept', { accept: 'application/json;v=1' }, 'application/json;v=1'],
  [{ ...accept, param: 'api-version' }, 'accept', { accept: 'a/json; API-Version=1' }, 'a/json; API-Version=1'],
  [vendor, 'accept', { accept: 'application/VND.acme.v1+json' }, 'application/VND.acme.v1+json'],
  [vendor, 'accept', { accept: 'application/vnd.acme.{version}+json, a/b' }, 'application/vnd.acme.v2+json, a/b'],
  [{ accept: 'application/vnd.acme.{version}+json, application/json;q=0.5' }, 'accept', {},
    'application/vnd.acme.v2+json, application/json;q=0.5'],
  [accept, 'content-type', { 'content-type': 'application/json' }, 'application/json'],
  [both, 'content-type', {}, null],
  [bodies, 'content-type', { 'content-type': 'application/json' }, 'application/json; v=v2'],
  [bodies, 'content-type', { 'content-type': 'application/json; v=v1' }, 'application/json; v=v1'],
  [bodies, 'accept', { accept: 'application/json' }, 'application/json'],
  [both, 'content-type', { 'content-type': 'application/json; charset=utf-8' },
    'application/json; version=v2; charset=utf-8'],
  [both, 'content-type', { 'content-type': 'multipart/form-data; boundary="a, b/c"' },
    'multipart/form-data; version=v2; boundary="a, b/c"'],
  [both, 'accept', { 'content-type': 'application/json; version=v1' }, null],
  [both, 'content-type', { 'content-type': 'application/json', accept: 'a/b;version=v1' }, 'application/json'],
  [accept, 'accept', { accept: 'text/html , */*, ,' }, 'text/html; version=v2 , */*; version=v2, ,'],
  [accept, 'accept', { accept: '*' }, 'application/json; version=v2'],
  [both, 'content-type', { 'content-type': 'json' }, 'json'],
  [{ header: 'API-Version' }, 'api-version', {}, 'v2'],
  [{ header: 'API-Version' }, 'api-version', { 'Api-version': 'v1' }, 'v1']
]

for (const [place, name, headers, expected] of fields) {
  t.test(`the ${name} of ${JSON.stringify(headers)} becomes ${expected} by ${JSON.stringify(place)}`, async (t) => {
    t.equal(await fieldOf(place, name, headers), expected)
  })
}

t.test('a header has the version whatever the URL is', async (t) => {
  for (const url of ['bookings', '//api.example.com/x', 'data:text/plain,hi', `${AT}/x`]) {
    const { api, calls } = spied({ header: 'API-Version' })
    await api(url)
    t.equal(calls[0].input, url)
    t.equal(new Headers(calls[0].init?.headers).get('api-version'), 'v2')
  }
})

t.test('only the given origins get the version', async (t) => {
  for (const place of [query, accept]) {
    const { api, calls } = spied(place, { origins: [AT], onNotice: () => t.fail('not asked') }, () => (
      new Response(null, { headers: { deprecation: '@1' } })
    ))
    const init = { headers: { a: 'b' } }
    for (const url of ['https://example.com/x', `${AT}.evil.net/`, `${AT}:444/`, '/x', 'http://[']) {
      await api(url, init)
      t.equal(calls.at(-1)?.input, url)
      t.equal(calls.at(-1)?.init, init)
    }
  }
  const { api, calls } = spied(query, { origins: [AT] })
  await api(`${AT.toUpperCase()}/x`)
  t.match(calls[0].input, /version=v2/)
})
