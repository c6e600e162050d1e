/**
 * Says how long documents of many routes took, in ms of the processor: `ours`, one by one, and as many of all routes by
 * `theirs`, which is @fastify/swagger alone.
 */
import swagger from '@fastify/swagger'
import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'
import openapi from '../../dist/openapi.js'

const [routes, versions] = process.argv.slice(2, 4).map(Number)
const names = Array.from({ length: versions }, (_, i) => `v${i + 1}`)
const info = { title: 'Bookings', version: '1.0.0' }

const app = Fastify()
await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: names })
await app.register(openapi, { openapi: { info }, ui: false })
for (const i of names.keys()) await app.register(swagger, { openapi: { info }, decorator: `alone${i}` })
for (let i = 0; i < routes; i++) app.get(`/rooms${i}/:id`, { schema: schema(i) }, async () => 'ok')
await app.ready()

// In pairs, so that both are measured in the same state of the machine.
const took = { ours: [], theirs: [] }
for (const [i, name] of names.entries()) {
  took.theirs.push(timeOf(() => app[`alone${i}`]()))
  took.ours.push(timeOf(() => app.openapi(name)))
}
process.send(took)
process.disconnect()

function schema (i) {
  const text = { type: 'string' }
  return {
    querystring: { type: 'object', properties: { page: { type: 'integer' }, size: { type: 'integer' } } },
    response: { 200: { type: 'object', properties: { [`id${i}`]: text, guest: text, nights: { type: 'integer' } } } }
  }
}

function timeOf (make) {
  const begin = process.cpuUsage()
  make()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1_000
}
