import t from 'tap'

import versioning, { HeaderVersioning, NamespaceVersioning } from '../../src/index.ts'
import { dropReport } from '../../src/testing/index.ts'
import usage from '../../src/usage/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const object = (properties: object = {}) => ({ type: 'object', properties })
const text = { type: 'string' }
const answering = (schema: object) => ({ response: { 200: schema } })
const VERSIONS = ['v1', 'v2', 'v3']

/** A change that passes values on. */
const change = (version: string, description: string, older: object = object({ guest: text })): Change => ({
  version, description, schemas: { Booking: { older, downgrade: (value: object) => value } }
})
const several = change('v2', 'A booking has several guests.')
const rooms = change('v3', 'A booking has a room.')

async function ready (t: Test, options: VersioningOptions, declare: (app: FastifyInstance) => void) {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: VERSIONS, ...options })
  declare(app)
  await app.ready()
  return app
}

function declareBooking (app: FastifyInstance) {
  app.addSchema({ $id: 'Booking', ...object({ guests: { type: 'array' }, room: text }) })
  app.get('/booking', { name: 'booking', schema: answering({ $ref: 'Booking#' }) }, async () => ({}))
}

const EMPTY = { handlers: [], lists: [], changes: [], schemas: [], calls: [], watched: [], stays: [] }

t.test('a version that nothing else needs is in the options alone', async (t) => {
  const app = await ready(t, {}, (app) => { app.get('/', ok) })
  t.strictSame(dropReport(app, 'v1'), { version: 'v1', ...EMPTY, options: ['allowedVersions'] })
})

t.test('routes that serve only this version go, and routes that list it are named', async (t) => {
  const app = await ready(t, {}, (app) => {
    app.get('/prices', { version: 'v1' }, ok)
    app.get('/prices', { version: { from: 'v2' } }, ok)
    app.get('/old', { version: { to: 'v1' } }, ok)
    app.get('/list', { version: ['v1', 'v3'] }, ok)
    app.get('/range', { version: { to: 'v2' } }, ok)
    app.get('/covered', { version: ['v2', 'v3'] }, ok)
    app.get('/covered', ok)
    app.get('/later', { version: ['v2', 'v3'] }, ok)
    app.get('/all', ok)
    app.get('/health', { versioning: false }, ok)
  })
  const { handlers, lists } = dropReport(app, 'v1')
  t.strictSame(handlers, ['GET /prices', 'GET /old', 'GET /covered'])
  t.strictSame(lists, ['GET /list', 'GET /range'])
  t.strictSame(dropReport(app, 'v2').lists, ['GET /prices', 'GET /range', 'GET /covered', 'GET /later'])
})

t.test('the routes of a namespace go with its version', async (t) => {
  const app = await ready(t, { scheme: NamespaceVersioning }, (app) => {
    for (const version of VERSIONS) {
      app.register(async (api) => { api.get('/rooms', ok) }, { prefix: `/${version}`, namespace: version })
    }
  })
  t.strictSame(dropReport(app, 'v1').handlers, ['GET /v1/rooms'])
})

t.test('changes of the next version go with the oldest, and their older schemas', async (t) => {
  const closed = { ...object({ page: text }), additionalProperties: false }
  const query: Change = {
    version: 'v2',
    description: 'Pages have a cursor.',
    routes: {
      booking: { older: { query: closed }, query: { upgrade: (value: object) => value } },
      bookings: { response: { 200: { downgrade: (value: object) => value } } }
    }
  }
  const app = await ready(t, { changes: [several, query, rooms] }, (app) => {
    app.addSchema({ $id: 'Booking', ...object() })
    const schema = { querystring: object({ cursor: text }), ...answering({ $ref: 'Booking#' }) }
    app.get('/booking', { name: 'booking', schema }, ok)
    app.get('/bookings', { name: 'bookings', schema: answering(object()) }, ok)
  })
  const { changes, stays } = dropReport(app, 'v1')
  t.strictSame(changes, [
    { version: 'v2', description: 'A booking has several guests.', schemas: ['Booking'] },
    { version: 'v2', description: 'Pages have a cursor.', schemas: ['booking query'] }
  ])
  t.strictSame(stays, [])
})

t.test('changes of a version between others stay, under the next version', async (t) => {
  const app = await ready(t, { changes: [several, rooms] }, declareBooking)
  const { changes, stays } = dropReport(app, 'v2')
  t.strictSame(changes, [])
  t.strictSame(stays, [
    "'v2' is not the oldest version: 'v1' can still be asked for.",
    "Keep the changes of 'v2', and give them the version 'v3'.",
    "Keep the changes of 'v3': they make the values of older versions, too.",
    "Make the two changes of 'Booking' one change, whose functions call both."
  ])
})

t.test('what is said to stay makes an app without the version, which answers as before', async (t) => {
  const renamed = (version: string, from: string, to: string): Change => ({
    version,
    description: `${from} is ${to}.`,
    schemas: {
      Booking: {
        older: object({ [from]: text }),
        downgrade: (value) => ({ [from]: (value as Record<string, unknown>)[to] })
      }
    }
  })
  const [first, second] = [renamed('v2', 'a', 'b'), renamed('v3', 'b', 'c')]
  const declare = (app: FastifyInstance) => {
    app.addSchema({ $id: 'Booking', ...object({ c: text }) })
    app.get('/', { schema: answering({ $ref: 'Booking#' }) }, async () => ({ c: 'x' }))
  }
  const [toV1, toV2] = [first, second].map(({ schemas }) => schemas!.Booking.downgrade!)
  const joined: Change = {
    ...first,
    version: 'v3',
    schemas: { Booking: { ...first.schemas!.Booking, downgrade: (value) => toV1(toV2(value)) } }
  }
  const apps = [
    await ready(t, { changes: [first, second] }, declare),
    await ready(t, { changes: [joined], allowedVersions: ['v1', 'v3'] }, declare)
  ]
  for (const app of apps) t.equal((await app.inject({ url: '/', headers: { 'api-version': 'v1' } })).body, '{"a":"x"}')
})

t.test('changes stay where only one of two versions has some', async (t) => {
  const before = await ready(t, { changes: [several] }, declareBooking)
  t.match(dropReport(before, 'v2').stays.slice(1), ["Keep the changes of 'v2', and give them the version 'v3'."])
  const after = await ready(t, { changes: [rooms] }, declareBooking)
  t.match(dropReport(after, 'v2').stays.slice(1), ["Keep the changes of 'v3': they make"])
  t.match(dropReport(after, 'v1'), { stays: [], changes: [] })
  t.equal(dropReport(await ready(t, {}, declareBooking), 'v2').stays.length, 1)
})

t.test('contexts with other versions have changes of their own', async (t) => {
  const app = await ready(t, { changes: null, allowedVersions: VERSIONS }, (app) => {
    app.get('/', ok)
    app.register(async (api) => {
      await api.register(versioning, { allowedVersions: ['v2', 'v3'], changes: [rooms] })
      declareBooking(api)
    })
  })
  const { changes, stays } = dropReport(app, 'v2')
  t.strictSame(changes.map(({ version }) => version), ['v3'])
  t.equal(stays.length, 1)
  t.match(dropReport(app, 'v1'), { changes: [], stays: [] })
})

t.test('handlers are written for the newest version, so that its changes stay', async (t) => {
  const app = await ready(t, { changes: [several, rooms] }, declareBooking)
  t.strictSame(dropReport(app, 'v3').stays, [
    "'v3' is not the oldest version: 'v1', 'v2' can still be asked for.",
    "Keep the changes of 'v3', until handlers and schemas are written for 'v2'."
  ])
})

t.test('shared schemas go that only its routes and older schemas refer to', async (t) => {
  const older = object({ guest: { $ref: 'GuestV1#' }, note: { $ref: 'Note#/properties/text' } })
  const log = { older: object(), downgrade: (value: object) => value, outside: true }
  const changes = [
    change('v2', 'A booking has several guests.', older),
    { version: 'v2', description: 'Logs have levels.', schemas: { Log: log } }
  ]
  const events = { made: { $ref: 'Event#' } }
  const app = await ready(t, { changes, events }, (app) => {
    const ids = ['Event', 'NeverUsed', 'Log', 'Health', 'Money']
    for (const $id of ids) app.addSchema({ $id, ...object() })
    app.addSchema({ $id: 'GuestV1', ...object({ name: { $ref: 'NameV1#' } }) })
    app.addSchema({ $id: 'NameV1', ...object({ guest: { $ref: 'GuestV1#' } }) })
    app.addSchema({ $id: 'Note', ...object({ text }) })
    app.addSchema({ $id: 'Booking', ...object() })
    app.addSchema({ $id: 'PriceV1', ...object({ money: { $ref: 'Money#' }, health: { $ref: 'Health#' } }) })
    app.get('/booking', { schema: answering({ $ref: 'Booking#' }) }, ok)
    app.get('/prices', { version: 'v1', schema: answering({ type: 'array', items: { $ref: 'PriceV1#' } }) }, ok)
    app.get('/logs', { version: 'v1', writtenFor: 'v3', schema: answering({ $ref: 'Log#' }) }, ok)
    app.get('/made', { version: 'v1', schema: answering({ $ref: 'Event#' }) }, ok)
    app.get('/prices', { version: ['v2', 'v3'], schema: answering(object({ money: { $ref: 'Money#' } })) }, ok)
    app.get('/health', { versioning: false, schema: answering({ $ref: 'Health#' }) }, ok)
  })
  t.strictSame(dropReport(app, 'v1').schemas, ['PriceV1', 'GuestV1', 'Note', 'NameV1'])
})

t.test('options that name the version are listed', async (t) => {
  const options = { defaultVersion: 'v1', lifecycle: { v1: { sunset: '2030-01-01' } } }
  const app = await ready(t, options, (app) => { app.get('/', ok) })
  t.strictSame(dropReport(app, 'v1').options, ['allowedVersions', 'defaultVersion', 'lifecycle'])
  t.strictSame(dropReport(app, 'v2').options, ['allowedVersions'])
})

t.test('an app that has only events has versions', async (t) => {
  const event = { ...several, schemas: { Booking: { ...several.schemas!.Booking, outside: true } } }
  const app = await ready(t, { changes: [event], events: { made: { $ref: 'Booking#' } } }, (app) => {
    app.addSchema({ $id: 'Booking', ...object() })
  })
  const { changes, options } = dropReport(app, 'v1')
  t.strictSame(changes.map(({ schemas }) => schemas), [['Booking']])
  t.strictSame(options, ['allowedVersions'])
})

t.test('a version without allowedVersions has no order', async (t) => {
  const app = await ready(t, { allowedVersions: undefined }, (app) => { app.get('/', { version: 'v1' }, ok) })
  t.match(dropReport(app, 'v1'), { handlers: ['GET /'], options: [], stays: [] })
})

t.test('calls of isVersion and comparisons are found in handlers and hooks', async (t) => {
  const app = await ready(t, {}, (app) => {
    app.addHook('preHandler', async ({ isVersion }) => { isVersion({ from: 'v1', to: 'v2' }) })
    const errorHandler = (_error: Error, request: FastifyRequest) => request.version === 'v1' ? 'old' : 'new'
    app.get('/one', { errorHandler }, async (request) => request.isVersion('v1') || request.isVersion(['v2', 'v1']))
    const preHandler = async (request: FastifyRequest) => { request.isVersion({ to: 'v1' }) }
    app.get('/two', { preHandler }, async (request) => {
      switch (request.version) { case 'v1': return 1 }
      if (['v2', 'v1'].includes(request.version as string)) return ['v1'].includes(request.method)
      return request.isVersion('v2') || request.isVersion('v11') || request.version !== 'v1'
    })
    app.get('/gone', { version: 'v1' }, async (request) => request.isVersion('v1'))
  })
  const found = dropReport(app, 'v1').calls.map(({ route, call }) => `${route} ${call.replaceAll('"', "'")}`)
  t.strictSame(found.map((call) => call.replaceAll(' ', '')).toSorted(), [
    "GET/oneisVersion('v1')",
    "GET/oneisVersion(['v2','v1'])",
    "GET/oneisVersion({from:'v1',to:'v2'})",
    "GET/oneversion==='v1'",
    "GET/two['v2','v1'].includes(request.version",
    "GET/twocase'v1'",
    "GET/twoisVersion({to:'v1'})",
    "GET/twoversion!=='v1'"
  ])
})

t.test('calls are found that have other calls among their arguments', async (t) => {
  const app = await ready(t, {}, (app) => {
    const load = (...some: unknown[]) => some
    app.get('/before', async ({ server, params }) => server.upgrade('Booking', load(Object(params).id), 'v1'))
    app.get('/after', async ({ server }) => server.merge('Booking', {}, 'v1' as never, String(load(load('v2')))))
    app.get('/other', async ({ server, version }) => server.upgrade('Booking', load('v1'), version as string))
  })
  const found = dropReport(app, 'v1').calls.map(({ call }) => call.replaceAll('"', "'").replaceAll(' ', ''))
  t.strictSame(found, [
    "upgrade('Booking',load(Object(params).id),'v1')",
    "merge('Booking',{},'v1',String(load(load('v2'))))"
  ])
})

t.test('links and events in a version are found, and ranges that are always true without it', async (t) => {
  const declare = (app: FastifyInstance) => {
    app.get('/range', async (request) => request.isVersion({ from: 'v2' }) || request.isVersion({ from: 'v3' }))
    app.get('/link', { name: 'link' }, async (_request, reply) => reply.reverse('link', null, { version: 'v1' }))
    app.get('/query', async (_request, reply) => reply.reverse('link', null, { query: Object({}), version: 'v1' }))
    app.get('/name', async (_request, reply) => reply.reverse('v1:link'))
    app.get('/event', async ({ server }) => server.downgrade('Booking', {}, 'v1'))
  }
  const app = await ready(t, {}, declare)
  const callsOf = (version: 'v1' | 'v2') => dropReport(app, version).calls.map(({ route, call }) => (
    `${route} ${call.replaceAll('"', "'")}`.replaceAll(' ', '')
  ))
  t.strictSame(callsOf('v1'), [
    "GET/rangeisVersion({from:'v2'})",
    "GET/linkreverse('link',null,{version:'v1'})",
    "GET/queryreverse('link',null,{query:Object({}),version:'v1'})",
    "GET/namereverse('v1:link')",
    "GET/eventdowngrade('Booking',{},'v1')"
  ])
  t.strictSame(callsOf('v2'), ["GET/rangeisVersion({from:'v2'})"])
})

t.test('what usage has seen to read the version is listed, unless its source says it', async (t) => {
  const app = bareApp(t)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS })
  await app.register(usage)
  const name = ['v', 1].join('')
  const isOld = (request: FastifyRequest) => request.isVersion(name)
  app.get('/service', async (request) => isOld(request))
  app.get('/source', async (request) => request.isVersion('v1'))
  app.get('/equal', ok)
  await app.ready()
  t.strictSame(dropReport(app, 'v1').watched, [])
  for (const url of ['/service', '/source', '/equal']) await app.inject({ url, headers: { 'api-version': 'v2' } })
  t.strictSame(dropReport(app, 'v1').watched, ['GET /service'])
})

t.test('an unknown version is an error with a near name', async (t) => {
  const app = await ready(t, {}, (app) => { app.get('/', ok) })
  const code = 'FST_ERR_VERSIONING_OPTION'
  t.throws(() => dropReport(app, 'V1'), { code, message: /^Invalid "version": .* got 'V1'\. Did you mean 'v1'\?/ })
  t.throws(() => dropReport(app, undefined as never), { code, message: /got undefined/ })
})

t.test('an app that is not ready, or has no versions, is an error', async (t) => {
  const message = /^Await app\.ready\(\) before dropReport\(\)/
  t.throws(() => dropReport(bareApp(t), 'v1'), { message })
  t.throws(() => dropReport(Object(null), 'v1'), { message })
  t.throws(() => dropReport(null as never, 'v1'), { message })
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: VERSIONS })
  t.throws(() => dropReport(app, 'v1'), { message })
})
