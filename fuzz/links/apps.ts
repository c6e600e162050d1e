import fc from 'fast-check'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from 'fastify-versioning'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Child, Route } from '../app.ts'
import type { Generated } from '../fuzzer.ts'

/** The schemes by what they are to a link. */
export const schemes = {
  accept: [AcceptHeaderVersioning],
  header: [HeaderVersioning],
  host: [HostNameVersioning],
  namespace: [NamespaceVersioning],
  path: [URLPathVersioning],
  query: [QueryParameterVersioning],
  headerOrQuery: [HeaderVersioning, QueryParameterVersioning],
  pathOrHeader: [URLPathVersioning, HeaderVersioning]
}

export type SchemeName = keyof typeof schemes

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
  fc.record({ name: fc.constantFrom('a', 'a', 'b', undefined) }).map((one) => [one]),
  fc.tuple(fc.constantFrom('a', 'b', undefined), fc.constantFrom('a', 'b', undefined)).map(([one, other]) => [
    { name: one, versions: ['v1'] }, { name: other, versions: ['v2', 'v3'] }
  ]),
  fc.constantFrom('a', 'b').map((name) => [{ name, versions: ['v2'] }])
)

export const apps = fc.record({
  scheme: fc.constantFrom(...Object.keys(schemes) as SchemeName[]),
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
type Resource = AppSpec['resources'][number]

/** Parameters with other names are no other path to the router. */
function pathOf ({ stem, suffix }: { stem: string, suffix: string }): string {
  return stem + suffix
}

/** A route of an app: a handler of a resource, under NamespaceVersioning in one namespace. */
export interface Known {
  readonly id: number
  readonly url: string
  readonly parameters: readonly string[]
  readonly name: string | undefined
  readonly namespace: string | null
  readonly versions: readonly string[]
  readonly resource: Resource
  readonly neutral: boolean
}

/** The routes in the order of their declaration. */
export function routesOf ({ scheme, resources }: AppSpec): Known[] {
  const routes: Omit<Known, 'id'>[] = []
  const namespaces = scheme === 'namespace' ? versions : [null]
  const inPath = scheme === 'path' || scheme === 'pathOrHeader'
  for (const namespace of namespaces) {
    for (const resource of resources.filter(({ neutral }) => !neutral)) {
      for (const handler of resource.handlers) {
        const served = handler.versions ?? versions
        if (namespace !== null && !served.includes(namespace)) continue
        const prefix = inPath ? '/:version' : namespace === null ? '' : `/${namespace}`
        routes.push({
          url: prefix + pathOf(resource),
          parameters: [...inPath ? ['version'] : [], ...suffixes[resource.suffix]],
          name: handler.name,
          namespace,
          versions: namespace === null ? served : [namespace],
          resource,
          neutral: false
        })
      }
    }
  }
  for (const resource of resources.filter(({ neutral }) => neutral)) {
    const { name } = resource.handlers[0]!
    const url = pathOf(resource)
    routes.push({
      url, parameters: suffixes[resource.suffix], name, namespace: null, versions: [], resource, neutral: true
    })
  }
  return routes.map((route, id) => ({ id, ...route }))
}

const ofClient = { header: 'X-Client', version: (version: string | null) => version }

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

export function declared (spec: AppSpec): App {
  const { scheme, defaultVersion, isInexact, base, caseSensitive } = spec
  const routes = routesOf(spec)
  const chooses = scheme !== 'namespace'
  return {
    server: { routerOptions: { caseSensitive } },
    plugin: {
      scheme: schemes[scheme].length === 1 ? schemes[scheme][0] : schemes[scheme],
      defaultVersion: spec.ofClient ? ofClient : defaultVersion,
      allowedVersions: versions,
      ...isInexact && scheme !== 'namespace' && { resolveVersion: inLowerCase },
      ...base && scheme !== 'host' && { baseUrl: BASE }
    },
    children: scheme === 'namespace'
      ? [
        ...versions.map((namespace) => ({
          register: { prefix: `/${namespace}`, namespace },
          children: routes.filter((route) => route.namespace === namespace).map((route) => declare(route, false))
        })),
        ...routes.filter(({ neutral }) => neutral).map((route) => declare(route, false))
      ] satisfies Child[]
      : routes.map((route) => declare(route, chooses))
  }
}

function declare ({ id, url, name, namespace, versions: served, neutral }: Known, chooses: boolean): Route {
  return {
    method: 'GET',
    url: namespace === null ? url : url.slice(namespace.length + 1),
    options: {
      name,
      versioning: neutral ? false : undefined,
      version: chooses && !neutral && served.length < versions.length ? served : undefined
    },
    handler: answer(id)
  }
}
