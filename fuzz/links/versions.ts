import fc from 'fast-check'
import Fastify from 'fastify'

import versioning from '../../src/index.ts'
import { places, requestOf } from '../../test/fixtures/places.ts'
import { Mismatch } from '../fuzzer.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { Fuzzer, Generated } from '../fuzzer.ts'

const versions = ['v1', 'v2', 'v3']
const IN_URLS = ['path', 'namespace', 'query', 'host']
const CLOCK = Date.parse('2026-06-01')
const PAST = { deprecated: '2025-01-01', sunset: '2026-01-01' }

const apps = fc.record({
  /** The places of a list, or of a scheme alone, and the versions that each has for itself. */
  members: fc.shuffledSubarray(Object.keys(places) as (keyof typeof places)[], { minLength: 1, maxLength: 3 })
    .chain((names) => fc.tuple(...names.map((place) => fc.record({
      place: fc.constant(place), own: fc.option(fc.subarray(versions, { minLength: 1 }), { nil: null, freq: 4 })
    })))),
  defaultVersion: fc.constantFrom(null, ...versions),
  routes: fc.uniqueArray(fc.record({
    namespaces: fc.constantFrom('', '', 'v1', 'v2', 'v3', 'partners', 'v1:v2', 'partners:v2', 'partners:v3'),
    path: fc.constantFrom('/a', '/b', '/:version/a', '/:version/b', '/c/:version?'),
    name: fc.constantFrom('a', 'a', 'b', undefined),
    isRetired: fc.integer({ min: 0, max: 5 }).map((n) => n === 5)
  }), { minLength: 2, maxLength: 8, size: 'max', selector: ({ namespaces, path }) => namespaces + path })
})
const requests = fc.array(fc.record({
  route: fc.nat(20),
  /** For each place, the version that the client specifies there, most often in one place. */
  named: fc.array(fc.constantFrom(null, null, ...versions), { minLength: 3, maxLength: 3 }),
  name: fc.constantFrom(null, 'a', 'b', 'v2:a', 'partners:a'),
  into: fc.constantFrom(undefined, ...versions)
}), { minLength: 10, maxLength: 30, size: 'max' })

type AppSpec = Generated<typeof apps>
type Asked = Generated<typeof requests>[number]
interface Case { readonly app: AppSpec, readonly asked: readonly Asked[] }
interface Answer { readonly version: string | null, readonly link?: string, readonly found?: string }

/**
 * Links and successors under any list of schemes, in namespaces inside each other: the client that follows them with
 * the same headers never comes to another version, and its request is never ambiguous.
 */
export const versionsOfLinks: Fuzzer<Case> = {
  name: 'versions',
  batch: 50,
  cases: fc.record({ app: apps, asked: requests }),
  async check ({ app: spec, asked }) {
    const app = await start(spec)
    try {
      let followed = 0
      for (const link of asked) followed += await check(app, spec, link)
      return followed
    } finally {
      await app.close()
    }
  }
}

async function start (spec: AppSpec): Promise<FastifyInstance> {
  const { members, defaultVersion, routes } = spec
  const app = Fastify()
  await app.register(versioning, {
    scheme: members.map(({ place, own: allowedVersions }) => {
      const { Scheme } = places[place]
      return allowedVersions === null || members.length === 1 ? Scheme : new Scheme({ allowedVersions, defaultVersion })
    }),
    allowedVersions: versions,
    defaultVersion,
    enforceSunset: true,
    now: () => CLOCK,
    lifecycle: { v1: { deprecated: '2025-01-01' }, v2: { deprecated: '2025-06-01' } }
  })
  for (const { namespaces, path, name, isRetired } of routes) {
    const options = { ...name !== undefined && { name }, ...isRetired && { deprecated: PAST } }
    const declare = (scope: FastifyInstance, names: readonly string[]): void => {
      const [namespace, ...others] = names
      if (namespace === undefined) scope.get(path, options, answer)
      else scope.register(async (inner) => declare(inner, others), { prefix: `/in-${namespace}`, namespace })
    }
    declare(app, namespaces.split(':').filter(Boolean))
  }
  await app.ready()
  return app
}

/** The version, the link that the header `link` asks for, and what the scheme itself makes of its name. */
async function answer (request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
  const { version, versioningScheme: scheme, headers: { link } } = request
  if (link === undefined) return { version }
  const { name, into } = JSON.parse(String(link)) as Pick<Asked, 'name' | 'into'>
  const attempt = (make: () => string | undefined) => {
    try {
      return make()
    } catch (error) {
      if (/^FST_ERR_(?:NO_)?REVERSE/.test(String((error as { code?: string }).code))) return undefined
      throw error
    }
  }
  const made = attempt(() => reply.reverse(name, null, { version: into } as object))
  const found = name === null ? undefined : attempt(() => scheme?.reverse(name, { request }))
  return { version, ...made !== undefined && { link: made }, ...found !== undefined && { found } }
}

/** @returns how many links were followed */
async function check (app: FastifyInstance, spec: AppSpec, asked: Asked): Promise<number> {
  const request = requestFor(spec, asked)
  const link = JSON.stringify({ name: asked.name, into: asked.into })
  const response = await app.inject({ ...request, headers: { ...request.headers, link } })
  const wrong = (expected: unknown, actual: unknown) => new Mismatch({ app: spec, request, asked }, expected, actual)
  if (response.statusCode >= 500) throw wrong('no 5xx', response.body)
  if (response.statusCode !== 200) return 0
  const came = response.json<Answer>()
  let followed = 0
  for (const [, url, relation] of String(response.headers.link ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)) {
    const next = await follow(app, request, url!)
    const isLater = versions.indexOf(String(next.version)) > versions.indexOf(String(came.version))
    if (next.statusCode !== 200 || !isLater) throw wrong(`${relation} in a later version`, { url, ...next })
    followed++
  }
  if (came.link !== undefined) {
    const next = await follow(app, request, came.link)
    // A namespace that is no version refuses every request.
    const [namespace] = asked.name?.includes(':') ? asked.name.split(':') : [null]
    const { own = null } = spec.members.find(({ place }) => place === 'namespace') ?? {}
    const isRefused = asked.into === undefined && namespace !== null && !(own ?? versions).includes(namespace)
    const isAmbiguous = next.code === 'FST_ERR_VERSION_AMBIGUOUS' && !isRefused
    if (isAmbiguous) throw wrong('a link that does not contradict itself', came)
    // Where only headers have the version, the client changes its own.
    const isInUrls = spec.members.some(({ place }) => IN_URLS.includes(place))
    const isOther = isInUrls && next.statusCode === 200 && asked.into !== undefined && next.version !== asked.into
    // A version in the name wins.
    if (isOther && !asked.name?.startsWith('v2:')) throw wrong(`a link into ${asked.into}`, { ...came, next })
    followed++
  }
  if (spec.members.length === 1 && spec.members[0]!.place === 'namespace' && asked.name !== null) {
    const name = came.version === null ? asked.name : `${came.version}:${asked.name}`
    const isThere = app.namedRoutes.some((route) => route.name === name)
    if (came.found !== undefined && !isThere) throw wrong(`no route is called ${name}`, came)
    followed++
  }
  return followed
}

function requestFor ({ members, routes }: AppSpec, { route, named }: Asked): InjectOptions {
  const { namespaces, path } = routes[route % routes.length]!
  const all = members.map(({ place }, i) => ({ place, version: named[i] ?? null }))
  const segment = all.find(({ place }) => place === 'path')?.version ?? 'v1'
  const namings = all.flatMap(({ place, version }) => (
    version === null || place === 'path' || place === 'namespace' ? [] : [places[place].naming(version)]
  ))
  // A segment that is a version would hide the parameter.
  const prefix = namespaces.split(':').filter(Boolean).map((name) => `/in-${name}`).join('')
  const { headers, ...request } = requestOf(prefix + path.replace(/:version\??/, segment), ...namings)
  return { ...request, method: 'GET', headers: { host: 'example.com', ...headers } }
}

/** What the client gets that sends its own headers again. */
async function follow (app: FastifyInstance, { headers }: InjectOptions, link: string) {
  const url = new URL(link, `http://${(headers as { host: string }).host}`)
  const { statusCode, body } = await app.inject({
    method: 'GET', url: url.pathname + url.search, headers: { ...headers, host: url.host }
  })
  const { version, code } = JSON.parse(body) as { version?: string | null, code?: string }
  return { statusCode, version, code }
}
