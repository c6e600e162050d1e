#!/usr/bin/env bash
# h3 2.0.8: `handleCors` with a list of origins makes the gateway lose the `Vary` of its upstream. A response that is
# returned from `fetch`, or by `proxy`, has `Vary: origin` alone, so a cache behind it mixes versions. A value that the
# handler appends with `event.res.headers` is kept, and so is that of the upstream if `handleCors` allows all origins.
# Guessed: both are sent, as with the handler's own header.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact h3@2.0.8 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { H3, handleCors, proxy } from 'h3'

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', vary: 'API-Version' }).end('[]')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const upstream = `http://127.0.0.1:${server.address().port}`

/** The Vary that each route sends, if these origins are allowed. */
async function varies (origin) {
  const app = new H3()
  app.use((event) => { handleCors(event, { origin }) })
  app.get('/fetch', () => fetch(upstream))
  app.get('/proxy', (event) => proxy(event, upstream))
  app.get('/own', (event) => {
    event.res.headers.append('vary', 'API-Version')
    return []
  })
  const sent = {}
  for (const path of ['/fetch', '/proxy', '/own']) {
    const response = await app.request(path, { headers: { origin: 'https://a.example' } })
    sent[path] = response.headers.get('vary')
  }
  return sent
}

const sent = { list: await varies(['https://a.example', 'https://b.example']), all: await varies('*') }
console.log('h3 2.0.8', sent)
assert.deepEqual(sent, {
  list: { '/fetch': 'origin', '/proxy': 'origin', '/own': 'origin, API-Version' },
  all: { '/fetch': 'API-Version', '/proxy': 'API-Version', '/own': 'API-Version' }
})
process.exit()
JS
node_modules/.bin/node run.js
