import { Readable, finished } from 'node:stream'
import t from 'tap'

import versioning, { HeaderVersioning, VersionError } from '../../src/index.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { EXAMPLES, appWithChanges, ask, guests, ofRoute, room } from './bookings.ts'

import type { FastifyInstance, FastifyReply, RouteHandlerMethod, RouteShorthandOptions } from 'fastify'
import type { Test } from 'tap'
import type { ResponseChange, VersioningOptions } from '../../types/index.d.ts'

const scheme = HeaderVersioning
const response = { 200: { $ref: 'Booking#' } }
const object = (...names: string[]) => (
  { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
)
const FAILURE = { statusCode: 500, code: 'FST_ERR_VERSION_CHANGE' }
const newest = async () => EXAMPLES.v3

const older: ResponseChange = {
  older: object('error', 'text'), downgrade: ({ message, detail }) => ({ error: `${message}`, text: detail })
}
const message = object('message', 'detail')

/** An app whose handler answers bookings. */
async function bookingApp (t: Test, handler: RouteHandlerMethod = newest): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  app.get('/bookings', { schema: { response } }, handler)
  return app
}

/** An app whose responses have changed in v3; `prepare` runs before the route is declared. */
async function changedApp (
  t: Test, statuses: { readonly [status: string]: ResponseChange }, handler: RouteHandlerMethod,
  prepare: (app: FastifyInstance) => unknown = () => {}, options: RouteShorthandOptions = {},
  more: VersioningOptions = {}
): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme, changes: [ofRoute({ response: statuses })], ...more })
  prepare(app)
  const schema = { response: Object.fromEntries(Object.keys(statuses).map((status) => [status, message])) }
  app.get('/bookings', { name: 'bookings', schema, ...options }, handler)
  return app
}

t.test('a payload is downgraded after all preSerialization hooks', async (t) => {
  const app = await appWithChanges(t, { scheme, changes: [guests, room] })
  const add = async (_request: unknown, _reply: unknown, payload: unknown) => {
    const { guests } = payload as { guests: string[] }
    return { ...payload as object, guests: [`<${guests[0]}>`] }
  }
  app.addHook('preSerialization', add)
  app.addHook('onRoute', (route) => { route.preSerialization = [route.preSerialization ?? [], add].flat() as never })
  app.get('/bookings', { schema: { response }, preSerialization: add }, newest)
  app.addHook('preSerialization', add)
  t.same((await ask(app, 'v1')).json(), { guest: '<<<<Ada>>>>', room: '7' })
  t.match((await ask(app, 'v3')).json(), { guests: ['<<<<Ada>>>>'] })
})

t.test('a reply or a context with its own serializer gets the downgraded payload', async (t) => {
  const app = await bookingApp(t, async (_request, reply) => {
    return await reply.serializer((payload: unknown) => `own ${JSON.stringify(payload)}`).send(EXAMPLES.v3)
  })
  app.register(async (app) => {
    app.setReplySerializer((payload) => `context ${JSON.stringify(payload)}`)
    app.get('/others', { schema: { response } }, newest)
  })
  t.equal((await ask(app, 'v1')).body, 'own {"room":"7","guest":"Ada"}')
  t.equal((await ask(app, 'v1', '/others')).body, 'context {"room":"7","guest":"Ada"}')
})

for (const place of ['route', 'context']) {
  t.test(`a serializerCompiler of the ${place} serializes by the older schema`, async (t) => {
    const compile = ({ schema }: { schema: unknown }) => (data: unknown) => JSON.stringify({ schema, data })
    const own = place === 'route' ? { serializerCompiler: compile } : {}
    const app = await changedApp(t, { 200: older }, async () => ({ message: 'a' }), (app) => {
      if (place === 'context') app.setSerializerCompiler(compile)
    }, own)
    t.same((await ask(app, 'v1')).json(), { schema: older.older, data: { error: 'a' } })
    t.same((await ask(app, 'v3')).json(), { schema: message, data: { message: 'a' } })
  })
}

/** What a handler may send of a stream of text, or without it. */
const SENT: readonly (readonly [label: string, payload: (source: Readable) => unknown, isStream?: boolean])[] = [
  ['a string', () => 'text'],
  ['a Buffer', () => Buffer.from('text')],
  ['a web Response with a text', () => new Response('text')],
  ['a stream', (source) => source, true],
  ['a web stream', (source) => Readable.toWeb(source), true],
  ['a web Response', (source) => new Response(Readable.toWeb(source) as ReadableStream), true]
]
for (const [label, payload, isStream = false] of SENT) {
  for (const [type, status] of [
    ['', 500], ['application/json; charset=utf-8', 500], ['application/problem+json', 500], ['TEXT/JSON', 500],
    ['text/plain; charset=utf-8', 500], ['application/octet-stream', 500],
    ['text/csv', 200], ['application/pdf', 200], ['text/html; charset=utf-8', 200]
  ] as const) {
    t.test(`${label} of the type "${type}" is ${status === 200 ? 'sent as it is' : 'never sent'}`, async (t) => {
      const sources: Readable[] = []
      const app = await bookingApp(t, async (_request, reply) => {
        const source = Readable.from(['text'])
        sources.push(source)
        const sent = payload(source)
        if (type !== '') reply.type(type)
        if (type !== '' && sent instanceof Response && !isStream) sent.headers.set('content-type', type)
        return await reply.send(sent)
      })
      const { statusCode, body } = await ask(app, 'v1')
      t.equal(statusCode, status)
      if (status === 200) t.equal(body, 'text')
      else t.match(JSON.parse(body), FAILURE)
      if (isStream && status === 500) await new Promise((resolve) => { finished(sources[0], resolve) })
      t.equal(sources[0].destroyed, isStream, 'the source is released')
      t.equal((await ask(app, 'v3')).body, 'text')
    })
  }
}

t.test('a text is sent as it is where the route describes it next to JSON', async (t) => {
  const app = await bookingApp(t)
  const content = { 'application/json': { schema: { $ref: 'Booking#' } }, 'text/plain': { schema: { type: 'string' } } }
  const schema = { response: { 200: { content } } }
  app.get('/text', { schema }, (_request, reply) => reply.type('text/plain').send('a'))
  t.equal((await ask(app, 'v1', '/text')).body, 'a')
})

t.test('an empty payload, and one that an onSend hook has compressed, are sent', async (t) => {
  const app = await bookingApp(t)
  app.addHook('onSend', async (_request, reply, payload) => (
    reply.statusCode === 200 ? Readable.from([Buffer.from(String(payload))]) : payload
  ))
  app.get('/none', { schema: { response } }, async (_request, reply) => await reply.code(204 as 200).send())
  app.get('/away', { schema: { response: { 302: { $ref: 'Booking#' }, ...response } } }, async (_request, reply) => (
    await reply.redirect('/bookings')
  ))
  t.same((await ask(app, 'v1')).json(), EXAMPLES.v1)
  t.equal((await ask(app, 'v1', '/none')).statusCode, 204)
  t.equal((await ask(app, 'v1', '/away')).statusCode, 302)
})

const conflict = Object.assign(new Error('full'), { statusCode: 409, detail: 'no room' })
const refuse = async () => { throw conflict }

/** How a handler may answer 409, with what an older version has of it. */
const ERRORS: Record<string, (app: FastifyInstance) => void> = {
  'replaced by an error handler': (app) => {
    app.setErrorHandler((error, _request, reply) => {
      reply.send(Object.assign(new Error((error as Error).message), conflict))
    })
  },
  'thrown again by an error handler': (app) => { app.setErrorHandler(refuse) },
  'compressed by an onSend hook': (app) => {
    app.addHook('onSend', async (_request, _reply, payload) => Readable.from([payload]))
  }
}
for (const [label, prepare] of Object.entries(ERRORS)) {
  t.test(`an error of a status that changed is downgraded, ${label}`, async (t) => {
    const app = await changedApp(t, { 409: older }, refuse, prepare)
    for (let i = 0; i < 2; i++) {
      const v1 = await ask(app, 'v1')
      t.same([v1.statusCode, v1.json()], [409, { error: 'full', text: 'no room' }])
      t.same((await ask(app, 'v3')).json(), { message: 'full', detail: 'no room' })
    }
  })
}

t.test('errors, including errors of Fastify, are downgraded by status class and by status', async (t) => {
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  const fail = async () => { throw new Error('broken') }
  const app = await changedApp(t, { '4xx': older, default: older }, fail, () => {}, {
    schema: { querystring, response: { '4xx': message, default: message } }
  })
  t.same((await ask(app, 'v1', '/bookings?page=x')).json(), { error: 'querystring/page must be integer' })
  t.match((await ask(app, 'v1')).json(), { error: 'broken' })
  t.match((await ask(app, 'v3')).json(), { message: 'broken' })
})

/** An app with hooks before the plugin, and errors that have changed. */
async function appAfter (t: Test, status: string, hook: (app: FastifyInstance) => unknown): Promise<FastifyInstance> {
  const app = bareApp(t)
  hook(app)
  const changes = [ofRoute({ response: { [status]: older } })]
  await app.register(versioning, { scheme, allowedVersions: ['v1', 'v3'], changes })
  app.get('/bookings', { name: 'bookings', schema: { response: { [status]: message } } }, async ({ query }) => {
    throw 'gone' in Object(query) ? new VersionError('gone', 'Away.') : conflict
  })
  return app
}

for (const toBytes of [(payload: string) => Buffer.from(payload), (payload: string) => Readable.from([payload])]) {
  t.test(`an error body that a hook before the plugin makes bytes of is an error of the app: ${toBytes}`, async (t) => {
    const app = await appAfter(t, '4xx', (app) => {
      app.addHook('onSend', async (_request, _reply, payload: string) => toBytes(payload))
    })
    t.match((await ask(app, 'v1')).json(), FAILURE)
    t.match((await ask(app, 'v1', '/bookings?gone')).json(), { statusCode: 410, message: 'Away.' }, 'but no refusal')
    t.same((await ask(app, 'v3')).json(), { message: 'full', detail: 'no room' })
  })
}

const explain = ({ message }: Error, _request: unknown, reply: FastifyReply) => { reply.send({ message }) }
const broken = { downgrade: () => { throw new Error('secret') } }
for (const [payload, ...statuses] of [['{}', '200'], [{}, '200'], [{}, '200', '5xx'], [{}, 'default']] as const) {
  for (const errorHandler of [undefined, explain]) {
    const label = `${JSON.stringify(payload)}, ${statuses.join(' and ')}, ${errorHandler?.name}`
    t.test(`a failed downgrade is a 500 that does not say why: ${label}`, async (t) => {
      const changed = Object.fromEntries(statuses.map((status) => [status, broken]))
      const app = await changedApp(t, changed, async () => payload, () => {}, { ...errorHandler && { errorHandler } })
      const { statusCode, body } = await ask(app, 'v1')
      t.equal(statusCode, 500)
      t.notMatch(body, /secret/)
    })
  }
}

for (const [status, expected] of [['500', { text: 'Late.' }], ['4xx', { message: 'Late.' }]] as const) {
  t.test(`an error that follows a payload has the schema of its own status if that of ${status} changed`, async (t) => {
    const late = { older: object('text'), downgrade: ({ message }: Error) => ({ text: message }) }
    const changes = [{ ...ofRoute({ response: { [status]: late } }), schemas: guests.schemas }]
    const app = await appWithChanges(t, { scheme, changes })
    app.addHook('onSend', async (_request, _reply, payload: string) => {
      if (payload.includes('guest')) throw new Error('Late.')
      return payload
    })
    app.get('/bookings', { name: 'bookings', schema: { response: { ...response, [status]: message } } }, newest)
    const { statusCode, body } = await ask(app, 'v1')
    t.equal(statusCode, 500)
    t.match(JSON.parse(body), expected)
  })
}

t.test('an error handler answers by the schema of its own status if the older schema fails', async (t) => {
  const failing = { older: { ...object('name'), required: ['name'] }, downgrade: () => ({}) }
  const app = await changedApp(t, { 200: failing }, async () => ({ name: 'Ada' }), () => {}, {
    schema: { response: { 200: object('name'), 500: object('message') } },
    errorHandler: (_error, _request, reply) => { reply.code(500).send({ message: 'Late.', more: 1 }) }
  })
  t.same((await ask(app, 'v1')).json(), { message: 'Late.' })
})

for (const answer of [undefined, explain]) {
  t.test(`a refusal keeps its status if its body cannot be downgraded: ${answer?.name}`, async (t) => {
    const lifecycle = { v1: { deprecated: '2024-01-01', sunset: '2025-01-01' } }
    const app = await changedApp(t, { '4xx': broken }, newest, (app) => {
      if (answer) app.setErrorHandler((error: Error, request, reply) => { answer(error, request, reply.code(410)) })
    }, {}, { enforceSunset: true, lifecycle })
    const { statusCode, body } = await ask(app, 'v1')
    t.equal(statusCode, 410)
    t.match(body, answer ? 'A change between versions failed.' : "Version 'v1' was retired on ")
  })
}

t.test('an error of a hook before the plugin has the newest shape, because the version is not known yet', async (t) => {
  const app = await appAfter(t, '409', (app) => app.addHook('onRequest', refuse))
  t.same((await ask(app, 'v1')).json(), { message: 'full', detail: 'no room' })
})

/** What an older response refuses, and how its serializer says it. */
const id = { ...object('id'), required: ['id'] }
const WRONG: [title: string, older: object, answer: unknown, message: string][] = [
  ['a missing property', id, {}, '"id" is required!'],
  ['a wrong type', { type: 'object', properties: { at: { type: 'array' } } }, { at: 7 }, 'does not match schema'],
  ['no alternative', { anyOf: [id, { type: 'null' }] }, { a: 1 }, 'does not match schema']
]
for (const [title, older, answer, message] of WRONG) {
  for (const status of [200, 409]) {
    t.test(`a change whose downgrade the older schema refuses is at fault: ${title}, ${status}`, async (t) => {
      const errors: Error[] = []
      const app = await changedApp(t, { [status]: { older, downgrade: () => answer } }, async () => {
        if (status === 200) return {}
        throw Object.assign(new Error('taken'), { statusCode: 409 })
      }, (app) => app.addHook('onError', async (_request, _reply, error) => { errors.push(error) }))
      t.match((await ask(app, 'v1')).json(), FAILURE)
      const subject = `Change 'v3' (A route changed.), GET /bookings, response ${status}`
      const blamed = `${subject}: the older schema refuses what it made.`
      t.match(errors.at(-1)?.cause, { message: blamed, cause: { message } })
    })
  }
}
