import LinkHeader from 'http-link-header'
import { parseItem } from 'structured-headers'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, BaseVersioning, VersionError } from '../../src/index.ts'
import { appWith, bareApp, ok } from '../fixtures/app-with.ts'
import { SUNSET, clockAt, ending, lifecycle, linksOf } from '../fixtures/lifecycle.ts'

import type { FastifyReply, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersionEnding, VersioningOptions } from '../../types/index.d.ts'

const RETIRED = { deprecation: '@1767225600', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' }
const deprecated = '2026-01-01'
const OWN = '</leaving>; rel="deprecation"'
const NEXT = '</next>; rel="next"'
const v1 = { url: '/', headers: { accept: 'a/b;version=v1' } }
const fail = async () => { throw new Error('broken') }

/** An app whose v1 has these dates, and a page about them. */
async function appLeaving (t: Test, dates: VersionEnding = { deprecated }) {
  const lifecycle = { v1: { info: '/leaving', ...dates } }
  return appWith(t, { ...ending, scheme: AcceptHeaderVersioning, lifecycle })
}

const preflight = { origin: 'a', 'access-control-request-method': 'GET' }

/** A response has the headers of the retirement and the report, the report alone, or neither. */
const answers: [has: 'both' | 'the report' | 'neither', of: string, request: InjectOptions, status: number][] = [
  ['both', 'a 200', { url: '/ok' }, 200],
  ['both', 'a HEAD', { url: '/ok', method: 'HEAD' }, 200],
  ['both', 'a plain OPTIONS', { url: '/ok', method: 'OPTIONS' }, 200],
  ['both', 'a web response', { url: '/response' }, 200],
  ['both', 'a validation error', { url: '/invalid' }, 400],
  ['both', 'an error', { url: '/broken' }, 500],
  ['both', 'an error of an onSend hook', { url: '/on-send' }, 500],
  ['both', 'an error handler', { url: '/handled' }, 418],
  ['both', 'a handler that finds nothing', { url: '/missing' }, 404],
  ['the report', 'another version', { url: '/ok', query: { version: 'v3' } }, 200],
  ['the report', 'a refusal', { url: '/ok', query: { version: 'v9' } }, 404],
  ['the report', 'a request refused because it has no version', { url: '/ok', query: {} }, 404],
  ['neither', 'an unknown URL', { url: '/unknown' }, 404],
  ['neither', 'a version-neutral route', { url: '/neutral' }, 200],
  ['neither', 'a context without a scheme', { url: '/off' }, 200],
  ['neither', 'a preflight', { url: '/ok', method: 'OPTIONS', headers: preflight }, 200],
  ['neither', 'a scheme that fails', { url: '/failing' }, 501],
  ['neither', 'a hook that answers first', { url: '/first' }, 418]
]

for (const [has, of, request, status] of answers) {
  t.test(`of retirement headers and a report, the response for ${of} has ${has}`, async (t) => {
    const app = bareApp(t)
    app.addHook('onRequest', async ({ url }, reply) => {
      if (url.startsWith('/first')) return reply.code(418).send('teapot')
    })
    await app.register(versioning, {
      ...ending,
      lifecycle: { v1: { ...lifecycle.v1, info: '/leaving' } },
      reportVersions: true,
      now: clockAt('2026-06-01').now
    })
    for (const url of ['/ok', '/first']) app.route({ method: ['GET', 'OPTIONS'], url, handler: ok })
    app.get('/response', async () => new Response('ok'))
    app.get('/invalid', { schema: { querystring: { type: 'object', required: ['x'] } } }, ok)
    app.get('/broken', fail)
    app.get('/missing', (_request, reply) => { reply.callNotFound() })
    app.get('/on-send', { onSend: fail }, async (_request, reply) => reply.header('link', NEXT).send('ok'))
    app.get('/neutral', { versioning: false }, ok)
    app.get('/failing', { versioning: BaseVersioning }, ok)
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
    t.match(headers, has === 'both'
      ? { ...RETIRED, link: '</leaving>; rel="deprecation", </leaving>; rel="sunset"' }
      : { deprecation: undefined, sunset: undefined, link: undefined })
    t.same([headers['api-supported-versions'], headers['api-deprecated-versions']], (
      has === 'neither' ? [undefined, undefined] : ['v1, v2, v3', 'v1']
    ))
  })
}

const instants: [given: string | Date, seconds: number, httpDate: string][] = [
  ['2026-01-01', 1767225600, 'Thu, 01 Jan 2026 00:00:00 GMT'],
  [new Date('2026-09-01'), 1788220800, 'Tue, 01 Sep 2026 00:00:00 GMT'],
  ['2026-12-31T23:59:59.999999999Z', 1798761599, 'Thu, 31 Dec 2026 23:59:59 GMT'],
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
    const app = await appLeaving(t, dates)
    app.get('/', ok)
    const { deprecation, sunset, link } = (await app.inject(v1)).headers
    t.same({ deprecation, sunset, link }, expected)
  })
}

const infos: [what: string, info: string, uri: string][] = [
  ['a URL', 'https://docs.example.com/v1', 'https://docs.example.com/v1'],
  ['a path', '/docs/v1', '/docs/v1'],
  ['a host beyond ASCII', 'https://größe.example/', 'https://xn--gre-6ka8i.example/'],
  ['a path beyond ASCII', '/größe/😀', '/gr%C3%B6%C3%9Fe/%F0%9F%98%80'],
  ['text that would end a link', '/a>; rel="x", <b', '/a%3E;%20rel=%22x%22,%20%3Cb'],
  ['a percent sign that is not an escape', '/100%', '/100%25']
]

for (const [what, info, uri] of infos) {
  t.test(`info with ${what} is a link that a parser reads`, async (t) => {
    const app = await appLeaving(t, { deprecated, info })
    app.get('/', ok)
    const { link } = (await app.inject(v1)).headers
    t.match(LinkHeader.parse(String(link)).refs, [{ uri, rel: 'deprecation' }])
    t.equal(link, `<${uri}>; rel="deprecation"`)
  })
}

const answering: [says: string, send: (reply: FastifyReply) => unknown, link: string][] = [
  ['sets nothing', (reply) => reply.send('own'), OWN],
  ['sets a link', (reply) => reply.header('Link', NEXT).send('own'), `${NEXT}, ${OWN}`],
  ['removes it', (reply) => reply.removeHeader('link').send('own'), OWN],
  ['sets it on the response of Node', (reply) => { reply.raw.setHeader('Link', NEXT) }, `${NEXT}, ${OWN}`],
  ['sets several only on the response of Node', (reply) => {
    reply.removeHeader('link').raw.setHeader('Link', [NEXT, '<a>'])
  }, `${NEXT}, <a>, ${OWN}`],
  ['sends a web response', () => new Response('own', { headers: { link: NEXT } }), `${NEXT}, ${OWN}`]
]

for (const [says, send, link] of answering) {
  t.test(`a response of a handler that ${says} has its own links and the links of its retirement`, async (t) => {
    const app = await appLeaving(t)
    app.get('/', async (_request, reply) => send(reply) ?? 'own')
    const { body, headers } = await app.inject(v1)
    t.same([body, headers.link], ['own', link])
  })
}

// From the sunset on

const enforced: VersioningOptions = { enforceSunset: true, now: clockAt(SUNSET).now }
const GONE = "Version 'v1' was retired on Thu, 31 Dec 2026 23:59:59 GMT. Versions: v2, v3."

t.test('a version is gone from its sunset on', async (t) => {
  const { now, set } = clockAt('2026-12-31T23:59:58.999Z')
  const app = await appWith(t, { ...ending, enforceSunset: true, now, defaultVersion: 'v1' })
  app.get('/', ok)
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
  set(SUNSET)
  const response = await app.inject('/?version=v1')
  t.equal(response.statusCode, 410)
  t.match(response.json(), { code: 'FST_ERR_VERSION_GONE', message: GONE })
  t.equal((await app.inject('/?version=v2')).statusCode, 200)
  t.equal((await app.inject('/')).statusCode, 410, 'the default version')
  set('2026-06-01')
  t.equal((await app.inject('/?version=v1')).statusCode, 200)
})

t.test('the clock is by default that of the machine, and without enforceSunset nothing is gone', async (t) => {
  const past = { v1: { deprecated: '2001-01-01' }, v2: { sunset: '2001-01-01' }, v3: { sunset: '9999-12-31' } }
  for (const enforceSunset of [true, false]) {
    const app = await appWith(t, { ...ending, lifecycle: past, enforceSunset, reportVersions: true })
    app.get('/', ok)
    t.equal((await app.inject('/?version=v2')).statusCode, enforceSunset ? 410 : 200)
    const response = await app.inject('/?version=v1')
    t.equal(response.headers['api-supported-versions'], enforceSunset ? 'v1, v3' : 'v1, v2, v3')
    t.equal(linksOf(response)[0], `successor-version /?version=${enforceSunset ? 'v3' : 'v2'}`)
    t.equal((await app.inject('/?version=v3')).statusCode, 200)
  }
})

t.test('a 410 has retirement headers; an error handler knows the version, and those that are left', async (t) => {
  const info = { v1: { ...lifecycle.v1, info: '/leaving' } }
  const app = await appWith(t, { ...ending, ...enforced, lifecycle: info, logVersion: true })
  app.setErrorHandler<VersionError>(async ({ statusCode, allowedVersions }, request, reply) => (
    reply.code(statusCode).send([request.version, allowedVersions, reply.reverse()])
  ))
  app.get('/', ok)
  const response = await app.inject('/?version=v1')
  t.match(response, { statusCode: 410, headers: RETIRED })
  t.same(response.json(), ['v1', ['v2', 'v3'], '/?version=v1'])
  t.same(linksOf(response), [
    'deprecation /leaving', 'sunset /leaving', 'successor-version /?version=v2', 'latest-version /?version=v3'
  ])
})

t.test('the message of a 410 ends with the page that info names', async (t) => {
  const info = 'https://docs.example.com/leaving v1?a=\u2192'
  const app = await appWith(t, { ...ending, ...enforced, lifecycle: { v1: { ...lifecycle.v1, info } } })
  app.get('/', ok)
  app.get('/own', { deprecated: { sunset: SUNSET, info: 'https://docs.example.com/own' } }, ok)
  const { message } = (await app.inject('/?version=v1')).json()
  t.equal(message, `${GONE} More: https://docs.example.com/leaving%20v1?a=%E2%86%92`)
  const own = (await app.inject('/own?version=v2')).json()
  t.match(own.message, / GMT\..* More: https:\/\/docs\.example\.com\/own$/)
})

t.test('a version that only has its release is not retired, and its responses do not say it', async (t) => {
  const released = { v2: { released: '2026-03-01', info: '/v2' } }
  const app = await appWith(t, {
    ...ending, lifecycle: released, reportVersions: true, enforceSunset: true, now: clockAt('2027-01-01').now
  })
  app.get('/', ok)
  const { statusCode, headers } = await app.inject('/?version=v2')
  t.equal(statusCode, 200)
  for (const name of ['deprecation', 'sunset', 'link', 'api-deprecated-versions']) t.notOk(name in headers, name)
  t.equal(headers['api-supported-versions'], 'v1, v2, v3')
})

t.test('a refusal and a 410 of a version must not be stored, whoever throws it', async (t) => {
  const app = await appWith(t, { ...ending, ...enforced })
  app.get('/', ok)
  app.get('/hook', { onRequest: async () => { throw new VersionError('gone', 'No more.') } }, ok)
  app.get('/handler', async () => { throw new VersionError('gone', 'No more.') })
  app.get('/own', async () => { throw Object.assign(new Error('No more.'), { statusCode: 410 }) })
  app.get('/other', async () => { throw new VersionError('notFound', 'Not here.') })
  app.register(async (child) => {
    child.setErrorHandler(async (_error, _request, reply) => reply.code(410).send('mine'))
    child.get('/handled', ok)
  })
  app.register(async (child) => {
    child.setErrorHandler(async () => { throw new VersionError('gone', 'No more.') })
    child.get('/rethrown', async () => { throw new Error('broken') })
  })
  for (const [path, cache] of [
    ['/?version=v1', 'no-store'], ['/handled?version=v1', 'no-store'], ['/hook?version=v2', 'no-store'],
    ['/handler?version=v2', 'no-store'], ['/rethrown?version=v2', 'no-store'], ['/own?version=v2', undefined],
    ['/?version=v9', 'no-store'], ['/other?version=v2', 'no-store']
  ] as const) t.equal((await app.inject(path)).headers['cache-control'], cache, path)
})

t.test('a registration applies to routes declared before it in its context', async (t) => {
  const app = await appWith(t, { ...ending, lifecycle: null })
  app.register(async (context) => {
    context.get('/', async (_request, reply) => reply.header('link', NEXT).send('ok'))
    await context.register(versioning, { lifecycle, ...enforced })
  })
  t.equal((await app.inject('/?version=v1')).statusCode, 410)
  t.same(linksOf(await app.inject('/?version=v2')), [
    'next /next', 'successor-version /?version=v3', 'latest-version /?version=v3'
  ])
})

for (const [says, options, route] of [
  ['in an app without a scheme', {}, {}],
  ['that is neutral', { ...ending, scheme: AcceptHeaderVersioning }, { versioning: false }]
] as const) {
  t.test(`a route ${says} is retired by its own dates`, async (t) => {
    const clock = clockAt('2026-06-01')
    const app = await appWith(t, { ...options, enforceSunset: true, now: clock.now })
    app.addHook('onSend', async (_request, reply) => { reply.header('link', NEXT) })
    const deprecated = { deprecated: '2026-01-01', sunset: SUNSET, info: '/leaving' }
    app.get('/old', { ...route, deprecated }, ok)
    app.get('/announced', { ...route, deprecated: { sunset: SUNSET } }, ok)
    app.get('/', route, ok)
    const ask = async (url: string, method: 'GET' | 'HEAD' = 'GET') => app.inject({ url, method })
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await ask('/old', method)
      t.match(response, { statusCode: 200, headers: { ...RETIRED, vary: undefined } })
      t.same(linksOf(response), ['next /next', 'deprecation /leaving', 'sunset /leaving'])
    }
    t.match((await ask('/announced')).headers, { sunset: RETIRED.sunset, deprecation: undefined })
    clock.set('2027-01-01')
    for (const url of ['/old', '/announced']) {
      const { headers, statusCode, body } = await ask(url)
      t.match(headers, { sunset: RETIRED.sunset, 'cache-control': 'no-store' })
      const more = url === '/old' ? ' More: /leaving' : ''
      t.match({ statusCode, ...JSON.parse(body) }, { statusCode: 410, code: 'FST_ERR_VERSION_GONE' })
      t.equal(JSON.parse(body).message, `This URL was retired on ${RETIRED.sunset}.${more}`)
    }
    t.equal((await ask('/old', 'HEAD')).statusCode, 410)
    t.match((await ask('/')).headers, { sunset: undefined, deprecation: undefined })
    t.equal((await app.inject({ url: '/old', method: 'OPTIONS', headers: preflight })).statusCode, 404)
  })
}

t.test('without enforceSunset a route without versions is served after its sunset', async (t) => {
  const app = await appWith(t, { now: clockAt('2027-01-01').now })
  app.get('/old', { deprecated: { sunset: SUNSET } }, ok)
  t.match(await app.inject('/old'), { statusCode: 200, headers: { sunset: RETIRED.sunset } })
  t.match(app.versions, [{ version: null, routes: [{ url: '/old', sunset: new Date(SUNSET) }, { method: 'HEAD' }] }])
})

t.test('the retirement of a route that has its own scheme is applied', async (t) => {
  const app = await appWith(t, { ...ending, scheme: null, lifecycle: null })
  app.get('/', { versioning: AcceptHeaderVersioning, deprecated: { deprecated, info: '/moved' } }, ok)
  const response = await app.inject(v1)
  t.equal(response.headers.deprecation, '@1767225600')
  t.same(linksOf(response), ['deprecation /moved'])
})
