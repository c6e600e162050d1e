/** Says what requests cost that are passed to Fastify without a socket, in its own process. */
import assert from 'node:assert/strict'

import { Response } from '../calls/response.js'
import { timeInTurns } from '../calls/timing.js'
import { sizes } from '../sizes.js'
import { appOf, exampleIn } from './app.js'

const [versions, version] = process.argv.slice(2).map(Number)

// Many short rounds, in most of which nobody else gets the core: the difference is small.
const times = timeInTurns(await Promise.all([
  requester('changes'), requester(version === versions ? 'newest' : 'hand')
]), { rounds: sizes.calls.rounds * 10, calls: Math.ceil(sizes.calls.calls / 10) })
process.send(times)
process.disconnect()

async function requester (mode) {
  const app = await appOf(1, versions, mode)
  const headers = { host: 'example.com', 'api-version': `v${version}` }
  const call = () => {
    const response = new Response()
    app.routing({ method: 'GET', url: `/things?cursor${version}=a`, headers, socket: {} }, response)
    return response.body
  }
  assert.deepEqual(JSON.parse(call()), exampleIn(version))
  return { call }
}
