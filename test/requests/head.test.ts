import t from 'tap'

import { kPassage } from '../../src/passage.ts'
import { keepLinks, keepVary } from '../../src/requests/head.ts'
import { bareApp } from '../fixtures/app-with.ts'

import type { FastifyReply } from 'fastify'
import type { Test } from 'tap'

function appFor (t: Test) {
  return bareApp(t).decorateRequest(kPassage, null)
}

t.test('names from several places are kept, and a handler sees the first', async (t) => {
  const app = appFor(t)
  app.get('/', async (_request, reply) => {
    for (const name of ['A', 'B']) keepVary(reply, name)
    t.same([reply.getHeader('vary'), reply.raw.getHeader('vary')], ['A', undefined])
    return ''
  })
  t.equal((await app.inject('/')).headers.vary, 'A, B')
})

t.test('a Vary that the response of Node has already is not repeated', async (t) => {
  const app = appFor(t)
  app.get('/', async (_request, reply) => {
    reply.raw.setHeader('vary', 'A')
    keepVary(reply, 'A')
    return ''
  })
  t.equal((await app.inject('/')).headers.vary, 'A')
})

t.test('a response whose head has been written is left alone', async (t) => {
  const app = appFor(t)
  app.get('/', (_request, reply) => {
    reply.hijack().raw.writeHead(202)
    keepVary(reply, 'A')
    reply.raw.end()
  })
  t.match(await app.inject('/'), { statusCode: 202, headers: { vary: undefined } })
})

/** What a reply has, as it is set, and its links once `<a>` is added. */
const completed: [says: string, set: (reply: FastifyReply) => unknown, link: string][] = [
  ['another', (reply) => reply.header('link', '<b>'), '<b>, <a>'],
  ['another and the same', (reply) => reply.header('link', '<b>, <a>'), '<b>, <a>'],
  ['the same', (reply) => reply.header('link', '<a>'), '<a>'],
  ['an empty text', (reply) => reply.header('link', ''), '<a>'],
  ['several lines', (reply) => reply.header('link', ['<b>', '', '<c>']), '<b>, <c>, <a>'],
  ['no link, and the response of Node the same', (reply) => reply.raw.setHeader('link', '<a>'), '<a>'],
  ['the same, and the response of Node another', (reply) => reply.header('link', '<a>').raw.setHeader('link', '<b>'),
    '<b>, <a>'],
  ['one, and the response of Node a part of it',
    (reply) => reply.header('link', '<b>; x').raw.setHeader('link', '<b>'), '<b>, <b>; x, <a>'],
  ['one, and the response of Node the end of it',
    (reply) => reply.header('link', '<b>; <c>').raw.setHeader('link', '<c>'), '<c>, <b>; <c>, <a>']
]

for (const [says, set, link] of completed) {
  t.test(`the Link header of a reply with ${says} is completed to ${link}`, async (t) => {
    const app = appFor(t)
    app.get('/', async (_request, reply) => {
      set(reply)
      keepLinks(reply, '<a>')
      return ''
    })
    t.equal((await app.inject('/')).headers.link, link)
  })
}
