#!/usr/bin/env bash
# swagger-client 3.39.0, the client of Swagger UI: the body of each textual response that is neither JSON nor XML is
# parsed as YAML. Where the document says `text/plain` with a schema of type string, `1.10` is the number 1.1,
# `2027-01-31` is a Date, `Note: paid` is an object, and what begins with `#` is null. A stream of one event, or NDJSON
# of one line, is an object. With a second event or line `body` is undefined, and the call does not reject: the error is
# in `parseError`. Only `text` and `data` have what was sent.
# Guessed: `body` is parsed if the Content-Type is JSON or YAML, and else it is the text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact swagger-client@3.39.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import SwaggerClient from 'swagger-client'

const responses = {
  version: ['text/plain', '1.10'],
  day: ['text/plain', '2027-01-31'],
  note: ['text/plain', 'Note: paid'],
  title: ['text/markdown', '# Bookings'],
  xml: ['application/xml', '<room>1.10</room>'],
  event: ['text/event-stream', 'data: {"guest":"Ada"}\n\n'],
  events: ['text/event-stream', 'data: {"guest":"Ada"}\n\ndata: {"guest":"Bob"}\n\n'],
  line: ['application/x-ndjson', '{"guest":"Ada"}\n'],
  lines: ['application/x-ndjson', '{"guest":"Ada"}\n{"guest":"Bob"}\n']
}
const server = createServer((request, response) => {
  const [type, text] = responses[request.url.slice(1)]
  response.writeHead(200, { 'content-type': type }).end(text)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const paths = Object.fromEntries(Object.entries(responses).map(([name, [type]]) => {
  const response = { description: 'A text', content: { [type]: { schema: { type: 'string' } } } }
  return [`/${name}`, { get: { operationId: name, responses: { 200: response } } }]
}))
const servers = [{ url: `http://127.0.0.1:${server.address().port}` }]
const spec = { openapi: '3.1.0', info: { title: 'Texts', version: '1' }, servers, paths }
const client = await SwaggerClient({ spec })
const bodies = {}
const failed = []
for (const operationId of Object.keys(responses)) {
  const { body, data, text, parseError } = await client.execute({ operationId })
  assert.deepEqual([data, text], Array(2).fill(responses[operationId][1]))
  bodies[operationId] = body
  if (parseError) failed.push(operationId)
}
console.log('swagger-client 3.39.0', bodies, 'with a parseError:', failed)
assert.deepEqual(bodies, {
  version: 1.1,
  day: new Date('2027-01-31'),
  note: { Note: 'paid' },
  title: null,
  xml: '<room>1.10</room>',
  event: { data: { guest: 'Ada' } },
  events: undefined,
  line: { guest: 'Ada' },
  lines: undefined
})
assert.deepEqual(failed, ['events', 'lines'])
process.exit()
JS
node_modules/.bin/node run.js
