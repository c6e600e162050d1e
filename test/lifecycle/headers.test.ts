import LinkHeader from 'http-link-header'
import { Readable } from 'node:stream'
import { parseItem } from 'structured-headers'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import { ending, lifecycle } from '../fixtures/lifecycle.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'

import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import type { VersionEnding } from '../../types/index.d.ts'

const RETIRED = { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' }
const deprecated = '2026-01-01'
const NOTHING = { deprecation: undefined, sunset: undefined, link: undefined }

for (const place of Object.values(places)) {
  t.test(`under ${place.Scheme.name} responses have the retirement headers of their version`, async (t) => {
    const app = await appWith(t, { ...ending, scheme: place.Scheme })
    declareIn(app, [place], { method: 'GET', url: '/bookings', handler: async () => 'ok' })
    const ask = (version: string) => app.inject(requestOf('/bookings', place.naming(version)))
    t.match((await ask('v1')).headers, RETIRED)
    t.match((await ask('v2')).headers, { deprecation: '@1788220800', sunset: undefined })
  })
}

async function answersApp (t: Parameters<typeof appWith>[0]): Promise<FastifyInstance> {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } } })
  app.get('/ok', async () => 'ok')
  app.get('/empty', (_request, reply) => { reply.code(204).send() })
  app.get('/unchanged', (_request, reply) => { reply.code(304).send() })
  app.get('/redirect', (_request, reply) => { reply.redirect('/ok') })
  app.get('/stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])))
  app.get('/response', async () => new Response('ok'))
  app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, async () => 'ok')
  app.get('/broken', async () => { throw new Error('broken') })
  app.get('/missing', (_request, reply) => { reply.callNotFound() })
  app.get('/hook', { onRequest: async () => { throw new Error('failed') } }, async () => 'ok')
  app.get('/on-send', { onSend: async () => { throw new Error('failed') } }, async (_request, reply) => {
    return reply.header('link', '</next>; rel="next"').send('ok')
  })
  app.post('/ok', async () => 'ok')
  app.options('/ok', async () => 'ok')
  app.register(async (context) => {
    context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
    context.get('/handled', async () => { throw new Error('broken') })
  })
  return app
}

interface Answer { says: string, request: InjectOptions, statusCode: number }

const answers: Answer[] = [
  { says: 'a 200', request: { url: '/ok' }, statusCode: 200 },
  { says: 'a HEAD', request: { url: '/ok', method: 'HEAD' }, statusCode: 200 },
  { says: 'a plain OPTIONS', request: { url: '/ok', method: 'OPTIONS' }, statusCode: 200 },
  { says: 'a 204', request: { url: '/empty' }, statusCode: 204 },
  { says: 'a 304', request: { url: '/unchanged' }, statusCode: 304 },
  { says: 'a redirect', request: { url: '/redirect' }, statusCode: 302 },
  { says: 'a stream', request: { url: '/stream' }, statusCode: 200 },
  { says: 'a web response', request: { url: '/response' }, statusCode: 200 },
  { says: 'a validation error', request: { url: '/invalid' }, statusCode: 400 },
  {
    says: 'a body that cannot be parsed',
    request: { url: '/ok', method: 'POST', headers: { 'content-type': 'application/json' }, payload: '{' },
    statusCode: 400
  },
  { says: 'an error', request: { url: '/broken' }, statusCode: 500 },
  { says: 'an error of a later hook', request: { url: '/hook' }, statusCode: 500 },
  { says: 'an error of an onSend hook', request: { url: '/on-send' }, statusCode: 500 },
  { says: 'an error handler', request: { url: '/handled' }, statusCode: 418 },
  { says: 'a handler that finds nothing', request: { url: '/missing' }, statusCode: 404 }
]

for (const { says, request, statusCode } of answers) {
  t.test(`the response for ${says} has retirement headers`, async (t) => {
    const app = await answersApp(t)
    const response = await app.inject({ ...request, query: { version: 'v1' } })
    t.equal(response.statusCode, statusCode)
    t.match(response.headers, { ...RETIRED, link: '</leaving>; rel="deprecation", </leaving>; rel="sunset"' })
  })
}

const silences: Answer[] = [
  { says: 'another version', request: { url: '/ok?version=v3' }, statusCode: 200 },
  { says: 'a refusal', request: { url: '/ok?version=v9' }, statusCode: 404 },
  { says: 'an unknown URL', request: { url: '/unknown?version=v1' }, statusCode: 404 },
  { says: 'a version-neutral route', request: { url: '/neutral?version=v1' }, statusCode: 200 },
  { says: 'a context without a scheme', request: { url: '/off?version=v1' }, statusCode: 200 },
  {
    says: 'a preflight',
    request: {
      url: '/ok?version=v1', method: 'OPTIONS', headers: { origin: 'a', 'access-control-request-method': 'GET' }
    },
    statusCode: 200
  },
  { says: 'a hook that answers first', request: { url: '/ok?version=v1&first' }, statusCode: 418 }
]

for (const { says, request, statusCode } of silences) {
  t.test(`the response for ${says} has no retirement headers`, async (t) => {
    const app = bareApp(t)
    app.addHook('onRequest', async (request, reply) => {
      if (request.url.endsWith('first')) return reply.code(418).send('teapot')
    })
    const settings = { allowedVersions: ['v1', 'v2', 'v3'], lifecycle: { v1: { ...lifecycle.v1, info: '/' } } }
    await app.register(versioning, { scheme: QueryParameterVersioning, ...settings })
    app.get('/ok', async () => 'ok')
    app.options('/ok', async () => 'ok')
    app.get('/neutral', { versioning: false }, async () => 'ok')
    app.register(async (context) => {
      await context.register(versioning, { scheme: null })
      context.get('/off', async () => 'ok')
    })
    const response = await app.inject(request)
    t.equal(response.statusCode, statusCode)
    t.match(response.headers, NOTHING)
  })
}

interface Instant { given: string | Date, seconds: number, httpDate: string }

const instants: Instant[] = [
  { given: '2026-01-01', seconds: 1767225600, httpDate: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  { given: new Date('2026-09-01'), seconds: 1788220800, httpDate: 'Tue, 01 Sep 2026 00:00:00 GMT' },
  { given: '2026-12-31T23:59:59Z', seconds: 1798761599, httpDate: 'Thu, 31 Dec 2026 23:59:59 GMT' },
  { given: '2026-12-31T23:59:59.999999999Z', seconds: 1798761599, httpDate: 'Thu, 31 Dec 2026 23:59:59 GMT' },
  { given: '2026-01-01T00:00:00+02:00', seconds: 1767218400, httpDate: 'Wed, 31 Dec 2025 22:00:00 GMT' },
  { given: '2026-01-01T01:00+01', seconds: 1767225600, httpDate: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  { given: '2026-01-01T00:00:00-11:30', seconds: 1767267000, httpDate: 'Thu, 01 Jan 2026 11:30:00 GMT' },
  { given: new Date(-1), seconds: -1, httpDate: 'Wed, 31 Dec 1969 23:59:59 GMT' },
  { given: '0001-01-01', seconds: -62135596800, httpDate: 'Mon, 01 Jan 0001 00:00:00 GMT' },
  { given: '9999-12-31T23:59:59Z', seconds: 253402300799, httpDate: 'Fri, 31 Dec 9999 23:59:59 GMT' }
]

for (const { given, seconds, httpDate } of instants) {
  const shown = given instanceof Date ? `a Date of ${given.getTime()} ms` : given

  t.test(`${shown} is sent as a structured date and as an HTTP date`, async (t) => {
    const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated: given, sunset: given } } })
    app.get('/', async () => '')
    const { headers } = await app.inject('/?version=v1')
    t.equal(headers.deprecation, `@${seconds}`)
    t.equal(Number(parseItem(headers.deprecation as string)[0]), seconds * 1000)
    t.equal(headers.sunset, httpDate)
  })
}

t.test('a Date that is modified later does not change the retirement', async (t) => {
  const deprecated = new Date('2026-01-01')
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated } } })
  app.get('/', async () => '')
  deprecated.setFullYear(2030)
  t.equal((await app.inject('/?version=v1')).headers.deprecation, '@1767225600')
})

t.test('a version may be deprecated without a sunset', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated: '2026-01-01', info: '/leaving' } } })
  app.get('/', async () => '')
  const { headers } = await app.inject('/?version=v1')
  t.equal(headers.sunset, undefined)
  t.notMatch(headers.link, 'sunset')
})

t.test('a version may have a sunset without a deprecation', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: { v1: { sunset: '2026-01-01', info: '/leaving' } } })
  app.get('/', async () => '')
  const { headers } = await app.inject('/?version=v1')
  t.equal(headers.deprecation, undefined)
  t.equal(headers.sunset, 'Thu, 01 Jan 2026 00:00:00 GMT')
  t.match(headers.link, '</leaving>; rel="deprecation", </leaving>; rel="sunset"')
})

interface Written { what: string, info: VersionEnding['info'], links: object[] }

const writtens: Written[] = [
  { what: 'a URL', info: 'https://docs.example.com/v1', links: [{ uri: 'https://docs.example.com/v1' }] },
  { what: 'a path', info: '/docs/v1', links: [{ uri: '/docs/v1' }] },
  { what: 'another host', info: '//docs.example.com/v1', links: [{ uri: '//docs.example.com/v1' }] },
  { what: 'a host beyond ASCII', info: 'https://größe.example/', links: [{ uri: 'https://xn--gre-6ka8i.example/' }] },
  { what: 'a path beyond ASCII', info: '/größe/😀', links: [{ uri: '/gr%C3%B6%C3%9Fe/%F0%9F%98%80' }] },
  { what: 'text that would end a link', info: '/a>; rel="x", <b', links: [{ uri: '/a%3E;%20rel=%22x%22,%20%3Cb' }] },
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
  { does: 'removes it', set: (reply) => { reply.removeHeader('link') }, link: OWN },
  {
    does: 'sets it on the response of Node',
    set: (reply) => { reply.raw.setHeader('Link', NEXT) },
    link: `${NEXT}, ${OWN}`
  },
  {
    does: 'sets several only on the response of Node',
    set: (reply) => { reply.removeHeader('link').raw.setHeader('Link', [NEXT, '<a>']) },
    link: `${NEXT}, <a>, ${OWN}`
  }
]

for (const { does, set, link } of merges) {
  t.test(`a response of a handler that ${does} has its own links and the links of its retirement`, async (t) => {
    const lifecycle = { v1: { deprecated, info: '/leaving' } }
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle })
    app.get('/', async (_request, reply) => {
      set(reply)
      return ''
    })
    t.equal((await app.inject({ url: '/', headers: { accept: 'a/b;version=v1' } })).headers.link, link)
  })
}

t.test('a web response has its own links and the links of its retirement, and Vary', async (t) => {
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
