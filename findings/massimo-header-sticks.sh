#!/usr/bin/env bash
# massimo 1.5.3, the client of Platformatic: with `fullRequest: false`, as of `massimo --full=false`, a header parameter
# of one call is sent with all later calls, of any operation, as it is written into the headers of the client. After one
# call with `API-Version: v2`, those without a version get v2, and so do operations that have no such parameter. Clients
# that were given one `headers` object share it: what is sent by one is sent by the other, too. With `fullRequest:
# true`, the default, only the call that names the header sends it.
# Guessed: a parameter belongs to its call, as path and query parameters do in the same client.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact massimo@1.5.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { buildOpenAPIClient } from 'massimo'

let received = []
const server = createServer((request, response) => {
  received.push(`${request.url} ${request.headers['api-version'] ?? 'none'}`)
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const schema = { type: 'object' }
const responses = { 200: { description: 'The list', content: { 'application/json': { schema } } } }
const parameters = [{ name: 'API-Version', in: 'header', schema: { type: 'string' } }]
writeFileSync('openapi.json', JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Bookings', version: '1' },
  paths: {
    '/bookings': { get: { operationId: 'getBookings', parameters, responses } },
    '/rooms': { get: { operationId: 'getRooms', responses } }
  }
}))

const url = `http://127.0.0.1:${server.address().port}`
const build = (options) => buildOpenAPIClient({ url, path: 'openapi.json', fullResponse: false, ...options })
const versions = {}
function seen (name) {
  versions[name] = received
  received = []
}

const full = await build({})
await full.getBookings({ headers: { 'API-Version': 'v2' } })
await full.getBookings({})
await full.getRooms({})
seen('fullRequest: true')

const client = await build({ fullRequest: false })
await client.getBookings({})
await client.getBookings({ 'API-Version': 'v2' })
await client.getBookings({})
await client.getRooms({})
seen('fullRequest: false')

const headers = { accept: 'application/json' }
const first = await build({ fullRequest: false, headers })
const second = await build({ fullRequest: false, headers })
await first.getBookings({ 'API-Version': 'v2' })
await second.getBookings({})
seen('two clients')

console.log('massimo 1.5.3', versions, headers)
assert.deepEqual(versions, {
  'fullRequest: true': ['/bookings v2', '/bookings none', '/rooms none'],
  'fullRequest: false': ['/bookings none', '/bookings v2', '/bookings v2', '/rooms v2'],
  'two clients': ['/bookings v2', '/bookings v2']
})
assert.deepEqual(headers, { accept: 'application/json', 'API-Version': 'v2' })
process.exit()
JS
node_modules/.bin/node run.js
