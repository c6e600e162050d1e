#!/usr/bin/env bash
# openapi-format 1.33.6: an overlay that removes several items of one list removes the wrong ones. If the first two of
# four parameters are deprecated, `$.paths.*.*.parameters[?(@.deprecated == true)]` removes the first and the third. The
# second one, which is deprecated, stays in the document, and the third one, which is not, is gone. The positions are
# looked up once, and each removal moves the rest of the list. The result counts the action as used. If a single item
# matches, it is the right one. openapi-overlays-js 0.2.0 removes both deprecated parameters.
# Guessed: the nodes that the target selects are removed, and no others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-format@1.33.6 openapi-overlays-js@0.2.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { openapiOverlay } from 'openapi-format'
import { applyOverlay } from 'openapi-overlays-js/src/overlay.js'

const target = '$.paths.*.*.parameters[?(@.deprecated == true)]'
const overlay = {
  overlay: '1.0.0',
  info: { title: 'Without what is deprecated', version: '1' },
  actions: [{ target, remove: true }]
}

/** A document whose operation has these parameters. */
function documentOf (parameters) {
  const get = { parameters: structuredClone(parameters), responses: { 200: { description: 'The list' } } }
  return { openapi: '3.0.3', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { get } } }
}
const namesOf = (document) => document.paths['/bookings'].get.parameters.map(({ name }) => name)

const schema = { type: 'string' }
const parameters = [
  { name: 'from', in: 'query', deprecated: true, schema },
  { name: 'to', in: 'query', deprecated: true, schema },
  { name: 'nights', in: 'query', schema },
  { name: 'guest', in: 'query', schema }
]
const left = {}
for (const [name, listed] of Object.entries({ 'one match': parameters.slice(1), 'two matches': parameters })) {
  const { data, resultData } = await openapiOverlay(documentOf(listed), { overlaySet: overlay })
  left[name] = {
    'openapi-format': namesOf(data),
    unused: resultData.totalUnusedActions,
    'openapi-overlays-js': namesOf(applyOverlay(documentOf(listed), overlay))
  }
}
console.log('openapi-format 1.33.6', left)
const right = ['nights', 'guest']
assert.deepEqual(left, {
  'one match': { 'openapi-format': right, unused: 0, 'openapi-overlays-js': right },
  'two matches': { 'openapi-format': ['to', 'guest'], unused: 0, 'openapi-overlays-js': right }
})
JS
node run.js
