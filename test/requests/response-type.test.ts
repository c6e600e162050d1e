import t from 'tap'

import { AcceptHeaderVersioning, ContentTypeVersioning, HeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'
import versioning from '../../src/index.ts'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VersioningOptions } from '../../types/index.d.ts'

const settings = { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const ACME = 'application/vnd.acme.{version}+json'
const PLAIN = 'application/json; charset=utf-8'
const OF_V2 = 'application/json; version=v2; charset=utf-8'
const ACME_V2 = 'application/vnd.acme.v2+json; charset=utf-8'

/** What a client gets where Fastify makes JSON of what the handler returns. */
const sent: [accept: string | undefined, type: string, options?: VersioningOptions][] = [
  ['application/json; version=v2', OF_V2],
  ['Application/JSON;Version="v2";q=0.5', OF_V2],
  ['application/*; version=v2', OF_V2],
  ['*/*; version=v2', OF_V2],
  ['text/html, application/json; version=v2', OF_V2],
  ['application/json; v=v2', 'application/json; v=v2; charset=utf-8', { versionParam: 'v' }],
  ['application/json; version=a"b'.replace('a"b', '"a\\"b"'), 'application/json; version="a\\"b"; charset=utf-8',
    { allowedVersions: null }],
  ['application/vnd.acme.v2+json', ACME_V2, { mediaTypes: [ACME] }],
  ['application/VND.Acme.v2+JSON', ACME_V2, { mediaTypes: ['text/csv', ACME] }],
  ['application/vnd.acme.v2', 'application/vnd.acme.v2; charset=utf-8',
    { mediaTypes: ['application/vnd.acme.{version}'] }],
  ['*/*; version=v2', ACME_V2, { mediaTypes: ['text/csv', ACME, 'application/json'] }],
  ['application/json; version=v2', OF_V2, { mediaTypes: [ACME, 'application/json'] }],
  ['application/hal+json; version=v2', 'application/hal+json; version=v2; charset=utf-8',
    { mediaTypes: ['application/json', 'application/hal+json'] }],
  ['application/vnd.b.v2+json', 'application/vnd.b.v2+json; charset=utf-8',
    { mediaTypes: ['application/vnd.a.{version}+json', 'application/vnd.b.{version}+json'] }],
  // The version that is served, which is the one of the document.
  ['application/json; version=latest', OF_V2, { resolveVersion: (text) => text === 'latest' ? 'v2' : text }],
  // In a list it does not matter who has read the version, because all places agree.
  ['application/json; version=v2', OF_V2, { scheme: [HeaderVersioning, AcceptHeaderVersioning] }],

  ['application/json', PLAIN],
  ['*/*', PLAIN],
  [undefined, PLAIN],
  ['text/html; version=v2', PLAIN],
  ['application/hal+json; version=v2', PLAIN],
  ['text/csv; version=v2', PLAIN, { mediaTypes: ['text/csv', 'application/json'] }],
  ['application/vnd.acme.v2+xml', PLAIN, { mediaTypes: ['application/vnd.acme.{version}+xml', ACME] }],
  ['application/vnd.ms-excel; version=v2', PLAIN, { mediaTypes: ['application/vnd.ms-excel', 'application/json'] }],
  ['application/json; version=v2', PLAIN, { mediaTypes: [], defaultVersion: 'v1' }],
  ['application/json, text/html; version=v2', PLAIN],
  ['application/json; version=v2', PLAIN, { scheme: [HeaderVersioning, ContentTypeVersioning] }],
  ['application/json; version=latest', PLAIN, { allowedVersions: null, resolveVersion: () => 'v\n2' }]
]

for (const [accept, type, options = {}] of sent) {
  t.test(`JSON is sent as ${type} to a client that accepts ${accept} with ${Object.keys(options)}`, async (t) => {
    const app = await appWith(t, { ...settings, ...options } as VersioningOptions)
    app.get('/', async () => ({}))
    for (let i = 0; i < 2; i++) {
      const { headers, statusCode } = await app.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
      t.strictSame({ statusCode, type: headers['content-type'] }, { statusCode: 200, type })
    }
  })
}

const headers = { accept: 'application/json; version=v2' }

/** What an app does, and the type that is sent in v2. */
const kept: [
  what: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown, type: string | undefined
][] = [
  ['a type of the handler', async (_request, reply) => reply.type('application/problem+json').send({}),
    'application/problem+json; charset=utf-8'],
  ['a text', async () => 'text', 'text/plain; charset=utf-8'],
  ['no body', async (_request, reply) => reply.code(204).send(), undefined],
  ['an error that the handler throws', async () => { throw new Error('failed') }, PLAIN],
  ['an error that the handler sends', async (_request, reply) => reply.code(404).send({}), PLAIN],
  ['a web response', async () => Response.json({}), 'application/json']
]

for (const [what, handler, type] of kept) {
  t.test(`the type of ${what} stays as it is`, async (t) => {
    const app = await appWith(t, settings)
    app.get('/', handler as () => unknown)
    t.equal((await app.inject({ url: '/', headers })).headers['content-type'], type)
  })
}

t.test('hooks and serializers see the type of Fastify, and clients the type that they accept', async (t) => {
  const app = await appWith(t, settings)
  const seen: unknown[] = []
  const see = async (_request: FastifyRequest, reply: FastifyReply) => { seen.push(reply.getHeader('content-type')) }
  const content = { 'application/json': { schema: { type: 'object', properties: { a: { type: 'integer' } } } } }
  app.get('/', { onSend: see, schema: { response: { 200: { content } } } }, async () => ({ a: 1, secret: 2 }))
  const answer = await app.inject({ url: '/', headers })
  t.strictSame([seen, answer.headers['content-type'], answer.json()], [[PLAIN], OF_V2, { a: 1 }])
})

t.test('the error of an onSend hook has the type of an error', async (t) => {
  const app = await appWith(t, settings)
  app.addHook('onSend', async () => { throw new Error('failed') })
  app.get('/', async () => ({}))
  const answer = await app.inject({ url: '/', headers })
  t.strictSame([answer.statusCode, answer.headers['content-type']], [500, PLAIN])
})

t.test('a neutral route and a refusal have the type of Fastify', async (t) => {
  const app = bareApp(t)
  app.setErrorHandler(async (_error, _request, reply) => reply.code(200).send({}))
  await app.register(versioning, settings)
  app.get('/neutral', { versioning: false }, async () => ({}))
  app.get('/', async () => ({}))
  t.equal((await app.inject({ url: '/neutral', headers })).headers['content-type'], PLAIN)
  const refused = await app.inject({ url: '/', headers: { accept: 'application/json; version=v9' } })
  t.strictSame([refused.statusCode, refused.headers['content-type']], [200, PLAIN])
})

t.test('each of many headers gets its own type, and a version that is too long gets none', async (t) => {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning })
  app.get('/', async () => ({}))
  const typeOf = async (accept: string) => (await app.inject({ url: '/', headers: { accept } })).headers['content-type']
  for (let i = 0; i < 210; i++) {
    const type = `application/json; version=v${i % 105}`
    t.equal(await typeOf(type), `${type}; charset=utf-8`)
  }
  t.equal(await typeOf(`application/json; version=v2; x=${'y'.repeat(300)}`), OF_V2)
  t.equal(await typeOf(`application/json; version=${'v'.repeat(300)}`), PLAIN)
})
