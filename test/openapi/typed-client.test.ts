import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import t from 'tap'
import ts from 'typescript'

import versioning, {
  AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning, HostNameVersioning
} from '../../src/index.ts'
import openapi from '../../src/openapi.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'

const SCRATCH = new URL('../../.tap/typed-client/', import.meta.url)

/** A client of two versions. It compiles only if each document says what its version has, and nothing of the other. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths as V1 } from './v1.ts'
import type { paths as V2 } from './v2.ts'

export async function ask (baseUrl: string) {
  const v1 = createClient<V1>({ baseUrl, headers: { accept: 'application/json; version=v1' } })
  const v2 = createClient<V2>({ baseUrl, headers: { accept: 'application/json; version=v2' } })

  const first = await v1.GET('/bookings/{id}', { params: { path: { id: 7 } } })
  const guest: string | undefined = first.data?.guest
  // @ts-expect-error: a field of v2
  void first.data?.guests

  const second = await v2.GET('/bookings/{id}', { params: { path: { id: '7' } } })
  const guests: string[] | undefined = second.data?.guests
  // @ts-expect-error: a field of v1
  void second.data?.guest
  // @ts-expect-error: in v2 an id is a string
  void (() => v2.GET('/bookings/{id}', { params: { path: { id: 7 } } }))
  // @ts-expect-error: v1 has no rates
  void (() => v1.GET('/rates'))

  const made = await v2.POST('/bookings', { body: { guests: ['Grace'] } })
  // @ts-expect-error: the body of v1
  void (() => v2.POST('/bookings', { body: { guest: 'Grace' } }))

  const inHeader = await v2.GET('/partners/rates', { params: { header: { 'API-Version': 'v2' } } })
  // @ts-expect-error: the version of another document
  void (() => v2.GET('/partners/rates', { params: { header: { 'API-Version': 'v1' } } }))
  // @ts-expect-error: no version, where there is no default version
  void (() => v2.GET('/partners/rates'))

  const refused = await v1.GET('/bookings/{id}', {
    params: { path: { id: 7 } }, headers: { accept: 'application/json; version=v9' }
  })
  const code: 'FST_ERR_VERSION_NOT_ACCEPTABLE' | undefined = refused.error?.code
  return { guest, guests, made: made.data?.guests, rates: inHeader.data?.rates, code, status: refused.response.status }
}
`

function object (properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }

function declareRoutes (app: FastifyInstance): void {
  app.get('/bookings/:id', {
    version: 'v1',
    schema: { params: object({ id: { type: 'integer' } }), response: { 200: object({ guest: text }) } }
  }, async () => ({ guest: 'Ada' }))
  app.get('/bookings/:id', {
    version: 'v2',
    schema: { params: object({ id: text }), response: { 200: object({ guests: texts }) } }
  }, async () => ({ guests: ['Ada', 'Grace'] }))
  app.post('/bookings', {
    version: 'v2', schema: { body: object({ guests: texts }), response: { 201: object({ guests: texts }) } }
  }, async ({ body }, reply) => reply.code(201).send(body))
  app.get('/rates', { version: 'v2', schema: { response: { 200: object({ rates: texts }) } } }, async () => ({}))
  app.register(async function partners (api) {
    await api.register(versioning, { scheme: HeaderVersioning })
    const schema = { response: { 200: object({ rates: texts }) } }
    api.get('/rates', { schema }, async ({ version }) => ({ rates: [`of ${version}`] }))
  }, { prefix: '/partners' })
}

t.test('a typed client of two versions compiles, and gets what its types say', async (t) => {
  await mkdir(SCRATCH, { recursive: true })
  t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))
  const app = bareApp(t)
  await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: ['v1', 'v2'] })
  await app.register(openapi)
  declareRoutes(app)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })

  for (const version of ['v1', 'v2']) {
    const types = await openapiTS(new URL(`${baseUrl}/documentation/${version}.json`))
    await writeFile(new URL(`${version}.ts`, SCRATCH), astToString(types))
  }
  const client = new URL('client.ts', SCRATCH)
  await writeFile(client, CLIENT)
  t.equal(compile(client), '')

  const { ask } = await import(client.href) as { ask: (baseUrl: string) => Promise<unknown> }
  t.same(await ask(baseUrl), {
    guest: 'Ada',
    guests: ['Ada', 'Grace'],
    made: ['Grace'],
    rates: ['of v2'],
    code: 'FST_ERR_VERSION_NOT_ACCEPTABLE',
    status: 406
  })
})

/** Under ContentTypeVersioning openapi-fetch sends `application/json` unless the client says otherwise. */
const CLIENT_OF_BODIES = `
import createClient from 'openapi-fetch'
import type { paths } from './bodies.ts'

export async function ask (baseUrl: string) {
  const contentType = 'application/json; version=v2'
  const client = createClient<paths>({ baseUrl, headers: { 'content-type': contentType } })
  const made = await client.POST('/bookings', { body: { guests: ['Grace'] } })
  // @ts-expect-error: the body of v1
  void (() => client.POST('/bookings', { body: { guest: 'Grace' } }))
  const read = await client.GET('/bookings', { params: { header: { 'Content-Type': contentType } } })
  // A body is optional where the route describes none.
  const noted = await client.POST('/notes', { body: { text: 'late' } })
  void (() => client.POST('/notes'))

  const plain = createClient<paths>({ baseUrl })
  const other = await plain.POST('/bookings', { body: { guests: ['Grace'] } })
  return [made, read, noted, other].map(({ data }) => data?.version)
}
`

t.test('a typed client specifies the version in the Content-Type that it is given', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, {
    scheme: ContentTypeVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2']
  })
  await app.register(openapi, { ui: false })
  const response = { 200: object({ version: text }) }
  const answer = async ({ version }: FastifyRequest) => ({ version })
  app.post('/bookings', { version: 'v1', schema: { response } }, answer)
  app.post('/bookings', { version: 'v2', schema: { body: object({ guests: texts }), response } }, answer)
  app.get('/bookings', { schema: { response } }, answer)
  app.post('/notes', { schema: { response } }, answer)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const { ask } = await clientOf(t, app, 'bodies', CLIENT_OF_BODIES)
  t.same(await ask(baseUrl), ['v2', 'v2', 'v2', 'v1'])
})

/** Types know nothing of servers: the client is given the one of the document. */
const CLIENT_OF_HOSTS = `
import createClient from 'openapi-fetch'
import type { paths } from './hosts.ts'

export async function ask (baseUrl: string, fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl, fetch })
  const { data } = await client.GET('/bookings')
  const guests: string[] | undefined = data?.guests
  return guests
}
`

t.test('a typed client specifies the version in the host of the server of the document', async (t) => {
  const app = bareApp(t)
  const baseUrl = 'https://api.example.com'
  await app.register(versioning, { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], baseUrl })
  await app.register(openapi, { ui: false })
  app.get('/bookings', { version: 'v1' }, async () => ({ guest: 'Ada' }))
  app.get('/bookings', { version: 'v2', schema: { response: { 200: object({ guests: texts }) } } }, async () => (
    { guests: ['Ada', 'Grace'] }
  ))
  await app.ready()
  const { ask } = await clientOf(t, app, 'hosts', CLIENT_OF_HOSTS)
  const [server] = app.openapi('v2').servers ?? []
  t.equal(server?.url, 'https://v2.example.com')
  const fetch = async (request: Request) => {
    const { host, pathname } = new URL(request.url)
    const { body, headers } = await app.inject({ url: pathname, headers: { host } })
    return new Response(body, { headers: { 'content-type': String(headers['content-type']) } })
  }
  t.same(await ask(server?.url, fetch), ['Ada', 'Grace'])
})

/** A client of the document of v2, compiled against its types. */
async function clientOf (t: Test, app: FastifyInstance, name: string, source: string) {
  await mkdir(SCRATCH, { recursive: true })
  t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))
  const types = await openapiTS(JSON.stringify(app.openapi('v2')))
  await writeFile(new URL(`${name}.ts`, SCRATCH), astToString(types))
  const client = new URL(`${name}-client.ts`, SCRATCH)
  await writeFile(client, source)
  t.equal(compile(client), '')
  return await import(client.href) as { ask: (...args: unknown[]) => Promise<unknown> }
}

/** What the compiler says of a file. */
function compile (file: URL): string {
  const program = ts.createProgram([fileURLToPath(file)], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true
  })
  const host = { getCanonicalFileName: String, getCurrentDirectory: () => '', getNewLine: () => '\n' }
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host)
}
