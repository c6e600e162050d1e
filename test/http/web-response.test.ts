import t from 'tap'

import { linkMembers, varyMembers } from '../../src/http/headers.ts'
import { completeResponse, isResponse, withHeader } from '../../src/http/web-response.ts'

t.test('a web response is told by its tag, of which package it may be', async (t) => {
  t.equal(isResponse(new Response('')), true)
  t.equal(isResponse({ [Symbol.toStringTag]: 'Response' }), true)
})

for (const payload of [null, undefined, '', '[object Response]', {}, [], new Headers(), () => {}]) {
  t.test(`${Object.prototype.toString.call(payload)} is no web response`, async (t) => {
    t.equal(isResponse(payload), false)
  })
}

t.test('a function with the tag of a web response is none', async (t) => {
  t.equal(isResponse(Object.assign(() => {}, { [Symbol.toStringTag]: 'Response' })), false)
})

t.test('another value of a header leaves status, body and other headers', async (t) => {
  const given = new Response('body', { status: 201, statusText: 'Made', headers: { 'x-a': 'a', 'x-b': 'b' } })
  const response = withHeader(given, 'X-A', 'c')
  t.match(response, { status: 201, statusText: 'Made' })
  t.equal(response.headers.get('x-a'), 'c')
  t.equal(response.headers.get('x-b'), 'b')
  t.equal(given.headers.get('x-a'), 'a')
  t.equal(await response.text(), 'body')
})

t.test('a web response without a body may have another header', async (t) => {
  const response = withHeader(new Response(null, { status: 204 }), 'x-a', 'a')
  t.equal(response.status, 204)
  t.equal(response.body, null)
  t.equal(response.headers.get('x-a'), 'a')
})

t.test('a web response whose body is in use stays the same', async (t) => {
  const read = new Response('body', { headers: { vary: 'a' } })
  await read.text()
  const locked = new Response('body', { headers: { vary: 'a' } })
  locked.body?.getReader()
  // Another package may have a body that cannot be locked.
  const foreign = { bodyUsed: true, body: {}, headers: new Headers({ vary: 'a' }) } as Response
  for (const response of [read, locked, foreign]) {
    t.equal(withHeader(response, 'x-a', 'a'), response)
    t.equal(completeResponse(response, varyMembers('b')), response)
    t.equal(response.headers.get('x-a'), null)
  }
})

t.test('a header of a web response is completed, and none is added', async (t) => {
  const response = new Response('', { headers: { vary: 'a' } })
  t.equal(completeResponse(response, varyMembers('b')).headers.get('vary'), 'a, b')
  t.equal(completeResponse(response, linkMembers(['<a>'])), response)
})
