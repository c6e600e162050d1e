import websocket from '@fastify/websocket'
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from '../neighbours/orders.ts'
import { Booking, EXAMPLES, VERSIONS, guests, room } from './bookings.ts'

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Order } from '../neighbours/orders.ts'

const schema = { response: { 200: { $ref: 'Booking#' } } }
const feed = (socket: WebSocket) => { socket.send(JSON.stringify(EXAMPLES.v3)) }

async function appWithSockets (t: Test, order: Order): Promise<FastifyInstance> {
  const options = { scheme: QueryParameterVersioning, allowedVersions: VERSIONS, changes: [guests, room] }
  const app = await appInOrder(t, order, options, (app) => app.register(websocket))
  app.addSchema(Booking)
  app.get('/bookings', { schema }, async () => EXAMPLES.v3)
  return app
}

async function messageFrom (app: FastifyInstance, url: string): Promise<unknown> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const client = new WebSocket(`ws://127.0.0.1:${port}${url}`)
  const [message] = await once(client, 'message')
  client.terminate()
  return JSON.parse(String(message))
}

for (const order of orders) {
  t.test(`a websocket route that no change touches works next to older routes, with websocket ${order}`, async (t) => {
    const app = await appWithSockets(t, order)
    app.get('/feed', { websocket: true }, feed)
    t.same(await messageFrom(app, '/feed?version=v1'), EXAMPLES.v3)
    for (const version of VERSIONS) {
      const response = await app.inject(`/bookings?version=${version}`)
      t.same(response.json(), EXAMPLES[version], version)
    }
  })

  for (const [label, options] of [
    ['a websocket route', { websocket: true, handler: feed }],
    ['a route with a handler for websockets', { wsHandler: feed, handler: async () => EXAMPLES.v3 }]
  ] as const) {
    t.test(`${label} that a change touches is an error at boot, with websocket ${order}`, async (t) => {
      const app = await appWithSockets(t, order)
      app.route({ method: 'GET', url: '/feed', schema, ...options } as unknown as RouteOptions)
      await t.rejects(async () => { await app.ready() }, {
        message: /^Change 'v3' \(A room has .*, GET \/feed, messages: websockets are not converted/
      })
    })
  }
}
