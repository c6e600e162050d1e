#!/usr/bin/env bash
# @mswjs/source 0.5.0 with msw 2.15.0: the answer to a request that accepts `application/vnd.acme.v2+json` is a 200
# without a body and without a Content-Type, even if the document has exactly this type. The type becomes a regular
# expression in which `+` is not escaped. `application/json; version=v2` and `*/*` are found.
# Guessed: the example of the type that is accepted, or 406.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @mswjs/source@0.5.0 msw@2.15.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { fromOpenApi } from '@mswjs/source/open-api'
import { getResponse } from 'msw'

/** What is answered to a request that accepts a type, if the document has this type alone. */
async function answers (type, accept = type) {
  const content = { [type]: { example: { guests: ['Ada'] } } }
  const get = { responses: { 200: { description: 'A booking', content } } }
  const handlers = await fromOpenApi({
    openapi: '3.0.3',
    info: { title: 'Bookings', version: '1' },
    servers: [{ url: 'http://api.example.com' }],
    paths: { '/bookings': { get } }
  })
  const response = await getResponse(handlers, new Request('http://api.example.com/bookings', { headers: { accept } }))
  return [response.status, response.headers.get('content-type'), await response.text()]
}

const vendor = 'application/vnd.acme.v2+json'
const answered = {
  vendor: await answers(vendor),
  'vendor, but */* is accepted': await answers(vendor, '*/*'),
  parameter: await answers('application/json; version=v2')
}
console.log('@mswjs/source 0.5.0', answered)
assert.deepEqual(answered, {
  vendor: [200, null, ''],
  'vendor, but */* is accepted': [200, vendor, '{"guests":["Ada"]}'],
  parameter: [200, 'application/json; version=v2', '{"guests":["Ada"]}']
})
JS
node run.js
