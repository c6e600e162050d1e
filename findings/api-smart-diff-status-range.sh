#!/usr/bin/env bash
# api-smart-diff 1.0.6: responses under `2XX`, the form that OpenAPI has for a range, are not compared at all. A removed
# required property is no difference there, and breaking under `200`. Under `default` it is found. And the required
# parameter that is added to an operation is breaking if the operation had another one, and not if it is the first.
# Guessed: a range is compared as a status is, and a required parameter that is new breaks every client.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact api-smart-diff@1.0.6
cat > run.cjs <<'JS'
const assert = require('node:assert/strict')
const { apiDiff } = require('api-smart-diff')

const parameter = (name, required) => ({ name, in: 'query', required, schema: { type: 'string' } })
function documentOf (operation) {
  const get = { responses: { 204: { description: 'None' } }, ...operation }
  return { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { get } } }
}
function booking (status, names) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const schema = { type: 'object', required: names, properties }
  return { responses: { [status]: { description: 'A booking', content: { 'application/json': { schema } } } } }
}
/** How the differences between two forms of the operation are classified. */
const types = (before, after) => apiDiff(documentOf(before), documentOf(after), {}).map(({ type }) => type).join()

const classified = {}
for (const status of ['200', '2XX', 'default']) {
  classified[status] = types(booking(status, ['guest', 'room']), booking(status, ['guest']))
}
classified['first parameter'] = types({}, { parameters: [parameter('room', true)] })
const other = parameter('guest', false)
classified['second parameter'] = types({ parameters: [other] }, { parameters: [other, parameter('room', true)] })
console.log('api-smart-diff 1.0.6', classified)
assert.deepEqual(classified, {
  200: 'breaking,breaking',
  '2XX': '',
  default: 'breaking,breaking',
  'first parameter': 'non-breaking',
  'second parameter': 'breaking'
})
JS
node run.cjs
