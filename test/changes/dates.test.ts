import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'

import { HeaderVersioning } from '../../src/index.ts'
import { checkChanges } from '../../src/testing/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { appBetween, ask } from './bookings.ts'

import type { Test } from 'tap'
import type { Json } from './kernel.ts'

const noon = new Date('2026-01-31T12:00:00.000Z')
const iso = noon.toISOString()
const [date, text] = [z.date(), z.string()]
const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (value) => new Date(value), encode: (value) => value.toISOString()
})
const reversed = z.codec(z.string(), z.string(), {
  decode: (value) => [...value].reverse().join(''), encode: (value) => [...value].reverse().join('')
})
const same = (value: Json) => value

/** An app whose only route answers with a value, whose Zod schema has changed in v2. */
async function zodApp (t: Test, newest: z.ZodType, older: z.ZodType, downgrade: (value: Json) => Json, value: unknown) {
  t.teardown(() => z.globalRegistry.clear())
  const change = { version: 'v2', description: 'It changed.', schemas: { Stay: { older, downgrade } } }
  const app = await appBetween(t, change as never, [])
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  app.get('/bookings', { schema: { response: { 200: newest.meta({ id: 'Stay' }) } } }, async () => value)
  return app
}

class Row {
  readonly created = noon
  readonly cursor = iso
}

/** What a function of Zod schemas passes on, and what v1 then answers. */
const PASSED_ON: [
  says: string, newest: z.ZodRawShape, older: z.ZodRawShape, downgrade: (value: Json) => Json, value: Json, v1?: Json
][] = [
  ['a text beside a date of the same text', { created: date, cursor: text }, { created: date, cursor: text }, same,
    { created: noon, cursor: iso }],
  ['a renamed text beside a date of the same text', { created: date, cursor: text }, { created: date, next: text },
    ({ cursor, ...rest }) => ({ ...rest, next: cursor }), { created: noon, cursor: iso }, { created: iso, next: iso }],
  ['a renamed date beside a text of the same text', { created: date, cursor: text }, { made: date, cursor: text },
    ({ created, ...rest }) => ({ ...rest, made: created }), { created: noon, cursor: iso }, { made: iso, cursor: iso }],
  ['a date where the newer version has its text', { created: date, at: text }, { at: date },
    ({ created }) => ({ at: created }), { created: noon, at: iso }, { at: iso }],
  ['a text where the newer version has a date', { at: date }, { at: text }, same, { at: noon }],
  ['texts in lists beside dates in lists', { dates: z.array(date), texts: z.array(text) },
    { dates: z.array(date), texts: z.array(text) }, same, { dates: [noon, noon], texts: [iso, 'x', iso] }],
  ['a shorter list of texts and dates', { all: z.array(z.object({ date: date.optional(), text: text.nullable() })) },
    { all: z.array(z.object({ date: date.optional(), text: text.nullable() })) },
    ({ all }) => ({ all: all.slice(1) }),
    { all: [{ date: noon, text: null }, { text: iso }, { date: noon, text: iso }] },
    { all: [{ text: iso }, { date: iso, text: iso }] }],
  ['a text in an instance with a date', { row: z.object({ created: date, cursor: text }) },
    { row: z.object({ created: date, cursor: text }) }, ({ row }) => ({ row: { ...row } }), { row: new Row() }],
  ['a text beside a date of a codec', { created: isoDate, cursor: text }, { created: isoDate, cursor: text }, same,
    { created: noon, cursor: iso }],
  ['a date of a codec or a short text', { at: z.union([text.max(9), isoDate]) },
    { on: z.union([text.max(9), isoDate]) }, ({ at }) => ({ on: at }), { at: noon }, { on: iso }],
  ['a text of a codec beside a date', { created: date, cursor: reversed }, { created: date, cursor: reversed }, same,
    { created: noon, cursor: iso }],
  ['a date or a day', { at: z.union([z.iso.date(), date]) }, { on: z.union([z.iso.date(), date]) },
    ({ at }) => ({ on: at }), { at: noon }, { on: iso }],
  ['an instance of Date', { at: z.instanceof(Date) }, { on: z.instanceof(Date) }, ({ at }) => ({ on: at }),
    { at: noon }, { on: iso }],
  ['a text in one alternative and a date in another',
    {
      created: date,
      of: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), at: text }), z.object({ kind: z.literal('b'), at: date })
      ])
    },
    {
      created: date,
      of: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), at: text }), z.object({ kind: z.literal('b'), at: date })
      ])
    },
    same, { created: noon, of: { kind: 'a', at: iso } }],
  ['anything beside a date', { created: date, any: z.unknown() }, { created: date, any: z.unknown() }, same,
    { created: noon, any: [iso, { on: noon }] }]
]

for (const [says, newest, older, downgrade, value, v1] of PASSED_ON) {
  t.test(`older versions get ${says} as Zod requires`, async (t) => {
    const app = await zodApp(t, z.object(newest), z.object(older), downgrade, value)
    const [oldest, latest] = [await ask(app, 'v1'), await ask(app, 'v2')]
    t.equal(latest.statusCode, 200)
    t.same([oldest.statusCode, oldest.json()], [200, v1 ?? latest.json()])
  })
}

class Noon extends Date {
  override toJSON () { return 'noon' }
}

const far = Array.from({ length: 12 }).reduce((value: unknown) => [value], noon)

/** Values of JSON Schemas that a function passes on, and their schemas. */
const OF_JSON: [says: string, value: Json, properties: object][] = [
  ['a date and its text', { at: noon, text: iso }, {}],
  ['a date and its text in lists', { at: [noon, iso], text: [iso, noon] }, {}],
  ['a date and its text beside a date that is deep', { at: noon, text: iso, far }, { far: {} }],
  ['a date whose JSON is another text', { at: new Noon(noon), text: 'noon' }, {}]
]
for (const [says, value, properties] of OF_JSON) {
  t.test(`older versions get the same as others of ${says} under the format date`, async (t) => {
    const day = { type: 'string', format: 'date' }
    const rest = { type: 'array', items: day }
    const stay = Array.isArray(value.at) ? { at: rest, text: rest } : { at: day, text: day }
    const older = { type: 'object', properties: { ...stay, ...properties } }
    const change = { version: 'v2', description: 'It changed.', schemas: { Stay: { older, downgrade: same } } }
    const app = await appBetween(t, change as never, [{ $id: 'Stay', ...older }])
    app.get('/bookings', { schema: { response: { 200: { $ref: 'Stay#' } } } }, async () => value)
    const [oldest, latest] = [await ask(app, 'v1'), await ask(app, 'v2')]
    t.same([oldest.statusCode, oldest.body], [200, latest.body])
  })
}

t.test('checkChanges() takes texts of Zod beside dates of the same text that several changes pass on', async (t) => {
  t.teardown(() => z.globalRegistry.clear())
  const change = (version: string, older: string, newer: string) => ({
    version,
    description: 'A name changed.',
    schemas: {
      Stay: {
        older: z.object({ at: date, [older]: text }),
        downgrade: ({ [newer]: name, ...rest }: Json) => ({ ...rest, [older]: name })
      }
    }
  })
  const app = await appWith(t, {
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    changes: [change('v2', 'a', 'b'), change('v3', 'b', 'c')]
  })
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
  const newest = z.object({ at: date, c: text }).meta({ id: 'Stay' })
  app.get('/', { schema: { response: { 200: newest } } }, async () => ({ at: noon, c: iso }))
  await app.ready()
  t.same(checkChanges(app, { Stay: [{ at: noon, c: iso }] }), [])
})
