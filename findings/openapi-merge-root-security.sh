#!/usr/bin/env bash
# openapi-merge 2.0.2: the merged document has the `security` of one document for the operations of all. If v1 needs no
# key and v2 has one in its root, both need it. If each has a key of its own, `X-Key` and `API-Key`, v2's operations
# need v1's, and its scheme, which was renamed to `V2key`, is used nowhere. Links by `operationId` are not renamed with
# their operations, so v2's leads to v1's. The README says that no information of paths and components is dropped, and
# lists what comes from the first document, without `security`.
# Guessed: an operation keeps its security and its links, since all references are renamed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-merge@2.0.2 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { merge } from 'openapi-merge'

/** A version whose operation links to itself, and needs a key in this header, if there is one. */
function documentOf (version, header) {
  const links = { next: { operationId: 'list' } }
  const get = { operationId: 'list', responses: { 200: { description: 'Bookings', links } } }
  const document = { openapi: '3.0.3', info: { title: 'Bookings', version }, paths: { '/bookings': { get } } }
  const securitySchemes = { key: { type: 'apiKey', in: 'header', name: header } }
  return header ? { ...document, security: [{ key: [] }], components: { securitySchemes } } : document
}

/** The header with the key, and where the link leads to, of each path after merging. */
function mergedOf (...headers) {
  const { output } = merge(headers.map((header, index) => {
    const version = `v${index + 1}`
    const dispute = { prefix: version.toUpperCase() }
    return { oas: documentOf(version, header), pathModification: { prepend: `/${version}` }, dispute }
  }))
  const operations = Object.entries(output.paths).map(([path, { get }]) => [path, get])
  return Object.fromEntries(operations.map(([path, get]) => {
    const keys = (get.security ?? output.security ?? []).flatMap((each) => Object.keys(each))
    const { operationId } = get.responses['200'].links.next
    const [target] = operations.find(([, { operationId: id }]) => id === operationId)
    return [path, [keys.map((key) => output.components.securitySchemes[key].name).join(), target]]
  }))
}

const merged = {
  'v2 has a key': mergedOf(undefined, 'API-Key'),
  'v1 has a key': mergedOf('X-Key', undefined),
  'both have one': mergedOf('X-Key', 'API-Key')
}
console.log('openapi-merge 2.0.2', merged)
assert.deepEqual(merged, {
  'v2 has a key': { '/v1/bookings': ['API-Key', '/v1/bookings'], '/v2/bookings': ['API-Key', '/v1/bookings'] },
  'v1 has a key': { '/v1/bookings': ['X-Key', '/v1/bookings'], '/v2/bookings': ['X-Key', '/v1/bookings'] },
  'both have one': { '/v1/bookings': ['X-Key', '/v1/bookings'], '/v2/bookings': ['X-Key', '/v1/bookings'] }
})
JS
node_modules/.bin/node run.js
