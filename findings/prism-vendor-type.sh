#!/usr/bin/env bash
# @stoplight/prism-cli 5.16.0: of a type with a suffix only the suffix counts when a body is validated, so the first
# `+json` type of the document has the schema for all. A right v2 body under `application/vnd.acme.v2+json`, which the
# document has, is a 422, as v1 stands before it, and a v1 body under this type is a 200. A merge patch is validated
# by the schema of `application/json` before it. What is answered is found by the whole type: who accepts v2 gets v2's
# example, and a header that says that it violates the schema, which is v1's.
# Guessed: a type that the document has is found, as it is for Accept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @stoplight/prism-cli@5.16.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

const bodies = { v1: { guest: 'Ada' }, v2: { guests: ['Ada'] } }
const types = { v1: 'application/vnd.acme.v1+json', v2: 'application/vnd.acme.v2+json' }
const schemaOf = (name, type, required = [name]) => ({ type: 'object', required, properties: { [name]: { type } } })
const content = {
  [types.v1]: { schema: schemaOf('guest', 'string'), example: bodies.v1 },
  [types.v2]: { schema: schemaOf('guests', 'array'), example: bodies.v2 }
}
const patch = {
  'application/json': { schema: schemaOf('guest', 'string') },
  'application/merge-patch+json': { schema: schemaOf('guest', 'string', []) }
}
const operation = { responses: { 200: { description: 'A booking', content } } }
writeFileSync('document.json', JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Bookings', version: '1' },
  paths: {
    '/bookings': {
      get: operation,
      post: { ...operation, requestBody: { required: true, content } },
      patch: { ...operation, requestBody: { required: true, content: patch } }
    }
  }
}))

const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address()
free.close()
const prism = spawn(process.execPath, [
  'node_modules/@stoplight/prism-cli/dist/index.js', 'mock', 'document.json', '--host', '127.0.0.1', '--port', port
])
process.on('exit', () => prism.kill())
let log = ''
while (!log.includes('is listening')) log += (await once(prism.stdout, 'data')).toString()

const url = `http://127.0.0.1:${port}/bookings`
async function status (method, type, body) {
  const response = await fetch(url, { method, headers: { 'content-type': type }, body: JSON.stringify(body) })
  return response.status
}
const response = await fetch(url, { headers: { accept: types.v2 } })
const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]').map(({ message }) => message)
const answered = {
  'v1 under v1': await status('POST', types.v1, bodies.v1),
  'v2 under v2': await status('POST', types.v2, bodies.v2),
  'v1 under v2': await status('POST', types.v2, bodies.v1),
  'merge patch': await status('PATCH', 'application/merge-patch+json', {}),
  'accepts v2': [response.headers.get('content-type'), await response.text(), ...violations]
}
console.log('@stoplight/prism-cli 5.16.0', answered)
assert.deepEqual(answered, {
  'v1 under v1': 200,
  'v2 under v2': 422,
  'v1 under v2': 200,
  'merge patch': 422,
  'accepts v2': [types.v2, JSON.stringify(bodies.v2), "Response body must have required property 'guest'"]
})
process.exit()
JS
node_modules/.bin/node run.js
