#!/usr/bin/env bash
# @cacheable/net 2.1.0: `Vary` counts only for headers that are written in lower case. With `Vary: API-Version`, a
# request with `{ 'API-Version': 'v2' }` gets the stored response for `{ 'API-Version': 'v1' }`, because
# http-cache-semantics looks for `api-version` in the object, and finds it in neither request.
# Guessed: names of headers have no case; the README promises HTTP caching by RFC 7234.
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

const server = createServer((request, response) => {
  response.writeHead(200, { 'cache-control': 'max-age=60', vary: 'API-Version' })
  response.end(request.headers['api-version'])
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const bodies = {}
for (const name of ['API-Version', 'api-version']) {
  const net = new CacheableNet()
  bodies[name] = []
  for (const version of ['v1', 'v2']) {
    const url = `http://127.0.0.1:${server.address().port}/bookings`
    bodies[name].push(await (await net.fetch(url, { headers: { [name]: version } })).text())
  }
}
console.log('@cacheable/net 2.1.0, responses to v1 and v2:', bodies)
assert.deepEqual(bodies, { 'API-Version': ['v1', 'v1'], 'api-version': ['v1', 'v2'] })
process.exit()
JS
node run.js
