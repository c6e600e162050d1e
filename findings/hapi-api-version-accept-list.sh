#!/usr/bin/env bash
# hapi-api-version 2.3.1 with @hapi/hapi 21.4.10: the version is read of `Accept` only if it has a single type. With a
# second one, as axios and generated clients send it, `application/vnd.acme.v2+json, application/json` gets the default
# version with status 200, and v3, which does not exist and is a 400 alone, gets it, too. The header `api-version` of
# the response is what was asked for, not what was served: for `/v1/bookings` with `api-version: 2` it is 2, and the
# body is v1's.
# Guessed: each type of the list is looked at, as Accept is a list, and the response names the version of its body.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @hapi/hapi@21.4.10 hapi-api-version@2.3.1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import Hapi from '@hapi/hapi'
import plugin from 'hapi-api-version'

const server = Hapi.server()
const options = { validVersions: [1, 2], defaultVersion: 1, vendorName: 'acme' }
await server.register({ plugin, options })
for (const version of [1, 2]) {
  server.route({ method: 'GET', path: `/v${version}/bookings`, handler: () => ({ version }) })
}

/** The status, the version of the body, and the version that the header names. */
async function answer (url, headers) {
  const response = await server.inject({ url, headers })
  return [response.statusCode, response.result.version, response.headers['api-version']]
}

const answered = {}
for (const accept of [
  'application/vnd.acme.v2+json',
  'application/vnd.acme.v2+json, application/json',
  'application/vnd.acme.v2+json, */*;q=0.1',
  'application/vnd.acme.v3+json',
  'application/vnd.acme.v3+json, application/json'
]) answered[accept] = await answer('/bookings', { accept })
answered['/v1 and api-version: 2'] = await answer('/v1/bookings', { 'api-version': '2' })
console.log('hapi-api-version 2.3.1', answered)
assert.deepEqual(answered, {
  'application/vnd.acme.v2+json': [200, 2, 2],
  'application/vnd.acme.v2+json, application/json': [200, 1, 1],
  'application/vnd.acme.v2+json, */*;q=0.1': [200, 1, 1],
  'application/vnd.acme.v3+json': [400, undefined, undefined],
  'application/vnd.acme.v3+json, application/json': [200, 1, 1],
  '/v1 and api-version: 2': [200, 1, 2]
})
JS
node run.js
