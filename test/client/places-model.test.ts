import t from 'tap'

import { fc, tries } from '../fixtures/property.ts'
import { urlOf } from './fixtures.ts'

import type { HostPlace, PathPlace } from '../../types/client.d.ts'

/** How a version and the versions that look like it are written in a segment. */
const shapes: Array<[version: string, shape: RegExp]> = [
  ['v1', /^v\d+(\.\d+)*$/],
  ['v2', /^v\d+(\.\d+)*$/],
  ['1.0', /^\d+(\.\d+)+$/],
  ['2', /^\d+(\.\d+)*$/],
  ['2026-01-01', /^\d+(\.\d+)*-\d+(\.\d+)*-\d+(\.\d+)*$/],
  ['beta', /^beta$/]
]

const paths: PathPlace[] = [
  { path: '/{version}' },
  { path: '/api/{version}' },
  { path: '/a.b/api/v{version}' }
]

const segment = fc.constantFrom(
  'bookings', 'api', 'API', 'a.b', 'axb', 'x', 'v1', 'v2', 'V1', 'v10.3', 'v1x', '1.0', '2', 'v2026-01-01',
  '2025-07-31', 'beta', '', '.', '..', '%2e', '%2E.', '.%2e', '%2e%2E', '...', '%2f', '%76%31', 'a b', '\u00e9', '$&',
  'v1;x', ':', '@', '\t', '%', '%zz', "'", '{version}'
)
const separator = fc.constantFrom('/', '/', '/', '/', '\\')
const path = fc.array(fc.tuple(separator, segment), { maxLength: 6 })
  .map((parts) => parts.map((part) => part.join('')).join(''))
const tail = fc.constantFrom('', '?', '?version=v1', "?a='b'&/v1/", '?a=/%2e%2e/', '#', '#/v1', '?a#/../v1')
const start = fc.constantFrom(
  'https://api.example.com', 'HTTP://API.Example.com:80', 'http://u:p%40@h:8080', 'https:///h', 'http:\\\\h',
  ' http://[::1]'
)

/** Where the URL goes, segment by segment of what a URL parser makes of it. */
function inVersion (href: string, version: string, shape: RegExp, { path }: PathPlace): string {
  const url = new URL(href)
  const segments = url.pathname.slice(1).split('/')
  const base = segmentsOf(path.slice(0, path.lastIndexOf('/')))
  const [prefix] = path.slice(path.lastIndexOf('/') + 1).split('{version}')
  const isVersioned = startsWith(segments, base) && segments.length > base.length &&
    segments[base.length].startsWith(prefix) && shape.test(segments[base.length].slice(prefix.length))
  if (!startsWith(segments, base)) return url.href
  const rest = segments.slice(isVersioned ? base.length + 1 : base.length)
  const target = segmentsOf(path.replace('{version}', version))
  url.pathname = `/${[...target, ...rest].join('/')}`
  return url.href
}

function startsWith (segments: string[], others: string[]): boolean {
  return others.every((other, i) => other === segments[i])
}

function segmentsOf (path: string): string[] {
  return path === '' || path === '/' ? [] : path.slice(1).split('/')
}

const numRuns = tries(1_500)

t.test('the version in a path is where a URL parser finds it', async () => {
  const input = fc.tuple(start, path, tail, fc.constantFrom(...shapes), fc.constantFrom(...paths))
  await fc.assert(fc.asyncProperty(input, async ([start, path, tail, [version, shape], place]) => {
    const url = start + path + tail
    const expected = inVersion(url, version, shape, place)
    equal(new URL(await urlOf(place, url, version)).href, expected, url)
  }), { numRuns })
})

t.test('a path without an origin goes where it goes with one, and nowhere else', async () => {
  const input = fc.tuple(path, tail, fc.constantFrom(...shapes), fc.constantFrom(...paths))
  await fc.assert(fc.asyncProperty(input, async ([path, tail, [version, shape], place]) => {
    const url = `/x${path}${tail}`
    const base = 'https://api.example.com'
    const expected = inVersion(base + url, version, shape, place)
    equal(new URL(await urlOf(place, url, version), base).href, expected, url)
  }), { numRuns })
})

t.test('the version in a query is where a URL parser finds it', async () => {
  const pair = fc.constantFrom(
    '', 'a', 'a=1', 'a=2', 'v', 'v=', 'v=1', '%76=1', 'V=1', 'v+=1', 'v%20=1', 'vv=1', '=v', '?v=1', '%zz=v', '\u00e9',
    "'"
  )
  const pairs = fc.array(pair, { maxLength: 5 })
  const fragment = fc.constantFrom('', '#', '#?v=1')
  const input = fc.tuple(start, path, fc.option(pairs), fragment, fc.constantFrom('v', 'v ', 'V', '\u00e9', "'"))
  await fc.assert(fc.asyncProperty(input, async ([start, path, pairs, fragment, query]) => {
    const url = start + path + (pairs === null ? '' : `?${pairs.join('&')}`) + fragment
    const given = new URL(url)
    const target = new URL(await urlOf({ query }, url))
    const parameters = [...given.searchParams].map(([name, value]) => [name, name === query ? 'v2' : value])
    const expected = given.searchParams.has(query) ? parameters : [...parameters, [query, 'v2']]
    equal(JSON.stringify([...target.searchParams]), JSON.stringify(expected), url)
    given.search = target.search = ''
    equal(target.href, given.href, url)
  }), { numRuns })
})

t.test('the version in a host is where a URL parser finds it', async () => {
  const place: HostPlace = { host: '{version}.example.com' }
  const label = fc.constantFrom('v1', 'V1', 'api', 'a.b', 'ex', '%761', '')
  const host = fc.constantFrom('example.com', 'Example.COM', 'ex%61mple.com', 'example.com.', 'example.com.a', '[::1]')
  const port = fc.constantFrom('', ':80', ':8080')
  const scheme = fc.constantFrom('http://', 'https:///', 'http:\\\\', 'HTTPS://u:p@', 'http://v1.example.com@')
  await fc.assert(fc.asyncProperty(scheme, label, host, port, path, async (scheme, label, host, port, path) => {
    const url = `${scheme}${label && `${label}.`}${host}${port}/x${path}`
    fc.pre(URL.canParse(url))
    const expected = new URL(url)
    if (/^([^.]+\.)?example\.com$/.test(expected.hostname)) expected.hostname = 'v2.example.com'
    equal(new URL(await urlOf(place, url)).href, expected.href, url)
  }), { numRuns })
})

function equal (given: string, expected: string, url: string): void {
  if (given !== expected) throw new Error(`${url}: expected ${expected}, got ${given}`)
}
