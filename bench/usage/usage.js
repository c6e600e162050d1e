import Fastify from 'fastify'

import { run } from '../child.js'
import { isSmoke, pluginOf, sides, sizes } from '../settings.js'
import { printSides } from '../table.js'
import { cpuTimeOf } from '../timing.js'

const [CLIENTS, ROUTES] = isSmoke ? [10, 2] : [100_000, 40]
/** How many rows each client has. */
const ROWS = 3

/** The questions of the sub-package usage, with 100,000 clients and 300,000 rows in memory. */
export async function measureUsage () {
  const names = ['of', 'movable', 'summary']
  const found = []
  for (let i = 0; i < sizes.starts; i++) found.push(await run('./usage/usage.js', sides.ours))
  printSides('Questions about usage', 'ms of CPU time', names.map((label) => (
    { label, times: { ours: found.map((times) => times[label]) } }
  )))
}

/** Milliseconds for each question, a list of values. */
export async function measure (side) {
  const { default: versioning, HeaderVersioning } = await pluginOf(side)
  const { default: usage } = await pluginOf(side, 'usage')
  const app = Fastify()
  await app.register(versioning, {
    scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], lifecycle: { v1: { sunset: '2036-01-01' } }
  })
  await app.register(usage, { client: ({ headers }) => headers['x-client'] })
  for (let i = 0; i < ROUTES; i++) app.get(`/rooms-${i}`, async () => 1)
  for (let client = 0; client < CLIENTS; client++) {
    for (let i = 0; i < ROWS; i++) {
      const headers = { 'api-version': `v${1 + i % 2}`, 'x-client': `client ${client}` }
      await app.inject({ url: `/rooms-${(client + i) % ROUTES}`, headers })
    }
    // More rows than may wait would lose their names.
    if (client % 20_000 === 0) await app.versionUsage.of('')
  }
  const questions = {
    of: () => app.versionUsage.of('client 7'),
    movable: () => app.versionUsage.movable('v1', 'v2'),
    summary: () => app.versionUsage.summary()
  }
  const times = {}
  for (const [name, ask] of Object.entries(questions)) {
    times[name] = []
    for (let i = 0; i < sizes.turns; i++) times[name].push(await cpuTimeOf(ask))
  }
  await app.close()
  return times
}
