import LinkHeader from 'http-link-header'
import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { ending, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyReply } from 'fastify'
import type { VersionEnding } from '../../types/index.d.ts'

const deprecated = '2026-01-01'

interface Written { what: string, info: VersionEnding['info'], links: object[] }

const writtens: Written[] = [
  { what: 'a URL', info: 'https://docs.example.com/v1', links: [{ uri: 'https://docs.example.com/v1' }] },
  { what: 'a URL without path', info: 'https://example.com', links: [{ uri: 'https://example.com/' }] },
  { what: 'a path', info: '/docs/v1', links: [{ uri: '/docs/v1' }] },
  { what: 'a relative path', info: '../docs?v=1#end', links: [{ uri: '../docs?v=1#end' }] },
  { what: 'another host', info: '//docs.example.com/v1', links: [{ uri: '//docs.example.com/v1' }] },
  { what: 'a host beyond ASCII', info: 'https://größe.example/', links: [{ uri: 'https://xn--gre-6ka8i.example/' }] },
  { what: 'a path beyond ASCII', info: '/größe/😀', links: [{ uri: '/gr%C3%B6%C3%9Fe/%F0%9F%98%80' }] },
  { what: 'a half of a character', info: '/\ud83d', links: [{ uri: '/%EF%BF%BD' }] },
  { what: 'text that would end a link', info: '/a>; rel="x", <b', links: [{ uri: '/a%3E;%20rel=%22x%22,%20%3Cb' }] },
  { what: 'a URL with such text', info: 'http://a/?">|^{}`', links: [{ uri: 'http://a/?%22%3E%7C%5E%7B%7D%60' }] },
  { what: 'a percent sign that is not an escape', info: '/100%', links: [{ uri: '/100%25' }] }
]

for (const { what, info, links } of writtens) {
  t.test(`info with ${what} is a link that a parser reads`, async (t) => {
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle: { v1: { deprecated, info } } })
    app.get('/', async () => '')
    const { headers } = await app.inject({ url: '/', headers: { accept: 'a/b;version=v1' } })
    const { refs } = LinkHeader.parse((headers.link ?? '') as string)
    t.match(refs, links.map((link) => ({ ...link, rel: 'deprecation' })))
    t.equal(refs.length, links.length)
    t.match(String(headers.link), /^[\x20-\x7e]*$/)
  })
}

const OWN = '</leaving>; rel="deprecation"'
const NEXT = '</next>; rel="next"'

interface Merge { does: string, set: (reply: FastifyReply) => void, link: string }

const merges: Merge[] = [
  { does: 'sets nothing', set: () => {}, link: OWN },
  { does: 'sets a link', set: (reply) => { reply.header('Link', NEXT) }, link: `${NEXT}, ${OWN}` },
  {
    does: 'sets several',
    set: (reply) => { reply.header('link', [NEXT, '<a>'] as never) },
    link: `${NEXT}, <a>, ${OWN}`
  },
  {
    does: 'adds to these',
    set: (reply) => { reply.header('link', `${String(reply.getHeader('link'))}, ${NEXT}`) },
    link: `${OWN}, ${NEXT}`
  },
  { does: 'removes it', set: (reply) => { reply.removeHeader('link') }, link: OWN },
  { does: 'sets nothing in it', set: (reply) => { reply.header('link', '') }, link: OWN },
  { does: 'sets null', set: (reply) => { reply.header('link', null as never) }, link: OWN },
  {
    does: 'sets it on the response of Node',
    set: (reply) => { reply.raw.setHeader('Link', NEXT) },
    link: `${NEXT}, ${OWN}`
  },
  {
    does: 'sets several only on the response of Node',
    set: (reply) => { reply.removeHeader('link').raw.setHeader('Link', [NEXT, '<a>']) },
    link: `${NEXT}, <a>, ${OWN}`
  },
  {
    does: 'sets it on both',
    set: (reply) => { reply.header('link', '<a>').raw.setHeader('Link', NEXT) },
    link: `${NEXT}, <a>, ${OWN}`
  }
]

for (const { does, set, link } of merges) {
  t.test(`a response of a handler that ${does} has its own links and the links of the ending`, async (t) => {
    const lifecycle = { v1: { deprecated, info: '/leaving' } }
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle })
    app.get('/', async (_request, reply) => {
      set(reply)
      return ''
    })
    t.equal((await app.inject({ url: '/', headers: { accept: 'a/b;version=v1' } })).headers.link, link)
  })
}

t.test('an error with its own links keeps the links of the ending', async (t) => {
  const app = await appWith(t, {
    ...ending, scheme: AcceptHeaderVersioning, lifecycle: { v1: { deprecated, info: '/leaving' } }
  })
  app.get('/', async () => { throw Object.assign(new Error('broken'), { headers: { link: NEXT } }) })
  const response = await app.inject({ url: '/', headers: { accept: 'a/b;version=v1' } })
  t.equal(response.statusCode, 500)
  t.equal(response.headers.link, `${NEXT}, ${OWN}`)
})

t.test('a web response has its own links and the links of the ending, and Vary', async (t) => {
  const app = await appWith(t, {
    ...ending, scheme: AcceptHeaderVersioning, lifecycle: { v1: { deprecated, info: '/leaving' } }
  })
  app.get('/', async () => new Response('own', { status: 201, headers: { link: NEXT, vary: 'Origin' } }))
  app.get('/used', async () => {
    const response = new Response('own', { headers: { link: NEXT } })
    await response.text()
    return response
  })
  const headers = { accept: 'a/b;version=v1' }
  const response = await app.inject({ url: '/', headers })
  t.match(response.headers, { link: `${NEXT}, ${OWN}`, vary: 'Origin, Accept' })
  t.equal(response.body, 'own')
  t.equal((await app.inject({ url: '/used', headers })).statusCode, 500)
})

t.test('the response of a version without an ending has only the links of its handler', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated, info: '/leaving' } } })
  app.get('/', async (_request, reply) => reply.header('link', NEXT).send(''))
  t.same(linksOf(await app.inject('/?version=v3')), ['next /next'])
})
