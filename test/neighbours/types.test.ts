import { Type, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byPath = { scheme: URLPathVersioning, ...versions }

// In an object: an app is thenable.
async function appsOf (t: Test, options: VersioningOptions) {
  const zod = bareApp(t).withTypeProvider<ZodTypeProvider>()
  zod.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const typebox = bareApp(t).withTypeProvider<TypeBoxTypeProvider>()
  typebox.setValidatorCompiler(TypeBoxValidatorCompiler)
  for (const app of [zod, typebox]) await app.register(versioning, options)
  return { zod, typebox }
}

const links = (id: number, page: number, reply: FastifyReply) => [
  reply.reverse('booking', { id: id + 1 }), reply.reverse(null, null, { query: { page: page + 1 } })
]

t.test('parameters and a query with the types of TypeBox or Zod make links, after a version is refused', async (t) => {
  const { typebox, zod } = await appsOf(t, byQuery)
  const schema = { params: Type.Object({ id: Type.Integer() }), querystring: Type.Object({ page: Type.Integer() }) }
  typebox.get('/bookings/:id', { name: 'booking', schema }, async ({ params, query }, reply) => (
    links(params.id, query.page, reply)
  ))
  const coercing = {
    params: z.object({ id: z.coerce.number() }),
    querystring: z.object({ page: z.coerce.number() }),
    response: { 200: z.array(z.string()), 404: z.object({ bookingId: z.string() }) }
  }
  zod.get('/bookings/:id', { name: 'booking', schema: coercing }, async ({ params, query }, reply) => (
    links(params.id, query.page, reply)
  ))
  for (const app of [typebox, zod]) {
    t.same((await app.inject('/bookings/7?page=1&version=v2')).json(), [
      '/bookings/8?version=v2', '/bookings/7?page=2&version=v2'
    ])
    t.match((await app.inject('/bookings/7?page=first&version=v9')).json(), { code: 'FST_ERR_VERSION_NOT_FOUND' })
  }
})

t.test('a version that a schema removes from the query or path, or transforms, is read as sent', async (t) => {
  const strict = Type.Object({}, { additionalProperties: false })
  const app = await appWith(t, byQuery)
  app.get('/bookings', { schema: { querystring: strict } }, async ({ query, version }) => [query, version])
  t.same((await app.inject('/bookings?version=v2')).json(), [{}, 'v2'])

  const { zod } = await appsOf(t, byPath)
  const params = z.object({ version: z.string().transform((version) => Number(version.slice(1))) })
  zod.get('/:version/bookings', { schema: { params } }, async (request, reply) => (
    [request.params.version, request.version, reply.reverse()]
  ))
  const removing = z.object({ id: z.coerce.number() })
  zod.get('/:version/bookings/:id', { schema: { params: removing } }, async (_request, reply) => reply.reverse())
  t.same((await zod.inject('/v2/bookings')).json(), [2, 'v2', '/v2/bookings'])
  t.equal((await zod.inject('/v2/bookings/7')).body, '/v2/bookings/7')
})

t.test('plugins with the types of TypeBox and of Zod take a namespace', async (t) => {
  const byNamespace = { scheme: NamespaceVersioning, ...versions }
  const typebox: FastifyPluginAsyncTypebox = async (api) => {
    const schema = { params: Type.Object({ id: Type.Integer() }) }
    api.get('/:id', { schema }, async ({ params, version }) => [params.id, version])
  }
  const zod: FastifyPluginAsyncZod = async (api) => {
    const schema = { params: z.object({ id: z.coerce.number() }) }
    api.get('/:id', { schema }, async ({ params, version }) => [params.id, version])
  }
  const apps = await appsOf(t, byNamespace)
  apps.typebox.register(typebox, { prefix: '/v2', namespace: 'v2' })
  apps.zod.register(zod, { prefix: '/v2', namespace: 'v2' })
  for (const app of Object.values(apps)) t.same((await app.inject('/v2/7')).json(), [7, 'v2'])
})
