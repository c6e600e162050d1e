#!/usr/bin/env bash
# @fastify/rate-limit 11.2.0 with fastify 5.12.8: whether two versions of a URL have a limit each depends on the store.
# In memory each route counts for itself. In Redis the key is the method and the URL, so v1 and v2, which differ by
# their constraint, add to one counter, and each compares it with its own `max`: after three requests to v1, which
# allows five, the first one to v2, which allows two, is a 429. It is not seen in tests, which have no Redis.
# Guessed: the store does not matter; a limit in the config of a route counts the requests of this route.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/rate-limit@11.2.0 ioredis-mock@8.13.1 \
  ioredis@5.11.1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import Redis from 'ioredis-mock'

async function answers (options) {
  const app = Fastify()
  await app.register(rateLimit, { global: false, ...options })
  for (const [version, max] of [['1.0.0', 5], ['2.0.0', 2]]) {
    const config = { rateLimit: { max, timeWindow: 60_000 } }
    app.get('/bookings', { constraints: { version }, config }, async () => version)
  }
  const seen = []
  for (const version of ['1.0.0', '1.0.0', '1.0.0', '2.0.0']) {
    const response = await app.inject({ url: '/bookings', headers: { 'accept-version': version } })
    seen.push([version, response.statusCode, response.headers['x-ratelimit-remaining']].join(' '))
  }
  return seen
}

const answered = { memory: await answers({}), redis: await answers({ redis: new Redis() }) }
console.log('@fastify/rate-limit 11.2.0: version, status, remaining', answered)
const ofV1 = ['1.0.0 200 4', '1.0.0 200 3', '1.0.0 200 2']
assert.deepEqual(answered, { memory: [...ofV1, '2.0.0 200 1'], redis: [...ofV1, '2.0.0 429 0'] })
process.exit()
JS
node run.js
