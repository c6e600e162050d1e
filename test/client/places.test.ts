import t from 'tap'

import { fieldOf, spied, urlOf } from './fixtures.ts'

import type { VersionPlace } from '../../types/client.d.ts'

const AT = 'https://api.example.com'

interface UrlCase { place: VersionPlace, url: string, expected: string, version?: string }

const query = { query: 'version' }
const path = { path: '/{version}' }
const apiPath = { path: '/api/v{version}' }
const host = { host: '{version}.example.com' }

const urls: UrlCase[] = [
  { place: query, url: `${AT}/bookings`, expected: `${AT}/bookings?version=v2` },
  { place: query, url: AT, expected: `${AT}/?version=v2` },
  { place: query, url: `${AT}/x?`, expected: `${AT}/x?version=v2` },
  { place: query, url: `${AT}/x?version=v1&x=1`, expected: `${AT}/x?version=v2&x=1` },
  { place: query, url: `${AT}/x?a=1&version=&b`, expected: `${AT}/x?a=1&version=v2&b` },
  { place: query, url: `${AT}/x?a&version&b`, expected: `${AT}/x?a&version=v2&b` },
  { place: query, url: `${AT}/x?version=v1&a&version=v3`, expected: `${AT}/x?version=v2&a&version=v2` },
  { place: query, url: `${AT}/x?ver%73ion=v1`, expected: `${AT}/x?version=v2` },
  { place: query, url: `${AT}/x??version=v1`, expected: `${AT}/x??version=v1&version=v2` },
  { place: query, url: `${AT}/x?xversion=v1&version2=v1`, expected: `${AT}/x?xversion=v1&version2=v1&version=v2` },
  {
    place: query,
    url: 'http://u:p%40@[::1]:8080/%c3%A9?q=%zz&&a=%2f+b&a=2#f?version=v1',
    expected: 'http://u:p%40@[::1]:8080/%c3%A9?q=%zz&&a=%2f+b&a=2&version=v2#f?version=v1'
  },
  { place: { query: 'api version' }, url: `${AT}/x?api+version=v1&y`, expected: `${AT}/x?api%20version=v2&y` },
  { place: query, url: '/bookings?page=2', expected: '/bookings?page=2&version=v2' },
  { place: query, url: 'bookings?page=2#top', expected: 'bookings?page=2#top' },
  { place: query, url: '/..//x', expected: '/.//x?version=v2' },
  { place: query, url: 'data:text/plain,hi', expected: 'data:text/plain,hi' },
  { place: query, url: `${AT}/x?a=$&`, expected: `${AT}/x?a=$&&version=v2` },
  { place: path, url: `${AT}/bookings/7`, expected: `${AT}/v2/bookings/7` },
  { place: path, url: `${AT}/v1/bookings/7`, expected: `${AT}/v2/bookings/7` },
  { place: path, url: `${AT}/v10.3/bookings`, expected: `${AT}/v2/bookings` },
  { place: path, url: `${AT}/v1`, expected: `${AT}/v2` },
  { place: path, url: `${AT}/v1/`, expected: `${AT}/v2/` },
  { place: path, url: AT, expected: `${AT}/v2/` },
  { place: path, url: `${AT}/`, expected: `${AT}/v2/` },
  { place: path, url: `${AT}?v1`, expected: `${AT}/v2/?v1` },
  { place: path, url: `${AT}#v1`, expected: `${AT}/v2/#v1` },
  { place: path, url: `${AT}/v1x/a`, expected: `${AT}/v2/v1x/a` },
  { place: path, url: `${AT}/rev1/a`, expected: `${AT}/v2/rev1/a` },
  { place: path, url: `${AT}//x`, expected: `${AT}/v2//x` },
  { place: path, url: `${AT}/x/v1`, expected: `${AT}/v2/x/v1` },
  { place: path, url: '/v1/bookings?a=%2F', expected: '/v2/bookings?a=%2F' },
  { place: path, url: '//api.example.com/v1/x', expected: '//api.example.com/v1/x' },
  { place: path, url: `${AT}/a/../v1/x`, expected: `${AT}/v2/x` },
  { place: path, url: 'https:/api.example.com/v1/x', expected: `${AT}/v2/x` },
  { place: path, url: 'https:///api.example.com/x', expected: `${AT}/v2/x` },
  { place: path, url: 'https:\\\\api.example.com\\v1', expected: `${AT}/v2` },
  { place: path, url: ` ${AT}/v1/x `, expected: `${AT}/v2/x` },
  { place: path, url: 'bookings/7', expected: 'bookings/7' },
  { place: path, url: '?page=2', expected: '?page=2' },
  { place: path, url: '', expected: '' },
  { place: path, url: `${AT}/%2e%2e/bookings`, expected: `${AT}/v2/bookings` },
  { place: path, url: `${AT}/%2E./v1/bookings`, expected: `${AT}/v2/bookings` },
  { place: path, url: `${AT}/v1/.%2e/bookings`, expected: `${AT}/v2/bookings` },
  { place: path, url: `${AT}/%2e/v1?a=/%2e%2e/`, expected: `${AT}/v2?a=/%2e%2e/` },
  { place: path, url: '/%2e%2e/bookings', expected: '/v2/bookings' },
  { place: path, url: '/a/../v1/bookings', expected: '/v2/bookings' },
  { place: path, url: `${AT}/V1/x`, expected: `${AT}/v2/V1/x` },
  { place: apiPath, version: '2', url: `${AT}/API/v1/x`, expected: `${AT}/API/v1/x` },
  { place: apiPath, version: '2', url: 'HTTPS://API.example.com/api/v1/x', expected: `${AT}/api/v2/x` },
  { place: path, url: 'blob:https://api.example.com/v1', expected: 'blob:https://api.example.com/v1' },
  { place: path, version: '2026-01-01', url: `${AT}/2025-07-31/x`, expected: `${AT}/2026-01-01/x` },
  { place: path, version: '2', url: `${AT}/1.5/x`, expected: `${AT}/2/x` },
  { place: path, version: 'v1.1', url: `${AT}/v1/x`, expected: `${AT}/v1.1/x` },
  { place: path, version: 'beta', url: `${AT}/beta/v1`, expected: `${AT}/beta/v1` },
  { place: path, version: '1.0', url: `${AT}/1x0/a`, expected: `${AT}/1.0/1x0/a` },
  { place: apiPath, version: '2', url: `${AT}/api/v1/x`, expected: `${AT}/api/v2/x` },
  { place: apiPath, version: '2', url: `${AT}/api/x`, expected: `${AT}/api/v2/x` },
  { place: apiPath, version: '2', url: `${AT}/api`, expected: `${AT}/api/v2` },
  { place: apiPath, version: '2', url: `${AT}/apis/x`, expected: `${AT}/apis/x` },
  { place: apiPath, version: '2', url: `${AT}/health`, expected: `${AT}/health` },
  { place: apiPath, version: '2', url: '//api/x', expected: '//api/x' },
  { place: host, url: 'https://v1.example.com/x', expected: 'https://v2.example.com/x' },
  { place: host, url: `${AT}/x`, expected: 'https://v2.example.com/x' },
  { place: host, url: 'https://example.com', expected: 'https://v2.example.com/' },
  { place: host, url: 'http://u:p@V1.Example.COM:81?a#b', expected: 'http://u:p@v2.example.com:81/?a#b' },
  { place: host, url: 'https://a.b.example.com/x', expected: 'https://a.b.example.com/x' },
  { place: host, url: 'https://notexample.com/x', expected: 'https://notexample.com/x' },
  { place: host, url: 'https://v1.example.com.evil.net/', expected: 'https://v1.example.com.evil.net/' },
  { place: host, url: 'https://v1.exampleXcom/', expected: 'https://v1.exampleXcom/' },
  { place: host, url: 'http://[::1]:80/', expected: 'http://[::1]:80/' },
  { place: host, url: '/bookings', expected: '/bookings' },
  { place: host, url: 'https://v1.ex%61mple.com/x', expected: 'https://v2.example.com/x' },
  { place: { host: '{version}.Example.com' }, url: 'https://v1.example.com/x', expected: 'https://v2.example.com/x' },
  { place: host, url: 'https://other.net/v1.example.com', expected: 'https://other.net/v1.example.com' },
  { place: host, url: 'https://v1.example.com@other.net/', expected: 'https://v1.example.com@other.net/' }
]

for (const { place, url, expected, version } of urls) {
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

const fields: Array<[VersionPlace, string, Record<string, string>, string | null]> = [
  [accept, 'accept', {}, 'application/json; version=v2'],
  [accept, 'accept', { Accept: 'text/html' }, 'text/html; version=v2'],
  [accept, 'accept', { accept: 'text/html;q=0.5 , */*;level=1; q=0.1' },
    'text/html; version=v2;q=0.5 , */*; version=v2;level=1; q=0.1'],
  [accept, 'accept', { accept: 'a/b;x=", c/d;version=\\"v1";q=1,text/html' },
    'a/b; version=v2;x=", c/d;version=\\"v1";q=1,text/html; version=v2'],
  [accept, 'accept', { accept: 'application/json; version=v1' }, 'application/json; version=v1'],
  [accept, 'accept', { accept: 'text/html, a/json;Version="v1"' }, 'text/html, a/json;Version="v1"'],
  [accept, 'accept', { accept: 'application/json;aversion=v1' }, 'application/json; version=v2;aversion=v1'],
  [{ ...accept, param: 'v' }, 'accept', { accept: 'application/json;version=1' }, 'application/json; v=v2;version=1'],
  [{ ...accept, param: 'V' }, 'accept', { accept: 'application/json;v=1' }, 'application/json;v=1'],
  [{ ...accept, param: 'api-version' }, 'accept', { accept: 'a/json; API-Version=1' }, 'a/json; API-Version=1'],
  [vendor, 'accept', {}, 'application/vnd.acme.v2+json'],
  [vendor, 'accept', { accept: 'application/VND.acme.v1+json' }, 'application/VND.acme.v1+json'],
  [vendor, 'accept', { accept: 'application/json' }, 'application/json; version=v2'],
  [vendor, 'accept', { accept: 'application/vnd.acme.{version}+json, a/b' }, 'application/vnd.acme.v2+json, a/b'],
  [{ accept: 'application/vnd.acme.{version}+json, application/json;q=0.5' }, 'accept', {},
    'application/vnd.acme.v2+json, application/json;q=0.5'],
  [accept, 'content-type', { 'content-type': 'application/json' }, 'application/json'],
  [both, 'content-type', {}, null],
  [both, 'content-type', { 'content-type': 'application/json; charset=utf-8' },
    'application/json; version=v2; charset=utf-8'],
  [both, 'content-type', { 'content-type': 'multipart/form-data; boundary="a, b/c"' },
    'multipart/form-data; version=v2; boundary="a, b/c"'],
  [both, 'accept', { 'content-type': 'application/json; version=v1' }, null],
  [both, 'content-type', { 'content-type': 'application/json', accept: 'a/b;version=v1' }, 'application/json'],
  [{ header: 'API-Version' }, 'api-version', {}, 'v2'],
  [{ header: 'API-Version' }, 'api-version', { 'Api-version': 'v1' }, 'v1']
]

for (const [place, name, headers, expected] of fields) {
  t.test(`the ${name} of ${JSON.stringify(headers)} becomes ${expected} by ${JSON.stringify(place)}`, async (t) => {
    t.equal(await fieldOf(place, name, headers), expected)
  })
}

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
