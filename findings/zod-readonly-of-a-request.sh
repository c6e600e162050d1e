#!/usr/bin/env bash
# zod 4.6.7 with express-openapi-validator 5.6.2: `.readonly()`, which freezes what zod returns, is `readOnly: true` in
# the JSON Schema, in schemas of what is sent, too (`io: 'input'`). OpenAPI means by it what a client must not send. So
# `{ "guests": ["Ada"] }` is a 400 ("is read-only"), and `{}`, which zod refuses, is a 200: the property is required,
# but not of requests. Clients that are generated from the document have no such property to send.
# Guessed: `.readonly()` is a matter of TypeScript and of frozen objects, and changes nothing in a document.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact zod@4.6.7 express@5.3.0 express-openapi-validator@5.6.2
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import express from 'express'
import OpenApiValidator from 'express-openapi-validator'
import * as z from 'zod'

/** What zod, and a document made from its schema, say of these bodies. */
async function judge (schema, bodies) {
  const content = { 'application/json': { schema: z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }) } }
  const post = { requestBody: { required: true, content }, responses: { 200: { description: 'Booked' } } }
  const apiSpec = { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { post } } }
  const app = express()
  app.use(express.json())
  app.use(OpenApiValidator.middleware({ apiSpec }))
  app.post('/bookings', (request, response) => response.end())
  app.use((error, request, response, next) => response.status(error.status).end())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/bookings`
  const headers = { 'content-type': 'application/json' }
  const judged = {}
  for (const body of bodies) {
    const { status } = await fetch(url, { method: 'POST', headers, body })
    judged[body] = { zod: schema.safeParse(JSON.parse(body)).success, document: status }
  }
  server.close()
  return judged
}

const guests = z.array(z.string())
const bodies = ['{"guests":["Ada"]}', '{}']
const judged = {
  plain: await judge(z.object({ guests }), bodies),
  readonly: await judge(z.object({ guests: guests.readonly() }), bodies)
}
console.log('zod 4.6.7, express-openapi-validator 5.6.2', judged)
assert.deepEqual(judged, {
  plain: { '{"guests":["Ada"]}': { zod: true, document: 200 }, '{}': { zod: false, document: 400 } },
  readonly: { '{"guests":["Ada"]}': { zod: true, document: 400 }, '{}': { zod: false, document: 200 } }
})
process.exit()
JS
node run.js
