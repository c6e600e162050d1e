#!/usr/bin/env bash
# @fastify/accepts-serializer 6.0.3 with fastify 5.12.8: a route that is serialized as v1 or as v2, by Accept, sends no
# `Vary`. A cache between, here that of undici 8.13.1, gives v1 to a client that accepts v2 alone.
# Guessed: what negotiates sends `Vary: Accept`, as `response.format` of Express does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/accepts-serializer@6.0.3 undici@8.13.1 \
  express@5.3.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import acceptsSerializer from '@fastify/accepts-serializer'
import express from 'express'
import Fastify from 'fastify'
import { Agent, interceptors, request } from 'undici'

const typeOf = (version) => `application/vnd.acme.${version}+json`
const bodies = { v1: { guest: 'Ada' }, v2: { guests: ['Ada'] } }

const fastify = Fastify()
await fastify.register(acceptsSerializer, {
  serializers: Object.keys(bodies).map((version) => ({
    regex: new RegExp(`^application/vnd\\.acme\\.${version}\\+json$`),
    serializer: () => JSON.stringify(bodies[version])
  })),
  default: typeOf('v1')
})
fastify.get('/bookings/1', (request, reply) => reply.header('cache-control', 'max-age=60').send(bodies.v2))

const app = express()
app.get('/bookings/1', (request, response) => {
  response.set('cache-control', 'max-age=60')
  response.format(Object.fromEntries(Object.entries(bodies).map(([version, body]) => [
    typeOf(version), () => response.json(body)
  ])))
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

/** The Vary, and the bodies for v1 and then for v2 through a cache. */
async function answers (url) {
  const dispatcher = new Agent().compose(interceptors.cache())
  const answered = []
  let vary
  for (const version of Object.keys(bodies)) {
    const { headers, body } = await request(`${url}/bookings/1`, { dispatcher, headers: { accept: typeOf(version) } })
    vary = headers.vary
    answered.push(await body.text())
  }
  return [vary, ...answered]
}
const answered = {
  fastify: await answers(await fastify.listen({ port: 0, host: '127.0.0.1' })),
  express: await answers(`http://127.0.0.1:${server.address().port}`)
}
console.log('@fastify/accepts-serializer 6.0.3', answered)
const [v1, v2] = Object.values(bodies).map((body) => JSON.stringify(body))
assert.deepEqual(answered, { fastify: [undefined, v1, v1], express: ['Accept', v1, v2] })
process.exit()
JS
node_modules/.bin/node run.js
