#!/usr/bin/env bash
# openapi-backend 5.21.2: schemas under `application/json; charset=utf-8` or `application/vnd.acme.v2+json` are never
# applied. A wrong request body and a wrong response body are valid, without a warning, even if the request has exactly
# this Content-Type. Only the key `application/json` counts; for another type it applies to requests, too.
# Guessed: parameters and their case do not matter, as media types are compared, and +json is JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-backend@5.21.2
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { OpenAPIBackend } from 'openapi-backend'

const schema = { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
const body = { guest: 1 }
/** Whether a wrong body is found in a request and in a response, with the type of the document and of the request. */
async function finds (type, sent = type) {
  const content = { [type]: { schema } }
  const responses = { 200: { description: 'A booking', content } }
  const post = { operationId: 'makeBooking', requestBody: { required: true, content }, responses }
  const definition = { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { post } } }
  const backend = new OpenAPIBackend({ definition })
  await backend.init()
  const request = { method: 'POST', path: '/bookings', headers: { 'content-type': sent }, body }
  return [backend.validateRequest(request), backend.validateResponse(body, 'makeBooking', 200)]
    .map(({ errors }) => Boolean(errors))
}

const found = {
  'application/json': await finds('application/json'),
  'application/json; charset=utf-8': await finds('application/json; charset=utf-8'),
  'application/vnd.acme.v2+json': await finds('application/vnd.acme.v2+json'),
  'application/json, but vnd.acme.v2+json is sent': await finds('application/json', 'application/vnd.acme.v2+json')
}
console.log('openapi-backend 5.21.2 finds a wrong body [in a request, in a response]:', found)
assert.deepEqual(found, {
  'application/json': [true, true],
  'application/json; charset=utf-8': [false, false],
  'application/vnd.acme.v2+json': [false, false],
  'application/json, but vnd.acme.v2+json is sent': [true, true]
})
JS
node run.js
