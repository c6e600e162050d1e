#!/usr/bin/env bash
# openapi-format 1.33.6: the filter `unusedComponents` removes a schema that only a discriminator's `mapping` names, if
# it is named as `Dog`, which OpenAPI allows, and keeps the one that is named as `#/components/schemas/Cat`. The mapping
# still names it, so a right `dog` has no schema. @redocly/cli 2.77.0 with `--remove-unused-components` keeps both.
# Guessed: both forms are references, as the specification has it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact openapi-format@1.33.6 @redocly/cli@2.77.0 node@24.21.0
cat > document.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "Guests", "version": "1" },
  "paths": {
    "/pets": {
      "get": {
        "responses": {
          "200": {
            "description": "A pet",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Pet": {
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "type": "string" } },
        "discriminator": { "propertyName": "kind", "mapping": { "cat": "#/components/schemas/Cat", "dog": "Dog" } }
      },
      "Cat": {
        "allOf": [{ "$ref": "#/components/schemas/Pet" }, { "properties": { "lives": { "type": "integer" } } }]
      },
      "Dog": {
        "allOf": [{ "$ref": "#/components/schemas/Pet" }, { "properties": { "toys": { "type": "integer" } } }]
      },
      "Fish": { "type": "object" }
    }
  }
}
JSON
echo '{ "unusedComponents": ["schemas"] }' > filter.json
node_modules/.bin/node node_modules/openapi-format/bin/cli.js document.json --filterFile filter.json --no-sort \
  --output openapi-format.json > log.txt 2>&1
REDOCLY_TELEMETRY=off node_modules/.bin/node node_modules/@redocly/cli/bin/cli.js bundle document.json \
  --remove-unused-components --output redocly.json > log.txt 2>&1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const left = {}
for (const tool of ['openapi-format', 'redocly']) {
  const { schemas } = JSON.parse(readFileSync(`${tool}.json`, 'utf8')).components
  left[tool] = { schemas: Object.keys(schemas).sort().join(), dog: schemas.Pet.discriminator.mapping.dog }
}
console.log('openapi-format 1.33.6', left)
assert.deepEqual(left, {
  'openapi-format': { schemas: 'Cat,Pet', dog: 'Dog' },
  redocly: { schemas: 'Cat,Dog,Pet', dog: 'Dog' }
})
JS
node_modules/.bin/node run.js
