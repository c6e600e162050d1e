import fc from 'fast-check'
import Fastify from 'fastify'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning
} from 'fastify-versioning'
import { Mismatch, compare } from '../fuzzer.ts'
import { ofHost, ofList, ofMediaRanges, ofOneRange, ofQuery, ofValidQuery, versionIn } from './model.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'
import type { MediaRange, Read } from './model.ts'

// What is sent

/** Text of the characters that headers, queries and hosts give a meaning, and of some that none should have. */
const tokens = [
  'a/b', 'text/html', 'application/json', '*/*', 'text/*', 'version', 'VERSION', 'v1', 'v2', 'v9', '1.0', 'q', '0.5',
  '1', '0', ';', ',', '=', '"', '\\', ' ', '\t', '&', '?', '%', '%76', '%zz', '%20', '+', '.', ':', '80', 'example',
  'com', '-', '[', ']', '::1', '@', '/', '#', '__proto__', 'constructor', 'é', '\u00ff', 'charset', 'utf-8', 'a', 'x'
]

const soup = fc.array(fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...tokens) },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 3, unit: 'binary-ascii' }).map((text) => text.replace(/[^\t -~]/g, ''))
  }
), { maxLength: 14, size: 'max' }).map((parts) => parts.join(''))

const space = fc.constantFrom('', '', ' ', '\t', '  ')
const version = fc.constantFrom(
  'v1', 'v2', 'v9', '1.0', 'V1', '2024-01-01', 'a"b', 'a\\b', 'a b', 'a,b', 'a;b', '', 'é'
)
const otherName = fc.constantFrom('charset', 'level', 'v', 'versio', 'versions')

interface Written<Value> { readonly meant: Value, readonly text: string }

const parameters = fc.uniqueArray(fc.oneof(
  fc.tuple(fc.constantFrom('version', 'Version'), version), fc.tuple(otherName, version)
), { maxLength: 3, selector: ([name]) => name.toLowerCase() })

function rangeWith (q: fc.Arbitrary<string | null>): fc.Arbitrary<Written<MediaRange>> {
  return fc.record({
    name: fc.constantFrom('*/*', 'text/*', 'text/html', 'application/json', 'application/vnd.acme+json', 'TEXT/HTML'),
    parameters,
    q,
    spaces: fc.array(space, { minLength: 8, maxLength: 8 }),
    quoted: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })
  }).map(({ name, parameters, q, spaces, quoted }) => {
    const [type, subtype] = name.split('/') as [string, string]
    const written = parameters.map(([name, value], i) => `;${spaces[i]}${name}=${valueOf(value, quoted[i]!)}`)
    if (q !== null) written.push(`${spaces[4]};${spaces[5]}q=${q}`)
    return { meant: { type, subtype, parameters, q }, text: `${spaces[6]}${name}${written.join('')}${spaces[7]}` }
  })
}

/** RFC 9110, section 5.6.6: a token, or a string in quotes, in which every character may be escaped. */
function valueOf (value: string, isQuoted: boolean): string {
  const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(value)
  return isToken && !isQuoted ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}

const mediaRanges = fc.array(
  rangeWith(fc.constantFrom(null, null, '1', '0', '0.5', '0.51', '0.001', '1.000')), { minLength: 1, maxLength: 5 }
)
const mediaType = rangeWith(fc.constant(null)).filter(({ meant }) => meant.type !== '*' && meant.subtype !== '*')

/** The members of a header that is a list. */
const members = fc.array(fc.tuple(space, fc.constantFrom('v1', 'v1', 'v2', '1.0'), space), {
  minLength: 1, maxLength: 4
})

const character = fc.constantFrom(...'v12aZ ._-~*!%&=+;,/?#"\\\u00e9\u00ff\u20ac\u{1f600}\0'.match(/./gsu)!)
const text = fc.array(character, { maxLength: 4 }).map((all) => all.join(''))

/** Pairs of a query, as they are meant. */
const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom('version', 'Version', 'page'), text), text), {
  maxLength: 5, size: 'max'
})

/** Labels of a host, and a port. */
const host = fc.record({
  labels: fc.array(fc.constantFrom(
    'v1', 'v2', 'V9', 'example', 'com', '', 'a-b', 'a_b', 'é', '127', '[::1]', '__proto__'
  ), { maxLength: 5, size: 'max' }),
  port: fc.constantFrom('', ':80', ':', ':80:90', ':x.y.z')
}).map(({ labels, port }) => labels.join('.') + port)

/** A segment of a path, as it is meant. */
const segment = fc.array(character, { minLength: 1, maxLength: 5 }).map((all) => all.join(''))

// What is read

const classes = {
  accept: AcceptHeaderVersioning,
  body: ContentTypeVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  path: URLPathVersioning,
  query: QueryParameterVersioning
}

type Place = keyof typeof classes

interface Case {
  /** A list must read a request as its members read it. */
  readonly list: readonly Place[]
  readonly request: InjectOptions
  /** What must be read from it, or undefined where a parser does not know. */
  readonly expected: readonly Read[]
  /** Whether the app has a `resolveVersion`, which puts `MARK` in front of what the client names. */
  readonly isResolved?: boolean
}

function at (place: Place, url: string, ...expected: Read[]): Case {
  return { list: [place], request: { url, headers: { host: 'localhost' } }, expected }
}

function withHeader (place: Place, name: string, value: string, ...expected: Read[]): Case {
  return { list: [place], request: { url: '/a', headers: { host: 'localhost', [name]: value } }, expected }
}

/** A header is sent without white space around it. */
const trimmed = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')

const single: fc.Arbitrary<Case> = fc.oneof(
  mediaRanges.map((ranges) => withHeader(
    'accept', 'accept', ranges.map(({ text }) => text).join(','), ofMediaRanges(ranges.map(({ meant }) => meant))
  )),
  soup.map((text) => withHeader('accept', 'accept', text, ofOneRange(trimmed(text)))),
  mediaType.map(({ text, meant }) => withHeader('body', 'content-type', trimmed(text), versionIn(meant))),
  soup.map((text) => withHeader('body', 'content-type', text, ofOneRange(trimmed(text)))),
  members.map((list) => withHeader(
    'header', 'api-version', list.map((member) => member.join('')).join(','), list.map(([, version]) => version)
  )),
  soup.map((text) => withHeader('header', 'api-version', text, ofList(trimmed(text)))),
  pairs.map((all) => at('query', `/a?${new URLSearchParams(all)}`,
    all.filter(([name]) => name === 'version').map(([, value]) => value).slice(-1))),
  soup.map((text) => at('query', `/a?version=v2&${text.replace(/[#\s]/g, '')}`)),
  fc.oneof(host, soup).map((text) => withHeader('host', 'host', text, ofHost(text))),
  segment.filter((text) => !/^\.+$/.test(text)).map((text) => at('path', `/${encodeURIComponent(text)}/a`, [text]))
)

const several: fc.Arbitrary<Case> = fc.record({
  list: fc.uniqueArray(fc.constantFrom<Place[]>('accept', 'body', 'header', 'host', 'query'), {
    minLength: 2, maxLength: 3
  }),
  accept: soup,
  body: mediaType,
  header: fc.constantFrom('v1', 'v2', 'v1,v1', 'v1, v2'),
  host,
  query: fc.constantFrom('', '?version=v1', '?version=v2', '?version=v2&version=v1')
}).map(({ list, accept, body, header, host, query }) => ({
  list,
  request: {
    url: `/a${query}`,
    headers: { accept, 'content-type': body.text, host, ...list.includes('header') && { 'api-version': header } }
  },
  expected: []
}))

/** What each scheme reads of hostile headers, queries, hosts and paths, against other parsers. */
export const schemes: Fuzzer<Case> = {
  name: 'schemes',
  batch: 1000,
  cases: fc.tuple(fc.oneof<fc.WeightedArbitrary<Case>[]>(
    { weight: 9, arbitrary: single }, { weight: 1, arbitrary: several }
  ), fc.boolean()).map(([subject, isResolved]) => ({ ...subject, isResolved })),
  async check ({ list, request, expected, isResolved = false }) {
    const got = await read(list, request, isResolved)
    const all = [...expected]
    if (list.length > 1) {
      const named = []
      for (const place of list) named.push(...(await read([place], request, false)).versions)
      all.push(named)
    } else if (list[0] === 'query') all.push(ofQuery(got.query), ofValidQuery(got.query))
    const readings = all.filter((versions) => versions !== undefined)
    for (const versions of readings) {
      // Different versions are refused, equal ones are one.
      const distinct = [...new Set(versions)]
      compare({ list, isResolved, request }, distinct.length > 1 ? AMBIGUOUS : distinct, got.versions)
    }
    return readings.length
  },
  async close () {
    const all = [...apps.values()]
    apps.clear()
    await Promise.all(all.map(async (app) => (await app).close()))
  }
}

const apps = new Map<string, Promise<FastifyInstance>>()

interface Answer {
  /** None, one, or `AMBIGUOUS`. */
  readonly versions: readonly string[]
  /** The query as Fastify has got it. */
  readonly query: string
}

const AMBIGUOUS = ['refused:', 'ambiguous']
/** What `resolveVersion` puts in front of a name: once, whoever has read it. */
const MARK = 'means '

async function read (places: readonly Place[], request: InjectOptions, isResolved: boolean): Promise<Answer> {
  const key = `${places.join()} ${isResolved}`
  if (!apps.has(key)) apps.set(key, start(places, isResolved))
  const app = (await apps.get(key))!
  const { statusCode, body } = await app.inject({ method: 'GET', ...request })
  const content = JSON.parse(body)
  if (statusCode === 200) {
    const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(content.url) ?? []
    const { version } = content
    if (version === null) return { versions: [], query }
    const mark = isResolved ? MARK : ''
    if (version.startsWith(mark)) return { versions: [version.slice(mark.length)], query }
  }
  if (content.code === 'FST_ERR_VERSION_AMBIGUOUS') return { versions: AMBIGUOUS, query: '' }
  throw new Mismatch({ places, isResolved, request }, 'a version', body)
}

async function start (places: readonly Place[], isResolved: boolean): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { maxParamLength: 1000 } })
  const schemes = places.map((place) => classes[place])
  await app.register(versioning, {
    scheme: schemes.length === 1 ? schemes[0]! : schemes,
    ...isResolved && {
      resolveVersion: (named: string) => MARK + named,
      defaultVersion: { header: 'X-Client', version: () => null }
    }
  })
  app.get(places.includes('path') ? '/:version/a' : '/a', async ({ url, version }) => ({ url, version }))
  await app.ready()
  return app
}
