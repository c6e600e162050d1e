#!/usr/bin/env bash
# axios-cache-interceptor 1.12.3 with axios 1.21.1: requests that run at once share an error, whatever `Vary` says.
# While a request with `API-Version: v1` is under way, one with v2 waits for it. If v1's response is a success, `Vary`
# tells that it is another one, and v2's request is sent. If v1 has ended, v2's request is rejected with v1's 410, and
# is never sent. The same request answers 200 if it is made a moment later.
# Guessed: `Vary` counts for each response, as the interceptor reads it of the successful ones.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact axios@1.21.1 axios-cache-interceptor@1.12.3
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import axios from 'axios'
import { setupCache } from 'axios-cache-interceptor'

const received = []
const server = createServer((request, response) => {
  const version = request.headers['api-version']
  received.push(`${request.url} ${version}`)
  const status = request.url === '/ended' && version === 'v1' ? 410 : 200
  const headers = { vary: 'API-Version', 'content-type': 'application/json' }
  setTimeout(() => response.writeHead(status, headers).end(JSON.stringify(version)), 50)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const client = setupCache(axios.create({ baseURL: `http://127.0.0.1:${server.address().port}` }))
function get (url, version) {
  return client.get(url, { headers: { 'API-Version': version } })
    .then(({ status, data }) => [status, data], ({ response }) => [response.status, response.data])
}

const both = (url) => Promise.all([get(url, 'v1'), get(url, 'v2')])
const answered = { current: await both('/current'), ended: await both('/ended'), later: await get('/ended', 'v2') }
console.log('axios-cache-interceptor 1.12.3', answered, received)
assert.deepEqual(answered, {
  current: [[200, 'v1'], [200, 'v2']],
  ended: [[410, 'v1'], [410, 'v1']],
  later: [200, 'v2']
})
assert.deepEqual(received, ['/current v1', '/current v2', '/ended v1', '/ended v2'])
process.exit()
JS
node run.js
