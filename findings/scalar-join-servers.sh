#!/usr/bin/env bash
# @scalar/openapi-parser 0.29.22: `join` of v1 and v2, with a prefix for the components of each, answers `ok: true` with
# a document in which every operation has both servers. v2's stands first, so a client calls v1's operations under
# `https://api.example.com/v2`. The root's security, which is v1's, names a scheme that is not in the document, because
# the scheme has got the prefix. The `mapping` of a discriminator has not, and leads nowhere. `join` of @redocly/cli
# 2.77.0 moves the servers to the paths and the security to the operations, and renames both.
# Guessed: an operation keeps its server and its security, and what is renamed is renamed wherever it is named.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @scalar/openapi-parser@0.29.22 @redocly/cli@2.77.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from '@scalar/openapi-parser'

const versions = { v1: 'bookings', v2: 'stays' }
const documents = Object.entries(versions).map(([version, name]) => ({
  openapi: '3.1.0',
  info: { title: 'Bookings', version },
  servers: [{ url: `https://api.example.com/${version}` }],
  security: [{ [`${version}key`]: [] }],
  paths: {
    [`/${name}`]: {
      get: {
        operationId: `get-${name}`,
        responses: {
          200: {
            description: 'The list',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Booking' } } }
          }
        }
      }
    }
  },
  components: {
    securitySchemes: { [`${version}key`]: { type: 'apiKey', in: 'header', name: `X-Key-${version}` } },
    schemas: {
      Booking: {
        oneOf: [{ $ref: '#/components/schemas/Room' }],
        discriminator: { propertyName: 'kind', mapping: { room: '#/components/schemas/Room' } }
      },
      Room: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
    }
  }
}))

/** What a document says of v1's operation: its servers, and what of its names is there. */
function read (document) {
  const { components, paths: { '/bookings': { get, servers = document.servers } } } = document
  const [requirement] = get.security ?? document.security
  const { $ref } = get.responses[200].content['application/json'].schema
  const schema = components.schemas[$ref.split('/').at(-1)]
  return {
    servers: servers.map(({ url }) => url.slice(-2)).join(),
    security: Object.keys(requirement).map((name) => components.securitySchemes[name]?.name ?? 'not there').join(),
    alternative: schema.oneOf[0].$ref.split('/').at(-1) in components.schemas,
    mapping: schema.discriminator.mapping.room.split('/').at(-1) in components.schemas
  }
}

documents.forEach((document, index) => writeFileSync(`v${index + 1}.json`, JSON.stringify(document)))
execFileSync(process.execPath, [
  'node_modules/@redocly/cli/bin/cli.js', 'join', 'v1.json', 'v2.json', '--prefix-components-with-info-prop', 'version',
  '--output', 'joined.json'
], { env: { ...process.env, REDOCLY_TELEMETRY: 'off' }, stdio: 'ignore' })
const { ok, document } = await join(documents, { prefixComponents: ['v1-', 'v2-'] })
const joined = { scalar: { ok, ...read(document) }, redocly: read(JSON.parse(readFileSync('joined.json', 'utf8'))) }
console.log('@scalar/openapi-parser 0.29.22', joined)
assert.deepEqual(joined, {
  scalar: { ok: true, servers: 'v2,v1', security: 'not there', alternative: true, mapping: false },
  redocly: { servers: 'v1', security: 'X-Key-v1', alternative: true, mapping: true }
})
JS
node_modules/.bin/node run.js
