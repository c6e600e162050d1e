import websocket from '@fastify/websocket'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }
const byAccept = { ...byQuery, scheme: AcceptHeaderVersioning }

/** The port of an app whose routes for upgrades say their version and a link to themselves. */
async function listening (t: Test, options: VersioningOptions): Promise<number> {
  const app = await appInOrder(t, orders[0], options, (app) => app.register(websocket))
  for (const [url, versioning] of [['/feed', undefined], ['/neutral', false]] as const) {
    app.get(url, { websocket: true, ...versioning === false && { versioning } }, (socket, request) => {
      socket.send(JSON.stringify([request.version, request.versioningScheme?.reverse(null, { request }) ?? null]))
    })
  }
  // Nothing else closes a socket whose upgrade was refused, and the app would not close either.
  app.server.on('connection', (socket) => t.teardown(() => socket.destroy()))
  t.teardown(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

const upgrades: [what: string, options: VersioningOptions, path: string, accept: string, message: unknown][] = [
  ['has the version of its query', byQuery, '/feed?version=v2', '*/*', ['v2', '/feed?version=v2']],
  ['has the default version', { ...byQuery, defaultVersion: 'v1' }, '/feed', '*/*', ['v1', '/feed?version=v1']],
  ['has the version of its Accept header', byAccept, '/feed', 'a/b; version=v2', ['v2', '/feed']],
  ['of a neutral route has no version', byQuery, '/neutral?version=v9', '*/*', [null, null]]
]
for (const [what, options, path, accept, message] of upgrades) {
  t.test(`an upgrade ${what}`, async (t) => {
    const client = new WebSocket(`ws://127.0.0.1:${await listening(t, options)}${path}`, { headers: { accept } })
    const [data] = await once(client, 'message')
    client.terminate()
    t.same(JSON.parse(String(data)), message)
  })
}

t.test('a refused upgrade has the status and the Vary of a refusal', async (t) => {
  const port = await listening(t, byAccept)
  const client = new WebSocket(`ws://127.0.0.1:${port}/feed`, { headers: { accept: 'a/b; version=v9' } })
  const [, response] = await once(client, 'unexpected-response') as [unknown, IncomingMessage]
  response.resume()
  t.equal(response.statusCode, 406)
  t.same(varyOf(response), ['accept'])
})

t.test('the connection of a refused upgrade is closed', async (t) => {
  const socket = connect(await listening(t, byQuery), '127.0.0.1')
  socket.write([
    'GET /feed?version=v9 HTTP/1.1', 'Host: example.com', 'Connection: Upgrade', 'Upgrade: websocket',
    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''
  ].join('\r\n'))
  socket.resume()
  await once(socket, 'close')
  t.equal(socket.errored, null)
})
