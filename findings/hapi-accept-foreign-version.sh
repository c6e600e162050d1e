#!/usr/bin/env bash
# @hapi/accept 6.0.3: `mediaType` answers with what is not in its list. If a server has `application/json` alone, a
# client that accepts `application/json;version=v9` gets `application/json;version=v9` chosen, and a server that sends
# this as its Content-Type says that the body is a v9. If the list has v1 and v2 as parameters, none is chosen for a
# client that accepts exactly one of them, while `*/*` gets v1.
# Guessed: what is chosen is in the list; parameters count on both sides, or on none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hapi/accept@6.0.3
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import accept from '@hapi/accept'

const lists = {
  parameters: ['application/json;version=v1', 'application/json;version=v2'],
  plain: ['application/json']
}
const chosen = {}
for (const [name, list] of Object.entries(lists)) {
  const headers = [list.at(-1), 'application/json', 'application/json;version=v9', '*/*']
  chosen[name] = Object.fromEntries(headers.map((header) => [header, accept.mediaType(header, list)]))
}
console.log('@hapi/accept 6.0.3', chosen)
assert.deepEqual(chosen, {
  parameters: {
    'application/json;version=v2': '',
    'application/json': '',
    'application/json;version=v9': '',
    '*/*': 'application/json;version=v1'
  },
  plain: {
    'application/json': 'application/json',
    'application/json;version=v9': 'application/json;version=v9',
    '*/*': 'application/json'
  }
})
JS
node run.js
