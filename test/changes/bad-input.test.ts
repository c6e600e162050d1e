import Fastify from 'fastify'
import t from 'tap'

import { appWith } from '../fixtures/app-with.ts'
import { HeaderVersioning } from '../../src/index.ts'
import { object, text } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Json } from './kernel.ts'

const open = (properties: object) => ({ type: 'object', properties, additionalProperties: true })
const tree = (name: string) => (
  { ...object({ [name]: text, in: { type: 'array', items: { $ref: '#' } } }, { required: [] }) }
)
const upgrade = ({ old, ...rest }: Json) => ({ ...rest, name: old })

/** An app whose body is a tree, and one whose body may have any member. */
async function declare (app: FastifyInstance): Promise<FastifyInstance> {
  app.addSchema({ $id: 'Tree', ...tree('name') })
  app.addSchema({ $id: 'Any', ...open({ name: text, items: { type: 'array', items: { type: 'integer' } } }) })
  app.post('/tree', { schema: { body: { $ref: 'Tree#' }, response: { 200: {} } } }, async () => 'ok')
  app.post('/any', { bodyLimit: 1e7, schema: { body: { $ref: 'Any#' }, response: { 200: {} } } }, async ({ body }) => (
    String(Object.keys(body as object).length)
  ))
  await app.ready()
  return app
}

const changed = async (t: Test) => declare(await appWith(t, {
  scheme: HeaderVersioning,
  allowedVersions: ['v1', 'v2'],
  changes: [{
    version: 'v2',
    description: 'Names differ.',
    schemas: {
      Tree: { older: tree('old'), upgrade },
      Any: { older: open({ old: text, items: { type: 'array', items: { type: 'integer' } } }), upgrade }
    }
  }]
}))

async function send (app: FastifyInstance, url: string, payload: string) {
  const headers = { 'api-version': 'v1', 'content-type': 'application/json' }
  const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
  return [statusCode, body]
}

t.test('a value of 800 levels gets what an app without changes answers', async (t) => {
  const plain = await declare(Fastify())
  t.teardown(async () => { await plain.close() })
  const app = await changed(t)
  const deep = (end: string) => `${'{"in":['.repeat(800)}${end}${']}'.repeat(800)}`
  const any = (end: string) => `{"a":${'['.repeat(800)}${end}${']'.repeat(800)}}`
  for (const [url, payload] of [['/tree', deep('')], ['/tree', deep('1')], ['/any', any('')]] as const) {
    t.match(await send(app, url, payload), [(await send(plain, url, payload))[0]], `${url} ${payload.length}`)
  }
})

t.test('a value that is nested too deeply to be upgraded is the fault of the client', async (t) => {
  const app = await changed(t)
  const deep = `${'{"old":"a","in":['.repeat(2500)}${']}'.repeat(2500)}`
  const [status, body] = await send(app, '/tree', deep)
  t.match(JSON.parse(String(body)), { statusCode: 400, message: 'body must NOT be nested so deeply' })
  t.equal(status, 400)
})

t.test('a function that calls itself without an end is the fault of the change', async (t) => {
  const endless = (value: Json): Json => [endless(value)]
  const app = await declare(await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    changes: [{
      version: 'v2', description: 'Names differ.', schemas: { Any: { older: open({ old: text }), upgrade: endless } }
    }]
  }))
  t.equal((await send(app, '/any', '{"old":"a"}'))[0], 500)
})

t.test('10^5 names, of prototypes as well, and 10^6 items are passed on', async (t) => {
  const app = await changed(t)
  const names = Array.from({ length: 1e5 }, (_, i) => `"n${i}":1`).join(',')
  t.same(await send(app, '/any', `{"old":"a","constructor":1,"toString":2,${names}}`), [200, '100003'])
  t.same(await send(app, '/any', `{"old":"a","items":[${'1,'.repeat(1e6 - 1)}1]}`), [200, '2'])
  t.equal((await send(app, '/any', '{"old":"a","__proto__":{"name":"b"}}'))[0], 400)
})
