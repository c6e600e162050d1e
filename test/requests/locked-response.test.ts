import Fastify from 'fastify'
import t from 'tap'

import versioning, { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { VersioningOptions } from '../../types/index.d.ts'

t.test('a locked web response is answered like without the plugin under a scheme with Vary', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: AcceptHeaderVersioning })
  app.get('/', async () => lockedResponse({ vary: 'Origin' }))
  t.match((await app.inject('/')).json(), { statusCode: 500, code: 'FST_ERR_REP_READABLE_STREAM_LOCKED' })
})

function lockedResponse (headers: Record<string, string>, use?: 'used'): Response {
  const response = new Response('text', { headers })
  if (use === 'used') response.text().catch(() => {})
  else response.body?.getReader()
  return response
}

const lifecycle: VersioningOptions = {
  scheme: QueryParameterVersioning,
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01', info: 'https://example.com/v1' } }
}

interface Case { says: string, options: VersioningOptions, headers: Record<string, string>, use?: 'used' }

const cases: Case[] = [
  { says: 'has a Vary', options: { scheme: AcceptHeaderVersioning }, headers: { vary: 'Origin' } },
  { says: 'has no header', options: { scheme: AcceptHeaderVersioning }, headers: {} },
  { says: 'has a Link', options: lifecycle, headers: { link: '</a>; rel="next"' } },
  { says: 'has no Link', options: lifecycle, headers: {} },
  {
    says: 'has both',
    options: { ...lifecycle, scheme: AcceptHeaderVersioning, defaultVersion: 'v1' },
    headers: { vary: 'Origin', link: '</a>; rel="next"' }
  },
  { says: 'has been read', options: { scheme: AcceptHeaderVersioning }, headers: { vary: 'Origin' }, use: 'used' }
]

for (const { says, options, headers, use } of cases) {
  t.test(`a locked web response that ${says} is the same error as without the plugin`, async (t) => {
    const plain = Fastify()
    plain.get('/', async () => lockedResponse(headers, use))
    const expected = await plain.inject('/')
    const app = Fastify()
    await app.register(versioning, options)
    app.get('/', async () => lockedResponse(headers, use))
    const response = await app.inject('/?version=v1')
    t.equal(response.statusCode, expected.statusCode)
    t.same(response.json(), expected.json())
    t.match(response.json(), { code: /^FST_ERR_REP_/ })
  })
}

t.test('a web response that is not locked keeps its own Vary and Link', async (t) => {
  const app = Fastify()
  await app.register(versioning, { ...lifecycle, scheme: AcceptHeaderVersioning, defaultVersion: 'v1' })
  app.get('/', async () => new Response('text', { headers: { vary: 'Origin', link: '</a>; rel="next"' } }))
  const { body, headers } = await app.inject('/')
  t.equal(body, 'text')
  t.equal(headers.vary, 'Origin, Accept')
  t.match(headers.link, /^<\/a>; rel="next", <https:\/\/example\.com\/v1>; rel="deprecation"/)
})
