import Fastify from 'fastify'
import t from 'tap'

import versioning, { HeaderVersioning } from '../../src/index.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { object, text } from './kernel.ts'

import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import type { SchemaChange } from '../../types/index.d.ts'

const body = { body: { $ref: 'Booking#' }, response: { 200: {} } }

/** The warnings while an app with a change of its bodies, or of its responses, becomes ready. */
async function warningsOf (
  t: Test, options: FastifyServerOptions, change: Partial<SchemaChange>,
  schema: object = body, prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<string[]> {
  const app = Fastify(options)
  t.teardown(async () => { await app.close() })
  const changes = [{
    version: 'v2', description: 'Bookings differ.', schemas: { Booking: { older: object({ guest: text }), ...change } }
  }]
  return warningsDuring(t, async () => {
    await app.register(versioning, {
      scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: changes as never
    })
    app.addSchema({ $id: 'Booking', type: 'object', properties: { name: text } })
    prepare(app)
    for (const url of ['/a', '/b']) app.post(url, { schema }, async () => ({}))
    await app.ready()
  })
}

const upgrade = { upgrade: ({ guest }: { guest: string }) => ({ nmae: guest }) }
const downgrade = { downgrade: ({ name }: { name: string }) => ({ guest: name }) }
const all = { ajv: { customOptions: { removeAdditional: 'all' } } } as const

t.test('an app whose Ajv removes everything that is not described hears once that typos are errors', async (t) => {
  t.same(await warningsOf(t, all, upgrade), [
    'FST_WARN_VERSION_CHANGE: Call checkChanges() in a test, because Ajv has "removeAdditional": \'all\' in ' +
    'this app: it removes what a schema does not describe, also where "additionalProperties" is not false. So a ' +
    'property that the "upgrade" of a change misspells is a 500 for older clients.'
  ])
})

for (const [says, options, change, schema, prepare] of [
  ['Ajv only removes what closed schemas do not describe', {}, upgrade],
  ['Ajv removes nothing', { ajv: { customOptions: { removeAdditional: false } } }, upgrade],
  ['no change upgrades anything', all, downgrade, { response: { 200: { $ref: 'Booking#' } } }],
  ['the compiler takes no JSON Schema', {}, upgrade, body, (app: FastifyInstance) => {
    app.setValidatorCompiler(({ schema }) => {
      if (JSON.stringify(schema).includes('"seen"')) throw new Error('No schema.')
      return (value: unknown) => ({ value })
    })
  }],
  ['the compiler returns what it keeps', {}, upgrade, body, (app: FastifyInstance) => {
    app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  }]
] as const) {
  t.test(`nothing is said of typos if ${says}`, async (t) => {
    t.same(await warningsOf(t, options as never, change, schema, prepare), [])
  })
}

for (const [removeAdditional, advice] of [
  [false, 'true, because with false the validator of this app refuses what it took before, and let "upgrade" leave ' +
    'unknown properties out. See '],
  [true, 'false. With true, older clients can set every property that only newer versions know. See ']
] as const) {
  t.test(`an open older body is refused with advice for "removeAdditional": ${removeAdditional}`, async (t) => {
    const options = { ajv: { customOptions: { removeAdditional } } }
    const older = { type: 'object', properties: { guest: text } }
    const message = `set "additionalProperties" in the older schema of 'Booking'. Write ${advice}`
    const error: Error = await warningsOf(t, options, { ...upgrade, older }).then(() => null, (reason) => reason)
    t.ok(error.message.includes(message), error.message)
  })
}
