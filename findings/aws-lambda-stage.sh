#!/usr/bin/env bash
# @fastify/aws-lambda 6.4.1: with `retainStage: false`, the default, the stage is removed from the path of an event in
# format 1.0, and stays in the path of format 2.0 (HTTP APIs, function URLs): `/prod/bookings` is then a 404.
# Guessed: the option means the same for both formats.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @fastify/aws-lambda@6.4.1 fastify@5.12.8
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import awsLambdaFastify from '@fastify/aws-lambda'
import Fastify from 'fastify'

const app = Fastify()
app.get('/bookings', async (request) => request.url)
const handle = awsLambdaFastify(app, { retainStage: false })
await app.ready()

const path = '/prod/bookings'
const events = {
  '1.0': {
    version: '1.0', httpMethod: 'GET', path, headers: {}, requestContext: { stage: 'prod', resourcePath: '/bookings' }
  },
  '2.0': {
    version: '2.0',
    routeKey: 'GET /bookings',
    rawPath: path,
    rawQueryString: '',
    headers: {},
    requestContext: { stage: 'prod', http: { method: 'GET', path } }
  }
}
const statuses = {}
for (const [format, event] of Object.entries(events)) statuses[format] = (await handle(event, {})).statusCode
console.log('@fastify/aws-lambda 6.4.1', statuses)
assert.deepEqual(statuses, { '1.0': 200, '2.0': 404 })
JS
node run.js
