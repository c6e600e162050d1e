#!/usr/bin/env bash
# @hono/zod-openapi 1.6.3: a vendor type of JSON that contains a digit is not read as JSON. With the schema under
# `application/vnd.acme.v2+json`, `c.req.valid('json')` is undefined for a right body of this type, with status 200.
# Under `application/vnd.acme.new+json` it is the body. The README says that JSON media types are validated.
# Guessed: both are JSON, as they are for hono's own validator.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hono/zod-openapi@1.6.3 hono@4.13.19 zod@4.6.7
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'

const schema = z.object({ guests: z.array(z.string()) })
/** What the handler gets of a right body of this type. */
async function answer (type) {
  const app = new OpenAPIHono()
  const request = { body: { required: true, content: { [type]: { schema } } } }
  const responses = { 200: { description: 'What the handler gets' } }
  app.openapi(createRoute({ method: 'post', path: '/bookings', request, responses }), (context) =>
    context.text(JSON.stringify(context.req.valid('json')) ?? 'undefined'))
  const response = await app.request('/bookings', {
    method: 'POST', headers: { 'content-type': type }, body: JSON.stringify({ guests: ['Ada'] })
  })
  return response.text()
}

const answered = {
  'application/vnd.acme.new+json': await answer('application/vnd.acme.new+json'),
  'application/vnd.acme.v2+json': await answer('application/vnd.acme.v2+json')
}
console.log('@hono/zod-openapi 1.6.3', answered)
assert.deepEqual(answered, {
  'application/vnd.acme.new+json': '{"guests":["Ada"]}',
  'application/vnd.acme.v2+json': 'undefined'
})
JS
node run.js
