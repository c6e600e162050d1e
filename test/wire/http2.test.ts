import { once } from 'node:events'
import http2 from 'node:http2'
import t from 'tap'

import { wireApp } from './app.ts'
import { wireSuite } from './suite.ts'

import type { FastifyInstance } from 'fastify'
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import type { Test } from 'tap'
import type { Answer, Message } from './message.ts'

/** All requests at once, as streams of one session. */
async function carry (t: Test, app: FastifyInstance, messages: readonly Message[]): Promise<Answer[]> {
  const session = await connect(t, app)
  return Promise.all(messages.map(({ method, path, host, headers, body }) => (
    send(session, { ...headers, ':method': method, ':path': path, ':authority': host }, body)
  )))
}

async function connect (t: Test, app: FastifyInstance): Promise<ClientHttp2Session> {
  const session = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(() => session.destroy())
  return session
}

async function send (session: ClientHttp2Session, headers: OutgoingHttpHeaders, body = ''): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === '' })
  if (body !== '') stream.end(body)
  const [answered] = await once(stream, 'response') as [IncomingHttpHeaders]
  stream.setEncoding('utf8')
  let text = ''
  for await (const chunk of stream) text += chunk
  return { status: Number(answered[':status']), headers: answered, body: text }
}

wireSuite(t, carry, { http2: true })

for (const [says, trustProxy, headers, protocol] of [
  ['the Host header is used where the authority is missing', false, { host: 'v2.example.com' }, 'http'],
  ['a forwarded host is used instead of the authority if the proxy is trusted', true,
    { ':authority': 'v9.example.com', 'x-forwarded-host': 'v2.example.com', 'x-forwarded-proto': 'https' }, 'https']
] as const) {
  t.test(says, async (t) => {
    const session = await connect(t, await wireApp(t, { scheme: 'host', http2: true, trustProxy }))
    const { status, body } = await send(session, { ':path': '/bookings', ...headers })
    t.equal(status, 200)
    const links = ['/bookings', '/bookings', `${protocol}://v2.example.com/bookings`]
    t.same(JSON.parse(body), { version: 'v2', links })
  })
}
