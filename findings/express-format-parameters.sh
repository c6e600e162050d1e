#!/usr/bin/env bash
# express 5.3.0: `response.format` finds the handler of `application/json; version=v2` by its parameter, quoted or not,
# and sends its body as `application/json`. The response does not say its version, and caches and validators that go by
# its type take v1 and v2 for the same. The names in the 406 are the same twice. A vendor type is sent as it is written.
# Guessed: the Content-Type is the key that was chosen, with a charset, as `response.type` has it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact express@5.3.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import express from 'express'

/** What is answered to a request that accepts this, by a route that has these types for its versions. */
async function answers (types, accept, send) {
  const app = express()
  app.get('/', (request, response) => {
    if (send) return response.type(send).send({ version: 'v2' })
    const handlers = types.map((type, index) => [type, () => response.send({ version: `v${index + 1}` })])
    response.format(Object.fromEntries(handlers))
  })
  app.use((error, request, response, next) => response.status(error.status).json(error.types))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { accept } })
  const answered = [response.status, response.headers.get('content-type'), await response.json()]
  server.close()
  return answered
}

const parameters = ['application/json; version=v1', 'application/json; version=v2']
const vendor = ['application/vnd.acme.v1+json', 'application/vnd.acme.v2+json']
const answered = {
  parameter: await answers(parameters, 'application/json; version=v2'),
  quoted: await answers(parameters, 'application/json; version="v2"'),
  unknown: await answers(parameters, 'application/json; version=v3'),
  'response.type': await answers(parameters, '*/*', 'application/json; version=v2'),
  vendor: await answers(vendor, 'application/vnd.acme.v2+json')
}
console.log('express 5.3.0', answered)
const json = 'application/json; charset=utf-8'
const v2 = { version: 'v2' }
assert.deepEqual(answered, {
  parameter: [200, json, v2],
  quoted: [200, json, v2],
  unknown: [406, json, ['application/json', 'application/json']],
  'response.type': [200, 'application/json; version=v2; charset=utf-8', v2],
  vendor: [200, 'application/vnd.acme.v2+json; charset=utf-8', v2]
})
process.exit()
JS
node run.js
