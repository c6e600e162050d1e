#!/usr/bin/env bash
# node-fetch-cache 5.1.0: headers in a `Headers` object are sent, but they are not in the key of the cache. After a
# request with `new Headers({ 'API-Version': 'v1' })`, one with v2, and one without a version, get the stored v1. With a
# plain object, or with a list of pairs, each version is stored by itself. Its types take all three.
# Guessed: what is sent is in the key, in all forms.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact node-fetch-cache@5.1.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import NodeFetchCache, { MemoryCache } from 'node-fetch-cache'

const server = createServer((request, response) => response.end(request.headers['api-version'] ?? 'none'))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}/bookings`

const forms = {
  object: (headers) => headers,
  Headers: (headers) => new Headers(headers),
  pairs: (headers) => Object.entries(headers)
}
const received = {}
for (const [form, headersOf] of Object.entries(forms)) {
  const fetch = NodeFetchCache.create({ cache: new MemoryCache() })
  received[form] = []
  for (const headers of [{ 'API-Version': 'v1' }, { 'API-Version': 'v2' }, {}]) {
    received[form].push(await (await fetch(url, { headers: headersOf(headers) })).text())
  }
}
console.log('node-fetch-cache 5.1.0, asked for v1, v2 and no version:', received)
assert.deepEqual(received, {
  object: ['v1', 'v2', 'none'],
  Headers: ['v1', 'v1', 'v1'],
  pairs: ['v1', 'v2', 'none']
})
process.exit()
JS
node run.js
