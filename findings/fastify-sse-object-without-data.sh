#!/usr/bin/env bash
# @fastify/sse 0.6.0 with fastify 5.12.8: `reply.sse.send(booking)` with an object that has no `data` throws a
# TypeError, so the client gets a 500. If the same objects come from a generator or a stream, they are taken as
# messages: `id` is sent as the id of the event, and all the rest is lost. The response is a 200 with `id: 7` and
# nothing else, which fires no event in a client. An object without `id`, `event` and `retry` is not sent at all, and
# nothing is logged. Of a booking that happens to have a property `data`, this property is sent.
# Guessed: what is an error as one message is an error as an item of many; or both are sent as JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/sse@0.6.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import sse from '@fastify/sse'

const bookings = [{ id: 7, guest: 'Ada' }, { guest: 'Bob' }, { id: 8, guest: 'Cyd', data: 'paid' }]
const sources = {
  one: () => bookings[0],
  generator: async function * () { yield * bookings },
  stream: () => Readable.from(bookings)
}
const logged = []
const stream = { write: (line) => logged.push(JSON.parse(line).err.message) }
const app = Fastify({ logger: { level: 'warn', stream } })
await app.register(sse)
app.get('/:source', { sse: 'only' }, async (request, reply) => {
  await reply.sse.send(sources[request.params.source]())
})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const answers = {}
for (const source of Object.keys(sources)) {
  const response = await fetch(`${origin}/${source}`, { headers: { accept: 'text/event-stream' } })
  const text = await response.text()
  answers[source] = [response.status, response.ok ? text : JSON.parse(text).message]
}
await app.close()
console.log('@fastify/sse 0.6.0', answers, 'logged:', logged)
const events = 'id: 7\n\nid: 8\ndata: "paid"\n\n'
assert.deepEqual(answers, {
  one: [500, 'Invalid SSE source type'],
  generator: [200, events],
  stream: [200, events]
})
assert.deepEqual(logged, ['Invalid SSE source type'])
JS
node run.js
