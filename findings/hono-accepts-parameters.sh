#!/usr/bin/env bash
# hono 4.13.19: `accepts` compares media types without the parameters of the request, so a type with a parameter in
# `supports` never matches, and every client gets the default. @scalar/mock-server 0.14.4 is built on it: asked for
# `application/json; version=v2`, it answers 200 with v1. A version in a vendor type is found by both.
# Guessed: `Accept: application/json; version=v2` is the supported type that is written so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact hono@4.13.19 @scalar/mock-server@0.14.4 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { createMockServer } from '@scalar/mock-server'
import { Hono } from 'hono'
import { accepts } from 'hono/accepts'

/** What is answered to a request that accepts exactly the type of v2. */
async function answers (v1, v2) {
  const app = new Hono()
  app.get('/', (context) => context.text(accepts(context, { header: 'Accept', supports: [v1, v2], default: v1 })))
  const content = { [v1]: { example: 'v1' }, [v2]: { example: 'v2' } }
  const get = { responses: { 200: { description: 'A list', content } } }
  const document = { openapi: '3.1.0', info: { title: 'Bookings', version: '1' }, paths: { '/': { get } } }
  const mock = await createMockServer({ document })
  const init = { headers: { accept: v2 } }
  const mocked = await mock.request('/', init)
  return {
    accepts: await (await app.request('/', init)).text(),
    mock: [mocked.status, mocked.headers.get('content-type'), await mocked.text()]
  }
}

const parameter = await answers('application/json; version=v1', 'application/json; version=v2')
const vendor = await answers('application/vnd.acme.v1+json', 'application/vnd.acme.v2+json')
console.log('hono 4.13.19, @scalar/mock-server 0.14.4', { parameter, vendor })
assert.deepEqual(parameter, {
  accepts: 'application/json; version=v1',
  mock: [200, 'application/json; version=v1', '"v1"']
})
assert.deepEqual(vendor, {
  accepts: 'application/vnd.acme.v2+json',
  mock: [200, 'application/vnd.acme.v2+json', '"v2"']
})
JS
node_modules/.bin/node run.js
