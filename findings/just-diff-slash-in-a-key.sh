#!/usr/bin/env bash
# just-diff 6.0.2 with just-diff-apply 5.5.0: `jsonPatchPathConverter` does not escape `/` and `~` in keys, so a patch
# between two versions of an OpenAPI document is wrong, since its paths and media types have slashes. fast-json-patch
# 3.1.1 refuses it. just-diff-apply, with its own converter for such patches, reports nothing, and writes a document in
# which the path is cut into pieces. The README calls it the format of jsonpatch.com.
# Guessed: a path is a JSON Pointer, or at least one of the two packages reads what the other one writes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact just-diff@6.0.2 just-diff-apply@5.5.0 fast-json-patch@3.1.1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import jsonPatch from 'fast-json-patch'
import { diff, jsonPatchPathConverter as toPointer } from 'just-diff'
import { diffApply, jsonPatchPathConverter as fromPointer } from 'just-diff-apply'

const get = { responses: { 204: { description: 'None' } } }
const v1 = { openapi: '3.1.0', info: { title: 'Bookings', version: '1' }, paths: { '/bookings': { get } } }
const v2 = structuredClone(v1)
v2.paths['/bookings/{id}'] = { get }

const patch = diff(v1, v2, toPointer)
const right = jsonPatch.compare(v1, v2)
assert.deepEqual(jsonPatch.applyPatch(structuredClone(v1), right).newDocument, v2)

const applied = structuredClone(v1)
diffApply(applied, structuredClone(patch), fromPointer)
console.log('just-diff 6.0.2', patch[0].path, 'fast-json-patch 3.1.1', right[0].path)
console.log('just-diff-apply 5.5.0', Object.keys(applied.paths), JSON.stringify(applied.paths['']))
assert.deepEqual(patch.map(({ op, path }) => [op, path]), [['add', '/paths//bookings/{id}']])
assert.deepEqual(right.map(({ op, path }) => [op, path]), [['add', '/paths/~1bookings~1{id}']])
assert.throws(() => jsonPatch.applyPatch(structuredClone(v1), patch, true), /OPERATION_PATH/)
assert.deepEqual(Object.keys(applied.paths), ['/bookings', ''])
assert.deepEqual(applied.paths[''], { bookings: { '{id}': { get } } })
JS
node run.js
