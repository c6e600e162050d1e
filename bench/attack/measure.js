/**
 * Says how much the heap of an app grows in each of the cases, in MB, in its own process. The cases are schemes, with
 * requests of which no two have the same headers, host and query, and long texts that the app passes to
 * `reply.reverse`. The requests come by inject.
 */
import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'

import versioning, * as schemes from '../../dist/index.js'
import { sizes } from '../sizes.js'

const [names] = process.argv.slice(2)
const { requests } = sizes.attack

/** For two hundred of the other requests there is one with a text, because texts are long. */
const TEXT_LENGTH = 15_000
const texts = Math.ceil(requests / 200)
const linksWith = new Map([
  ['names of links', (text) => [text]],
  ['versions of links', (text) => ['room', null, { version: text }]]
])

const grown = []
for (const name of names.split(',')) {
  const argsOf = linksWith.get(name)
  grown.push(argsOf === undefined ? await growthUnder(schemes[name]) : await growthByTexts(argsOf))
}
process.send(grown)
process.disconnect()

/** @param argsOf makes the arguments of `reply.reverse` of a text */
async function growthByTexts (argsOf) {
  const app = Fastify()
  await app.register(versioning, { scheme: schemes.NamespaceVersioning })
  app.register(async (v1) => {
    v1.get('/rooms', { name: 'room' }, async (request, reply) => reply.reverse(...argsOf(request.headers['x-text'])))
  }, { prefix: '/v1', namespace: 'v1' })

  await sendTexts(app, 0, Math.ceil(texts / 100))
  const before = heapUsed()
  await sendTexts(app, texts, texts)
  return heapUsed() - before
}

async function sendTexts (app, first, count) {
  for (let i = first; i < first + count; i++) {
    // Made of bytes, as a parser makes it, so that it shares nothing with another text.
    const text = Buffer.from(String(i).padStart(TEXT_LENGTH, 'x')).latin1Slice()
    const { statusCode } = await app.inject({ url: '/v1/rooms', headers: { 'x-text': text } })
    assert.equal(statusCode, 500)
    await setImmediate()
  }
}

async function growthUnder (scheme) {
  const app = Fastify()
  // Every version is allowed: a million versions, and links into them.
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
