/**
 * Says how much the heap of an app grows, in MB, under requests of which no two have the same Accept header, host and
 * query, in a process of its own. They come by inject.
 */
import Fastify from 'fastify'
import { setImmediate } from 'node:timers/promises'

import versioning, * as schemes from '../../dist/index.js'
import { sizes } from '../sizes.js'

const [scheme, mode] = process.argv.slice(2)
const isChosen = mode === 'chosen'
const { requests } = sizes.attack

const app = Fastify()
// Where no version is chosen by, every one is permitted: a million versions, and links into them.
await app.register(versioning, { scheme: schemes[scheme], allowedVersions: isChosen ? ['v1', 'v2'] : null })
for (const version of ['v1', 'v2']) {
  app.get(isChosen ? '/rooms/:id' : `/rooms/:id/${version}`, { name: 'room', ...isChosen && { version } }, link)
}

await attack(0, requests / 100)
const before = heapUsed()
await attack(requests, requests)
process.send({ grown: heapUsed() - before })
process.disconnect()

async function link (request, reply) {
  return reply.reverse('room', { id: request.params.id })
}

async function attack (first, count) {
  const seen = new Map()
  for (let i = first; i < first + count; i++) {
    const { statusCode } = await app.inject(requestOf(i))
    seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1)
    // Without a turn of the event loop now and then nothing that a request leaves behind is collected.
    if (i % 50 === 0) await setImmediate()
  }
  if (!seen.has(200)) throw new Error(`No request has got through: ${[...seen.keys()].join(', ')}.`)
}

/** Where handlers are chosen by version, every other request is for one that nobody serves. */
function requestOf (i) {
  const version = isChosen && i % 2 === 0 ? 'v1' : `v${i + 3}`
  return {
    url: `/rooms/7${isChosen ? '' : '/v1'}?version=${version}&n=${i}`,
    headers: { host: `${version}.example.h${i}`, accept: `application/json;version=${version};n=${i}` }
  }
}

function heapUsed () {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
