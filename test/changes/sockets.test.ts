import websocket from '@fastify/websocket'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'

import { HeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from '../neighbours/orders.ts'
import { Connection, write } from '../wire/http1.ts'
import { Booking, EXAMPLES, VERSIONS, appWithChanges, ask, guests, room } from './bookings.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Message } from '../wire/message.ts'

const CLIENTS = 50
const REQUESTS = 16
const HOOKS = ['preValidation', 'preHandler', 'preSerialization', 'onSend'] as const

/** The booking of a guest in each version. */
const bookings: Readonly<Record<string, (guest: string) => object>> = {
  v1: (guest) => ({ guest, room: '7' }),
  v2: (guest) => ({ guests: [guest], room: '7' }),
  v3: (guest) => ({ guests: [guest], room: { number: 7 } })
}

/** An app whose hooks and handlers let others go first. */
async function busyApp (t: Test): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes: [guests, room] })
  let count = 0
  // Another number of turns for each request, so that later ones overtake earlier ones.
  async function wait (): Promise<void> {
    for (let turns = (count++ * 7) % 5; turns > 0; turns--) await setImmediate()
  }
  for (const hook of HOOKS) app.addHook(hook as 'preHandler', wait)
  const schema = { body: { $ref: 'Booking#' }, response: { 200: { $ref: 'Booking#' }, 409: { $ref: 'Booking#' } } }
  for (const [url, status] of [['/echo', 200], ['/taken', 409]] as const) {
    app.post(url, { schema }, async (request, reply) => {
      await wait()
      return reply.code(status).send(request.body)
    })
  }
  app.post('/nested', { schema }, async (request) => {
    const [guest] = (request.body as { guests: string[] }).guests
    const inner = await ask(app, 'v1', '/echo', bookings.v1(`${guest} inner`))
    return { guests: [(inner.json() as { guest: string }).guest], room: { number: 7 } }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

t.test('pipelined requests of many clients get their own answers, each in its version', async (t) => {
  const app = await busyApp(t)
  const { port } = app.server.address() as AddressInfo
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    const connection = new Connection(port)
    t.teardown(() => connection.destroy())
    const requests = Array.from({ length: REQUESTS }, (_, i) => {
      const version = VERSIONS[(client + i) % VERSIONS.length]
      const guest = `guest ${i} of client ${client}`
      const path = ['/echo', '/taken', '/nested', '/echo'][(client + i) % 4]
      // A room without a number is not valid in any version.
      const isValid = i % 5 !== 4
      const body = isValid ? bookings[version](guest) : { ...bookings[version](guest), room: guest }
      const message: Message = {
        method: 'POST',
        path,
        host: 'example.com',
        headers: { 'api-version': version, 'content-type': 'application/json' },
        body: JSON.stringify(body)
      }
      const expected = bookings[version](path === '/nested' ? `${guest} inner` : guest)
      return { message, isValid, expected, status: path === '/taken' ? 409 : 200 }
    })
    connection.write(requests.map(({ message }) => write(message)).join(''))
    for (const { message, isValid, expected, status } of requests) {
      const answer = await connection.read('POST')
      const label = `${message.headers['api-version']} ${message.path} ${message.body}`
      t.equal(answer.status, isValid ? status : 400, label)
      if (isValid) t.strictSame(JSON.parse(answer.body), expected, label)
      else t.notMatch(answer.body, / of client /, label)
    }
  }))
})

// Websockets

const schema = { response: { 200: { $ref: 'Booking#' } } }
const feed = (socket: WebSocket) => { socket.send(JSON.stringify(EXAMPLES.v3)) }
const handler = async () => EXAMPLES.v3

for (const order of orders) {
  const appOf = async (t: Test): Promise<FastifyInstance> => {
    const options = { scheme: QueryParameterVersioning, allowedVersions: VERSIONS, changes: [guests, room] }
    const app = await appInOrder(t, order, options, (app) => app.register(websocket))
    return app.addSchema(Booking)
  }

  t.test(`a websocket route that no change touches works next to older routes, with websocket ${order}`, async (t) => {
    const app = await appOf(t)
    app.get('/bookings', { schema }, handler)
    app.get('/feed', { websocket: true }, feed)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const client = new WebSocket(`ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/feed?version=v1`)
    const [message] = await once(client, 'message')
    client.terminate()
    t.same(JSON.parse(String(message)), EXAMPLES.v3)
    t.same((await app.inject('/bookings?version=v1')).json(), EXAMPLES.v1)
  })

  for (const route of [{ websocket: true, handler: feed }, { wsHandler: feed, handler }]) {
    t.test(`a route with ${Object.keys(route)[0]} that a change touches is refused, with it ${order}`, async (t) => {
      const app = await appOf(t)
      app.route({ method: 'GET', url: '/feed', schema, ...route } as unknown as RouteOptions)
      await t.rejects(async () => { await app.ready() }, {
        message: /^Change 'v3' \(A room has .*, GET \/feed, messages: websockets are not converted/
      })
    })
  }
}
