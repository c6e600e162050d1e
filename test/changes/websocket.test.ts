import websocket from '@fastify/websocket'
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from '../neighbours/orders.ts'
import { Booking, EXAMPLES, VERSIONS, guests, room } from './bookings.ts'

import type { RouteOptions } from 'fastify'
import type { AddressInfo } from 'node:net'

const schema = { response: { 200: { $ref: 'Booking#' } } }
const feed = (socket: WebSocket) => { socket.send(JSON.stringify(EXAMPLES.v3)) }
const options = { scheme: QueryParameterVersioning, allowedVersions: VERSIONS, changes: [guests, room] }

for (const order of orders) {
  t.test(`a websocket route that no change touches works next to older routes, with websocket ${order}`, async (t) => {
    const app = await appInOrder(t, order, options, (app) => app.register(websocket))
    app.addSchema(Booking)
    app.get('/bookings', { schema }, async () => EXAMPLES.v3)
    app.get('/feed', { websocket: true }, feed)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const client = new WebSocket(`ws://127.0.0.1:${port}/feed?version=v1`)
    const [message] = await once(client, 'message')
    client.terminate()
    t.same(JSON.parse(String(message)), EXAMPLES.v3)
    for (const version of VERSIONS) {
      t.same((await app.inject(`/bookings?version=${version}`)).json(), EXAMPLES[version], version)
    }
  })

  for (const route of [{ websocket: true, handler: feed }, { wsHandler: feed, handler: async () => EXAMPLES.v3 }]) {
    t.test(`a route with ${Object.keys(route)[0]} that a change touches is refused, with it ${order}`, async (t) => {
      const app = await appInOrder(t, order, options, (app) => app.register(websocket))
      app.addSchema(Booking)
      app.route({ method: 'GET', url: '/feed', schema, ...route } as unknown as RouteOptions)
      await t.rejects(async () => { await app.ready() }, {
        message: /^Change 'v3' \(A room has .*, GET \/feed, messages: websockets are not converted/
      })
    })
  }
}
