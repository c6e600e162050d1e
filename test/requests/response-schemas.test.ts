import Fastify from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'

const settings = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const strict = { type: 'object', required: ['bookingId'], properties: { bookingId: { type: 'string' } } }
const loose = { type: 'object', properties: { bookingId: { type: 'string' } } }
const refused = { statusCode: 404, code: 'FST_ERR_VERSION_NOT_FOUND', error: 'Not Found', message: /version/ }

const ok = async () => 'ok'

/** An app without schemas answers as Fastify does. */
async function plainBody (): Promise<string> {
  const app = Fastify()
  await app.register(versioning, settings)
  app.get('/', ok)
  return (await app.inject('/?version=v9')).body
}

interface Case { says: string, response: FastifySchema['response'] }

const cases: Case[] = [
  { says: 'that requires a property', response: { 404: strict } },
  { says: 'with other properties', response: { 404: loose } },
  { says: 'for 4xx', response: { '4xx': strict } },
  { says: 'for 4XX', response: { '4XX': strict } },
  { says: 'for all statuses', response: { default: strict } },
  { says: 'for a media type', response: { 404: { content: { 'application/json': { schema: strict } } } } },
  { says: 'for all media types', response: { default: { content: { '*/*': { schema: loose } } } } },
  { says: 'next to another status', response: { 200: { type: 'string' }, 404: strict } },
  { says: 'for another status', response: { 200: { type: 'string' } } }
]

for (const { says, response } of cases) {
  t.test(`a refusal keeps its status and its body with a response schema ${says}`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', { schema: { response } }, ok)
    const { statusCode, body } = await app.inject('/?version=v9')
    t.equal(statusCode, 404)
    t.equal(body, await plainBody())
    const { headers } = await app.inject({ method: 'HEAD', url: '/?version=v9' })
    t.equal(headers['content-length'], `${body.length}`)
  })
}

t.test('a refusal keeps its status where schemas are not JSON schemas, whenever their compiler is set', async (t) => {
  const response = { 404: z.object({ bookingId: z.string() }) }
  const app = await appWith(t, settings)
  app.get('/', { schema: { response } }, ok)
  app.setSerializerCompiler(serializerCompiler)
  app.register(async (context) => {
    context.setSerializerCompiler(() => () => '"of the context"')
    context.get('/context', { schema: { response } }, async (_request, reply) => reply.code(404).send({}))
  })
  app.get('/route', { schema: { response }, serializerCompiler: () => () => '"of the route"' }, async (_, reply) => (
    reply.code(404).send({})
  ))
  t.match((await app.inject('/?version=v9')).json(), refused)
  t.match((await app.inject('/context?version=v9')).json(), refused)
  t.match((await app.inject('/route?version=v9')).json(), refused)
  t.equal((await app.inject('/context?version=v1')).json(), 'of the context')
  t.equal((await app.inject('/route?version=v1')).json(), 'of the route')
})

t.test('a refusal keeps its status if a later onRoute hook adds the response schema', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onRoute', (route) => { route.schema = { response: { 404: strict } } })
  app.get('/', ok)
  t.match((await app.inject('/?version=v9')).json(), refused)
})

type Handle = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => unknown

const own: Handle = (error, _request, reply) => reply.code(404).send({ bookingId: error.code, other: true })
const sent = { bookingId: 'FST_ERR_VERSION_NOT_FOUND' }

/** Error handlers as apps set them: before the plugin, after it, in a context inside, and for a route. */
const handled: Array<{ says: string, setBefore?: Handle, setAfter?: Handle, setInside?: Handle, ofRoute?: Handle }> = [
  { says: 'before the plugin', setBefore: own },
  { says: 'after the plugin', setAfter: own },
  { says: 'in a context inside', setInside: own },
  { says: 'for the route', ofRoute: own },
  { says: 'outside of one that sends the error', setBefore: own, setInside: (error, _, reply) => reply.send(error) },
  { says: 'outside of one that throws the error', setAfter: own, setInside: (error) => { throw error } }
]

async function appHandling (
  app: FastifyInstance, { setBefore, setAfter, setInside, ofRoute }: typeof handled[number]
): Promise<void> {
  if (setBefore !== undefined) app.setErrorHandler(setBefore)
  await app.register(versioning, settings)
  if (setAfter !== undefined) app.setErrorHandler(setAfter)
  await app.register(async (context) => {
    if (setInside !== undefined) context.setErrorHandler(setInside)
    context.get('/', { schema: { response: { 404: strict } }, ...ofRoute && { errorHandler: ofRoute } }, ok)
  })
}

for (const one of handled) {
  t.test(`an error handler set ${one.says} answers refusals, by the response schema`, async (t) => {
    const app = bareApp(t)
    await appHandling(app, one)
    const { statusCode, body } = await app.inject('/?version=v9')
    t.equal(statusCode, 404)
    t.same(JSON.parse(body), sent)
  })
}

t.test('an error handler that sends or throws the refusal has it sent as Fastify sends errors', async (t) => {
  for (const setInside of [(error, _, reply) => reply.send(error), (error) => { throw error }] as Handle[]) {
    const app = bareApp(t)
    await appHandling(app, { says: '', setInside })
    t.match((await app.inject('/?version=v9')).json(), refused)
  }
})

t.test('an error handler whose answer does not match the response schema fails as without the plugin', async (t) => {
  const app = bareApp(t)
  await appHandling(app, { says: '', setInside: (_error, _, reply) => reply.code(404).send({ other: true }) })
  t.equal((await app.inject('/?version=v9')).statusCode, 500)
})

t.test('errors of the app are sent by its response schema', async (t) => {
  const app = await appWith(t, { ...settings, defaultVersion: 'v1' })
  const fail = async () => { throw Object.assign(new Error('none'), { statusCode: 404, bookingId: '7' }) }
  app.get('/strict', { schema: { response: { 404: strict } } }, fail)
  app.get('/loose', { schema: { response: { default: loose } } }, async (_request, reply) => (
    reply.code(404).send({ bookingId: '8', other: true })
  ))
  t.same((await app.inject('/strict')).json(), { bookingId: '7' })
  t.same((await app.inject('/loose')).json(), { bookingId: '8' })
})

for (const status of ['200', '4xx']) {
  t.test(`a child context has its own schemas for a response ${status} after a route of its parent`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/parent', { schema: { response: { [status]: loose } } }, ok)
    app.register(async (child) => {
      child.addSchema({ $id: 'Own', ...loose })
      child.get('/child', { schema: { response: { [status]: { $ref: 'Own#' } } } }, async () => ({ bookingId: '7' }))
    })
    t.same((await app.inject('/child?version=v1')).json(), { bookingId: '7' })
    t.match((await app.inject('/child?version=v9')).json(), refused)
  })
}
