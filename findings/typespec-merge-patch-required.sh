#!/usr/bin/env bash
# @typespec/versioning 0.86.0 with @typespec/http 1.16.0: a property with `@madeOptional` is required in the older
# versions of `MergePatchUpdate<Booking>`, too. v1's document demands `room` in every merge patch, but not `guest`,
# which is required in all versions. Clients made from it overwrite `room` with each PATCH.
# Guessed: a merge patch has no required property in any version, as the template makes all of them optional.
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

model Booking {
  guest: string;
  @madeOptional(Versions.v2) room?: string;
}

@route("/bookings/{id}") @patch
op change(@path id: string, @body booking: MergePatchUpdate<Booking>): Booking;
TSP
node_modules/.bin/node node_modules/@typespec/compiler/cmd/tsp.js compile main.tsp --warn-as-error \
  --emit @typespec/openapi3 --option @typespec/openapi3.file-type=json
cat > check.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const required = {}
for (const version of ['v1', 'v2']) {
  const document = JSON.parse(readFileSync(`tsp-output/@typespec/openapi3/openapi.${version}.json`, 'utf8'))
  const { Booking, BookingMergePatchUpdate } = document.components.schemas
  required[version] = { Booking: Booking.required, BookingMergePatchUpdate: BookingMergePatchUpdate.required ?? [] }
}
console.log('@typespec/versioning 0.86.0', required)
assert.deepEqual(required, {
  v1: { Booking: ['guest', 'room'], BookingMergePatchUpdate: ['room'] },
  v2: { Booking: ['guest'], BookingMergePatchUpdate: [] }
})
JS
node check.js
