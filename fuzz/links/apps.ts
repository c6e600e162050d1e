import fc from 'fast-check'
import Fastify from 'fastify'

import versioning from '../../src/index.ts'
import { places } from '../../test/fixtures/places.ts'
import { maybe, ofClient } from '../fuzzer.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Generated } from '../fuzzer.ts'

const { accept, header, host, namespace, path, query } = places
/** Where the schemes read the version, by what they are to a link. */
export const schemes = {
  accept: [accept],
  header: [header],
  host: [host],
  namespace: [namespace],
  path: [path],
  query: [query],
  headerOrQuery: [header, query],
  pathOrHeader: [path, header]
}

export const versions = ['v1', 'v2', 'v3']
export const BASE = 'https://pub.example.com/base'
/** What every client has as its default version, where it has its own. */
export const CLIENT_VERSION = 'v2'

/** The versions that a route serves are undefined for all. */
interface Handler { readonly name?: string | undefined, readonly versions?: readonly string[] | undefined }

/** What follows the stem, with the parameters, and whether the last one is optional. */
export const suffixes = {
  '': [],
  '/me': [],
  '/:id': ['id'],
  '/:id/sub': ['id'],
  '/:from-:to': ['from', 'to'],
  '/y/:year/:month?': ['year', 'month'],
  '/x.:format': ['format'],
  '/:n(^\\d+$)': ['n'],
  '/*': ['*']
}

const handlers = fc.oneof<fc.Arbitrary<Handler[]>[]>(
  fc.record({ name: fc.constantFrom('a', 'a', 'b', undefined) }).map((handler) => [handler]),
  fc.tuple(fc.constantFrom('a', 'b', undefined), fc.constantFrom('a', 'b', undefined)).map(([olderName, newerName]) => [
    { name: olderName, versions: ['v1'] }, { name: newerName, versions: ['v2', 'v3'] }
  ]),
  fc.constantFrom('a', 'b').map((name) => [{ name, versions: ['v2'] }])
)

export const apps = fc.record({
  scheme: fc.constantFrom(...Object.keys(schemes) as (keyof typeof schemes)[]),
  defaultVersion: fc.constantFrom<(string | null)[]>(null, 'v1'),
  /** Whether the default version is the client's, which is `CLIENT_VERSION`, and not `defaultVersion`. */
  ofClient: fc.boolean(),
  /** Whether names mean what they are in lower case. */
  isInexact: fc.boolean(),
  base: fc.boolean(),
  caseSensitive: fc.boolean(),
  /** Paths, with one route or, where versions choose, several. */
  resources: fc.uniqueArray(fc.record({
    /** In front of the suffix: resources that share it may shadow each other. */
    stem: fc.constantFrom('/p', '/q', '/r/s'),
    suffix: fc.constantFrom(...Object.keys(suffixes) as (keyof typeof suffixes)[]),
    handlers,
    neutral: fc.integer({ min: 0, max: 5 }).map((n) => n === 5)
  }), { minLength: 1, maxLength: 5, size: 'max', selector: pathOf })
}).map((app) => app.ofClient ? { ...app, defaultVersion: null } : app)

export type AppSpec = Generated<typeof apps>

/** Parameters with other names are no other path to the router. */
function pathOf ({ stem, suffix }: { stem: string, suffix: string }): string {
  return stem + suffix
}

/** A route of an app: a handler of a resource, under NamespaceVersioning in one namespace. */
export type Known = ReturnType<typeof routesOf>[number]

/** The routes in the order of their declaration. */
export function routesOf ({ scheme, resources }: AppSpec) {
  const inPath = scheme === 'path' || scheme === 'pathOrHeader'
  const namespaces = scheme === 'namespace' ? versions : [null]
  const versioned = namespaces.flatMap((namespace) => (
    resources.filter(({ neutral }) => !neutral).flatMap((resource) => resource.handlers.map((handler) => {
      const served = handler.versions ?? versions
      return {
        url: (inPath ? '/:version' : namespace === null ? '' : `/${namespace}`) + pathOf(resource),
        parameters: [...inPath ? ['version'] : [], ...suffixes[resource.suffix]],
        name: handler.name,
        fullName: namespace === null || handler.name === undefined ? handler.name : `${namespace}:${handler.name}`,
        namespace,
        versions: namespace === null ? served : served.filter((version) => version === namespace),
        resource,
        neutral: false
      }
    }))
  ))
  const neutral = resources.filter(({ neutral }) => neutral).map((resource) => ({
    url: pathOf(resource),
    parameters: suffixes[resource.suffix] as string[],
    name: resource.handlers[0]!.name,
    fullName: resource.handlers[0]!.name,
    namespace: null,
    versions: [] as string[],
    resource,
    neutral: true
  }))
  return [...versioned.filter(({ versions }) => versions.length > 0), ...neutral].map((route, id) => ({ id, ...route }))
}

const inLowerCase = (named: string) => named.toLowerCase()

/** Answers what a handler has seen, and the link that the header `link` asks for. */
function answer (route: number) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { version, params, headers: { link } } = request
    if (link === undefined) return { route, version, params }
    try {
      const asked = JSON.parse(decodeURIComponent(String(link))) as Parameters<typeof reply.reverse>
      return { route, version, params, link: reply.reverse(...asked) }
    } catch (error) {
      const { code, message } = error as { code: string, message: string }
      return { route, version, params, code, message }
    }
  }
}

export async function start (spec: AppSpec): Promise<FastifyInstance> {
  const { scheme, defaultVersion, isInexact, base, caseSensitive } = spec
  const routes = routesOf(spec)
  const app = Fastify({ routerOptions: { caseSensitive } })
  await app.register(versioning, {
    scheme: schemes[scheme].map(({ Scheme }) => Scheme),
    defaultVersion: spec.ofClient ? ofClient : defaultVersion,
    allowedVersions: versions,
    ...isInexact && scheme !== 'namespace' && { resolveVersion: inLowerCase },
    ...base && scheme !== 'host' && { baseUrl: BASE }
  })
  for (const namespace of scheme === 'namespace' ? versions : []) {
    app.register(async (app) => {
      for (const route of routes.filter((route) => route.namespace === namespace)) declare(app, route, false)
    }, { prefix: `/${namespace}`, namespace })
  }
  app.after(() => {
    const others = routes.filter(({ namespace }) => namespace === null)
    for (const route of others) declare(app, route, scheme !== 'namespace')
  })
  await app.ready()
  return app
}

function declare (app: FastifyInstance, route: Known, chooses: boolean): void {
  const { id, url, name, namespace, versions: served, neutral } = route
  app.get(namespace === null ? url : url.slice(namespace.length + 1), {
    ...name !== undefined && { name },
    ...neutral && { versioning: false },
    ...chooses && !neutral && served.length < versions.length && { version: served }
  }, answer(id))
}

const simple = fc.constantFrom('7', '42', 'x', 'Ab', 'me', 'sub')
const value = fc.oneof(
  { weight: 3, arbitrary: simple },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.constantFrom(
        '..', '.', 'a/b', 'a//b', '/', 'a b', 'a-b', '-', 'a.b', '%', '%2F', '%252e', 'ü', '\u{1f600}', '\ud800', '?',
        '#', 'a?b', ';', 'a;b', '\\', '\0', '\r\n', ':id', '*', '//evil.example', '__proto__', 'x'.repeat(101)
      ),
      fc.string({ maxLength: 5, unit: 'binary' })
    )
  }
)

/** Requests to a route, whose handler makes a link. */
export const links = fc.record({
  /** Which of the routes, counted round. */
  route: fc.nat(20),
  /** The version that the request names, and for a list the scheme by which it does. */
  version: fc.constantFrom(null, ...versions),
  place: fc.nat(1),
  /** Whether it writes the version in capitals, if versions need not be exact. */
  isUpper: fc.boolean(),
  /** Values for the path of the request. */
  own: fc.array(value, { minLength: 2, maxLength: 2 }),
  /** The link: a name, or null for the current route. */
  name: fc.constantFrom(null, 'a', 'a', 'a', 'b', 'v1:a', 'none'),
  /** Values for the link, and which of the routes has the names for them, counted round. */
  values: fc.array(value, { minLength: 2, maxLength: 2 }),
  like: fc.nat(20),
  isList: fc.boolean(),
  into: fc.constantFrom(undefined, undefined, undefined, null, ...versions, 'v9'),
  query: maybe(fc.dictionary(fc.constantFrom('page', 'version', 'a b', '&', '__proto__'), value, { maxKeys: 2 })),
  hash: maybe(value),
  absolute: maybe(fc.boolean())
})

export type Asked = Generated<typeof links>

/** Values under the names of a route that may be the one that is meant. */
export function valuesFor ({ values, like, isList }: Asked, spec: AppSpec): Record<string, string> | string[] {
  const routes = routesOf(spec)
  const names = routes[like % routes.length]!.parameters.filter((name) => name !== 'version')
  if (isList && !spec.scheme.startsWith('path')) return names.map((_, i) => values[i]!)
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]))
}
