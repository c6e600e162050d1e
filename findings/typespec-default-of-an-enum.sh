#!/usr/bin/env bash
# @typespec/versioning 0.86.0 with @typespec/openapi3 1.16.0: a version changes the members of an enum, but not the
# default of a property. If `shut` became `closed` in v2, v1's document has the enum `open`, `shut` and the default
# `closed`. A member that was added in v2 is a default in v1, too. Who fills in v1's default sends what v1 refuses. The
# compiler reports nothing, although it refuses other references to what a version does not have.
# Guessed: the default is renamed with its member, and one that does not exist yet is an error.
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

enum Door { open, @renamedFrom(Versions.v2, "shut") closed }
enum State { open, @added(Versions.v2) waiting }
model Booking {
  door: Door = Door.closed;
  state: State = State.waiting;
}

@route("/bookings") op list(): Booking[];
TSP
node_modules/.bin/node node_modules/@typespec/compiler/cmd/tsp.js compile main.tsp --warn-as-error \
  --emit @typespec/openapi3 --option @typespec/openapi3.file-type=json
cat > check.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const { schemas } = JSON.parse(readFileSync('tsp-output/@typespec/openapi3/openapi.v1.json', 'utf8')).components
const v1 = {}
for (const [name, model] of [['door', 'Door'], ['state', 'State']]) {
  v1[name] = { enum: schemas[model].enum, default: schemas.Booking.properties[name].default }
}
console.log('@typespec/versioning 0.86.0', JSON.stringify({ v1 }))
assert.deepEqual(v1, {
  door: { enum: ['open', 'shut'], default: 'closed' },
  state: { enum: ['open'], default: 'waiting' }
})
JS
node check.js
