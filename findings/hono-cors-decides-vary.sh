#!/usr/bin/env bash
# hono 4.13.19: whether the `Vary` of a handler is sent depends on `cors()`. A middleware appends `Vary:
# Accept-Language`, and the handler answers with `Vary: API-Version` of its own, by `c.json` or with what `fetch` has
# brought. Without `cors()` the handler's is sent, and the middleware's is lost. With `cors()`, before or after the
# middleware, it is the other way round: `API-Version` is gone, and a cache mixes versions. `Link` is the same.
# Guessed: `append: true` keeps both; or the same one is sent, whatever other middleware there is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact hono@4.13.19
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Hono } from 'hono'
import { cors } from 'hono/cors'

const headers = { vary: 'API-Version', link: '</v2/bookings>; rel="successor-version"' }
const server = createServer((request, response) => response.writeHead(200, headers).end('[]'))
server.listen(0, '127.0.0.1')
await once(server, 'listening')

async function localized (context, next) {
  context.header('Vary', 'Accept-Language', { append: true })
  context.header('Link', '</docs>; rel="service-doc"', { append: true })
  await next()
}

/** The Vary, and the relations in Link, that an app with these middleware functions sends. */
async function answers (...middleware) {
  const app = new Hono()
  for (const each of middleware) app.use(each)
  app.get('/json', (context) => context.json([], 200, headers))
  app.get('/fetch', () => fetch(`http://127.0.0.1:${server.address().port}`))
  const sent = {}
  for (const path of ['/json', '/fetch']) {
    const response = await app.request(path, { headers: { origin: 'https://example.com' } })
    sent[path] = [response.headers.get('vary'), response.headers.get('link').match(/(?<=rel=")[\w-]+/g).join()]
  }
  return sent
}

const answered = {
  'no cors': await answers(localized),
  'cors first': await answers(cors(), localized),
  'cors last': await answers(localized, cors())
}
console.log('hono 4.13.19', answered)
const ofHandler = ['API-Version', 'successor-version']
const ofMiddleware = ['Accept-Language', 'service-doc']
assert.deepEqual(answered, {
  'no cors': { '/json': ofHandler, '/fetch': ofHandler },
  'cors first': { '/json': ofMiddleware, '/fetch': ofMiddleware },
  'cors last': { '/json': ofMiddleware, '/fetch': ofMiddleware }
})
process.exit()
JS
node run.js
