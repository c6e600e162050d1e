import Fastify from 'fastify'
import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { appBetween } from './bookings.ts'
import { appOf, object, several, text, Guest, Booking } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from './kernel.ts'

/** How often the shared schemas of an app with routes of one version are read at boot. */
async function readsOf (app: FastifyInstance, routes: number): Promise<number> {
  let reads = 0
  const { getSchemas } = app
  app.getSchemas = () => {
    reads++
    return getSchemas()
  }
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [several] })
  for (const schema of [Guest, Booking]) app.addSchema(schema)
  app.get('/', { schema: { response: { 200: { $ref: 'Booking#' } } } }, async () => ({}))
  for (let i = 0; i < routes; i++) app.get(`/${i}`, { version: 'v1' }, async () => ({}))
  await app.ready()
  return reads
}

t.test('how often the schemas of a context are read at boot does not depend on its routes', async (t) => {
  const [few, many] = [Fastify(), Fastify()]
  t.teardown(async () => { await Promise.all([few.close(), many.close()]) })
  t.equal(await readsOf(few, 2), await readsOf(many, 50))
})

t.test('schemas are not read for each conversion, in an app that has no routes either', async (t) => {
  const older = { type: 'object', properties: { old: text }, additionalProperties: false }
  const app = await appBetween(t, {
    version: 'v2',
    description: 'Names differ.',
    schemas: { Guest: { older, downgrade: ({ name }: Json) => ({ old: name }), outside: true } }
  }, [Guest])
  await app.ready()
  const { getSchemas } = app
  let reads = 0
  app.getSchemas = () => {
    reads++
    return getSchemas()
  }
  for (let i = 0; i < 3; i++) t.same(app.downgrade('Guest', { name: 'Ada' }, 'v1'), { old: 'Ada' })
  t.ok(reads <= 1, `${reads} reads`)
})

t.test('a context without schemas of its own has the schemas in all versions from the app', async (t) => {
  const app = await appOf(t, { changes: [several], shared: [Guest, Booking], schema: { body: { $ref: 'Booking#' } } })
  let child = app
  app.register(async (context) => { child = context })
  await app.ready()
  const older = { id: 7, guest: { name: 'Ada' } }
  t.same(child.upgrade('Booking', older, 'v1'), app.upgrade('Booking', older, 'v1'))
})

t.test('app.changes is made once', async (t) => {
  const app = await appOf(t, { changes: [several], shared: [Guest, Booking], schema: { body: { $ref: 'Booking#' } } })
  await app.ready()
  t.equal(app.changes, app.changes)
})

t.test('schemas that are added between two conversions before the app is ready are known to the second', async (t) => {
  const app = await appOf(t, { changes: [several], schema: {} })
  app.addSchema(Guest)
  t.throws(() => app.upgrade('Booking', {}, 'v1'), /No shared schema has the \$id 'Booking'/)
  app.addSchema({ ...Booking, ...object({ guests: { type: 'array', items: text } }) })
  t.same(app.upgrade('Booking', { guest: 'Ada' }, 'v1'), { guests: ['Ada'] })
})

t.test('contexts with the same schemas convert by their own validators, whichever is asked first', async (t) => {
  const closed = (name: string) => ({ type: 'object', properties: { [name]: {} }, additionalProperties: false })
  const misspelling = ({ old }: Json) => ({ name: old, naem: old })
  for (const order of [[0, 1], [1, 0]]) {
    const app = await appBetween(t, {
      version: 'v2',
      description: 'Names differ.',
      schemas: { Guest: { older: closed('old'), upgrade: misspelling, outside: true } }
    }, [{ $id: 'Guest', ...closed('name') }])
    const contexts: FastifyInstance[] = [app]
    app.post('/', { schema: { body: closed('a'), response: { 200: {} } } }, async () => 'ok')
    app.register(async (child) => {
      contexts.push(child.setValidatorCompiler(() => (value: unknown) => ({ value })))
    })
    await app.ready()
    const results = order.map((i) => {
      try {
        return [i, contexts[i].upgrade('Guest', { old: 'Ada' }, 'v1')]
      } catch (error) {
        return [i, (error as Error).message]
      }
    })
    t.same(new Map(results as [number, unknown][]), new Map<number, unknown>([
      [0, 'A change between versions failed.'], [1, { name: 'Ada', naem: 'Ada' }]
    ]))
  }
})
