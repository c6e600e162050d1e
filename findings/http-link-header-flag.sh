#!/usr/bin/env bash
# http-link-header 1.1.4: a parameter without a value, such as `crossorigin` or `nopush` of a preload, swallows the link
# that follows. Of `</a>; rel=preload; crossorigin, </policy>; rel="sunset"` one link is left, with a parameter whose
# name is `crossorigin, </policy>; rel`, and there is no `sunset`, and no error. So a client misses the sunset if a CDN
# or a framework puts a preload before it. At the end of the header such a parameter is read, since 1.1.1.
# Guessed: RFC 8288 allows parameters without a value, and since 1.1.1 they are read, wherever they stand.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact http-link-header@1.1.4
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import Link from 'http-link-header'

const sunset = '</policy>; rel="sunset"; type="text/html"'
const headers = [
  `</a>; rel=preload; as=fetch, ${sunset}`,
  `</a>; rel=preload; as=fetch; crossorigin, ${sunset}`,
  `${sunset}, </a>; rel=preload; as=fetch; crossorigin`
]
const seen = headers.map((header) => {
  const link = Link.parse(header)
  return { relations: link.refs.map(({ rel }) => rel).join(), sunset: link.rel('sunset')[0]?.uri }
})
console.log('http-link-header 1.1.4', seen, Link.parse(headers[1]).refs)
assert.deepEqual(seen, [
  { relations: 'preload,sunset', sunset: '/policy' },
  { relations: 'preload', sunset: undefined },
  { relations: 'sunset,preload', sunset: '/policy' }
])
assert.deepEqual(Link.parse(headers[1]).refs, [
  { uri: '/a', rel: 'preload', as: 'fetch', 'crossorigin, </policy>; rel': 'sunset', type: 'text/html' }
])
JS
node run.js
