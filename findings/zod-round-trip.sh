#!/usr/bin/env bash
# zod 4.6.7: `z.fromJSONSchema` loses conditions of what `z.toJSONSchema` has written, by default, in silence. Of a text
# with two patterns none is left, because 2020-12 has them in `allOf` without `type`; for draft-07 zod repeats the type,
# and reads both. What follows `.meta({ id })`, such as `.min(3)`, stands beside a `$ref`, and is lost; for draft-07 the
# `$ref` is in `allOf`, and it is kept. Other keywords that cannot be read, such as `if`, are an error.
# Guessed: zod reads the conditions that it writes itself, or throws, in its default draft above all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact zod@4.6.7
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import * as z from 'zod'

const Code = z.string().meta({ id: 'Code' })
const cases = {
  'two patterns': [z.string().regex(/^v/).regex(/2$/), 'x'],
  'after an id': [z.object({ code: Code.describe('The code of a booking').min(3) }), { code: 'x' }]
}
const accepted = {}
for (const [name, [schema, value]] of Object.entries(cases)) {
  const read = (target) => z.fromJSONSchema(z.toJSONSchema(schema, { target })).safeParse(value).success
  accepted[name] = {
    schema: schema.safeParse(value).success, '2020-12': read('draft-2020-12'), 'draft-07': read('draft-07')
  }
}
console.log('zod 4.6.7, is the wrong value accepted:', accepted)
assert.deepEqual(accepted, {
  'two patterns': { schema: false, '2020-12': true, 'draft-07': false },
  'after an id': { schema: false, '2020-12': true, 'draft-07': false }
})
assert.throws(() => z.fromJSONSchema({ type: 'object', if: { required: ['a'] }, then: { required: ['b'] } }), /if/)
JS
node run.js
