#!/usr/bin/env bash
# @hono/zod-openapi 1.6.3: if a body has two types of JSON, such as `application/json; version=1` and `version=2`, each
# request is validated against both schemas, whatever its Content-Type. `c.req.valid('json')` is what the last schema
# leaves: a v1 client's PATCH of `guest` reaches the handler as `{}`. A required property of v2 is a 400 for v1.
# Guessed: the schema of the type that was sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hono/zod-openapi@1.6.3 hono@4.13.19 zod@4.6.7
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'

/** What the handler gets of a body of each type. */
async function answers (first, second) {
  const app = new OpenAPIHono()
  const request = {
    body: {
      required: true,
      content: { 'application/json; version=1': { schema: first }, 'application/json; version=2': { schema: second } }
    }
  }
  const responses = { 200: { description: 'What the handler gets' } }
  app.openapi(createRoute({ method: 'patch', path: '/bookings', request, responses }), (context) =>
    context.json(context.req.valid('json')))
  return Promise.all([{ guest: 'Ada' }, { guests: ['Ada'] }].map(async (body, index) => {
    const headers = { 'content-type': `application/json; version=${index + 1}` }
    const response = await app.request('/bookings', { method: 'PATCH', headers, body: JSON.stringify(body) })
    return response.status === 200 ? response.json() : response.status
  }))
}

const guest = z.string()
const guests = z.array(z.string())
const optional = await answers(z.object({ guest: guest.optional() }), z.object({ guests: guests.optional() }))
const required = await answers(z.object({ guest }), z.object({ guests }))
console.log('@hono/zod-openapi 1.6.3, [a body of v1, a body of v2]:', { optional, required })
assert.deepEqual(optional, [{}, { guests: ['Ada'] }])
assert.deepEqual(required, [400, 400])
JS
node run.js
