import { Readable, finished } from 'node:stream'
import t from 'tap'

import versioning, { HeaderVersioning, VersionError } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { EXAMPLES, appWithChanges, guests, inVersion, room } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Change, ResponseChange } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const response = { 200: { $ref: 'Booking#' } }
const text = { type: 'object', properties: { error: { type: 'string' }, text: { type: 'string' } } }
const FAILURE = { statusCode: 500, code: 'FST_ERR_VERSION_CHANGE' }

/** A change of the responses of the route `bookings` in v3. */
function responses (response: { readonly [status: string]: ResponseChange }): Change {
  return { version: 'v3', description: 'Responses changed.', routes: { bookings: { response } } }
}

const older: ResponseChange = {
  older: text, downgrade: ({ message, detail }) => ({ error: `${message}`, text: detail })
}
const message = { type: 'object', properties: { message: { type: 'string' }, detail: { type: 'string' } } }

/** What Fastify answers to requests in `v1` and `v3`. */
async function ask (app: FastifyInstance, version: string, url = '/bookings') {
  return await app.inject(inVersion(version, url))
}

t.test('a handler answers each version in its shape, and may return more than any version has', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema: { response } }, async () => ({ ...EXAMPLES.v3, secret: true }))
  for (const version of ['v1', 'v2', 'v3']) t.same((await ask(app, version)).json(), EXAMPLES[version], version)
})

t.test('a payload is downgraded after all preSerialization hooks', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const add = async (_request: unknown, _reply: unknown, payload: unknown) => {
    const { guests } = payload as { guests: string[] }
    return { ...payload as object, guests: [`<${guests[0]}>`] }
  }
  app.addHook('preSerialization', add)
  app.addHook('onRoute', (route) => { route.preSerialization = [route.preSerialization ?? [], add].flat() as never })
  app.get('/bookings', { schema: { response }, preSerialization: add }, async () => EXAMPLES.v3)
  app.addHook('preSerialization', add)
  t.same((await ask(app, 'v1')).json(), { guest: '<<<<Ada>>>>', room: '7' })
  t.match((await ask(app, 'v3')).json(), { guests: ['<<<<Ada>>>>'] })
})

t.test('a reply or a context with its own serializer gets the downgraded payload', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema: { response } }, async (_request, reply) => {
    return await reply.serializer((payload: unknown) => `own ${JSON.stringify(payload)}`).send(EXAMPLES.v3)
  })
  app.register(async (app) => {
    app.setReplySerializer((payload) => `context ${JSON.stringify(payload)}`)
    app.get('/others', { schema: { response } }, async () => EXAMPLES.v3)
  })
  t.equal((await ask(app, 'v1')).body, `own ${JSON.stringify({ room: '7', guest: 'Ada' })}`)
  t.equal((await ask(app, 'v1', '/others')).body, `context ${JSON.stringify({ room: '7', guest: 'Ada' })}`)
})

t.test('a serializerCompiler of the route and of the context serializes by the older schema', async (t) => {
  const compile = ({ schema }: { schema: unknown }) => (data: unknown) => JSON.stringify({ schema, data })
  for (const place of ['route', 'context']) {
    const app = await appWithChanges(t, { scheme, changes: [responses({ 200: older })] })
    if (place === 'context') app.setSerializerCompiler(compile)
    const own = place === 'route' ? { serializerCompiler: compile } : {}
    app.get('/bookings', {
      name: 'bookings', schema: { response: { 200: message } }, ...own
    }, async () => ({ message: 'a' }))
    t.same((await ask(app, 'v1')).json(), { schema: text, data: { error: 'a' } }, place)
    t.same((await ask(app, 'v3')).json(), { schema: message, data: { message: 'a' } }, place)
  }
})

const SENT: Record<string, () => unknown> = {
  'a string': () => 'text',
  'a Buffer': () => Buffer.from('text'),
  'a stream': () => Readable.from(['text']),
  'a web stream': () => Readable.toWeb(Readable.from(['text'])),
  'a web Response': () => new Response('text', { status: 200 })
}
for (const [label, payload] of Object.entries(SENT)) {
  t.test(`${label} where a downgrade is due is an error of the app, and is never sent`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [guests, room] })
    app.get('/bookings', { schema: { response } }, async (_request, reply) => await reply.send(payload()))
    t.match((await ask(app, 'v1')).json(), FAILURE)
    t.equal((await ask(app, 'v3')).body, 'text')
  })

  for (const [type, status] of [
    ['application/json; charset=utf-8', 500], ['application/problem+json', 500], ['TEXT/JSON', 500],
    ['text/plain; charset=utf-8', 500], ['application/octet-stream', 500],
    ['text/csv', 200], ['application/pdf', 200], ['text/html; charset=utf-8', 200]
  ] as const) {
    t.test(`${label} of the type ${type} is ${status === 200 ? 'sent as it is' : 'never sent'}`, async (t) => {
      const app = await appWithChanges(t, { scheme, changes: [guests, room] })
      app.get('/bookings', { schema: { response } }, async (_request, reply) => {
        const sent = payload()
        if (sent instanceof Response) sent.headers.set('content-type', type)
        return await reply.type(type).send(sent)
      })
      const { statusCode, body } = await ask(app, 'v1')
      t.equal(statusCode, status)
      if (status === 200) t.equal(body, 'text')
      else t.match(JSON.parse(body), FAILURE)
      t.equal((await ask(app, 'v3')).body, 'text')
    })
  }
}

for (const [label, sentOf] of [
  ['a stream', (source: Readable) => source],
  ['a web stream', (source: Readable) => Readable.toWeb(source)],
  ['a web Response', (source: Readable) => new Response(Readable.toWeb(source) as ReadableStream)]
] as const) {
  t.test(`${label} that is not sent because a downgrade is due releases its source`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [guests, room] })
    const source = Readable.from(['text'])
    app.get('/bookings', { schema: { response } }, async (_request, reply) => await reply.send(sentOf(source)))
    const closed = new Promise((resolve) => { finished(source, resolve) })
    t.match((await ask(app, 'v1')).json(), FAILURE)
    await closed
    t.ok(source.destroyed)
  })
}

t.test('an empty payload, and one that an onSend hook has compressed, are sent', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.addHook('onSend', async (_request, reply, payload) => {
    return reply.statusCode === 200 ? Readable.from([Buffer.from(String(payload))]) : payload
  })
  app.get('/bookings', { schema: { response } }, async () => EXAMPLES.v3)
  app.get('/none', { schema: { response } }, async (_request, reply) => await reply.code(204 as 200).send())
  app.get('/away', { schema: { response: { 302: { $ref: 'Booking#' }, ...response } } }, async (_request, reply) => (
    await reply.redirect('/bookings')
  ))
  t.same((await ask(app, 'v1')).json(), EXAMPLES.v1)
  t.equal((await ask(app, 'v1', '/none')).statusCode, 204)
  t.equal((await ask(app, 'v1', '/away')).statusCode, 302)
})

t.test("a HEAD request has the length of the older version's body", async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema: { response } }, async () => EXAMPLES.v3)
  for (const version of ['v1', 'v2', 'v3']) {
    const { headers } = await app.inject({ ...inVersion(version, '/bookings'), method: 'HEAD' })
    t.equal(headers['content-length'], (await ask(app, version)).headers['content-length'], version)
  }
})

const conflict = Object.assign(new Error('full'), { statusCode: 409, detail: 'no room' })

/** How a handler may answer 409, with what an older version has of it. */
const ERRORS: Record<string, (app: FastifyInstance) => void> = {
  thrown: () => {},
  'sent by an error handler as an object': (app) => {
    app.setErrorHandler(async ({ message, detail }: typeof conflict, _request, reply) => (
      await reply.code(409).send({ message, detail })
    ))
  },
  'passed on by an error handler': (app) => {
    app.setErrorHandler((error, _request, reply) => { reply.send(error) })
  },
  'replaced by an error handler': (app) => {
    app.setErrorHandler((error, _request, reply) => {
      reply.send(Object.assign(new Error((error as Error).message), conflict))
    })
  },
  'thrown again by an error handler': (app) => {
    app.setErrorHandler(async () => { throw conflict })
  },
  'compressed by an onSend hook': (app) => {
    app.addHook('onSend', async (_request, _reply, payload) => Readable.from([payload]))
  }
}
for (const [label, prepare] of Object.entries(ERRORS)) {
  t.test(`an error of a status that changed is downgraded, ${label}`, async (t) => {
    const app = await appWithChanges(t, { scheme, changes: [responses({ 409: older })] })
    prepare(app)
    app.get('/bookings', { name: 'bookings', schema: { response: { 409: message } } }, async () => { throw conflict })
    for (let i = 0; i < 2; i++) {
      const v1 = await ask(app, 'v1')
      t.equal(v1.statusCode, 409)
      t.same(v1.json(), { error: 'full', text: 'no room' })
      t.same((await ask(app, 'v3')).json(), { message: 'full', detail: 'no room' })
    }
  })
}

t.test('errors, including errors of Fastify, are downgraded by status class and by status', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [responses({ '4xx': older, default: older })] })
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  app.get('/bookings', {
    name: 'bookings', schema: { querystring, response: { '4xx': message, default: message } }
  }, async () => {
    throw new Error('broken')
  })
  t.same((await ask(app, 'v1', '/bookings?page=x')).json(), { error: 'querystring/page must be integer' })
  t.match((await ask(app, 'v1')).json(), { error: 'broken' })
  t.match((await ask(app, 'v3')).json(), { message: 'broken' })
})

for (const [says, toBytes] of [
  ['a Buffer', async (_request: unknown, _reply: unknown, payload: string) => Buffer.from(payload)],
  ['a stream', async (_request: unknown, _reply: unknown, payload: string) => Readable.from([payload])]
] as const) {
  t.test(`an error body that a hook before the plugin makes ${says} of is an error of the app`, async (t) => {
    const app = bareApp(t)
    app.addHook('onSend', toBytes as never)
    const changes = [responses({ '4xx': older })]
    await app.register(versioning, { scheme, allowedVersions: ['v1', 'v3'], changes })
    app.get('/bookings', { name: 'bookings', schema: { response: { '4xx': message } } }, async ({ query }) => {
      throw 'gone' in Object(query) ? new VersionError('gone', 'Away.') : conflict
    })
    t.match((await ask(app, 'v1')).json(), FAILURE)
    t.match((await ask(app, 'v1', '/bookings?gone')).json(), { statusCode: 410, message: 'Away.' }, 'but no refusal')
    t.same((await ask(app, 'v3')).json(), { message: 'full', detail: 'no room' })
  })
}

t.test('a failed downgrade is a 500, whatever the status was and whoever answers it', async (t) => {
  const trimmed: ResponseChange = { downgrade: ({ message }) => ({ message: message.trim() }) }
  const app = await appWithChanges(t, { scheme, changes: [responses({ 409: trimmed })] })
  app.setErrorHandler((error: Error, _request, reply) => { reply.send({ message: error.message }) })
  for (const [url, payload] of [['/object', {}], ['/text', '{}']] as const) {
    app.get(url, { name: 'bookings', schema: { response: { 409: message } } }, async (_request, reply) => (
      await reply.code(409).send(payload as object)
    ))
  }
  for (const url of ['/object', '/text']) t.equal((await ask(app, 'v1', url)).statusCode, 500, url)
})

t.test('a failed downgrade is not explained to the client', async (t) => {
  const broken: ResponseChange = { downgrade: () => { throw new Error('secret') } }
  for (const statuses of [{ 200: broken }, { 200: broken, '5xx': broken }, { 200: broken, default: broken }]) {
    const app = await appWithChanges(t, { scheme, changes: [responses(statuses)] })
    const schemas = Object.fromEntries(Object.keys(statuses).map((status) => [status, message]))
    app.get('/bookings', { name: 'bookings', schema: { response: schemas } }, async () => ({ message: 'a' }))
    const { statusCode, body } = await ask(app, 'v1')
    t.equal(statusCode, 500)
    t.notMatch(body, /secret/)
  }
})

t.test('an error of a hook before the plugin has the newest shape, because the version is not known yet', async (t) => {
  const app = bareApp(t)
  app.addHook('onRequest', async () => { throw conflict })
  await app.register(versioning, { scheme, allowedVersions: ['v1', 'v3'], changes: [responses({ 409: older })] })
  app.get('/bookings', { name: 'bookings', schema: { response: { 409: message } } }, async () => '')
  t.same((await ask(app, 'v1')).json(), { message: 'full', detail: 'no room' })
})
