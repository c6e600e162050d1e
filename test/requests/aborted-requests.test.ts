import { EventEmitter, once } from 'node:events'
import Fastify from 'fastify'
import net from 'node:net'
import t from 'tap'

import versioning, { BaseVersioning, VersionError } from '../../src/index.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** How an asynchronous scheme settles. */
type Settle = () => Promise<string | null>

interface Pending {
  readonly app: FastifyInstance
  readonly port: number
  /** Emits `waiting` when the scheme has received a request, and `settled` when it has settled. */
  readonly events: EventEmitter
}

/** A running app whose scheme keeps requests for `/slow` waiting until `settle` is emitted. */
async function pendingApp (t: Test, settle: Settle, isHttp2 = false): Promise<Pending> {
  const events = new EventEmitter()
  class Slow extends BaseVersioning {
    override async determineVersion (request: FastifyRequest): Promise<string | null> {
      if (request.url !== '/slow') return 'v1'
      events.emit('waiting', request)
      await once(events, 'settle')
      // The hooks that follow have run by the time that this has.
      setImmediate(() => events.emit('settled'))
      return settle()
    }
  }
  const app = isHttp2 ? Fastify({ http2: true }) as unknown as FastifyInstance : Fastify()
  t.teardown(() => app.close())
  await app.register(versioning, { scheme: Slow })
  app.addHook('onRequestAbort', async (request) => { events.emit('aborted', request.version) })
  app.get('/slow', async (request) => request.version)
  app.get('/quick', async (request) => request.version)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, port: (app.server.address() as AddressInfo).port, events }
}

/** Sends a request for `/slow`, and hangs up as soon as the scheme has it. */
async function sendAndHangUp ({ port, events }: Pending): Promise<FastifyRequest> {
  const socket = net.connect(port, '127.0.0.1')
  const waiting = once(events, 'waiting')
  socket.write('GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n')
  const [request] = await waiting as [FastifyRequest]
  const closed = once(request.raw.socket, 'close')
  socket.destroy()
  await closed
  return request
}

/** Unhandled rejections and exceptions, from here on to the end of the test. */
function unhandled (t: Test): unknown[] {
  const found: unknown[] = []
  const note = (reason: unknown) => { found.push(reason) }
  for (const event of ['unhandledRejection', 'uncaughtException']) {
    process.on(event, note)
    t.teardown(() => { process.off(event, note) })
  }
  return found
}

async function settleNow ({ events }: Pending): Promise<void> {
  const settled = once(events, 'settled')
  events.emit('settle')
  await settled
}

const NOTHING: unknown = undefined

interface Ending { says: string, settle: Settle }

const endings: Ending[] = [
  { says: 'finds a version', settle: async () => 'v2' },
  { says: 'finds none', settle: async () => null },
  { says: 'refuses', settle: async () => { throw new VersionError('notFound', 'no') } },
  { says: 'fails', settle: async () => { throw new Error('broken') } },
  { says: 'rejects with nothing', settle: () => Promise.reject(NOTHING) }
]

for (const { says, settle } of endings) {
  t.test(`the next request is answered after a client aborted one whose scheme ${says}`, async (t) => {
    const pending = await pendingApp(t, settle)
    await sendAndHangUp(pending)
    await settleNow(pending)
    const response = await fetch(`http://127.0.0.1:${pending.port}/quick`)
    t.equal(response.status, 200)
    t.equal(await response.text(), 'v1')
  })

  t.test(`no error is unhandled after a client aborted a request whose scheme ${says}`, async (t) => {
    const found = unhandled(t)
    const pending = await pendingApp(t, settle)
    await sendAndHangUp(pending)
    await settleNow(pending)
    await pending.app.close()
    t.same(found, [])
  })
}
