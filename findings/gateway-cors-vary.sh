#!/usr/bin/env bash
# @fastify/http-proxy 11.6.3 with @fastify/cors 11.4.3, and http-proxy-middleware 4.2.2 with cors 2.8.6: if the upstream
# sends `Vary: API-Version`, the `Vary: Origin` of CORS is lost, beside an Access-Control-Allow-Origin that names one
# origin, which a cache then gives to all. If the upstream sends no Vary, it is there. The `Link` of the gateway is lost
# as well. What @fastify/compress does later is added to the upstream's value.
# Guessed: Vary and Link are lists, so the gateway and the upstream add to them, as plugins of one server do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/http-proxy@11.6.3 @fastify/cors@11.4.3 \
  @fastify/compress@9.2.0 express@5.3.0 cors@2.8.6 http-proxy-middleware@4.2.2 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import fastifyCompress from '@fastify/compress'
import fastifyCors from '@fastify/cors'
import httpProxy from '@fastify/http-proxy'
import cors from 'cors'
import express from 'express'
import Fastify from 'fastify'
import { createProxyMiddleware } from 'http-proxy-middleware'

const ownLists = { vary: 'API-Version', link: '</v2/bookings>; rel="successor-version"' }
const upstream = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', ...(request.url === '/lists' ? ownLists : {}) })
  response.end('[]')
})
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const target = `http://127.0.0.1:${upstream.address().port}`
const origin = ['https://a.example', 'https://b.example']
const link = '</docs>; rel="service-doc"'

const fastify = Fastify()
await fastify.register(fastifyCors, { origin })
await fastify.register(fastifyCompress, { threshold: 0 })
fastify.addHook('onRequest', async (request, reply) => { reply.header('link', link) })
fastify.register(httpProxy, { upstream: target, httpMethods: ['GET'] })

const app = express()
app.use(cors({ origin }))
app.use((request, response, next) => { response.append('link', link); next() })
app.use(createProxyMiddleware({ target, changeOrigin: true }))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

const gateways = {
  '@fastify/http-proxy': await fastify.listen({ port: 0, host: '127.0.0.1' }),
  'http-proxy-middleware': `http://127.0.0.1:${server.address().port}`
}
const sent = {}
for (const [name, url] of Object.entries(gateways)) {
  sent[name] = {}
  for (const path of ['/plain', '/lists']) {
    const headers = { origin: 'https://a.example', 'accept-encoding': 'gzip' }
    const response = await fetch(`${url}${path}`, { headers })
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://a.example')
    sent[name][path] = [response.headers.get('vary'), response.headers.get('link').match(/(?<=rel=")[\w-]+/g).join()]
  }
}
console.log(sent)
assert.deepEqual(sent, {
  '@fastify/http-proxy': {
    '/plain': ['Origin, accept-encoding', 'service-doc'],
    '/lists': ['API-Version, accept-encoding', 'successor-version']
  },
  'http-proxy-middleware': { '/plain': ['Origin', 'service-doc'], '/lists': ['API-Version', 'successor-version'] }
})
process.exit()
JS
node_modules/.bin/node run.js
