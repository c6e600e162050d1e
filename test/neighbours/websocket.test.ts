import websocket from '@fastify/websocket'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Order } from './orders.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const byAccept = { ...byQuery, scheme: AcceptHeaderVersioning }

/** An app that listens, and what to put in front of a path; `/feed` says its version and a link to itself. */
async function listening (
  t: Test, order: Order, options: VersioningOptions, route: { versioning?: false } = {}
): Promise<{ app: FastifyInstance, port: number, address: string }> {
  const app = await appInOrder(t, order, options, (app) => app.register(websocket))
  app.get('/feed', { ...route, websocket: true, name: 'feed' }, (socket, request) => {
    const self = request.versioningScheme?.reverse('feed', { request }) ?? null
    socket.send(JSON.stringify([request.version, self]))
  })
  // Nothing else closes a socket whose upgrade was refused, and the app would not close either.
  app.server.on('connection', (socket) => t.teardown(() => socket.destroy()))
  t.teardown(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, port, address: `ws://127.0.0.1:${port}` }
}

async function firstMessage (client: WebSocket): Promise<unknown> {
  const [message] = await once(client, 'message')
  client.terminate()
  return JSON.parse(String(message))
}

async function refusal (client: WebSocket): Promise<IncomingMessage> {
  const [, response] = await once(client, 'unexpected-response') as [unknown, IncomingMessage]
  response.resume()
  return response
}

for (const order of orders) {
  t.test(`an upgrade has the version of its query, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, byQuery)
    const client = new WebSocket(`${address}/feed?version=v2`)
    t.same(await firstMessage(client), ['v2', '/feed?version=v2'])
  })

  t.test(`an upgrade that specifies no version has the default version, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, { ...byQuery, defaultVersion: 'v1' })
    t.same(await firstMessage(new WebSocket(`${address}/feed`)), ['v1', '/feed?version=v1'])
  })

  t.test(`an upgrade has the version of its Accept header, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, byAccept)
    const client = new WebSocket(`${address}/feed`, { headers: { accept: 'a/b; version=v2' } })
    t.same(await firstMessage(client), ['v2', '/feed'])
  })

  t.test(`no version is determined for an upgrade of a version-neutral route, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, byQuery, { versioning: false })
    t.same(await firstMessage(new WebSocket(`${address}/feed?version=v9`)), [null, null])
  })

  t.test(`an upgrade in a version that is not allowed is answered 404, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, byQuery)
    t.equal((await refusal(new WebSocket(`${address}/feed?version=v9`))).statusCode, 404)
  })

  t.test(`a refused upgrade varies on Accept, with websocket ${order}`, async (t) => {
    const { address } = await listening(t, order, byAccept)
    const response = await refusal(new WebSocket(`${address}/feed`, { headers: { accept: 'a/b; version=v9' } }))
    t.equal(response.statusCode, 406)
    t.same(varyOf(response), ['accept'])
  })

  t.test(`a link to a route for upgrades is like any other, with websocket ${order}`, async (t) => {
    const { app } = await listening(t, order, byQuery)
    t.equal(app.reverse('feed', null, { version: 'v2' }), '/feed?version=v2')
  })
}

t.test('the connection of a refused upgrade is closed where websocket is registered before the plugin', async (t) => {
  const { port } = await listening(t, 'registered before the plugin', byQuery)
  const socket = connect(port, '127.0.0.1')
  socket.write([
    'GET /feed?version=v9 HTTP/1.1', 'Host: example.com', 'Connection: Upgrade', 'Upgrade: websocket',
    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''
  ].join('\r\n'))
  socket.resume()
  await once(socket, 'close')
  t.equal(socket.errored, null)
})
