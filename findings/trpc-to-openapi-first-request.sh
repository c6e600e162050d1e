#!/usr/bin/env bash
# trpc-to-openapi 3.3.0 with @trpc/server 11.25.2 and zod 4.6.7: the first request over REST changes the schema of the
# procedure for good, and for everybody. Until then a tRPC client that sends `paid: 'false'` gets BAD_REQUEST. From then
# on it is taken as `true`, and `nights: null` as 0, as all numbers and booleans of the schema coerce, wherever else it
# is used. Bodies of JSON are coerced, too; the README names query and path. The document and the types say that they
# are a boolean and a number. Whether a client with texts for both works depends on who came first since the start.
# Guessed: only texts of query and path are coerced, for this request, and the schema of the router is not changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact trpc-to-openapi@3.3.0 @trpc/server@11.25.2 zod@4.6.7
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { initTRPC } from '@trpc/server'
import { createOpenApiHttpHandler, generateOpenApiDocument } from 'trpc-to-openapi'
import { z } from 'zod'

const Booking = z.object({ nights: z.number(), paid: z.boolean() })
const t = initTRPC.meta().create()
const router = t.router({
  book: t.procedure
    .meta({ openapi: { method: 'POST', path: '/bookings' } })
    .input(Booking)
    .output(z.unknown())
    .mutation(({ input }) => input)
})

const server = createServer(createOpenApiHttpHandler({ router }))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}/bookings`
const headers = { 'content-type': 'application/json' }
const rest = async (body) => (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()

const caller = router.createCaller({})
const rpc = (input) => caller.book(input).catch((error) => error.code)

const wrong = { nights: null, paid: 'false' }
const seen = { before: { rpc: await rpc(wrong), schema: Booking.safeParse(wrong).success } }
assert.deepEqual(await rest({ nights: 2, paid: true }), { nights: 2, paid: true })
seen.after = { rpc: await rpc(wrong), schema: Booking.safeParse(wrong).success, rest: await rest(wrong) }
console.log('trpc-to-openapi 3.3.0', seen)
const coerced = { nights: 0, paid: true }
assert.deepEqual(seen, {
  before: { rpc: 'BAD_REQUEST', schema: false },
  after: { rpc: coerced, schema: true, rest: coerced }
})

const document = generateOpenApiDocument(router, { title: 'Bookings', version: '1', baseUrl: url })
const { schema } = document.paths['/bookings'].post.requestBody.content['application/json']
assert.deepEqual([schema.properties.nights.type, schema.properties.paid.type], ['number', 'boolean'])
process.exit()
JS
node run.js
