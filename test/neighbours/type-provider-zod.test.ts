import swagger from '@fastify/swagger'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }

async function typed (t: Test, options: VersioningOptions) {
  const app = bareApp(t).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(versioning, options)
  return { app }
}

t.test('parameters that a Zod schema coerces make a link', async (t) => {
  const { app } = await typed(t, byQuery)
  const params = z.object({ id: z.coerce.number() })
  app.get('/bookings/:id', { name: 'booking', schema: { params } }, async (request, reply) => {
    const id: number = request.params.id
    return [request.version, reply.reverse('booking', request.params), reply.reverse('booking', { id: id + 1 })]
  })
  const response = await app.inject('/bookings/7?version=v2')
  t.same(response.json(), ['v2', '/bookings/7?version=v2', '/bookings/8?version=v2'])
})

t.test('a version that a Zod schema removes from the query is known anyway', async (t) => {
  const { app } = await typed(t, byQuery)
  const querystring = z.object({ page: z.coerce.number() })
  app.get('/bookings', { schema: { querystring } }, async ({ query, version }, reply) => [
    query, version, reply.reverse(null, null, { query: { page: query.page + 1 } })
  ])
  const response = await app.inject('/bookings?page=1&version=v2')
  t.same(response.json(), [{ page: 1 }, 'v2', '/bookings?page=2&version=v2'])
})

t.test('a version is refused before a Zod schema validates the request', async (t) => {
  const { app } = await typed(t, byQuery)
  const querystring = z.object({ page: z.coerce.number() })
  app.get('/bookings', { schema: { querystring } }, async () => '')
  const response = await app.inject('/bookings?page=first&version=v9')
  t.match(response.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
})

t.test('a version that a Zod schema transforms is read, and linked to, as the client wrote it', async (t) => {
  const { app } = await typed(t, { ...versions, scheme: URLPathVersioning })
  const params = z.object({ version: z.string().transform((version) => Number(version.slice(1))) })
  app.get('/:version/bookings', { name: 'bookings', schema: { params } }, async (request, reply) => [
    request.params.version, request.version, reply.reverse('bookings'), reply.reverse()
  ])
  t.same((await app.inject('/v2/bookings')).json(), [2, 'v2', '/v2/bookings', '/v2/bookings'])
})

t.test('a link to the current route has the version that a Zod schema removes from the parameters', async (t) => {
  const { app } = await typed(t, { ...versions, scheme: URLPathVersioning })
  const params = z.object({ id: z.coerce.number() })
  app.get('/:version/bookings/:id', { schema: { params } }, async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/v2/bookings/7')).body, '/v2/bookings/7')
})

t.test('a parameter that a Zod schema makes unfit for a link is not the fault of the client', async (t) => {
  const { app } = await typed(t, byQuery)
  const params = z.object({ day: z.coerce.date() })
  app.get('/calendar/:day', { schema: { params } }, async (_request, reply) => reply.reverse())
  t.not((await app.inject('/calendar/2026-11-01?version=v2')).statusCode, 400)
})

t.test('an answer may have the version and a link by its Zod schema', async (t) => {
  const { app } = await typed(t, byQuery)
  const response = { 200: z.object({ version: z.enum(['v1', 'v2']).nullable(), self: z.string() }) }
  app.get('/bookings', { name: 'bookings', schema: { response } }, async (request, reply) => ({
    version: request.version as 'v1' | 'v2' | null, self: reply.reverse('bookings')
  }))
  t.same((await app.inject('/bookings?version=v2')).json(), { version: 'v2', self: '/bookings?version=v2' })
})

t.test('a context with the types of a Zod plugin accepts a namespace', async (t) => {
  const { app } = await typed(t, { ...versions, scheme: NamespaceVersioning })
  const bookings: FastifyPluginAsyncZod = async (api) => {
    const params = z.object({ id: z.coerce.number() })
    api.get('/bookings/:id', { name: 'booking', schema: { params } }, async ({ params, version }, reply) => [
      version, reply.reverse('booking', params)
    ])
  }
  app.register(bookings, { prefix: '/v2', namespace: 'v2' })
  t.same((await app.inject('/v2/bookings/7')).json(), ['v2', '/v2/bookings/7'])
})

t.test('a document of Zod schemas has no additions of the plugin', async (t) => {
  const { app } = await typed(t, byQuery)
  await app.register(swagger, { openapi: {}, transform: jsonSchemaTransform })
  const params = z.object({ id: z.coerce.number() })
  app.get('/bookings/:id', { name: 'booking', versioning: false, schema: { params } }, async () => '')
  await app.ready()
  const { paths = {} } = app.swagger()
  t.same(Object.keys(paths), ['/bookings/{id}'])
  t.same(Object.keys(paths['/bookings/{id}'] ?? {}), ['get'])
  t.same(Object.keys((paths['/bookings/{id}'] as { get: object }).get).sort(), ['parameters', 'responses'])
})
