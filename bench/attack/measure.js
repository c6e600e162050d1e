/**
 * Says how much the heap of an app grows under each of the schemes, in MB, under requests of which no two have the same
 * headers, host and query, in a process of its own. They come by inject.
 */
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

import versioning, * as schemes from '../../dist/index.js'
import { sizes } from '../sizes.js'

const [names] = process.argv.slice(2)
const { requests } = sizes.attack

const grown = []
for (const name of names.split(',')) grown.push(await growthUnder(schemes[name]))
process.send(grown)
process.disconnect()

async function growthUnder (scheme) {
  const app = Fastify()
  // Every version is permitted: a million versions, and links into them.
  await app.register(versioning, { scheme })
  app.get('/rooms/:id', { name: 'room' }, link)
  for (const version of ['v1', 'v2']) app.get('/chosen/:id', { name: `room-${version}`, version }, link)

  await attack(app, 0, Math.ceil(requests / 100))
  const before = heapUsed()
  await attack(app, requests, requests)
  return heapUsed() - before
}

async function link (request, reply) {
  return reply.reverse('room', { id: request.params.id })
}

async function attack (app, first, count) {
  for (let i = first; i < first + count; i++) {
    const { request, isServed } = requestOf(i)
    const { statusCode } = await app.inject(request)
    assert.equal(statusCode < 300, isServed)
    // Without a turn of the event loop now and then nothing that a request leaves behind is collected.
    if (i % 50 === 0) await setImmediate()
  }
}

/** One of four goes to a handler chosen by version, and one of four to a version that no handler serves. */
function requestOf (i) {
  const isChosen = i % 2 === 1
  const isServed = i % 4 !== 3
  const version = isChosen && isServed ? 'v1' : `v${i + 3}`
  const request = {
    url: `/${isChosen ? 'chosen' : 'rooms'}/7?version=${version}&n=${i}`,
    headers: {
      host: `${version}.example.h${i}`,
      accept: `application/json;version=${version};n=${i}`,
      'content-type': `application/json;version=${version};n=${i}`,
      'api-version': version
    }
  }
  return { request, isServed }
}

function heapUsed () {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
