import { setImmediate } from 'node:timers/promises'
import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { Connection, write } from '../wire/http1.ts'
import { VERSIONS, appWithChanges, ask, guests, room } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
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
