import Fastify from 'fastify'
import createClient from 'openapi-fetch'
import t from 'tap'
import { Agent, Client, fetch, request } from 'undici'

import { versionInterceptor, versionMiddleware } from '../../src/client/index.ts'

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Dispatcher } from 'undici'
import type { VersionedFetchOptions, VersionNotice, VersionPlace } from '../../types/client.d.ts'

interface Echo { url: string, accept?: string, 'api-version'?: string, 'x-a'?: string, host: string, body?: unknown }

interface paths {
  '/bookings/{id}': {
    get: {
      parameters: { path: { id: number } }
      responses: { 200: { content: { 'application/json': Echo } } }
    }
    post: {
      parameters: { path: { id: number } }
      requestBody: { content: { 'application/json': { guest: string } } }
      responses: { 200: { content: { 'application/json': Echo } } }
    }
  }
}

const places: Array<[VersionPlace, Partial<Echo>]> = [
  [{ query: 'version' }, { url: '/bookings/7?version=v2' }],
  [{ path: '/{version}' }, { url: '/v2/bookings/7' }],
  [{ header: 'API-Version' }, { url: '/bookings/7', 'api-version': 'v2' }],
  [{ accept: 'application/json' }, { url: '/bookings/7' }]
]

for (const [place, expected] of places) {
  const name = JSON.stringify(place)
  const options = (notices: VersionNotice[]): VersionedFetchOptions => ({
    version: 'v2', place, onNotice: (notice) => { notices.push(notice) }
  })

  t.test(`undici requests the version by ${name}`, async (t) => {
    const notices: VersionNotice[] = []
    const origin = await listening(t)
    const dispatcher = composed(t, new Agent(), options(notices))
    for (const headers of [undefined, { 'X-A': '1', b: undefined }, ['x-a', '1']]) {
      const { body } = await request(`${origin}/bookings/7`, { dispatcher, ...headers && { headers } })
      const echo = await body.json() as Echo
      t.match(echo, { ...expected, ...headers && { 'x-a': '1' } })
      if ('accept' in place) t.equal(echo.accept, 'application/json; version=v2')
    }
    t.match(await (await fetch(`${origin}/bookings/7`, { dispatcher })).json(), expected)
    t.equal(notices.length, 1)
    t.match(notices[0].message, /^v2 of GET http:.*\/bookings\/7 has been deprecated since 1 January 1970$/)
  })

  t.test(`openapi-fetch requests the version by ${name}`, async (t) => {
    const notices: VersionNotice[] = []
    const client = createClient<paths>({ baseUrl: await listening(t) })
    client.use(versionMiddleware(options(notices)))
    const { data } = await client.GET('/bookings/{id}', { params: { path: { id: 7 } }, headers: { 'x-a': '1' } })
    t.match(data, { ...expected, 'x-a': '1' })
    const posted = await client.POST('/bookings/{id}', { params: { path: { id: 7 } }, body: { guest: 'Ada' } })
    t.match(posted.data, { ...expected, body: { guest: 'Ada' } })
    t.same(notices.map(({ version }) => version), ['v2', 'v2'])
    t.match(notices[1].message, /^v2 of POST /)
  })
}

t.test('a version that the caller specifies wins over the version of the interceptor', async (t) => {
  const origin = await listening(t)
  const dispatcher = composed(t, new Agent(), { version: 'v2', place: { header: 'API-Version' } })
  for (const headers of [{ 'Api-Version': 'v1' }, ['api-version', 'v1']]) {
    const { body } = await request(`${origin}/x`, { dispatcher, headers })
    t.match(await body.json(), { 'api-version': 'v1' })
  }
})

interface Given { name: string, headers: () => unknown, accept: string }

const givens: Given[] = [
  { name: 'a Map', headers: () => new Map([['x-a', '1']]), accept: 'application/json; version=v2' },
  { name: 'Headers', headers: () => new Headers({ 'x-a': '1' }), accept: 'application/json; version=v2' },
  {
    name: 'pairs that come once',
    headers: () => (function * () { yield ['x-a', '1'] })(),
    accept: 'application/json; version=v2'
  },
  {
    name: 'an object with a list',
    headers: () => ({ 'x-a': '1', accept: ['text/html', 'application/json;q=0.5'] }),
    accept: 'text/html; version=v2, application/json; version=v2;q=0.5'
  }
]

for (const { name, headers, accept } of givens) {
  t.test(`undici sends the headers that the caller gives as ${name}`, async (t) => {
    const origin = await listening(t)
    for (const place of [{ accept: 'application/json' }, { query: 'version' }]) {
      const dispatcher = composed(t, new Agent(), { version: 'v2', place })
      const { body } = await request(`${origin}/x`, { dispatcher, headers: headers() as Record<string, string> })
      t.match(await body.json(), { 'x-a': '1', ...'accept' in place ? { accept } : {} })
    }
  })
}

t.test('undici puts the version next to the other parameters of its query', async (t) => {
  const dispatcher = composed(t, new Agent(), { version: 'v2', place: { query: 'version' } })
  const { body } = await request(`${await listening(t)}/x`, { dispatcher, query: { a: 1, version: 'v1' } })
  t.match(await body.json(), { url: '/x?a=1&version=v2' })
})

t.test('undici goes to the host of the version', async (t) => {
  const place = { host: '{version}.example.com' }
  const { port } = new URL(await listening(t))
  const agent = new Agent({
    connect: { lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) }
  })
  const dispatcher = composed(t, agent, { version: 'v2', place })
  const { body } = await request(`http://example.com:${port}/x`, { dispatcher })
  t.match(await body.json(), { host: `v2.example.com:${port}` })
})

t.test('a Client requests the version, and other origins than the given ones do not get it', async (t) => {
  const origin = await listening(t)
  const client = composed(t, new Client(origin), { version: 'v2', place: { path: '/{version}' } })
  const { body } = await client.request({ path: '/x', method: 'GET' })
  t.match(await body.json(), { url: '/v2/x' })
  const options = { version: 'v2', place: { path: '/{version}' }, origins: ['https://api.example.com'] }
  const answer = await request(`${origin}/x`, { dispatcher: composed(t, new Agent(), options) })
  t.match(await answer.body.json(), { url: '/x' })
  const fetched = createClient<paths>({ baseUrl: origin })
  fetched.use(versionMiddleware({ ...options, onNotice: () => t.fail('not asked') }))
  t.match((await fetched.GET('/bookings/{id}', { params: { path: { id: 7 } } })).data, { url: '/bookings/7' })
})

t.test('the option origins has no effect on a Client, which has its own origin', async (t) => {
  const origin = await listening(t)
  const options = { version: 'v2', place: { path: '/{version}' }, origins: ['https://api.example.com'] }
  const { body } = await composed(t, new Client(origin), options).request({ path: '/x', method: 'GET' })
  t.match(await body.json(), { url: '/v2/x' })
})

t.test('a path of a Client that begins with two slashes stays a path', async (t) => {
  const origin = await listening(t)
  const urls = []
  for (const place of [{ path: '/{version}' }, { path: '/{version}', unversioned: { v2: '/' } }, { query: 'v' }]) {
    const client = composed(t, new Client(origin), { version: 'v2', place })
    for (const path of ['//x/y', '/v1//x/y']) {
      const { body } = await client.request({ path, method: 'GET' })
      urls.push((await body.json() as Echo).url)
    }
  }
  t.same(urls, ['/v2//x/y', '/v2//x/y', '//x/y', '//x/y', '//x/y?v=v2', '/v1//x/y?v=v2'])
})

t.test('a CONNECT request, whose path is a host, is passed on unchanged', async (t) => {
  for (const place of [{ path: '/{version}' }, { header: 'API-Version' }]) {
    const request = { origin: 'http://proxy.example.com', path: 'example.com:443', method: 'CONNECT' }
    const calls: unknown[] = []
    const dispatch = versionInterceptor({ version: 'v2', place })((given: typeof request, _handler: object) => {
      calls.push(given)
      return true
    })
    dispatch(request, {})
    t.same(calls, [request])
  }
})

t.test('openapi-fetch reads the notice if a host that is not among the origins answers', async (t) => {
  const notices: VersionNotice[] = []
  const client = createClient<paths>({
    baseUrl: 'https://api.example.com',
    fetch: async () => Response.json({}, { headers: { deprecation: '@1' } })
  })
  client.use(versionMiddleware({
    version: 'v2',
    place: { host: '{version}.example.com' },
    origins: ['https://api.example.com'],
    onNotice: (notice) => { notices.push(notice) }
  }))
  await client.GET('/bookings/{id}', { params: { path: { id: 7 } } })
  t.same(notices.map(({ message }) => message), [
    'v2 of GET https://v2.example.com/bookings/7 has been deprecated since 1 January 1970'
  ])
})

t.test('wrong options of the adapters throw a TypeError', async (t) => {
  for (const make of [versionInterceptor, versionMiddleware]) {
    t.throws(() => make({ version: '', place: { query: 'v' } }), { name: 'TypeError', message: /"version"/ })
  }
})

function composed (t: Test, dispatcher: Dispatcher, options: VersionedFetchOptions): Dispatcher {
  t.teardown(() => dispatcher.close())
  return dispatcher.compose(versionInterceptor(options))
}

/** The origin of a server that answers with what it was asked, in a deprecated version. */
async function listening (t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  app.all('/*', async ({ url, headers, body }, reply) => {
    reply.header('deprecation', '@1')
    return { url, ...headers, body }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}
