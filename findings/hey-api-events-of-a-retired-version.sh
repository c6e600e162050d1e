#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0 with eventsource 5.1.5: the generated client of a `text/event-stream` asks again where
# EventSource gives up, and gives up where EventSource asks again. For the 410 of a version that has ended it sends the
# request again and again, without a limit by default. With `sseMaxRetryAttempts` the stream ends without an error after
# the last one, as if there were no events; only `onSseError` is told. If the server closes a stream, which EventSource
# takes as a reason to connect again, the stream is over.
# Guessed: the client follows EventSource, whose `retry` and `id` it reads; or a 410 rejects, as in its other calls.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hey-api/openapi-ts@0.99.0 eventsource@5.1.5 typescript@5.9.3 \
  node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { EventSource } from 'eventsource'
import ts from 'typescript'

const content = { 'text/event-stream': { schema: { type: 'object' } } }
const input = {
  openapi: '3.1.0',
  info: { title: 'Bookings', version: '1' },
  paths: Object.fromEntries(['retired', 'closed'].map((operationId) => [
    `/${operationId}`, { get: { operationId, responses: { 200: { description: 'Events', content } } } }
  ]))
}
await createClient({ input, output: 'client', plugins: ['@hey-api/client-fetch'], logs: { level: 'silent' } })
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory()
const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
for (const file of readdirSync('client', { recursive: true }).filter((each) => each.endsWith('.ts'))) {
  const source = readFileSync(`client/${file}`, 'utf8').replace(/(from '(\.[^']*))'/g, (all, start, path) =>
    isFolder(`client/${dirname(file)}/${path}`) ? `${start}/index.js'` : `${start}.js'`)
  writeFileSync(`client/${file.slice(0, -3)}.js`, ts.transpileModule(source, { compilerOptions }).outputText)
}

const limit = 5
let asked = 0
let enough
const server = createServer((request, response) => {
  asked += 1
  if (asked === limit) enough()
  if (request.url === '/retired') return response.writeHead(410).end()
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: 7\ndata: {"guest":"Ada"}\n\n')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${server.address().port}`

/** How many requests the generated client has sent until its stream is over, or until it is stopped after five. */
async function requestsOfClient (name, options) {
  const controller = new AbortController()
  asked = 0
  enough = () => controller.abort()
  const told = []
  const client = await import(`${process.cwd()}/client/sdk.gen.js`)
  const onSseError = ({ message }) => told.push(message)
  const { signal } = controller
  const { stream } = await client[name]({ baseUrl, sseDefaultRetryDelay: 1, onSseError, signal, ...options })
  let events = 0
  for await (const event of stream) events += event ? 1 : 0
  return { asked, events, told: told[0] }
}

/** The same for an EventSource, which is closed after five requests or half a second. */
async function requestsOfEventSource (path) {
  asked = 0
  const source = new EventSource(baseUrl + path)
  await new Promise((resolve) => {
    enough = resolve
    setTimeout(resolve, 500)
  })
  source.close()
  return asked
}

const seen = {
  retired: await requestsOfClient('retired'),
  'at most two': await requestsOfClient('retired', { sseMaxRetryAttempts: 2 }),
  closed: await requestsOfClient('closed'),
  EventSource: { retired: await requestsOfEventSource('/retired'), closed: await requestsOfEventSource('/closed') }
}
console.log('@hey-api/openapi-ts 0.99.0', seen)
assert.deepEqual(seen, {
  retired: { asked: limit, events: 0, told: 'SSE failed: 410 Gone' },
  'at most two': { asked: 2, events: 0, told: 'SSE failed: 410 Gone' },
  closed: { asked: 1, events: 1, told: undefined },
  EventSource: { retired: 1, closed: limit }
})
process.exit()
JS
node_modules/.bin/node run.js
