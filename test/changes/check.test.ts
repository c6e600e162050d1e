import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, checkChanges } from '../../src/index.ts'
import { Booking, Guest, both, names, object, several, text } from './fixture.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from './fixture.ts'
import type { Change, ChangeExamples } from '../../types/index.d.ts'

const VERSIONS = ['v1', 'v2', 'v3']

/** An app with changes whose schemas are in a context of it. */
async function appWith (
  changes: readonly Change[], shared: Record<string, unknown>[] = [Booking, Guest]
): Promise<FastifyInstance> {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes })
  app.register(async (api) => {
    for (const schema of shared) api.addSchema(schema)
    api.post('/bookings', { schema: both({ $ref: `${shared[0].$id}#` }) }, async () => '')
  })
  app.post('/other', { schema: { body: text } }, async () => '')
  await app.ready()
  return app
}

const newest = { id: 1, guests: [{ name: 'Ada Lovelace' }] }
const v2 = { id: 1, guests: [{ first: 'Ada', last: 'Lovelace' }] }
const v1 = { id: 1, guest: { first: 'Ada', last: 'Lovelace' } }
const examples: ChangeExamples = { Booking: { v1: [v1], v2: [v2], v3: [newest] }, Guest: [{ name: 'Ada Lovelace' }] }

t.test('examples that every version accepts are no problem', async (t) => {
  const app = await appWith([several, names])
  const frozen = JSON.stringify(examples)
  t.same(checkChanges(app, examples), [])
  t.equal(JSON.stringify(examples), frozen)
})

t.test('without examples, the examples of the schemas are taken, newer and older', async (t) => {
  const change = {
    ...names,
    schemas: {
      Guest: { ...names.schemas.Guest, older: object({ first: text }, { examples: [{ first: 'A' }, 1] }) }
    }
  }
  const problems = checkChanges(await appWith([change], [{ ...Guest, examples: [{ name: 'Ada Lovelace' }] }]))
  t.same(problems.map(({ version, example, message }) => [version, example, message]), [
    ['v2', { name: 'Ada Lovelace' },
      "The downgrade gives { first: 'Ada', last: 'Lovelace' }, which is not valid in 'v2': " +
      'must NOT have additional properties.'],
    ['v2', 1, 'The example is not valid: must be object.']
  ])
})

t.test('a schema without examples is a problem', async (t) => {
  t.same(checkChanges(await appWith([names])), [{
    schema: 'Guest',
    version: 'v3',
    example: undefined,
    message: 'There is no example: give one, or write "examples" into the schema.'
  }])
})

t.test('a function that fails is a problem', async (t) => {
  const fail = () => { throw new Error('No.') }
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, downgrade: fail, upgrade: fail } } }
  const app = await appWith([change])
  const given = { Guest: { v3: [{ name: 'Ada Lovelace' }], v2: [{ first: 'Ada', last: 'Lovelace' }] } }
  t.same(checkChanges(app, given).map(({ message }) => message), ['downgrade', 'upgrade'].map((name) => (
    `Change 'v3' (A guest has one name.), the schema 'Guest', value: its function "${name}" threw.`
  )))
})

t.test('an older example must be the same again, if its change is lossless', async (t) => {
  const lossy = (lossless: boolean) => ({
    ...names,
    schemas: { Guest: { ...names.schemas.Guest, lossless, downgrade: ({ name }: Json) => ({ first: name, last: '' }) } }
  })
  const older = { Guest: { v2: [{ first: 'Ada', last: 'Lovelace' }] } }
  t.same(checkChanges(await appWith([lossy(false)]), older), [])
  t.same(checkChanges(await appWith([lossy(true)]), older).map(({ message }) => message), [
    "Upgraded and downgraded again, it is { first: 'Ada Lovelace', last: '' }, although the change is lossless."
  ])
})

t.test('examples of what no change has are refused', async (t) => {
  const app = await appWith([names])
  const code = 'FST_ERR_VERSION_CHANGE_OPTION'
  t.throws(
    () => checkChanges(app, { Gest: [] }), { code, message: /No change has the schema 'Gest'\. Did you mean 'Guest'\?/ }
  )
  t.throws(() => checkChanges(app, { Guest: { v1: [] } }), {
    code, message: /Examples of 'Guest' are checked in 'v3', 'v2', not in 'v1'\. Did you mean/
  })
})

t.test('an app without changes, or without a validator, cannot be checked', async (t) => {
  const code = 'FST_ERR_VERSION_CHANGE_OPTION'
  const app = Fastify()
  t.throws(() => checkChanges(app), { code, message: /There are no changes in this context/ })
  await app.register(versioning, {})
  t.throws(() => checkChanges(app), { code, message: /There are no changes in this context/ })
  const other = Fastify()
  await other.register(versioning, { changes: [] })
  t.throws(() => checkChanges(other), { code, message: /needs an app that is ready, with a route that validates/ })
})

t.test('a schema inside a shared one is checked', async (t) => {
  const shared = [{ $id: 'Outer', ...object({ at: { ...Guest, $id: 'Inline' } }) }]
  const app = await appWith([{ ...names, schemas: { Inline: names.schemas.Guest } }], shared)
  t.same(checkChanges(app, { Inline: [{ name: 'Ada Lovelace' }] }), [])
  t.match(checkChanges(app, { Inline: [{ first: 'Ada' }] }), [{ message: /^The example is not valid: / }])
})

t.test('a validator compiler of the app is used', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  app.addSchema(Guest)
  app.setValidatorCompiler(() => (value: Json) => value.first === 'Ada' ? { error: new Error('Not Ada') } : { value })
  const none = Fastify().setValidatorCompiler(() => () => false)
  await none.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  none.addSchema(Guest)
  t.match(checkChanges(none, { Guest: [1] }), [{ message: 'The example is not valid: .' }])
  t.match(checkChanges(
    app, { Guest: [{ name: 'Ada Lovelace' }, { name: 'Grace Hopper' }] }
  ), [{ message: /in 'v2': Not Ada\.$/ }])
})

t.test('schemas that routes have inline are checked', async (t) => {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  app.post('/guests', { schema: both({ type: 'array', items: Guest }) }, async () => '')
  await app.ready()
  t.same(checkChanges(app, { Guest: [{ name: 'Ada Lovelace' }] }), [])
  t.match(checkChanges(app, { Guest: { v2: [{ first: 'Ada' }] } }), [{ message: /^The example is not valid: / }])
  t.match(checkChanges(app, { Guest: [{ first: 'Ada' }] }), [{ message: /^The example is not valid: / }])
})

t.test('schemas of Zod are checked by the ids of its registry', async (t) => {
  const ZodGuest = z.object({ name: z.string() }).meta({ id: 'Guest' })
  const change = {
    ...names,
    schemas: { Guest: { ...names.schemas.Guest, older: z.object({ first: z.string(), last: z.string() }) } }
  }
  const app = Fastify().setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [change] })
  app.post('/guests', { schema: { body: z.array(ZodGuest) } }, async () => '')
  await app.ready()
  t.same(checkChanges(app, { Guest: { v2: [{ first: 'Ada', last: 'Lovelace' }], v3: [{ name: 'Ada Lovelace' }] } }), [])
  t.match(checkChanges(app, { Guest: [{ first: 'Ada' }] }), [{ message: /^The example is not valid: / }])
})
