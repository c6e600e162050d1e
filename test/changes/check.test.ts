import Fastify from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import versioning, { HeaderVersioning, checkChanges } from '../../src/index.ts'
import { Booking, Guest, both, names, object, several, text } from './kernel.ts'

import type { FastifyInstance } from 'fastify'
import type { Json } from './kernel.ts'
import type { Change, ChangeExamples } from '../../types/index.d.ts'

const VERSIONS = ['v1', 'v2', 'v3']

const response = (schema: unknown) => ({ schema: { response: { 200: schema } } })

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

t.test('checkChanges() reports nothing for examples that every version accepts', async (t) => {
  const app = await appWith([several, names])
  const frozen = JSON.stringify(examples)
  t.same(checkChanges(app, examples), [])
  t.equal(JSON.stringify(examples), frozen)
})

t.test('checkChanges() reports a schema without examples', async (t) => {
  t.same(checkChanges(await appWith([names])), [{
    schema: 'Guest',
    version: 'v3',
    example: undefined,
    message: 'There is no example.'
  }])
})

t.test('checkChanges() reports a function that throws', async (t) => {
  const fail = () => { throw new Error('No.') }
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, downgrade: fail, upgrade: fail } } }
  const app = await appWith([change])
  const given = { Guest: { v3: [{ name: 'Ada Lovelace' }], v2: [{ first: 'Ada', last: 'Lovelace' }] } }
  t.same(checkChanges(app, given).map(({ message }) => message), ['downgrade', 'upgrade'].map((name) => (
    `Change 'v3' (A guest has one name.), the schema 'Guest', value: its function "${name}" threw.`
  )))
})

t.test('an older example must come back unchanged if its change is lossless', async (t) => {
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

t.test('checkChanges() refuses examples of a schema that no change has', async (t) => {
  const app = await appWith([names])
  const code = 'FST_ERR_VERSION_CHANGE_OPTION'
  t.throws(
    () => checkChanges(app, { Gest: [] }), { code, message: /No change has the schema 'Gest'\. Did you mean 'Guest'\?/ }
  )
  t.throws(() => checkChanges(app, null as never), { code, message: /Invalid examples: expected an object, got null/ })
  t.throws(() => checkChanges(app, { Guest: { v4: [] } }), {
    code, message: /'v4' is not one of allowedVersions\. Did you mean 'v1'\?/
  })
  for (const one of [{ v2: { first: 'Ada' } }, null, 5]) {
    t.throws(() => checkChanges(app, { Guest: one } as never), {
      code, message: /Invalid examples of 'Guest': expected an array, or an array for each version, got /
    })
  }
})

t.test('checkChanges() takes examples of any version, and checks them in the form that it has', async (t) => {
  const app = await appWith([several])
  const one = { id: 1, guest: { name: 'Ada' } }
  const many = { id: 1, guests: [{ name: 'Ada' }] }
  t.same(checkChanges(app, { Booking: { v1: [one], v2: [many], v3: [many] } }), [])
  const wrong = checkChanges(app, { Booking: { v1: [], v2: [1], v3: [many] } })
  t.match(wrong, [{ version: 'v2', message: /must be object/ }])
  t.match(checkChanges(await appWith([names]), { Guest: { v1: [1] } }), [{ version: 'v1', message: /must be object/ }])
})

t.test('checkChanges() refuses an app without changes, and one that is not ready', async (t) => {
  const code = 'FST_ERR_VERSION_CHANGE_OPTION'
  const app = Fastify()
  t.throws(() => checkChanges(app), { code, message: /There are no changes in this context/ })
  await app.register(versioning, {})
  t.throws(() => checkChanges(app), { code, message: /There are no changes in this context/ })
  const other = Fastify()
  await other.register(versioning, { changes: [] })
  t.throws(() => checkChanges(other), { code, message: /checkChanges needs an app that is ready\./ })
  await other.ready()
  t.same(checkChanges(other), [])
})

t.test('checkChanges() uses the validator compiler of the app', async (t) => {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  app.addSchema(Guest)
  app.setValidatorCompiler(() => (value: Json) => value.first === 'Ada' ? { error: new Error('Not Ada') } : { value })
  app.get('/', response({ $ref: 'Guest#' }), async () => ({}))
  await app.ready()
  const none = Fastify().setValidatorCompiler(() => () => false)
  await none.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  none.addSchema(Guest)
  none.get('/', response({ $ref: 'Guest#' }), async () => ({}))
  await none.ready()
  t.match(checkChanges(none, { Guest: [1] }), [{ message: 'The example is not valid: .' }])
  t.match(checkChanges(
    app, { Guest: [{ name: 'Ada Lovelace' }, { name: 'Grace Hopper' }] }
  ), [{ message: /in 'v2': Not Ada\.$/ }])
})

t.test('checkChanges() checks inline schemas of routes', async (t) => {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } })
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes: [names] })
  app.post('/guests', { schema: both({ type: 'array', items: Guest }) }, async () => '')
  await app.ready()
  t.same(checkChanges(app, { Guest: [{ name: 'Ada Lovelace' }] }), [])
  t.match(checkChanges(app, { Guest: { v2: [{ first: 'Ada' }] } }), [{ message: /^The example is not valid: / }])
  t.match(checkChanges(app, { Guest: [{ first: 'Ada' }] }), [{ message: /^The example is not valid: / }])
})

const guestsOf = { Guest: { v2: [{ first: 'Ada', last: 'Lovelace' }], v3: [{ name: 'Ada Lovelace' }] } }
const wrongGuests = { Guest: { v2: [{ first: 'Ada' }], v3: [{ name: [] }] } }

/** An app whose routes validate no requests, unless `declare` says otherwise. */
async function answering (
  declare: (app: FastifyInstance) => void, changes: readonly Change[] = [names], app: FastifyInstance = Fastify()
): Promise<FastifyInstance> {
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: VERSIONS, changes })
  declare(app)
  await app.ready()
  return app
}

t.test('checkChanges() checks schemas of a child context where only its parent validates', async (t) => {
  const app = await answering((app) => {
    app.post('/other', { schema: { body: text } }, async () => '')
    app.register(async (api) => {
      for (const schema of [Booking, Guest]) api.addSchema(schema)
      api.get('/bookings', response({ $ref: 'Booking#' }), async () => '')
    })
  }, [several, names], Fastify({ ajv: { customOptions: { removeAdditional: false, keywords: ['x-own'] } } }))
  t.same(checkChanges(app, examples), [])
  t.match(checkChanges(app, { ...examples, Booking: [{ ...newest, more: 1 }] }), [
    { message: 'The example is not valid: must NOT have additional properties.' }
  ], 'by the options of the app')
})

for (const [label, validates] of [['', false], [', in an app that validates', true]] as const) {
  t.test(`checkChanges() ignores keywords and formats that validators do not know${label}`, async (t) => {
    const app = await answering((app) => {
      app.addSchema({ ...Guest, example: { name: 'Ada' }, properties: { name: { ...text, format: 'name' } } })
      app.get('/guests', response({ $ref: 'Guest#' }), async () => '')
      if (validates) app.post('/other', { schema: { body: text } }, async () => '')
    })
    t.same(checkChanges(app, guestsOf), [])
    t.same(checkChanges(app, wrongGuests).map(({ version }) => version), ['v3', 'v2'])
  })
}

t.test('checkChanges() lets Zod schemas validate where no route validates requests', async (t) => {
  const older = z.object({ first: z.string(), last: z.string() })
  const change = { ...names, schemas: { Guest: { ...names.schemas.Guest, older } } }
  const schema = z.object({ name: z.string().min(1) }).meta({ id: 'Guest' })
  const app = await answering((app) => {
    app.get('/guests', response(z.array(schema)), async () => [])
  }, [change], Fastify().setSerializerCompiler(serializerCompiler))
  t.same(checkChanges(app, guestsOf), [])
  t.same(checkChanges(app, { Guest: { v2: [{ first: 'Ada' }], v3: [{ name: '' }] } }).map(({ message }) => message), [
    'The example is not valid: /name Too small: expected string to have >=1 characters.',
    'The example is not valid: /last Invalid input: expected string, received undefined.'
  ])
  z.globalRegistry.remove(schema)
})

for (const [keyword, newer, older] of [
  ['maxLength', { ...text, maxLength: 10 }, text], ['minLength', { ...text, minLength: 2 }, text],
  ['maximum', { type: 'integer', maximum: 5 }, { type: 'integer' }],
  ['exclusiveMinimum', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer' }],
  ['minItems', { type: 'array', minItems: 1 }, { type: 'array' }],
  ['maxItems', { type: 'array', maxItems: 3 }, { type: 'array' }]
] as const) {
  t.test(`checkChanges() reports an older bound that a new ${keyword} has no room for`, async (t) => {
    const value = newer.type === 'string' ? 'Ada' : newer.type === 'integer' ? 3 : ['a']
    const changeOf = (clamp: boolean): Change => ({
      version: 'v2',
      description: 'Names changed.',
      schemas: {
        Guest: {
          older: object({ first: older }),
          upgrade: ({ first }) => ({ name: clamp ? value : first }),
          downgrade: ({ name }) => ({ first: name })
        }
      }
    })
    const shared = [object({ name: newer }, { $id: 'Guest' })]
    for (const examples of [{ Guest: [{ name: value }] }, { Guest: { v1: [{ first: value }] } }]) {
      t.match(checkChanges(await appWith([changeOf(false)], shared), examples), [
        { schema: 'Guest', version: 'v1', message: /'v1' takes more at '\/first' than 'v3' has room for: / }
      ])
      t.same(checkChanges(await appWith([changeOf(true)], shared), examples), [])
    }
  })
}

t.test('checkChanges() tries no bounds of a schema that only responses have', async (t) => {
  const app = await answering((app) => {
    app.addSchema(object({ name: { ...text, maxLength: 12 } }, { $id: 'Guest' }))
    app.get('/guests', response({ $ref: 'Guest#' }), async () => '')
  })
  t.same(checkChanges(app, guestsOf), [])
})

t.test('checkChanges() tries bounds in every text and list of a value', async (t) => {
  const change: Change = {
    version: 'v2',
    description: 'Names changed.',
    schemas: { Guest: { older: {}, upgrade: (value) => value, downgrade: (value) => value } }
  }
  const list = { type: 'array', items: text, maxItems: 2 }
  const shared = [object({ none: { type: 'null' }, is: { type: 'boolean' }, list, blank: text }, { $id: 'Guest' })]
  const app = await appWith([change], shared)
  t.match(checkChanges(app, { Guest: [{ none: null, is: true, list: ['a'], blank: '' }] }), [
    { version: 'v1', message: /'v1' takes more at '\/list' / }
  ])
  t.same(checkChanges(app, { Guest: [{ none: null, is: true, list: [], blank: '' }] }), [])
  const short = [object({ list: { type: 'array', items: { ...text, maxLength: 2 } } }, { $id: 'Guest' })]
  t.match(checkChanges(await appWith([change], short), { Guest: [{ list: [''] }] }), [
    { version: 'v1', message: /'v1' takes more at '\/list\/0' / }
  ])
  const same = { ...change, schemas: { Guest: { ...change.schemas?.Guest as object, older: short[0] } } } as Change
  t.same(checkChanges(await appWith([same], short), { Guest: [{ list: [''] }] }), [])
})

t.test('checkChanges() converts examples only where the change has a function for it', async (t) => {
  const { older, upgrade, downgrade } = names.schemas.Guest
  const app = await answering((app) => {
    app.addSchema(Guest)
    app.get('/guests', response({ $ref: 'Guest#' }), async () => '')
  }, [{ ...names, schemas: { Guest: { older, downgrade } } }])
  t.same(checkChanges(app, { Guest: [{ name: 'Ada Lovelace' }] }), [])
  t.same(checkChanges(app, { Guest: { v2: [{ first: 'Ada', last: 'Lovelace' }] } }), [])
  t.match(checkChanges(app, wrongGuests), [{ version: 'v3' }, { version: 'v2' }])
  const other = await answering((app) => {
    app.addSchema(Guest)
    app.post('/guests', { schema: { body: { $ref: 'Guest#' } } }, async () => '')
  }, [{ ...names, schemas: { Guest: { older, upgrade } } }])
  t.same(checkChanges(other, guestsOf), [])
})

t.test('checkChanges() reports what an upgrade gives, and what comes back, if it is not valid', async (t) => {
  const changing = (functions: object) => (
    [{ ...names, schemas: { Guest: { ...names.schemas.Guest, lossless: true, ...functions } } }]
  )
  const examples = { Guest: { v1: [{ first: 'Ada', last: 'Lovelace' }] } }
  t.match(checkChanges(await appWith(changing({ upgrade: () => ({}) })), examples), [
    { version: 'v1', message: /The upgrade gives {}, which is not valid in 'v3'/ }
  ])
  t.match(checkChanges(await appWith(changing({ downgrade: () => ({}) })), examples), [
    { version: 'v1', message: /The downgrade gives {}, which is not valid in 'v1'/ }
  ])
  t.same(checkChanges(await appWith([several, names]), { Guest: examples.Guest, Booking: { v1: [v1] } }), [])
})
