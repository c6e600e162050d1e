import Fastify from 'fastify'
import { once } from 'node:events'
import t from 'tap'

import { versionedFetch } from '../../src/client/index.ts'
import { spied } from './fixtures.ts'

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersionedFetchOptions, VersionPlace } from '../../types/client.d.ts'

const URL_X = 'https://api.example.com/x'
const query = { query: 'version' }
const header = { header: 'API-Version' }

const host = { host: '{version}.example.com' }
const path = { path: '/{version}' }

/** Values of the options of a place. */
const templates: Readonly<Record<string, readonly unknown[]>> = {
  accept: ['json', undefined, 'a/b\r\nx: y'],
  header: ['API Version', 'a\r\nb'],
  query: ['', '\ud800'],
  path: ['/v2', '{version}', '/{version}/x', '/{version}?x', '//{version}', '/api/../{version}'],
  host: ['example.com', '{version}', 'https://{version}.example.com']
}

const wrong: readonly (readonly [option: string, options: unknown])[] = [
  ...[undefined, null, { place: query }, { version: '..', place: path }, { version: 'v1/x', place: path },
    { version: 'V2', place: host }, { version: '1.0', place: host }].map((options) => ['version', options] as const),
  ...['', 2, 'v 2', 'v2\r\nx: y', 'v1,v2'].map((version) => ['version', { version, place: header }] as const),
  ...Object.entries(templates).flatMap(([name, values]) => values.map((value) => (
    [name, { version: 'v2', place: { [name]: value } }] as const
  ))),
  ['contentType', { version: 'v2', place: { accept: 'a/b', contentType: 'yes' } }],
  ...[7, 'api version'].map((param) => ['param', { version: 'v2', place: { accept: 'a/b', param } }] as const),
  ...[
    ['api.example.com'], ['https://api.example.com/v1'], [7], 'https://api.example.com', {}, ['https://a.com:443'],
    ['http://a.com:80'], ['https://a.com:0444'], ['https://a.com', 'https://A.com'], ['https://a.com/']
  ].map((origins) => (
    ['origins', { version: 'v2', place: query, origins }] as const
  )),
  ...[undefined, null, {}, 'header', { param: 'v' }, { ...query, ...header }, { ...query, param: 'v' },
    { accept: 'a/b', ...header }].map((place) => ['place', { version: 'v2', place }] as const),
  ['heder', { version: 'v2', place: { heder: 'a' } }] as const,
  ...[{ onNotice: 'log' }, { onNotise: 1 }, { fetch: 5 }, header].map((others) => (
    [Object.keys(others)[0], { version: 'v2', place: query, ...others }] as const
  ))
]

for (const [option, options] of wrong) {
  t.test(`versionedFetch() refuses ${option} in ${JSON.stringify(options)}`, async (t) => {
    const message = new RegExp(`^Invalid "${option}": .*$`, 's')
    t.throws(() => versionedFetch(options as VersionedFetchOptions), { name: 'TypeError', message })
  })
}

t.test('the error about a place shows the place', async (t) => {
  const both = { contentType: true, ...query }
  const wrongPlaces = [{}, [], { contentType: false }, both, { ...query, param: 'v' }, undefined]
  for (const place of wrongPlaces) {
    const message = `Invalid "place": ${JSON.stringify(place)}`
    t.throws(() => versionedFetch({ version: 'v2', place } as unknown as VersionedFetchOptions), { message })
  }
})

const places: VersionPlace[] = [{ accept: 'application/json' }, header, query, path, host]

for (const place of places) {
  t.test(`the objects of the caller are not modified with ${JSON.stringify(place)}`, async (t) => {
    const { api, calls } = spied(place)
    const headers = Object.freeze({ accept: 'text/html' })
    const init = Object.freeze({ headers, method: 'POST', body: 'x', redirect: 'manual', credentials: 'omit' } as const)
    const url = new URL(URL_X)
    await api(url, init)
    t.equal(url.href, URL_X)
    const { headers: _, ...others } = calls[0].init ?? {}
    t.same(others, { method: 'POST', body: 'x', redirect: 'manual', credentials: 'omit' })

    const request = new Request(URL_X, { headers: { a: 'b', accept: 'text/html' } })
    await api(request)
    t.same([...request.headers], [['a', 'b'], ['accept', 'text/html']])
    t.equal(request.url, URL_X)
    t.equal(new Request(calls[1].input, calls[1].init).headers.get('a'), 'b')
  })
}

t.test('a URL that already has the version is passed on unchanged', async (t) => {
  const { api, calls } = spied(query)
  for (const input of [`${URL_X}?version=v2`, new URL(`${URL_X}?version=v2`), new Request(`${URL_X}?version=v2`)]) {
    await api(input, { keepalive: true })
    t.equal(calls.at(-1)?.input, input)
    t.equal(calls.at(-1)?.init?.keepalive, true)
  }
})

t.test('the headers of init replace the headers of a Request, as in fetch', async (t) => {
  const { api, calls } = spied(header)
  await api(new Request(URL_X, { headers: { 'api-version': 'v1', a: 'b' } }), { headers: { c: 'd' } })
  t.same([...new Headers(calls[0].init?.headers)], [['api-version', 'v2'], ['c', 'd']])
})

t.test('an init may inherit its members, as a Request does', async (t) => {
  for (const place of [{ query: 'version' }, { header: 'API-Version' }]) {
    const seen: Request[] = []
    const api = versionedFetch({ version: 'v2', place }, async (input, init) => {
      seen.push(new Request(input, init))
      return new Response()
    })
    const init = new Request('https://api.example.com/x', { method: 'POST', body: 'ours', headers: { 'x-a': '1' } })
    await api('https://api.example.com/y', init)
    await api('https://api.example.com/y', Object.create({ method: 'PATCH' }))
    t.same(seen.map(({ method }) => method), ['POST', 'PATCH'])
    t.equal(await seen[0].text(), 'ours')
    t.equal(seen[0].headers.get('x-a'), '1')
  }
})

t.test('a Request keeps its referrer', async (t) => {
  const { api, calls } = spied(header)
  await api(new Request(URL_X, { referrerPolicy: 'no-referrer', referrer: '' }))
  t.match(calls[0].init, { referrerPolicy: 'no-referrer', referrer: '' })
})

t.test('errors of fetch reach the caller', async (t) => {
  const failure = new Error('offline')
  const api = versionedFetch({ version: 'v2', place: query, onNotice () {} }, async () => { throw failure })
  await t.rejects(api(URL_X), failure)
  await t.rejects(versionedFetch({ version: 'v2', place: header })(Symbol('x') as never), TypeError)
})

interface Sent { readonly method: string, readonly body: string, readonly type?: string, readonly length?: string }

const json = { 'content-type': 'application/json' }
const post = { method: 'POST', body: 'x' }
/** What is sent of a Request. */
const requests: readonly (readonly [
  says: string, request: RequestInit, init: object | undefined, expected: Sent, suffix?: string
])[] = [
  ['its method, headers and body', { method: 'PUT', body: '{"a":1}', headers: json }, undefined,
    { method: 'PUT', body: '{"a":1}', type: 'application/json', length: '7' }],
  ['the method and the body of init', post, { method: 'PATCH', body: 'y' }, { method: 'PATCH', body: 'y' }],
  ['the headers of init, without its Content-Type', post, { headers: { a: 'b' } }, { ...post, length: '1' }],
  ['members where init has undefined or null', { method: 'PUT', body: 'x' }, { method: undefined, body: null },
    { method: 'PUT', body: 'x' }],
  ['bytes, and keepalive', { ...post, body: new Uint8Array([120]), keepalive: true }, undefined, post],
  ['a text, and keepalive of init', post, { keepalive: true }, post],
  ['its body again after a redirect', post, undefined, post, '?redirect']
]

for (const place of [query, header]) {
  const name = JSON.stringify(place)
  for (const [says, request, init, expected, suffix = ''] of requests) {
    t.test(`a Request sends ${says} with ${name}`, async (t) => {
      const api = versionedFetch({ version: 'v2', place })
      const response = await api(new Request(await listening(t) + suffix, request), init)
      const answer = await response.json() as Partial<Sent>
      t.match(answer, suffix || place === header ? expected : { ...expected, version: 'v2' })
      if (init && 'headers' in init) t.notOk(answer.type)
    })
  }

  t.test(`the body of a Request is used once with ${name}, as with fetch itself`, async (t) => {
    const api = versionedFetch({ version: 'v2', place })
    const request = new Request(await listening(t), post)
    await api(request)
    t.ok(request.bodyUsed)
    await t.rejects(api(request), TypeError)
    t.match(await (await api(request, { body: 'y' })).json(), { body: 'y', version: 'v2' })
  })

  t.test(`streams are passed on as they arrive with ${name}`, async (t) => {
    const url = await listening(t)
    const api = versionedFetch({ version: 'v2', place })
    // The body of a Request is read before it goes to another URL.
    for (const isRequest of place === header ? [false, true] : [false]) {
      const { readable, writable } = new TransformStream()
      const writer = writable.getWriter()
      const init = { method: 'POST', body: readable, duplex: 'half', headers: { 'x-echo': '1' } } as const
      const response = isRequest ? api(new Request(url, init)) : api(url, init)
      await writer.write(new TextEncoder().encode('first'))
      const reader = (await response).body?.getReader()
      t.equal(new TextDecoder().decode((await reader?.read())?.value), 'first')
      await writer.close()
      await reader?.cancel()
    }
  })

  t.test(`signals abort requests with ${name}`, async (t) => {
    const api = versionedFetch({ version: 'v2', place })
    const url = await listening(t)
    const signal = AbortSignal.abort(new Error('enough'))
    await t.rejects(api(url, { signal }), { message: 'enough' })
    await t.rejects(api(new Request(url, { signal })), { message: 'enough' })
    const controller = new AbortController()
    const response = api(new Request(`${url}?wait`, { signal: controller.signal }))
    controller.abort(new Error('later'))
    await t.rejects(response, { message: 'later' })
  })
}

t.test('a Request that goes to another URL keeps keepalive, also with a stream, and gets no body', async (t) => {
  const { api, calls } = spied(query)
  await api(new Request(URL_X, { keepalive: true }))
  t.match(calls[0], { input: `${URL_X}?version=v2`, init: { keepalive: true } })
  t.notOk(calls[0].init?.body)
  const stream = new Request(await listening(t), { ...post, body: new Blob(['x']).stream(), duplex: 'half' } as object)
  const response = await versionedFetch({ version: 'v2', place: query })(stream, { keepalive: true })
  t.match(await response.json(), { body: 'x', version: 'v2' })
})

/** The URL of a server that answers with what it got, or sends a body back as it comes. */
async function listening (t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.removeContentTypeParser('application/json')
  app.removeContentTypeParser('text/plain')
  app.all('/x', async (request, reply) => {
    const { method, headers, raw } = request
    const { version = headers['api-version'], wait, redirect } = request.query as Record<string, string>
    if (redirect !== undefined) return reply.redirect('/x', 307)
    if (wait !== undefined) await once(raw, 'close')
    if (headers['x-echo']) return await reply.send(raw)
    const body = Buffer.concat(await raw.toArray()).toString()
    return { method, version, type: headers['content-type'], length: headers['content-length'], body }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/x`
}
