#!/usr/bin/env bash
# http-cache-semantics 4.3.0, with got 14.6.6: a header that is new in a 304 is dropped; only those that the stored
# response has are updated. If v1 is deprecated while its response is in the cache, the client never sees `Deprecation`
# and `Sunset`, in none of the revalidations, until the body changes. A `Link` that was there is updated.
# Guessed: the stored response gets all headers of the 304, as RFC 9111 (section 3.2) says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact http-cache-semantics@4.3.0 got@14.6.6
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import got from 'got'
import CachePolicy from 'http-cache-semantics'

const stored = { 'cache-control': 'no-cache', etag: '"1"', link: '</v1>; rel="latest-version"' }
const later = {
  ...stored,
  link: '</v2>; rel="latest-version"',
  deprecation: '@1767225600',
  sunset: 'Wed, 30 Jun 2027 00:00:00 GMT'
}
const ofInterest = ({ link, deprecation, sunset }) => ({ link, deprecation, sunset })

const request = { url: '/v1/bookings', method: 'GET', headers: {} }
const policy = new CachePolicy(request, { status: 200, headers: stored })
const revalidated = policy.revalidatedPolicy(request, { status: 304, headers: later })
assert.equal(revalidated.modified, false)

const server = createServer((request, response) => {
  if (request.headers['if-none-match']) response.writeHead(304, later).end()
  else response.writeHead(200, stored).end('[]')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const client = got.extend({ cache: new Map() })
const url = `http://127.0.0.1:${server.address().port}/v1/bookings`
await client(url)
const answers = [await client(url), await client(url)]
assert.ok(answers.every((answer) => answer.isFromCache))

const seen = {
  'http-cache-semantics': ofInterest(revalidated.policy.responseHeaders()),
  got: answers.map((answer) => ofInterest(answer.headers))
}
console.log('http-cache-semantics 4.3.0, got 14.6.6', seen)
const onlyLink = { link: '</v2>; rel="latest-version"', deprecation: undefined, sunset: undefined }
assert.deepEqual(seen, { 'http-cache-semantics': onlyLink, got: [onlyLink, onlyLink] })
process.exit()
JS
node run.js
