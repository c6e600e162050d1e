#!/usr/bin/env bash
# oas 38.6.0 with @readme/oas-to-har 38.5.1, which make the forms and code samples of ReadMe: if a body has two types of
# JSON, the form is that of the first type, and the request is sent as the last one. A body that was filled in as v1
# says goes out as `Content-Type: application/vnd.acme.v2+json`, and the same request accepts v1. A whole booking for
# `application/json` is sent as `application/merge-patch+json`, where a property that is missing stays as it is.
# Guessed: the schema, the Content-Type and the Accept of one request are of one type, the first or the last.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact oas@38.6.0 @readme/oas-to-har@38.5.1 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import har from '@readme/oas-to-har'
import oas from 'oas'

const oasToHar = har.default ?? har
const Oas = oas.default ?? oas

/** The properties in the form for a body that has these types, and the headers of the request made of it. */
function madeOf (properties) {
  const content = Object.fromEntries(Object.entries(properties).map(([type, name]) => [
    type, { schema: { type: 'object', required: [name], properties: { [name]: { type: 'string' } } } }
  ]))
  const document = new Oas({
    openapi: '3.1.0',
    info: { title: 'Bookings', version: '2' },
    servers: [{ url: 'https://api.example.com' }],
    paths: {
      '/bookings': {
        post: { requestBody: { required: true, content }, responses: { 200: { description: 'It', content } } }
      }
    }
  })
  const operation = document.operation('/bookings', 'post')
  const form = operation.getParametersAsJSONSchema().map(({ schema }) => Object.keys(schema.properties)).flat()
  const [{ request }] = oasToHar(document, operation, { body: { [form[0]]: 'Ada' } }).log.entries
  const headers = Object.fromEntries(request.headers.map(({ name, value }) => [name, value]))
  return { body: request.postData.text, sent: headers['content-type'], accepted: headers.accept }
}

const made = {
  vendor: madeOf({ 'application/vnd.acme.v1+json': 'guest', 'application/vnd.acme.v2+json': 'guests' }),
  parameter: madeOf({ 'application/json; version=1': 'guest', 'application/json; version=2': 'guests' }),
  patch: madeOf({ 'application/json': 'guest', 'application/merge-patch+json': 'changed' })
}
console.log('oas 38.6.0', made)
const body = '{"guest":"Ada"}'
assert.deepEqual(made, {
  vendor: { body, sent: 'application/vnd.acme.v2+json', accepted: 'application/vnd.acme.v1+json' },
  parameter: { body, sent: 'application/json; version=2', accepted: 'application/json; version=1' },
  patch: { body, sent: 'application/merge-patch+json', accepted: 'application/json' }
})
JS
node_modules/.bin/node run.js
