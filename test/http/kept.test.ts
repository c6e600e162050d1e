import { once } from 'node:events'
import http2 from 'node:http2'
import { Readable } from 'node:stream'
import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { keepLinks, keepVary } from '../../src/http/kept.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Test } from 'tap'

type Send = (reply: FastifyReply) => unknown

function failing (): Readable {
  return new Readable({ read () { this.destroy(new Error('broken')) } })
}

const cases: [says: string, send: Send, vary?: string, status?: number][] = [
  ['a text', () => 'text'],
  ['nothing', (reply) => reply.code(204).send(), 'Accept', 204],
  ['a stream after the header was removed', (reply) => reply.removeHeader('vary').send(Readable.from(['a']))],
  ['a stream that fails', (reply) => reply.send(failing()), 'Accept', 500],
  ['a text, with headers of the reply and of the response of Node', (reply) => {
    reply.raw.setHeader('vary', 'Origin')
    return reply.header('vary', 'Cookie').send('text')
  }, 'Origin, Cookie, Accept'],
  ['a web stream', (reply) => reply.header('vary', 'Origin').send(new Response('a').body), 'Origin, Accept'],
  ['a web response', () => new Response('a', { headers: { vary: 'Origin' } }), 'Origin, Accept'],
  ['an error', () => { throw new Error('broken') }, 'Accept', 500],
  ['an unknown resource', (reply) => reply.callNotFound(), 'Accept', 404],
  ['a text that bypasses the reply', (reply) => {
    reply.raw.end('text')
    return reply
  }],
  ['a hijacked reply', (reply) => { reply.hijack().raw.writeHead(202, { 'x-own': 'own' }).end('own') }, 'Accept', 202]
]

async function answering (t: Test, send: Send, options = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning }, options)
  app.get('/', async (_request, reply) => send(reply))
  return app
}

for (const [says, send, vary = 'Accept', status = 200] of cases) {
  t.test(`a response of ${says} varies by ${vary}`, async (t) => {
    const { statusCode, headers } = await (await answering(t, send)).inject('/')
    t.equal(statusCode, status)
    t.equal(headers.vary, vary)
  })

  t.test(`a response of ${says} over HTTP/2 varies by ${vary}`, async (t) => {
    const app = await answering(t, send, { http2: true })
    const session = http2.connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    const stream = session.request({ ':path': '/' })
    const [headers] = await once(stream, 'response') as [http2.IncomingHttpHeaders]
    await stream.resume().toArray()
    session.destroy()
    t.equal(headers[':status'], status)
    t.equal(headers.vary, vary)
  })
}

t.test('a handler that writes the head itself may replace Vary', async (t) => {
  const app = await answering(t, (reply) => {
    reply.raw.writeHead(202, 'Taken', { vary: 'Origin' }).end()
    return reply
  })
  const { headers, statusMessage } = await app.inject('/')
  t.match({ headers, statusMessage }, { headers: { vary: 'Origin' }, statusMessage: 'Taken' })
})

t.test('names and links from several places are kept', async (t) => {
  const app = bareApp(t)
  app.get('/', async (_request, reply) => {
    for (const name of ['A', 'B']) keepVary(reply, name)
    for (const link of ['<a>', '<b>']) keepLinks(reply, [link])
    t.equal(reply.raw.getHeader('vary'), 'A, B')
    t.match(reply.getHeaders(), { vary: 'A, B', link: '<a>, <b>' })
    return ''
  })
  t.match((await app.inject('/')).headers, { vary: 'A, B', link: '<a>, <b>' })
})

const varies: [present: string, merged: string, vary?: string][] = [
  ['Origin', 'Origin, Accept'],
  ['Accept', 'Accept'],
  ['aCCEPT', 'aCCEPT'],
  ['Accept-X', 'Accept-X, Accept'],
  ['a,b , Accept', 'a,b , Accept'],
  [' ,a,, b ', 'a, b, Accept'],
  ['a, A', 'a, Accept'],
  ['b', 'b, a, c', 'a,B ,c'],
  ['c, a', 'c, a, B', 'a, B'],
  ['a, b', 'a, b', 'B, A'],
  ['*', '*'],
  ['a,*', 'a,*'],
  ['**', '**, Accept']
]

for (const [present, merged, vary = 'Accept'] of varies) {
  t.test(`with "${vary}" the Vary "${present}" becomes "${merged}"`, async (t) => {
    const app = bareApp(t)
    app.get('/', async (_request, reply) => {
      keepVary(reply.header('vary', present), vary)
      return ''
    })
    t.equal((await app.inject('/')).headers.vary, merged)
  })
}

/** What a reply has, as it is set, and its links once these are added. */
const completed: [says: string, set: (reply: FastifyReply) => unknown, link: string, added?: string[]][] = [
  ['no link', () => {}, '<a>'],
  ['another', (reply) => reply.header('link', '<b>'), '<b>, <a>'],
  ['another than two', (reply) => reply.header('link', '<c>'), '<c>, <a>, <b>', ['<a>', '<b>']],
  ['one of two', (reply) => reply.header('link', '<b>'), '<b>, <a>', ['<a>', '<b>']],
  ['both of two', (reply) => reply.header('link', '<b>, <a>'), '<b>, <a>', ['<a>', '<b>']],
  ['the same', (reply) => reply.header('link', '<a>'), '<a>'],
  ['an empty text', (reply) => reply.header('link', ''), '<a>'],
  ['several lines', (reply) => reply.header('link', ['<b>', '', '<c>']), '<b>, <c>, <a>'],
  ['no link, and the response of Node the same', (reply) => reply.raw.setHeader('link', '<a>'), '<a>'],
  ['the same, and the response of Node another', (reply) => (
    reply.header('link', '<a>').raw.setHeader('link', '<b>')
  ), '<b>, <a>'],
  ['one, and the response of Node a part of it', (reply) => (
    reply.header('link', '<b>; x').raw.setHeader('link', '<b>')
  ), '<b>, <b>; x, <a>'],
  ['one, and the response of Node the end of it', (reply) => (
    reply.header('link', '<b>; <c>').raw.setHeader('link', '<c>')
  ), '<c>, <b>; <c>, <a>']
]

for (const [says, set, link, added = ['<a>']] of completed) {
  t.test(`the Link header of a reply with ${says} is completed to ${link}`, async (t) => {
    const app = bareApp(t)
    app.get('/', async (_request, reply) => {
      set(reply)
      keepLinks(reply, added)
      return ''
    })
    t.equal((await app.inject('/')).headers.link, link)
  })
}
