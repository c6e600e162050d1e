#!/usr/bin/env bash
# openapi-format 1.33.6: `--convertTo 3.1` removes each key `nullable`, wherever it stands. A property of this name, as
# an API about columns has it, is gone from the schema, and is still in `required`. Examples lose theirs, too. There is
# no warning, and the result is a valid document. @scalar/openapi-upgrader 0.4.9 keeps both.
# Guessed: only the keyword is converted, because properties and data are told from schemas by where they stand.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-format@1.33.6 @scalar/openapi-upgrader@0.4.9 \
  node@24.21.0
cat > document.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "Tables", "version": "1" },
  "paths": {
    "/columns": {
      "get": {
        "responses": {
          "200": {
            "description": "A column",
            "content": {
              "application/json": {
                "schema": { "$ref": "#/components/schemas/Column" },
                "example": { "name": "guest", "nullable": false, "comment": null }
              }
            }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Column": {
        "type": "object",
        "required": ["name", "nullable"],
        "properties": {
          "name": { "type": "string" },
          "nullable": { "type": "boolean" },
          "comment": { "type": "string", "nullable": true }
        }
      }
    }
  }
}
JSON
node_modules/.bin/node node_modules/openapi-format/bin/cli.js document.json --convertTo 3.1 --output converted.json \
  --no-sort > log.txt 2>&1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { upgrade } from '@scalar/openapi-upgrader'

function kept (document) {
  const { required, properties } = document.components.schemas.Column
  const media = document.paths['/columns'].get.responses['200'].content['application/json']
  return {
    required,
    properties: Object.keys(properties),
    comment: properties.comment.type,
    example: Object.keys(media.example ?? Object.values(media.examples)[0].value)
  }
}
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
const converted = {
  'openapi-format': kept(read('converted.json')),
  '@scalar/openapi-upgrader': kept(upgrade(read('document.json'), '3.1'))
}
console.log('openapi-format 1.33.6', converted)
const names = ['name', 'nullable', 'comment']
const common = { required: ['name', 'nullable'], comment: ['string', 'null'] }
assert.deepEqual(converted, {
  'openapi-format': { ...common, properties: ['name', 'comment'], example: ['name', 'comment'] },
  '@scalar/openapi-upgrader': { ...common, properties: names, example: names }
})
JS
node_modules/.bin/node run.js
