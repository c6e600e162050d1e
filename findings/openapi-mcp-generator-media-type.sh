#!/usr/bin/env bash
# openapi-mcp-generator 4.0.1: the body of a tool has the schema of the document under `application/json` alone. Under
# `application/json; version=v2` or `application/vnd.acme.v2+json` it is a text, without a warning: the model is told
# nothing of the properties. The type is known, and is what the generated server sends.
# Guessed: each type of JSON has its schema, since the type is sent, or a warning says that it is not supported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-mcp-generator@4.0.1 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { getToolsFromOpenApi } from 'openapi-mcp-generator'

const types = ['application/json', 'application/json; version=v2', 'application/vnd.acme.v2+json']
const bodies = {}
for (const type of types) {
  const schema = { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
  const post = {
    operationId: 'book',
    requestBody: { required: true, content: { [type]: { schema } } },
    responses: { 201: { description: 'Booked' } }
  }
  const document = { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { post } } }
  writeFileSync('document.json', JSON.stringify(document))
  const [tool] = await getToolsFromOpenApi('document.json')
  const { type: ofBody, properties } = tool.inputSchema.properties.requestBody
  bodies[type] = [tool.requestBodyContentType, ofBody, Object.keys(properties ?? {}).join()]
}
console.log('openapi-mcp-generator 4.0.1', bodies)
assert.deepEqual(bodies, {
  'application/json': ['application/json', 'object', 'guest'],
  'application/json; version=v2': ['application/json; version=v2', 'string', ''],
  'application/vnd.acme.v2+json': ['application/vnd.acme.v2+json', 'string', '']
})
JS
node_modules/.bin/node run.js
