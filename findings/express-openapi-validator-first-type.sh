#!/usr/bin/env bash
# express-openapi-validator 5.6.2 with express 5.3.0: a response whose Content-Type is not found in the document is
# validated by the schema of the first type there. `res.type('application/json; version=v2')` is not found, because
# Express adds a charset. So a right v2 response is a 500, and a body of v1 under the type of v2 is sent as valid.
# Guessed: the charset does not matter, as it does not for `application/json`; or an unknown type is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact express@5.3.0 express-openapi-validator@5.6.2
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import express from 'express'
import OpenApiValidator from 'express-openapi-validator'

const typeOf = (version) => `application/json; version=${version}`
const schemaOf = (name, type) => ({ schema: { type: 'object', required: [name], properties: { [name]: { type } } } })
const content = { [typeOf('v1')]: schemaOf('guest', 'string'), [typeOf('v2')]: schemaOf('guests', 'array') }
const get = { responses: { 200: { description: 'A booking', content } } }
const apiSpec = { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { get } } }
const bodies = { v1: { guest: 'Ada' }, v2: { guests: ['Ada'] } }

/** The status and type of a response of this type with a body of this version. */
async function answers (version, versionOfBody) {
  const app = express()
  app.use(OpenApiValidator.middleware({ apiSpec, validateResponses: true }))
  app.get('/bookings', (request, response) => response.type(typeOf(version)).json(bodies[versionOfBody]))
  app.use((error, request, response, next) => response.status(error.status).end())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const headers = { accept: typeOf(version) }
  const response = await fetch(`http://127.0.0.1:${server.address().port}/bookings`, { headers })
  server.close()
  server.closeAllConnections()
  return [response.status, response.headers.get('content-type')]
}

const answered = {
  'v2 with a body of v2': await answers('v2', 'v2'),
  'v2 with a body of v1': await answers('v2', 'v1'),
  'v1 with a body of v1': await answers('v1', 'v1')
}
console.log('express-openapi-validator 5.6.2', answered)
assert.deepEqual(answered, {
  'v2 with a body of v2': [500, 'application/json; version=v2; charset=utf-8'],
  'v2 with a body of v1': [200, 'application/json; version=v2; charset=utf-8'],
  'v1 with a body of v1': [200, 'application/json; version=v1; charset=utf-8']
})
JS
node run.js
