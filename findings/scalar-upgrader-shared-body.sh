#!/usr/bin/env bash
# @scalar/openapi-upgrader 0.4.9 and swagger2openapi 7.0.8: an upgrade of Swagger 2.0 loses bodies, each tool in another
# place. If an operation or its path refers to a shared body, `{ "$ref": "#/parameters/Booking" }`, the upgrader writes
# a parameter that refers to `#/components/requestBodies/Booking`, and no `requestBody`. @scalar/openapi-parser 0.29.22
# calls the document valid. swagger2openapi converts the reference of an operation, and drops each body that stands at
# the path, for all of its operations. Neither tool warns, and clients made from the new document send no body. A body
# that stands in the operation itself is right in both.
# Guessed: each operation has the same body before and after.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @scalar/openapi-upgrader@0.4.9 @scalar/openapi-parser@0.29.22 \
  swagger2openapi@7.0.8 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { validate } from '@scalar/openapi-parser'
import { upgrade } from '@scalar/openapi-upgrader'
import swagger2openapi from 'swagger2openapi'

const body = { in: 'body', name: 'booking', required: true, schema: { $ref: '#/definitions/Booking' } }
const $ref = '#/parameters/Booking'
const responses = { 204: { description: 'Done' } }
const paths = {
  'in the operation': { post: { parameters: [body], responses } },
  shared: { post: { parameters: [{ $ref }], responses } },
  'at the path': { parameters: [body], post: { responses } },
  'shared, at the path': { parameters: [{ $ref }], post: { responses } }
}

/** What is left of the body of this operation: a request body, something in the parameters, or nothing. */
function bodyOf ({ parameters = [], post }) {
  if (post.requestBody) return 'body'
  const [parameter] = [...parameters, ...post.parameters ?? []]
  if (!parameter) return 'none'
  return parameter.$ref ?? `parameter ${Object.keys(parameter)}`
}

const left = {}
for (const [name, item] of Object.entries(paths)) {
  const document = {
    swagger: '2.0',
    info: { title: 'Bookings', version: '1' },
    consumes: ['application/json'],
    paths: { '/bookings': item },
    parameters: { Booking: body },
    definitions: { Booking: { type: 'object', properties: { guest: { type: 'string' } } } }
  }
  assert.ok((await validate(document)).valid)
  const upgraded = upgrade(JSON.parse(JSON.stringify(document)), '3.1')
  const { openapi } = await swagger2openapi.convertObj(JSON.parse(JSON.stringify(document)), {})
  left[name] = {
    upgrader: bodyOf(upgraded.paths['/bookings']),
    valid: (await validate(upgraded)).valid,
    swagger2openapi: bodyOf(openapi.paths['/bookings'])
  }
}
console.log('@scalar/openapi-upgrader 0.4.9', left)
const reference = '#/components/requestBodies/Booking'
assert.deepEqual(left, {
  'in the operation': { upgrader: 'body', valid: true, swagger2openapi: 'body' },
  shared: { upgrader: reference, valid: true, swagger2openapi: 'body' },
  'at the path': { upgrader: 'body', valid: true, swagger2openapi: 'none' },
  'shared, at the path': { upgrader: reference, valid: true, swagger2openapi: 'none' }
})
JS
node_modules/.bin/node run.js
