#!/usr/bin/env bash
# make-fetch-happen 15.0.6: with `cache: 'force-cache'` or `'only-if-cached'`, as of `npm --prefer-offline` and
# `--offline`, the `Vary` of the stored response does not count. A request with `API-Version: v2` gets v1 with status
# 200. So does `Accept: application/json; version=v2`. Only media types, languages and encodings are compared, without
# their parameters: a vendor type of v2 goes to the server, or is the error that nothing is stored.
# Guessed: these modes ignore the age of a response, and serve none that does not match the request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact make-fetch-happen@15.0.6
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import makeFetchHappen from 'make-fetch-happen'

/** What a client gets that asks for v2 in this mode, after the response to v1 has been stored. */
async function gets (name, v1, v2, cache) {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'cache-control': 'max-age=60', vary: name })
    response.end(request.headers[name] === v2 ? 'v2' : 'v1')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/bookings`
  const fetch = makeFetchHappen.defaults({ cachePath: `cache-${server.address().port}`, retry: false })
  await (await fetch(url, { headers: { [name]: v1 } })).text()
  const response = await fetch(url, { headers: { [name]: v2 }, cache }).catch((error) => error)
  return response instanceof Error ? response.code : await response.text()
}

const forms = {
  header: ['api-version', 'v1', 'v2'],
  parameter: ['accept', 'application/json; version=v1', 'application/json; version=v2'],
  vendor: ['accept', 'application/vnd.acme.v1+json', 'application/vnd.acme.v2+json']
}
const got = {}
for (const [form, headers] of Object.entries(forms)) {
  got[form] = {}
  for (const mode of ['default', 'force-cache', 'only-if-cached']) got[form][mode] = await gets(...headers, mode)
}
console.log('make-fetch-happen 15.0.6, asked for v2:', got)
assert.deepEqual(got, {
  header: { default: 'v2', 'force-cache': 'v1', 'only-if-cached': 'v1' },
  parameter: { default: 'v2', 'force-cache': 'v1', 'only-if-cached': 'v1' },
  vendor: { default: 'v2', 'force-cache': 'v2', 'only-if-cached': 'ENOTCACHED' }
})
process.exit()
JS
node run.js
