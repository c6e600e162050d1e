#!/usr/bin/env bash
# elysia 1.4.30 with @elysiajs/node 1.4.5: a handler that returns what `fetch` has answered loses the headers, and the
# status as well, if the upstream sends no Content-Length. The 410 of a version that has ended becomes a 200 of
# `text/plain` with `no-cache`, and `Vary`, `Link` and `Deprecation` are gone. The same answer with a Content-Length is
# passed on as it is, and so is a `Response` that the handler makes.
# Guessed: a `Response` is sent as it is, however its body comes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact elysia@1.4.30 @elysiajs/node@1.4.5 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { node } from '@elysiajs/node'
import { Elysia } from 'elysia'

async function listen (server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

const body = '{"error":"gone"}'
const headers = {
  'content-type': 'application/json', 'cache-control': 'max-age=60', vary: 'API-Version', deprecation: '@1767225600'
}
const upstream = await listen(createServer((request, response) => {
  const length = request.url === '/length' ? { 'content-length': body.length } : {}
  response.writeHead(410, { ...headers, ...length })
  response.write(body)
  response.end()
}))
const free = createServer()
const port = await listen(free)
free.close()

new Elysia({ adapter: node() })
  .get('/chunked', () => fetch(`http://127.0.0.1:${upstream}/chunked`))
  .get('/length', () => fetch(`http://127.0.0.1:${upstream}/length`))
  .get('/made', () => new Response(body, { status: 410, headers }))
  .listen({ port, hostname: '127.0.0.1' })

/** What a client gets; the server may need a moment to listen. */
async function answers (path) {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      const sent = ['content-type', 'cache-control', 'vary', 'deprecation'].map((name) => response.headers.get(name))
      return [response.status, ...sent, await response.text()]
    } catch (error) {
      if (attempt > 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
const answered = {}
for (const path of ['/chunked', '/length', '/made']) answered[path] = await answers(path)
console.log('elysia 1.4.30, @elysiajs/node 1.4.5', answered)
const right = [410, 'application/json', 'max-age=60', 'API-Version', '@1767225600', body]
assert.deepEqual(answered, {
  '/chunked': [200, 'text/plain', 'no-cache', null, null, body],
  '/length': right,
  '/made': right
})
process.exit()
JS
node_modules/.bin/node run.js
