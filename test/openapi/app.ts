import { HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import openapi from '../../src/openapi/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyServerOptions, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { OpenapiOptions } from '../../types/openapi.d.ts'

export interface Response {
  $ref?: string
  description?: string
  content?: Record<string, { schema?: object }>
  headers?: Record<string, object>
}

export interface Parameter {
  in: string
  name: string
  required: boolean
  description: string
  schema: { enum?: string[] }
  example?: string
}

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  deprecated?: boolean
  'x-sunset'?: string
  externalDocs?: object
  parameters?: Parameter[]
  requestBody?: { required?: boolean, content: Record<string, { schema?: object }> }
  responses: Record<string, Response>
  servers?: { url: string }[]
}

/** A document, as the tests look at it. */
export interface Doc {
  openapi: string
  info: { title: string, version: string, 'x-api-version': string, description?: string }
  paths: Record<string, Record<string, Operation>>
  components: { headers?: Record<string, object>, responses?: Record<string, Response>, schemas: object }
  servers?: { url: string }[]
  tags?: object[]
}

export { ok }

export const header = { scheme: HeaderVersioning }
export const path = { scheme: URLPathVersioning }
export const query = { scheme: QueryParameterVersioning }
export const VENDOR = ['application/vnd.acme.{version}+json']
export const text = { type: 'string' }

/** A schema of an object of texts. */
export const object = (...names: string[]) => ({
  type: 'object', properties: Object.fromEntries(names.map((name) => [name, text]))
})

/** A reference of a document. */
export const refer = (name: string, kind = 'schemas') => ({ $ref: `#/components/${kind}/${name}` })

/** Declares a route for tests to which it does not matter. */
export const some = (app: FastifyInstance) => { app.get('/a', ok) }

/** Where a request can specify a version, and the scheme that reads it there. */
export const PLACES: [by: string, specify: (version: string) => InjectOptions][] = [
  ['QueryParameter', (version) => ({ query: { version } })],
  ['Header', (version) => ({ headers: { 'api-version': version } })],
  ['Header', (version) => ({ headers: { 'api-version': [version, 'v2'] } })],
  ['AcceptHeader', (version) => ({ headers: { accept: `application/json; version=${version}` } })],
  ['AcceptHeader', (version) => ({ headers: { accept: `application/vnd.acme.${version}+json` } })],
  ['AcceptHeader', (version) => ({ headers: { accept: `application/vnd.acme.${version}+json; version=v2` } })],
  ['ContentType', (version) => ({ headers: { 'content-type': `application/json; version=${version}` } })]
]

/** An app with documents, by default of v1 and v2. */
export async function documented (
  t: Test, versioning: VersioningOptions, routes: (app: FastifyInstance) => void, options: OpenapiOptions = {},
  serverOptions: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], ...versioning }, serverOptions)
  await app.register(openapi, options)
  routes(app)
  await app.ready()
  return app
}

export function documentOf (app: FastifyInstance, version: string): Doc {
  return app.openapi(version) as unknown as Doc
}

/** The operations of a document: `GET /bookings/{id}`. */
export function operationsOf (app: FastifyInstance, version: string): string[] {
  return Object.keys(shownIn(app, version))
}

/** The routes that operations come from, by the summary: `{ 'GET /a': 'first' }`. */
export function shownIn (app: FastifyInstance, version: string): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(documentOf(app, version).paths).flatMap(([path, operations]) => (
    Object.entries(operations).map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary])
  )))
}

/** The one operation of v2. */
export async function operationOf (
  t: Test, versioning: VersioningOptions, schema: object = {}, method: 'get' | 'post' = 'get', url = '/a'
): Promise<Operation> {
  const app = await documented(t, versioning, (app) => { app[method](url, { schema }, ok) }, { ui: false })
  return Object.values(documentOf(app, 'v2').paths)[0][method]
}
