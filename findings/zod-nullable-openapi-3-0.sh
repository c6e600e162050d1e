#!/usr/bin/env bash
# zod 4.6.7 with express-openapi-validator 5.6.2: with `target: 'openapi-3.0'`, what is made of `.nullable()` takes null
# only if the schema has a `type` and no list of values. `z.enum([..]).nullable()` and a literal become `nullable: true`
# beside an `enum` without null, so a booking with null is a 400. Of a union, or of a schema with an id, it becomes
# `nullable: true` without `type`, where OpenAPI 3.0 gives it no meaning: the validator answers every request of the
# operation with 500. In 2020-12, for OpenAPI 3.1, the same schemas take null.
# Guessed: the target is there for `nullable`, so null is right in the document where it is right for zod.
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

/** The document of a POST whose body has a room by this schema. */
function documentOf (room, openapi, target) {
  const written = JSON.stringify(z.toJSONSchema(z.object({ room }), { target, io: 'input' }))
  const { $schema, $defs, definitions, ...schema } = JSON.parse(
    written.replaceAll(/#\/(\$defs|definitions)\//g, '#/components/schemas/')
  )
  const post = {
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Booked' } }
  }
  const components = { schemas: $defs ?? definitions ?? {} }
  return { openapi, info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { post } }, components }
}

/** The status that each of the bodies gets. */
async function statusesOf (apiSpec, bodies) {
  const app = express()
  app.use(express.json(), OpenApiValidator.middleware({ apiSpec }))
  app.post('/bookings', (request, response) => response.end())
  app.use((error, request, response, next) => response.status(error.status ?? 500).end())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const statuses = []
  for (const room of bodies) {
    const { status } = await fetch(`http://127.0.0.1:${server.address().port}/bookings`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ room })
    })
    statuses.push(status)
  }
  server.close()
  return statuses.join()
}

const rooms = {
  text: [z.string(), 'suite'],
  object: [z.object({ floor: z.int() }), { floor: 2 }],
  enum: [z.enum(['suite', 'single']), 'suite'],
  literal: [z.literal('suite'), 'suite'],
  union: [z.union([z.string(), z.int()]), 'suite'],
  'with an id': [z.object({ floor: z.int() }).meta({ id: 'Room' }), { floor: 2 }]
}
const seen = {}
for (const [name, [schema, room]] of Object.entries(rooms)) {
  const nullable = schema.nullable()
  assert.ok([null, room].every((value) => nullable.safeParse(value).success))
  seen[name] = {
    '3.0': await statusesOf(documentOf(nullable, '3.0.4', 'openapi-3.0'), [null, room]),
    3.1: await statusesOf(documentOf(nullable, '3.1.0', 'draft-2020-12'), [null, room])
  }
}
console.log('zod 4.6.7, null and a room, both right for zod:', seen)
const right = '200,200'
assert.deepEqual(seen, {
  text: { '3.0': right, 3.1: right },
  object: { '3.0': right, 3.1: right },
  enum: { '3.0': '400,200', 3.1: right },
  literal: { '3.0': '400,200', 3.1: right },
  union: { '3.0': '500,500', 3.1: right },
  'with an id': { '3.0': '500,500', 3.1: right }
})
JS
node run.js
