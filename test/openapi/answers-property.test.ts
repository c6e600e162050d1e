import Fastify from 'fastify'
import t from 'tap'

import versioning, {
  HeaderVersioning, HostNameVersioning, QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { fc, tries } from '../fixtures/property.ts'
import { documentOf } from './app.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { RouteVersions, VersioningSource } from '../../types/index.d.ts'
import type { Doc, Operation } from './app.ts'

interface RouteSpec {
  path: string
  method: 'GET' | 'POST' | 'HEAD'
  version: RouteVersions | undefined
  isNeutral: boolean
  host: string | undefined
  isHidden: boolean
}

interface AppSpec {
  scheme: string
  defaultVersion: string | null
  routes: RouteSpec[]
}

const VERSIONS = ['v1', 'v2']
/** Values of parameters: text of paths, what patterns take, and what neither has. */
const VALUES = ['z', '7', 'a', 'v1', 'v2', 'b/c', 'b/c/d/e']
const HOSTS = ['v1.example.com', 'v2.example.com', 'internal.corp']

const SCHEMES: Record<string, VersioningSource | VersioningSource[]> = {
  header: HeaderVersioning,
  query: QueryParameterVersioning,
  host: HostNameVersioning,
  path: URLPathVersioning,
  hostOrHeader: [HostNameVersioning, HeaderVersioning],
  pathOrHeader: [URLPathVersioning, HeaderVersioning]
}

const PATHS = ['/a', '/a', '/a/:id', '/a/:id?', '/a/:n(^\\d+$)', '/a/*', '/*', '/:any', '/v1/:id', '/v2/a', '/v2/*']
const VERSIONED_PATHS = [
  '/:version/a', '/:version/:kind', '/:version/:kind?', '/:version/*', '/:version/:n(^\\d+$)', '/:version?',
  '/:version/:kind/a', '/a/:version'
]

function apps (schemes: string[], paths: string[], versions: (RouteVersions | undefined)[]): fc.Arbitrary<AppSpec> {
  return fc.record({
    scheme: fc.constantFrom(...schemes),
    defaultVersion: fc.constantFrom(null, 'v1', 'v2'),
    routes: fc.array(fc.record({
      path: fc.constantFrom(...paths),
      method: fc.constantFrom('GET' as const, 'GET' as const, 'POST' as const, 'HEAD' as const),
      version: fc.constantFrom(...versions),
      isNeutral: fc.constantFrom(false, false, false, true),
      host: fc.constantFrom(undefined, undefined, undefined, ...HOSTS),
      isHidden: fc.constantFrom(false, false, false, true)
    }), { minLength: 1, maxLength: 6 })
  })
}

/** The app; null where its routes contradict one another. */
async function build ({ scheme, defaultVersion, routes }: AppSpec): Promise<FastifyInstance | null> {
  const app = Fastify()
  const baseUrl = 'http://v1.example.com'
  await app.register(versioning, { scheme: SCHEMES[scheme], defaultVersion, allowedVersions: VERSIONS, baseUrl })
  await app.register(openapi, { ui: false, exposeHeadRoutes: true })
  try {
    for (const [i, { path, method, version, isNeutral, host, isHidden }] of routes.entries()) {
      app.route({
        method,
        url: path,
        schema: { summary: `r${i}`, hide: isHidden },
        ...isNeutral ? { versioning: false as const } : version === undefined ? {} : { version },
        ...host === undefined ? {} : { constraints: { host } },
        handler: async (request, reply) => { reply.headers({ 'x-route': i, 'x-version': String(request.version) }) }
      })
    }
    await app.ready()
    return app
  } catch (error) {
    const { code } = error as { code: string }
    if (['FST_ERR_VERSIONING_OPTION', 'FST_ERR_DUPLICATED_ROUTE'].includes(code)) return null
    if ((error as Error).message.includes('already declared')) return null
    throw error
  }
}

interface Answer { readonly route: number, readonly version: string }

/** Which route answers a request, and in which version, or null if none does. */
async function ask (app: FastifyInstance, request: InjectOptions): Promise<Answer | null> {
  const { headers } = await app.inject(request)
  if (headers['x-route'] === undefined) return null
  return { route: Number(headers['x-route']), version: String(headers['x-version']) }
}

/** A path with its parameters replaced by each of the values. */
function fillings (path: string): string[] {
  const start = path.indexOf('{')
  if (start === -1) return [path]
  const end = path.indexOf('}')
  const values = path.startsWith('{*}', start) ? VALUES : VALUES.filter((value) => !value.includes('/'))
  return values.flatMap((value) => fillings(path.slice(0, start) + value + path.slice(end + 1)))
}

/** The requests that an operation says. */
function requestsOf (path: string, method: string, operation: Operation, { servers }: Doc): InjectOptions[] {
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    if (place === 'query') query.set(name, schema.enum?.[0] ?? '')
    if (place === 'header') headers[name] = schema.enum?.[0] ?? ''
  }
  const server = (operation.servers ?? servers)?.[0].url
  if (server !== undefined) headers.host = new URL(server, 'http://localhost').host
  return fillings(path).map((url) => ({ method: method.toUpperCase() as 'GET', url: `${url}?${query}`, headers }))
}

/** Requests that specify a version everywhere they can, on each of the hosts. */
function requestsFor (version: string, route: RouteSpec): InjectOptions[] {
  const { method } = route
  const urls = openapiPaths({ ...route, isNeutral: false }, version).flatMap(fillings)
  return urls.flatMap((url) => HOSTS.flatMap((host) => [
    { method, url: `${url}?version=${version}`, headers: { host, 'api-version': version } },
    { method, url, headers: { host } }
  ]))
}

/** The paths of a route as documents of a version show them. */
function openapiPaths ({ path, isNeutral }: RouteSpec, version: string): string[] {
  const plain = path.replace(/\([^)]*\)/g, '')
  const paths = plain.endsWith('?') ? [plain.slice(0, -1), plain.replace(/\/:\w+\?$/, '') || '/'] : [plain]
  return paths.map((one) => {
    const filled = isNeutral ? one : one.replace(':version', version)
    return filled.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')
  })
}

async function check (spec: AppSpec): Promise<void> {
  const app = await build(spec)
  if (app === null) return
  try {
    const documents = new Map(VERSIONS.map((version) => [version, documentOf(app, version)]))
    for (const [version, document] of documents) await checkShown(app, version, document)
    for (const version of VERSIONS) {
      for (const route of spec.routes) {
        for (const request of requestsFor(version, route)) await checkAnswered(app, spec, request, version, documents)
      }
    }
  } finally {
    await app.close()
  }
}

/** The route of each operation answers one of its URLs at least. */
async function checkShown (app: FastifyInstance, version: string, document: Doc): Promise<void> {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const answers = await Promise.all(requestsOf(path, method, operation, document).map((one) => ask(app, one)))
      const own = answers.filter((one) => `r${one?.route}` === operation.summary)
      const isRight = own.some((one) => one?.version === version || one?.version === 'null')
      // Several others together may take each URL of a wildcard, and one may take each value of a pattern.
      if (isRight || path === '/{*}' || path.includes('{version}')) continue
      const got = JSON.stringify(answers)
      throw new Error(`${version}: ${method} ${path} is answered by ${got}, not by ${operation.summary}`)
    }
  }
}

/** A route that answers is in the document, unless it is hidden, or another one has its path or its URL there. */
async function checkAnswered (
  app: FastifyInstance, { routes, scheme }: AppSpec, request: InjectOptions, named: string, documents: Map<string, Doc>
): Promise<void> {
  const answer = await ask(app, request)
  if (answer === null) return
  const route = routes[answer.route]
  const { isHidden, isNeutral } = route
  if (isHidden || (answer.version === 'null' && !isNeutral)) return
  // Without a version, or with two, a neutral route may answer instead of routes of the version.
  const { host, 'api-version': inHeader } = request.headers as Record<string, string>
  const isNamed = scheme === 'host' ? host.startsWith(named) : inHeader !== undefined
  if (isNeutral && (!isNamed || (host.startsWith('v') && !host.startsWith(named)))) return
  const version = isNeutral ? named : answer.version
  const { paths, servers } = documents.get(version) as Doc
  const isShown = openapiPaths(route, version).some((one) => paths[one]?.[String(request.method).toLowerCase()])
  if (isShown) return
  // A document is about the address of the app, where routes of that host alone may go before.
  const home = servers === undefined ? host : new URL(servers[0].url).host
  const atHome = await ask(app, { ...request, headers: { ...request.headers, host: home } })
  const isAtHome = atHome?.route === answer.route && atHome.version === answer.version
  if (route.host === undefined && !isAtHome) return
  throw new Error(`${version}: ${JSON.stringify(request)} answers r${answer.route}, which is not shown`)
}

const CLAIMS = [undefined, undefined, undefined, 'v1', 'v2', { from: 'v2' }, VERSIONS]

t.test('documents show exactly the routes that answer', async () => {
  const any = fc.oneof(
    apps(['header', 'query', 'host', 'hostOrHeader'], PATHS, CLAIMS),
    apps(['path', 'pathOrHeader'], [...PATHS, ...VERSIONED_PATHS, ...VERSIONED_PATHS], [undefined])
  )
  await fc.assert(fc.asyncProperty(any, check), { numRuns: tries(40) })
})
