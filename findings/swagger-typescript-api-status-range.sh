#!/usr/bin/env bash
# swagger-typescript-api 13.13.0: a response under `2XX`, the only form of a range that OpenAPI allows, counts as an
# error. The generated method has `any` as its data and the schema as its error, and at run time `data` is null, since
# the body of a success is not read. Under `2xx`, which is not a valid document, and under `200`, it is the booking.
# Guessed: if one of the two forms works, it is the one of the specification.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact swagger-typescript-api@13.13.0 typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { generateApi } from 'swagger-typescript-api'
import ts from 'typescript'

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"guest":"Ada"}')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${server.address().port}`

/** What the method that is generated for a response with this status has as its types, and returns. */
async function returns (status) {
  const schema = { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
  const response = { description: 'A booking', content: { 'application/json': { schema } } }
  const get = { operationId: 'read', responses: { [status]: response } }
  const spec = { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/booking': { get } } }
  const { files } = await generateApi({ spec, output: false, silent: true })
  const source = files[0].fileContent
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  writeFileSync(`api-${status}.js`, ts.transpileModule(source, { compilerOptions: options }).outputText)
  const { Api } = await import(`./api-${status}.js`)
  const { data } = await new Api({ baseUrl }).booking.read()
  return { types: source.match(/this\.request<([^]*?)>\(/)[1].replace(/\s+/g, ' ').trim(), data }
}

const returned = { 200: await returns('200'), '2XX': await returns('2XX'), '2xx': await returns('2xx') }
console.log('swagger-typescript-api 13.13.0', returned)
server.close()
const booking = '{ guest: string; }'
assert.deepEqual(returned, {
  200: { types: `${booking}, any`, data: { guest: 'Ada' } },
  '2XX': { types: `any, ${booking}`, data: null },
  '2xx': { types: `${booking}, any`, data: { guest: 'Ada' } }
})
process.exit()
JS
node_modules/.bin/node run.js
