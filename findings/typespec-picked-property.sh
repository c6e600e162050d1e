#!/usr/bin/env bash
# @typespec/versioning 0.86.0 with @typespec/compiler 1.16.0: `PickProperties` loses a renamed property in older
# versions. If `guest` became `guestName` in v2, `PickProperties<Booking, "id" | "guestName">` has `id` alone in v1's
# document, where `Booking` has `guest`. The compiler reports nothing. `OmitProperties` finds it by the new name.
# Guessed: what is picked by its new name has its old name in v1.
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
  id: string;
  @renamedFrom(Versions.v2, "guest") guestName: string;
  room: string;
}
model Picked is PickProperties<Booking, "id" | "guestName">;
model Omitted is OmitProperties<Booking, "guestName">;

@route("/bookings") op list(): Booking[];
@route("/picked") op listPicked(): Picked[];
@route("/omitted") op listOmitted(): Omitted[];
TSP
node_modules/.bin/node node_modules/@typespec/compiler/cmd/tsp.js compile main.tsp --warn-as-error \
  --emit @typespec/openapi3 --option @typespec/openapi3.file-type=json
cat > check.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const properties = {}
for (const version of ['v1', 'v2']) {
  const document = JSON.parse(readFileSync(`tsp-output/@typespec/openapi3/openapi.${version}.json`, 'utf8'))
  const models = ['Booking', 'Picked', 'Omitted'].map((name) => [name, document.components.schemas[name].properties])
  properties[version] = Object.fromEntries(models.map(([name, schema]) => [name, Object.keys(schema).join()]))
}
console.log('@typespec/versioning 0.86.0', properties)
assert.deepEqual(properties, {
  v1: { Booking: 'id,guest,room', Picked: 'id', Omitted: 'id,room' },
  v2: { Booking: 'id,guestName,room', Picked: 'id,guestName', Omitted: 'id,room' }
})
JS
node check.js
