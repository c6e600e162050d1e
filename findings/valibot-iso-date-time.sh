#!/usr/bin/env bash
# @valibot/to-json-schema 1.8.0 with valibot 1.5.0: no value is right for both `v.isoDateTime()` and its JSON Schema.
# valibot takes `2027-01-31T10:00`, without seconds and without a zone; the schema's format `date-time` needs both. What
# a client makes of the document is refused by valibot, and the other way round. `v.isoTime()` is the same with `time`.
# The table of supported actions has no note on them. `v.isoTimestamp()` agrees with its `date-time`.
# Guessed: the format says the same, or something wider, or the conversion is an error, as with `isoDateTimeSecond`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0 \
  ajv-formats@3.0.1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { toJsonSchema } from '@valibot/to-json-schema'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import * as v from 'valibot'

const options = { errorMode: 'throw' }
const ajv = addFormats.default(new Ajv())
const values = {
  isoDateTime: ['2027-01-31T10:00', '2027-01-31T10:00:00', '2027-01-31T10:00:00Z', '2027-01-31T10:00:00+01:00'],
  isoTimestamp: ['2027-01-31T10:00', '2027-01-31T10:00:00', '2027-01-31T10:00:00Z', '2027-01-31T10:00:00+01:00'],
  isoTime: ['10:00', '10:00:00', '10:00:00Z', '10:00:00+01:00']
}
const takers = {}
for (const [action, texts] of Object.entries(values)) {
  const schema = v.pipe(v.string(), v[action]())
  const validate = ajv.compile(toJsonSchema(schema, options))
  takers[action] = {}
  for (const text of texts) {
    takers[action][text] = [v.is(schema, text) && 'valibot', validate(text) && 'schema'].filter(Boolean).join(', ')
  }
}
assert.throws(() => toJsonSchema(v.pipe(v.string(), v.isoDateTimeSecond()), options), /cannot be converted/)
console.log('@valibot/to-json-schema 1.8.0, who takes it:', takers)
assert.deepEqual(takers, {
  isoDateTime: {
    '2027-01-31T10:00': 'valibot',
    '2027-01-31T10:00:00': '',
    '2027-01-31T10:00:00Z': 'schema',
    '2027-01-31T10:00:00+01:00': 'schema'
  },
  isoTimestamp: {
    '2027-01-31T10:00': '',
    '2027-01-31T10:00:00': '',
    '2027-01-31T10:00:00Z': 'valibot, schema',
    '2027-01-31T10:00:00+01:00': 'valibot, schema'
  },
  isoTime: { '10:00': 'valibot', '10:00:00': '', '10:00:00Z': 'schema', '10:00:00+01:00': 'schema' }
})
JS
node run.js
