import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { inVersion } from './bookings.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Change } from '../../types/index.d.ts'

const date = new Date(2025, 0, 1, 10, 30)
const at = date.toISOString()
const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
const seen: unknown[] = []

/** v2: a guest has a name. */
function changeOf (properties: Record<string, unknown>): Change {
  return {
    version: 'v2',
    description: 'A guest has a name.',
    schemas: {
      Guest: {
        older: object({ login: { type: 'string' }, ...properties }),
        downgrade: ({ name, ...rest }) => {
          seen.push(rest)
          return { login: name, ...rest }
        }
      }
    }
  }
}

async function appOf (t: Test, properties: Record<string, unknown>, payload: unknown): Promise<FastifyInstance> {
  const changes = [changeOf(properties)]
  const app = await appWith(t, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], changes })
  app.addSchema({ $id: 'Guest', ...object({ name: { type: 'string' }, ...properties }) })
  const response = { 200: object({ guest: { $ref: 'Guest#' }, ...properties }) }
  app.get('/guests', { schema: { response } }, async () => payload)
  return app
}

for (const [format, text] of [
  ['date', '2025-01-01'], ['time', '10:30:00'], ['date-time', at], [undefined, at]
] as const) {
  const schema = { type: 'string', format }
  const list = { type: 'array', items: schema }
  for (const [place, properties, payload, expected] of [
    ['a property', { on: schema }, { on: date }, { on: text }],
    ['a nested object', { of: object({ on: schema }) }, { of: { on: date } }, { of: { on: text } }],
    ['a list', { all: list }, { all: [date, date] }, { all: [text, text] }],
    ['nested lists', { all: { type: 'array', items: list } }, { all: [[date]] }, { all: [[text]] }],
    ['an alternative', { on: { anyOf: [schema, { type: 'null' }] } }, { on: date }, { on: text }]
  ] as const) {
    t.test(`a date in ${place} has the format ${format} in each version`, async (t) => {
      const app = await appOf(t, properties, { guest: { name: 'Ada', ...payload }, ...payload })
      const answers = await Promise.all(['v1', 'v2'].map((version) => app.inject(inVersion(version, '/guests'))))
      t.same(answers.map((one) => one.json()), [
        { guest: { login: 'Ada', ...expected }, ...expected }, { guest: { name: 'Ada', ...expected }, ...expected }
      ])
    })
  }
}

const day = { on: { type: 'string', format: 'date' } }

t.test('the function of a change gets the whole text of a date', async (t) => {
  const app = await appOf(t, day, { guest: { name: 'Ada', on: date } })
  seen.length = 0
  await app.inject(inVersion('v1', '/guests'))
  t.strictSame(seen, [{ on: at }])
})

t.test('a text in place of a date stays as it is', async (t) => {
  for (const on of ['2025-01-01', at]) {
    const app = await appOf(t, day, { guest: { name: 'Ada', on }, on })
    t.same((await app.inject(inVersion('v1', '/guests'))).json(), { guest: { login: 'Ada', on }, on })
  }
})

t.test('a payload with dates may lead back to itself where its schema does not', async (t) => {
  const guest: Record<string, unknown> = { name: 'Ada', on: date, bytes: Buffer.from('a') }
  guest.self = { guest, on: new Date(NaN) }
  const app = await appOf(t, day, { guest, on: date })
  const response = await app.inject(inVersion('v1', '/guests'))
  t.same(response.json(), { guest: { login: 'Ada', on: '2025-01-01' }, on: '2025-01-01' })
})

t.test('app.downgrade gives dates as texts', async (t) => {
  const app = await appOf(t, day, null)
  await app.ready()
  t.same(app.downgrade('Guest', { name: 'Ada', on: date }, 'v1'), { login: 'Ada', on: at })
})
