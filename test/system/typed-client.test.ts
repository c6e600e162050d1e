import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning } from '../../src/index.ts'
import { typeErrorsOf } from '../fixtures/type-errors.ts'
import { documented, text } from '../openapi/app.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

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
  t.same(await askWith(t, { scheme: AcceptHeaderVersioning }, declareRoutes, CLIENT), {
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
import type { paths } from './v2.ts'

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
  const response = { 200: object({ version: text }) }
  const answer = async ({ version }: FastifyRequest) => ({ version })
  const answers = await askWith(t, { scheme: ContentTypeVersioning, defaultVersion: 'v1' }, (app) => {
    app.post('/bookings', { version: 'v1', schema: { response } }, answer)
    app.post('/bookings', { version: 'v2', schema: { body: object({ guests: texts }), response } }, answer)
    app.get('/bookings', { schema: { response } }, answer)
    app.post('/notes', { schema: { response } }, answer)
  }, CLIENT_OF_BODIES)
  t.same(answers, ['v2', 'v2', 'v2', 'v1'])
})

/** What a client gets, compiled against the types of the documents of v1 and v2. */
async function askWith (
  t: Test, options: VersioningOptions, routes: (app: FastifyInstance) => void, source: string
): Promise<unknown> {
  const app = await documented(t, options, routes)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  // Each client has a folder, because modules are kept.
  const folder = new URL(`${new URL(baseUrl).port}/`, SCRATCH)
  await mkdir(folder, { recursive: true })
  t.teardown(() => rm(SCRATCH, { recursive: true, force: true }))
  for (const version of ['v1', 'v2']) {
    const types = await openapiTS(new URL(`${baseUrl}/documentation/${version}.json`))
    await writeFile(new URL(`${version}.ts`, folder), astToString(types))
  }
  const client = new URL('client.ts', folder)
  await writeFile(client, source)
  t.equal(typeErrorsOf([fileURLToPath(client)], { exactOptionalPropertyTypes: true }), '')
  const { ask } = await import(client.href) as { ask: (baseUrl: string) => Promise<unknown> }
  return ask(baseUrl)
}
