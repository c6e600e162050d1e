import Fastify from 'fastify'
import createClient from 'openapi-fetch'
import t from 'tap'
import { Agent, fetch } from 'undici'

import { versionedFetch } from '../../src/client/index.ts'

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { VersionedFetchOptions, VersionNotice, VersionPlace } from '../../types/client.d.ts'

interface Echo { url: string, accept?: string, 'api-version'?: string, 'x-a'?: string, body?: unknown }

interface Operation {
  parameters: { path: { id: number } }
  responses: { 200: { content: { 'application/json': Echo } } }
}

interface paths {
  '/bookings/{id}': {
    get: Operation
    post: Operation & { requestBody: { content: { 'application/json': { guest: string } } } }
  }
}

const places: Array<[VersionPlace, Partial<Echo>]> = [
  [{ query: 'version' }, { url: '/bookings/7?version=v2' }],
  [{ path: '/{version}' }, { url: '/v2/bookings/7' }],
  [{ header: 'API-Version' }, { url: '/bookings/7', 'api-version': 'v2' }],
  [{ accept: 'application/json' }, { url: '/bookings/7', accept: 'application/json; version=v2' }]
]

for (const [place, expected] of places) {
  const name = JSON.stringify(place)
  const options = (notices: VersionNotice[]): VersionedFetchOptions => ({
    version: 'v2', place, onNotice: (notice) => { notices.push(notice) }
  })

  t.test(`the fetch of undici requests the version by ${name}, with its own options`, async (t) => {
    const notices: VersionNotice[] = []
    const dispatcher = new Agent()
    t.teardown(() => dispatcher.close())
    const api = versionedFetch(options(notices), fetch as never)
    const init = { dispatcher, method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    const response = await api(`${await listening(t)}/bookings/7`, init as never)
    t.match(await response.json(), { ...expected, body: { a: 1 } })
    t.match(notices, [{ message: /^v2 of POST http:.*\/bookings\/7 is deprecated as of 01 Jan 1970$/ }])
  })

  t.test(`openapi-fetch requests the version by ${name}`, async (t) => {
    const notices: VersionNotice[] = []
    const client = createClient<paths>({ baseUrl: await listening(t), fetch: versionedFetch(options(notices)) })
    const { data } = await client.GET('/bookings/{id}', { params: { path: { id: 7 } }, headers: { 'x-a': '1' } })
    t.match(data, { ...expected, 'x-a': '1' })
    const posted = await client.POST('/bookings/{id}', { params: { path: { id: 7 } }, body: { guest: 'Ada' } })
    t.match(posted.data, { ...expected, body: { guest: 'Ada' } })
    t.same(notices.map(({ version }) => version), ['v2', 'v2'])
    t.match(notices[1]?.message, /^v2 of POST /)
  })
}

/** The origin of a server that answers with what it got, in a version that is deprecated. */
async function listening (t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  app.all('/*', async ({ url, headers, body }, reply) => {
    reply.header('deprecation', '@1')
    return { ...headers, url, body }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}
