import { Type, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import t from 'tap'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }

interface Compiler { name: string, setCompiler: boolean }

const compilers: Compiler[] = [
  { name: 'Fastify\'s own validator', setCompiler: false },
  { name: 'the validator of TypeBox', setCompiler: true }
]

async function typed (t: Test, setCompiler: boolean, options: VersioningOptions) {
  const app = bareApp(t).withTypeProvider<TypeBoxTypeProvider>()
  if (setCompiler) app.setValidatorCompiler(TypeBoxValidatorCompiler)
  await app.register(versioning, options)
  return { app }
}

for (const { name, setCompiler } of compilers) {
  t.test(`parameters with types from a schema make a link, under ${name}`, async (t) => {
    const { app } = await typed(t, setCompiler, byQuery)
    const params = Type.Object({ id: Type.Integer() })
    app.get('/bookings/:id', { name: 'booking', schema: { params } }, async (request, reply) => {
      const id: number = request.params.id
      return [request.version, reply.reverse('booking', request.params), reply.reverse('booking', { id: id + 1 })]
    })
    const response = await app.inject('/bookings/7?version=v2')
    t.same(response.json(), ['v2', '/bookings/7?version=v2', '/bookings/8?version=v2'])
  })

  t.test(`a query with types from a schema makes a link, under ${name}`, async (t) => {
    const { app } = await typed(t, setCompiler, byQuery)
    const querystring = Type.Object({ page: Type.Integer() })
    app.get('/bookings', { schema: { querystring } }, async ({ query }, reply) => (
      reply.reverse(null, null, { query: { page: query.page + 1 } })
    ))
    t.equal((await app.inject('/bookings?page=1&version=v2')).body, '/bookings?page=2&version=v2')
  })

  t.test(`a version is refused before the request is validated, under ${name}`, async (t) => {
    const { app } = await typed(t, setCompiler, byQuery)
    const querystring = Type.Object({ page: Type.Integer() })
    app.get('/bookings', { schema: { querystring } }, async () => '')
    const response = await app.inject('/bookings?page=first&version=v9')
    t.match(response.json(), { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND' })
  })

  t.test(`the version may be a parameter of the schema, under ${name}`, async (t) => {
    const { app } = await typed(t, setCompiler, { ...versions, scheme: URLPathVersioning })
    const params = Type.Object({ version: Type.Union([Type.Literal('v1'), Type.Literal('v2')]), id: Type.Integer() })
    app.get('/:version/bookings/:id', { schema: { params } }, async (request, reply) => [
      request.params.version, reply.reverse(null, null, { version: 'v1' })
    ])
    t.same((await app.inject('/v2/bookings/7')).json(), ['v2', '/v1/bookings/7'])
  })
}

t.test('a version that a strict schema removes from the query is known anyway', async (t) => {
  const { app } = await typed(t, false, byQuery)
  const querystring = Type.Object({}, { additionalProperties: false })
  app.get('/bookings', { schema: { querystring } }, async (request) => [request.query, request.version])
  t.same((await app.inject('/bookings?version=v2')).json(), [{}, 'v2'])
})

t.test('a link to the current route has the version that a strict schema removes from the parameters', async (t) => {
  const { app } = await typed(t, false, { ...versions, scheme: URLPathVersioning })
  const params = Type.Object({ id: Type.Integer() }, { additionalProperties: false })
  app.get('/:version/bookings/:id', { schema: { params } }, async (_request, reply) => reply.reverse())
  t.equal((await app.inject('/v2/bookings/7')).body, '/v2/bookings/7')
})

t.test('a context with the types of a TypeBox plugin accepts a namespace', async (t) => {
  const { app } = await typed(t, false, { ...versions, scheme: NamespaceVersioning })
  const bookings: FastifyPluginAsyncTypebox = async (api) => {
    const params = Type.Object({ id: Type.Integer() })
    api.get('/bookings/:id', { name: 'booking', schema: { params } }, async ({ params, version }, reply) => [
      version, reply.reverse('booking', params)
    ])
  }
  app.register(bookings, { prefix: '/v2', namespace: 'v2' })
  t.same((await app.inject('/v2/bookings/7')).json(), ['v2', '/v2/bookings/7'])
})
