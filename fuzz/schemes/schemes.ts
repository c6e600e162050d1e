import fc from 'fast-check'
import Fastify from 'fastify'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, QueryParameterVersioning,
  URLPathVersioning
} from 'fastify-versioning'
import { Mismatch, compare } from '../fuzzer.ts'
import { host, mediaRanges, mediaType, members, pairs, segment, soup } from './generate.ts'
import { ofHost, ofList, ofMediaRanges, ofOneRange, ofQuery, ofValidQuery, versionIn } from './model.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'
import type { Read } from './model.ts'

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
    const known = all.filter((one) => one !== undefined)
    for (const versions of known) {
      // Different versions are refused, equal ones are one.
      const one = [...new Set(versions)]
      compare({ list, isResolved, request }, one.length > 1 ? AMBIGUOUS : one, got.versions)
    }
    return known.length
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
