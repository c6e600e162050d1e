#!/usr/bin/env bash
# @typespec/versioning 0.86.0 with @typespec/http 1.16.0: `@renamedFrom` on a path parameter renames the parameter in
# documents of older versions, but not in `@route`. The old name is added at the end, so v1's document has the path
# `/bookings/{bookingId}/{id}`, with a parameter for `{id}` alone. The compiler reports nothing.
# Guessed: v1 has `/bookings/{id}`, or an error says that the route does not name the parameter.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @typespec/compiler@1.16.0 @typespec/http@1.16.0 \
  @typespec/openapi@1.16.0 @typespec/openapi3@1.16.0 @typespec/versioning@0.86.0 node@24.21.0
cat > main.tsp <<'TSP'
import "@typespec/http";
import "@typespec/versioning";
using Http;
using Versioning;

@service(#{ title: "Bookings" })
@versioned(Versions)
namespace Bookings;

enum Versions { v1, v2 }

@route("/bookings/{bookingId}")
op read(@renamedFrom(Versions.v2, "id") @path bookingId: string): { guest: string };
TSP
node_modules/.bin/node node_modules/@typespec/compiler/cmd/tsp.js compile main.tsp --warn-as-error \
  --emit @typespec/openapi3 --option @typespec/openapi3.file-type=json
cat > check.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const paths = {}
for (const version of ['v1', 'v2']) {
  const document = JSON.parse(readFileSync(`tsp-output/@typespec/openapi3/openapi.${version}.json`, 'utf8'))
  for (const [path, { get }] of Object.entries(document.paths)) {
    paths[version] = { path, parameters: get.parameters.map(({ name }) => name) }
  }
}
console.log('@typespec/versioning 0.86.0', paths)
assert.deepEqual(paths, {
  v1: { path: '/bookings/{bookingId}/{id}', parameters: ['id'] },
  v2: { path: '/bookings/{bookingId}', parameters: ['bookingId'] }
})
JS
node check.js
