#!/usr/bin/env bash
# fastify 5.12.8: a route whose handler returns a web `Response` answers GET with it. The HEAD route that Fastify adds
# answers 500, a TypeError of `Buffer.byteLength`, and without the headers: a client that asks by HEAD whether a version
# is deprecated sees a broken server. Text and objects are answered alike by both.
# Guessed: HEAD has the status and the headers of GET, whatever a handler may return.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import Fastify from 'fastify'

const app = Fastify()
const errors = []
app.addHook('onError', async (request, reply, error) => { errors.push(error.name) })
const headers = { 'content-type': 'application/json', deprecation: '@1767225600' }
app.get('/response', async () => new Response('{"guest":"Ada"}', { headers }))
app.get('/text', async (request, reply) => reply.headers(headers).send('{"guest":"Ada"}'))

const said = {}
for (const url of ['/response', '/text']) {
  for (const method of ['GET', 'HEAD']) {
    const { statusCode, headers: { deprecation = null } } = await app.inject({ method, url })
    said[`${method} ${url}`] = [statusCode, deprecation]
  }
}
console.log('fastify 5.12.8', said, errors)
const sent = [200, headers.deprecation]
assert.deepEqual(said, {
  'GET /response': sent, 'HEAD /response': [500, null], 'GET /text': sent, 'HEAD /text': sent
})
assert.deepEqual(errors, ['TypeError'])
JS
node run.js
