import Fastify from 'fastify'
import t from 'tap'

import { Validator } from '@seriousme/openapi-schema-validator'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning,
  QueryParameterVersioning, URLPathVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { fc, tries } from '../fixtures/property.ts'
import { documentOf } from './app.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'
import type { RouteVersions, VersioningSource } from '../../types/index.d.ts'
import type { Operation } from './app.ts'

/** It compiles a schema once for each version of OpenAPI. */
const validator = new Validator()
const VERSIONS = ['v1', 'v2', 'v3']

/** By name, so that a counterexample can be read. */
const SCHEMES: Record<string, VersioningSource | VersioningSource[]> = {
  accept: AcceptHeaderVersioning,
  header: HeaderVersioning,
  host: HostNameVersioning,
  query: QueryParameterVersioning,
  headerOrQuery: [HeaderVersioning, QueryParameterVersioning],
  contentTypeOrAccept: [ContentTypeVersioning, AcceptHeaderVersioning],
  path: URLPathVersioning,
  namespace: NamespaceVersioning,
  pathOrHeader: [URLPathVersioning, HeaderVersioning],
  namespaceOrQuery: [NamespaceVersioning, QueryParameterVersioning]
}
const CHOOSING = ['accept', 'header', 'host', 'query', 'headerOrQuery', 'contentTypeOrAccept']
const ROUTED = ['path', 'namespace', 'pathOrHeader', 'namespaceOrQuery']

const VENDOR = ['application/vnd.acme.{version}+json']
type Claim = RouteVersions | undefined
const CLAIMS: Claim[] = [undefined, undefined, 'v1', 'v2', ['v1', 'v3'], { from: 'v2' }, { to: 'v2' }]

/** A context of one of the schemes. */
function contextsOf (
  schemes: string[], namespaces: (string | undefined)[], mediaTypes: (string[] | undefined)[], paths: string[],
  claims: Claim[]
) {
  const method = fc.constantFrom('GET' as const, 'POST' as const, 'DELETE' as const)
  const route = fc.record({ path: fc.constantFrom(...paths), method, version: fc.constantFrom(...claims) })
  return fc.record({
    scheme: fc.constantFrom(...schemes),
    namespace: fc.constantFrom(...namespaces),
    mediaTypes: fc.constantFrom(...mediaTypes),
    defaultVersion: fc.constantFrom(null, 'v1', 'v3'),
    routes: fc.array(route, { minLength: 1, maxLength: 6 })
  })
}

const chosen = contextsOf(CHOOSING, [undefined],
  [undefined, ['application/json'], VENDOR, ['application/hal+json', 'application/json']],
  ['/a', '/a', '/a', '/b/:id', '/b/:id/:kind(^[a-z0-9]+$)', '/c/*', '/d/:id?'], CLAIMS)
const routed = contextsOf(ROUTED, [undefined, 'v1', 'v2', 'other'], [undefined],
  ['/:version/a', '/:version/e/:id', '/a', '/:version/:id', '/:version/b/:id?'], [undefined])
const apps = fc.array(fc.oneof(chosen, routed), { minLength: 1, maxLength: 3 })
type Contexts = typeof apps extends fc.Arbitrary<infer Value> ? Value : never

/** The app; null where its routes contradict one another. */
async function build (contexts: Contexts, version: '3.0.3' | '3.1.0'): Promise<FastifyInstance | null> {
  const app = Fastify()
  app.addContentTypeParser(/^application\/[\w.]+\+json/, { parseAs: 'string' }, async () => ({}))
  await app.register(versioning, { allowedVersions: VERSIONS, baseUrl: 'http://v9.example.com' })
  await app.register(openapi, { openapi: { openapi: version }, ui: false })
  for (const [i, { scheme, namespace, mediaTypes, defaultVersion, routes }] of contexts.entries()) {
    app.register(async (api) => {
      await api.register(versioning, { scheme: SCHEMES[scheme], defaultVersion, ...mediaTypes ? { mediaTypes } : {} })
      for (const [j, { path, method, version }] of routes.entries()) {
        const operationId = `c${i}r${j}`
        api.route({
          method,
          url: path,
          schema: { operationId, summary: operationId },
          ...version === undefined ? {} : { version },
          handler: async (request) => ({ id: operationId, version: request.version })
        })
      }
    }, { prefix: `/c${i}`, ...namespace === undefined ? {} : { namespace } })
  }
  try {
    await app.ready()
    return app
  } catch (error) {
    const { code } = error as { code: string }
    if (code === 'FST_ERR_VERSIONING_OPTION' || code === 'FST_ERR_DUPLICATED_ROUTE') return null
    throw error
  }
}

/** A request as a document says it. */
function toRequest (path: string, method: string, operation: Operation, servers: { url: string }[] | undefined) {
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  let url = path
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    const value = schema.enum?.[0] ?? ['7', 'v1'].find((one) => new RegExp(schema.pattern ?? '').test(one)) as string
    if (place === 'path') url = url.replace(`{${name}}`, value)
    if (place === 'query') query.set(name, value)
    if (place === 'header') headers[name] = value
  }
  const types = Object.entries(operation.responses).flatMap(([status, { content }]) => (
    status.startsWith('2') ? Object.keys(content ?? {}) : []
  ))
  if (types.length > 0) headers.accept = types[0]
  const body = Object.keys(operation.requestBody?.content ?? {})
  if (body.length > 0) headers['content-type'] = body[0]
  const server = (operation.servers ?? servers)?.[0]?.url
  if (server !== undefined) headers.host = new URL(server, 'http://localhost').host
  const request: InjectOptions = { method: method.toUpperCase() as 'GET', url: `${url}?${query}`, headers }
  return body.length > 0 ? { ...request, payload: '{}' } : request
}

/** Requests that specify a version everywhere they can, whatever a document says. */
function asking (
  version: string, { path, method }: Contexts[number]['routes'][number], prefix: string
): InjectOptions[] {
  const url = prefix + path.replace(/:version(?:\([^)]*\))?/, version).replace(/:\w+(?:\([^)]*\))?\??|\*/g, '7')
  const places: { headers?: Record<string, string>, query?: Record<string, string> }[] = [
    {}, { headers: { accept: `application/json; version=${version}` } },
    { headers: { accept: `application/hal+json; version=${version}` } },
    { headers: { accept: `application/vnd.acme.${version}+json` } },
    { headers: { 'api-version': version } }, { headers: { host: `${version}.example.com` } }, { query: { version } }
  ]
  return places.map((place) => ({ method, url, ...place }))
}

async function check (contexts: Contexts, openapiVersion: '3.0.3' | '3.1.0'): Promise<void> {
  const app = await build(contexts, openapiVersion)
  if (app === null) return
  try {
    for (const version of VERSIONS) {
      const { paths, servers } = documentOf(app, version)
      const shown = new Set<string>()
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(operations)) {
          shown.add(operation.summary as string)
          const request = toRequest(path, method, operation, servers)
          const response = await app.inject(request)
          const answer = response.json()
          const isNeutral = answer.version === null
          const why = `${version}: ${JSON.stringify(request)} answers ${response.body}, not ${operation.summary}`
          if (answer.id !== operation.summary || (!isNeutral && answer.version !== version)) throw new Error(why)
        }
      }
      for (const [i, { routes }] of contexts.entries()) {
        for (const route of routes) {
          for (const request of asking(version, route, `/c${i}`)) {
            const answer = (await app.inject(request)).json()
            if (answer.version !== version || shown.has(answer.id)) continue
            throw new Error(`${version}: ${JSON.stringify(request)} answers ${answer.id}, which is not in the document`)
          }
        }
      }
      const { valid, errors } = await validator.validate(structuredClone(documentOf(app, version)) as never)
      if (!valid) throw new Error(JSON.stringify(errors))
    }
  } finally {
    await app.close()
  }
}

t.test('documents describe everything that is served, and nothing else', async () => {
  await fc.assert(fc.asyncProperty(apps, fc.constantFrom('3.0.3' as const, '3.1.0' as const), check), {
    numRuns: tries(40)
  })
})
