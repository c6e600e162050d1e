#!/usr/bin/env bash
# find-my-way 9.10.2, with fastify 5.12.8: which version a range gets depends on the order in which routes are declared.
# `Accept-Version: *` gets 1.2.0 if it was declared after 1.3.0, and `1.x` gets 1.2.0 if it was declared after 1.2.5.
# Fastify's documentation says that the highest compatible version is chosen. No error, no warning.
# Guessed: the highest version, in any order.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 find-my-way@9.10.2
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import Fastify from 'fastify'

/** Which of the versions, declared in this order, answers a request for the range. */
async function answers (versions, range) {
  const app = Fastify()
  for (const version of versions) app.get('/bookings', { constraints: { version } }, async () => version)
  const response = await app.inject({ url: '/bookings', headers: { 'accept-version': range } })
  return response.statusCode === 200 ? response.body : response.statusCode
}

const answered = {
  '* of 1.2.0, 1.3.0': await answers(['1.2.0', '1.3.0'], '*'),
  '* of 1.3.0, 1.2.0': await answers(['1.3.0', '1.2.0'], '*'),
  '1.x of 1.2.0, 1.2.5': await answers(['1.2.0', '1.2.5'], '1.x'),
  '1.x of 1.2.5, 1.2.0': await answers(['1.2.5', '1.2.0'], '1.x'),
  '1.2.x of 1.2.5, 1.2.0': await answers(['1.2.5', '1.2.0'], '1.2.x')
}
console.log('find-my-way 9.10.2', answered)
assert.deepEqual(answered, {
  '* of 1.2.0, 1.3.0': '1.3.0',
  '* of 1.3.0, 1.2.0': '1.2.0',
  '1.x of 1.2.0, 1.2.5': '1.2.5',
  '1.x of 1.2.5, 1.2.0': '1.2.0',
  '1.2.x of 1.2.5, 1.2.0': '1.2.5'
})
JS
node run.js
