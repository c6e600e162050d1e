import LinkHeader from 'http-link-header'
import { Readable } from 'node:stream'
import { parseItem } from 'structured-headers'
import t from 'tap'

import versioning, { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { ending, lifecycle } from '../fixtures/lifecycle.ts'
import { declareIn, places, requestOf } from '../fixtures/places.ts'

import type { FastifyReply, InjectOptions } from 'fastify'

const RETIRED = { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' }
const deprecated = '2026-01-01'
const OWN = '</leaving>; rel="deprecation"'
const NEXT = '</next>; rel="next"'
const v1 = { url: '/', headers: { accept: 'a/b;version=v1' } }
const fail = async () => { throw new Error('broken') }

for (const place of Object.values(places)) {
  t.test(`under ${place.Scheme.name} responses have the retirement headers of their version`, async (t) => {
    const app = await appWith(t, { ...ending, scheme: place.Scheme })
    declareIn(app, [place], { method: 'GET', url: '/bookings', handler: ok })
    const ask = (version: string) => app.inject(requestOf('/bookings', place.naming(version)))
    t.match((await ask('v1')).headers, RETIRED)
    t.match((await ask('v2')).headers, { deprecation: '@1788220800', sunset: undefined })
  })
}

const preflight = { origin: 'a', 'access-control-request-method': 'GET' }
const json = { 'content-type': 'application/json' }

const answers: [says: string, request: InjectOptions, status: number, isSilent?: true][] = [
  ['a 200', { url: '/ok' }, 200],
  ['a HEAD', { url: '/ok', method: 'HEAD' }, 200],
  ['a plain OPTIONS', { url: '/ok', method: 'OPTIONS' }, 200],
  ['a 204', { url: '/empty' }, 204],
  ['a 304', { url: '/unchanged' }, 304],
  ['a redirect', { url: '/redirect' }, 302],
  ['a stream', { url: '/stream' }, 200],
  ['a web response', { url: '/response' }, 200],
  ['a validation error', { url: '/invalid' }, 400],
  ['a body that cannot be parsed', { url: '/ok', method: 'POST', headers: json, payload: '{' }, 400],
  ['an error', { url: '/broken' }, 500],
  ['an error of a later hook', { url: '/hook' }, 500],
  ['an error of an onSend hook', { url: '/on-send' }, 500],
  ['an error handler', { url: '/handled' }, 418],
  ['a handler that finds nothing', { url: '/missing' }, 404],
  ['another version', { url: '/ok', query: { version: 'v3' } }, 200, true],
  ['a refusal', { url: '/ok', query: { version: 'v9' } }, 404, true],
  ['an unknown URL', { url: '/unknown' }, 404, true],
  ['a version-neutral route', { url: '/neutral' }, 200, true],
  ['a context without a scheme', { url: '/off' }, 200, true],
  ['a preflight', { url: '/ok', method: 'OPTIONS', headers: preflight }, 200, true],
  ['a hook that answers first', { url: '/first' }, 418, true]
]

for (const [says, request, status, isSilent] of answers) {
  t.test(`the response for ${says} has ${isSilent ? 'no ' : ''}retirement headers`, async (t) => {
    const app = bareApp(t)
    app.addHook('onRequest', async ({ url }, reply) => {
      if (url.startsWith('/first')) return reply.code(418).send('teapot')
    })
    await app.register(versioning, { ...ending, lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } } })
    for (const url of ['/ok', '/first']) app.route({ method: ['GET', 'POST', 'OPTIONS'], url, handler: ok })
    app.get('/empty', (_request, reply) => { reply.code(204).send() })
    app.get('/unchanged', (_request, reply) => { reply.code(304).send() })
    app.get('/redirect', (_request, reply) => { reply.redirect('/ok') })
    app.get('/stream', (_request, reply) => reply.send(Readable.from(['a', 'b'])))
    app.get('/response', async () => new Response('ok'))
    app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, ok)
    app.get('/broken', fail)
    app.get('/missing', (_request, reply) => { reply.callNotFound() })
    app.get('/hook', { onRequest: fail }, ok)
    app.get('/on-send', { onSend: fail }, async (_request, reply) => reply.header('link', NEXT).send('ok'))
    app.get('/neutral', { versioning: false }, ok)
    app.register(async (context) => {
      context.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'))
      context.get('/handled', fail)
    })
    app.register(async (context) => {
      await context.register(versioning, { scheme: null })
      context.get('/off', ok)
    })
    const { statusCode, headers } = await app.inject({ query: { version: 'v1' }, ...request })
    t.equal(statusCode, status)
    if (isSilent) t.match(headers, { deprecation: undefined, sunset: undefined, link: undefined })
    else t.match(headers, { ...RETIRED, link: '</leaving>; rel="deprecation", </leaving>; rel="sunset"' })
  })
}

const instants: [given: string | Date, seconds: number, httpDate: string][] = [
  ['2026-01-01', 1767225600, 'Thu, 01 Jan 2026 00:00:00 GMT'],
  [new Date('2026-09-01'), 1788220800, 'Tue, 01 Sep 2026 00:00:00 GMT'],
  ['2026-12-31T23:59:59Z', 1798761599, 'Thu, 31 Dec 2026 23:59:59 GMT'],
  ['2026-12-31T23:59:59.999999999Z', 1798761599, 'Thu, 31 Dec 2026 23:59:59 GMT'],
  ['2026-01-01T00:00:00+02:00', 1767218400, 'Wed, 31 Dec 2025 22:00:00 GMT'],
  ['2026-01-01T01:00+01', 1767225600, 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ['2026-01-01T00:00:00-11:30', 1767267000, 'Thu, 01 Jan 2026 11:30:00 GMT'],
  [new Date(-1), -1, 'Wed, 31 Dec 1969 23:59:59 GMT'],
  ['0001-01-01', -62135596800, 'Mon, 01 Jan 0001 00:00:00 GMT'],
  ['9999-12-31T23:59:59Z', 253402300799, 'Fri, 31 Dec 9999 23:59:59 GMT']
]

for (const [given, seconds, httpDate] of instants) {
  const shown = given instanceof Date ? `a Date of ${given.getTime()} ms` : given

  t.test(`${shown} is sent as a structured date and as an HTTP date`, async (t) => {
    const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated: given, sunset: given } } })
    app.get('/', ok)
    const { headers } = await app.inject('/?version=v1')
    t.equal(headers.deprecation, `@${seconds}`)
    t.equal(Number(parseItem(headers.deprecation as string)[0]), seconds * 1000)
    t.equal(headers.sunset, httpDate)
  })
}

t.test('a Date that is modified later does not change the retirement', async (t) => {
  const deprecated = new Date('2026-01-01')
  const app = await appWith(t, { ...ending, lifecycle: { v1: { deprecated } } })
  app.get('/', ok)
  deprecated.setFullYear(2030)
  t.equal((await app.inject('/?version=v1')).headers.deprecation, '@1767225600')
})

for (const [dates, expected] of [
  [{ deprecated }, { deprecation: '@1767225600', sunset: undefined, link: OWN }],
  [{ sunset: deprecated }, {
    deprecation: undefined, sunset: 'Thu, 01 Jan 2026 00:00:00 GMT', link: `${OWN}, </leaving>; rel="sunset"`
  }]
] as const) {
  t.test(`a version may have only the date ${Object.keys(dates).join()}`, async (t) => {
    const lifecycle = { v1: { ...dates, info: '/leaving' } }
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle })
    app.get('/', ok)
    const { deprecation, sunset, link } = (await app.inject(v1)).headers
    t.same({ deprecation, sunset, link }, expected)
  })
}

const infos: [what: string, info: string, uri: string][] = [
  ['a URL', 'https://docs.example.com/v1', 'https://docs.example.com/v1'],
  ['a path', '/docs/v1', '/docs/v1'],
  ['another host', '//docs.example.com/v1', '//docs.example.com/v1'],
  ['a host beyond ASCII', 'https://größe.example/', 'https://xn--gre-6ka8i.example/'],
  ['a path beyond ASCII', '/größe/😀', '/gr%C3%B6%C3%9Fe/%F0%9F%98%80'],
  ['text that would end a link', '/a>; rel="x", <b', '/a%3E;%20rel=%22x%22,%20%3Cb'],
  ['a percent sign that is not an escape', '/100%', '/100%25']
]

for (const [what, info, uri] of infos) {
  t.test(`info with ${what} is a link that a parser reads`, async (t) => {
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle: { v1: { deprecated, info } } })
    app.get('/', ok)
    const { link } = (await app.inject(v1)).headers
    t.match(LinkHeader.parse(String(link)).refs, [{ uri, rel: 'deprecation' }])
    t.equal(link, `<${uri}>; rel="deprecation"`)
  })
}

const sets: [says: string, set: (reply: FastifyReply) => unknown, link: string][] = [
  ['sets nothing', () => {}, OWN],
  ['sets a link', (reply) => reply.header('Link', NEXT), `${NEXT}, ${OWN}`],
  ['sets several', (reply) => reply.header('link', [NEXT, '<a>'] as never), `${NEXT}, <a>, ${OWN}`],
  ['removes it', (reply) => reply.removeHeader('link'), OWN],
  ['sets it on the response of Node', (reply) => reply.raw.setHeader('Link', NEXT), `${NEXT}, ${OWN}`],
  ['sets several only on the response of Node', (reply) => (
    reply.removeHeader('link').raw.setHeader('Link', [NEXT, '<a>'])
  ), `${NEXT}, <a>, ${OWN}`]
]

for (const [says, set, link] of sets) {
  t.test(`a response of a handler that ${says} has its own links and the links of its retirement`, async (t) => {
    const lifecycle = { v1: { deprecated, info: '/leaving' } }
    const app = await appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle })
    app.get('/', async (_request, reply) => {
      set(reply)
      return ''
    })
    t.equal((await app.inject(v1)).headers.link, link)
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
  const response = await app.inject(v1)
  t.match(response.headers, { link: `${NEXT}, ${OWN}`, vary: 'Origin, Accept' })
  t.equal(response.body, 'own')
  t.equal((await app.inject({ ...v1, url: '/used' })).statusCode, 500)
})
