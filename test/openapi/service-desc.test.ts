import t from 'tap'

import { AcceptHeaderVersioning, HeaderVersioning } from '../../src/index.ts'
import { documented } from './app.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'

const link = (version: string) => `</documentation/${version}.json>; rel="service-desc"; type="application/json"`
const v1 = { 'api-version': 'v1' }

function routes (app: FastifyInstance) {
  app.get('/a', async () => 'ok')
  app.get('/own', async (_request, reply) => reply.header('link', '</b>; rel="next"').send('ok'))
  app.get('/response', async () => new Response('ok', { headers: { link: '</b>; rel="next"' } }))
  app.get('/error', async () => { throw new Error('No.') })
  app.get('/health', { versioning: false }, async () => 'ok')
}

const RESPONSES: [string, InjectOptions, string | undefined][] = [
  ['a response of a version links to its document', { url: '/a', headers: v1 }, link('v1')],
  ['another version links to another document', { url: '/a', headers: { 'api-version': 'v2' } }, link('v2')],
  ['links of a handler are kept', { url: '/own', headers: v1 }, `</b>; rel="next", ${link('v1')}`],
  ['links of a web response are kept', { url: '/response', headers: v1 }, `</b>; rel="next", ${link('v1')}`],
  ['an error links to the document of its version as well', { url: '/error', headers: v1 }, link('v1')],
  ['a refusal, which has no version, links to no document', { url: '/a', headers: { 'api-version': 'v9' } }, undefined],
  ['a response of a version-neutral route links to no document', { url: '/health', headers: v1 }, undefined],
  ['a version without a document links to none', { url: '/a', headers: { 'api-version': 'v3' } }, undefined],
  ['a document links to no document', { url: '/documentation/v1.json' }, undefined]
]

for (const [what, request, expected] of RESPONSES) {
  t.test(what, async (t) => {
    const versioning = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] }
    const app = await documented(t, versioning, routes, { serviceDesc: true, versions: ['v1', 'v2'] })
    t.equal((await app.inject(request)).headers.link, expected)
  })
}

t.test('without the option serviceDesc nothing links to a document', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning }, routes)
  t.equal((await app.inject({ url: '/a', headers: v1 })).headers.link, undefined)
})

t.test('links to documents and other links are in one header', async (t) => {
  const lifecycle = { v1: { deprecated: '2026-01-01', info: 'https://example.com/v1' } }
  const versioning = { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', lifecycle, baseUrl: 'https://example.com/api' }
  const app = await documented(t, versioning, routes, { serviceDesc: true })
  t.equal((await app.inject('/a')).headers.link,
    '<https://example.com/v1>; rel="deprecation", ' +
    '</api/documentation/v1.json>; rel="service-desc"; type="application/json"')
})

t.test('a document says that responses link to it', async (t) => {
  const app = await documented(t, { scheme: HeaderVersioning }, routes, { serviceDesc: true })
  t.match(app.openapi('v1').paths?.['/a']?.get?.responses['200'], {
    headers: { Link: { $ref: '#/components/headers/Link' } }
  })
})
