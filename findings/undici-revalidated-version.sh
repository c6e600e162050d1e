#!/usr/bin/env bash
# undici 8.13.1: its cache throws a fresh v2 away because v1 has not changed. v1 and v2 of a URL differ by
# `Vary: API-Version`. v1 is `no-cache`, so the server is asked each time, and answers 304. If the 304 has the
# `Cache-Control` that a 200 would have, as HTTP demands, everything that is stored for the URL is deleted, whatever its
# `Vary` says: v2, which is fresh for an hour, is fetched again, and v1 with every second request. So clients of an old
# version empty the cache of the others. Both stores do it. If the 304 has no `Cache-Control`, both versions stay.
# Guessed: a 304 concerns the response that was validated, and no other response of the URL.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact undici@8.13.1 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent, cacheStores, interceptors, request } from 'undici'

const lifetimes = { v1: 'no-cache', v2: 'max-age=3600' }
let asked = []
const server = createServer((incoming, response) => {
  const version = incoming.headers['api-version']
  const etag = `"${version}"`
  const unchanged = incoming.headers['if-none-match'] === etag
  asked.push(`${version} ${unchanged ? 304 : 200}`)
  response.setHeader('vary', 'API-Version').setHeader('etag', etag)
  if (!unchanged || incoming.url === '/with') response.setHeader('cache-control', lifetimes[version])
  response.writeHead(unchanged ? 304 : 200).end(unchanged ? undefined : version)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`

const seen = {}
for (const store of ['MemoryCacheStore', 'SqliteCacheStore']) {
  for (const path of ['/with', '/without']) {
    asked = []
    const dispatcher = new Agent().compose(interceptors.cache({ store: new cacheStores[store]() }))
    for (const version of ['v2', 'v2', 'v1', 'v1', 'v2', 'v1', 'v1', 'v2']) {
      const { body } = await request(url + path, { dispatcher, headers: { 'API-Version': version } })
      assert.equal(await body.text(), version)
    }
    seen[store + path] = asked.join(', ')
  }
}
console.log('undici 8.13.1, what the server was asked for:', seen)
const deleted = 'v2 200, v1 200, v1 304, v2 200, v1 200, v1 304, v2 200'
const kept = 'v2 200, v1 200, v1 304, v1 304, v1 304'
assert.deepEqual(seen, {
  'MemoryCacheStore/with': deleted,
  'MemoryCacheStore/without': kept,
  'SqliteCacheStore/with': deleted,
  'SqliteCacheStore/without': kept
})
process.exit()
JS
node_modules/.bin/node run.js
