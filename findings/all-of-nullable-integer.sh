#!/usr/bin/env bash
# json-schema-merge-allof 0.8.1 and allof-merge 0.6.8: if v1 has the types `["number", "null"]`, and v2 narrows them by
# `allOf` to `["integer", "null"]`, the merged schema has the type `null` alone. 90 is right before, and wrong after.
# Neither reports anything, although both call `number` and `integer` without null incompatible, one as an error, the
# other by `onMergeError`. A form or a client made from it takes no price. @x0k/json-schema-merge 1.1.0 merges it right.
# Guessed: an integer is a number, as JSON Schema has it, or it is the error that it is without null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact json-schema-merge-allof@0.8.1 allof-merge@0.6.8 \
  @x0k/json-schema-merge@1.1.0 ajv@8.20.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { createComparator, createMerger, createShallowAllOfMerge } from '@x0k/json-schema-merge'
import { createDeduplicator, createIntersector } from '@x0k/json-schema-merge/lib/array'
import { merge } from 'allof-merge'
import { Ajv2020 } from 'ajv/dist/2020.js'
import mergeAllOf from 'json-schema-merge-allof'

const errors = []
const onMergeError = (message) => errors.push(message)
const comparator = createComparator()
const { mergeArrayOfSchemaDefinitions } = createMerger({
  intersectJson: createIntersector(comparator.compareSchemaValues),
  deduplicateJsonSchemaDef: createDeduplicator(comparator.compareSchemaDefinitions)
})
const tools = {
  unmerged: (schema) => schema,
  'json-schema-merge-allof 0.8.1': (schema) => mergeAllOf(schema),
  'allof-merge 0.6.8': (schema) => merge(schema, { onMergeError }),
  '@x0k/json-schema-merge 1.1.0': createShallowAllOfMerge(mergeArrayOfSchemaDefinitions)
}

const nullable = { allOf: [{ type: ['number', 'null'], minimum: 0 }, { type: ['integer', 'null'] }] }
const results = {}
for (const [name, tool] of Object.entries(tools)) {
  const merged = tool(structuredClone(nullable))
  const validate = new Ajv2020({ strict: false }).compile(merged)
  results[name] = { type: merged.type, 90: validate(90), null: validate(null) }
}
console.log(results)
assert.deepEqual(results, {
  unmerged: { type: undefined, 90: true, null: true },
  'json-schema-merge-allof 0.8.1': { type: 'null', 90: false, null: true },
  'allof-merge 0.6.8': { type: 'null', 90: false, null: true },
  '@x0k/json-schema-merge 1.1.0': { type: ['integer', 'null'], 90: true, null: true }
})
assert.deepEqual(errors, [])

const plain = { allOf: [{ type: 'number' }, { type: 'integer' }] }
assert.throws(() => mergeAllOf(plain), /probably incompatible/)
merge(plain, { onMergeError })
assert.equal(errors.length, 1)
JS
node run.js
