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

interface Case { says: string, send: Send, vary: string, status?: number }

function failing (): Readable {
  return new Readable({ read () { this.destroy(new Error('broken')) } })
}

const cases: Case[] = [
  { says: 'a text', send: () => 'text', vary: 'Accept' },
  { says: 'nothing', send: (reply) => reply.code(204).send(), vary: 'Accept', status: 204 },
  {
    says: 'a stream after the header was removed',
    send: (reply) => reply.removeHeader('vary').send(Readable.from(['a'])),
    vary: 'Accept'
  },
  { says: 'a stream that fails', send: (reply) => reply.send(failing()), vary: 'Accept', status: 500 },
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
    says: 'a hijacked reply',
    send: (reply) => { reply.hijack().raw.writeHead(202, { 'x-own': 'own' }).end('own') },
    vary: 'Accept',
    status: 202
  }
]

async function answering (t: Test, send: Send, options = {}): Promise<FastifyInstance> {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning }, options)
  app.get('/', async (_request, reply) => send(reply))
  return app
}

for (const { says, send, vary, status = 200 } of cases) {
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

interface Vary { present: string, vary: string, merged: string }

const varies: Vary[] = [
  { present: 'Origin', vary: 'Accept', merged: 'Origin, Accept' },
  { present: 'Accept', vary: 'Accept', merged: 'Accept' },
  { present: 'aCCEPT', vary: 'Accept', merged: 'aCCEPT' },
  { present: 'Accept-X', vary: 'Accept', merged: 'Accept-X, Accept' },
  { present: 'a,b , Accept', vary: 'Accept', merged: 'a,b , Accept' },
  { present: ' ,a,, b ', vary: 'Accept', merged: 'a, b, Accept' },
  { present: 'a, A', vary: 'Accept', merged: 'a, Accept' },
  { present: 'b', vary: 'a,B ,c', merged: 'b, a, c' },
  { present: 'c, a', vary: 'a, B', merged: 'c, a, B' },
  { present: 'a, b', vary: 'B, A', merged: 'a, b' },
  { present: '*', vary: 'Accept', merged: '*' },
  { present: 'a,*', vary: 'Accept', merged: 'a,*' },
  { present: '**', vary: 'Accept', merged: '**, Accept' }
]

for (const { present, vary, merged } of varies) {
  t.test(`with "${vary}" the Vary "${present}" becomes "${merged}"`, async (t) => {
    const app = bareApp(t)
    app.get('/', async (_request, reply) => {
      keepVary(reply.header('vary', present), vary)
      return ''
    })
    t.equal((await app.inject('/')).headers.vary, merged)
  })
}

interface Links { links: string[], present: string, merged: string }

const links: Links[] = [
  { links: ['<a>'], present: '<b>', merged: '<b>, <a>' },
  { links: ['<a>', '<b>'], present: '<c>', merged: '<c>, <a>, <b>' },
  { links: ['<a>', '<b>'], present: '<b>', merged: '<b>, <a>' },
  { links: ['<a>', '<b>'], present: '<b>, <a>', merged: '<b>, <a>' }
]

for (const { links: added, present, merged } of links) {
  t.test(`with ${added.join(' and ')} the Link ${present} becomes ${merged}`, async (t) => {
    const app = bareApp(t)
    app.get('/', async (_request, reply) => {
      keepLinks(reply.header('link', present), added)
      return ''
    })
    t.equal((await app.inject('/')).headers.link, merged)
  })
}

interface Completed { says: string, set: (reply: FastifyReply) => void, link: string | string[] }

const completed: Completed[] = [
  { says: 'no link', set: () => {}, link: '<a>' },
  { says: 'another', set: (reply) => { reply.header('link', '<b>') }, link: '<b>, <a>' },
  { says: 'the same', set: (reply) => { reply.header('link', '<a>') }, link: '<a>' },
  { says: 'an empty text', set: (reply) => { reply.header('link', '') }, link: '<a>' },
  { says: 'several lines', set: (reply) => { reply.header('link', ['<b>', '', '<c>']) }, link: '<b>, <c>, <a>' },
  {
    says: 'no link, and the response of Node the same',
    set: (reply) => { reply.raw.setHeader('link', '<a>') },
    link: '<a>'
  },
  {
    says: 'the same, and the response of Node another',
    set: (reply) => { reply.header('link', '<a>').raw.setHeader('link', '<b>') },
    link: '<b>, <a>'
  },
  {
    says: 'one, and the response of Node a part of it',
    set: (reply) => { reply.header('link', '<b>; x').raw.setHeader('link', '<b>') },
    link: '<b>, <b>; x, <a>'
  },
  {
    says: 'one, and the response of Node the end of it',
    set: (reply) => { reply.header('link', '<b>; <c>').raw.setHeader('link', '<c>') },
    link: '<c>, <b>; <c>, <a>'
  }
]

for (const { says, set, link } of completed) {
  t.test(`the Link header of a reply with ${says} is completed to ${link}`, async (t) => {
    const app = bareApp(t)
    app.get('/', async (_request, reply) => {
      set(reply)
      keepLinks(reply, ['<a>'])
      return ''
    })
    t.equal((await app.inject('/')).headers.link, link)
  })
}
