#!/usr/bin/env bash
# oazapfts 7.5.0 and swagger-typescript-api 13.13.0: a body that the document has under `application/vnd.acme.v2+json`,
# or under `application/json; version=v2`, alone, is sent as `application/json` by the generated client. A server that
# chooses the version by the Content-Type gets none, and reads the body as its default. The types are those of v2.
# Guessed: the only type that the document has is sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact oazapfts@7.5.0 @oazapfts/runtime@1.2.0 \
  swagger-typescript-api@13.13.0 typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { generateSource } from 'oazapfts'
import { generateApi } from 'swagger-typescript-api'
import ts from 'typescript'

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-received': request.headers['content-type'] })
  response.end('{}')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${server.address().port}`

let count = 0
async function load (source) {
  const file = `./client-${count++}.js`
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  writeFileSync(file, ts.transpileModule(source, { compilerOptions: options }).outputText)
  return await import(file)
}

/** The Content-Type that the generated clients send of a body that the document has under this type. */
async function sends (type) {
  const schema = { type: 'object', properties: { guests: { type: 'array', items: { type: 'string' } } } }
  const patch = {
    operationId: 'change',
    requestBody: { required: true, content: { [type]: { schema } } },
    responses: { 200: { description: 'Changed', content: { 'application/json': { schema: { type: 'object' } } } } }
  }
  const spec = {
    openapi: '3.0.3',
    info: { title: 'Bookings', version: '1' },
    servers: [{ url: baseUrl }],
    paths: { '/booking': { patch } }
  }
  writeFileSync('document.json', JSON.stringify(spec))
  const body = { guests: ['Ada'] }

  const oazapfts = await load(await generateSource('document.json'))
  const { files } = await generateApi({ spec, output: false, silent: true })
  const { Api } = await load(files[0].fileContent)
  return {
    oazapfts: (await oazapfts.change(body)).headers.get('x-received'),
    'swagger-typescript-api': (await new Api({ baseUrl }).booking.change(body)).headers.get('x-received')
  }
}

const types = ['application/json', 'application/json; version=v2', 'application/vnd.acme.v2+json']
const sent = {}
for (const type of types) sent[type] = await sends(type)
console.log('oazapfts 7.5.0, swagger-typescript-api 13.13.0', sent)
for (const type of types) {
  assert.deepEqual(sent[type], { oazapfts: 'application/json', 'swagger-typescript-api': 'application/json' })
}
process.exit()
JS
node_modules/.bin/node run.js
