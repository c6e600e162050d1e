import accepts from '@fastify/accepts'
import fp from 'fastify-plugin'
import { createRequire } from 'node:module'
import t from 'tap'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { appInOrder, orders } from './orders.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

// Its types would give every route of this project the config `serializers`.
const acceptsSerializer = createRequire(import.meta.url)('@fastify/accepts-serializer')
const options = { scheme: QueryParameterVersioning, defaultVersion: 'v1' }

async function types (request: FastifyRequest) {
  return [request.version, request.accepts().types()]
}

/** What the app answers a client that accepts HTML. */
async function answerOf (app: FastifyInstance, url = '/'): Promise<unknown> {
  return (await app.inject({ url, headers: { accept: 'text/html' } })).json()
}

for (const order of orders) {
  t.test(`handlers have the decorators of @fastify/accepts ${order}`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(accepts))
    app.get('/', types)
    t.same(await answerOf(app), ['v1', ['text/html']])
  })

  t.test(`@fastify/accepts ${order} keeps its options`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(accepts, { decorateReply: true }))
    await app.ready()
    t.equal(app.hasReplyDecorator('requestAccepts'), true)
  })

  t.test(`@fastify/accepts may be ${order} where versioning is off`, async (t) => {
    const app = await appInOrder(t, order, { scheme: null }, (app) => app.register(accepts))
    app.get('/', types)
    t.same(await answerOf(app), [null, ['text/html']])
  })

  t.test(`@fastify/accepts-serializer ${order} chooses the serializer`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(acceptsSerializer, {
      serializers: [{ regex: /^text\/html$/, serializer: (body: unknown) => `<p>${String(body)}</p>` }],
      default: 'application/json'
    }))
    app.get('/', async (request, reply) => reply.send([request.version]))
    t.equal((await app.inject({ url: '/', headers: { accept: 'text/html' } })).body, '<p>v1</p>')
  })
}

t.test('handlers have the decorators of @fastify/accepts where no other plugin registers it', async (t) => {
  const app = await appWith(t, options)
  app.get('/', types)
  t.same(await answerOf(app), ['v1', ['text/html']])
})

t.test('a child context may register @fastify/accepts before and after its parent has the plugin', async (t) => {
  const app = bareApp(t)
  async function child (context: FastifyInstance) {
    await context.register(accepts)
    context.get('/', async (request) => request.types())
  }
  app.register(child, { prefix: '/before' })
  await app.register(versioning, options)
  app.register(child, { prefix: '/after' })
  app.get('/', async (request) => request.types())
  for (const url of ['/', '/before', '/after']) t.same(await answerOf(app, url), ['text/html'], url)
})

t.test('a parent context may register @fastify/accepts after its child has the plugin', async (t) => {
  const app = bareApp(t)
  await app.register(async (context) => {
    await context.register(versioning, options)
    context.get('/child', types)
  })
  await app.register(accepts)
  t.same(await answerOf(app, '/child'), ['v1', ['text/html']])
})

t.test('@fastify/accepts and the plugin may be registered inside plugins that share their context', async (t) => {
  const app = bareApp(t)
  app.register(fp(async (context) => { context.register(versioning, options) }))
  await app.register(fp(async (context) => { context.register(accepts) }))
  app.get('/', types)
  t.same(await answerOf(app), ['v1', ['text/html']])
})

t.test('a decorator of the app with a name of @fastify/accepts is kept', async (t) => {
  const app = await appWith(t, options)
  app.decorateRequest('language', () => 'de')
  app.get('/', async (request) => [request.language(), request.types()])
  t.same(await answerOf(app), ['de', ['text/html']])
})
