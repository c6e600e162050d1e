import t from 'tap'

import { HeaderVersioning } from '../../src/index.ts'
import { EXAMPLES, appWithChanges, guests, ofRoute, room } from './bookings.ts'

import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'

type Line = Record<string, unknown>

const Booking = { $ref: 'Booking#' }
const upgrades = [
  "upgrade of 'Booking' by 'v2' (A booking has several guests.)", "upgrade of 'Booking' by 'v3' (A room has a number.)"
]
const downgrades = upgrades.toReversed().map((text) => text.replace('upgrade', 'downgrade'))

/** Asks an app of changes, and returns what it logs of them. */
async function logOf (
  t: Test, options: FastifyServerOptions, lines: readonly Line[], version: string,
  { payload = EXAMPLES[version], headers = {}, logLevel }: {
    payload?: unknown, headers?: Record<string, string>, logLevel?: 'debug'
  } = {}
): Promise<Line[]> {
  const changes = [guests, room, ofRoute({ response: { 451: { status: 422, downgrade: (value) => value } } })]
  const app = await appWithChanges(t, { scheme: HeaderVersioning, changes }, options)
  const response = { 200: Booking, 451: { type: 'object', properties: { reason: { type: 'string' } } } }
  const route = { name: 'bookings', schema: { body: Booking, response }, ...(logLevel && { logLevel }) }
  app.post('/bookings', route, async ({ body, headers }, reply) => (
    headers.refuse === undefined ? body : await reply.code(451).send({ reason: 'No.' })
  ))
  await app.inject({
    method: 'POST', url: '/bookings', headers: { 'api-version': version, ...headers }, payload: payload as object
  })
  return lines.filter(({ changes }) => changes !== undefined)
}

function pino (level: string) {
  const lines: Line[] = []
  const stream = { write: (line: string) => { lines.push(JSON.parse(line)) } }
  return { lines, options: { logger: { level, stream } } }
}

/** A logger that has what Fastify demands, and no more. */
function plain (level: string, more: object = {}) {
  const lines: Line[] = []
  const note = (line: Line, msg: string) => { lines.push({ ...line, msg }) }
  const logger = { level, fatal: note, error: note, warn: note, info: note, debug: note, trace: note, ...more }
  const loggerInstance = { ...logger, child () { return this } } as unknown as FastifyBaseLogger
  return { lines, options: { loggerInstance } }
}

t.test('at level debug one line says which changes ran, in their order, and how long', async (t) => {
  const { lines, options } = pino('debug')
  const [line, ...others] = await logOf(t, options, lines, 'v1')
  t.match(line, { level: 20, route: 'POST /bookings', version: 'v1', msg: "Changes served POST /bookings in 'v1'." })
  t.strictSame(line.changes, [...upgrades, ...downgrades])
  t.type(line.milliseconds, 'number')
  t.same(others, [])
})

t.test('the line has only the changes between both versions', async (t) => {
  const { lines, options } = pino('trace')
  t.same((await logOf(t, options, lines, 'v2')).map(({ changes }) => changes), [[upgrades[1], downgrades[0]]])
})

t.test('the line has a status that changed', async (t) => {
  const { lines, options } = pino('debug')
  const [line] = await logOf(t, options, lines, 'v1', { headers: { refuse: 'yes' } })
  t.strictSame(line.changes, [
    ...upgrades, 'status 422 instead of 451', "downgrade by 'v3' (A route changed.)"
  ])
})

t.test('the line ends with a change that failed', async (t) => {
  const { lines, options } = pino('debug')
  const payload = { guest: 'Ada', room: '9'.repeat(400) }
  const [line] = await logOf(t, options, lines, 'v1', { payload })
  t.strictSame(line.changes, upgrades)
})

for (const [title, version, payload] of [
  ['is in the newest version', 'v3', EXAMPLES.v3], ['is refused before any change', 'v1', { guest: [{}] }]
] as const) {
  t.test(`nothing is logged of a request that ${title}`, async (t) => {
    const { lines, options } = pino('debug')
    t.same(await logOf(t, options, lines, version, { payload }), [])
  })
}

t.test('nothing is logged at level info', async (t) => {
  const { lines, options } = pino('info')
  t.same(await logOf(t, options, lines, 'v1'), [])
  t.not(lines.length, 0)
})

t.test('the level of a route counts', async (t) => {
  const { lines, options } = pino('info')
  t.equal((await logOf(t, options, lines, 'v1', { logLevel: 'debug' })).length, 1)
})

for (const [level, count] of [['debug', 1], ['trace', 1], ['info', 0], [undefined, 0]] as const) {
  t.test(`a logger without isLevelEnabled() logs ${count} lines at level ${level}`, async (t) => {
    const { lines, options } = plain(level as string)
    t.equal((await logOf(t, options, lines, 'v1')).length, count)
  })
}

t.test('a logger is asked for its level once a request', async (t) => {
  const asked: string[] = []
  const { lines, options } = plain('info', {
    isLevelEnabled: (level: string) => {
      asked.push(level)
      return false
    }
  })
  t.same(await logOf(t, options, lines, 'v1'), [])
  t.same(asked, ['debug'])
})
