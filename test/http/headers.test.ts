import Fastify from 'fastify'
import t from 'tap'

import { complete } from '../../src/http/head.ts'
import {
  isFieldName, isFieldNames, isToken, linkValue, quoted, quotedAttribute, textAttribute
} from '../../src/http/headers.ts'
import { linkMembers, varyMembers } from '../../src/http/members.ts'

import type { FastifyReply } from 'fastify'

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
    t.match(varyMembers(vary), { field: 'vary', text: vary })
    t.equal(varyMembers(vary).mergeInto(present), merged)
  })
}

interface Links { links: string[], present: string, text: string, merged: string }

const links: Links[] = [
  { links: ['<a>'], present: '<b>', text: '<a>', merged: '<b>, <a>' },
  { links: ['<a>', '<b>'], present: '<c>', text: '<a>, <b>', merged: '<c>, <a>, <b>' },
  { links: ['<a>', '<b>'], present: '<b>', text: '<a>, <b>', merged: '<b>, <a>' },
  { links: ['<a>', '<b>'], present: '<b>, <a>', text: '<a>, <b>', merged: '<b>, <a>' }
]

for (const { links: added, present, text, merged } of links) {
  t.test(`with ${added.join(' and ')} the Link ${present} becomes ${merged}`, async (t) => {
    const members = linkMembers(added)
    t.match(members, { field: 'link', text })
    t.equal(members.mergeInto(present), merged)
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
    says: 'lines of nothing',
    set: (reply) => { reply.header('link', [null, '<b>', undefined] as never) },
    link: '<b>, <a>'
  },
  {
    says: 'no link, and the response of Node the same',
    set: (reply) => { reply.raw.setHeader('link', '<a>') },
    link: '<a>'
  },
  {
    says: 'no link, and the response of Node several',
    set: (reply) => { reply.raw.setHeader('link', ['<b>', '<c>']) },
    link: '<b>, <c>, <a>'
  },
  {
    says: 'the same, and the response of Node as well',
    set: (reply) => { reply.header('link', '<a>').raw.setHeader('link', '<a>') },
    link: '<a>'
  },
  {
    says: 'the same, and the response of Node another',
    set: (reply) => { reply.header('link', '<a>').raw.setHeader('link', '<b>') },
    link: '<b>, <a>'
  },
  {
    says: 'another, and the response of Node the same one',
    set: (reply) => { reply.header('link', '<b>').raw.setHeader('link', '<b>') },
    link: '<b>, <a>'
  },
  {
    says: 'several, and the response of Node one of these',
    set: (reply) => { reply.header('link', '<b>, <c>').raw.setHeader('link', '<c>') },
    link: '<b>, <c>, <a>'
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
    const app = Fastify()
    app.get('/', async (_request, reply) => {
      set(reply)
      complete(reply, linkMembers(['<a>']))
      return ''
    })
    t.equal((await app.inject('/')).headers.link, link)
  })
}

for (const name of ['a', 'X-Version', "!#$%&'*+.^_`|~-9"]) {
  t.test(`${name} is a valid header name`, async (t) => {
    t.equal(isFieldName(name), true)
    t.equal(isToken(name), true)
    t.equal(isFieldNames(name), true)
  })
}

for (const name of ['', ' ', ' a', 'a ', 'a b', 'a:', 'é', 'a\n', '\na', 'a/b', '"a"', 'a,b']) {
  t.test(`${JSON.stringify(name)} is not a valid header name`, async (t) => {
    t.equal(isFieldName(name), false)
    t.equal(isToken(name), false)
  })
}

for (const value of [1, null, undefined, ['a'], { toString: () => 'a' }]) {
  t.test(`${JSON.stringify(value)}, which is not a string, is not a valid header name`, async (t) => {
    t.equal(isFieldName(value), false)
    t.equal(isFieldNames(value), false)
  })
}

for (const [names, areNames] of [['a,b', true], [' a , b ', true], ['a,', false], ['a,b c', false], ['', false]]) {
  t.test(`"${names}" ${areNames ? 'is' : 'is not'} a list of header names`, async (t) => {
    t.equal(isFieldNames(names), areNames)
  })
}

t.test('a link-value has its attributes after its target', async (t) => {
  t.equal(linkValue('/a', 'next'), '</a>; rel="next"')
  t.equal(linkValue('/a', 'next', '; x="1"'), '</a>; rel="next"; x="1"')
})

t.test('each quote and backslash of a quoted text is escaped', async (t) => {
  t.equal(quoted('a'), '"a"')
  t.equal(quoted('"a\\"\\b'), '"\\"a\\\\\\"\\\\b"')
  t.equal(quotedAttribute('title', 'a "b"'), '; title="a \\"b\\""')
})

const texts = [
  ['', '; title=""'],
  [' a~', '; title=" a~"'],
  ['a "b" (c)', '; title="a \\"b\\" (c)"'],
  ['größe', "; title*=UTF-8''gr%C3%B6%C3%9Fe"],
  ['\x7f', "; title*=UTF-8''%7F"],
  ['\x1f', "; title*=UTF-8''%1F"],
  ["é'(*)'", "; title*=UTF-8''%C3%A9%27%28%2A%29%27"],
  ['é!~ \ud800', "; title*=UTF-8''%C3%A9!~%20%EF%BF%BD"]
]

for (const [text, attribute] of texts) {
  t.test(`the title attribute of ${JSON.stringify(text)} is ${attribute}`, async (t) => {
    t.equal(textAttribute('title', text), attribute)
  })
}
