import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { EXAMPLES, VERSIONS, appWithChanges, guests, inVersion } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change, VersioningOptions } from '../../types/index.d.ts'

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const text = { type: 'string' }
const FAILURE = { statusCode: 500, code: 'FST_ERR_VERSION_CHANGE' }

/** v2: bodies of errors have a text. */
function ofErrors (status: string, downgrade: (body: Record<string, unknown>) => object): Change {
  return {
    version: 'v2',
    description: 'Errors have a message.',
    routes: { bookings: { response: { [status]: { older: object({ text }), downgrade } } } }
  }
}

async function appWith (
  t: Test, change: Change, status: string, options: VersioningOptions = {}
): Promise<FastifyInstance> {
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes: [change], ...options })
  const response = { 200: { $ref: 'Booking#' }, [status]: object({ message: text }) }
  app.get('/bookings', { name: 'bookings', schema: { response } }, async () => EXAMPLES.v3)
  return app
}

t.test('with attachValidation a change that makes an invalid request is at fault', async (t) => {
  const broken = { ...guests.schemas?.Booking, upgrade: () => ({}) } as never
  const app = await appWithChanges(t, {
    scheme: HeaderVersioning, changes: [{ ...guests, schemas: { Booking: broken } }]
  })
  app.post('/bookings', { schema: { body: { $ref: 'Booking#' } }, attachValidation: true }, async () => 'ok')
  t.match((await app.inject(inVersion('v1', '/bookings', EXAMPLES.v1))).json(), FAILURE)
  t.equal((await app.inject(inVersion('v1', '/bookings', {}))).body, 'ok')
})

t.test('an error that follows a payload is serialized by the schema of its status', async (t) => {
  for (const [status, expected] of [['500', { text: 'Late.' }], ['4xx', { message: 'Late.' }]] as const) {
    const change = ofErrors(status, ({ message }) => ({ text: message }))
    const app = await appWith(t, { ...change, schemas: guests.schemas }, status)
    app.setErrorHandler(({ message }: Error) => ({ message }))
    app.addHook('onSend', async (_request, _reply, payload: string) => {
      if (payload.includes('guest')) throw new Error('Late.')
      return payload
    })
    const response = await app.inject(inVersion('v1', '/bookings'))
    t.equal(response.statusCode, 500)
    t.match(response.json(), expected)
  }
})

t.test('an error handler answers by the schema of its own status if the older schema fails', async (t) => {
  const older = { ...object({ name: text }), required: ['name'] }
  const routes = { bookings: { response: { 200: { older, downgrade: () => ({}) } } } }
  const changes = [{ version: 'v2', description: 'A name.', routes }]
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes })
  const response = { 200: object({ name: text }), 500: object({ message: text }) }
  app.get('/bookings', {
    name: 'bookings',
    schema: { response },
    errorHandler: (_error, _request, reply) => { reply.code(500).send({ message: 'Late.', more: 1 }) }
  }, async () => ({ name: 'Ada' }))
  t.same((await app.inject(inVersion('v1', '/bookings'))).json(), { message: 'Late.' })
})

t.test('what a not-found handler answers to a failed request stays as it is', async (t) => {
  const change = ofErrors('404', ({ message }) => ({ text: message }))
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes: [change] })
  app.setErrorHandler((_error, _request, reply) => { reply.callNotFound() })
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).type('application/json').send('{"message":"nothing"}')
  })
  const response = { 404: object({ message: text }) }
  app.get('/bookings', { name: 'bookings', schema: { response } }, async () => { throw new Error('hidden') })
  t.same((await app.inject(inVersion('v1', '/bookings'))).json(), { message: 'nothing' })
})

t.test('a refusal keeps its status if its body cannot be downgraded', async (t) => {
  const lifecycle = { v1: { deprecated: '2024-01-01', sunset: '2025-01-01' } }
  const change = ofErrors('4xx', () => { throw new Error('No.') })
  const app = await appWith(t, change, '4xx', { enforceSunset: true, lifecycle, allowedVersions: VERSIONS })
  const response = await app.inject(inVersion('v1', '/bookings'))
  t.equal(response.statusCode, 410)
  t.match(response.json(), { message: /^Version 'v1' was retired on / })
})
