import Fastify from 'fastify'

import versioning, * as exported from '../../src/index.ts'
import { setNamespace } from '../../src/instances.ts'
import { setQueryParameter } from '../../src/http/query.ts'

import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { LinkOptions, VersioningSettings } from '../../types/index.d.ts'
import type {
  DetermineVector, Direct, ReverseVector, Vector, VectorRequest, VectorRoute, VectorSettings
} from './vectors.ts'

/** What a vector's question was answered with, one entry for each thing that its `expect` speaks of. */
export type Answer = Readonly<Record<string, unknown>>

/** HEAD is not among them: Fastify adds it to a route for GET by itself. */
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/** Puts a vector's question to the plugin, inside a Fastify app wherever a request takes part in it. */
export async function ask (vector: Vector): Promise<Answer> {
  switch (vector.kind) {
    case 'isAllowed':
      return { allowed: new exported.BaseVersioning(settingsOf(vector.settings)).isAllowedVersion(vector.version) }
    case 'replaceQueryParam':
      return { url: setQueryParameter(vector.input.url, vector.input.name, vector.input.value) }
    case 'determine':
      return isRegistrable(vector) ? askForVersion(vector) : askSchemeAlone(vector)
    case 'reverse':
      return askForLinks(vector)
  }
}

/** A subclass that determines nothing is refused at registration, but answers for itself. */
function isRegistrable ({ scheme, className, direct }: DetermineVector): boolean {
  return direct === undefined && (scheme !== 'BaseVersioning' || className === undefined)
}

async function askForVersion (vector: DetermineVector): Promise<Answer> {
  return send(await appOf(vector, async ({ version }) => ({ version })), vector.request)
}

async function askForLinks (vector: ReverseVector): Promise<Answer> {
  const { viewname, args, kwargs, format, query, withRequest } = vector.reverse
  const options: LinkOptions = { format, ...query && { query } }
  const app = await appOf(vector, async (request, reply) => {
    const { version, versioningScheme: scheme } = request
    const [helper, from] = withRequest === false ? [app, { server: app }] : [reply, { request }]
    return {
      version,
      viaHelper: link(() => helper.reverse(viewname, args ?? kwargs, options)),
      ...scheme && { viaScheme: link(() => scheme.reverse(viewname, { args, kwargs, ...from, ...options })) }
    }
  })
  return send(app, vector.request)
}

/** Calls the method of the scheme as a router would, with the request that the vector gives. */
async function askSchemeAlone (vector: DetermineVector): Promise<Answer> {
  const { Scheme, settings } = optionsOf(vector)
  if (Scheme === null) throw new TypeError(`Vector ${vector.id} calls a scheme that it does not name`)
  const scheme = new Scheme(settings)
  const app = newApp()
  app.get(vector.request.url, async (request) => ({
    version: await scheme.determineVersion(standIn(request, vector.direct ?? { kwargs: {} }))
  }))
  return send(app, vector.request)
}

function standIn (request: FastifyRequest, { kwargs, host, resolverMatch }: Direct): FastifyRequest {
  const server: object = Object.create(request.server)
  if (resolverMatch) setNamespace(server, { names: resolverMatch.namespace.split(':'), prefix: '' })
  return Object.create(request, {
    params: { value: kwargs }, host: { value: host ?? request.host }, server: { value: server }
  })
}

async function appOf (vector: DetermineVector | ReverseVector, handler: RouteHandlerMethod): Promise<FastifyInstance> {
  const { Scheme, settings } = optionsOf(vector)
  const app = newApp()
  app.addHook('onRequest', addConstantParams(vector.routes))
  await app.register(versioning, { scheme: Scheme, ...settings })
  // A register() for each route, awaited, keeps them in the order of the vector whatever context they are in.
  for (const route of vector.routes) {
    await app.register(async (context) => {
      declareRoute(context, route.namespace?.split(':') ?? [], route, handler)
    }, { prefix: route.prefix ?? '' })
  }
  return app
}

function declareRoute (
  context: FastifyInstance, namespaces: readonly string[], route: VectorRoute, handler: RouteHandlerMethod
): void {
  const [namespace, ...inner] = namespaces
  if (namespace === undefined) context.route({ method: METHODS, url: routerPath(route), name: route.name, handler })
  else context.register(async (child) => declareRoute(child, inner, route, handler), { namespace })
}

/** The router tells the parameters of a segment apart by their groups, so a pattern may not bring its own. */
function routerPath ({ path, constraints = {} }: VectorRoute): string {
  return path.replace(/:(\w+)/g, function constrain (parameter: string, name: string) {
    if (!Object.hasOwn(constraints, name)) return parameter
    return `${parameter}(${constraints[name].replace(/\((?!\?)/g, '(?:')})`
  })
}

/** Fastify has no constant keyword arguments of a route; a hook ahead of the plugin's has the same effect. */
function addConstantParams (routes: readonly VectorRoute[]) {
  const extras = new Map(routes.map((route) => [`${route.prefix ?? ''}${routerPath(route)}`, route.extra]))
  return async function addConstantParams (request: FastifyRequest) {
    const extra = extras.get(request.routeOptions.url ?? '')
    if (extra !== undefined) request.params = { ...request.params as object, ...extra }
  }
}

function optionsOf (vector: DetermineVector | ReverseVector) {
  const settings = settingsOf(vector.settings)
  if (vector.scheme === null) return { Scheme: null, settings }
  const Scheme = named(exported[vector.scheme], vector.className)
  if (vector.scheme !== 'AcceptHeaderVersioning') return { Scheme, settings }
  return { Scheme, settings: { ...settings, mediaTypes: vector.renderers ?? ['application/json'] } }
}

function settingsOf (given: VectorSettings): VersioningSettings {
  const { defaultVersion, allowedVersions, versionParam, allowedVersionsKind } = given
  const isSet = allowedVersionsKind === 'set' && allowedVersions !== null
  return { defaultVersion, allowedVersions: isSet ? new Set(allowedVersions) : allowedVersions, versionParam }
}

function named (scheme: typeof exported.BaseVersioning, className: string | undefined): typeof exported.BaseVersioning {
  return className === undefined ? scheme : { [className]: class extends scheme {} }[className]
}

function link (reverse: () => string): Answer {
  try {
    return { path: reverse() }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { error: error.code }
    throw error
  }
}

function newApp (): FastifyInstance {
  const app = Fastify({ routerOptions: { maxParamLength: 1000 } })
  // An answer to HEAD has no body to read, so a header of it shows what the body would have been.
  app.addHook('onSend', async ({ method }, reply, payload) => {
    if (method === 'HEAD') reply.header('payload', encodeURIComponent(String(payload)))
  })
  // Vectors send no body, even with a content type; Fastify's own parser of JSON would refuse that.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async () => null)
  return app
}

async function send (app: FastifyInstance, { method, url, headers }: VectorRequest): Promise<Answer> {
  const response = await app.inject({ method, url, headers })
  await app.close()
  const payload = method === 'HEAD' ? decodeURIComponent(String(response.headers.payload)) : response.payload
  return { status: response.statusCode, ...JSON.parse(payload) }
}
