import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { warningsDuring } from '../fixtures/warnings-during.ts'
import { appWithChanges, ask } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Change } from '../../types/index.d.ts'

const text = { type: 'string' }
const list = { type: 'array', items: text }
const Stay = { $id: 'Stay', type: 'object', properties: { id: { type: 'integer' }, guests: list, note: text } }
const older = { type: 'object', properties: { id: { type: 'integer' }, guest: text, code: text } }

/** v2: a stay has several guests. */
const several: Change = {
  version: 'v2',
  description: 'Several guests.',
  schemas: { Stay: { older, downgrade: ({ guests, ...rest }) => ({ ...rest, guest: guests?.[0] }) } }
}

/** Warnings while a client of v1 calls routes that answer with these values. */
async function warningsOf (values: readonly unknown[], change = several, schema: object = Stay): Promise<string[]> {
  return await warningsDuring(t, async () => {
    const app = await appWithChanges(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [change] })
    app.addSchema(schema)
    for (const [i, value] of values.entries()) declare(app, `/${i}`, value)
    await app.ready()
    for (const i of [...values.keys(), ...values.keys()]) await ask(app, 'v1', `/${i}`)
  })
}

function declare (app: FastifyInstance, url: string, value: unknown): void {
  const stay = { $ref: 'Stay#' }
  const schema = Array.isArray(value) ? { type: 'array', items: stay } : stay
  app.get(url, { schema: { response: { 200: schema } } }, async () => value)
}

t.test('each handler that answers as an older version does is named once', async (t) => {
  const warning = (label: string) => (
    `FST_WARN_VERSION_CHANGE: Use 'guests' or 'note' instead of 'guest' in GET ${label}, response 200: the value is ` +
    "as before change 'v2' (Several guests.), whose function \"downgrade\" makes undefined of 'guest'."
  )
  t.same(await warningsOf([{ id: 1, guest: 'Ann' }, [{ id: 1, guests: ['Ann'] }, { id: 2, guest: 'Bo' }]]),
    [warning('/0'), warning('/1')])
})

t.test('a handler that answers as an older version does is named once for all older versions', async (t) => {
  const later: Change = { ...several, version: 'v3' }
  const earlier: Change = {
    version: 'v2', description: 'A note.', schemas: { Stay: { older, downgrade: (stay) => stay } }
  }
  const warnings = await warningsDuring(t, async () => {
    const app = await appWithChanges(t, { scheme: HeaderVersioning, changes: [earlier, later] })
    app.addSchema(Stay)
    for (const i of [0, 1]) declare(app, `/${i}`, { id: 1, guest: 'Ann' })
    await app.ready()
    for (const version of ['v2', 'v1', 'v2']) for (const i of [0, 1]) await ask(app, version, `/${i}`)
  })
  t.same(warnings.map((warning) => / in (.*), response/.exec(warning)?.[1]), ['GET /0', 'GET /1'])
})

t.test('a member that is null or undefined is not lost', async (t) => {
  t.same(await warningsOf([{ id: 1, guest: null }, { id: 1 }]), [])
})

t.test('a row of a database may have members of older versions, too', async (t) => {
  t.same(await warningsOf([{ id: 1, guest: 'Ann', guests: ['Bo'] }, { id: 1, guest: 'Ann', note: 'late' }]), [])
})

t.test('a handler that says that a new member is null knows the change', async (t) => {
  t.same(await warningsOf([{ id: 1, guest: 'Ann', guests: null }]), [])
})

t.test('a function that returns a promise is an error alone', async (t) => {
  const change = { ...several, schemas: { Stay: { older, downgrade: () => Promise.resolve({}) } } }
  t.same(await warningsOf([{ id: 1, guest: 'Ann' }], change as never), [])
})

t.test('a handler may supply what older versions alone have', async (t) => {
  t.same(await warningsOf([{ id: 1, code: 'x' }]), [])
})

t.test('a handler may supply what a change removed without anything instead', async (t) => {
  const change: Change = { ...several, schemas: { Stay: { older, downgrade: ({ id }) => ({ id, guest: 'nobody' }) } } }
  const without = { ...Stay, properties: { id: { type: 'integer' } } }
  t.same(await warningsOf([{ id: 1, guest: 'Ann' }], change, without), [])
})

t.test('app.downgrade warns of a value that is one of the older version already', async (t) => {
  const app = await appWithChanges(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes: [several] })
  app.addSchema(Stay)
  declare(app, '/', {})
  await app.ready()
  const [warning] = await warningsDuring(t, async () => app.downgrade('Stay', { id: 1, guest: 'Ann' }, 'v1'))
  t.match(warning, /^FST_WARN_VERSION_CHANGE: Use 'guests' or 'note' instead of 'guest' in the schema 'Stay', value: /)
})

t.test('values are not looked at for ever', async (t) => {
  const rows = Array.from({ length: 1000 }, (_, id) => ({ id, guests: ['Ann'] }))
  t.equal((await warningsOf([[...rows.slice(1), { id: 1, guest: 'Bo' }]])).length, 1)
  t.same(await warningsOf([[...rows, { id: 1, guest: 'Bo' }]]), [])
})
