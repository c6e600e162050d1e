import LinkHeader from 'http-link-header'
import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { places } from '../fixtures/places.ts'
import { tries } from '../fixtures/property.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify'
import type { Test } from 'tap'

type PlaceName = keyof typeof places
type Outcome = { url: string } | { code: string }

/** `v1.1` cannot be the label of a host. */
const versions = ['v1', 'v1.1', 'v2', 'v3']
const defaultVersion = 'v1'
const HEADERS: readonly PlaceName[] = ['accept', 'contentType', 'header']

/** The URLs of a resource: without a version, with one in the path, in a namespace. */
interface Resource {
  readonly isBare: boolean
  /** The versions that the parameter of its path takes, and the namespaces that it is in. */
  readonly inPath: readonly string[]
  readonly inNamespaces: readonly string[]
}

const some = ['v1', 'v2']
const resources: Readonly<Record<string, Resource>> = {
  all: { isBare: true, inPath: versions, inNamespaces: versions },
  some: { isBare: true, inPath: some, inNamespaces: some },
  bare: { isBare: true, inPath: [], inNamespaces: [] },
  path: { isBare: false, inPath: some, inNamespaces: [] },
  namespace: { isBare: false, inPath: [], inNamespaces: some }
}

/** The links that a handler tries to make: by the name of a resource, or null for the current route. */
const asked = [null, ...Object.keys(resources)].flatMap((name) => (
  [undefined, null, ...versions].map((into) => ({ name, into }))
))

/** A request to a resource, which specifies the version in these places. */
interface Asking {
  readonly resource: string
  readonly version: string
  readonly named: readonly PlaceName[]
}

function answer ({ version }: FastifyRequest, reply: FastifyReply): object {
  const links: Outcome[] = asked.map(({ name, into }) => {
    try {
      return { url: reply.reverse(name, null, { version: into }) }
    } catch (error) {
      return { code: (error as { code: string }).code }
    }
  })
  return { version, links }
}

async function appFor (t: Test, list: readonly PlaceName[]): Promise<FastifyInstance> {
  const deprecated = '2026-01-01'
  const app = await appWith(t, {
    scheme: list.map((name) => places[name].Scheme),
    defaultVersion,
    allowedVersions: versions,
    lifecycle: { v1: { deprecated }, v2: { deprecated } }
  })
  for (const [name, { isBare, inPath, inNamespaces }] of Object.entries(resources)) {
    const pattern = inPath === versions ? '' : '(^v[12]$)'
    const declare = (api: FastifyInstance): void => {
      if (isBare || api !== app) api.get(`/${name}`, { name }, async (request, reply) => answer(request, reply))
      if (!list.includes('path') || inPath.length === 0) return
      api.get(`/:version${pattern}/${name}`, { name }, async (request, reply) => answer(request, reply))
    }
    declare(app)
    for (const namespace of list.includes('namespace') ? inNamespaces : []) {
      app.register(async (api) => declare(api), { prefix: `/in-${namespace}`, namespace })
    }
  }
  return app
}

/** A request to a resource, or null if it has no such URL. */
function requestTo ({ resource, version, named }: Asking): InjectOptions | null {
  const { isBare, inPath, inNamespaces } = resources[resource] as Resource
  const isInPath = named.includes('path')
  const isInNamespace = named.includes('namespace')
  if (isInPath && !inPath.includes(version)) return null
  if (isInNamespace && !inNamespaces.includes(version)) return null
  if (!isBare && !isInPath && !isInNamespace) return null
  if (named.includes('host') && version.includes('.')) return null
  const path = (isInNamespace ? `/in-${version}` : '') + (isInPath ? `/${version}` : '') + `/${resource}`
  const query = named.includes('query') ? `?version=${version}` : ''
  return { url: path + query, headers: { ...headersFor(version, named), host: hostFor(version, named) } }
}

function headersFor (version: string, named: readonly PlaceName[]): Record<string, string> {
  return Object.assign({}, ...named.filter((name) => HEADERS.includes(name)).map((name) => (
    places[name].naming(version).headers
  )))
}

function hostFor (version: string, named: readonly PlaceName[]): string {
  return named.includes('host') ? `${version}.example.com` : 'example.com'
}

/** Whether there must be a link, by the rules of docs/links.md; otherwise there may be one. */
function isExpected (
  list: readonly PlaceName[], { resource, version, named }: Asking, name: string | null, into: string | undefined
): boolean {
  const meant = into ?? version
  const { isBare, inPath, inNamespaces } = resources[name ?? resource] as Resource
  const hasPath = list.includes('path') && inPath.includes(meant)
  const hasNamespace = list.includes('namespace') && inNamespaces.includes(meant)
  const isOnHost = named.includes('host')
  // A host that specifies another version cannot be left for one that it cannot carry.
  if (isOnHost && meant !== version && meant.includes('.')) return false
  const isOnlyHeaders = list.every((one) => HEADERS.includes(one))
  const isInHeader = into === undefined && named.some((one) => HEADERS.includes(one))
  const isAnywhere = list.includes('query') || isOnHost || isOnlyHeaders || isInHeader || meant === defaultVersion
  if (name !== null) return hasPath || hasNamespace || (isBare && isAnywhere)

  // The current route keeps the shape of its path.
  const isInPath = named.includes('path')
  if (isInPath && !hasPath) return false
  if (named.includes('namespace')) return hasNamespace || (meant === defaultVersion && isBare)
  return isInPath || isAnywhere || (hasNamespace && into !== undefined)
}

/** The version that a client gets who follows a link, or the body of the refusal. */
async function follow (app: FastifyInstance, url: string, host: string, headers: Record<string, string>) {
  const { origin, pathname, search } = new URL(url, `http://${host}`)
  const response = await app.inject({
    url: pathname + search, headers: { ...headers, host: origin.slice('http://'.length) }
  })
  return response.statusCode === 200 ? response.json().version as string : response.body
}

function subsetsOf<Value> ([first, ...rest]: readonly Value[]): Value[][] {
  if (first === undefined) return [[]]
  return subsetsOf(rest).flatMap((subset) => [subset, [first, ...subset]])
}

/** What is wrong with the links of an app. */
async function faultsOf (app: FastifyInstance, list: readonly PlaceName[], tally: { followed: number }) {
  const faults: unknown[] = []
  const known = new Map<string, string>()
  const followOnce = async (url: string, host: string, headers: Record<string, string>) => {
    const key = JSON.stringify([url, host, headers])
    const version = known.get(key) ?? await follow(app, url, host, headers)
    known.set(key, version)
    tally.followed++
    return version
  }
  const askings = Object.keys(resources).flatMap((resource) => subsetsOf(list).flatMap((named) => (
    (named.length === 0 ? [defaultVersion] : versions).map((version) => ({ resource, version, named }))
  )))
  for (const asking of askings) {
    const { version, named } = asking
    const request = requestTo(asking)
    if (request === null) continue
    const response = await app.inject(request)
    const came = response.json()
    if (came.version !== version) throw new Error(`${JSON.stringify(request)} is answered ${response.body}`)
    const host = hostFor(version, named)
    const isOnlyHeaders = list.every((one) => HEADERS.includes(one))
    for (const [i, { name, into }] of asked.entries()) {
      const outcome = came.links[i]
      const tell = (fault: unknown) => faults.push({ list, ...asking, name, into, ...outcome, fault })
      if (outcome.url === undefined) {
        if (into !== null && isExpected(list, asking, name, into)) tell('no link')
        continue
      }
      // Without a version a link stays on its host.
      if (into === null && named.includes('host')) continue
      const meant = into === undefined ? version : into ?? defaultVersion
      const sent = into === undefined ? named : isOnlyHeaders && into !== null ? list.slice(0, 1) : []
      const got = await followOnce(outcome.url, host, headersFor(meant, sent))
      if (got !== meant) tell(got)
    }
    for (const { uri, rel } of LinkHeader.parse(String(response.headers.link ?? '')).refs) {
      const got = await followOnce(uri, host, {})
      const isLater = versions.indexOf(got) > versions.indexOf(version)
      if (!isLater || uri === request.url) faults.push({ list, ...asking, rel, uri, fault: got })
    }
  }
  return faults
}

const names = Object.keys(places) as PlaceName[]
const pairs = names.flatMap((one) => names.filter((other) => other !== one).map((other) => [one, other]))
const triples = pairs.flatMap((pair) => names.filter((one) => !pair.includes(one)).map((one) => [...pair, one]))

/** All 210 triples would take half a minute, and the fuzzer of links has lists as well. */
const every = Math.ceil(triples.length / tries(6))
const lists: (readonly PlaceName[])[] = [...pairs, ...triples.filter((_triple, i) => i % every === 0)]

for (const list of lists) {
  t.test(`each link under [${list.join(', ')}] is answered in the intended version`, async (t) => {
    const tally = { followed: 0 }
    const faults = await faultsOf(await appFor(t, list), list, tally)
    t.same(faults.slice(0, 5), [])
    t.ok(tally.followed > 100)
  })
}
