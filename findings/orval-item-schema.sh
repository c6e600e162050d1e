#!/usr/bin/env bash
# orval 8.38.0: a client for NDJSON no longer streams when its document says what the body is as OpenAPI 3.2 has it.
# With `schema` under `application/x-ndjson`, which orval reads as the schema of a line, the function returns the
# response for its caller to read, and accepts `application/x-ndjson`. With `itemSchema`, which 3.2 has for this, it
# waits for the whole body, reads it as a single JSON text, and rejects with a SyntaxError. A body of one line passes.
# It accepts `*/*`, and the 200 is not in its types: they have an error with `data: unknown` alone. orval reports
# nothing.
# Guessed: `itemSchema` is read as `schema` is, or it is reported; or the client streams lines of an unknown type.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact orval@8.38.0 typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { generate } from 'orval'
import ts from 'typescript'

const type = 'application/x-ndjson'
let accepted
const server = createServer((request, response) => {
  accepted = request.headers.accept
  const lines = ['{"guest":"Ada"}\n', '{"guest":"Bob"}\n'].slice(0, request.url === '/one' ? 1 : 2)
  response.writeHead(200, { 'content-type': type }).end(lines.join(''))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${server.address().port}`

/** What the client does if the schema of a line is under this keyword, and the names of its types for a response. */
async function read (openapi, keyword) {
  const operation = (operationId) => ({
    get: {
      operationId,
      responses: {
        200: { description: 'Bookings', content: { [type]: { [keyword]: { $ref: '#/components/schemas/Booking' } } } }
      }
    }
  })
  const target = {
    openapi,
    info: { title: 'Bookings', version: '1' },
    paths: { '/one': operation('one'), '/two': operation('two') },
    components: { schemas: { Booking: { type: 'object', properties: { guest: { type: 'string' } } } } }
  }
  const file = `${process.cwd()}/${keyword}-${openapi}`
  await generate({ input: { target }, output: { target: `${file}.ts`, client: 'fetch', baseUrl } })
  const source = readFileSync(`${file}.ts`, 'utf8')
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  writeFileSync(`${file}.js`, ts.transpileModule(source, { compilerOptions }).outputText)
  const client = await import(`${file}.js`)
  const bodyOf = async ({ stream, data }) => stream ? `stream of ${(await stream.text()).length} bytes` : data
  return {
    two: await client.two().then(bodyOf, ({ name }) => name),
    one: await client.one().then(bodyOf),
    accept: accepted,
    types: [...source.matchAll(/export type (twoResponse\w+)/g)].map(([, name]) => name).join()
  }
}

const seen = {
  '3.1, schema': await read('3.1.0', 'schema'),
  '3.2, schema': await read('3.2.0', 'schema'),
  '3.2, itemSchema': await read('3.2.0', 'itemSchema')
}
console.log('orval 8.38.0', seen)
const streamed = {
  two: 'stream of 32 bytes', one: 'stream of 16 bytes', accept: type, types: 'twoResponse200,twoResponseSuccess'
}
assert.deepEqual(seen, {
  '3.1, schema': streamed,
  '3.2, schema': streamed,
  '3.2, itemSchema': {
    two: 'SyntaxError', one: { guest: 'Ada' }, accept: '*/*', types: 'twoResponseDefault,twoResponseError'
  }
})
process.exit()
JS
node_modules/.bin/node run.js
