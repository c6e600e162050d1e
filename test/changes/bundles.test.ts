import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { inVersion } from './bookings.ts'

import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

const text = { type: 'string' }
const closed = (properties: object, others: object = {}) => (
  { type: 'object', additionalProperties: false, properties, ...others }
)
const newest = { $id: 'Guest', ...closed({ name: text }) }

/** v2: guests have one name. */
const named: Change = {
  version: 'v2',
  description: 'Guests have one name.',
  schemas: {
    Guest: {
      older: closed({ first: text }),
      upgrade: ({ first }) => ({ name: first }),
      downgrade: ({ name }) => ({ first: name })
    }
  }
}

async function guestApp (t: Test, changes: readonly Change[] = [named], shared: object[] = [newest]) {
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', null], changes })
  for (const schema of shared) app.addSchema(schema)
  return app
}

function answer (app: FastifyInstance, url: string, schema: object, value: unknown, options: object = {}): void {
  app.get(url, { schema: { response: { 200: schema } } as FastifySchema, ...options }, async () => value)
}

async function inV1 (app: FastifyInstance, url: string): Promise<unknown> {
  return (await app.inject(inVersion('v1', url))).json()
}

t.test('schemas that contain each other are bundled once', async (t) => {
  const Stay = { $id: 'Stay', ...closed({ guest: newest }) }
  const change: Change = {
    version: 'v2',
    description: 'Guests knew their stay.',
    schemas: {
      Guest: { older: closed({ name: text, of: Stay }), upgrade: (guest) => guest, downgrade: (guest) => guest },
      Stay: { older: closed({ guest: newest, old: text }), upgrade: (stay) => stay, downgrade: (stay) => stay }
    }
  }
  const app = await guestApp(t, [change], [newest, Stay])
  answer(app, '/stay', { $ref: 'Stay#' }, { guest: { name: 'Ada' } })
  t.same(await inV1(app, '/stay'), { guest: { name: 'Ada' } })
})

t.test('a schema may contain itself by allOf alone', async (t) => {
  const Tree = { $id: 'Tree', ...closed({ guest: { $ref: 'Guest#' }, in: { allOf: [{ $ref: 'Tree#' }] } }) }
  const app = await guestApp(t, [named], [newest, Tree])
  answer(app, '/tree', { $ref: 'Tree#' }, { guest: { name: 'Ada' }, in: { guest: { name: 'Eve' }, in: {} } })
  t.same(await inV1(app, '/tree'), { guest: { first: 'Ada' }, in: { guest: { first: 'Eve' }, in: {} } })
})

t.test('one object may stand in a schema several times', async (t) => {
  const app = await guestApp(t)
  answer(app, '/', closed({ a: text, b: text, guest: { $ref: 'Guest#' } }), { a: '1', b: '2', guest: { name: 'Ada' } })
  t.same(await inV1(app, '/'), { a: '1', b: '2', guest: { first: 'Ada' } })
})

t.test('references within a schema that is older lead to the same place', async (t) => {
  const app = await guestApp(t)
  const schema = closed({ a: { $ref: '#/definitions/guest' } }, { definitions: { guest: { $ref: 'Guest#' } } })
  answer(app, '/', schema, { a: { name: 'Ada' } })
  t.same(await inV1(app, '/'), { a: { first: 'Ada' } })
})

t.test('a reference that leads nowhere is refused at boot', async (t) => {
  for (const reference of ['Guest#/properties/none', 'None#', '#/definitions/none']) {
    for (const options of [{}, { version: 'v1' }]) {
      const app = await guestApp(t)
      answer(app, '/guest', { $ref: 'Guest#' }, {})
      answer(app, '/', closed({ a: { $ref: reference }, guest: { $ref: 'Guest#' } }), {}, options)
      await t.rejects(async () => app.ready())
    }
  }
})

t.test('a route that serves an older version alone may refer to the dialect of JSON Schema', async (t) => {
  const app = await guestApp(t)
  answer(app, '/', { $ref: 'Guest#' }, { name: 'Ada' })
  const body = closed({ guest: { $ref: 'Guest#' }, schema: { $ref: 'http://json-schema.org/draft-07/schema#' } })
  app.post('/old', { version: 'v1', schema: { body } }, async ({ body }) => body)
  const sent = { guest: { first: 'Ada' }, schema: { type: 'string' } }
  t.same((await app.inject(inVersion('v1', '/old', sent))).json(), sent)
})

t.test('an $id that is a fragment does not name a schema', async (t) => {
  const app = await guestApp(t)
  answer(app, '/', { $id: '#local', ...closed({ guest: { $ref: 'Guest#' } }) }, { guest: { name: 'Ada' } })
  t.same(await inV1(app, '/'), { guest: { first: 'Ada' } })
})

t.test('a route that serves an older version alone keeps the schemas that no change has altered', async (t) => {
  const app = await guestApp(t)
  answer(app, '/', closed({ a: text }), { a: '1' })
  answer(app, '/', { $ref: 'Guest#' }, { name: 'Ada' }, { version: 'v2' })
  const querystring = closed({ a: text, b: text })
  app.post('/old', {
    version: 'v1', schema: { body: { $ref: 'Guest#' }, querystring, response: { 200: text } }
  }, async ({ body }) => JSON.stringify(body))
  t.same(await inV1(app, '/'), { a: '1' })
  t.equal((await app.inject(inVersion('v1', '/old?a=1', { first: 'Ada' }))).json().first, 'Ada')
})

t.test('a route for requests without a version has the newest schemas', async (t) => {
  const app = await guestApp(t)
  answer(app, '/', { $ref: 'Guest#' }, { name: 'Ada' }, { version: [null] })
  answer(app, '/others', { $ref: 'Guest#' }, {})
  t.same((await app.inject('/')).json(), { name: 'Ada' })
})
