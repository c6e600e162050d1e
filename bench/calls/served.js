import Fastify from 'fastify'
import assert from 'node:assert/strict'

import versioning, { HeaderVersioning } from '../../dist/index.js'
import { median, quantile } from '../statistics.js'
import { Response } from './response.js'
import { timeInTurns } from './timing.js'

/** Many short rounds, in most of which nobody else gets the core: the difference is small. */
const SHORTER = 10

/**
 * Nanoseconds of a request that is passed to Fastify without a socket, with the option `servedVersion` and without it.
 *
 * @returns rows of name and time, and by how much the option is slower, with the quartiles of the rounds
 */
export async function timeServed (sizes) {
  const [without, withOption] = [await requesterOf(null), await requesterOf('API-Version')]
  assert.equal(without(7).headers['api-version'], undefined)
  assert.equal(withOption(7).headers['api-version'], 'v1')
  const calls = [without, withOption].map((send) => ({ call: (room) => send(room).body }))
  const times = timeInTurns(calls, { rounds: sizes.rounds * SHORTER, calls: sizes.calls / SHORTER })
  const slower = times[1].map((time, i) => time - times[0][i])
  return {
    rows: [
      ['HeaderVersioning', median(times[0])],
      ["… with servedVersion: 'API-Version'", median(times[1])]
    ],
    slower: { low: quantile(slower, 0.25), middle: median(slower), high: quantile(slower, 0.75) }
  }
}

async function requesterOf (servedVersion) {
  const app = Fastify()
  await app.register(versioning, { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], servedVersion })
  app.get('/rooms/:id', (request, reply) => { reply.send({ id: request.params.id, version: request.version }) })
  await app.ready()
  const headers = { host: 'example.com', 'api-version': 'v1' }
  return (room) => {
    const response = new Response()
    app.routing({ method: 'GET', url: `/rooms/${room}`, headers, socket: {} }, response)
    return response
  }
}
