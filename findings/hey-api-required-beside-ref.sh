#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0 with zod 4.6.7: `allOf` of a `$ref` and `{ "required": ["guest"] }`, by which v2 demands
# what v1 only allows, demands nothing. The generated type is `Booking & unknown`, and the generated zod takes a body
# without `guest`. With `"type": "object"` beside `required` it is the same. If the second part repeats the property, it
# is required. orval 8.38.0 requires it in all three forms.
# Guessed: `required` counts wherever JSON Schema allows it, or a warning says that it does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hey-api/openapi-ts@0.99.0 orval@8.38.0 \
  zod@4.6.7 ajv@8.20.0 typescript@5.9.3 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'
import { Ajv } from 'ajv'
import { generate } from 'orval'
import ts from 'typescript'

const Booking = { type: 'object', properties: { guest: { type: 'string' }, room: { type: 'string' } } }
const seconds = {
  Alone: { required: ['guest'] },
  Typed: { type: 'object', required: ['guest'] },
  Repeated: { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
}
const schemas = { Booking }
const paths = {}
for (const [name, second] of Object.entries(seconds)) {
  schemas[name] = { allOf: [{ $ref: '#/components/schemas/Booking' }, second] }
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
  const responses = { 204: { description: 'Done' } }
  paths[`/${name}`] = { post: { operationId: `post${name}`, requestBody: { required: true, content }, responses } }
}
const document = { openapi: '3.0.3', info: { title: 'Bookings', version: '2' }, paths, components: { schemas } }

/** The module of the generated file. */
async function load (file) {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext }
  writeFileSync(`${file}.js`, ts.transpileModule(readFileSync(`${file}.ts`, 'utf8'), { compilerOptions }).outputText)
  return import(`./${file}.js`)
}
await generate({ input: { target: document }, output: { target: `${process.cwd()}/orval.ts`, client: 'zod' } })
const plugins = ['zod', '@hey-api/typescript']
await createClient({ input: document, output: 'hey', plugins, logs: { level: 'silent' } })
const modules = { orval: await load('orval'), hey: await load('hey/zod.gen') }
const types = readFileSync('hey/types.gen.ts', 'utf8')

const ajv = new Ajv({ strict: false })
ajv.addSchema(document, 'document')
const body = { room: '12' }
const taken = {}
for (const name of Object.keys(seconds)) {
  taken[name] = {
    ajv: ajv.validate(`document#/components/schemas/${name}`, body),
    orval: modules.orval[`Post${name}Body`].safeParse(body).success,
    hey: modules.hey[`z${name}`].safeParse(body).success,
    type: types.match(new RegExp(`type ${name} = ([^]*?);\n\n`))[1].replace(/\s+/g, ' ')
  }
}
console.log('@hey-api/openapi-ts 0.99.0, who takes a body without the required guest:', taken)
assert.deepEqual(taken, {
  Alone: { ajv: false, orval: false, hey: true, type: 'Booking & unknown' },
  Typed: { ajv: false, orval: false, hey: true, type: 'Booking & { [key: string]: unknown; }' },
  Repeated: { ajv: false, orval: false, hey: false, type: 'Booking & { guest: string; }' }
})
JS
node_modules/.bin/node run.js
