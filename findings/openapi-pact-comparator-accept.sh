#!/usr/bin/env bash
# @pactflow/openapi-pact-comparator 2.3.1: a response in a pact is compared with the schema of what the request
# accepts, not with the schema of its own `Content-Type`. Without `Accept`, with `*/*` or with what axios sends, this is
# the first type of the document. So a right v2 response of type `application/vnd.acme.v2+json` is incompatible if v1
# stands before v2, and a response that has v1's body under this type is compatible. A consumer with a mistake may
# deploy, and one without may not. If v2 stands first in the document, it is the other way round. Request bodies go by
# their `Content-Type`.
# Guessed: a body is of the type that its headers say, in requests and in responses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @pactflow/openapi-pact-comparator@2.3.1 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { Comparator } from '@pactflow/openapi-pact-comparator'

const typeOf = (version) => `application/vnd.acme.${version}+json`
const bodies = { v1: { guest: 'Ada' }, v2: { guests: 'Ada' } }

/** Whether the pact with this interaction fits a document that has the versions in this order. */
async function isCompatible (versions, { accept, method = 'GET', sent, responseBody }) {
  const content = Object.fromEntries(versions.map((version) => {
    const properties = Object.fromEntries(Object.keys(bodies[version]).map((name) => [name, { type: 'string' }]))
    const schema = { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
    return [typeOf(version), { schema }]
  }))
  const responses = { 200: { description: 'The booking', content } }
  const oas = {
    openapi: '3.0.3',
    info: { title: 'Bookings', version: '2' },
    paths: { '/bookings/1': { get: { responses }, put: { requestBody: { required: true, content }, responses } } }
  }
  const request = { method, path: '/bookings/1', headers: {} }
  if (accept) request.headers.Accept = accept
  if (sent) Object.assign(request, { body: sent, headers: { ...request.headers, 'Content-Type': typeOf('v2') } })
  const response = { status: 200, headers: { 'Content-Type': typeOf('v2') }, body: responseBody }
  const results = []
  const pact = {
    consumer: { name: 'app' },
    provider: { name: 'bookings' },
    interactions: [{ description: 'A booking', request, response }],
    metadata: { pactSpecification: { version: '2.0.0' } }
  }
  for await (const { code } of new Comparator({ oas }).compare(pact)) results.push(code)
  return results.length === 0 || results[0]
}

const axios = 'application/json, text/plain, */*'
const compatible = {}
for (const versions of [['v1', 'v2'], ['v2', 'v1']]) {
  for (const accept of [undefined, '*/*', axios, typeOf('v2')]) {
    compatible[`${versions} Accept: ${accept}`] = {
      right: await isCompatible(versions, { accept, responseBody: bodies.v2 }),
      "v1's body": await isCompatible(versions, { accept, responseBody: bodies.v1 })
    }
  }
}
const accept = typeOf('v2')
compatible['PUT of a v2 body'] = {
  right: await isCompatible(['v1', 'v2'], { accept, method: 'PUT', sent: bodies.v2, responseBody: bodies.v2 }),
  "v1's body": await isCompatible(['v1', 'v2'], { accept, method: 'PUT', sent: bodies.v1, responseBody: bodies.v2 })
}
console.log('@pactflow/openapi-pact-comparator 2.3.1', compatible)
const right = { right: true, "v1's body": 'response.body.incompatible' }
const reversed = { right: 'response.body.incompatible', "v1's body": true }
assert.deepEqual(compatible, {
  'v1,v2 Accept: undefined': reversed,
  'v1,v2 Accept: */*': reversed,
  [`v1,v2 Accept: ${axios}`]: reversed,
  'v1,v2 Accept: application/vnd.acme.v2+json': right,
  'v2,v1 Accept: undefined': right,
  'v2,v1 Accept: */*': right,
  [`v2,v1 Accept: ${axios}`]: right,
  'v2,v1 Accept: application/vnd.acme.v2+json': right,
  'PUT of a v2 body': { right: true, "v1's body": 'request.body.incompatible' }
})
JS
node_modules/.bin/node run.js
