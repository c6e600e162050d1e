#!/usr/bin/env bash
# @hono/zod-openapi 1.6.3: a vendor type of JSON that contains a digit is not validated. With the schema under
# `application/vnd.acme.v2+json`, any body is accepted, and `c.req.valid('json')` is undefined. Under
# `application/vnd.acme.new+json` it is validated. The README says that JSON media types are validated.
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
/** What the handler gets of a right and of a wrong body of this type. */
async function answers (type) {
  const app = new OpenAPIHono()
  const request = { body: { required: true, content: { [type]: { schema } } } }
  const responses = { 200: { description: 'What the handler gets' } }
  app.openapi(createRoute({ method: 'post', path: '/bookings', request, responses }), (context) =>
    context.text(JSON.stringify(context.req.valid('json')) ?? 'undefined'))
  return Promise.all([{ guests: ['Ada'] }, { guests: 7 }].map(async (body) => {
    const headers = { 'content-type': type }
    const response = await app.request('/bookings', { method: 'POST', headers, body: JSON.stringify(body) })
    return response.status === 200 ? response.text() : response.status
  }))
}

const answered = {
  'application/vnd.acme.new+json': await answers('application/vnd.acme.new+json'),
  'application/vnd.acme.v2+json': await answers('application/vnd.acme.v2+json')
}
console.log('@hono/zod-openapi 1.6.3, [a right body, a wrong body]:', answered)
assert.deepEqual(answered, {
  'application/vnd.acme.new+json': ['{"guests":["Ada"]}', 400],
  'application/vnd.acme.v2+json': ['undefined', 'undefined']
})
JS
node run.js
