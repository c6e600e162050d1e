#!/usr/bin/env bash
# fast-json-stringify 7.3.10: an undefined item of a list is written as the word `undefined`, which is no JSON, where
# the schema of the items is open or an enum, and as `false` for a boolean. For a text, a number or an object with
# properties it throws. JSON.stringify writes null for all of them. Fastify sends the text with status 200.
# Guessed: null, as JSON.stringify has it, or an error for each schema.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fast-json-stringify@7.3.10
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import fastJson from 'fast-json-stringify'

const schemas = {
  open: {},
  enum: { enum: ['a', 'b'] },
  boolean: { type: 'boolean' },
  object: { type: 'object', properties: { a: { type: 'string' } } },
  string: { type: 'string' },
  number: { type: 'number' }
}
const written = Object.fromEntries(Object.entries(schemas).map(([name, items]) => {
  try {
    return [name, fastJson({ type: 'array', items })([undefined])]
  } catch (error) {
    return [name, error.constructor.name]
  }
}))
console.log('fast-json-stringify 7.3.10', written)
console.log('JSON.stringify', JSON.stringify([undefined]))
assert.deepEqual(written, {
  open: '[undefined]', enum: '[undefined]', boolean: '[false]',
  object: 'TypeError', string: 'TypeError', number: 'Error'
})
JS
node run.js
