#!/usr/bin/env bash
# @cacheable/net 2.1.0: headers in a `Headers` object, or in a list of pairs, are not sent at all. The server of
# `new Headers({ 'API-Version': 'v2' })` gets no version, and serves its default with status 200. The README calls
# `fetch` a drop-in with native semantics, and both forms are in its types.
# Guessed: all forms that fetch takes are sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @cacheable/net@2.1.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { CacheableNet } from '@cacheable/net'

const server = createServer((request, response) => response.end(request.headers['api-version'] ?? 'none'))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}/bookings`

const forms = {
  object: { 'API-Version': 'v2' },
  Headers: new Headers({ 'API-Version': 'v2' }),
  pairs: [['API-Version', 'v2']]
}
const received = {}
for (const [form, headers] of Object.entries(forms)) {
  const native = await (await fetch(url, { headers })).text()
  received[form] = { native, net: await (await new CacheableNet().fetch(url, { headers })).text() }
}
console.log('@cacheable/net 2.1.0, the version that arrives:', received)
assert.deepEqual(received, {
  object: { native: 'v2', net: 'v2' },
  Headers: { native: 'v2', net: 'none' },
  pairs: { native: 'v2', net: 'none' }
})
process.exit()
JS
node run.js
