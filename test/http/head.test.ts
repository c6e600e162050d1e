import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import { Readable } from 'node:stream'
import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { keep } from '../../src/http/head.ts'
import { linkMembers, varyMembers } from '../../src/http/members.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Test } from 'tap'

type Send = (reply: FastifyReply) => unknown

/** Node's method as middleware replaces it. */
type WriteHead = (this: ServerResponse, ...given: readonly unknown[]) => ServerResponse

interface Case { says: string, send: Send, vary: string, status?: number }

function failing (): Readable {
  return new Readable({ read () { this.destroy(new Error('broken')) } })
}

const cases: Case[] = [
  { says: 'a text', send: () => 'text', vary: 'Accept' },
  { says: 'nothing', send: (reply) => reply.code(204).send(), vary: 'Accept', status: 204 },
  {
    says: 'a stream',
    send: (reply) => reply.header('vary', 'Origin').send(Readable.from(['a'])),
    vary: 'Origin, Accept'
  },
  {
    says: 'a stream after the header was removed',
    send: (reply) => reply.removeHeader('vary').send(Readable.from(['a'])),
    vary: 'Accept'
  },
  { says: 'an empty stream', send: (reply) => reply.send(Readable.from([])), vary: 'Accept' },
  {
    says: 'a stream, with a header of the response of Node',
    send: (reply) => {
      reply.raw.setHeader('vary', 'Origin')
      return reply.send(Readable.from(['a']))
    },
    vary: 'Origin, Accept'
  },
  { says: 'a stream that fails', send: (reply) => reply.send(failing()), vary: 'Accept', status: 500 },
  {
    says: 'a stream, with headers of the reply and of the response of Node',
    send: (reply) => {
      reply.raw.setHeader('vary', 'Origin')
      return reply.header('vary', 'Cookie').send(Readable.from(['a']))
    },
    vary: 'Origin, Cookie, Accept'
  },
  {
    says: 'a text, with headers of the reply and of the response of Node',
    send: (reply) => {
      reply.raw.setHeader('vary', 'Origin')
      return reply.header('vary', 'Cookie').send('text')
    },
    vary: 'Origin, Cookie, Accept'
  },
  {
    says: 'a web stream',
    send: (reply) => reply.header('vary', 'Origin').send(new Response('a').body),
    vary: 'Origin, Accept'
  },
  { says: 'a web response', send: () => new Response('a', { headers: { vary: 'Origin' } }), vary: 'Origin, Accept' },
  { says: 'an error', send: () => { throw new Error('broken') }, vary: 'Accept', status: 500 },
  { says: 'an unknown resource', send: (reply) => reply.callNotFound(), vary: 'Accept', status: 404 },
  {
    says: 'a text that bypasses the reply',
    send: (reply) => {
      reply.raw.end('text')
      return reply
    },
    vary: 'Accept'
  },
  {
    says: 'nothing that bypasses the reply',
    send: (reply) => {
      reply.raw.end()
      return reply
    },
    vary: 'Accept'
  },
  {
    says: 'a head that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, { Vary: 'Origin' }).end()
      return reply
    },
    vary: 'Origin, Accept',
    status: 201
  },
  {
    says: 'a frozen head that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, Object.freeze({ vary: 'Origin' })).end()
      return reply
    },
    vary: 'Origin, Accept',
    status: 201
  },
  {
    says: 'a flat list of headers that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, ['Vary', 'Origin', 'content-type', 'text/plain']).end()
      return reply
    },
    vary: 'Origin, Accept',
    status: 201
  },
  {
    says: 'a flat list without the header that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, ['content-type', 'text/plain']).end()
      return reply
    },
    vary: 'Accept',
    status: 201
  },
  {
    says: 'a flat list with the header twice that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, ['Vary', 'Origin', 'vary', ['Cookie', 'Accept-Language'] as never]).end()
      return reply
    },
    vary: 'Origin, Cookie, Accept-Language, Accept',
    status: 201
  },
  {
    says: 'a list of pairs that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, [['vary', 'Origin'], ['x-own', 'own']] as never).end()
      return reply
    },
    vary: 'Origin, Accept',
    status: 201
  },
  {
    says: 'an empty list of headers that bypasses the reply',
    send: (reply) => {
      reply.raw.writeHead(201, []).end()
      return reply
    },
    vary: 'Accept',
    status: 201
  },
  {
    says: 'a head without headers that bypasses the reply',
    send: (reply) => {
      reply.raw.setHeader('vary', 'Origin')
      reply.raw.writeHead(201).end()
      return reply
    },
    vary: 'Origin, Accept',
    status: 201
  }
]

async function answering (t: Test, send: Send, options = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning }, options)
  app.get('/', async (_request, reply) => send(reply))
  return app
}

interface Answer { status: number, headers: IncomingHttpHeaders }

async function over1 (app: FastifyInstance): Promise<Answer> {
  const request = http.get(await app.listen({ port: 0, host: '127.0.0.1' }), { agent: false })
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  await response.resume().toArray()
  return { status: response.statusCode as number, headers: response.headers }
}

async function over2 (app: FastifyInstance): Promise<Answer> {
  const session = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  const stream = session.request({ ':path': '/' })
  const [headers] = await once(stream, 'response') as [http2.IncomingHttpHeaders]
  await stream.resume().toArray()
  session.destroy()
  return { status: Number(headers[':status']), headers }
}

async function overInject (app: FastifyInstance): Promise<Answer> {
  const { statusCode, headers } = await app.inject('/')
  return { status: statusCode, headers: headers as IncomingHttpHeaders }
}

const carriers = [
  { over: 'HTTP/1.1', ask: over1, options: {} },
  { over: 'HTTP/2', ask: over2, options: { http2: true } },
  { over: 'inject', ask: overInject, options: {} }
]

for (const { over, ask, options } of carriers) {
  for (const { says, send, vary, status = 200 } of cases) {
    t.test(`a response of ${says} over ${over} varies by ${vary}`, async (t) => {
      const answer = await ask(await answering(t, send, options))
      t.equal(answer.status, status)
      t.equal(answer.headers.vary, vary)
    })
  }

  t.test(`a hijacked reply over ${over} is left to its handler`, async (t) => {
    const app = await answering(t, (reply) => {
      reply.hijack().raw.writeHead(202, { 'x-own': 'own' }).end('own')
    }, options)
    const { status, headers } = await ask(app)
    t.match({ status, own: headers['x-own'], vary: headers.vary }, { status: 202, own: 'own', vary: undefined })
  })
}

t.test('the reason phrase of a status is kept', async (t) => {
  const app = await answering(t, (reply) => {
    reply.raw.writeHead(202, 'Taken', { vary: 'Origin' }).end()
    return reply
  })
  const { headers, statusMessage } = await app.inject('/')
  t.match({ headers, statusMessage }, { headers: { vary: 'Origin, Accept' }, statusMessage: 'Taken' })
})

t.test('other headers of a list are sent unchanged, each in one line', async (t) => {
  const app = await answering(t, (reply) => {
    reply.raw.writeHead(202, ['X-Own', 'own', 'set-cookie', 'a=1', 'Set-Cookie', 'b=2', '__proto__', 'c']).end()
    return reply
  })
  const [response] = await once(http.get(await app.listen({ port: 0, host: '127.0.0.1' })), 'response')
  response.resume()
  const lines = response.rawHeaders.join('|')
  t.match(lines, 'X-Own|own|set-cookie|a=1|set-cookie|b=2|__proto__|c|')
  t.match(lines, '|vary|Accept')
})

for (const list of [['x-own'], ['x-own', 'own', 5, 'five'], [['x-own', 'own'], 'pair'], [['x-own']]]) {
  t.test(`a list of headers that Node refuses is refused: ${JSON.stringify(list)}`, async (t) => {
    const app = await answering(t, (reply) => reply.raw.writeHead(202, list as never))
    t.equal((await app.inject('/')).statusCode, 500)
  })
}

t.test('a list of headers keeps the version in its Content-Type, and links', async (t) => {
  const app = await appWith(t, {
    scheme: AcceptHeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    servedVersion: 'Content-Type',
    lifecycle: { v1: { deprecated: '2025-01-01', info: 'https://example.com/v1' } }
  })
  app.get('/', async (_request, reply) => {
    reply.raw.writeHead(200, ['content-type', 'application/json']).end('{}')
    return reply
  })
  const { headers } = await app.inject({ url: '/', headers: { accept: 'application/json; version=v1' } })
  t.match(headers, { 'content-type': 'application/json; version=v1', vary: 'Accept' })
  t.match(headers.link, '<https://example.com/v1>; rel="deprecation"')
})

t.test('a head that is written twice is an error of Node', async (t) => {
  const errors: unknown[] = []
  const app = await answering(t, (reply) => {
    reply.raw.writeHead(202)
    try {
      reply.raw.writeHead(203)
    } catch (error) {
      errors.push(error)
    }
    reply.raw.end()
    return reply
  })
  t.equal((await app.inject('/')).statusCode, 202)
  const message = 'Cannot write headers after they are sent to the client'
  t.match(errors, [{ code: 'ERR_HTTP_HEADERS_SENT', message }])
})

/** As on-headers does it: headers go to the response of Node first. */
function replaceWriteHead (raw: ServerResponse): void {
  const write = raw.writeHead as WriteHead
  const replaced: WriteHead = function (...given) {
    const fields = given.find((one) => typeof one === 'object') as Record<string, string>
    for (const name in fields) this.setHeader(name, fields[name])
    this.setHeader('x-replaced', 'yes')
    return write.call(this, given[0])
  }
  raw.writeHead = replaced as ServerResponse['writeHead']
}

for (const isFirst of [true, false]) {
  t.test(`other code may replace writeHead() as well, ${isFirst ? 'earlier' : 'later'} than the plugin`, async (t) => {
    const app = bareApp(t)
    const hook = async (_request: FastifyRequest, { raw }: FastifyReply) => { replaceWriteHead(raw) }
    const hold = async (_request: FastifyRequest, reply: FastifyReply) => keep(reply, varyMembers('Accept'))
    for (const one of isFirst ? [hook, hold] : [hold, hook]) app.addHook('onRequest', one)
    app.get('/', async (_request, reply) => reply.header('vary', 'Origin').send(''))
    t.match((await app.inject('/')).headers, { vary: 'Origin, Accept', 'x-replaced': 'yes' })
  })
}

t.test('members of one header and of several headers are kept', async (t) => {
  const app = bareApp(t)
  app.get('/', async (_request, reply) => {
    for (const members of [varyMembers('A'), linkMembers(['<a>']), varyMembers('B')]) keep(reply, members)
    t.equal(reply.getHeader('vary'), 'A, B')
    return new Response('', { headers: { vary: 'C', link: '<b>' } })
  })
  t.match((await app.inject('/')).headers, { vary: 'C, A, B', link: '<b>, <a>' })
})

t.test('responses with the same header differ by the header of the response of Node', async (t) => {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning })
  app.get<{ Querystring: { raw?: string, own?: string } }>('/', async ({ query: { raw, own } }, reply) => {
    if (raw !== undefined) reply.raw.setHeader('vary', raw)
    reply.raw.writeHead(200, own === undefined ? {} : { vary: own }).end()
    return reply
  })
  const varies = async (url: string) => (await app.inject(url)).headers.vary
  t.equal(await varies('/?own=A&raw=B'), 'B, A, Accept')
  t.equal(await varies('/?own=A'), 'A, Accept')
  t.equal(await varies('/?own=A&raw=B'), 'B, A, Accept')
  t.equal(await varies('/?raw=B'), 'B, Accept')
  t.equal(await varies('/?raw=C'), 'C, Accept')
  t.equal(await varies('/'), 'Accept')
  t.equal(await varies('/?own=B, A'), 'B, A, Accept')
  t.equal(await varies('/?own=A&raw=B'), 'B, A, Accept')
})

t.test('a request that is aborted before its response leaves the next one as it is', async (t) => {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning })
  let isSlow = true
  app.get('/', async (request, reply) => {
    if (!isSlow) return 'ok'
    isSlow = false
    await once(request.raw, 'close')
    return reply.header('vary', 'Origin').send('late')
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const aborted = http.get(origin, { agent: false })
  aborted.on('error', () => {})
  await once(aborted, 'socket')
  await new Promise<void>((resolve) => { app.server.once('request', () => { resolve() }) })
  aborted.destroy()
  const { headers } = await fetch(origin)
  t.equal(headers.get('vary'), 'Accept')
})
