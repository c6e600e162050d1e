#!/usr/bin/env bash
# orval 8.38.0 with zod 4.6.7: with `runtimeValidation`, the generated `fetch` client drops each property that the
# schema does not name, even if it says `additionalProperties: true`, or gives them a type. A response with prices by
# currency beside its `guest` arrives without the prices, and without an error. If the schema names no property at all,
# they arrive, and without validation, too.
# Guessed: a closed or a silent schema may drop them, but one that is explicitly open does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact orval@8.38.0 zod@4.6.7 typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { generate } from 'orval'
import ts from 'typescript'

const price = { guest: 'Ada', EUR: 90, USD: 100 }
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(price))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${server.address().port}`

/** What the client for a response with this schema returns, with or without validation. */
async function arrives (name, schema, runtimeValidation) {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Price' } } }
  const get = { operationId: 'read', responses: { 200: { description: 'A price', content } } }
  const target = {
    openapi: '3.1.0',
    info: { title: 'Prices', version: '1' },
    paths: { '/price': { get } },
    components: { schemas: { Price: schema } }
  }
  const folder = `${process.cwd()}/${name}-${runtimeValidation}`
  const output = {
    target: `${folder}/client.ts`,
    schemas: { type: 'zod', path: `${folder}/model` },
    client: 'fetch',
    baseUrl,
    override: { fetch: { runtimeValidation } }
  }
  await generate({ input: { target }, output })
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  for (const file of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith('.ts'))) {
    const source = readFileSync(`${folder}/${file}`, 'utf8').replace(/(from '\.[^']*)'/g, (all, path) =>
      path.endsWith('/model') ? `${path}/index.js'` : `${path}.js'`)
    writeFileSync(`${folder}/${file.slice(0, -3)}.js`, ts.transpileModule(source, { compilerOptions }).outputText)
  }
  const { read } = await import(`${folder}/client.js`)
  return (await read()).data
}

const object = { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
const schemas = {
  typed: { ...object, additionalProperties: { type: ['integer', 'string'] } },
  open: { ...object, additionalProperties: true },
  unnamed: { type: 'object', additionalProperties: { type: ['integer', 'string'] } }
}
const arrived = {}
for (const [name, schema] of Object.entries(schemas)) {
  arrived[name] = { plain: await arrives(name, schema, false), validated: await arrives(name, schema, true) }
}
console.log('orval 8.38.0', arrived)
assert.deepEqual(arrived, {
  typed: { plain: price, validated: { guest: 'Ada' } },
  open: { plain: price, validated: { guest: 'Ada' } },
  unnamed: { plain: price, validated: price }
})
process.exit()
JS
node_modules/.bin/node run.js
