#!/usr/bin/env bash
# @fastify/reply-from 12.6.5: the parameters of the Content-Type are lost. A body that Fastify has parsed is sent on as
# `application/json`, so the upstream of `Content-Type: application/json; version=v2` gets no version, and serves its
# default. @fastify/http-proxy 11.6.3, which uses it, passes the header on, because it does not parse the body.
# Guessed: the upstream gets the Content-Type of the client in both cases.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/http-proxy@11.6.3 \
  @fastify/reply-from@12.6.5
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import httpProxy from '@fastify/http-proxy'
import replyFrom from '@fastify/reply-from'
import Fastify from 'fastify'

const upstream = Fastify()
upstream.post('/bookings', async (request) => ({ type: request.headers['content-type'], body: request.body }))
const base = await upstream.listen({ port: 0, host: '127.0.0.1' })

const gateway = Fastify()
await gateway.register(replyFrom, { base })
gateway.post('/bookings', (request, reply) => reply.from('/bookings'))
gateway.register(httpProxy, { upstream: base, prefix: '/proxy' })

const send = async (url) => {
  const headers = { 'content-type': 'application/json; version=v2' }
  return (await gateway.inject({ method: 'POST', url, headers, payload: '{"guests":["Ada"]}' })).json()
}
const received = { 'reply.from': await send('/bookings'), 'http-proxy': await send('/proxy/bookings') }
await gateway.close()
await upstream.close()
console.log('@fastify/reply-from 12.6.5', received)
const body = { guests: ['Ada'] }
assert.deepEqual(received, {
  'reply.from': { type: 'application/json', body },
  'http-proxy': { type: 'application/json; version=v2', body }
})
JS
node run.js
