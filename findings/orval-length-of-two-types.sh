#!/usr/bin/env bash
# orval 8.38.0 with zod 4.6.7: if a schema has two types, `["integer", "string"]`, the generated zod limits the number
# by the keywords of the text: `maxLength: 8` is `.max(8)` of the integer, so the id 4711 is refused. In JSON Schema it
# says nothing about numbers. It hits an API that moves its ids from numbers to texts, and has both for a
# while. And a body that is `["array", "null"]` refuses null, which the same schema of a property takes.
# Guessed: each keyword stays with its type, as in the code of @hey-api/openapi-ts 0.99.0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact orval@8.38.0 @hey-api/openapi-ts@0.99.0 zod@4.6.7 ajv@8.20.0 \
  typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { generate } from 'orval'
import ts from 'typescript'

const object = (schema) => ({ type: 'object', required: ['value'], properties: { value: schema } })
const id = { type: ['integer', 'string'], maxLength: 8 }
const guests = { type: ['array', 'null'], items: { type: 'string' } }
const cases = {
  Id: [object(id), { value: 4711 }],
  Property: [object(guests), { value: null }],
  Body: [guests, null]
}

const paths = {}
for (const [name, [schema]] of Object.entries(cases)) {
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  paths[`/${name}`] = { post: { operationId: `post${name}`, requestBody, responses: { 204: { description: 'Done' } } } }
}
const document = { openapi: '3.1.0', info: { title: 'Bookings', version: '1' }, paths }

/** The module of the generated file. */
async function load (file) {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  writeFileSync(`${file}.js`, ts.transpileModule(readFileSync(`${file}.ts`, 'utf8'), { compilerOptions }).outputText)
  return import(`./${file}.js`)
}
await generate({ input: { target: document }, output: { target: `${process.cwd()}/orval.ts`, client: 'zod' } })
await createClient({ input: document, output: 'hey', plugins: ['zod'], logs: { level: 'silent' } })
const modules = { orval: await load('orval'), hey: await load('hey/zod.gen') }

const taken = {}
for (const [name, [schema, value]] of Object.entries(cases)) {
  taken[name] = {
    ajv: new Ajv2020({ strictTypes: false }).validate(schema, value),
    hey: modules.hey[`zPost${name}Body`].safeParse(value).success,
    orval: modules.orval[`Post${name}Body`].safeParse(value).success
  }
}
console.log('orval 8.38.0, who takes the right value:', taken)
assert.deepEqual(taken, {
  Id: { ajv: true, hey: true, orval: false },
  Property: { ajv: true, hey: true, orval: true },
  Body: { ajv: true, hey: true, orval: false }
})
JS
node_modules/.bin/node run.js
