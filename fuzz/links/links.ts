import fc from 'fast-check'

import { places } from '../../test/fixtures/places.ts'
import { Mismatch } from '../fuzzer.ts'
import { BASE, CLIENT_VERSION, apps, links, routesOf, schemes, start, valuesFor } from './apps.ts'
import { isAlone, isCertain, isServed, meantBy } from './model.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'
import type { AppSpec, Asked, Known } from './apps.ts'
import type { Meant } from './model.ts'

interface Case { app: AppSpec, asked: Asked[] }
interface Answer { route: number, version: string | null, params: Record<string, string> }

/** Links by name and to the current route, followed. */
export const linking: Fuzzer<Case> = {
  name: 'links',
  batch: 50,
  cases: fc.record({ app: apps, asked: fc.array(links, { minLength: 5, maxLength: 25, size: 'max' }) }),
  async check ({ app: spec, asked }) {
    const routes = routesOf(spec)
    const app = await start(spec)
    try {
      let followed = 0
      for (const link of asked) if (await follow(app, spec, routes, link)) followed++
      return followed
    } finally {
      await app.close()
    }
  }
}

/** @returns whether there was a link to follow */
async function follow (
  app: FastifyInstance, spec: AppSpec, routes: readonly Known[], asked: Asked
): Promise<boolean> {
  const from = routes[asked.route % routes.length]
  if (from === undefined) return false
  const request = requestTo(from, asked, spec)
  if (request === null) return false
  const first = await app.inject(request)
  if (first.statusCode >= 500) throw new Mismatch({ app: spec, request }, 'no 5xx', first.body)
  // The request itself may be refused, or get to another route: that is the matter of other fuzzers.
  if (first.statusCode !== 200) return false
  const came = first.json()
  const current = routes[came.route]!
  const meanings = meantBy(spec, routes, current, came, asked).filter(({ routes: [route] }) => (
    route!.neutral || !contradicts(asked, spec)
  ))
  if (came.link === undefined) {
    if (!String(came.code).startsWith('FST_ERR_')) throw new Mismatch({ app: spec, request }, 'an error', came)
    const certain = meanings.find((meant) => isCertain(spec, routes, meant, asked))
    if (certain !== undefined) throw new Mismatch({ app: spec, request }, certain, came)
    return false
  }

  const into = asked.into === undefined ? came.version : asked.into
  // Without a version the caller's query stays as it is, and a link that is relative to the host stays on it.
  const staysInQuery = spec.scheme === 'query' && asked.query?.['version'] !== undefined
  if (into === null && (staysInQuery || spec.scheme === 'host')) return false

  const failed = []
  const tried = []
  for (const meant of meanings) {
    // Without a version, and without a default one, there is no answer.
    if (meant.version === null && !meant.routes[0]!.neutral) return false
    for (const next of followersOf(came.link, request, spec, meant.version, asked)) {
      const answer = await app.inject(next)
      const isRight = isServed(meant)
        ? answer.statusCode === 200 && isMeant(routes, answer.json(), meant)
        : answer.body.includes('This URL answers GET in ')
      // Which route answers a link is not checked: another one may refuse it.
      const isElsewhere = answer.statusCode === 200
        ? isOther(routes, answer.json(), meant)
        : answer.body.includes('FST_ERR_VERSION_') && !isAlone(meant.routes[0]!, routes)
      if ((isElsewhere || isRight) && isWellFormed(came.link, asked, spec)) return true
      tried.push(next)
      failed.push(answer.body)
    }
  }
  const expected = meanings.map((meant) => ({ ...meant, routes: meant.routes.map(({ id, url }) => ({ id, url })) }))
  throw new Mismatch({ app: spec, requests: [request, ...tried] }, expected, { link: came.link, failed })
}

/** Whether the route that is meant has answered, with the same values; versions may call parameters differently. */
function isMeant (routes: readonly Known[], answer: Answer, { routes: meant, version, params }: Meant): boolean {
  const values = ({ parameters }: Known, from: Readonly<Record<string, string>>): string => {
    return JSON.stringify(parameters.map((name) => from[name] ?? '').filter((value) => value !== ''))
  }
  return meant.some(({ id }) => id === answer.route) && answer.version === version &&
    values(routes[answer.route]!, answer.params) === values(meant[0]!, params)
}

/** Whether a route with another path has answered. */
function isOther (routes: readonly Known[], answer: Answer, meant: Meant): boolean {
  return meant.routes.every(({ resource }) => resource !== routes[answer.route]!.resource)
}

/** The request that makes the link, or null if its own path cannot be written. */
function requestTo (route: Known, asked: Asked, spec: AppSpec): InjectOptions | null {
  const values = [...asked.own]
  const isUpper = asked.isUpper && spec.isInexact && spec.scheme !== 'namespace'
  const version = isUpper ? asked.version?.toUpperCase() ?? null : asked.version
  const { query, headers } = version === null ? {} : placeOf(asked, spec).naming(version)
  let url
  try {
    url = route.url.replace(/:version/, version ?? 'v1').replace(/:\w+(\([^)]*\))?\??|\*/g, () => {
      return encodeURIComponent(values.shift() ?? '')
    })
  } catch {
    return null
  }
  const options = { version: asked.into, query: queryOf(asked, spec), hash: asked.hash, absolute: asked.absolute }
  const link = [asked.name, asked.name === null ? null : valuesFor(asked, spec), options]
  return {
    method: 'GET',
    url: query === undefined ? url : `${url}?${new URLSearchParams(query)}`,
    headers: {
      host: 'example.com', 'x-client': CLIENT_VERSION, ...headers, link: encodeURIComponent(JSON.stringify(link))
    }
  }
}

/** Where the client names the version. */
function placeOf ({ place }: Asked, { scheme }: AppSpec) {
  const all = schemes[scheme]
  return all[place % all.length]!
}

/** Whether a link into another version would contradict the header, which the client of a list sends again. */
function contradicts (asked: Asked, spec: AppSpec): boolean {
  const { into, version } = asked
  const isList = schemes[spec.scheme].length > 1
  return isList && placeOf(asked, spec) === places.header && version !== null && into != null && into !== version
}

/** With a header, a version in the caller's own query is the caller's mistake. */
function queryOf ({ query }: Asked, { scheme }: AppSpec): Asked['query'] {
  if (query === undefined || scheme !== 'headerOrQuery') return query
  return Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'version'))
}

/** What a client sends that follows a link: where it cannot carry the version, the client repeats its header. */
function followersOf (
  link: string, first: InjectOptions, spec: AppSpec, version: string | null, asked: Asked
): InjectOptions[] {
  const url = new URL(link, `http://${(first.headers as { host: string }).host}`)
  const path = spec.base && spec.scheme !== 'host' ? url.pathname.slice(new URL(BASE).pathname.length) : url.pathname
  const headers = { host: url.host, 'x-client': CLIENT_VERSION }
  const plain = { method: 'GET', url: path + url.search, headers } as const
  const place = placeOf(asked, spec)
  const named = version === null || place === places.host ? undefined : place.naming(version).headers
  if (named === undefined) return [plain]
  const repeated = { ...plain, headers: { ...headers, ...named } }
  return schemes[spec.scheme].length > 1 ? [plain, repeated] : [repeated]
}

/** The query, the fragment and the origin that the options have asked for. */
function isWellFormed (link: string, asked: Asked, spec: AppSpec): boolean {
  const { hash, absolute } = asked
  if (!/^[\x21-\x7e]+$/.test(link)) return false
  const url = new URL(link, 'http://relative.example')
  const carries = spec.scheme === 'query' || spec.scheme === 'headerOrQuery'
  const pairs = [...url.searchParams].filter(([name]) => !carries || name !== 'version')
  const wanted = Object.entries(queryOf(asked, spec) ?? {}).filter(([name]) => !carries || name !== 'version')
  const isQuery = pairs.length === wanted.length &&
    wanted.every(([name, value], i) => pairs[i]![0] === name && pairs[i]![1] === value.toWellFormed())
  const fragment = (hash ?? '').replace(/^#/, '').toWellFormed()
  const isHash = decodeURIComponent(url.hash.slice(1)) === fragment
  const isAbsolute = /^https?:\/\//.test(link)
  return isQuery && isHash && (absolute !== true || isAbsolute) &&
    (isAbsolute || (link.startsWith('/') && !link.startsWith('//')))
}
