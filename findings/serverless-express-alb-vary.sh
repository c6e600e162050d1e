#!/usr/bin/env bash
# @codegenie/serverless-express 5.0.0, the successor of @vendia/serverless-express: if the app appends a header twice,
# an ALB without multi-value headers, as it is by default, gets the first value only. `Vary: API-Version` after
# `Vary: Accept` is lost, so a cache mixes versions. The second `Link` is lost, too. serverless-http 4.0.0 joins them.
# Guessed: values are joined with commas, as HTTP allows for all headers but Set-Cookie.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @codegenie/serverless-express@5.0.0 express@5.3.0 \
  serverless-http@4.0.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { configure } from '@codegenie/serverless-express'
import express from 'express'
import serverlessHttp from 'serverless-http'

const app = express()
app.get('/bookings', (request, response) => {
  response.append('Vary', 'Accept')
  response.append('Vary', 'API-Version')
  response.append('Link', '</v2/bookings>; rel="successor-version"')
  response.append('Link', '</leaving-v1>; rel="deprecation"')
  response.json([])
})
const event = {
  requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/bookings/1' } },
  httpMethod: 'GET',
  path: '/bookings',
  queryStringParameters: {},
  headers: { accept: 'application/json' },
  body: '',
  isBase64Encoded: false
}

const sent = {}
const handlers = { '@codegenie/serverless-express': configure({ app }), 'serverless-http': serverlessHttp(app) }
for (const [name, handle] of Object.entries(handlers)) {
  const { headers, multiValueHeaders } = await handle(structuredClone(event), {}, () => {})
  assert.equal(multiValueHeaders, undefined)
  sent[name] = { vary: headers.vary, link: headers.link }
}
console.log(sent)
assert.deepEqual(sent, {
  '@codegenie/serverless-express': { vary: 'Accept', link: '</v2/bookings>; rel="successor-version"' },
  'serverless-http': {
    vary: 'Accept, API-Version',
    link: '</v2/bookings>; rel="successor-version", </leaving-v1>; rel="deprecation"'
  }
})
JS
node_modules/.bin/node run.js
