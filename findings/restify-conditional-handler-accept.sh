#!/usr/bin/env bash
# restify 12.0.0: a candidate of `conditionalHandler` with a `contentType` is not found by `Accept: */*`, nor by
# `application/*`, nor without Accept: such a client, and so each curl and fetch by default, gets a 415. The header of
# the request is taken as the list of types, and the candidate's types as what is accepted. Weights do not count: the
# highest version wins over the type that the client prefers, or else the first candidate.
# Guessed: Accept is negotiated as everywhere, `*/*` takes any candidate, and nothing acceptable is a 406.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact restify@12.0.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import restify from 'restify'

const { conditionalHandler } = restify.plugins
const candidate = (contentType, version) => ({
  contentType, version, handler: (request, response, next) => { response.send(`${contentType}, ${version}`); next() }
})
const server = restify.createServer()
server.get('/same', conditionalHandler([candidate('application/json', '1.0.0'), candidate('text/plain', '1.0.0')]))
server.get('/later', conditionalHandler([candidate('application/json', '1.0.0'), candidate('text/plain', '2.0.0')]))
server.listen(0, '127.0.0.1')
await once(server, 'listening')

async function answers (path, accept) {
  const headers = accept ? { accept } : {}
  const [response] = await once(get({ host: '127.0.0.1', port: server.address().port, path, headers }), 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return response.statusCode === 200 ? body.replaceAll('"', '') : response.statusCode
}

const answered = {}
const accepts = [
  'application/json', 'text/plain', 'application/json;q=0.1, text/plain', 'text/plain;q=0.1, application/json',
  'application/*', '*/*', undefined
]
for (const accept of accepts) answered[accept] = [await answers('/same', accept), await answers('/later', accept)]
console.log('restify 12.0.0', answered)
assert.deepEqual(answered, {
  'application/json': ['application/json, 1.0.0', 'application/json, 1.0.0'],
  'text/plain': ['text/plain, 1.0.0', 'text/plain, 2.0.0'],
  'application/json;q=0.1, text/plain': ['application/json, 1.0.0', 'text/plain, 2.0.0'],
  'text/plain;q=0.1, application/json': ['application/json, 1.0.0', 'text/plain, 2.0.0'],
  'application/*': [415, 415],
  '*/*': [415, 415],
  undefined: [415, 415]
})
process.exit()
JS
node run.js
